//! From what a request came to, to the response.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Response, StatusCode,
    header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, Entry, LOCATION, TRANSFER_ENCODING},
};

use super::{Pipeline, panic_text};
use crate::{
    BoxError, HttpContext, HttpError, RequestId,
    body::closing,
    error::ErrorRenderer,
    reply::{Media, Outcome, Reply, ReplyBody, USUAL_HEADERS},
    routing::{Matched, Route},
};

/// What a request with a head out of bounds is told.
pub(crate) const HEAD_TOO_LARGE: &str = "the head of the request is too large";

impl Pipeline {
    /// The response.
    #[inline]
    pub(super) fn respond(&self, context: &HttpContext, outcome: Outcome) -> Response<ReplyBody> {
        let mut response = match outcome {
            Ok(reply) => match usual_media(context, &reply) {
                Some(media) if self.policies.cors.is_none() => {
                    return self.usual(context, media, reply);
                }
                _ => success(context, reply),
            },
            Err(error) => self.failure(context, error).0,
        };
        self.complete(context, &mut response);
        response
    }

    /// The response to a handler that set no header and no status, on a route that fixes none: the
    /// same as in general, in fewer steps.
    #[inline]
    fn usual(&self, context: &HttpContext, media: Media, reply: Reply) -> Response<ReplyBody> {
        let body = reply.into_body();
        let status = default_status(context.method(), &body);
        let headers = self
            .policies
            .usual(media, || context.request_id().to_header());
        assemble(status, headers, body)
    }

    /// What every reply gets.
    pub(super) fn complete(&self, context: &HttpContext, response: &mut Response<ReplyBody>) {
        self.policies.apply(context, response.headers_mut());
        if context.method() == Method::HEAD {
            headless(response);
        }
    }

    /// The reply to what is no request, so that nothing is known of it.
    #[cold]
    pub(crate) fn refuse(&self, error: &HttpError) -> (HeaderMap, Bytes) {
        let id = RequestId::generate();
        tracing::debug!(
            target: "znight::http",
            request_id = %id,
            status = error.status().as_u16(),
            error = error.message(),
            "what was sent is no request"
        );
        let (_, _, body) = error.to_parts(false);
        (
            self.policies.usual(Media::Json, || id.to_header()),
            body.into(),
        )
    }

    /// The reply to a request a layer failed on.
    #[cold]
    pub(crate) fn layer_failed(&self, error: BoxError) -> Response<ReplyBody> {
        let id = RequestId::generate();
        let error = self.mapped(HttpError::unexpected(error));
        tracing::error!(
            target: "znight::http",
            request_id = %id,
            status = error.status().as_u16(),
            error = %error.chain(),
            "a layer failed"
        );
        let (status, own, body) = error.to_parts(self.settings.expose_errors);
        let mut headers = self.policies.usual(Media::Json, || id.to_header());
        headers.extend(own);
        assemble(status, headers, ReplyBody::full(body))
    }

    #[cold]
    pub(crate) fn layer_panicked(&self, panic: &(dyn Any + Send)) -> Response<ReplyBody> {
        self.layer_failed(format!("a panic: {}", panic_text(panic)).into())
    }

    /// The reply to an error, and the error.
    pub(super) fn failure(
        &self,
        context: &HttpContext,
        error: HttpError,
    ) -> (Response<ReplyBody>, HttpError) {
        let error = self.mapped(error);
        if error.status().is_server_error() {
            tracing::error!(
                target: "znight::http",
                request_id = %context.request_id(),
                method = %context.method(),
                path = context.path(),
                status = error.status().as_u16(),
                error = %error.chain(),
                "a request failed"
            );
        }
        let error = match &self.settings.error_renderer {
            None => error,
            Some(_) if error.foreign_body().is_some() => error,
            Some(renderer) => match self.rendered(renderer, context, error) {
                Ok(rendered) => return rendered,
                Err(error) => error,
            },
        };
        let (status, own, body) = error.to_parts(self.settings.expose_errors);
        let mut headers = HeaderMap::with_capacity(USUAL_HEADERS + own.len());
        headers.extend(own);
        if error.foreign_body().is_none() && !headers.contains_key(CONTENT_TYPE) {
            headers.extend(Media::Json.value().map(|value| (CONTENT_TYPE, value)));
        }
        // What was set on the context stays: a guard that clears a cookie, then refuses.
        context.each_reply_header(|name, value| {
            if let Entry::Vacant(vacant) = headers.entry(name) {
                vacant.insert(value.clone());
            }
        });
        (assemble(status, headers, ReplyBody::full(body)), error)
    }

    /// What the application makes of an error.
    fn mapped(&self, error: HttpError) -> HttpError {
        if self.settings.error_mappers.is_empty() {
            return error;
        }
        let mapped = catch_unwind(AssertUnwindSafe(|| {
            self.settings.error_mappers.apply(error)
        }));
        mapped.unwrap_or_else(|panic| {
            let text = panic_text(&*panic);
            HttpError::unexpected(format!("a panic in an error mapper: {text}").into())
        })
    }

    /// The reply the application has for an error; the error, where it has none.
    #[cold]
    fn rendered(
        &self,
        renderer: &ErrorRenderer,
        context: &HttpContext,
        error: HttpError,
    ) -> Result<(Response<ReplyBody>, HttpError), HttpError> {
        let error = if self.settings.expose_errors {
            error.exposed()
        } else {
            error
        };
        let rendered = catch_unwind(AssertUnwindSafe(|| renderer.render(context, &error)));
        let mut reply = match rendered {
            Ok(Some(reply)) => reply,
            Ok(None) => return Err(error),
            Err(panic) => {
                tracing::error!(
                    target: "znight::http",
                    request_id = %context.request_id(),
                    error = panic_text(&*panic),
                    "making the reply to an error panicked"
                );
                return Err(error);
            }
        };
        for (name, value) in error.headers() {
            reply.set_header_if_absent(name, value);
        }
        context.each_reply_header(|name, value| reply.set_header_if_absent(name, value));
        let status = reply.status().unwrap_or(error.status());
        let (headers, body) = reply.written().into_parts();
        Ok((assemble(status, headers, body), error))
    }
}

/// The type of a reply for which [`Pipeline::usual`] is enough.
#[inline]
fn usual_media(context: &HttpContext, reply: &Reply) -> Option<Media> {
    let media = reply.unwritten_media()?;
    let plain = context.matched_route().is_some_and(Route::is_plain)
        && reply.status().is_none()
        && context.method() != Method::HEAD
        && !context.has_reply_headers();
    plain.then_some(media)
}

/// The reply of a handler, its status chosen.
pub(super) fn success(context: &HttpContext, mut reply: Reply) -> Response<ReplyBody> {
    context.each_reply_header(|name, value| reply.set_header_if_absent(name, value));
    let mut fixed = None;
    // A request without a route has nothing that speaks for it.
    if let Some(route) = context.matched_route() {
        for (name, value) in &route.headers {
            reply.set_header_if_absent(name, value);
        }
        fixed = route.status;
    }
    let status = fixed
        .or(reply.status())
        .unwrap_or_else(|| default_status(context.method(), reply.body()));
    let (mut headers, mut body) = reply.written().into_parts();
    // How a body is framed is the server's business: a header copied from another response would
    // contradict it. Only `HEAD` may tell the length of a body that is not there.
    headers.remove(TRANSFER_ENCODING);
    if context.method() != Method::HEAD {
        headers.remove(CONTENT_LENGTH);
    }
    if matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        body = ReplyBody::empty();
        headers.remove(CONTENT_TYPE);
    }
    assemble(status, headers, body)
}

/// The status of a reply nobody chose one for.
fn default_status(method: &Method, body: &ReplyBody) -> StatusCode {
    if *method == Method::POST {
        StatusCode::CREATED
    } else if body.is_none() {
        StatusCode::NO_CONTENT
    } else {
        StatusCode::OK
    }
}

#[inline]
fn assemble(status: StatusCode, headers: HeaderMap, body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// The reply to `HEAD`: that to `GET` without its body. A handler may tell the length of a body it does not
/// have, such as one that passes on the reply of another server.
fn headless(response: &mut Response<ReplyBody>) {
    let length = response.body().len().map(HeaderValue::from);
    if !response.body().is_none()
        && let Some(length) = length
    {
        let known = !response.body().is_empty();
        match response.headers_mut().entry(CONTENT_LENGTH) {
            Entry::Occupied(mut told) if known => {
                told.insert(length);
            }
            Entry::Occupied(_) => {}
            Entry::Vacant(vacant) => {
                vacant.insert(length);
            }
        }
    }
    *response.body_mut() = ReplyBody::empty();
}

/// The reply to a request without a route.
pub(super) fn unmatched(matched: &Matched) -> Outcome {
    match matched {
        Matched::Options(allow) => {
            let mut reply = Reply::empty().with_status(StatusCode::NO_CONTENT);
            reply.set_header(ALLOW, allow.clone());
            Ok(reply)
        }
        Matched::Redirect(location) => {
            let mut reply = Reply::empty().with_status(StatusCode::PERMANENT_REDIRECT);
            reply.set_header(LOCATION, location.clone());
            Ok(reply)
        }
        Matched::MethodNotAllowed(allow) => {
            let error = HttpError::method_not_allowed("the method is not allowed here");
            Err(error.header(ALLOW, allow.clone()))
        }
        Matched::Malformed => Err(HttpError::bad_request(
            "the path is not well percent-encoded",
        )),
        Matched::BadHost => Err(closing(HttpError::bad_request(
            "the request must have one valid host header",
        ))),
        Matched::BadTarget => Err(closing(HttpError::bad_request(
            "the target of the request must be a path",
        ))),
        Matched::TooManyHeaders => Err(HttpError::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            HEAD_TOO_LARGE,
        )),
        Matched::NotFound | Matched::Route(_) | Matched::Preflight(_) => {
            Err(HttpError::not_found("no such path"))
        }
    }
}

/// The id as the event of the request has it.
pub(super) fn id_text(id: &RequestId) -> Arc<str> {
    Arc::from(id.as_str())
}
