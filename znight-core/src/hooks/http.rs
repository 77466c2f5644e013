//! The event of one HTTP request.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Instant,
};

use http::{HeaderMap, Method, StatusCode};

use super::once::{Context, Failure};
use crate::error::BoxError;

/// One HTTP request, from its arrival to its answer. Produced by the HTTP plugin.
///
/// Wrappers see it while the request is handled: status and error are set once the inner part has
/// run. Listeners see it complete.
pub struct HttpRequestEvent {
    method: Method,
    path: Arc<str>,
    route: Option<Arc<str>>,
    request_id: Arc<str>,
    headers: Arc<HeaderMap>,
    start: Instant,
    outcome: OnceLock<StatusCode>,
    error: Failure,
    context: Context,
    response_headers: Mutex<HeaderMap>,
}

impl HttpRequestEvent {
    /// The event of a request that has just arrived. `route` is the pattern of the route it
    /// matched: `/users/{id}`.
    pub fn new(
        method: Method,
        path: impl Into<Arc<str>>,
        route: Option<Arc<str>>,
        request_id: impl Into<Arc<str>>,
        headers: Arc<HeaderMap>,
    ) -> Self {
        Self {
            method,
            path: path.into(),
            route,
            request_id: request_id.into(),
            headers,
            start: Instant::now(),
            outcome: OnceLock::new(),
            error: Failure::default(),
            context: Context::default(),
            response_headers: Mutex::new(HeaderMap::new()),
        }
    }

    /// Sets the context of the request, as the HTTP plugin knows it.
    #[must_use]
    pub fn with_context<C: Any + Send + Sync>(mut self, context: Arc<C>) -> Self {
        self.context = Context::of(context);
        self
    }

    /// The context of the request, when it is a `C`: `HttpContext` of the HTTP plugin.
    pub fn context<C: Any>(&self) -> Option<&C> {
        self.context.get()
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The path as it was sent, without the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The pattern of the matched route (`/users/{id}`); `None` when nothing matched.
    pub fn route(&self) -> Option<&str> {
        self.route.as_deref()
    }

    /// The id of the request, from the client or made for it.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The headers of the request.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// When the request arrived.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// The status it was answered with, once it is known.
    pub fn status(&self) -> Option<StatusCode> {
        self.outcome.get().copied()
    }

    /// The error that led to the answer, when one did.
    pub fn error(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.error.get()
    }

    /// Headers to add to the response. Holds a lock: do not keep the guard across an `.await`.
    pub fn response_headers(&self) -> MutexGuard<'_, HeaderMap> {
        self.response_headers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the status; the producer's business, the first one stays.
    pub fn set_status(&self, status: StatusCode) {
        // A second status is the producer answering an error about the first answer.
        let _ = self.outcome.set(status);
    }

    /// Sets the error; the producer's business, the first one stays.
    pub fn set_error(&self, error: Arc<BoxError>) {
        self.error.set(error);
    }
}

impl fmt::Debug for HttpRequestEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequestEvent")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("route", &self.route)
            .field("request_id", &self.request_id)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
