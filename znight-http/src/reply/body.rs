//! The body of a reply.

use std::{
    fmt,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use http_body::{Body, Frame, SizeHint};
use http_body_util::StreamBody;

use crate::{BoxError, same::same};

/// The body of a reply: nothing, bytes in memory, or a stream of them.
///
/// No body at all and a body of no bytes differ: only the first makes the default status a 204.
///
/// A handler returns it by itself, as `application/octet-stream`, or with a status and headers in an
/// [`HttpResponse`](crate::HttpResponse) or an `http::Response`:
///
/// ```
/// use futures_util::stream;
/// use znight_http::{HttpResponse, ReplyBody};
///
/// async fn lines() -> HttpResponse<ReplyBody> {
///     let lines = stream::iter(["one\n", "two\n"].map(Ok::<_, std::io::Error>));
///     HttpResponse::ok(ReplyBody::stream(lines)).with_header("content-type", "text/plain")
/// }
/// ```
///
/// A stream is polled in the scope of its request, which ends when the stream ends or when the
/// client has gone, which drops the stream. An error of the stream, or a panic, is logged, and cuts the
/// connection off, for the head has been sent.
#[derive(Debug, Default)]
pub struct ReplyBody(Kind);

#[derive(Debug, Default)]
enum Kind {
    #[default]
    Nothing,
    Full(Bytes),
    Streamed(Streamed),
}

impl ReplyBody {
    /// No body.
    pub const fn empty() -> Self {
        Self(Kind::Nothing)
    }

    /// A body of these bytes, sent with their length.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Full(bytes.into()))
    }

    /// A body that is sent as its pieces come, its length not known before.
    pub fn stream<S, B, E>(stream: S) -> Self
    where
        S: Stream<Item = Result<B, E>> + Send + 'static,
        B: Into<Bytes> + 'static,
        E: Into<BoxError> + 'static,
    {
        Self::streamed(None, StreamBody::new(frames(stream)))
    }

    /// A body that is sent as its pieces come and has this many bytes, which the client is told. A
    /// stream that gives more or fewer fails, which cuts the connection off.
    pub fn sized_stream<S, B, E>(length: u64, stream: S) -> Self
    where
        S: Stream<Item = Result<B, E>> + Send + 'static,
        B: Into<Bytes> + 'static,
        E: Into<BoxError> + 'static,
    {
        Self::streamed(Some(length), StreamBody::new(frames(stream)))
    }

    /// A body of the crate `http-body`, such as that of a client's response that is passed on. It is
    /// sent with its length when it knows it, and with its trailers where HTTP allows them.
    pub fn wrap<B>(body: B) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let length = body.size_hint().exact();
        Self::streamed(length, http_body_util::BodyExt::map_err(body, Into::into))
    }

    /// What a layer gives, which may be what it was given.
    pub(crate) fn of<B>(body: B) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        same(body).unwrap_or_else(Self::wrap)
    }

    fn streamed(
        length: Option<u64>,
        body: impl Body<Data = Bytes, Error = BoxError> + Send + 'static,
    ) -> Self {
        Self(Kind::Streamed(Streamed::new(Announced {
            body: Box::pin(body),
            left: length,
            ended: false,
        })))
    }

    /// Whether there is no body at all.
    pub const fn is_none(&self) -> bool {
        matches!(self.0, Kind::Nothing)
    }

    /// Its length in bytes; `None` for a stream that does not know it.
    pub fn len(&self) -> Option<u64> {
        match &self.0 {
            Kind::Nothing => Some(0),
            Kind::Full(bytes) => Some(bytes.len() as u64),
            Kind::Streamed(body) => body.size_hint().exact(),
        }
    }

    /// Whether it is known to have no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The bytes, when they are in memory.
    pub fn as_bytes(&self) -> Option<&Bytes> {
        match &self.0 {
            Kind::Full(bytes) => Some(bytes),
            Kind::Nothing | Kind::Streamed(_) => None,
        }
    }

    /// Whether it is a stream.
    pub const fn is_stream(&self) -> bool {
        matches!(self.0, Kind::Streamed(_))
    }

    /// The same body with its stream, if it is one, changed.
    pub(crate) fn map_stream<B>(self, change: impl FnOnce(Streamed) -> B) -> Self
    where
        B: Body<Data = Bytes, Error = BoxError> + Send + 'static,
    {
        match self.0 {
            Kind::Streamed(body) => Self(Kind::Streamed(Streamed::new(change(body)))),
            other => Self(other),
        }
    }

    /// The bytes of a body in memory, or the stream.
    pub(crate) fn into_bytes(self) -> Result<Bytes, Self> {
        match self.0 {
            Kind::Nothing => Ok(Bytes::new()),
            Kind::Full(bytes) => Ok(bytes),
            Kind::Streamed(_) => Err(self),
        }
    }
}

fn frames<S, B, E>(stream: S) -> impl Stream<Item = Result<Frame<Bytes>, BoxError>> + Send
where
    S: Stream<Item = Result<B, E>> + Send + 'static,
    B: Into<Bytes> + 'static,
    E: Into<BoxError> + 'static,
{
    stream.map(|piece| match piece {
        Ok(bytes) => Ok(Frame::data(bytes.into())),
        Err(error) => Err(error.into()),
    })
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = BoxError;

    #[inline]
    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Kind::Streamed(body) = &mut self.0 {
            return body.poll_frame(cx);
        }
        match std::mem::take(&mut self.0) {
            Kind::Full(bytes) if !bytes.is_empty() => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            _ => Poll::Ready(None),
        }
    }

    #[inline]
    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Nothing => true,
            Kind::Full(bytes) => bytes.is_empty(),
            Kind::Streamed(body) => body.is_end_stream(),
        }
    }

    #[inline]
    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Nothing => SizeHint::with_exact(0),
            Kind::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Streamed(body) => body.size_hint(),
        }
    }
}

impl<B: Into<Bytes>> From<B> for ReplyBody {
    fn from(bytes: B) -> Self {
        Self::full(bytes)
    }
}

type Erased = dyn Body<Data = Bytes, Error = BoxError> + Send;

/// A body that is polled for its pieces.
///
/// The lock makes it shareable, as replies are, although streams need not be; who polls it has it
/// alone and does not lock.
pub(crate) struct Streamed(Box<Mutex<Pin<Box<Erased>>>>);

impl Streamed {
    fn new(body: impl Body<Data = Bytes, Error = BoxError> + Send + 'static) -> Self {
        Self(Box::new(Mutex::new(Box::pin(body))))
    }

    pub(crate) fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let body = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        body.as_mut().poll_frame(cx)
    }

    pub(crate) fn is_end_stream(&self) -> bool {
        let body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        body.is_end_stream()
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        let body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        body.size_hint()
    }
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Streamed(..)")
    }
}

/// A stream held to the length it was announced with.
struct Announced<B> {
    body: Pin<Box<B>>,
    left: Option<u64>,
    ended: bool,
}

impl<B: Body<Data = Bytes, Error = BoxError>> Body for Announced<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let frame = std::task::ready!(self.body.as_mut().poll_frame(cx));
        let frame = match (frame, self.left) {
            (Some(Ok(frame)), Some(left)) => {
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                match left.checked_sub(length) {
                    Some(left) => {
                        self.left = Some(left);
                        Some(Ok(frame))
                    }
                    None => Some(Err("the body is longer than announced".into())),
                }
            }
            (None, Some(left @ 1..)) => Some(Err(format!(
                "the body ended {left} bytes before the length it was announced with"
            )
            .into())),
            (frame, _) => frame,
        };
        self.ended = !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.left {
            Some(left) => SizeHint::with_exact(left),
            None => self.body.size_hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::{FutureExt as _, stream};
    use http_body::Body as _;
    use http_body_util::BodyExt as _;

    use super::ReplyBody;

    fn pieces(
        texts: &[&'static str],
    ) -> impl futures_util::Stream<Item = Result<&'static str, std::io::Error>> + use<> {
        stream::iter(texts.iter().map(|text| Ok(*text)).collect::<Vec<_>>())
    }

    /// The next piece, or what went wrong.
    fn next(body: &mut ReplyBody) -> Option<Result<Bytes, String>> {
        let frame = body.frame().now_or_never().expect("it is there")?;
        Some(match frame {
            Ok(frame) => Ok(frame.into_data().expect("data")),
            Err(error) => Err(error.to_string()),
        })
    }

    #[test]
    fn a_body_tells_what_is_known_of_it() {
        for (body, none, stream, length) in [
            (ReplyBody::empty(), true, false, Some(0)),
            (ReplyBody::full(""), false, false, Some(0)),
            (ReplyBody::full("abc"), false, false, Some(3)),
            (ReplyBody::stream(pieces(&["a"])), false, true, None),
            (
                ReplyBody::sized_stream(3, pieces(&[])),
                false,
                true,
                Some(3),
            ),
        ] {
            assert_eq!(
                (body.is_none(), body.is_stream()),
                (none, stream),
                "{body:?}"
            );
            assert_eq!((body.len(), body.is_empty()), (length, length == Some(0)));
            assert_eq!(body.size_hint().exact(), length);
            assert_eq!(body.as_bytes().is_some(), !none && !stream);
        }
    }

    #[test]
    fn nothing_follows_the_end_or_an_error() {
        let mut body = ReplyBody::sized_stream(3, pieces(&["ab", "cd", "ef"]));
        assert_eq!(next(&mut body), Some(Ok("ab".into())));
        assert_eq!(body.len(), Some(1), "what is left");
        assert_eq!(
            next(&mut body),
            Some(Err("the body is longer than announced".to_owned()))
        );
        assert_eq!(next(&mut body), None);
        assert!(body.is_end_stream());

        // This one would panic when it is polled again.
        let mut body = ReplyBody::stream(stream::unfold((), async |()| {
            None::<(Result<Bytes, std::io::Error>, ())>
        }));
        assert_eq!(next(&mut body), None);
        assert_eq!(next(&mut body), None);

        let mut body = ReplyBody::full("abc");
        assert_eq!(next(&mut body), Some(Ok("abc".into())));
        assert_eq!(next(&mut body), None);
    }
}
