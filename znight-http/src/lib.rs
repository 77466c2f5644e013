//! HTTP for Znight: controllers, parameters, replies, guards, on hyper.
//!
//! A controller is a provider whose methods answer requests. [`HttpPlugin`] serves the controllers
//! of an application; each request goes through one pipeline, whichever way it came:
//!
//! 1. the path is matched, as it was sent ([`TrailingSlash`], `HEAD`, `OPTIONS` and 405 included);
//! 2. a request scope opens, with the [`HttpContext`] and the [`RequestId`] in it;
//! 3. hooks on [`HttpRequestEvent`](znight_core::HttpRequestEvent) wrap what follows;
//! 4. [`Guard`]s decide whether it may go on;
//! 5. the body is read, within its limits, when the handler takes it;
//! 6. [`Interceptor`]s wrap the handler;
//! 7. the arguments are extracted, the handler runs, what it returns becomes a [`Reply`];
//! 8. errors ([`HttpError`], [`ErrorReply`], any other) become replies, and so do panics;
//! 9. the request id and the security headers are added where they are absent.
//!
//! Applications use this crate through the facade `znight`, whose `#[controller]` writes what is in
//! the hidden module.
#![forbid(unsafe_code)]

mod adapters;
mod args;
mod body;
mod context;
mod decisions;
mod definition;
mod error;
mod guards;
mod handler;
mod inject;
mod interceptors;
mod issues;
mod options;
mod pipeline;
mod plugin;
mod plugin_routes;
mod policy;
mod provided;
mod reply;
mod request_id;
mod routing;
mod rq;
mod same;
mod service;
#[cfg(feature = "tls")]
mod tls;
mod validate;

#[doc(hidden)]
pub mod __private;

pub use args::{FromContext, FromContextWith, FromParam, ParamError};
pub use body::RequestBody;
pub use context::{Extensions, HttpContext};
pub use decisions::{AnyDecision, Decided, Decision, Enforcement, RouteDecision};
pub use definition::{ControllerOn, Verb};
pub use error::{ErrorReply, HttpError, ResultExt};
pub use guards::Guard;
pub use interceptors::{Interceptor, Next};
pub use issues::{Issue, Issues};
pub use options::{HttpOptions, TrailingSlash};
pub use plugin::HttpPlugin;
pub use plugin_routes::{PluginRoute, PluginRoutes, RouteMount};
pub use policy::{Cors, Hsts, Protocol, SecurityHeaders, TrustedProxies};
pub use reply::{HttpResponse, IntoReply, Outcome, Reply, ReplyBody};
pub use request_id::RequestId;
pub use routing::{RouteInfo, RouteSummary};
pub use service::HttpService;
#[cfg(feature = "tls")]
pub use tls::Tls;
pub use validate::Schema;
pub(crate) use znight_core::BoxError;
