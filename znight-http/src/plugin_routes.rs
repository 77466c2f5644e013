//! Routes that other plugins serve.

use std::{fmt, sync::Arc};

use znight_core::{__private::BoxFuture, Container};

use crate::{
    Decided, Guard, HttpContext, HttpError, IntoReply, Outcome, Verb,
    definition::{GuardDef, guard},
    handler::{Answer, Called},
    rq::Rq,
};

/// Routes of a plugin, contributed to the HTTP plugin: the page of a document, the state of a service.
///
/// ```
/// use std::sync::Arc;
/// use znight_core::{Plugin, PluginContext, Result};
/// use znight_http::{PluginRoute, PluginRoutes, RouteMount, Verb};
///
/// struct StatusPlugin;
/// struct StatusRoutes;
///
/// impl PluginRoutes for StatusRoutes {
///     fn routes(&self, _: &RouteMount<'_>) -> Vec<PluginRoute> {
///         vec![PluginRoute::new(Verb::Get, "/status", "status", |_| async { Ok("up") })]
///     }
/// }
///
/// impl Plugin for StatusPlugin {
///     fn name(&self) -> &'static str {
///         "status"
///     }
///
///     async fn register(&self, context: &PluginContext) -> Result {
///         context.contribute::<dyn PluginRoutes>(Arc::new(StatusRoutes));
///         Ok(())
///     }
/// }
/// ```
///
/// They go through the same pipeline as those of controllers: hooks, the request scope, the global guards
/// and then their own. Global interceptors do not wrap them, and their body is read when the handler asks
/// for it. `GET` answers `HEAD` as well.
pub trait PluginRoutes: Send + Sync + 'static {
    /// The routes. Asked for once, when the application boots and the container is ready.
    fn routes(&self, mount: &RouteMount<'_>) -> Vec<PluginRoute>;
}

/// Where the routes of a plugin are put.
#[derive(Debug)]
#[non_exhaustive]
pub struct RouteMount<'a> {
    /// What every path starts with: empty, or as in `/api`.
    pub prefix: &'a str,
    /// The container of the application.
    pub container: &'a Container,
}

/// One route of a plugin.
#[must_use]
pub struct PluginRoute {
    pub(crate) verb: Verb,
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) body_limit: Option<u64>,
    pub(crate) guards: Vec<GuardDef>,
    pub(crate) decisions: Vec<Decided>,
    pub(crate) handler: PluginHandler,
}

impl PluginRoute {
    /// A route of this path, which is relative to the prefix of the HTTP plugin and written like that of a
    /// controller. The name is for messages and the list of routes.
    pub fn new<F, Fut, R, M>(
        verb: Verb,
        path: impl Into<String>,
        name: impl Into<String>,
        handler: F,
    ) -> Self
    where
        F: Fn(Arc<HttpContext>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, HttpError>> + Send + 'static,
        R: IntoReply<M> + 'static,
    {
        Self {
            verb,
            path: path.into(),
            name: name.into(),
            body_limit: None,
            guards: Vec::new(),
            decisions: Vec::new(),
            handler: PluginHandler(Box::new(move |context| {
                let reply = handler(context);
                Box::pin(async move { reply.await?.into_reply_owned() })
            })),
        }
    }

    /// Puts a guard in front of the route, after the global ones and those added before.
    pub fn guard<G: Guard>(mut self) -> Self {
        self.guards.push(guard::<G>());
        self
    }

    /// Decides the route, as [`#[decide]`](crate::Decision) does one of a controller: by a flag, or a decision
    /// with its value, `ROLES.meta(&["operator"])`.
    ///
    /// ```
    /// use znight_http::{Decision, PluginRoute, Verb};
    ///
    /// const PUBLIC: Decision = Decision::flag("public").group("access").required();
    ///
    /// PluginRoute::new(Verb::Get, "/status", "status", |_| async { Ok("up") }).decide(PUBLIC);
    /// ```
    pub fn decide(mut self, decided: impl Into<Decided>) -> Self {
        self.decisions.push(decided.into());
        self
    }

    /// The largest body the handler may read, in bytes. Default: that of the plugin.
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = Some(bytes);
        self
    }
}

impl fmt::Debug for PluginRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginRoute")
            .field("verb", &self.verb)
            .field("path", &self.path)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

type Handle = dyn Fn(Arc<HttpContext>) -> BoxFuture<'static, Outcome> + Send + Sync;

/// A route of a plugin, as shown to the user.
pub(crate) fn display(plugin: &str, name: &str) -> String {
    format!("the route `{name}` of the plugin {plugin}")
}

/// What answers the route of a plugin.
pub(crate) struct PluginHandler(Box<Handle>);

/// The call of every such route: its handler stands where others have their controller.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature is that of every call"
)]
pub(crate) fn call<'a>(handle: &'a znight_core::__private::Handle, rq: &'a Rq) -> Called<'a> {
    let handler = crate::definition::this::<PluginHandler>(handle);
    Ok(Answer::Later((handler.0)(Arc::clone(rq.shared()))))
}
