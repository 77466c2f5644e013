//! Dependency injection and web services whose wiring is checked by `cargo build`.
//!
//! An application is an ordinary Cargo package. `build.rs` has one line, attributes mark the parts of
//! the application, and the build resolves every injection and checks every route: a mistake is a
//! compiler error on the exact token that is wrong.
//!
//! ```text
//! // build.rs
//! fn main() {
//!     znight_build::compile();
//! }
//! ```
//!
//! ```text
//! // src/main.rs
//! use std::sync::Arc;
//! use znight::prelude::*;
//!
//! #[injectable]
//! struct Greeter {
//!     #[init("Hello".to_owned())]
//!     word: String,
//! }
//!
//! #[injectable]
//! struct Hello {
//!     greeter: Arc<Greeter>,
//! }
//!
//! #[controller("/hello")]
//! impl Hello {
//!     #[get("/{name}")]
//!     async fn hello(&self, #[param] name: String) -> String {
//!         format!("{}, {name}!", self.greeter.word)
//!     }
//! }
//!
//! znight::graph!();
//!
//! #[tokio::main]
//! async fn main() -> std::process::ExitCode {
//!     Application::builder(graph()).plugin(HttpPlugin::default()).run().await
//! }
//! ```
//!
//! # Where things are
//!
//! - The attributes: [`injectable`], [`factory`], [`controller`], [`mockable`], [`graph!`], [`library!`], the
//!   derive [`ErrorReply`](derive@ErrorReply).
//! - The run time: [`Application`], [`Container`], [`Scope`], [`Lazy`], [`Plugin`], the hooks
//!   [`OnStart`], [`OnReady`], [`OnStop`], [`Dispose`].
//! - HTTP: [`HttpPlugin`], [`HttpOptions`], [`HttpContext`], [`HttpResponse`], [`HttpError`], [`Guard`],
//!   [`Interceptor`], [`Schema`].
//! - Tests: the crate `znight-testing`.
//! - What each `ZNIGHTxxx` error means: [`errors`].
//!
//! # Features
//!
//! | feature | default | brings |
//! | --- | --- | --- |
//! | `http` | yes | controllers and the hyper server |
//! | `axum` | no | `HttpOptions::axum`: routes mounted into a router of axum; its extractors as `#[extract]` arguments |
//! | `tls` | no | `HttpOptions::tls`: HTTPS with rustls |
//! | `regex` | no | `Cors::origin_pattern`: origins by regular expression |
//! | `garde` | no | input whose type implements `garde::Validate` is validated (garde 0.23) |
//! | `validator` | no | input whose type implements `validator::Validate` is validated (validator 0.20) |
//! | `jiff`, `chrono`, `time` | no | dates and times of these crates (1, 0.4, 0.3) as parameters |
//! | `uuid` | no | says what is expected of a `Uuid` parameter (uuid 1) |
#![forbid(unsafe_code)]

pub use async_trait::async_trait;
/// The types of requests and replies, at the version Znight uses.
#[cfg(feature = "http")]
pub use http;
pub use znight_core::{
    Application, ApplicationBuilder, ApplicationHandle, ApplicationState, Argument,
    AsyncConstructor, BoxError, Clock, Constructor, Container, Definition, DeliveryOutcome,
    Dispose, Elapsed, Error, ErrorCode, Graph, Hooks, HttpRequestEvent, InstantiationError,
    Interceptors, Invocation, JobKind, Lazy, ManagedInstance, MessageDeliveryEvent,
    MessagePublishEvent, MethodInterceptor, OnReady, OnStart, OnStop, OpenScope, ParamResolver,
    Plugin, PluginContext, PluginOptions, Provided, Rejected, Report, ResolvedBy, Result, Returned,
    Root, RunAbort, RunOutcome, RunTrigger, ScheduledRunEvent, Scope, ScopeFuture, ScopeKind,
    Section, Sleep, Source, Subscription, SyncInvocation, SyncMethodInterceptor, TimeSource,
    capability,
};
#[cfg(feature = "tls")]
pub use znight_http::Tls;
#[cfg(feature = "http")]
pub use znight_http::{
    AnyDecision, ControllerOn, Cors, Decided, Decision, Enforcement, ErrorReply, Extensions,
    FromContext, FromContextWith, FromParam, Guard, Hsts, HttpContext, HttpError, HttpOptions,
    HttpPlugin, HttpResponse, HttpService, Interceptor, IntoReply, Issue, Issues, Next, Outcome,
    ParamError, PluginRoute, PluginRoutes, Protocol, Reply, ReplyBody, RequestBody, RequestId,
    ResultExt, RouteDecision, RouteInfo, RouteMount, RouteSummary, Schema, SecurityHeaders,
    TrailingSlash, TrustedProxies, Verb,
};
pub use znight_macros::{
    ErrorReply, controller, factory, graph, injectable, intercept, library, mockable,
};

pub mod errors;

/// The examples of the guides, which `cargo test --doc` runs.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../docs/interceptors.md")]
    mod interceptors {}
    #[doc = include_str!("../../docs/logging.md")]
    mod logging {}
    #[doc = include_str!("../../docs/running.md")]
    mod running {}
}

/// What most files of an application use: `use znight::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "http")]
    pub use crate::{
        AnyDecision, Decision, FromContext, FromParam, Guard, HttpContext, HttpError, HttpOptions,
        HttpPlugin, HttpResponse, Interceptor, Next, RequestId, ResultExt,
    };
    pub use crate::{
        Application, Container, Dispose, ErrorReply, Interceptors, Lazy, OnReady, OnStart, OnStop,
        Plugin, PluginContext, Scope, async_trait, controller, factory, injectable, intercept,
        mockable,
    };
}

#[doc(hidden)]
pub mod __private {
    pub use znight_core::__private::*;
    #[cfg(feature = "http")]
    pub use znight_http::__private as http;
}
