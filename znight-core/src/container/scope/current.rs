//! The request scope of the code that runs now: a thread-local, set around each poll.

use std::{
    any::{Any, TypeId},
    cell::RefCell,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;

use super::ScopeInner;
use crate::{container::Inner, provider::Handle, sync::thread_local};

thread_local! {
    static CURRENT: RefCell<State> = const { RefCell::new(State::NONE) };
}

/// What is known of a scope. Most scopes of an HTTP server are opened, seeded and closed without
/// anybody asking for what is in them: only then is something shared allocated.
#[derive(Debug)]
pub(crate) struct State {
    pub(super) container: Option<Arc<Inner>>,
    pub(super) seed: Option<Seed>,
    pub(super) shared: Option<Arc<ScopeInner>>,
}

/// A value given to a scope. It becomes a handle when somebody asks for it.
pub(super) struct Seed {
    pub(super) type_id: TypeId,
    /// The value; for a trait, its handle.
    value: Arc<dyn Any + Send + Sync>,
    handle: fn(&Arc<dyn Any + Send + Sync>) -> Handle,
}

impl Seed {
    pub(super) fn new<T: Send + Sync + 'static>(value: Arc<T>) -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            value,
            handle: |value| match Arc::downcast::<T>(Arc::clone(value)) {
                Ok(value) => Handle::new(value),
                Err(_) => crate::provider::mismatch::<T>(),
            },
        }
    }

    /// A value known as a trait. It costs one allocation more.
    pub(super) fn of_trait<T: ?Sized + Send + Sync + 'static>(value: Arc<T>) -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            value: Arc::new(value),
            handle: |value| match value.downcast_ref::<Arc<T>>() {
                Some(value) => Handle::new(Arc::clone(value)),
                None => crate::provider::mismatch::<T>(),
            },
        }
    }

    pub(super) fn handle(&self) -> Handle {
        (self.handle)(&self.value)
    }
}

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl State {
    pub(super) const NONE: Self = Self {
        container: None,
        seed: None,
        shared: None,
    };

    /// The shared part, allocated now if nobody needed it so far. `None` outside of a scope.
    pub(super) fn share(&mut self) -> Option<&Arc<ScopeInner>> {
        if self.shared.is_none() {
            let container = Arc::clone(self.container.as_ref()?);
            self.shared = Some(Arc::new(ScopeInner::new(container, self.seed.take())));
        }
        self.shared.as_ref()
    }
}

/// Something that carries a state into the thread-local: a future's own, or one it borrows.
pub(crate) trait Carrier {
    fn state(&mut self) -> &mut State;
}

impl Carrier for State {
    fn state(&mut self) -> &mut State {
        self
    }
}

impl Carrier for &mut State {
    fn state(&mut self) -> &mut State {
        self
    }
}

/// The thread is in a scope until this is dropped. What the scope allocated meanwhile goes back
/// to the carrier.
pub(crate) struct Entered<C: Carrier>(C);

impl<C: Carrier> Entered<C> {
    pub(super) fn new(mut carrier: C) -> Self {
        swap(carrier.state());
        Self(carrier)
    }
}

impl<C: Carrier> Drop for Entered<C> {
    fn drop(&mut self) {
        swap(self.0.state());
    }
}

fn swap(state: &mut State) {
    // While a thread is being torn down there is no scope, and none is needed.
    let _ = CURRENT.try_with(|current| mem::swap(&mut *current.borrow_mut(), state));
}

/// Leaves the scope of this thread, if any, until the answer is dropped.
pub(crate) fn leave() -> Entered<State> {
    Entered::new(State::NONE)
}

/// Looks at the scope of this thread.
pub(super) fn with<R>(look: impl FnOnce(&mut State) -> Option<R>) -> Option<R> {
    CURRENT
        .try_with(|current| look(&mut current.borrow_mut()))
        .ok()
        .flatten()
}

pin_project! {
    /// A future that is in a scope whenever it is polled.
    #[derive(Debug)]
    pub(super) struct InScope<C, F> {
        carrier: C,
        #[pin]
        future: F,
    }
}

impl<C, F> InScope<C, F> {
    pub(super) fn new(carrier: C, future: F) -> Self {
        Self { carrier, future }
    }
}

impl<C: Carrier, F: Future> Future for InScope<C, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _entered = Entered::new(this.carrier.state());
        this.future.poll(cx)
    }
}

/// A future that is in no scope whenever it is polled.
pub(crate) fn outside<F: Future>(future: F) -> impl Future<Output = F::Output> {
    InScope::new(State::NONE, future)
}
