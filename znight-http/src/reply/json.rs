//! Writing JSON.

use std::cell::Cell;

use bytes::Bytes;
use serde::Serialize;

/// Up to this size a document is copied out of a buffer that is kept; a larger one takes the buffer
/// with it.
const KEPT: usize = 4096;

thread_local! {
    /// Serialising into a buffer that has grown already, then copying what came out, costs one
    /// allocation of the right size instead of several growing ones.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// `value` as JSON text.
pub(crate) fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Bytes, serde_json::Error> {
    let mut buffer = BUFFER.take();
    buffer.clear();
    serde_json::to_writer(&mut buffer, value)?;
    if buffer.len() > KEPT {
        return Ok(buffer.into());
    }
    let bytes = Bytes::copy_from_slice(&buffer);
    BUFFER.set(buffer);
    Ok(bytes)
}
