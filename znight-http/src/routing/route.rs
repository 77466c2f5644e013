//! One route, ready to be called.

use std::{borrow::Cow, fmt, sync::Arc};

use http::{HeaderName, HeaderValue, StatusCode};
use znight_core::{__private::Handle, Container, Error, Source};

use crate::{
    decisions::{Decided, RouteDecision},
    definition::{Call, GuardDef, InterceptorDef, Verb},
    guards::ErasedGuard,
    interceptors::ErasedInterceptor,
    plugin_routes,
    validate::RouteNames,
};

/// What is known of a route.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteInfo {
    /// The method it answers.
    pub method: Verb,
    /// Its path, with the prefix and its controller's: `/api/users/{id}`.
    pub path: Arc<str>,
    /// The name of its controller, or of the plugin that serves it.
    pub controller: &'static str,
    /// The name of its handler.
    pub handler: Cow<'static, str>,
    /// What it is decided to be: its controller's decisions that it does not replace, then its own.
    pub decisions: Arc<[RouteDecision]>,
}

/// One line of [`HttpPlugin::routes`](crate::HttpPlugin::routes).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteSummary {
    /// The route.
    pub info: RouteInfo,
    /// The plugin that serves it; `None` for a route of a controller.
    pub plugin: Option<&'static str>,
    /// The names of the guards in front of it, in the order they run.
    pub guards: Vec<String>,
    /// Where it is declared.
    pub source: Option<Source>,
}

/// Something a provider supplies: resolved at boot, or for each request when it is request-scoped.
pub(crate) enum Placed<T: ?Sized> {
    /// There is one.
    Ready(Arc<T>),
    /// There is one in each request scope.
    PerRequest(fn(&Container) -> Result<Arc<T>, Error>),
}

/// Where the controller of a route comes from.
pub(crate) enum ControllerSource {
    /// There is one.
    Ready(Handle),
    /// There is one in each request scope.
    PerRequest(fn(&Container) -> Result<Handle, Error>),
}

/// A route and all it needs to answer.
pub(crate) struct Route {
    pub(crate) info: RouteInfo,
    /// The names of the path parameters, by place.
    pub(crate) params: Box<[Box<str>]>,
    pub(crate) call: Call,
    pub(crate) controller: Arc<ControllerSource>,
    /// Whatever the handler says.
    pub(crate) status: Option<StatusCode>,
    pub(crate) headers: Box<[(HeaderName, HeaderValue)]>,
    /// Whether the body is read first.
    pub(crate) body: bool,
    pub(crate) body_limit: u64,
    /// Global, controller's, route's.
    pub(crate) guards: Box<[Placed<dyn ErasedGuard>]>,
    /// Global, controller's, route's.
    pub(crate) interceptors: Box<[Placed<dyn ErasedInterceptor>]>,
    pub(crate) guard_names: Box<[String]>,
    /// The plugin that serves it.
    pub(crate) plugin: Option<&'static str>,
    /// What guards read of it.
    pub(crate) decisions: Box<[Decided]>,
    /// The names of its inputs on the wire: only errors look at them.
    #[cfg_attr(
        not(any(feature = "garde", feature = "validator")),
        expect(dead_code, reason = "without a validator there are no paths to rename")
    )]
    pub(crate) names: RouteNames,
    pub(crate) source: Option<Source>,
}

impl Route {
    pub(crate) fn info(&self) -> &RouteInfo {
        &self.info
    }

    /// As shown to the user.
    pub(crate) fn name(&self) -> String {
        let RouteInfo { handler, .. } = &self.info;
        match self.plugin {
            Some(plugin) => plugin_routes::display(plugin, handler),
            None => format!("{}::{handler}", self.info.controller),
        }
    }

    /// Whether replies are what their handler makes them.
    pub(crate) fn is_plain(&self) -> bool {
        self.status.is_none() && self.headers.is_empty()
    }

    /// The names of the path parameters, by place.
    pub(crate) fn params(&self) -> impl Iterator<Item = &str> {
        self.params.iter().map(|name| &**name)
    }

    /// The place of a path parameter.
    pub(crate) fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| **param == *name)
    }

    pub(crate) fn summary(&self) -> RouteSummary {
        RouteSummary {
            info: self.info.clone(),
            plugin: self.plugin,
            guards: self.guard_names.to_vec(),
            source: self.source,
        }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("info", &self.info)
            .field("guards", &self.guard_names)
            .finish_non_exhaustive()
    }
}

impl GuardDef {
    /// As shown to the user.
    pub(crate) fn display(&self) -> String {
        znight_contract::display::short((self.name)())
    }
}

impl InterceptorDef {
    /// As shown to the user.
    pub(crate) fn display(&self) -> String {
        znight_contract::display::short((self.name)())
    }
}
