//! Subscribers by type of event, copied when they change so that producers only take a snapshot.

use std::{
    any::{Any, TypeId},
    sync::{Arc, PoisonError},
};

use rustc_hash::FxHashMap;

use crate::sync::{
    RwLock,
    atomic::{AtomicUsize, Ordering},
};

/// Names one registration.
pub(super) type Id = u64;
/// A closure whose type is known to whoever looks it up.
pub(super) type Subscriber = Arc<dyn Any + Send + Sync>;
type Snapshot = Arc<[(Id, Subscriber)]>;

#[derive(Default)]
pub(super) struct Registry {
    /// How many event types have subscribers: most have none, and then no lock is taken.
    events: AtomicUsize,
    table: RwLock<Table>,
}

#[derive(Default)]
struct Table {
    next: Id,
    by_event: FxHashMap<TypeId, Snapshot>,
}

impl Registry {
    /// The subscribers of one event; `None` rather than none.
    pub(super) fn get(&self, event: TypeId) -> Option<Snapshot> {
        if self.events.load(Ordering::Acquire) == 0 {
            return None;
        }
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.by_event.get(&event).cloned()
    }

    pub(super) fn add(&self, event: TypeId, subscriber: Subscriber) -> Id {
        self.change(|table| {
            let id = table.next;
            table.next += 1;
            let subscribers = table.by_event.entry(event).or_default();
            *subscribers = subscribers
                .iter()
                .cloned()
                .chain([(id, subscriber)])
                .collect();
            id
        })
    }

    pub(super) fn remove(&self, event: TypeId, id: Id) {
        self.change(|table| {
            let Some(subscribers) = table.by_event.get_mut(&event) else {
                return;
            };
            *subscribers = subscribers
                .iter()
                .filter(|(other, _)| *other != id)
                .cloned()
                .collect();
            if subscribers.is_empty() {
                table.by_event.remove(&event);
            }
        });
    }

    /// How many event types have subscribers.
    pub(super) fn count(&self) -> usize {
        self.events.load(Ordering::Acquire)
    }

    fn change<R>(&self, change: impl FnOnce(&mut Table) -> R) -> R {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut table);
        self.events.store(table.by_event.len(), Ordering::Release);
        result
    }
}
