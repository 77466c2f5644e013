//! A value with a status and headers.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::LOCATION};

use super::{Outcome, Reply};
use crate::HttpError;

/// A handler's value with a status and headers of its own.
///
/// ```
/// use znight_http::HttpResponse;
///
/// let created = HttpResponse::created("/users/7", "seven").with_header("x-shard", "3");
/// assert_eq!(created.status().unwrap(), 201);
/// ```
///
/// A status fixed on the route with `#[status]` wins over this one; these headers win over those of
/// the route and of the context. A header that cannot be sent makes the reply a logged 500.
#[derive(Debug, Clone)]
pub struct HttpResponse<T = ()> {
    status: Option<StatusCode>,
    headers: HeaderMap,
    body: Option<T>,
    /// What cannot be sent.
    invalid: Option<&'static str>,
}

impl<T> HttpResponse<T> {
    fn new(status: Option<StatusCode>, body: Option<T>) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body,
            invalid: None,
        }
    }

    /// 200 with a value.
    pub fn ok(value: T) -> Self {
        Self::new(Some(StatusCode::OK), Some(value))
    }

    /// 201 with a value and the `location` of what was created.
    pub fn created(location: impl TryInto<HeaderValue>, value: T) -> Self {
        Self::new(Some(StatusCode::CREATED), Some(value)).with_header(LOCATION, location)
    }

    /// 202 with a value.
    pub fn accepted(value: T) -> Self {
        Self::new(Some(StatusCode::ACCEPTED), Some(value))
    }

    /// 204, without a body.
    pub fn no_content() -> Self {
        Self::new(Some(StatusCode::NO_CONTENT), None)
    }

    /// A reply without a body, with a status: a number or a [`StatusCode`].
    pub fn with_status_only(status: impl TryInto<StatusCode>) -> Self {
        Self::new(None, None).with_status(status)
    }

    /// A value with the status the route would give it.
    pub fn value(value: T) -> Self {
        Self::new(None, Some(value))
    }

    /// Chooses the status: a number or a [`StatusCode`].
    #[must_use]
    pub fn with_status(mut self, status: impl TryInto<StatusCode>) -> Self {
        match status.try_into() {
            Ok(status) => self.status = Some(status),
            Err(_) => self.invalid = Some("the status of a reply is not one"),
        }
        self
    }

    /// Sets a header, replacing an earlier value.
    #[must_use]
    pub fn with_header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            _ => self.invalid = Some("a header of a reply cannot be sent"),
        }
        self
    }

    /// Adds a header beside earlier values of the same name.
    #[must_use]
    pub fn with_appended_header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => {
                self.headers.append(name, value);
            }
            _ => self.invalid = Some("a header of a reply cannot be sent"),
        }
        self
    }

    /// Another value in the same reply.
    #[must_use]
    pub fn with_body<U>(self, value: U) -> HttpResponse<U> {
        HttpResponse {
            status: self.status,
            headers: self.headers,
            body: Some(value),
            invalid: self.invalid,
        }
    }

    /// The status; `None` when the default applies.
    pub fn status(&self) -> Option<StatusCode> {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The value.
    pub fn body(&self) -> Option<&T> {
        self.body.as_ref()
    }

    /// The reply, the value's made by `reply`.
    pub(super) fn finish(self, reply: impl FnOnce(T) -> Outcome) -> Outcome {
        if let Some(invalid) = self.invalid {
            return Err(HttpError::unexpected(invalid.into()));
        }
        let mut out = match self.body {
            Some(value) => reply(value)?,
            None => Reply::empty(),
        };
        if let Some(status) = self.status {
            out = out.with_status(status);
        }
        let mut last = None;
        for (name, value) in self.headers {
            match name {
                Some(name) => {
                    out.set_header(name.clone(), value);
                    last = Some(name);
                }
                // Further values of the same name come without it.
                None => {
                    if let Some(name) = &last {
                        out.headers_mut().append(name, value);
                    }
                }
            }
        }
        Ok(out)
    }
}
