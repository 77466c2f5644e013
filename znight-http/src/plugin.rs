//! The plugin.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use bytes::Bytes;
use http::{Request, Response};
use znight_contract::ErrorCode;
use znight_core::{
    Container, Error, Graph, Plugin, PluginContext, PluginOptions, Result, Root,
    capability::InMemoryRequests,
};

use crate::{
    HttpContext, HttpOptions, HttpService, RequestId, RouteSummary,
    adapters::hyper::Server,
    definition::{ControllerDef, ControllerOn, HttpSection},
    inject::{InMemory, inject},
    pipeline::Pipeline,
    routing,
    service::Front,
    validate::ControllerNames,
};

/// Serves the controllers of an application over HTTP.
///
/// ```no_run
/// # async fn run(graph: znight_core::Graph) -> std::process::ExitCode {
/// use znight_core::Application;
/// use znight_http::{HttpOptions, HttpPlugin};
///
/// Application::builder(graph)
///     .plugin(HttpPlugin::new(HttpOptions::new().port(8080)))
///     .run()
///     .await
/// # }
/// ```
///
/// When the application boots, the routes are built from its graph: what is wrong with them is one
/// ZNIGHT007 that lists everything, and what is missing of their [decisions](crate::Decision) one ZNIGHT023.
/// When it starts, the plugin listens (ZNIGHT021 when the address
/// cannot be bound). When it stops, it accepts no more connections, waits for the requests in
/// flight up to [`HttpOptions::drain_timeout`], and closes the rest.
///
/// It supplies [`HttpContext`] and [`RequestId`] to request-scoped providers, and answers requests
/// in memory for tests.
pub struct HttpPlugin {
    options: PluginOptions<HttpOptions>,
    controllers: Vec<ControllerDef>,
    front: OnceLock<Front>,
    server: Mutex<Option<Server>>,
    address: OnceLock<SocketAddr>,
}

impl HttpPlugin {
    /// The plugin with these options.
    pub fn new(options: HttpOptions) -> Self {
        Self::from_options(PluginOptions::value(options))
    }

    /// The plugin with options that depend on the application, such as its configuration.
    ///
    /// ```
    /// use znight_http::{HttpOptions, HttpPlugin};
    ///
    /// struct AppConfig { port: u16 }
    ///
    /// HttpPlugin::with(|container| Ok(HttpOptions::new().port(container.get::<AppConfig>()?.port)));
    /// ```
    pub fn with(
        options: impl Fn(&Container) -> Result<HttpOptions> + Send + Sync + 'static,
    ) -> Self {
        Self::from_options(PluginOptions::with(options))
    }

    fn from_options(options: PluginOptions<HttpOptions>) -> Self {
        Self {
            options,
            controllers: Vec::new(),
            front: OnceLock::new(),
            server: Mutex::new(None),
            address: OnceLock::new(),
        }
    }

    /// Serves a controller that is not in the graph of the application: one of a test or an
    /// example. The application must be given its provider as well.
    #[must_use]
    pub fn controller<C: ControllerOn>(mut self) -> Self {
        self.controllers.push(C::C);
        self
    }

    /// The response to a request, without a socket: the whole pipeline runs, and a body that is a
    /// stream is read to its end.
    ///
    /// A panic of the handler or of the body is in the extensions of the response, as
    /// [`Panic`](znight_core::capability::Panic), and an error of the body as
    /// [`BodyError`](znight_core::capability::BodyError).
    ///
    /// # Errors
    /// ZNIGHT021 before the application has booted.
    pub async fn inject(
        &self,
        request: Request<impl Into<Bytes>>,
    ) -> Result<Response<Bytes>, Error> {
        Ok(inject(self.front()?, request.map(Into::into)).await)
    }

    /// The address the server listens on; `None` before the start.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address.get().copied()
    }

    /// What the path of every route starts with, such as `/api`; empty without a prefix, `None` before the
    /// application has booted.
    pub fn prefix(&self) -> Option<&str> {
        Some(self.front.get()?.pipeline.router.prefix())
    }

    /// How many requests are being answered.
    pub fn inflight(&self) -> usize {
        let front = self.front.get();
        front.map_or(0, |front| front.pipeline.in_flight())
    }

    /// Every route, in the order of declaration; none before the application has booted.
    pub fn routes(&self) -> Vec<RouteSummary> {
        self.front.get().map_or_else(Vec::new, |front| {
            let routes = front.pipeline.router.routes().iter();
            routes.map(|route| route.summary()).collect()
        })
    }

    /// The routes as a service of tower, for another server: `axum::Router::fallback_service`, a function of a
    /// platform. [`HttpOptions::listen`] is off there, and the requests the other server has accepted are its
    /// own to wait for.
    ///
    /// # Errors
    /// ZNIGHT021 before the application has booted.
    pub fn service(&self) -> Result<HttpService, Error> {
        Ok(self.front()?.service())
    }

    fn front(&self) -> Result<&Front, Error> {
        self.front.get().ok_or_else(|| {
            Error::new(
                ErrorCode::LifecycleFailed,
                "the HTTP plugin answers nothing before the application has booted",
            )
        })
    }

    /// The controllers of the graph, then those given to the plugin.
    fn definitions(&self, graph: Graph) -> impl Iterator<Item = ControllerDef> {
        let section = graph.section::<HttpSection>();
        let declared = section.into_iter().flat_map(|section| {
            let controllers = section.controllers.iter();
            controllers.map(|entry| ControllerDef {
                names: ControllerNames {
                    inputs: entry.inputs,
                    types: section.types,
                },
                ..entry.def
            })
        });
        declared.chain(self.controllers.iter().copied())
    }
}

impl Default for HttpPlugin {
    /// The plugin with the default options: it listens on port 3000 of every interface.
    fn default() -> Self {
        Self::new(HttpOptions::new())
    }
}

impl fmt::Debug for HttpPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpPlugin")
            .field("address", &self.address())
            .field("inflight", &self.inflight())
            .finish_non_exhaustive()
    }
}

impl Plugin for HttpPlugin {
    fn name(&self) -> &'static str {
        "http"
    }

    /// The global guards and interceptors. Those of options that depend on the container are not
    /// known before it exists.
    fn init_roots(&self, _: Graph) -> Vec<Root> {
        let roots = self.options.known(|options| {
            let settings = &options.0;
            let guards = settings.guards.iter().map(|guard| (guard.root)());
            let interceptors = settings.interceptors.iter();
            guards
                .chain(interceptors.map(|interceptor| (interceptor.root)()))
                .collect()
        });
        roots.unwrap_or_default()
    }

    async fn register(&self, context: &PluginContext) -> Result {
        context.register::<HttpContext>()?;
        context.register::<RequestId>()?;
        Ok(())
    }

    async fn on_bootstrap(&self, context: &PluginContext) -> Result {
        let container = context.container();
        let settings = self.options.take(container)?.0;
        let router = routing::build(
            self.definitions(context.graph()),
            &context.contributions(),
            context.graph().section::<HttpSection>(),
            &settings,
            container,
        );
        let pipeline = Pipeline::new(
            router,
            settings,
            container.clone(),
            Arc::clone(context.hooks()),
            context.clock().clone(),
        )?;
        let front = Front::new(Arc::new(pipeline));
        context.offer::<dyn InMemoryRequests>(Arc::new(InMemory(front.clone())));
        // `settings` was taken above: there is no second boot.
        let _ = self.front.set(front);
        Ok(())
    }

    async fn on_start(&self, context: &PluginContext) -> Result {
        if context.is_in_memory() {
            return Ok(());
        }
        let front = self.front()?;
        if !front.pipeline.settings.listen {
            return Ok(());
        }
        let server = Server::start(front.clone()).await?;
        let _ = self.address.set(server.address());
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = Some(server);
        Ok(())
    }

    async fn on_stop(&self, context: &PluginContext) -> Result {
        let server = self
            .server
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(front) = self.front.get() else {
            return Ok(());
        };
        let drain = front.pipeline.settings.drain_timeout;
        if let Some(server) = server {
            server.stop(context.clock(), drain).await;
        } else if context
            .clock()
            .timeout(drain, front.pipeline.idle())
            .await
            .is_err()
        {
            // Made in memory, or through another server.
            let left = front.pipeline.in_flight();
            tracing::warn!(
                target: "znight::http",
                requests = left,
                "{left} requests were still being answered {drain:?} after the stop"
            );
        }
        Ok(())
    }
}
