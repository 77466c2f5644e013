//! What happens to a request, whichever way it came.
//!
//! Routing and the context come first, without a future. Then, in the scope of the request and
//! inside the wrappers of its event: guards, the body, interceptors, the handler. What comes of it
//! is made a response, to which the policies add what every reply has. A panic on the way is a 500.
//! The request is over with its response, or with the last piece of a body that is a stream.

use std::{
    any::Any,
    convert::Infallible,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use futures_util::FutureExt as _;
use http::{HeaderValue, Response, Version, header::CONNECTION, request::Parts};
use tokio::sync::Notify;
use znight_contract::ErrorCode;
use znight_core::{Clock, Container, Error, Hooks, HttpRequestEvent, capability::Panic};

use crate::{
    HttpContext, HttpError, RequestId,
    body::{Limits, RequestBody, Rest},
    context::{Client, IdCell, Transport},
    options::Settings,
    policy::{CorsPolicy, Origin, Policies, Problems},
    reply::{Outcome, ReplyBody},
    routing::{Matched, Params, Router},
};

mod event;
mod head;
mod invoke;
mod respond;
mod stream;

pub(crate) use invoke::Invocation;
pub(crate) use respond::HEAD_TOO_LARGE;
pub(crate) use stream::Activity;

/// Everything a request meets.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) router: Router,
    pub(crate) settings: Settings,
    container: Container,
    hooks: Arc<Hooks>,
    clock: Clock,
    policies: Policies,
    in_flight: AtomicUsize,
    /// How many of them are streams whose client is a test, which reads them as it likes.
    held: AtomicUsize,
    /// Somebody waits for the last request in flight.
    draining: AtomicBool,
    ended: Notify,
    #[cfg(feature = "tls")]
    tls: Option<Arc<tokio_rustls::rustls::ServerConfig>>,
}

impl Pipeline {
    /// # Errors
    /// ZNIGHT005 with everything that is wrong with the options, and what is wrong with the routes.
    pub(crate) fn new(
        router: Result<Router, Error>,
        settings: Settings,
        container: Container,
        hooks: Arc<Hooks>,
        clock: Clock,
    ) -> Result<Self, Error> {
        let mut problems = Problems::default();
        let policies = Policies::new(&settings, &mut problems);
        #[cfg(feature = "tls")]
        let tls = settings
            .tls
            .as_ref()
            .and_then(|tls| tls.resolve(&mut problems));
        let errors = problems
            .texts()
            .iter()
            .map(|problem| Error::new(ErrorCode::InvalidAttribute, problem.clone()));
        let wrong = Error::all("the configuration of HTTP", errors.collect());
        let router = match (router, wrong) {
            (Ok(router), None) => router,
            (Err(error), None) | (Ok(_), Some(error)) => return Err(error),
            // Told together, so that nobody mends one to be told the other.
            (Err(routes), Some(options)) => {
                let both = Error::new(routes.code(), "HTTP has 2 kinds of problems");
                return Err(both.with_errors(vec![routes, options]));
            }
        };
        Ok(Self {
            policies,
            router,
            settings,
            container,
            hooks,
            clock,
            in_flight: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            ended: Notify::new(),
            #[cfg(feature = "tls")]
            tls,
        })
    }

    /// How connections are encrypted.
    #[cfg(feature = "tls")]
    pub(crate) fn tls(&self) -> Option<&Arc<tokio_rustls::rustls::ServerConfig>> {
        self.tls.as_ref()
    }

    /// How many requests are being answered.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Waits until no request is being answered, but for streams that a test reads.
    pub(crate) async fn idle(&self) {
        self.draining.store(true, Ordering::SeqCst);
        loop {
            let mut ended = pin!(self.ended.notified());
            ended.as_mut().enable();
            if self.in_flight.load(Ordering::SeqCst) <= self.held.load(Ordering::SeqCst) {
                return;
            }
            ended.await;
        }
    }

    #[inline]
    fn begin(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    #[inline]
    fn end(&self) {
        // In one order with what `idle` does: one of the two sees the other.
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        if self.draining.load(Ordering::SeqCst) {
            self.ended.notify_waiters();
        }
    }

    /// How much of a body is read, and how long, on a route with this limit.
    fn limits(&self, size: u64) -> Limits {
        Limits {
            size,
            time: self.settings.body_timeout,
            clock: self.clock.clone(),
        }
    }

    /// Answers a request, and keeps `until_answered` for that long. It never fails; the type is the
    /// one a server wants.
    #[inline]
    pub(crate) fn handle<A: Activity>(
        self: &Arc<Self>,
        parts: Parts,
        body: RequestBody,
        transport: Transport,
        until_answered: A,
    ) -> impl Future<Output = Result<Response<ReplyBody>, Infallible>> + Send + use<A> {
        let (matched, context) = self.context(parts, transport);
        Arc::clone(self).run(matched, context, body, until_answered)
    }

    /// Finds the route and makes the context.
    fn context(&self, parts: Parts, transport: Transport) -> (Matched, Arc<HttpContext>) {
        let preflight = self.policies.cors.is_some() && CorsPolicy::is_preflight(&parts);
        let client = Client {
            forwarded: self.policies.forwarded(&transport, &parts.headers),
            origin: Origin::None,
            preflight,
        };
        let (matched, params) = if let Some(wrong) = self.refused(&parts, transport) {
            (wrong, Params::none())
        } else if preflight {
            let allowed = self.router.allowed(parts.uri.path());
            (Matched::Preflight(allowed), Params::none())
        } else {
            self.router.find(&parts.method, &parts.uri)
        };
        let request_id = match &self.policies.request_id {
            Some(name) => {
                IdCell::Known(match parts.headers.get(name).and_then(RequestId::accept) {
                    Some(id) => id,
                    None => self.generate_id(),
                })
            }
            None => match &self.settings.request_id_generator {
                Some(generator) => IdCell::Known(generator.generate()),
                None => IdCell::Lazy(OnceLock::new()),
            },
        };
        let route = match &matched {
            Matched::Route(route) => Some(Arc::clone(route)),
            _ => None,
        };
        (
            matched,
            Arc::new(HttpContext::new(
                parts, route, params, transport, client, request_id,
            )),
        )
    }

    #[inline]
    fn generate_id(&self) -> RequestId {
        match &self.settings.request_id_generator {
            None => RequestId::generate(),
            Some(generator) => generator.generate(),
        }
    }

    async fn run<A: Activity>(
        self: Arc<Self>,
        matched: Matched,
        mut context: Arc<HttpContext>,
        body: RequestBody,
        until_answered: A,
    ) -> Result<Response<ReplyBody>, Infallible> {
        let _in_flight = InFlight::new(&self);
        if let Some(cors) = &self.policies.cors {
            let origin = match cors.decide(context.headers()) {
                Some(origin) => origin,
                None => Box::pin(cors.decide_later(context.headers())).await,
            };
            if let Some(context) = Arc::get_mut(&mut context) {
                context.set_origin(origin);
            }
        }
        let mut scope = self.container.open_scope();
        scope.seed(Arc::clone(&context));
        let observed = self.hooks.has_wrappers::<HttpRequestEvent>()
            || self.hooks.has_listeners::<HttpRequestEvent>();
        let mut response = if observed {
            let answered = Box::pin(self.observed(&matched, &context, body));
            let answered = AssertUnwindSafe(scope.run(answered)).catch_unwind().await;
            answered.unwrap_or_else(|panic| self.panicked(&context, panic))
        } else {
            let outcome = self.outcome(&matched, &context, body);
            let outcome = AssertUnwindSafe(scope.run(outcome)).catch_unwind().await;
            match outcome {
                Ok(outcome) if streams(&outcome) => self.respond_in(&mut scope, &context, outcome),
                Ok(outcome) => self.respond(&context, outcome),
                Err(panic) => self.panicked(&context, panic),
            }
        };
        if until_answered.is_last() {
            say_close(context.version(), &mut response);
        }
        if response.body().is_stream() {
            return Ok(self.streaming(context, scope, response, until_answered));
        }
        if context.body().release(context.headers()) == Rest::Left {
            say_close(context.version(), &mut response);
        }
        scope_closed(&context, scope.close().await);
        Ok(response)
    }

    /// What a request comes to.
    async fn outcome(
        &self,
        matched: &Matched,
        context: &Arc<HttpContext>,
        body: RequestBody,
    ) -> Outcome {
        match matched {
            Matched::Route(route) => {
                let reply = self.invoke(route, context, body).await?;
                if reply
                    .status()
                    .is_some_and(|status| status.is_informational())
                {
                    return Err(HttpError::unexpected(
                        "a reply must have a final status, from 200 on".into(),
                    ));
                }
                Ok(reply)
            }
            other => {
                self.leave(context, body);
                match (other, &self.policies.cors) {
                    (Matched::Preflight(Some(allow)), Some(cors)) => cors.preflight(context, allow),
                    _ => respond::unmatched(other),
                }
            }
        }
    }

    /// Lets a body nobody reads go with its request.
    #[cold]
    fn leave(&self, context: &HttpContext, body: RequestBody) {
        if !body.is_empty() {
            let limits = self.limits(self.settings.body_limit);
            context.body().leave(body, limits);
        }
    }

    /// The reply to a panic. Who asks in memory is given the panic with it.
    #[cold]
    fn panicked(&self, context: &HttpContext, panic: Box<dyn Any + Send>) -> Response<ReplyBody> {
        let error = HttpError::unexpected(format!("a panic: {}", panic_text(&*panic)).into());
        let mut response = self.respond(context, Err(error));
        if context.is_in_memory() {
            response.extensions_mut().insert(Panic::new(panic));
        }
        response
    }
}

/// Whether the body is a stream.
#[inline]
fn streams(outcome: &Outcome) -> bool {
    outcome.as_ref().is_ok_and(|reply| reply.body().is_stream())
}

/// What a panic says.
fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a value that is no text")
}

/// Tells a client that nothing can follow on its connection. HTTP/2 has other means.
#[cold]
pub(crate) fn say_close(version: Version, response: &mut Response<ReplyBody>) {
    if version <= Version::HTTP_11 {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
}

/// Logs what went wrong when the scope of a request was closed.
#[inline]
fn scope_closed(context: &HttpContext, closed: Result<(), Error>) {
    if let Err(error) = closed {
        tracing::error!(
            target: "znight::http",
            request_id = %context.request_id(),
            code = %error.code(),
            error = %error.report(),
            "the request scope did not end well"
        );
    }
}

/// One request in flight.
struct InFlight<'a>(&'a Pipeline);

impl<'a> InFlight<'a> {
    fn new(pipeline: &'a Pipeline) -> Self {
        pipeline.begin();
        Self(pipeline)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
