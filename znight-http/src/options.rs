//! What can be set on the plugin.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tower_layer::Layer;
use tower_service::Service;

#[cfg(feature = "tls")]
use crate::Tls;
use crate::{
    BoxError, Cors, Enforcement, Guard, HttpContext, HttpError, HttpService, Interceptor, Reply,
    RequestBody, SecurityHeaders, TrustedProxies,
    definition::{GuardDef, InterceptorDef, guard, interceptor},
    error::{ErrorMappers, ErrorRenderer},
    request_id::Generator,
    service::LayerDef,
};

/// The options of [`HttpPlugin`](crate::HttpPlugin), as a builder.
///
/// ```
/// use znight_http::HttpOptions;
///
/// let options = HttpOptions::new().port(8080).prefix("/api").body_limit(64 * 1024);
/// ```
#[derive(Debug)]
#[must_use]
pub struct HttpOptions(pub(crate) Settings);

/// The options, resolved.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Settings {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) listen: bool,
    pub(crate) inherit_listener: bool,
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<Tls>,
    pub(crate) prefix: String,
    pub(crate) trailing_slash: TrailingSlash,
    pub(crate) body_limit: u64,
    pub(crate) body_timeout: Duration,
    pub(crate) drain_timeout: Duration,
    pub(crate) expose_errors: bool,
    pub(crate) request_id_header: Option<String>,
    pub(crate) request_id_generator: Option<Generator>,
    pub(crate) security_headers: SecurityHeaders,
    pub(crate) cors: Option<Cors>,
    pub(crate) trust_proxy: Option<TrustedProxies>,
    pub(crate) guards: Vec<GuardDef>,
    pub(crate) interceptors: Vec<InterceptorDef>,
    pub(crate) enforcement: Enforcement,
    pub(crate) error_mappers: ErrorMappers,
    pub(crate) error_renderer: Option<ErrorRenderer>,
    pub(crate) layers: Vec<LayerDef>,
    pub(crate) idle_timeout: Duration,
    pub(crate) max_connections: usize,
    pub(crate) max_headers: usize,
    pub(crate) max_buffer: usize,
    pub(crate) keep_alive: bool,
}

/// What becomes of a path that ends in a slash its route does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrailingSlash {
    /// It is another path: 404.
    #[default]
    Strict,
    /// The route answers it as well.
    Ignore,
    /// 308 to the path without it, on the same origin.
    Redirect,
}

impl HttpOptions {
    /// The defaults, which each method names.
    pub fn new() -> Self {
        Self(Settings {
            host: "0.0.0.0".to_owned(),
            port: 3000,
            listen: true,
            inherit_listener: true,
            #[cfg(feature = "tls")]
            tls: None,
            prefix: String::new(),
            trailing_slash: TrailingSlash::Strict,
            body_limit: 1024 * 1024,
            body_timeout: Duration::from_secs(60),
            drain_timeout: Duration::from_secs(4),
            expose_errors: false,
            request_id_header: Some("x-request-id".to_owned()),
            request_id_generator: None,
            security_headers: SecurityHeaders::new(),
            cors: None,
            trust_proxy: None,
            guards: Vec::new(),
            interceptors: Vec::new(),
            enforcement: Enforcement::Error,
            error_mappers: ErrorMappers::default(),
            error_renderer: None,
            layers: Vec::new(),
            idle_timeout: Duration::from_secs(15),
            max_connections: 25_000,
            max_headers: 100,
            max_buffer: 64 * 1024,
            keep_alive: true,
        })
    }

    /// The address or name of the interface to listen on. Default: `0.0.0.0`, all of them.
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.0.host = host.into();
        self
    }

    /// The port to listen on; 0 takes a free one, which
    /// [`HttpPlugin::address`](crate::HttpPlugin::address) tells. Default: 3000.
    pub fn port(mut self, port: u16) -> Self {
        self.0.port = port;
        self
    }

    /// Whether the plugin listens when the application starts. Without, it answers in memory only:
    /// for tests. Default: `true`.
    pub fn listen(mut self, on: bool) -> Self {
        self.0.listen = on;
        self
    }

    /// Whether the plugin listens on a socket the process was started with, in the manner of systemd
    /// (`LISTEN_FDS`, `LISTEN_PID`), instead of on [`host`](Self::host) and [`port`](Self::port). Who starts
    /// the processes keeps the socket, so that one can take over from another without a connection refused.
    /// Default: `true`, which means nothing where no socket is handed over.
    pub fn inherit_listener(mut self, on: bool) -> Self {
        self.0.inherit_listener = on;
        self
    }

    /// Encrypts connections: HTTPS. Default: they are not.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.0.tls = Some(tls);
        self
    }

    /// What every path starts with, such as `/api`. Default: nothing.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.0.prefix = prefix.into();
        self
    }

    /// What becomes of a path that ends in a slash its route does not have. Default:
    /// [`TrailingSlash::Strict`].
    pub fn trailing_slash(mut self, policy: TrailingSlash) -> Self {
        self.0.trailing_slash = policy;
        self
    }

    /// The largest body read, in bytes, unless a route or its controller says otherwise; a larger
    /// one is answered with 413. Default: 1 MiB.
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.0.body_limit = bytes;
        self
    }

    /// How long a client may take to send a body; after that it is answered with 408. It goes by
    /// the clock of the application. Default: 60 seconds.
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.0.body_timeout = timeout;
        self
    }

    /// How long the stop waits for requests in flight before their connections are closed. Keep it
    /// below the application's hook timeout. It goes by the clock of the application. Default: 4
    /// seconds.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.0.drain_timeout = timeout;
        self
    }

    /// Whether replies show the text of errors nobody expected. For development. Default: `false`.
    pub fn expose_errors(mut self, expose: bool) -> Self {
        self.0.expose_errors = expose;
        self
    }

    /// The header a request id is taken from and echoed in. Default: `x-request-id`.
    pub fn request_id_header(mut self, name: impl Into<String>) -> Self {
        self.0.request_id_header = Some(name.into());
        self
    }

    /// Takes no request id from clients and echoes none. Each request still has one, made when
    /// something asks for it.
    pub fn without_request_id_header(mut self) -> Self {
        self.0.request_id_header = None;
        self
    }

    /// How request ids are made, instead of the usual shape of a UUID. What is no valid id (up to 128
    /// characters out of `A-Z a-z 0-9 _ - . : @ / + =`) is replaced by one that is. Ids are written to
    /// logs and shown to clients: they are no secrets.
    pub fn request_id_generator(
        mut self,
        generate: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        self.0.request_id_generator = Some(Generator::new(generate));
        self
    }

    /// The headers that tell browsers what a reply may do, added to every reply that does not set them
    /// itself: settings, or `false` for none. Default: those of [`SecurityHeaders::new`].
    pub fn security_headers(mut self, headers: impl Into<SecurityHeaders>) -> Self {
        self.0.security_headers = headers.into();
        self
    }

    /// Which pages of other origins may use the service from a browser. Default: none are told they
    /// may.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.0.cors = Some(cors);
        self
    }

    /// The proxies that are believed about the address and the protocol of clients, in
    /// [`HttpContext::ip`](crate::HttpContext::ip) and
    /// [`HttpContext::protocol`](crate::HttpContext::protocol): a number of hops, or addresses. Default:
    /// nobody.
    ///
    /// ```
    /// # use znight_http::HttpOptions;
    /// HttpOptions::new().trust_proxy(1); // one load balancer
    /// HttpOptions::new().trust_proxy(["loopback", "10.0.0.0/8"]);
    /// ```
    pub fn trust_proxy(mut self, trusted: impl Into<TrustedProxies>) -> Self {
        self.0.trust_proxy = Some(trusted.into());
        self
    }

    /// Puts a guard in front of every route, after those added before.
    pub fn guard<G: Guard>(mut self) -> Self {
        self.0.guards.push(guard::<G>());
        self
    }

    /// Puts an interceptor around every route, inside those added before.
    pub fn interceptor<I: Interceptor>(mut self) -> Self {
        self.0.interceptors.push(interceptor::<I>());
        self
    }

    /// What the start does about routes without a [decision](crate::Decision) they need, and about decisions
    /// no guard enforces (ZNIGHT023). Default: [`Enforcement::Error`], it fails.
    pub fn enforcement(mut self, enforcement: Enforcement) -> Self {
        self.0.enforcement = enforcement;
        self
    }

    /// The reply to errors of type `E`, which would otherwise be answered with a plain 500. It
    /// applies to errors a handler returned as they are or inside a `BoxError`; errors that chose a
    /// reply themselves keep it.
    ///
    /// ```
    /// use znight_http::{HttpError, HttpOptions};
    ///
    /// HttpOptions::new().error_mapper(|error: &std::num::ParseIntError| {
    ///     HttpError::unprocessable_entity(error.to_string())
    /// });
    /// ```
    pub fn error_mapper<E>(mut self, map: impl Fn(&E) -> HttpError + Send + Sync + 'static) -> Self
    where
        E: std::error::Error + 'static,
    {
        self.0.error_mappers.add(map);
        self
    }

    /// The reply to every error, in a form of the application's own: those of handlers and guards, 404, 405, 413
    /// and all others, after [error mappers](Self::error_mapper). `None` is the usual reply; a reply without a
    /// status has the error's, and its headers where it does not set them.
    ///
    /// ```
    /// use serde_json::json;
    /// use znight_http::{HttpOptions, Reply};
    ///
    /// // RFC 9457
    /// HttpOptions::new().error_reply(|_, error| {
    ///     let status = error.status();
    ///     let mut problem = json!({ "title": status.canonical_reason(), "status": status.as_u16() });
    ///     if !error.shown_message().is_empty() {
    ///         problem["detail"] = error.shown_message().into();
    ///     }
    ///     if let Some(details) = error.shown_details() {
    ///         problem["errors"] = details.clone();
    ///     }
    ///     Some(Reply::json(problem.to_string()).with_header("content-type", "application/problem+json"))
    /// });
    /// ```
    ///
    /// What is refused before there is a request, because it cannot be read as one, is answered in the usual
    /// way.
    pub fn error_reply(
        mut self,
        render: impl Fn(&HttpContext, &HttpError) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        self.0.error_renderer = Some(ErrorRenderer::new(render));
        self
    }

    /// Puts a layer of tower around everything, routing included, inside those added before. It sees what
    /// the server reads and what it is about to write; what it answers itself is sent as it is, without the
    /// request id and the security headers. An error of the layer is a plain 500.
    ///
    /// It wraps requests made in memory as well.
    ///
    /// ```
    /// use tower_http::timeout::TimeoutLayer;
    /// use znight_http::HttpOptions;
    ///
    /// let slow = http::StatusCode::SERVICE_UNAVAILABLE;
    /// HttpOptions::new().layer(TimeoutLayer::with_status_code(slow, std::time::Duration::from_secs(30)));
    /// ```
    pub fn layer<L, B>(mut self, layer: L) -> Self
    where
        L: Layer<HttpService> + Send + Sync + 'static,
        L::Service: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>>
            + Clone
            + Send
            + 'static,
        <L::Service as Service<Request<RequestBody>>>::Future: Send,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        self.0.layers.push(LayerDef::new(layer));
        self
    }

    /// Mounts the routes into a router of axum: the function is given one that has them as its fallback, and
    /// adds routes, layers and state. Its layers run first, and its own routes win. It is a
    /// [layer](Self::layer) like any: what the router answers itself has met no guard, and gets no
    /// request id, security headers and CORS. Another fallback would take the place of all routes.
    ///
    /// ```
    /// use axum::{Router, routing::get};
    /// use znight_http::HttpOptions;
    ///
    /// HttpOptions::new().axum(|router| router.route("/health", get(|| async { "up" })));
    /// ```
    #[cfg(feature = "axum")]
    pub fn axum(
        self,
        mount: impl Fn(axum::Router) -> axum::Router + Send + Sync + 'static,
    ) -> Self {
        self.layer(tower_layer::layer_fn(move |service: HttpService| {
            mount(axum::Router::new().fallback_service(service))
        }))
    }

    /// How long a connection may take to send the headers of a request, may stay unused between two
    /// requests, and may stand still while a reply is sent. It is checked every third of that time,
    /// by the timer of tokio whatever the clock of the application is. Default: 15 seconds.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.0.idle_timeout = timeout;
        self
    }

    /// How many connections are open at a time. Further ones wait to be accepted until others close, which the
    /// idle ones do in time. Default: 25 000.
    pub fn max_connections(mut self, count: usize) -> Self {
        self.0.max_connections = count.max(1);
        self
    }

    /// How many headers a request may have; more are answered with 431. Default: 100.
    pub fn max_headers(mut self, count: usize) -> Self {
        self.0.max_headers = count;
        self
    }

    /// How many bytes the head of a request may have; a longer one is answered with 431. It is also
    /// how much of what a client sends is held at a time. Default: 64 KiB; at least 8 KiB.
    pub fn max_buffer_size(mut self, bytes: usize) -> Self {
        self.0.max_buffer = bytes.max(8 * 1024);
        self
    }

    /// Whether a connection may serve more than one request. Default: `true`.
    pub fn keep_alive(mut self, on: bool) -> Self {
        self.0.keep_alive = on;
        self
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self::new()
    }
}
