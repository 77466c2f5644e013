//! Errors that know their reply.

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::HttpError;
use crate::BoxError;

/// An error that knows how it is answered.
///
/// `#[derive(ErrorReply)]` implements it from a `#[reply(status)]` on each variant, and shows fields with
/// `#[reply(detail)]` and `#[reply(header = "name")]`. The message of
/// the reply is the error's `Display`; from 500 on it is logged and not shown, unless
/// [`HttpOptions::expose_errors`](crate::HttpOptions::expose_errors) is on.
///
/// ```
/// use http::StatusCode;
/// use znight_http::ErrorReply;
///
/// #[derive(Debug)]
/// struct Taken;
///
/// impl std::fmt::Display for Taken {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         f.write_str("email taken")
///     }
/// }
/// impl std::error::Error for Taken {}
///
/// impl ErrorReply for Taken {
///     fn status(&self) -> StatusCode {
///         StatusCode::CONFLICT
///     }
/// }
/// # assert_eq!(Taken.status(), 409);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how it is answered",
    label = "not an `ErrorReply`",
    note = "add `#[derive(ErrorReply)]` with `#[reply(404)]` on its variants, or implement \
            `ErrorReply`"
)]
pub trait ErrorReply: std::error::Error + Send + Sync + 'static {
    /// The status, from 400 to 599; anything else becomes 500.
    fn status(&self) -> StatusCode;

    /// The `details` of the reply. Default: none.
    fn details(&self) -> Option<Value> {
        None
    }

    /// Further headers of the reply. Default: none.
    fn headers(&self) -> HeaderMap {
        HeaderMap::new()
    }
}

/// An error whose reply is known from its type: an [`ErrorReply`], or [`HttpError`] itself.
pub trait KnownError {
    #[doc(hidden)]
    fn into_http_error(self) -> HttpError;
}

#[diagnostic::do_not_recommend]
impl<E: ErrorReply> KnownError for E {
    fn into_http_error(self) -> HttpError {
        HttpError::of_reply(self)
    }
}

impl KnownError for HttpError {
    fn into_http_error(self) -> HttpError {
        self
    }
}

/// Any error a handler may return: a plain 500 unless an error mapper is registered for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error a handler can return",
    label = "neither an `ErrorReply` nor a `std::error::Error`",
    note = "derive `ErrorReply`, implement `std::error::Error + Send + Sync`, or return `HttpError`"
)]
pub trait HandlerError {
    #[doc(hidden)]
    fn into_unexpected(self) -> HttpError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> HandlerError for E {
    fn into_unexpected(self) -> HttpError {
        HttpError::unexpected(self.into())
    }
}
