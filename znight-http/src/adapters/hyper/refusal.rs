//! Replies to what is no request, of which no handler ever hears.
//!
//! hyper answers a head it cannot read with a bare status. That reply is recognised as it is written, and
//! replaced by one that has what every other error has: a body, an id, the security headers.

use bytes::{BufMut as _, Bytes, BytesMut};
use http::StatusCode;

use crate::{
    HttpError,
    pipeline::{HEAD_TOO_LARGE, Pipeline},
};

/// The statuses hyper answers with.
const STATUSES: [(StatusCode, &str); 3] = [
    (StatusCode::BAD_REQUEST, "the request is malformed"),
    (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, HEAD_TOO_LARGE),
    (
        StatusCode::URI_TOO_LONG,
        "the target of the request is too long",
    ),
];

/// What hyper writes behind the status line: nothing but the framing and a date.
const BARE: [&str; 3] = ["connection: close", "content-length: 0", "date: "];

/// The reply instead of `written`, when that is hyper's to a head it could not read.
#[cold]
pub(super) fn instead_of(written: &[u8], pipeline: &Pipeline) -> Option<Bytes> {
    let head = str::from_utf8(written).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?;
    let (status, message) = STATUSES
        .into_iter()
        .find(|(known, _)| known.as_str() == status)?;
    let bare = |line: &str| {
        BARE.iter().any(|known| {
            line.get(..known.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(known))
        })
    };
    if !lines.clone().all(bare) {
        return None;
    }
    let date = lines.find(|line| line.len() > 6 && line[..6].eq_ignore_ascii_case("date: "))?;
    let (headers, body) = pipeline.refuse(&HttpError::new(status, message));
    let mut reply = BytesMut::with_capacity(1024);
    let reason = status.canonical_reason().unwrap_or("Error");
    reply.put_slice(format!("HTTP/1.1 {} {reason}\r\n", status.as_str()).as_bytes());
    for (name, value) in &headers {
        reply.put_slice(name.as_str().as_bytes());
        reply.put_slice(b": ");
        reply.put_slice(value.as_bytes());
        reply.put_slice(b"\r\n");
    }
    let framing = format!(
        "connection: close\r\ncontent-length: {}\r\n{date}\r\n\r\n",
        body.len()
    );
    reply.put_slice(framing.as_bytes());
    reply.put_slice(&body);
    Some(reply.freeze())
}
