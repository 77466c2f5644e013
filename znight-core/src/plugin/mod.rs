//! Plugins: features that join an application at run time.

mod options;

use std::sync::Arc;

use znight_contract::ScopeKind;

use crate::{
    __private::BoxFuture,
    application::Application,
    clock::Clock,
    container::{Container, Root},
    definition::Definition,
    error::{Error, Result},
    graph::Graph,
    hooks::Hooks,
    provider::Provided,
};

pub use options::PluginOptions;

/// A feature of the application: it may supply values, and takes part in start and stop.
///
/// Every hook is optional. They run in this order, plugins in the order they were added: all
/// `register`, the container creates the providers, all `on_bootstrap`; at the start, after the
/// providers' `on_start`, all `on_start`, and after the providers' `on_ready`, all `on_ready`. The
/// stop runs in the reverse order: `on_stop` (of plugins that had started), the providers, then
/// `on_dispose`. When something fails on the way, what was done is undone in that way as well, so
/// `on_dispose` must cope with a plugin that was only registered.
///
/// An error that is no [`Error`] is reported as ZNIGHT021 naming the plugin and the hook; an
/// [`Error`] passes through unchanged.
///
/// ```
/// use std::sync::Arc;
/// use znight_core::{Plugin, PluginContext, Result};
///
/// struct Clock;
/// struct ClockPlugin;
///
/// impl Plugin for ClockPlugin {
///     fn name(&self) -> &'static str {
///         "clock"
///     }
///
///     async fn register(&self, context: &PluginContext) -> Result {
///         context.register_value(Arc::new(Clock))?;
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plugin",
    note = "a plugin implements `Plugin`; options without one are passed to the plugin they are for"
)]
pub trait Plugin: Send + Sync + 'static {
    /// The name, unique in an application (ZNIGHT004 otherwise), for messages. Asked for once, when
    /// the plugin is added.
    fn name(&self) -> &'static str;

    /// The providers the plugin asks the container for although the graph makes them no entry
    /// point, such as those given in its options.
    ///
    /// Read by tools that create only a part of the application, before it exists: cheap, without
    /// side effects, possibly called several times.
    fn init_roots(&self, graph: Graph) -> Vec<Root> {
        let _ = graph;
        Vec::new()
    }

    /// Supplies values and providers, before anything is created.
    fn register(&self, context: &PluginContext) -> impl Future<Output = Result> + Send {
        let _ = context;
        async { Ok(()) }
    }

    /// Prepares: the container is ready, nothing has started.
    fn on_bootstrap(&self, context: &PluginContext) -> impl Future<Output = Result> + Send {
        let _ = context;
        async { Ok(()) }
    }

    /// Starts: listens, subscribes.
    fn on_start(&self, context: &PluginContext) -> impl Future<Output = Result> + Send {
        let _ = context;
        async { Ok(()) }
    }

    /// Everything has started.
    fn on_ready(&self, context: &PluginContext) -> impl Future<Output = Result> + Send {
        let _ = context;
        async { Ok(()) }
    }

    /// Takes in no more work and finishes what is in flight.
    fn on_stop(&self, context: &PluginContext) -> impl Future<Output = Result> + Send {
        let _ = context;
        async { Ok(()) }
    }

    /// Releases connections and flushes buffers. Runs last.
    fn on_dispose(&self, context: &PluginContext) -> impl Future<Output = Result> + Send {
        let _ = context;
        async { Ok(()) }
    }
}

/// [`Plugin`] behind a pointer: its hooks boxed.
pub(crate) trait ErasedPlugin: Send + Sync {
    fn init_roots(&self, graph: Graph) -> Vec<Root>;
    fn call<'a>(&'a self, hook: PluginHook, context: &'a PluginContext) -> BoxFuture<'a, Result>;
}

/// One hook of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PluginHook {
    Register,
    OnBootstrap,
    OnStart,
    OnReady,
    OnStop,
    OnDispose,
}

impl PluginHook {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::OnBootstrap => "on_bootstrap",
            Self::OnStart => "on_start",
            Self::OnReady => "on_ready",
            Self::OnStop => "on_stop",
            Self::OnDispose => "on_dispose",
        }
    }
}

impl<P: Plugin> ErasedPlugin for P {
    fn init_roots(&self, graph: Graph) -> Vec<Root> {
        Plugin::init_roots(self, graph)
    }

    fn call<'a>(&'a self, hook: PluginHook, context: &'a PluginContext) -> BoxFuture<'a, Result> {
        match hook {
            PluginHook::Register => Box::pin(self.register(context)),
            PluginHook::OnBootstrap => Box::pin(self.on_bootstrap(context)),
            PluginHook::OnStart => Box::pin(Plugin::on_start(self, context)),
            PluginHook::OnReady => Box::pin(Plugin::on_ready(self, context)),
            PluginHook::OnStop => Box::pin(Plugin::on_stop(self, context)),
            PluginHook::OnDispose => Box::pin(self.on_dispose(context)),
        }
    }
}

/// What the hooks of a plugin are given.
#[derive(Debug)]
pub struct PluginContext {
    application: Application,
    plugin: &'static str,
}

impl PluginContext {
    pub(crate) fn new(application: Application, plugin: &'static str) -> Self {
        Self {
            application,
            plugin,
        }
    }

    /// The application. Do not keep it in the plugin, which it owns:
    /// [`Application::handle`] is for that.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// The container. In `register` it is not ready yet: values go in, nothing comes out.
    pub fn container(&self) -> &Container {
        self.application.container()
    }

    /// Whether the application is kept off the network: a plugin opens no socket and subscribes to no
    /// broker then, and is used through the capabilities it offers.
    pub fn is_in_memory(&self) -> bool {
        self.application.is_in_memory()
    }

    /// The time the application goes by. A plugin that waits waits by it, so that tests can move the
    /// time.
    pub fn clock(&self) -> &Clock {
        self.application.clock()
    }

    /// The event bus.
    pub fn hooks(&self) -> &Arc<Hooks> {
        self.application.hooks()
    }

    /// The graph of the application.
    pub fn graph(&self) -> Graph {
        self.container().graph()
    }

    /// Another plugin, by its type.
    pub fn plugin<P: Plugin>(&self) -> Option<Arc<P>> {
        self.application.plugin()
    }

    /// Supplies a value for the type `T`, which may be a `dyn Trait`. In `register` only.
    ///
    /// # Errors
    /// ZNIGHT004 when the graph provides `T` or another plugin supplied it, ZNIGHT016 after
    /// `register`.
    pub fn register_value<T: ?Sized + Send + Sync + 'static>(
        &self,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.container().register_value_by(self.plugin, value)
    }

    /// Supplies a provider. In `register` only.
    ///
    /// # Errors
    /// As [`register_value`](Self::register_value).
    pub fn register<T: Provided>(&self) -> Result<(), Error> {
        self.register_definition(Definition::<T>::provided())
    }

    /// Supplies what a definition makes. In `register` only.
    ///
    /// # Errors
    /// As [`register_value`](Self::register_value).
    pub fn register_definition<T: ?Sized + Send + Sync + 'static>(
        &self,
        definition: Definition<T>,
    ) -> Result<(), Error> {
        self.container()
            .register_definition_by(self.plugin, definition)
    }

    /// Says that a `T` will be there without supplying it: see [`Container::register_external`]. In
    /// `register` only.
    ///
    /// # Errors
    /// As [`register_value`](Self::register_value).
    pub fn register_external<T: ?Sized + Send + Sync + 'static>(
        &self,
        scope: ScopeKind,
    ) -> Result<(), Error> {
        self.container().expect::<T>(Some(self.plugin), scope)
    }

    /// Offers a capability to other plugins and to tests: see [`capability`](crate::capability).
    /// A later offer of the same type replaces an earlier one.
    pub fn offer<T: ?Sized + Send + Sync + 'static>(&self, capability: Arc<T>) {
        self.application.offer(capability);
    }

    /// Contributes a part of what another plugin puts together, such as routes. In `register`: who
    /// collects them does so in `on_bootstrap`, whatever the order of the plugins.
    pub fn contribute<T: ?Sized + Send + Sync + 'static>(&self, part: Arc<T>) {
        self.application.contribute(self.plugin, part);
    }

    /// What plugins contribute under a type: see
    /// [`Application::contributions`](crate::Application::contributions).
    pub fn contributions<T: ?Sized + Send + Sync + 'static>(&self) -> Vec<(&'static str, Arc<T>)> {
        self.application.contributions()
    }

    /// A capability another plugin offers.
    pub fn capability<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.application.capability()
    }
}
