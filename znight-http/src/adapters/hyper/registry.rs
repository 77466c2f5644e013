//! The open connections: to close those that stand still, and all of them at the stop.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering},
    },
    task::Waker,
};

use tokio::sync::Notify;

use crate::pipeline::Activity;

/// A connection that stood still for this many ticks in a row is closed.
pub(super) const TICKS: u32 = 3;

const DRAIN: u8 = 1;
const CLOSE: u8 = 2;

/// What is known of one connection, and what it is asked to do.
///
/// A connection stands still while no request of it is being answered and nothing is written to
/// it. That is so while the head of a request arrives, between two requests, and while the client
/// does not read its reply: one clock for all of these, which costs a request two additions. A reply
/// that is a stream is being answered while its next piece is waited for.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Requests being answered.
    active: AtomicU32,
    /// A reply has been handed over that may not be on its way yet.
    replied: AtomicBool,
    /// There has been a request.
    used: AtomicBool,
    /// Changes with every sign of life.
    progress: AtomicU32,
    /// What is asked of the connection.
    asked: AtomicU8,
    /// Wakes its task.
    waker: OnceLock<Waker>,
}

impl Watch {
    /// A request is being answered until the answer is dropped.
    pub(super) fn request(self: &Arc<Self>) -> Active {
        let mut active = Active {
            watch: Arc::clone(self),
            counts: false,
        };
        self.used.store(true, Ordering::Relaxed);
        active.waits_for_application();
        active
    }

    /// What has been handed over is on its way.
    pub(super) fn flushed(&self) {
        self.replied.store(false, Ordering::Relaxed);
    }

    /// Whether nothing of a reply is left to be written.
    pub(super) fn is_quiet(&self) -> bool {
        !self.replied.load(Ordering::Relaxed) && self.active.load(Ordering::Relaxed) == 0
    }

    /// There was a sign of life.
    pub(super) fn moved(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets the connection be woken by the waker of its task, which stays the same.
    pub(super) fn woken_by(&self, waker: &Waker) {
        self.waker.get_or_init(|| waker.clone());
    }

    /// Whether there has been a request.
    pub(super) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether the connection is to end after the requests in flight.
    pub(super) fn drains(&self) -> bool {
        self.asked.load(Ordering::Acquire) & DRAIN != 0
    }

    /// Whether the connection is to end at once.
    pub(super) fn closes(&self) -> bool {
        self.asked.load(Ordering::Acquire) & CLOSE != 0
    }

    fn ask(&self, what: u8) {
        self.asked.fetch_or(what, Ordering::AcqRel);
        // Without a waker the task has not run yet, and will see what is asked when it does.
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Active {
    watch: Arc<Watch>,
    /// Not while a body that is a stream has pieces the client has not taken.
    counts: bool,
}

impl Activity for Active {
    #[inline]
    fn is_last(&self) -> bool {
        self.watch.drains()
    }

    #[inline]
    fn waits_for_application(&mut self) {
        if !std::mem::replace(&mut self.counts, true) {
            self.watch.active.fetch_add(1, Ordering::Relaxed);
            self.watch.moved();
        }
    }

    fn waits_for_client(&mut self) {
        if std::mem::take(&mut self.counts) {
            self.watch.replied.store(true, Ordering::Relaxed);
            self.watch.moved();
            self.watch.active.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.waits_for_client();
    }
}

/// The open connections.
#[derive(Debug, Default)]
pub(super) struct Registry {
    open: Mutex<Open>,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    connections: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    watch: Arc<Watch>,
    /// The progress seen at the last tick, and for how many ticks it has been the same.
    seen: u32,
    still: u32,
}

impl Registry {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection, which stays until what is given back is dropped.
    pub(super) fn add(self: &Arc<Self>, watch: &Arc<Watch>) -> Registered {
        let mut open = self.open();
        let id = open.next;
        open.next += 1;
        open.connections.insert(
            id,
            Entry {
                watch: Arc::clone(watch),
                seen: 0,
                still: 0,
            },
        );
        Registered {
            registry: Arc::clone(self),
            id,
        }
    }

    /// Closes the connections that have stood still for long enough.
    pub(super) fn tick(&self) {
        for entry in self.open().connections.values_mut() {
            let progress = entry.watch.progress.load(Ordering::Relaxed);
            let active = entry.watch.active.load(Ordering::Relaxed);
            if active > 0 || progress != entry.seen {
                entry.seen = progress;
                entry.still = 0;
                continue;
            }
            entry.still += 1;
            if entry.still >= TICKS {
                entry.watch.ask(CLOSE);
            }
        }
    }

    /// Lets every connection end after the requests in flight.
    pub(super) fn drain(&self) {
        self.ask_all(DRAIN);
    }

    /// Closes every connection; how many there were.
    pub(super) fn close(&self) -> usize {
        self.ask_all(CLOSE)
    }

    fn ask_all(&self, what: u8) -> usize {
        let open = self.open();
        for entry in open.connections.values() {
            entry.watch.ask(what);
        }
        open.connections.len()
    }

    /// Waits until no connection is open.
    pub(super) async fn empty(&self) {
        loop {
            let emptied = self.emptied.notified();
            if self.open().connections.is_empty() {
                return;
            }
            emptied.await;
        }
    }
}

/// A connection in the registry.
#[derive(Debug)]
pub(super) struct Registered {
    registry: Arc<Registry>,
    id: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut open = self.registry.open();
        open.connections.remove(&self.id);
        if open.connections.is_empty() {
            self.registry.emptied.notify_waiters();
        }
    }
}
