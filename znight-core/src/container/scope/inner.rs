//! What the handles on one scope share.

use std::{
    any::TypeId,
    fmt, mem,
    sync::{Arc, PoisonError},
};

use znight_contract::ErrorCode;

use super::{current, current::Seed};
use crate::{
    container::{
        Inner,
        creating::CreationLock,
        dispose::run_hook,
        plan::Plan,
        resolve::circle_error,
        slot::{Creation, Held, Instance, Slot, SlotId},
    },
    error::Error,
    provider::Handle,
    sync::{Mutex, MutexGuard},
    unwind::{self, Panicked},
};

/// The instances of one request.
pub(crate) struct ScopeInner {
    pub(super) container: Arc<Inner>,
    creating: CreationLock,
    content: Mutex<Content>,
}

#[derive(Default)]
struct Content {
    seeds: Vec<Seed>,
    /// In the order of creation. A request makes a handful: searching them beats hashing.
    instances: Vec<(SlotId, Kept)>,
    closed: bool,
}

/// What a provider made in this scope: `None` inside when it made nothing.
#[derive(Clone)]
struct Kept(Option<Arc<Instance>>);

impl ScopeInner {
    pub(super) fn new(container: Arc<Inner>, seed: Option<Seed>) -> Self {
        Self {
            creating: CreationLock::new(container.number),
            container,
            content: Mutex::new(Content {
                seeds: seed.into_iter().collect(),
                ..Content::default()
            }),
        }
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.content().closed
    }

    pub(super) fn seed(&self, seed: Seed) {
        let mut content = self.content();
        if content.closed {
            return;
        }
        content.seeds.retain(|old| old.type_id != seed.type_id);
        content.seeds.push(seed);
    }

    pub(super) fn seeded(&self, type_id: TypeId) -> Option<Handle> {
        let content = self.content();
        let seed = content.seeds.iter().find(|seed| seed.type_id == type_id)?;
        Some(seed.handle())
    }

    fn existing(&self, id: SlotId) -> Result<Option<Kept>, Closed> {
        let content = self.content();
        if content.closed {
            return Err(Closed);
        }
        let found = content.instances.iter().find(|(slot, _)| *slot == id);
        Ok(found.map(|(_, instance)| instance.clone()))
    }

    /// Ends the scope: nothing is resolved in it any more.
    pub(super) fn end(&self) {
        let seeds = {
            let mut content = self.content();
            content.closed = true;
            mem::take(&mut content.seeds)
        };
        drop(seeds); // whose destructors may look at the scope
    }

    /// Ends the scope and disposes what was made in it, the last first; what failed. Goes on
    /// where an earlier call was dropped.
    pub(super) async fn close(&self) -> Vec<Error> {
        self.end();
        let mut failures = Vec::new();
        let Ok(plan) = self.container.plan() else {
            return failures;
        };
        while let Some((id, Kept(instance))) = self.take_last() {
            let slot = plan.slot(id);
            if let (Some(dispose), Some(instance)) = (&slot.hooks.dispose, &instance) {
                failures.extend(run_hook(slot, "dispose", dispose, instance).await.err());
            }
            failures.extend(free(slot, instance));
        }
        failures
    }

    /// Drops what was made in the scope, the last first: it may hold on to the scope itself. What
    /// failed.
    pub(super) fn clear(&self) -> Vec<Error> {
        let mut failures = Vec::new();
        while let Some((id, Kept(instance))) = self.take_last() {
            if let Ok(plan) = self.container.plan() {
                failures.extend(free(plan.slot(id), instance));
            }
        }
        failures
    }

    fn take_last(&self) -> Option<(SlotId, Kept)> {
        self.content().instances.pop()
    }

    /// Whether closing has anything to wait for.
    pub(super) fn has_disposals(&self) -> bool {
        let Ok(plan) = self.container.plan() else {
            return false;
        };
        self.content()
            .instances
            .iter()
            .any(|(id, _)| plan.slot(*id).hooks.dispose.is_some())
    }

    /// The instance of a slot in this scope, made now when there is none.
    fn instance<'a>(
        &self,
        container: &Inner,
        plan: &'a Plan,
        id: SlotId,
    ) -> Result<Option<Held<'a>>, Error> {
        let slot = plan.slot(id);
        let closed = |_: Closed| closed_error(slot);
        if let Some(existing) = self.existing(id).map_err(closed)? {
            return Ok(existing.0.map(Held::Scope));
        }
        if let Some(seed) = self.seeded(slot.type_id) {
            return Ok(Some(Held::Owned(seed, slot)));
        }
        if let Creation::Seed = slot.creation {
            return Err(unseeded(slot));
        }
        let _creating = self
            .creating
            .enter(id)
            .map_err(|circle| circle_error(plan, &circle, id))?;
        if let Some(existing) = self.existing(id).map_err(closed)? {
            return Ok(existing.0.map(Held::Scope)); // a parallel part of the request was faster
        }
        let made = container.make(plan, id).map_err(|failure| failure.error)?;
        let instance = made.map(|main| Arc::new(Instance::brief(main, slot)));
        let mut content = self.content();
        if content.closed {
            drop(content);
            if let Some(instance) = instance {
                container.refuse(id, instance);
            }
            return Err(closed_error(slot));
        }
        content.instances.push((id, Kept(instance.clone())));
        Ok(instance.map(Held::Scope))
    }
}

/// Lets go of an instance. A panic of its destructor must not reach who ends the scope.
fn free(slot: &Slot, instance: Option<Arc<Instance>>) -> Option<Error> {
    let freed = unwind::catch(|| drop(instance));
    freed.err().map(|payload| {
        Error::new(
            ErrorCode::LifecycleFailed,
            format!("`drop` of {} failed", slot.display),
        )
        .with_source(Panicked::new(&payload))
        .with_place(slot.source)
    })
}

impl fmt::Debug for ScopeInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = self.content();
        f.debug_struct("Scope")
            .field("instances", &content.instances.len())
            .field("closed", &content.closed)
            .finish_non_exhaustive()
    }
}

struct Closed;

/// The instance of a slot in the scope of this thread.
pub(crate) fn instance<'a>(
    container: &Inner,
    plan: &'a Plan,
    id: SlotId,
) -> Result<Option<Held<'a>>, Error> {
    let scope = current::with(|state| match &state.container {
        Some(of) if std::ptr::eq(&raw const **of, container) => state.share().map(Arc::clone),
        _ => None,
    });
    match scope {
        Some(scope) => scope.instance(container, plan, id),
        None => Err(no_scope(plan.slot(id))),
    }
}

/// A value seeded into the scope of this thread, whether or not the graph knows its type.
pub(crate) fn seeded(container: &Inner, type_id: TypeId) -> Option<Handle> {
    current::with(|state| {
        let of = state.container.as_ref()?;
        if !std::ptr::eq(&raw const **of, container) {
            return None;
        }
        match (&state.seed, &state.shared) {
            (Some(seed), _) if seed.type_id == type_id => Some(seed.handle()),
            (_, Some(shared)) => shared.seeded(type_id),
            _ => None,
        }
    })
}

fn outside_scope(slot: &Slot, why: &str) -> Error {
    Error::new(
        ErrorCode::OutsideRequestScope,
        format!("{} is request-scoped and {why}", slot.with_token()),
    )
    .with_place(slot.source)
}

fn no_scope(slot: &Slot) -> Error {
    outside_scope(slot, "was resolved outside of a request scope")
        .with_hint("resolve it inside `container.run_in_scope(..)`, or while a request is handled")
        .with_hint("in a singleton, inject `Lazy<T>` and call `get()` during the request")
        .with_hint(
            "work given to `tokio::spawn` stays in the scope with `Scope::current()?.wrap(..)`",
        )
}

fn closed_error(slot: &Slot) -> Error {
    outside_scope(slot, "was resolved in a scope that is closed").with_hint(
        "await what a request starts before it ends; give plain values to background work",
    )
}

fn unseeded(slot: &Slot) -> Error {
    outside_scope(slot, "was not seeded into this scope")
        .with_hint("whoever opens the scope supplies it: `scope.seed(Arc::new(value))`")
}
