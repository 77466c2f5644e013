//! The body of a reply.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The body of a reply: nothing, or bytes in memory.
///
/// No body at all and a body of no bytes differ: only the first makes the default status a 204.
#[derive(Debug, Default)]
pub struct ReplyBody(Option<Bytes>);

impl ReplyBody {
    /// No body.
    pub const fn empty() -> Self {
        Self(None)
    }

    /// A body of these bytes, sent with their length.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Some(bytes.into()))
    }

    /// Whether there is no body at all.
    pub const fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, Bytes::len)
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, when they are in memory.
    pub fn as_bytes(&self) -> Option<&Bytes> {
        self.0.as_ref()
    }

    /// The bytes of a body in memory.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.0.unwrap_or_default()
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = self.0.take().filter(|bytes| !bytes.is_empty());
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.len() as u64)
    }
}

impl<B: Into<Bytes>> From<B> for ReplyBody {
    fn from(bytes: B) -> Self {
        Self::full(bytes)
    }
}
