//! Putting an application together.

use std::{
    any::Any,
    process::ExitCode,
    sync::{Arc, RwLock},
    time::Duration,
};

use rustc_hash::FxHashMap;
use znight_contract::ErrorCode;

use super::{
    Added, Application, Shared,
    start::Ended,
    state::{Progress, Stop},
    step, stop,
};
use crate::{
    clock::Clock,
    container::{Container, Only, Root},
    definition::Definition,
    error::{BoxError, Error},
    graph::Graph,
    hooks::Hooks,
    plugin::{ErasedPlugin, Plugin, PluginHook},
    provider::Provided,
    unwind::{self, Panicked},
};

/// A registration to be made when there is a container.
type Supply = Box<dyn FnOnce(&Container) -> Result<(), Error> + Send>;

/// What a stop may take, by which clock, and whether signals stop.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) timeout: Duration,
    pub(super) hook_timeout: Duration,
    pub(super) signals: bool,
    pub(super) in_memory: bool,
    pub(super) clock: Clock,
}

/// What an application consists of; see [`Application::builder`].
#[must_use = "a builder does nothing until `.build()` or `.run()`"]
pub struct ApplicationBuilder {
    graph: Graph,
    plugins: Vec<Added>,
    /// What was wrong with plugins as they were added.
    problem: Option<Error>,
    provided: Vec<Supply>,
    overrides: Vec<Supply>,
    only: Restriction,
    options: Options,
}

/// Which providers are created at boot.
#[derive(Debug)]
enum Restriction {
    None,
    Roots(Vec<Root>),
    EntryPoints,
}

impl ApplicationBuilder {
    pub(super) fn new(graph: Graph) -> Self {
        Self {
            graph,
            plugins: Vec::new(),
            problem: None,
            provided: Vec::new(),
            overrides: Vec::new(),
            only: Restriction::None,
            options: Options {
                timeout: Duration::from_secs(10),
                hook_timeout: Duration::from_secs(5),
                signals: true,
                in_memory: false,
                clock: Clock::system(),
            },
        }
    }

    /// Adds a plugin. They run in the order they are added.
    pub fn plugin(mut self, plugin: impl Plugin) -> Self {
        let plugin = Arc::new(plugin);
        let name = unwind::catch(|| Plugin::name(&*plugin)).unwrap_or_else(|payload| {
            let number = self.plugins.len();
            self.problem.get_or_insert_with(|| {
                failed(format!("`name` of plugin {number} failed"), &payload)
            });
            ""
        });
        self.plugins.push(Added {
            name,
            itself: Arc::clone(&plugin) as Arc<dyn Any + Send + Sync>,
            plugin: plugin as Arc<dyn ErasedPlugin>,
        });
        self
    }

    /// Adds a provider that is in no graph, such as one of a test: see [`Provided`].
    pub fn provide<T: Provided>(mut self) -> Self {
        self.provided.push(Box::new(Container::provide::<T>));
        self
    }

    /// Supplies a value: see [`Container::provide_value`].
    pub fn provide_value<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.provided
            .push(Box::new(move |container| container.provide_value(value)));
        self
    }

    /// Supplies what a definition makes: see [`Container::provide_definition`].
    pub fn provide_definition<T: ?Sized + Send + Sync + 'static>(
        mut self,
        definition: Definition<T>,
    ) -> Self {
        self.provided.push(Box::new(move |container| {
            container.provide_definition(definition)
        }));
        self
    }

    /// Hands out a value for `T` whoever provides it: see [`Container::override_value`].
    pub fn override_value<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.overrides
            .push(Box::new(move |container| container.override_value(value)));
        self
    }

    /// Hands out a value for the `T` of a name: see [`Container::override_named`].
    pub fn override_named<T: ?Sized + Send + Sync + 'static>(
        mut self,
        name: impl Into<String>,
        value: Arc<T>,
    ) -> Self {
        let name = name.into();
        self.overrides.push(Box::new(move |container| {
            container.override_named(&name, value)
        }));
        self
    }

    /// Hands out what a function makes for `T`: see [`Container::override_factory`].
    pub fn override_factory<T, F>(mut self, factory: F) -> Self
    where
        T: ?Sized + Send + Sync + 'static,
        F: Fn(&Container) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    {
        self.overrides.push(Box::new(move |container| {
            container.override_factory(factory)
        }));
        self
    }

    /// Hands out a value for the provider with a token: see [`Container::override_token`].
    pub fn override_token<T: ?Sized + Send + Sync + 'static>(
        mut self,
        token: impl Into<String>,
        value: Arc<T>,
    ) -> Self {
        let token = token.into();
        self.overrides.push(Box::new(move |container| {
            container.override_token(&token, value)
        }));
        self
    }

    /// Hands out what a definition makes for `T`: see [`Container::override_definition`].
    pub fn override_definition<T, D>(mut self, definition: Definition<D>) -> Self
    where
        T: ?Sized + Send + Sync + 'static,
        D: ?Sized + Send + Sync + 'static,
    {
        self.overrides.push(Box::new(move |container| {
            container.override_definition::<T, D>(definition)
        }));
        self
    }

    /// Hands out a provider of a test for `T`: see [`Container::override_provider`].
    pub fn override_provider<T, P>(self) -> Self
    where
        T: ?Sized + Send + Sync + 'static,
        P: Provided,
    {
        self.override_definition::<T, P>(Definition::provided())
    }

    /// How long a stop may take altogether, by the clock of the application: 10 s unless set.
    /// [`Duration::MAX`] is no limit.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// How long each hook of a stop may take, by the clock of the application: 5 s unless set.
    /// [`Duration::MAX`] is no limit.
    pub fn hook_timeout(mut self, timeout: Duration) -> Self {
        self.options.hook_timeout = timeout;
        self
    }

    /// Whether SIGINT and SIGTERM stop the application, and the second one the process (exit code
    /// 130): yes unless set.
    ///
    /// They are listened to from the start of the application until it has stopped. The process
    /// does not get their default action back then: tokio keeps its handlers.
    pub fn signals(mut self, signals: bool) -> Self {
        self.options.signals = signals;
        self
    }

    /// Keeps the application off the network: plugins open no socket and subscribe to no broker, and
    /// are used through the [capabilities](crate::capability) they offer. For tests; no unless set.
    pub fn in_memory(mut self, in_memory: bool) -> Self {
        self.options.in_memory = in_memory;
        self
    }

    /// The time the application goes by: that of the system unless set. A test sets one that it
    /// moves itself, as `TestClock` of `znight-testing` gives.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.options.clock = clock;
        self
    }

    /// Creates only what these lead to, the overrides, and what plugins ask for
    /// ([`Plugin::init_roots`]); see [`Container::init_only`].
    pub fn only(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.only = Restriction::Roots(roots.into_iter().collect());
        self
    }

    /// Creates only what the entry points of the graph (controllers, consumers, jobs) lead to, the
    /// overrides, and what plugins ask for. Everything when the graph has no entry point.
    pub fn only_entry_points(mut self) -> Self {
        self.only = Restriction::EntryPoints;
        self
    }

    /// Creates everything, which is what an application does unless told otherwise.
    pub fn everything(mut self) -> Self {
        self.only = Restriction::None;
        self
    }

    /// Creates the application: plugins' `register`, the providers, plugins' `on_bootstrap`.
    /// Nothing has started then: [`Application::start`] does that.
    ///
    /// # Errors
    /// What went wrong first: ZNIGHT004 for two plugins of one name, ZNIGHT005 for one without,
    /// what [`Container::init`] finds, or what a hook returned. Everything created is disposed and
    /// plugins are given their `on_dispose`; failures of that are
    /// [`suppressed`](Error::suppressed). ZNIGHT021 outside of a tokio runtime.
    ///
    /// A hook may ask for the stop here as it may during the [start](Application::start): the rest
    /// is skipped, and the application that is returned has stopped. Dropped half-way, the creation
    /// is undone in a task of its own.
    pub async fn build(self) -> Result<Application, Error> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        check_names(&self.plugins)?;
        let runtime = tokio::runtime::Handle::try_current().map_err(|error| {
            Error::new(
                ErrorCode::LifecycleFailed,
                "an application needs a tokio runtime",
            )
            .with_source(error)
        })?;
        let container = Container::new(self.graph)?;
        let hooks = Arc::new(Hooks::new());
        container.built_in(Arc::clone(&hooks))?;
        container.built_in(Arc::new(self.options.clock.clone()))?;
        let only = self.restriction()?;
        let application = Application(Arc::new(Shared {
            container,
            hooks,
            plugins: self.plugins,
            capabilities: RwLock::new(FxHashMap::default()),
            contributions: RwLock::new(FxHashMap::default()),
            options: self.options,
            progress: Progress::new(),
            runtime,
        }));
        let mut creation = Creation(Some(&application));
        let created = create(&application, self.provided, self.overrides, &only).await;
        creation.0 = None;
        drop(creation);
        let ended = Ended(&application.0);
        match created {
            Ok(()) => {
                drop(ended);
                if application.0.progress.interrupted() {
                    // The outcome of the stop belongs to who asked for it.
                    let _ = application.stopped().await;
                }
                Ok(application)
            }
            Err(error) => {
                application.0.progress.update(|phase| {
                    phase.failed = phase.stop != Stop::Released;
                });
                drop(ended);
                stop::begin(&application.0, Stop::Asked);
                match application.stopped().await {
                    Ok(()) => Err(error),
                    Err(failures) => Err(error.with_suppressed([failures])),
                }
            }
        }
    }

    fn restriction(&self) -> Result<Only, Error> {
        let plugins = || {
            let mut roots = Vec::new();
            for added in &self.plugins {
                let asked = unwind::catch(|| added.plugin.init_roots(self.graph));
                roots.extend(asked.map_err(|payload| {
                    let what = format!("`init_roots` of the plugin {} failed", added.name);
                    failed(what, &payload)
                })?);
            }
            Ok::<_, Error>(roots)
        };
        Ok(match &self.only {
            Restriction::None => Only::All,
            Restriction::Roots(roots) => Only::Roots {
                required: roots.clone(),
                known: plugins()?,
            },
            Restriction::EntryPoints => match self.graph.roots() {
                entries if entries.is_empty() => Only::All,
                entries => Only::Roots {
                    required: entries.into_iter().map(Root::provider).collect(),
                    known: plugins()?,
                },
            },
        })
    }

    /// Runs the application until it is stopped, by a signal or by [`Application::stop`].
    ///
    /// Failures are logged with everything known about them. A process without a `tracing`
    /// subscriber is given a plain one on stderr, so that even a failed boot is seen. The code is
    /// 1 when creation, start or stop failed.
    pub async fn run(self) -> ExitCode {
        super::log::to_stderr();
        match self.start_and_wait().await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                tracing::error!(
                    target: "znight::application",
                    code = %error.code(),
                    error = %error.report(),
                    "the application failed"
                );
                ExitCode::FAILURE
            }
        }
    }

    async fn start_and_wait(self) -> Result<(), Error> {
        let application = self.build().await?;
        if !application.0.progress.interrupted() {
            application.start().await?;
        }
        application.stopped().await
    }
}

async fn create(
    application: &Application,
    provided: Vec<Supply>,
    overrides: Vec<Supply>,
    only: &Only,
) -> Result<(), Error> {
    let shared = &application.0;
    shared.container.built_in(Arc::new(application.handle()))?;
    for supply in provided {
        supply(&shared.container)?;
    }
    for added in &shared.plugins {
        shared.progress.done().registered += 1;
        hook(application, added, PluginHook::Register).await?;
        if shared.progress.interrupted() {
            return Ok(());
        }
    }
    for supply in overrides {
        supply(&shared.container)?;
    }
    let boot = shared.container.boot(only);
    match step::in_start(shared, "the creation of the providers".to_owned(), boot).await {
        // A constructor asked for the stop, so that there was no place for what it made.
        Err(error) if is_given_up(&error) && shared.progress.interrupted() => {}
        booted => booted?,
    }
    for added in &shared.plugins {
        if shared.progress.interrupted() {
            return Ok(());
        }
        hook(application, added, PluginHook::OnBootstrap).await?;
    }
    Ok(())
}

/// Runs a hook of the creation.
async fn hook(application: &Application, added: &Added, hook: PluginHook) -> Result<(), Error> {
    let running = step::plugin(application, added, hook);
    step::in_start(&application.0, step::name_of(added, hook), running).await
}

/// A creation that is under way. Dropped half-way, it is undone: nobody else could do that.
struct Creation<'a>(Option<&'a Application>);

impl Drop for Creation<'_> {
    fn drop(&mut self) {
        if let Some(application) = self.0 {
            application.0.progress.update(|phase| {
                phase.busy = false;
                phase.failed = phase.stop != Stop::Released;
            });
            stop::begin(&application.0, Stop::Asked);
        }
    }
}

/// ZNIGHT021 for a panic of a plugin where it is only asked for something.
fn failed(what: String, payload: &unwind::Payload) -> Error {
    Error::new(ErrorCode::LifecycleFailed, what).with_source(Panicked::new(payload))
}

/// Whether the container made no more, for no fault of a constructor.
fn is_given_up(error: &Error) -> bool {
    error.code() == ErrorCode::InstantiationFailed && error.instantiation().is_none()
}

fn check_names(plugins: &[Added]) -> Result<(), Error> {
    for (number, added) in plugins.iter().enumerate() {
        let name = added.name;
        if name.is_empty() {
            return Err(Error::new(
                ErrorCode::InvalidAttribute,
                format!("plugin {number} has no name"),
            ));
        }
        if plugins[..number].iter().any(|other| other.name == name) {
            return Err(Error::new(
                ErrorCode::DuplicateProvider,
                format!("two plugins are named {name}"),
            )
            .with_hint("add each plugin once"));
        }
    }
    Ok(())
}

impl std::fmt::Debug for ApplicationBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plugins: Vec<&str> = self.plugins.iter().map(|p| p.name).collect();
        f.debug_struct("ApplicationBuilder")
            .field("graph", &self.graph)
            .field("plugins", &plugins)
            .field("only", &self.only)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
