//! The run time of Znight: the container, request scopes, the application, plugins and hooks.
//!
//! `cargo build` computes the dependency graph of an application; this crate executes it. A
//! [`Graph`] goes into an [`Application`], which creates every provider in order, runs the plugins,
//! starts, and on a signal stops in reverse. Without plugins and hooks, a [`Container`] does the
//! first part alone.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), znight_core::Error> {
//! use std::sync::Arc;
//! use znight_core::{Application, Graph};
//!
//! let app = Application::builder(Graph::empty())
//!     .provide_value(Arc::new(42_u32))
//!     .signals(false)
//!     .build()
//!     .await?;
//! app.start().await?;
//! assert_eq!(*app.container().get::<u32>()?, 42);
//! app.stop().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Applications use this crate through the facade `znight`. What the macros and the generated
//! graph need lives in a hidden module and may change with every release.
#![forbid(unsafe_code)]

mod application;
pub mod capability;
mod clock;
mod container;
mod definition;
mod error;
mod graph;
mod hooks;
mod inject;
mod intercept;
mod lifecycle;
mod mock;
mod names;
mod param;
mod plugin;
mod provider;
mod sync;
mod unwind;

#[doc(hidden)]
pub mod __private;

pub use application::{Application, ApplicationBuilder, ApplicationHandle, ApplicationState};
pub use clock::{Clock, Elapsed, Sleep, TimeSource};
pub use container::{Container, Lazy, ManagedInstance, OpenScope, Root, Scope, ScopeFuture};
pub use definition::{AsyncConstructor, Constructor, Definition};
pub use error::{BoxError, Error, InstantiationError, Report, Result};
pub use graph::{Graph, Section, Source};
pub use hooks::{
    DeliveryOutcome, Hooks, HttpRequestEvent, JobKind, MessageDeliveryEvent, MessagePublishEvent,
    Next, RunAbort, RunOutcome, RunTrigger, ScheduledRunEvent, Subscription,
};
pub use intercept::{
    Argument, Interceptors, Invocation, MethodInterceptor, Rejected, Returned, SyncInvocation,
    SyncMethodInterceptor,
};
pub use lifecycle::{Dispose, OnReady, OnStart, OnStop};
pub use param::{ParamResolver, ResolvedBy};
pub use plugin::{Plugin, PluginContext, PluginOptions};
pub use provider::Provided;
pub use znight_contract::{ErrorCode, ScopeKind};
