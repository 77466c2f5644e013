//! The container: the instances of an application, and who gets which.

pub mod assembly;
pub(crate) mod catalogue;
mod creating;
mod dispose;
mod init;
mod instances;
mod lazy;
mod lookup;
mod needs;
mod plan;
mod register;
mod registrations;
mod resolve;
mod scope;
mod slot;
mod types;
mod validate;
mod why;

use std::{
    any::TypeId,
    fmt,
    ops::Deref,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tokio::sync::OnceCell;
use znight_contract::{ErrorCode, METADATA_VERSION};

use self::{creating::CreationLock, plan::Plan, registrations::Registrations, resolve::disposed};
use crate::{error::Error, graph::Graph, sync::Mutex};

pub(crate) use dispose::run_hook;
pub use instances::ManagedInstance;
pub use lazy::Lazy;
pub(crate) use needs::Only;
pub use needs::Root;
pub use scope::{OpenScope, Scope, ScopeFuture};
pub(crate) use slot::{Held, Item, Resolved, SlotId, Unresolved};

/// The instances of an application: singletons by type, and the way to everything else.
///
/// An [`Application`](crate::Application) owns one. Alone it serves tests and tools that want
/// providers without plugins and hooks: create it, supply values, [`init`](Self::init) it, ask.
///
/// Cheap to clone: a handle. The one injected as `Arc<Container>` does not keep the instances
/// alive, so that they may hold it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), znight_core::Error> {
/// use std::sync::Arc;
/// use znight_core::{Container, Graph};
///
/// trait Greeter: Send + Sync {
///     fn greet(&self) -> String;
/// }
/// struct English;
/// impl Greeter for English {
///     fn greet(&self) -> String {
///         "hello".to_owned()
///     }
/// }
///
/// let container = Container::new(Graph::empty())?;
/// container.provide_value::<dyn Greeter>(Arc::new(English))?;
/// container.init().await?;
/// assert_eq!(container.get::<dyn Greeter>()?.greet(), "hello");
/// assert!(!container.has::<String>());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Container(Ref);

#[derive(Clone)]
enum Ref {
    Strong(Arc<Inner>),
    /// What instances hold: the container holds them.
    Weak(Weak<Inner>),
}

/// What the handles on one container share.
pub(crate) struct Inner {
    /// Unique in the process.
    pub(crate) number: u64,
    graph: Graph,
    me: Weak<Inner>,
    /// What was supplied; taken by `init`.
    pending: Mutex<Option<Registrations>>,
    sealed: OnceLock<Plan>,
    /// What was asked to be created, to explain it.
    only: OnceLock<Only>,
    /// The entry points, for the paths in messages.
    roots: OnceLock<Vec<SlotId>>,
    booted: OnceCell<Result<(), Error>>,
    creating: CreationLock,
    /// The singletons in the order of creation; `None` once they were given up.
    created: Mutex<Option<Vec<SlotId>>>,
    /// Everything has been disposed: nothing is handed out any more.
    over: AtomicBool,
}

impl Inner {
    pub(crate) fn plan(&self) -> Result<&Plan, Error> {
        self.sealed.get().ok_or_else(|| {
            Error::new(
                ErrorCode::InstantiationFailed,
                "the container has not been initialised: it creates nothing yet",
            )
            .with_hint("plugins resolve in `on_bootstrap` and later, not in `register`")
        })
    }

    pub(crate) fn weak(&self) -> Weak<Self> {
        Weak::clone(&self.me)
    }

    /// An instance that exists: the whole of a `get` in most cases.
    fn ready<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let plan = self.sealed.get()?;
        let target = plan.targets.get(&TypeId::of::<T>())?;
        let instance = plan.cells[target.slot as usize].get()?.as_ref()?;
        if self.is_over() {
            return None;
        }
        instance.at::<T>(target.handle).cloned()
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Container")
            .field("graph", &self.graph)
            .field("initialised", &self.sealed.get().is_some())
            .finish_non_exhaustive()
    }
}

/// The container behind a handle, for one call.
enum Access<'a> {
    Mine(&'a Inner),
    Borrowed(Arc<Inner>),
}

impl Deref for Access<'_> {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        match self {
            Self::Mine(inner) => inner,
            Self::Borrowed(inner) => inner,
        }
    }
}

impl Container {
    /// A container for a graph. Nothing is created before [`init`](Self::init).
    ///
    /// # Errors
    /// ZNIGHT018 when the graph was written by a compiler of another release line.
    pub fn new(graph: Graph) -> Result<Self, Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let data = graph.data();
        if data.version != METADATA_VERSION {
            return Err(Error::new(
                ErrorCode::VersionMismatch,
                format!(
                    "the graph of {} has format {}, and this run time reads format {METADATA_VERSION}",
                    data.package, data.version
                ),
            )
            .with_hint(format!(
                "it was written by znight-build {}, and znight-core is {}: use one release line",
                data.compiler,
                env!("CARGO_PKG_VERSION")
            )));
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let container = Self::strong(Arc::new_cyclic(|me| Inner {
            number,
            graph,
            me: Weak::clone(me),
            pending: Mutex::new(Some(Registrations::default())),
            sealed: OnceLock::new(),
            only: OnceLock::new(),
            roots: OnceLock::new(),
            booted: OnceCell::new(),
            creating: CreationLock::new(number),
            created: Mutex::new(Some(Vec::new())),
            over: AtomicBool::new(false),
        }));
        container.built_in(Arc::new(container.downgraded()))?;
        Ok(container)
    }

    pub(crate) fn strong(inner: Arc<Inner>) -> Self {
        Self(Ref::Strong(inner))
    }

    pub(crate) fn weak(inner: Weak<Inner>) -> Self {
        Self(Ref::Weak(inner))
    }

    /// A handle that instances may hold.
    fn downgraded(&self) -> Self {
        match &self.0 {
            Ref::Strong(inner) => Self::weak(Arc::downgrade(inner)),
            Ref::Weak(inner) => Self::weak(Weak::clone(inner)),
        }
    }

    fn inner(&self) -> Result<Access<'_>, Error> {
        match &self.0 {
            Ref::Strong(inner) => Ok(Access::Mine(inner)),
            Ref::Weak(inner) => inner.upgrade().map(Access::Borrowed).ok_or_else(disposed),
        }
    }

    pub(crate) fn shared(&self) -> Result<Arc<Inner>, Error> {
        match &self.0 {
            Ref::Strong(inner) => Ok(Arc::clone(inner)),
            Ref::Weak(inner) => inner.upgrade().ok_or_else(disposed),
        }
    }

    /// The graph it was created for; an empty one once the application is gone.
    pub fn graph(&self) -> Graph {
        self.inner().map_or(Graph::empty(), |inner| inner.graph)
    }

    /// Creates everything the graph and the registrations provide: each singleton as soon as what
    /// it depends on is there, independent async ones at the same time.
    ///
    /// A second call answers with the outcome of the first. Registrations end here.
    ///
    /// # Errors
    /// What is wrong with the merged graph, all of it at once (ZNIGHT001, 002, 003, 008, 014), or
    /// the first constructor that failed (ZNIGHT015). What was created by then is disposed in
    /// reverse order; failures of that are [`suppressed`](Error::suppressed).
    pub async fn init(&self) -> Result<(), Error> {
        self.boot(&Only::All).await
    }

    /// Creates only what some entry points lead to.
    ///
    /// Other singletons are created when they are asked for, on the spot: an async one is
    /// ZNIGHT015 then.
    ///
    /// # Errors
    /// As [`init`](Self::init).
    pub async fn init_only(&self, roots: impl IntoIterator<Item = Root>) -> Result<(), Error> {
        self.boot(&Only::Roots {
            required: roots.into_iter().collect(),
            known: Vec::new(),
        })
        .await
    }

    pub(crate) async fn boot(&self, only: &Only) -> Result<(), Error> {
        let inner = self.shared()?;
        inner.booted.get_or_init(|| inner.boot(only)).await.clone()
    }

    /// Disposes the singletons, in the reverse order of their creation, and ends creation. An
    /// application does this when it stops.
    ///
    /// # Errors
    /// ZNIGHT021 when a disposal fails. All of them are attempted.
    pub async fn dispose(&self) -> Result<(), Error> {
        let inner = self.shared()?;
        let failures = inner.dispose().await;
        inner.end();
        Error::steps("disposal", failures).map_or(Ok(()), Err)
    }

    /// Opens a request scope; see [`OpenScope`].
    pub fn open_scope(&self) -> OpenScope {
        OpenScope::new(self.shared().ok())
    }

    /// Runs a future in a request scope of its own, and disposes what was made in it.
    ///
    /// # Errors
    /// ZNIGHT021 when a disposal fails.
    pub async fn run_in_scope<F: Future>(&self, future: F) -> Result<F::Output, Error> {
        self.open_scope().run_to_end(future).await
    }
}

impl fmt::Debug for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inner() {
            Ok(inner) => fmt::Debug::fmt(&*inner, f),
            Err(_) => f.write_str("Container(disposed)"),
        }
    }
}
