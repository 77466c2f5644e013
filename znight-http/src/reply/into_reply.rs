//! What a handler may return.

use std::{any::TypeId, borrow::Cow};

use bytes::Bytes;
use http_body_util::Full;
use serde::Serialize;

use super::{HttpResponse, Media, Outcome, Reply, ReplyBody, capture, json};
use crate::{HttpError, same::same};

/// A value a handler may return.
///
/// | value | reply |
/// | --- | --- |
/// | a `Serialize` type | JSON |
/// | `String`, `&str`, `Cow<str>` | `text/plain; charset=utf-8` |
/// | `Bytes`, `Vec<u8>` | `application/octet-stream` |
/// | `()` | nothing: 204, 201 on a `POST` route |
/// | [`HttpResponse<T>`] | that of `T`, with its status and headers |
/// | [`ReplyBody`], which may be a stream | `application/octet-stream` |
/// | `http::Response` of `Bytes`, `Full<Bytes>` or [`ReplyBody`] | as it is |
/// | [`Reply`] | as it is |
/// | `Option<T>` | that of `T`; `None` is a 404 with an error body |
/// | `Result<T, E>` | that of `T`, or the error's |
///
/// The parameter tells the rows of the table apart and is always inferred. The trait is not meant
/// to be implemented: a type of your own becomes a reply with `#[derive(Serialize)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a handler can return",
    label = "not a reply",
    note = "derive `serde::Serialize` to answer JSON, or return text, bytes, `()`, \
            `HttpResponse<T>`, or an `Option` or a `Result` of these"
)]
pub trait IntoReply<M>: Sized {
    /// The reply.
    ///
    /// # Errors
    /// When the value does not serialise, or a header of it cannot be sent: answered with a plain
    /// 500.
    fn into_reply(self) -> Outcome;

    /// The reply of a value that borrows nothing, which need not be copied.
    #[doc(hidden)]
    fn into_reply_owned(self) -> Outcome
    where
        Self: 'static,
    {
        self.into_reply()
    }
}

/// Marks what is serialised: JSON, but for the text and byte types.
#[derive(Debug)]
pub struct Serialised;

/// Marks what is a whole response.
#[derive(Debug)]
pub struct Whole;

/// Marks an [`HttpResponse`] around what `M` marks.
#[derive(Debug)]
pub struct Wrapped<M>(M);

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoReply<Serialised> for T {
    fn into_reply(self) -> Outcome {
        let id = typeid::of::<T>();
        if id == TypeId::of::<()>() {
            return Ok(Reply::empty());
        }
        if capture::is_text(id) {
            return Ok(Reply::of(Media::Text, capture::text(&self)?.into()));
        }
        if capture::is_octets(id) {
            return Ok(Reply::of(Media::Octets, capture::octets(&self)?.into()));
        }
        json(&self)
    }

    fn into_reply_owned(self) -> Outcome
    where
        Self: 'static,
    {
        // Every comparison is of constants: the compiler leaves the one branch that holds.
        let id = TypeId::of::<T>();
        if id == TypeId::of::<()>() {
            return Ok(Reply::empty());
        }
        if id == TypeId::of::<String>() {
            return Ok(take(self, |text: String| {
                Reply::of(Media::Text, text.into())
            }));
        }
        if id == TypeId::of::<&'static str>() {
            return Ok(take(self, |text: &'static str| {
                Reply::of(Media::Text, Bytes::from_static(text.as_bytes()))
            }));
        }
        if id == TypeId::of::<Cow<'static, str>>() {
            return Ok(take(self, |text: Cow<'static, str>| match text {
                Cow::Borrowed(text) => Reply::of(Media::Text, Bytes::from_static(text.as_bytes())),
                Cow::Owned(text) => Reply::of(Media::Text, text.into()),
            }));
        }
        if id == TypeId::of::<Bytes>() {
            return Ok(take(self, |bytes: Bytes| Reply::of(Media::Octets, bytes)));
        }
        if id == TypeId::of::<Vec<u8>>() {
            return Ok(take(self, |bytes: Vec<u8>| {
                Reply::of(Media::Octets, bytes.into())
            }));
        }
        json(&self)
    }
}

fn json<T: Serialize>(value: &T) -> Outcome {
    match json::to_bytes(value) {
        Ok(bytes) => Ok(Reply::of(Media::Json, bytes)),
        Err(error) => Err(HttpError::unexpected(
            format!("a reply does not serialise: {error}").into(),
        )),
    }
}

/// `value` as the `U` it is known to be.
fn take<T: 'static, U: 'static>(value: T, reply: impl FnOnce(U) -> Reply) -> Reply {
    let Ok(value) = same(value) else {
        unreachable!("invariant: the type ids were compared");
    };
    reply(value)
}

impl IntoReply<Whole> for Reply {
    fn into_reply(self) -> Outcome {
        Ok(self)
    }
}

impl IntoReply<Whole> for ReplyBody {
    fn into_reply(self) -> Outcome {
        let media = if self.is_none() {
            Media::Nothing
        } else {
            Media::Octets
        };
        Ok(Reply::unwritten(media, self))
    }
}

impl<B: WholeBody> IntoReply<Whole> for http::Response<B> {
    fn into_reply(self) -> Outcome {
        let (parts, body) = self.into_parts();
        Ok(Reply::of_parts(
            parts.status,
            parts.headers,
            body.into_body(),
        ))
    }
}

/// The body of an `http::Response` a handler may return.
#[diagnostic::on_unimplemented(
    message = "a handler cannot return an `http::Response` with a body of type `{Self}`",
    note = "use `http::Response<Bytes>`, `http::Response<Full<Bytes>>` or `http::Response<ReplyBody>`; \
            `ReplyBody::stream` and `ReplyBody::wrap` make a body of any other"
)]
pub trait WholeBody {
    #[doc(hidden)]
    fn into_body(self) -> ReplyBody;
}

impl WholeBody for Bytes {
    fn into_body(self) -> ReplyBody {
        ReplyBody::full(self)
    }
}

impl WholeBody for ReplyBody {
    fn into_body(self) -> Self {
        self
    }
}

impl WholeBody for Full<Bytes> {
    fn into_body(self) -> ReplyBody {
        // `Full` gives its bytes away only by being polled.
        use http_body_util::BodyExt as _;
        use std::task::{Context, Poll, Waker};
        let mut collect = std::pin::pin!(self.collect());
        match collect
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(Ok(collected)) => ReplyBody::full(collected.to_bytes()),
            Poll::Ready(Err(never)) => match never {},
            Poll::Pending => ReplyBody::full(Bytes::new()),
        }
    }
}

impl<T, M> IntoReply<Wrapped<M>> for HttpResponse<T>
where
    T: IntoReply<M>,
{
    fn into_reply(self) -> Outcome {
        self.finish(IntoReply::into_reply)
    }

    fn into_reply_owned(self) -> Outcome
    where
        Self: 'static,
    {
        self.finish(IntoReply::into_reply_owned)
    }
}
