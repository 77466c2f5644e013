//! The application: container, plugins and hooks, started and stopped together.

mod builder;
mod handle;
mod log;
mod signals;
mod start;
mod state;
mod step;
mod stop;

use std::{
    any::{Any, TypeId},
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use rustc_hash::FxHashMap;

use self::{builder::Options, state::Progress};
use crate::{
    clock::Clock,
    container::Container,
    error::Error,
    graph::Graph,
    hooks::Hooks,
    plugin::{ErasedPlugin, Plugin},
    provider::Handle,
};

pub use builder::ApplicationBuilder;
pub use handle::ApplicationHandle;
pub use state::ApplicationState;

/// A running application, or one about to run or stopped.
///
/// Cheap to clone: a handle. It needs a tokio runtime.
///
/// ```no_run
/// # use znight_core::{Application, Graph, Plugin};
/// # struct HttpPlugin;
/// # impl Plugin for HttpPlugin { fn name(&self) -> &'static str { "http" } }
/// #[tokio::main]
/// async fn main() -> std::process::ExitCode {
///     Application::builder(Graph::empty()) // `my_crate::graph()`
///         .plugin(HttpPlugin)
///         .run()
///         .await
/// }
/// ```
#[derive(Clone)]
pub struct Application(Arc<Shared>);

struct Shared {
    container: Container,
    hooks: Arc<Hooks>,
    plugins: Vec<Added>,
    capabilities: RwLock<FxHashMap<TypeId, Handle>>,
    contributions: RwLock<FxHashMap<TypeId, Vec<(&'static str, Handle)>>>,
    options: Options,
    progress: Progress,
    runtime: tokio::runtime::Handle,
}

/// A plugin, behind a pointer and as itself.
struct Added {
    name: &'static str,
    plugin: Arc<dyn ErasedPlugin>,
    itself: Arc<dyn Any + Send + Sync>,
}

impl Application {
    /// Begins an application.
    pub fn builder(graph: Graph) -> ApplicationBuilder {
        ApplicationBuilder::new(graph)
    }

    /// Starts: providers' `on_start` in resolution order, plugins' `on_start`, providers'
    /// `on_ready`, plugins' `on_ready`. SIGINT and SIGTERM stop the application from the beginning
    /// of the start on, unless [`signals`](ApplicationBuilder::signals) are off.
    ///
    /// When a hook asks for the stop ([`stop`](Self::stop)), the rest of the start is skipped, and
    /// this returns once the application has stopped.
    ///
    /// # Errors
    /// What the first failing hook returned: ZNIGHT021 naming it, or an [`Error`] of its own. What
    /// had been started is stopped, everything is disposed, and failures of that are
    /// [`suppressed`](Error::suppressed). ZNIGHT021 as well when the application has been started
    /// or stopped before.
    pub async fn start(&self) -> Result<(), Error> {
        start::start(self).await
    }

    /// Stops: plugins' `on_stop` in reverse order; each provider in reverse resolution order, its
    /// `on_stop` if it was started and its disposal; plugins' `on_dispose` in reverse order.
    ///
    /// The stop begins with this call and goes on when the future is dropped. It waits for a start
    /// that is under way, unless a hook of that start makes the call; likewise for the creation. A
    /// task that a hook spawned is not the hook: when the hook waits for a task that waits for the
    /// stop, they wait for ever, and after [`hook_timeout`](ApplicationBuilder::hook_timeout) the
    /// log says which hook it is. Later calls wait for the first stop. Every step is attempted, within
    /// [`hook_timeout`](ApplicationBuilder::hook_timeout) and altogether
    /// [`timeout`](ApplicationBuilder::timeout).
    ///
    /// # Errors
    /// ZNIGHT021 with every step that failed or took too long. The application is stopped then,
    /// too.
    pub fn stop(&self) -> impl Future<Output = Result<(), Error>> + Send + use<> {
        stop::request(&self.0);
        let application = self.clone();
        async move { application.stopped().await }
    }

    /// Waits until the application has stopped, for whatever reason.
    ///
    /// # Errors
    /// Those of [`stop`](Self::stop).
    pub async fn stopped(&self) -> Result<(), Error> {
        self.0.progress.outcome().await
    }

    /// How far it has come.
    pub fn state(&self) -> ApplicationState {
        self.0.progress.state()
    }

    /// What is provided for `T`: see [`Container::get`].
    ///
    /// # Errors
    /// As [`Container::get`].
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Arc<T>, Error> {
        self.container().get()
    }

    /// The names of the plugins, in the order they were added.
    pub fn plugins(&self) -> impl Iterator<Item = &'static str> {
        self.0.plugins.iter().map(|added| added.name)
    }

    /// The container.
    pub fn container(&self) -> &Container {
        &self.0.container
    }

    /// Whether it is kept off the network: see [`in_memory`](ApplicationBuilder::in_memory).
    pub fn is_in_memory(&self) -> bool {
        self.0.options.in_memory
    }

    /// The time the application goes by. Injected as `Arc<Clock>` as well.
    pub fn clock(&self) -> &Clock {
        &self.0.options.clock
    }

    /// The event bus.
    pub fn hooks(&self) -> &Arc<Hooks> {
        &self.0.hooks
    }

    /// The graph.
    pub fn graph(&self) -> Graph {
        self.0.container.graph()
    }

    /// A plugin, by its type.
    pub fn plugin<P: Plugin>(&self) -> Option<Arc<P>> {
        self.0
            .plugins
            .iter()
            .find_map(|added| Arc::downcast(Arc::clone(&added.itself)).ok())
    }

    /// What a plugin offers under a type of [`capability`](crate::capability), or of its own.
    pub fn capability<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let capabilities = self
            .0
            .capabilities
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        capabilities.get(&TypeId::of::<T>()).map(Handle::arc)
    }

    /// What plugins contribute under a type, with their names, in the order they were added.
    pub fn contributions<T: ?Sized + Send + Sync + 'static>(&self) -> Vec<(&'static str, Arc<T>)> {
        let contributions = self
            .0
            .contributions
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let of_type = contributions.get(&TypeId::of::<T>());
        let parts = of_type.into_iter().flatten();
        parts.map(|(plugin, part)| (*plugin, part.arc())).collect()
    }

    /// A handle that does not keep the application alive, for providers and plugins. Injected as
    /// `Arc<ApplicationHandle>` as well.
    pub fn handle(&self) -> ApplicationHandle {
        ApplicationHandle::new(Arc::downgrade(&self.0))
    }

    pub(crate) fn contribute<T: ?Sized + Send + Sync + 'static>(
        &self,
        plugin: &'static str,
        part: Arc<T>,
    ) {
        self.0
            .contributions
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(TypeId::of::<T>())
            .or_default()
            .push((plugin, Handle::new(part)));
    }

    pub(crate) fn offer<T: ?Sized + Send + Sync + 'static>(&self, capability: Arc<T>) {
        self.0
            .capabilities
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(TypeId::of::<T>(), Handle::new(capability));
    }
}

impl fmt::Debug for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugins: Vec<&str> = self.plugins().collect();
        f.debug_struct("Application")
            .field("state", &self.state())
            .field("plugins", &plugins)
            .finish_non_exhaustive()
    }
}
