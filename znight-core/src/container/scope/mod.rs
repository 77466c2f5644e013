//! Request scopes: what lives for one request.

mod current;
mod inner;

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use znight_contract::ErrorCode;

use self::current::{Entered, InScope, Seed, State};
use super::{Container, Inner, resolve::disposed};
use crate::error::Error;

pub(crate) use current::{leave, outside};
pub(crate) use inner::{ScopeInner, instance, seeded};

/// A handle on an open request scope.
///
/// Code that handles a request is in its scope, and so is the stream of a reply. Other work that
/// leaves it (`tokio::spawn`, `spawn_blocking`) stays in the scope with [`wrap`](Self::wrap), a synchronous part with
/// [`enter`](Self::enter). A handle does not keep the scope open.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), znight_core::Error> {
/// use std::sync::Arc;
/// use znight_core::{Container, Graph, Scope};
///
/// struct Locale(&'static str);
///
/// let container = Container::new(Graph::empty())?;
/// container.init().await?;
/// container
///     .run_in_scope(async {
///         let scope = Scope::current()?;
///         scope.seed(Arc::new(Locale("fr")));
///         let work = tokio::spawn(scope.wrap(async {
///             Ok::<_, znight_core::Error>(Scope::current()?.get::<Locale>()?.0)
///         }));
///         assert_eq!(work.await.expect("does not panic")?, "fr");
///         Ok::<_, znight_core::Error>(())
///     })
///     .await??;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Scope {
    inner: Arc<ScopeInner>,
}

impl Scope {
    /// The scope this code runs in.
    ///
    /// # Errors
    /// ZNIGHT013 outside of a scope.
    pub fn current() -> Result<Self, Error> {
        let inner = current::with(|state| state.share().map(Arc::clone));
        inner.map(|inner| Self { inner }).ok_or_else(|| {
            Error::new(
                ErrorCode::OutsideRequestScope,
                "there is no request scope here",
            )
            .with_hint("scopes are opened by the HTTP plugin, or with `container.run_in_scope(..)`")
            .with_hint("take the scope before `tokio::spawn` and wrap the future: `scope.wrap(..)`")
        })
    }

    /// What [`Container::get`] gives in this scope.
    ///
    /// # Errors
    /// As [`Container::get`].
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Arc<T>, Error> {
        self.enter(|| Container::strong(Arc::clone(&self.inner.container)).get())
    }

    /// What [`Container::get_optional`] gives in this scope.
    ///
    /// # Errors
    /// As [`Container::get_optional`].
    pub fn get_optional<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Option<Arc<T>>, Error> {
        self.enter(|| Container::strong(Arc::clone(&self.inner.container)).get_optional())
    }

    /// Whether something is provided for `T` in this scope, by a seed or by the container.
    pub fn has<T: ?Sized + Send + Sync + 'static>(&self) -> bool {
        self.enter(|| Container::strong(Arc::clone(&self.inner.container)).has::<T>())
    }

    /// Supplies a value to this scope: a request-scoped external such as the context of a request.
    /// It replaces an earlier one of its type; what a singleton or a transient is bound to wins.
    pub fn seed<T: Send + Sync + 'static>(&self, value: Arc<T>) {
        self.inner.seed(Seed::new(value));
    }

    /// Supplies a value under a trait it implements: see [`seed`](Self::seed).
    pub fn seed_as<T: ?Sized + Send + Sync + 'static>(&self, value: Arc<T>) {
        self.inner.seed(Seed::of_trait(value));
    }

    /// The future, in this scope wherever it is polled.
    pub fn wrap<F: Future>(&self, future: F) -> ScopeFuture<F> {
        ScopeFuture {
            inner: InScope::new(self.state(), future),
        }
    }

    /// Runs `work` in this scope.
    pub fn enter<R>(&self, work: impl FnOnce() -> R) -> R {
        let _entered = Entered::new(self.state());
        work()
    }

    /// Whether the scope has ended: nothing can be resolved in it any more.
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    fn state(&self) -> State {
        State {
            container: Some(Arc::clone(&self.inner.container)),
            seed: None,
            shared: Some(Arc::clone(&self.inner)),
        }
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

pin_project_lite::pin_project! {
    /// A future in a scope; see [`Scope::wrap`].
    #[derive(Debug)]
    pub struct ScopeFuture<F> {
        #[pin]
        inner: InScope<State, F>,
    }
}

impl<F: Future> Future for ScopeFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().inner.poll(cx)
    }
}

/// A request scope and the duty to close it.
///
/// For whoever opens one scope for each request: nothing is allocated until something is resolved
/// in it. The scope ends with [`close`](Self::close). Dropped without (a client went away), it
/// ends as well, and what has to be disposed in it is disposed in a task of its own.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), znight_core::Error> {
/// # use std::sync::Arc;
/// # use znight_core::{Container, Graph, Scope};
/// # struct RequestContext;
/// # let container = Container::new(Graph::empty())?;
/// # container.init().await?;
/// let mut scope = container.open_scope();
/// scope.seed(Arc::new(RequestContext));
/// let found = scope.run(async { Scope::current()?.get::<RequestContext>() }).await;
/// assert!(found.is_ok());
/// scope.close().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a scope that is dropped at once ends at once"]
#[derive(Debug)]
pub struct OpenScope {
    state: State,
}

impl OpenScope {
    /// Without a container, which is gone, nothing can be resolved in the scope.
    pub(crate) fn new(container: Option<Arc<Inner>>) -> Self {
        Self {
            state: State {
                container,
                seed: None,
                shared: None,
            },
        }
    }

    /// Supplies a value to the scope: see [`Scope::seed`].
    pub fn seed<T: Send + Sync + 'static>(&mut self, value: Arc<T>) {
        let seed = Seed::new(value);
        if self.state.shared.is_none() && self.state.seed.is_none() {
            self.state.seed = Some(seed);
        } else if let Some(shared) = self.state.share() {
            shared.seed(seed);
        }
    }

    /// Supplies a value under a trait it implements: see [`Scope::seed`].
    pub fn seed_as<T: ?Sized + Send + Sync + 'static>(&mut self, value: Arc<T>) {
        if let Some(shared) = self.state.share() {
            shared.seed(Seed::of_trait(value));
        }
    }

    /// The scope with a value: [`seed`](Self::seed) in a chain.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), znight_core::Error> {
    /// # use std::sync::Arc;
    /// # use znight_core::{Container, Graph, Scope};
    /// # struct Locale(&'static str);
    /// # let container = Container::new(Graph::empty())?;
    /// # container.init().await?;
    /// let locale = container
    ///     .open_scope()
    ///     .with(Arc::new(Locale("fr")))
    ///     .run_to_end(async { Ok::<_, znight_core::Error>(Scope::current()?.get::<Locale>()?.0) })
    ///     .await??;
    /// assert_eq!(locale, "fr");
    /// # Ok(())
    /// # }
    /// ```
    pub fn with<T: Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.seed(value);
        self
    }

    /// Runs a future in the scope, then ends the scope.
    ///
    /// # Errors
    /// ZNIGHT021 when a disposal fails, as [`close`](Self::close).
    pub async fn run_to_end<F: Future>(mut self, future: F) -> Result<F::Output, Error> {
        let output = self.run(future).await;
        self.close().await?;
        Ok(output)
    }

    /// Runs a future in the scope.
    pub fn run<F: Future>(&mut self, future: F) -> impl Future<Output = F::Output> {
        InScope::new(&mut self.state, future)
    }

    /// Runs `work` in the scope.
    pub fn enter<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let _entered = Entered::new(&mut self.state);
        work()
    }

    /// A handle on the scope.
    ///
    /// # Errors
    /// ZNIGHT015 when the container is gone.
    pub fn handle(&mut self) -> Result<Scope, Error> {
        let inner = self.state.share().map(Arc::clone);
        inner.map(|inner| Scope { inner }).ok_or_else(disposed)
    }

    /// Ends the scope: what was made in it is disposed, the last first.
    ///
    /// # Errors
    /// ZNIGHT021 when a disposal fails. All of them are attempted.
    pub async fn close(mut self) -> Result<(), Error> {
        let Some(shared) = self.state.shared.take() else {
            return Ok(());
        };
        // A close that is itself dropped half-way has to end the scope as well.
        let mut unfinished = Unfinished(Some(shared));
        let failures = match &unfinished.0 {
            Some(shared) => shared.close().await,
            None => Vec::new(),
        };
        unfinished.0 = None;
        Error::steps("the end of a request scope", failures).map_or(Ok(()), Err)
    }
}

impl Drop for OpenScope {
    fn drop(&mut self) {
        drop(Unfinished(self.state.shared.take()));
    }
}

/// A scope that still has to be closed.
struct Unfinished(Option<Arc<ScopeInner>>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(shared) = self.0.take() else {
            return;
        };
        shared.end();
        if !shared.has_disposals() {
            shared.clear().iter().for_each(log);
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            drop(runtime.spawn(async move {
                shared.close().await.iter().for_each(log);
            }));
        } else {
            tracing::warn!(
                target: "znight::scope",
                "a request scope was dropped outside of a runtime: what is in it is not disposed"
            );
            shared.clear().iter().for_each(log);
        }
    }
}

/// Reports a failure that nobody waits for.
pub(super) fn log(error: &Error) {
    tracing::error!(
        target: "znight::scope",
        code = %error.code(),
        error = %error.report(),
        "what belonged to a request did not end well"
    );
}
