//! The dependencies of one instance, in the order its glue asks for them.

use std::{any::TypeId, fmt, panic::resume_unwind, sync::Arc};

use super::Injected;
use crate::{
    container::{Held, Inner, Item, Lazy, Resolved, SlotId, Unresolved},
    error::Error,
    intercept::Interceptors,
    provider,
};

/// The dependencies of an instance that is being made: found beforehand, handed out in order.
///
/// A dependency is found before the constructor runs, so that asking for one cannot fail. Two
/// kinds depend on the type asked for: a provider of which some traits are overridden, and an
/// optional dependency bound to nothing. When one of them is not there yet, the attempt is
/// abandoned by unwinding, and the container makes the instance later or reports why it cannot.
pub struct Deps<'a> {
    container: &'a Inner,
    list: std::vec::IntoIter<Resolved<'a>>,
}

impl<'a> Deps<'a> {
    pub(crate) fn new(container: &'a Inner, list: Vec<Resolved<'a>>) -> Self {
        Self {
            container,
            list: list.into_iter(),
        }
    }

    /// The next dependency.
    // Not an iterator: the type asked for differs from call to call.
    #[expect(
        clippy::should_implement_trait,
        reason = "the interface with generated code"
    )]
    pub fn next<D: Injected>(&mut self) -> D {
        D::take(self)
    }

    /// The next dependency, by value: a transient, or a clone of a `#[provides(clone)]` value.
    pub fn value<T: Send + Sync + 'static>(&mut self) -> T {
        let Resolved::One(item) = self.following::<T>() else {
            provider::mismatch::<T>()
        };
        match self.required::<T>(item).into_value::<T>() {
            Ok(value) => value,
            Err(error) => abandon(None, error),
        }
    }

    fn following<T: ?Sized>(&mut self) -> Resolved<'a> {
        match self.list.next() {
            Some(resolved) => resolved,
            None => provider::mismatch::<T>(),
        }
    }

    /// The instance in a slot; `None` when its provider provides nothing.
    fn look_up(&self, slot: SlotId) -> Option<Held<'a>> {
        match self.container.resolve(slot) {
            Ok(held) => held,
            Err(error) => {
                // An async constructor may still run; any other failure is final.
                let missing = self.container.waits_for_async(slot).then_some(slot);
                abandon(missing, error)
            }
        }
    }

    fn find<T: ?Sized + 'static>(&self, item: Item<'a>) -> Option<Held<'a>> {
        match item {
            Item::Held(held) => Some(held),
            Item::ByType(slot) => self.look_up(self.container.redirected(slot, TypeId::of::<T>())),
        }
    }

    fn required<T: ?Sized + 'static>(&self, item: Item<'a>) -> Held<'a> {
        let slot = match &item {
            Item::Held(_) => None,
            Item::ByType(slot) => Some(*slot),
        };
        match (self.find::<T>(item), slot) {
            (Some(held), _) => held,
            (None, Some(slot)) => abandon(None, self.container.provides_nothing(slot)),
            (None, None) => provider::mismatch::<T>(),
        }
    }

    pub(super) fn one<T: ?Sized + Send + Sync + 'static>(&mut self) -> Arc<T> {
        match self.following::<T>() {
            Resolved::One(item) => self.required::<T>(item).arc(),
            _ => provider::mismatch::<T>(),
        }
    }

    pub(super) fn optional<T: ?Sized + Send + Sync + 'static>(&mut self) -> Option<Arc<T>> {
        let held = match self.following::<T>() {
            Resolved::One(item) => self.find::<T>(item),
            Resolved::Nothing => None,
            Resolved::Unbound => {
                self.look_up(self.container.supplied_at_run_time(TypeId::of::<T>())?)
            }
            _ => provider::mismatch::<T>(),
        };
        held.map(Held::arc)
    }

    pub(super) fn many<T: ?Sized + Send + Sync + 'static>(&mut self) -> Vec<Arc<T>> {
        match self.following::<T>() {
            Resolved::Many(items) => items
                .into_iter()
                .filter_map(|item| self.find::<T>(item))
                .map(Held::arc)
                .collect(),
            _ => provider::mismatch::<T>(),
        }
    }

    /// The interceptors of the instance.
    pub(crate) fn interceptors(&mut self) -> Interceptors {
        match self.following::<Interceptors>() {
            Resolved::Interceptors(interceptors) => interceptors,
            _ => provider::mismatch::<Interceptors>(),
        }
    }

    pub(super) fn lazy<T: ?Sized + Send + Sync + 'static>(&mut self) -> Lazy<T> {
        match self.optional_lazy() {
            Some(lazy) => lazy,
            None => provider::mismatch::<T>(),
        }
    }

    pub(super) fn optional_lazy<T: ?Sized + Send + Sync + 'static>(&mut self) -> Option<Lazy<T>> {
        let slot = match self.following::<T>() {
            Resolved::Lazy(slot) => self.container.redirected(slot, TypeId::of::<T>()),
            Resolved::Unbound => self.container.supplied_at_run_time(TypeId::of::<T>())?,
            Resolved::Nothing => return None,
            _ => provider::mismatch::<T>(),
        };
        Some(Lazy::new(self.container.weak(), slot))
    }
}

/// Leaves the glue, which has no way to fail. `resume_unwind` prints nothing and the container
/// catches it. `missing` is what has to exist before another attempt.
fn abandon(missing: Option<SlotId>, error: Error) -> ! {
    resume_unwind(Box::new(Unresolved { missing, error }))
}

impl fmt::Debug for Deps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deps")
            .field("left", &self.list.len())
            .finish_non_exhaustive()
    }
}
