//! Replies: what a handler returns, and what it becomes.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{CONTENT_TYPE, Entry},
};

use crate::HttpError;

mod body;
mod capture;
mod into_reply;
mod json;
mod response;

pub use body::ReplyBody;
pub use into_reply::IntoReply;
pub use response::HttpResponse;

/// Room for the content type, the request id and the four security headers: a reply that sets
/// nothing else grows its map never.
pub(crate) const USUAL_HEADERS: usize = 6;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// A reply before it is sent: status, headers, body.
///
/// [Interceptors](crate::Interceptor) see and replace it. What every reply gets (the request id,
/// the security headers) is added afterwards, and only where it is absent.
#[derive(Debug)]
pub struct Reply {
    status: Option<StatusCode>,
    headers: HeaderMap,
    body: ReplyBody,
    /// The content type in `headers` was not asked for: a header of the route replaces it.
    default_type: bool,
}

impl Reply {
    /// A reply without a body: 204, or 201 on a `POST` route, unless a status is chosen.
    pub fn empty() -> Self {
        Self {
            status: None,
            headers: HeaderMap::with_capacity(USUAL_HEADERS),
            body: ReplyBody::empty(),
            default_type: false,
        }
    }

    /// `text/plain` in UTF-8.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(TEXT, text.into().into())
    }

    /// `application/octet-stream`.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::of(OCTETS, bytes.into())
    }

    /// `application/json`, from JSON text.
    pub fn json(json: impl Into<Bytes>) -> Self {
        Self::of(JSON, json.into())
    }

    fn of(content_type: HeaderValue, body: Bytes) -> Self {
        let mut headers = HeaderMap::with_capacity(USUAL_HEADERS);
        headers.insert(CONTENT_TYPE, content_type);
        Self {
            status: None,
            headers,
            body: ReplyBody::full(body),
            default_type: true,
        }
    }

    pub(crate) fn of_parts(status: StatusCode, headers: HeaderMap, body: ReplyBody) -> Self {
        Self {
            status: Some(status),
            headers,
            body,
            default_type: false,
        }
    }

    /// The status chosen so far; `None` when the default applies.
    pub fn status(&self) -> Option<StatusCode> {
        self.status
    }

    /// Chooses the status. A status fixed on the route wins over it.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// The headers set so far.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The headers set so far, to change them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.default_type = false;
        &mut self.headers
    }

    /// Sets a header. One that cannot be sent is left out and logged.
    #[must_use]
    pub fn with_header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        if let (Ok(name), Ok(value)) = (name.try_into(), value.try_into()) {
            self.set_header(name, value);
        } else {
            tracing::warn!(target: "znight::http", "a header of a reply cannot be sent, left out");
        }
        self
    }

    pub(crate) fn set_header(&mut self, name: HeaderName, value: HeaderValue) {
        if name == CONTENT_TYPE {
            self.default_type = false;
        }
        self.headers.insert(name, value);
    }

    /// Sets a header unless it is there; a content type nobody asked for does not count.
    pub(crate) fn set_header_if_absent(&mut self, name: &HeaderName, value: &HeaderValue) {
        if self.default_type && name == CONTENT_TYPE {
            self.default_type = false;
            self.headers.insert(name, value.clone());
        } else if let Entry::Vacant(vacant) = self.headers.entry(name) {
            vacant.insert(value.clone());
        }
    }

    /// The body.
    pub fn body(&self) -> &ReplyBody {
        &self.body
    }

    /// Replaces the body, and nothing else.
    #[must_use]
    pub fn with_body(mut self, body: ReplyBody) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn into_parts(self) -> (Option<StatusCode>, HeaderMap, ReplyBody) {
        (self.status, self.headers, self.body)
    }
}

/// What a handler came to.
pub type Outcome = Result<Reply, HttpError>;
