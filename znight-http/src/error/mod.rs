//! Errors that are answered: [`HttpError`] and what becomes one.

use std::{borrow::Cow, error::Error as StdError, fmt};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::BoxError;

mod mapper;
mod render;
mod reply;
mod result_ext;

pub(crate) use mapper::ErrorMappers;
pub(crate) use render::ErrorRenderer;
pub use reply::ErrorReply;
pub use reply::{HandlerError, KnownError};
pub use result_ext::ResultExt;

/// An error with the reply it is answered with.
///
/// A handler, a guard or an interceptor returns one to answer anything but success. The reply is
///
/// ```json
/// { "statusCode": 409, "error": "Conflict", "message": "email taken", "details": { "field": "email" } }
/// ```
///
/// where `error` is the name of the status, `details` is left out when there are none, and so is
/// the message of an error nobody expected.
///
/// Like `anyhow::Error`, it is made from any error by `?`: the reply is then a plain 500, the error
/// is logged, and its text is shown only with
/// [`HttpOptions::expose_errors`](crate::HttpOptions::expose_errors). For that reason it does not
/// implement [`std::error::Error`] itself.
///
/// ```
/// use znight_http::{HttpError, ResultExt};
///
/// fn port(text: &str) -> Result<u16, HttpError> {
///     let port: u16 = text.parse().status(422).context("not a port")?;
///     if port == 0 {
///         return Err(HttpError::conflict("port taken").details([("port", port)]));
///     }
///     Ok(port)
/// }
/// assert_eq!(port("x").unwrap_err().status(), 422);
/// assert_eq!(port("0").unwrap_err().status(), 409);
/// ```
pub struct HttpError(Box<Inner>);

struct Inner {
    status: StatusCode,
    /// Empty: none.
    message: Cow<'static, str>,
    details: Option<Value>,
    headers: HeaderMap,
    /// The body, of a reply that somebody else made.
    body: Option<Bytes>,
    source: Option<BoxError>,
    /// The message is for the log only.
    hidden: bool,
    /// Nobody chose this reply: an error mapper may.
    unexpected: bool,
}

macro_rules! constructors {
    ($($name:ident $status:ident $number:literal;)*) => {
        $(
            #[doc = concat!("An error answered with status ", $number, ".")]
            pub fn $name(message: impl Into<Cow<'static, str>>) -> Self {
                Self::with(StatusCode::$status, message.into())
            }
        )*
    };
}

impl HttpError {
    constructors! {
        bad_request BAD_REQUEST "400";
        unauthorized UNAUTHORIZED "401";
        payment_required PAYMENT_REQUIRED "402";
        forbidden FORBIDDEN "403";
        not_found NOT_FOUND "404";
        method_not_allowed METHOD_NOT_ALLOWED "405";
        not_acceptable NOT_ACCEPTABLE "406";
        request_timeout REQUEST_TIMEOUT "408";
        conflict CONFLICT "409";
        gone GONE "410";
        precondition_failed PRECONDITION_FAILED "412";
        payload_too_large PAYLOAD_TOO_LARGE "413";
        unsupported_media_type UNSUPPORTED_MEDIA_TYPE "415";
        unprocessable_entity UNPROCESSABLE_ENTITY "422";
        too_many_requests TOO_MANY_REQUESTS "429";
        internal INTERNAL_SERVER_ERROR "500";
        not_implemented NOT_IMPLEMENTED "501";
        bad_gateway BAD_GATEWAY "502";
        service_unavailable SERVICE_UNAVAILABLE "503";
        gateway_timeout GATEWAY_TIMEOUT "504";
    }

    /// An error answered with `status`, a number or a [`StatusCode`]. What is no status from 400 to
    /// 599 becomes 500.
    pub fn new(status: impl TryInto<StatusCode>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::with(error_status(status), message.into())
    }

    fn with(status: StatusCode, message: Cow<'static, str>) -> Self {
        Self(Box::new(Inner {
            status,
            message,
            details: None,
            headers: HeaderMap::new(),
            body: None,
            source: None,
            hidden: false,
            unexpected: false,
        }))
    }

    /// A reply that somebody else made, sent as it is.
    #[cfg(feature = "axum")]
    pub(crate) fn of_response(status: StatusCode, mut headers: HeaderMap, body: Bytes) -> Self {
        // The server's business.
        headers.remove(http::header::CONTENT_LENGTH);
        headers.remove(http::header::TRANSFER_ENCODING);
        let mut error = Self::with(status, Cow::Borrowed(""));
        error.0.headers = headers;
        error.0.body = Some(body);
        error
    }

    /// The body of a reply that somebody else made.
    pub(crate) fn foreign_body(&self) -> Option<&Bytes> {
        self.0.body.as_ref()
    }

    /// An error nobody expected: a plain 500, unless an error mapper knows the type.
    pub(crate) fn unexpected(source: BoxError) -> Self {
        // An `HttpError` that travelled as a `BoxError` comes back as it was.
        match source.downcast::<Travelling>() {
            Ok(travelling) => travelling.0,
            Err(source) => {
                let mut error = Self::with(StatusCode::INTERNAL_SERVER_ERROR, Cow::Borrowed(""));
                error.0.source = Some(source);
                error.0.hidden = true;
                error.0.unexpected = true;
                error
            }
        }
    }

    /// The reply of an error that chose one: its status, details and headers.
    ///
    /// `?` on such an error in a function that returns `HttpError` is a plain 500: the conversion every
    /// error has cannot see [`ErrorReply`] on stable Rust. Write `.map_err(HttpError::of_reply)?` there, or
    /// return the error itself.
    pub fn of_reply<E: ErrorReply>(error: E) -> Self {
        let status = error_status(error.status());
        let mut http = Self::with(status, Cow::Owned(error.to_string()));
        http.0.hidden = status.is_server_error();
        http.0.details = error.details();
        http.0.headers = error.headers();
        http.0.source = Some(Box::new(error));
        http
    }

    /// Adds `details`, shown to the client. What does not serialise is left out.
    #[must_use]
    pub fn details(mut self, details: impl Serialize) -> Self {
        self.0.details = serde_json::to_value(details).ok();
        self
    }

    /// Adds a header to the reply. One that cannot be sent makes the reply a plain 500.
    #[must_use]
    pub fn header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        if let (Ok(name), Ok(value)) = (name.try_into(), value.try_into()) {
            self.0.headers.append(name, value);
            return self;
        }
        Self::unexpected("a header of an error reply cannot be sent".into())
    }

    /// Keeps `source` for the log.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<BoxError>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Answers with another status; see [`HttpError::new`]. The message of an error nobody expected
    /// is shown from then on when the status is below 500.
    #[must_use]
    pub fn with_status(mut self, status: impl TryInto<StatusCode>) -> Self {
        self.0.status = error_status(status);
        if !self.0.status.is_server_error() {
            self.show();
        }
        self.0.unexpected = false;
        self
    }

    /// Answers with another message; the one before is kept for the log.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        let before = std::mem::replace(&mut self.0.message, message.into());
        if self.0.source.is_none() && !before.is_empty() {
            self.0.source = Some(before.into());
        }
        self
    }

    /// The status of the reply.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// The message, empty when there is none. It may be one that is not shown.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The details, shown to the client.
    pub fn shown_details(&self) -> Option<&Value> {
        self.0.details.as_ref()
    }

    /// The message as the client may see it: none of an error nobody expected, nor of one that hides it.
    pub fn shown_message(&self) -> &str {
        if self.0.hidden { "" } else { &self.0.message }
    }

    /// The headers the reply has besides those every reply has.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// What caused it.
    pub fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }

    /// The error with its text for the client to see.
    pub(crate) fn exposed(mut self) -> Self {
        self.show();
        self
    }

    fn show(&mut self) {
        if self.0.hidden
            && self.0.message.is_empty()
            && let Some(source) = &self.0.source
        {
            self.0.message = Cow::Owned(source.to_string());
        }
        self.0.hidden = false;
    }

    /// Whether nobody chose this reply, so that an error mapper may.
    pub(crate) fn is_unexpected(&self) -> bool {
        self.0.unexpected
    }

    /// Keeps what caused the error this one stands for.
    pub(crate) fn inherit_source(&mut self, from: Self) {
        if self.0.source.is_none() {
            self.0.source = from.0.source;
        }
    }

    /// The message and its causes, for the log.
    pub(crate) fn chain(&self) -> String {
        chain(self.0.message.to_string(), self.source())
    }

    /// The parts of the reply: status, headers, and the body as JSON.
    pub(crate) fn to_parts(&self, expose: bool) -> (StatusCode, HeaderMap, Vec<u8>) {
        let inner = &*self.0;
        if let Some(body) = &inner.body {
            return (inner.status, inner.headers.clone(), body.to_vec());
        }
        let message: Cow<'_, str> = if inner.hidden && !expose {
            Cow::Borrowed("")
        } else {
            match &inner.source {
                Some(source) if inner.hidden && inner.message.is_empty() => {
                    Cow::Owned(source.to_string())
                }
                _ => Cow::Borrowed(&*inner.message),
            }
        };
        let body = Body {
            status_code: inner.status.as_u16(),
            error: inner.status.canonical_reason().unwrap_or("Error"),
            message: &message,
            details: inner.details.as_ref(),
        };
        // Of numbers, strings and a `Value`: it always serialises.
        let bytes = serde_json::to_vec(&body).unwrap_or_default();
        (inner.status, inner.headers.clone(), bytes)
    }
}

/// The body of every error reply.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    status_code: u16,
    error: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Value>,
}

/// The status an error is answered with: 500 for what is no error status.
fn error_status(status: impl TryInto<StatusCode>) -> StatusCode {
    match status.try_into() {
        Ok(status) if status.is_client_error() || status.is_server_error() => status,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl fmt::Debug for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpError")
            .field("status", &self.0.status)
            .field("message", &self.0.message)
            .field("details", &self.0.details)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.message.is_empty() {
            write!(f, "{}", self.0.status)
        } else {
            f.write_str(&self.0.message)
        }
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for HttpError {
    fn from(error: E) -> Self {
        Self::unexpected(Box::new(error))
    }
}

/// An [`HttpError`] inside a [`BoxError`], where it must be an error.
#[derive(Debug)]
struct Travelling(HttpError);

impl fmt::Display for Travelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Travelling {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl From<HttpError> for BoxError {
    fn from(error: HttpError) -> Self {
        Box::new(Travelling(error))
    }
}

/// A message, and those of what caused it.
pub(crate) fn chain(mut out: String, mut source: Option<&(dyn StdError + 'static)>) -> String {
    while let Some(error) = source {
        let text = error.to_string();
        // An `ErrorReply` is its own source.
        if text != out {
            if !out.is_empty() {
                out.push_str(": ");
            }
            out.push_str(&text);
        }
        source = error.source();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{BoxError, HttpError, ResultExt};

    fn body(error: &HttpError, expose: bool) -> String {
        String::from_utf8(error.to_parts(expose).2).unwrap()
    }

    #[test]
    fn the_message_of_an_unexpected_error_is_hidden_unless_exposed() {
        let error = || HttpError::from("x".parse::<u8>().unwrap_err());
        assert_eq!(
            body(&error(), false),
            r#"{"statusCode":500,"error":"Internal Server Error"}"#
        );
        assert_eq!(
            body(&error(), true),
            r#"{"statusCode":500,"error":"Internal Server Error","message":"invalid digit found in string"}"#
        );
    }

    #[test]
    fn an_http_error_keeps_its_reply_through_a_box() {
        let boxed: BoxError = HttpError::conflict("taken").into();
        assert_eq!(HttpError::unexpected(boxed).status(), 409);
    }

    #[test]
    fn a_status_given_to_any_error_shows_its_text_below_500_only() {
        let parse = || "x".parse::<u8>();
        let shown = parse().status(422).unwrap_err();
        assert!(body(&shown, false).contains("invalid digit"));
        let hidden = parse().status(503).unwrap_err();
        assert!(!body(&hidden, false).contains("invalid digit"));
        let named = parse().status(422).context("not a port").unwrap_err();
        assert_eq!(named.chain(), "not a port: invalid digit found in string");
        assert!(body(&named, false).contains("not a port"));
    }

    #[test]
    fn statuses_that_are_no_errors_become_500() {
        assert_eq!(HttpError::new(200, "x").status(), 500);
        assert_eq!(HttpError::new(9999, "x").status(), 500);
        assert_eq!(HttpError::new(418, "x").status(), 418);
    }
}
