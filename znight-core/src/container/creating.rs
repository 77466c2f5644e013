//! What this thread is making right now: finds circles, and keeps instances single.

use std::{
    cell::RefCell,
    pin::Pin,
    sync::PoisonError,
    task::{Context, Poll},
};

use super::slot::SlotId;
use crate::sync::{Mutex, MutexGuard, thread_local};

/// Whose instance is made: the container or the request scope, by address.
type Owner = usize;

#[derive(Debug, Clone, Copy)]
struct Frame {
    owner: Owner,
    /// The container, for which slots mean something.
    realm: u64,
    slot: SlotId,
    /// Whether this frame holds the lock of its owner.
    locked: bool,
}

thread_local! {
    static STACK: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// The lock under which the instances of one owner are made. The thread that has it may take it
/// again, for the dependencies.
#[derive(Debug)]
pub(crate) struct CreationLock {
    lock: Mutex<()>,
    realm: u64,
}

/// A slot is being made on this thread until this is dropped.
pub(crate) struct Creating<'a> {
    _guard: Option<MutexGuard<'a, ()>>,
}

/// The slot is being made already, by what called for it: the slots from it to the caller.
pub(crate) struct Circle(pub(crate) Vec<SlotId>);

impl CreationLock {
    /// A lock for the container with this number, or for one of its scopes.
    pub(crate) fn new(realm: u64) -> Self {
        Self {
            lock: Mutex::new(()),
            realm,
        }
    }

    fn owner(&self) -> Owner {
        std::ptr::from_ref(self).addr()
    }

    /// Begins making a slot; other threads wait.
    pub(crate) fn enter(&self, slot: SlotId) -> Result<Creating<'_>, Circle> {
        let held = self.check(slot)?;
        let guard = (!held).then(|| self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.push(slot, guard.is_some());
        Ok(Creating { _guard: guard })
    }

    /// Begins making a slot of which there may be several at a time.
    pub(crate) fn enter_unlocked(&self, slot: SlotId) -> Result<Creating<'_>, Circle> {
        self.check(slot)?;
        self.push(slot, false);
        Ok(Creating { _guard: None })
    }

    /// Marks a slot as being made around each poll of the future that makes it.
    pub(crate) fn during<'a, F: Future + Unpin + 'a>(
        &self,
        slot: SlotId,
        future: F,
    ) -> impl Future<Output = F::Output> + use<'a, F> {
        During {
            frame: self.frame(slot, false),
            future,
        }
    }

    /// The slots this thread is making for the container and its scopes, outermost first.
    pub(crate) fn path(&self) -> Vec<SlotId> {
        STACK.with(|stack| {
            let stack = stack.borrow();
            let own = stack.iter().filter(|frame| frame.realm == self.realm);
            own.map(|frame| frame.slot).collect()
        })
    }

    fn frame(&self, slot: SlotId, locked: bool) -> Frame {
        Frame {
            owner: self.owner(),
            realm: self.realm,
            slot,
            locked,
        }
    }

    fn push(&self, slot: SlotId, locked: bool) {
        push(self.frame(slot, locked));
    }

    /// Whether this thread has the lock; an error when it is making the slot.
    fn check(&self, slot: SlotId) -> Result<bool, Circle> {
        let owner = self.owner();
        STACK.with(|stack| {
            let stack = stack.borrow();
            let mut own = stack.iter().filter(|frame| frame.owner == owner);
            if own.clone().any(|frame| frame.slot == slot) {
                let circle = own.skip_while(|frame| frame.slot != slot);
                return Err(Circle(circle.map(|frame| frame.slot).collect()));
            }
            Ok(own.any(|frame| frame.locked))
        })
    }
}

fn push(frame: Frame) {
    STACK.with(|stack| stack.borrow_mut().push(frame));
}

fn pop() {
    STACK.with(|stack| {
        stack.borrow_mut().pop();
    });
}

impl Drop for Creating<'_> {
    fn drop(&mut self) {
        pop();
    }
}

struct During<F> {
    frame: Frame,
    future: F,
}

impl<F: Future + Unpin> Future for During<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        push(self.frame);
        let _pop = Creating { _guard: None };
        Pin::new(&mut self.future).poll(cx)
    }
}
