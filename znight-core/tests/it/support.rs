//! Graphs written by hand, and providers and plugins that do what a script says.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use tokio::sync::Notify;
use znight_core::{
    __private::{
        Binding, Coerce, Dep, Deps, Entry, External, GraphData, Lifecycle, METADATA_VERSION, Make,
        NoLifecycle as _, Probe, Provider, Source, made, provider, type_id_of,
    },
    Application, ApplicationHandle, Container, Dispose, Error, Graph, OnReady, OnStart, OnStop,
    Plugin, PluginContext, Result, Root, ScopeKind, Section,
};

/// The hooks of a type, asked for as the glue does.
#[macro_export]
macro_rules! lifecycle {
    ($type:ty) => {{
        #[allow(unused_imports, reason = "only needed when a hook is missing")]
        use znight_core::__private::NoLifecycle as _;
        znight_core::__private::Lifecycle {
            on_start: znight_core::__private::Probe::<$type>::ON_START,
            on_ready: znight_core::__private::Probe::<$type>::ON_READY,
            on_stop: znight_core::__private::Probe::<$type>::ON_STOP,
            dispose: znight_core::__private::Probe::<$type>::DISPOSE,
        }
    }};
}

pub(crate) fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

/// A graph that is put together at run time.
#[derive(Default)]
pub(crate) struct Sketch {
    pub(crate) providers: Vec<Entry>,
    pub(crate) externals: Vec<External>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) sections: Vec<&'static dyn Section>,
    pub(crate) version: Option<u32>,
}

impl Sketch {
    /// Of these providers, with [`Script`] as the first external.
    pub(crate) fn of(providers: Vec<Entry>) -> Self {
        Self {
            providers,
            externals: vec![external::<Script>("TestPlugin", ScopeKind::Singleton)],
            ..Self::default()
        }
    }

    pub(crate) fn external(mut self, external: External) -> Self {
        self.externals.push(external);
        self
    }

    pub(crate) fn bind(mut self, provider: u32, coercion: u16) -> Self {
        self.bindings.push(Binding { provider, coercion });
        self
    }

    pub(crate) fn entry_points(mut self, roots: &'static [u32]) -> Self {
        self.sections.push(Box::leak(Box::new(EntryPoints(roots))));
        self
    }

    pub(crate) fn graph(self) -> Graph {
        let edges: Vec<Vec<usize>> = self
            .providers
            .iter()
            .map(|entry| {
                let deps = entry.deps.iter().flat_map(|dep| match dep {
                    Dep::One(id) | Dep::Optional(id) => vec![*id],
                    Dep::Many(ids) => ids.to_vec(),
                    _ => Vec::new(),
                });
                deps.chain(entry.uses.iter().copied())
                    .map(|id| id as usize)
                    .collect()
            })
            .collect();
        let order = znight_contract::graph::order(edges.len(), |id| &edges[id])
            .unwrap_or_else(|_| (0..edges.len()).collect());
        Graph::new(Box::leak(Box::new(GraphData {
            version: self.version.unwrap_or(METADATA_VERSION),
            compiler: "0.1.0",
            package: "test",
            providers: leak(self.providers),
            order: leak(order.into_iter().flat_map(u32::try_from).collect()),
            bindings: leak(self.bindings),
            externals: leak(self.externals),
            sections: leak(self.sections),
        })))
    }

    /// A container with the script supplied, not initialised.
    pub(crate) fn container(self, script: &Arc<Script>) -> Container {
        let container = Container::new(self.graph()).unwrap();
        container.provide_value(Arc::clone(script)).unwrap();
        container
    }

    /// A container that has been initialised.
    pub(crate) async fn ready(self) -> Container {
        let container = self.container(&Script::new());
        container.init().await.unwrap();
        container
    }
}

#[derive(Debug)]
struct EntryPoints(&'static [u32]);

impl Section for EntryPoints {
    fn name(&self) -> &'static str {
        "test"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn roots(&self) -> Vec<u32> {
        self.0.to_vec()
    }
}

pub(crate) fn external<T: ?Sized + 'static>(
    provided_by: &'static str,
    scope: ScopeKind,
) -> External {
    External {
        type_id: type_id_of::<T>,
        display: short::<T>(),
        provided_by,
        scope,
    }
}

fn short<T: ?Sized>() -> &'static str {
    Box::leak(
        znight_contract::display::short(&std::any::type_name::<T>().replace("{{closure}}::", ""))
            .into_boxed_str(),
    )
}

/// A singleton of `T` without traits and hooks.
pub(crate) fn entry<T: 'static>(make: Make, deps: &'static [Dep]) -> Entry {
    with::<T>(provider::<T>(make, &[], Lifecycle::NONE), deps)
}

pub(crate) fn with<T: 'static>(provider: Provider, deps: &'static [Dep]) -> Entry {
    Entry {
        token: std::any::type_name::<T>(),
        display: short::<T>(),
        provider,
        scope: ScopeKind::Singleton,
        name: None,
        primary: false,
        deps,
        uses: &[],
        asks: &[],
        source: Some(Source {
            file: "src/test.rs",
            line: 7,
        }),
    }
}

/// A singleton of `T` that is handed out as some traits.
pub(crate) fn coerced<T: 'static>(
    make: Make,
    deps: &'static [Dep],
    coerce: &'static [Coerce],
) -> Entry {
    with::<T>(provider::<T>(make, coerce, Lifecycle::NONE), deps)
}

pub(crate) trait EntryExt {
    fn scope(self, scope: ScopeKind) -> Entry;
    fn named(self, name: &'static str) -> Entry;
    fn primary(self) -> Entry;
    fn uses(self, uses: &'static [u32]) -> Entry;
}

impl EntryExt for Entry {
    fn scope(self, scope: ScopeKind) -> Entry {
        Entry { scope, ..self }
    }

    fn named(self, name: &'static str) -> Entry {
        Entry {
            name: Some(name),
            ..self
        }
    }

    fn primary(self) -> Entry {
        Entry {
            primary: true,
            ..self
        }
    }

    fn uses(self, uses: &'static [u32]) -> Entry {
        Entry { uses, ..self }
    }
}

/// What to do at a step instead of succeeding.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Fail,
    Panic,
    Hang,
    /// Goes on when notified.
    Wait(Arc<Notify>),
    /// Asks for the stop of the application, and waits for it.
    Stop,
    /// Asks for the stop, and fails once it is done.
    StopAndFail,
    /// Asks for the stop without waiting.
    StopInPassing,
}

/// The log of a test, and what its providers and plugins do at which step.
#[derive(Debug, Default)]
pub(crate) struct Script {
    lines: Mutex<Vec<String>>,
    acts: Mutex<BTreeMap<String, Act>>,
    application: Mutex<Option<ApplicationHandle>>,
}

impl Script {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn act(&self, step: &str, act: Act) {
        self.acts.lock().unwrap().insert(step.to_owned(), act);
    }

    pub(crate) fn say(&self, line: impl Into<String>) {
        self.lines.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    pub(crate) fn clear(&self) {
        self.lines.lock().unwrap().clear();
    }

    pub(crate) fn application(&self, application: &Application) {
        *self.application.lock().unwrap() = Some(application.handle());
    }

    fn take(&self, step: &str) -> Option<Act> {
        self.say(step);
        self.acts.lock().unwrap().get(step).cloned()
    }

    pub(crate) fn step(&self, step: &str) -> Result {
        match self.take(step) {
            Some(Act::Fail) => Err(format!("{step} failed").into()),
            Some(Act::Panic) => panic!("{step} panicked"),
            _ => Ok(()),
        }
    }

    pub(crate) async fn step_async(&self, step: &str) -> Result {
        let handle = || {
            self.application
                .lock()
                .unwrap()
                .clone()
                .expect("an application")
        };
        match self.take(step) {
            Some(Act::Fail) => return Err(format!("{step} failed").into()),
            Some(Act::Panic) => panic!("{step} panicked"),
            Some(Act::Hang) => std::future::pending().await,
            Some(Act::Wait(notify)) => {
                notify.notified().await;
                self.say(format!("{step} goes on"));
            }
            Some(Act::Stop) => handle().stop().await?,
            Some(Act::StopAndFail) => {
                handle().stop().await?;
                return Err(format!("{step} failed").into());
            }
            Some(Act::StopInPassing) => drop(handle().stop()),
            None => {}
        }
        Ok(())
    }
}

/// A provider that says what happens to it; the number makes it a type of its own.
#[derive(Debug)]
pub(crate) struct Node<const N: u8> {
    script: Arc<Script>,
}

/// A [`Node`] without hooks but `Dispose`, for whatever does not live as long as the application.
#[derive(Debug)]
pub(crate) struct Brief<const N: u8> {
    pub(crate) script: Arc<Script>,
}

impl<const N: u8> Brief<N> {
    fn make(deps: &mut Deps<'_>) -> Result<Self> {
        let script: Arc<Script> = deps.next();
        script.step(&format!("make {N}"))?;
        Ok(Self { script })
    }
}

impl<const N: u8> Dispose for Brief<N> {
    async fn dispose(&self) -> Result {
        self.script.step_async(&format!("dispose {N}")).await
    }
}

impl<const N: u8> OnStart for Node<N> {
    async fn on_start(&self) -> Result {
        self.script.step_async(&format!("start {N}")).await
    }
}

impl<const N: u8> OnReady for Node<N> {
    async fn on_ready(&self) -> Result {
        self.script.step_async(&format!("ready {N}")).await
    }
}

impl<const N: u8> OnStop for Node<N> {
    async fn on_stop(&self) -> Result {
        self.script.step_async(&format!("stop {N}")).await
    }
}

impl<const N: u8> Dispose for Node<N> {
    async fn dispose(&self) -> Result {
        self.script.step_async(&format!("dispose {N}")).await
    }
}

impl<const N: u8> Node<N> {
    fn make(deps: &mut Deps<'_>) -> Result<Self> {
        let script: Arc<Script> = deps.next();
        script.step(&format!("make {N}"))?;
        Ok(Self { script })
    }

    async fn make_async(mut deps: Deps<'_>) -> Result<Self> {
        let script: Arc<Script> = deps.next();
        script.step_async(&format!("make {N}")).await?;
        script.say(format!("made {N}"));
        Ok(Self { script })
    }
}

/// A node that needs others, which it is not given.
pub(crate) fn node<const N: u8>(uses: &'static [u32]) -> Entry {
    let make = Make::Plain(|deps| made::<Node<N>, _>(Node::<N>::make(deps)));
    with::<Node<N>>(
        provider::<Node<N>>(make, &[], lifecycle!(Node<N>)),
        &[Dep::External(0)],
    )
    .uses(uses)
}

/// A node whose constructor is async.
pub(crate) fn async_node<const N: u8>(uses: &'static [u32]) -> Entry {
    let make = Make::Async(|deps| {
        Box::pin(async { made::<Node<N>, _>(Node::<N>::make_async(deps).await) })
    });
    with::<Node<N>>(
        provider::<Node<N>>(make, &[], lifecycle!(Node<N>)),
        &[Dep::External(0)],
    )
    .uses(uses)
}

/// A node of a scope.
pub(crate) fn brief<const N: u8>(scope: ScopeKind, uses: &'static [u32]) -> Entry {
    let make = Make::Plain(|deps| made::<Brief<N>, _>(Brief::<N>::make(deps)));
    let lifecycle = Lifecycle {
        dispose: Probe::<Brief<N>>::DISPOSE,
        on_start: Probe::<Brief<N>>::ON_START,
        ..Lifecycle::NONE
    };
    with::<Brief<N>>(
        provider::<Brief<N>>(make, &[], lifecycle),
        &[Dep::External(0)],
    )
    .scope(scope)
    .uses(uses)
}

/// A node of a scope that is injected with another one.
pub(crate) fn brief_with<const N: u8, const M: u8>(
    scope: ScopeKind,
    deps: &'static [Dep],
) -> Entry {
    let make = Make::Plain(|deps| {
        let this = Brief::<N>::make(deps);
        let _other: Arc<Brief<M>> = deps.next();
        made::<Brief<N>, _>(this)
    });
    let mut entry = brief::<N>(scope, &[]);
    entry.provider.make = make;
    entry.deps = deps;
    entry
}

/// A plugin that says which of its hooks run.
pub(crate) struct Scripted {
    pub(crate) name: &'static str,
    pub(crate) script: Arc<Script>,
    pub(crate) roots: Vec<Root>,
}

impl Scripted {
    pub(crate) fn new(name: &'static str, script: &Arc<Script>) -> Self {
        Self {
            name,
            script: Arc::clone(script),
            roots: Vec::new(),
        }
    }

    async fn step(&self, hook: &str) -> Result {
        self.script
            .step_async(&format!("{} {hook}", self.name))
            .await
    }
}

impl Plugin for Scripted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn init_roots(&self, _graph: Graph) -> Vec<Root> {
        self.roots.clone()
    }

    async fn register(&self, _context: &PluginContext) -> Result {
        self.step("register").await
    }

    async fn on_bootstrap(&self, _context: &PluginContext) -> Result {
        self.step("bootstrap").await
    }

    async fn on_start(&self, _context: &PluginContext) -> Result {
        self.step("start").await
    }

    async fn on_ready(&self, _context: &PluginContext) -> Result {
        self.step("ready").await
    }

    async fn on_stop(&self, _context: &PluginContext) -> Result {
        self.step("stop").await
    }

    async fn on_dispose(&self, _context: &PluginContext) -> Result {
        self.step("dispose").await
    }
}

/// The code of an error, as it is written.
pub(crate) fn code(error: &Error) -> String {
    error.code().to_string()
}
