//! Choosing the reply of any error where it occurs.

use std::borrow::Cow;

use http::StatusCode;

use super::HttpError;
use crate::BoxError;

/// Turns the error of a `Result` into an [`HttpError`].
///
/// ```
/// use znight_http::{HttpError, ResultExt};
///
/// fn load(id: &str) -> Result<u64, HttpError> {
///     id.parse::<u64>().status(404).context("no such user")
/// }
/// assert_eq!(load("x").unwrap_err().status(), 404);
/// ```
pub trait ResultExt<T> {
    /// Answers an error with `status`, a number or a [`StatusCode`]. Below 500 the error's text is
    /// the message; from 500 on it is logged.
    fn status(self, status: impl TryInto<StatusCode>) -> Result<T, HttpError>;

    /// Answers an error with this message, and keeps the error's own for the log. Without
    /// [`status`](ResultExt::status) the reply is a 500, whose message is for the log as well.
    fn context(self, message: impl Into<Cow<'static, str>>) -> Result<T, HttpError>;
}

impl<T, E: Into<BoxError>> ResultExt<T> for Result<T, E> {
    fn status(self, status: impl TryInto<StatusCode>) -> Result<T, HttpError> {
        self.map_err(|error| HttpError::unexpected(error.into()).with_status(status))
    }

    fn context(self, message: impl Into<Cow<'static, str>>) -> Result<T, HttpError> {
        self.map_err(|error| HttpError::unexpected(error.into()).with_message(message))
    }
}
