//! Reading a body: no more than its limit, no longer than its time.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, EXPECT},
};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt as _, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use znight_core::{Clock, Sleep};

use crate::{BoxError, HttpError, same::same};

/// How much of a body nobody reads is taken in, in bytes, whatever the limit.
const DISCARDED: u64 = 8 * 1024 * 1024;

/// The body of a request, unread: what a layer of
/// [`HttpOptions::layer`](crate::HttpOptions::layer) is given.
#[derive(Debug)]
pub struct RequestBody(Source);

#[derive(Debug)]
enum Source {
    /// Of a connection.
    Incoming(Incoming),
    /// Of a request made in memory.
    Memory(Bytes),
    /// Of another server, or of a layer.
    Other(UnsyncBoxBody<Bytes, BoxError>),
}

impl RequestBody {
    #[inline]
    pub(crate) fn incoming(body: Incoming) -> Self {
        Self(Source::Incoming(body))
    }

    pub(crate) fn memory(bytes: Bytes) -> Self {
        Self(Source::Memory(bytes))
    }

    /// A body of any type.
    pub(crate) fn of<B>(body: B) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        // A layer that leaves the body alone hands back what it was given.
        same(body)
            .unwrap_or_else(|body: B| Self(Source::Other(body.map_err(Into::into).boxed_unsync())))
    }

    /// Whether there is nothing to read.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        match &self.0 {
            Source::Incoming(body) => body.is_end_stream(),
            Source::Memory(bytes) => bytes.is_empty(),
            Source::Other(body) => body.is_end_stream(),
        }
    }

    /// The least it will have, from its `content-length`.
    fn announced(&self) -> u64 {
        self.size_hint().lower()
    }

    /// The next bytes; `None` at the end.
    fn poll_bytes(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        match &mut self.0 {
            Source::Incoming(body) => poll_data(body, cx),
            Source::Other(body) => poll_data(body, cx),
            Source::Memory(bytes) => {
                let bytes = std::mem::take(bytes);
                Poll::Ready((!bytes.is_empty()).then_some(Ok(bytes)))
            }
        }
    }
}

/// The next bytes of a body. Trailers are of no use to anybody yet.
#[inline]
fn poll_data<B>(body: &mut B, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    loop {
        match std::task::ready!(Pin::new(&mut *body).poll_frame(cx)) {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Poll::Ready(Some(Ok(data)));
                }
            }
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.0 {
            Source::Incoming(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(Into::into))),
            Source::Memory(bytes) => {
                let bytes = std::mem::take(bytes);
                Poll::Ready((!bytes.is_empty()).then_some(Ok(Frame::data(bytes))))
            }
            Source::Other(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Source::Incoming(body) => body.size_hint(),
            Source::Memory(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Source::Other(body) => body.size_hint(),
        }
    }
}

/// How much and how long.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// In bytes.
    pub(crate) size: u64,
    /// From the first wait for the client to the end of the body.
    pub(crate) time: Duration,
    /// By which time.
    pub(crate) clock: Clock,
}

/// Reads a body to its end.
pub(crate) async fn read(
    body: RequestBody,
    headers: &HeaderMap,
    limits: Limits,
) -> Result<Bytes, HttpError> {
    if body.is_empty() {
        return Ok(Bytes::new());
    }
    if let Some(encoding) = headers.get(CONTENT_ENCODING)
        && !encoding.as_bytes().eq_ignore_ascii_case(b"identity")
    {
        let error = HttpError::unsupported_media_type(
            "the body must not be compressed: content-encoding is identity",
        )
        .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        return Err(match discard(body, headers, limits) {
            Rest::Discarded => error,
            Rest::Left => closing(error),
        });
    }
    if body.announced() > limits.size {
        let limit = limits.size;
        let _ = discard(body, headers, limits);
        return Err(too_large(limit));
    }
    let mut reader = Reader::new(body, limits.clone());
    let whole = reader.whole().await;
    if whole
        .as_ref()
        .is_err_and(|error| error.status() == StatusCode::PAYLOAD_TOO_LARGE)
    {
        let _ = discard(reader.body, headers, limits);
    }
    whole
}

/// Lets the client send the rest of a body nobody wants, up to the limit or [`DISCARDED`], so that the
/// connection can serve its next request. When it is closed instead, as after a 413, the client
/// would otherwise never read why: its system throws a reply away when the connection is closed on
/// what it still sends.
///
/// A client that waits for `100 Continue` has sent nothing, and need not: it is told the reply instead.
pub(crate) fn discard(body: RequestBody, headers: &HeaderMap, limits: Limits) -> Rest {
    let limits = Limits {
        size: limits.size.max(DISCARDED),
        ..limits
    };
    if body.is_empty() || matches!(body.0, Source::Memory(_)) {
        return Rest::Discarded;
    }
    if body.announced() > limits.size || headers.contains_key(EXPECT) {
        return Rest::Left;
    }
    tokio::spawn(async move {
        let mut reader = Reader::new(body, limits);
        while let Ok(Some(_)) = reader.next().await {}
    });
    Rest::Discarded
}

/// What becomes of the rest of a body nobody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Rest {
    /// It is taken in, unless the client sends more than it said.
    Discarded,
    /// It is not, so nothing can follow on the connection, which the reply should tell.
    Left,
}

struct Reader {
    body: RequestBody,
    limits: Limits,
    read: u64,
    /// Started by the first wait: what has arrived already needs none.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Reader {
    fn new(body: RequestBody, limits: Limits) -> Self {
        Self {
            body,
            limits,
            read: 0,
            timer: None,
        }
    }

    async fn whole(&mut self) -> Result<Bytes, HttpError> {
        // Most bodies are one piece, which is not copied.
        let Some(first) = self.next().await? else {
            return Ok(Bytes::new());
        };
        let Some(second) = self.next().await? else {
            return Ok(first);
        };
        let mut whole = BytesMut::with_capacity(first.len() + second.len());
        whole.extend_from_slice(&first);
        whole.extend_from_slice(&second);
        while let Some(piece) = self.next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }

    async fn next(&mut self) -> Result<Option<Bytes>, HttpError> {
        if self.body.is_empty() {
            return Ok(None);
        }
        let piece = poll_fn(|cx| match self.body.poll_bytes(cx) {
            Poll::Ready(piece) => Poll::Ready(Ok(piece)),
            Poll::Pending => {
                let Limits { clock, time, .. } = &self.limits;
                let timer = self
                    .timer
                    .get_or_insert_with(|| Box::pin(clock.sleep(*time)));
                timer.as_mut().poll(cx).map(|()| Err(too_slow()))
            }
        })
        .await?;
        let Some(piece) = piece else {
            return Ok(None);
        };
        let piece = piece.map_err(|error| {
            closing(HttpError::bad_request("the body could not be read")).caused_by(error)
        })?;
        self.read = self.read.saturating_add(piece.len() as u64);
        if self.read > self.limits.size {
            return Err(too_large(self.limits.size));
        }
        Ok(Some(piece))
    }
}

#[cold]
fn too_large(limit: u64) -> HttpError {
    closing(HttpError::payload_too_large(format!(
        "the body is larger than {limit} bytes"
    )))
}

#[cold]
fn too_slow() -> HttpError {
    closing(HttpError::request_timeout(
        "the body took too long to arrive",
    ))
}

/// The error, after which nothing can follow on the connection: what is left of the body is not read, or
/// nobody knows what the client meant.
pub(crate) fn closing(error: HttpError) -> HttpError {
    error.header(CONNECTION, HeaderValue::from_static("close"))
}
