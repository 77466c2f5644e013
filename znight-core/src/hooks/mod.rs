//! The typed event bus: plugins announce what they do, others observe or wrap it.

mod http;
mod messaging;
mod once;
mod registry;
mod schedule;

use std::{any::TypeId, fmt, pin::Pin, pin::pin, sync::Arc};

use registry::{Id, Registry};

use crate::{__private::BoxFuture, unwind};

pub use http::HttpRequestEvent;
pub use messaging::{DeliveryOutcome, MessageDeliveryEvent, MessagePublishEvent};
pub use schedule::{JobKind, RunAbort, RunOutcome, RunTrigger, ScheduledRunEvent};

type Listener<E> = dyn Fn(&E) + Send + Sync;
type Wrapper<E> = dyn for<'a> Fn(&'a E, Next<'a, E>) -> BoxFuture<'a, ()> + Send + Sync;

/// The event bus of an application; the type of the event is the name of the hook.
///
/// A producer runs an operation through [`run`](Self::run), so that wrappers may surround it, and
/// then [`emit`](Self::emit)s its event to the listeners. Both cost next to nothing when nobody
/// registered.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
/// use znight_core::Hooks;
///
/// struct OrderPlaced { total: u32 }
///
/// let hooks = Hooks::new();
/// let sum = Arc::new(AtomicU32::new(0));
/// let seen = Arc::clone(&sum);
/// let subscription = hooks.on(move |event: &OrderPlaced| {
///     seen.fetch_add(event.total, Ordering::Relaxed);
/// });
/// hooks.emit(&OrderPlaced { total: 7 });
/// drop(subscription); // unsubscribes
/// hooks.emit(&OrderPlaced { total: 7 });
/// assert_eq!(sum.load(Ordering::Relaxed), 7);
/// ```
#[derive(Default)]
pub struct Hooks {
    listeners: Arc<Registry>,
    wrappers: Arc<Registry>,
}

impl Hooks {
    /// A bus nobody listens to.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `listener` with each event of type `E`, in the order of registration, on the thread
    /// of the producer. A panic of a listener is logged and affects nobody.
    pub fn on<E: 'static>(&self, listener: impl Fn(&E) + Send + Sync + 'static) -> Subscription {
        let listener: Arc<Listener<E>> = Arc::new(listener);
        subscribe::<E>(&self.listeners, Arc::new(listener))
    }

    /// Surrounds each operation of type `E`. The first registered wrapper is the outermost; one
    /// that does not call [`Next::run`] keeps the operation from running.
    ///
    /// ```
    /// # use znight_core::Hooks;
    /// # struct Job;
    /// # let hooks = Hooks::new();
    /// hooks
    ///     .wrap(|_job: &Job, next| Box::pin(async move {
    ///         // before
    ///         next.run().await;
    ///         // after
    ///     }))
    ///     .forget(); // for as long as the bus lives
    /// ```
    pub fn wrap<E: Sync + 'static>(
        &self,
        wrapper: impl for<'a> Fn(&'a E, Next<'a, E>) -> BoxFuture<'a, ()> + Send + Sync + 'static,
    ) -> Subscription {
        let wrapper: Arc<Wrapper<E>> = Arc::new(wrapper);
        subscribe::<E>(&self.wrappers, Arc::new(wrapper))
    }

    /// Runs an operation inside the wrappers of `E`.
    ///
    /// `None` when a wrapper kept it from running. Panics of the operation and of wrappers reach
    /// the caller. Dropping the future drops the operation.
    pub async fn run<E, F>(&self, event: &E, operation: F) -> Option<F::Output>
    where
        E: Sync + 'static,
        F: Future<Output: Send> + Send,
    {
        let Some(wrappers) = self.wrappers.get(TypeId::of::<E>()) else {
            return Some(operation.await);
        };
        let mut output = None;
        {
            let operation = pin!(async { output = Some(operation.await) });
            let next = Next {
                event,
                wrappers: &wrappers,
                operation,
            };
            next.run().await;
        }
        output
    }

    /// Tells the listeners of `E`. Allocates nothing.
    pub fn emit<E: 'static>(&self, event: &E) {
        let Some(listeners) = self.listeners.get(TypeId::of::<E>()) else {
            return;
        };
        for (_, listener) in &*listeners {
            let Some(listener) = listener.downcast_ref::<Arc<Listener<E>>>() else {
                continue;
            };
            if let Err(payload) = unwind::catch(|| listener(event)) {
                tracing::error!(
                    target: "znight::hooks",
                    event = std::any::type_name::<E>(),
                    "a listener {}",
                    unwind::Panicked::new(&payload),
                );
            }
        }
    }

    /// Whether anybody listens to `E`: producers need not build an event for nobody.
    pub fn has_listeners<E: 'static>(&self) -> bool {
        self.listeners.get(TypeId::of::<E>()).is_some()
    }

    /// Whether anybody wraps `E`.
    pub fn has_wrappers<E: 'static>(&self) -> bool {
        self.wrappers.get(TypeId::of::<E>()).is_some()
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("listeners", &self.listeners.count())
            .field("wrappers", &self.wrappers.count())
            .finish()
    }
}

fn subscribe<E: 'static>(
    registry: &Arc<Registry>,
    subscriber: registry::Subscriber,
) -> Subscription {
    let event = TypeId::of::<E>();
    let id = registry.add(event, subscriber);
    Subscription {
        registry: Arc::clone(registry),
        event,
        id,
        kept: false,
    }
}

/// What is left of an operation from the point of view of one wrapper.
pub struct Next<'a, E> {
    event: &'a E,
    wrappers: &'a [(Id, registry::Subscriber)],
    operation: Pin<&'a mut (dyn Future<Output = ()> + Send + 'a)>,
}

impl<'a, E: Sync + 'static> Next<'a, E> {
    /// Runs the inner wrappers and the operation.
    pub fn run(self) -> BoxFuture<'a, ()> {
        let Some(((_, wrapper), inner)) = self.wrappers.split_first() else {
            return Box::pin(self.operation);
        };
        let next = Next {
            wrappers: inner,
            ..self
        };
        match wrapper.downcast_ref::<Arc<Wrapper<E>>>() {
            Some(wrapper) => wrapper(next.event, next),
            None => next.run(),
        }
    }
}

impl<E> fmt::Debug for Next<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("wrappers", &self.wrappers.len())
            .finish_non_exhaustive()
    }
}

/// One registration of [`Hooks::on`] or [`Hooks::wrap`]; dropping it unsubscribes.
#[must_use = "dropping a subscription unsubscribes; `.forget()` keeps it for as long as the bus lives"]
pub struct Subscription {
    registry: Arc<Registry>,
    event: TypeId,
    id: Id,
    kept: bool,
}

impl Subscription {
    /// Keeps the registration for as long as the bus lives.
    pub fn forget(mut self) {
        self.kept = true;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if !self.kept {
            self.registry.remove(self.event, self.id);
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscription(..)")
    }
}
