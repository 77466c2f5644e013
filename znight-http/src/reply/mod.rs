//! Replies: what a handler returns, and what it becomes.

use std::sync::LazyLock;

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
pub(crate) use body::Streamed;
pub use into_reply::IntoReply;
pub use response::HttpResponse;

/// Room for the content type, the request id and the four security headers: a reply that sets
/// nothing else grows its map never.
pub(crate) const USUAL_HEADERS: usize = 6;

/// The content types replies have of themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    /// `application/json`
    Json,
    /// `text/plain; charset=utf-8`
    Text,
    /// `application/octet-stream`
    Octets,
    /// No body, no type.
    Nothing,
}

impl Media {
    pub(crate) const ALL: [Self; 4] = [Self::Json, Self::Text, Self::Octets, Self::Nothing];

    pub(crate) fn value(self) -> Option<HeaderValue> {
        Some(HeaderValue::from_static(match self {
            Self::Json => "application/json",
            Self::Text => "text/plain; charset=utf-8",
            Self::Octets => "application/octet-stream",
            Self::Nothing => return None,
        }))
    }
}

/// A reply before it is sent: status, headers, body.
///
/// [Interceptors](crate::Interceptor) see and replace it. What every reply gets (the request id,
/// the security headers) is added afterwards, and only where it is absent.
#[derive(Debug)]
pub struct Reply {
    status: Option<StatusCode>,
    /// Boxed: most replies never have headers of their own, and a reply is moved often.
    headers: Option<Box<HeaderMap>>,
    /// Where the content type is.
    content_type: ContentType,
    body: ReplyBody,
}

/// Where the content type of a reply is. Most replies are sent with headers copied from a template,
/// so the type is not written into their own before somebody looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContentType {
    /// Not in the headers yet, which are empty.
    Unwritten(Media),
    /// In the headers, and not asked for: a header of the route replaces it.
    Default,
    /// In the headers as asked for, or none.
    Chosen,
}

impl Reply {
    /// A reply without a body: 204, or 201 on a `POST` route, unless a status is chosen.
    pub fn empty() -> Self {
        Self::unwritten(Media::Nothing, ReplyBody::empty())
    }

    /// `text/plain` in UTF-8.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(Media::Text, text.into().into()).written()
    }

    /// `application/octet-stream`.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::of(Media::Octets, bytes.into()).written()
    }

    /// `application/json`, from JSON text.
    pub fn json(json: impl Into<Bytes>) -> Self {
        Self::of(Media::Json, json.into()).written()
    }

    pub(crate) fn of(media: Media, body: Bytes) -> Self {
        Self::unwritten(media, ReplyBody::full(body))
    }

    pub(crate) fn unwritten(media: Media, body: ReplyBody) -> Self {
        Self {
            status: None,
            headers: None,
            content_type: ContentType::Unwritten(media),
            body,
        }
    }

    pub(crate) fn of_parts(status: StatusCode, headers: HeaderMap, body: ReplyBody) -> Self {
        Self {
            status: Some(status),
            headers: Some(Box::new(headers)),
            content_type: ContentType::Chosen,
            body,
        }
    }

    /// The type of the reply, when that is all there is to its headers.
    pub(crate) fn unwritten_media(&self) -> Option<Media> {
        match self.content_type {
            ContentType::Unwritten(media) => Some(media),
            ContentType::Default | ContentType::Chosen => None,
        }
    }

    /// The reply with its content type in its headers, for everybody to see.
    pub(crate) fn written(mut self) -> Self {
        self.write();
        self
    }

    fn write(&mut self) {
        if let ContentType::Unwritten(media) = self.content_type {
            let mut headers = HeaderMap::with_capacity(USUAL_HEADERS);
            if let Some(value) = media.value() {
                headers.insert(CONTENT_TYPE, value);
            }
            self.headers = Some(Box::new(headers));
            self.content_type = ContentType::Default;
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
        static NONE: LazyLock<HeaderMap> = LazyLock::new(HeaderMap::new);
        self.headers.as_deref().unwrap_or_else(|| &NONE)
    }

    /// The headers set so far, to change them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.write();
        self.content_type = ContentType::Chosen;
        self.headers.get_or_insert_default()
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
        self.write();
        if name == CONTENT_TYPE {
            self.content_type = ContentType::Chosen;
        }
        self.headers.get_or_insert_default().insert(name, value);
    }

    /// Sets a header unless it is there; a content type nobody asked for does not count.
    pub(crate) fn set_header_if_absent(&mut self, name: &HeaderName, value: &HeaderValue) {
        self.write();
        let headers = self.headers.get_or_insert_default();
        if self.content_type == ContentType::Default && name == CONTENT_TYPE {
            self.content_type = ContentType::Chosen;
            headers.insert(name, value.clone());
        } else if let Entry::Vacant(vacant) = headers.entry(name) {
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

    pub(crate) fn into_body(self) -> ReplyBody {
        self.body
    }

    pub(crate) fn into_parts(self) -> (HeaderMap, ReplyBody) {
        (
            self.headers.map(|headers| *headers).unwrap_or_default(),
            self.body,
        )
    }
}

/// What a handler came to.
pub type Outcome = Result<Reply, HttpError>;
