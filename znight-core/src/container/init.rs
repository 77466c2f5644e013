//! Creates the singletons: each as soon as what it depends on is there.

use std::{cmp::Reverse, collections::BinaryHeap, sync::PoisonError};

use futures_util::stream::{FuturesUnordered, StreamExt};
use znight_contract::ScopeKind;

use super::{
    Inner,
    needs::{Needs, Only},
    plan::Plan,
    resolve::Failure,
    scope,
    slot::SlotId,
    validate::{circular, validate},
};
use crate::{__private::BoxFuture, error::Error, inject::Deps, provider::Made, unwind};

/// Slots by their place in the resolution order.
type Ready = BinaryHeap<Reverse<(usize, usize)>>;

/// What one async constructor came to.
type Settled = (usize, Result<Made, unwind::Payload>);

/// What is left to create.
struct Work {
    needs: Needs,
    /// The place of each slot in the resolution order.
    place: Vec<usize>,
    /// How many slots each slot waits for.
    waiting: Vec<usize>,
    /// Which slots wait for each slot.
    waiters: Vec<Vec<usize>>,
    done: Vec<bool>,
    ready: Ready,
}

impl Inner {
    /// Merges, checks, and creates what is needed. On a failure everything created is disposed.
    pub(crate) async fn boot(&self, only: &Only) -> Result<(), Error> {
        let registrations = self
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(registrations) = registrations {
            // Nobody else has what was taken, so the cell is empty.
            let _ = self
                .sealed
                .set(Plan::new(self.graph, registrations.into_ascending()));
        }
        let _ = self.only.set(only.clone());
        let plan = self.plan()?;
        let mut problems = plan.problems.clone();
        let needs = Needs::new(plan, only, &mut problems);
        validate(plan, &needs, &mut problems);
        if let Some(error) = Error::all("the dependency graph", problems) {
            return Err(error);
        }
        if let Only::Roots { .. } = only {
            let roots = (0..).zip(&needs.roots).filter(|(_, root)| **root);
            let _ = self.roots.set(roots.map(|(id, _)| id).collect());
        } else {
            let _ = self.roots.set(self.graph.roots());
        }
        if let Err(error) = self.create(plan, needs).await {
            let failures = self.dispose().await;
            self.end();
            return Err(error.with_suppressed(failures));
        }
        Ok(())
    }

    async fn create(&self, plan: &Plan, needs: Needs) -> Result<(), Error> {
        let mut work = Work::new(plan, needs);
        let mut pending: FuturesUnordered<BoxFuture<'_, Settled>> = FuturesUnordered::new();
        loop {
            while let Some(Reverse((_, id))) = work.ready.pop() {
                let slot_id = work.id(id);
                let slot = &plan.slots[id];
                let exists = plan.cells[id].get().is_some();
                if slot.scope != ScopeKind::Singleton || exists {
                    work.finished(id);
                } else if let Some(make) = slot.creation.as_async() {
                    let deps = {
                        let _outside = scope::leave();
                        let _creating =
                            self.creating.enter_unlocked(slot_id).map_err(|circle| {
                                super::resolve::circle_error(plan, &circle, slot_id)
                            })?;
                        self.dependencies(plan, slot)?
                    };
                    match unwind::catch(|| make(Deps::new(self, deps))) {
                        Ok(future) => pending.push(self.watch(slot_id, future)),
                        Err(payload) => self.settled(plan, &mut work, (id, Err(payload)))?,
                    }
                } else {
                    match self.singleton(plan, slot_id) {
                        Ok(_) => work.finished(id),
                        Err(failure) => work.postpone(plan, id, failure)?,
                    }
                }
            }
            match pending.next().await {
                Some(settled) => self.settled(plan, &mut work, settled)?,
                None => break,
            }
        }
        work.stuck(plan).map_or(Ok(()), Err)
    }

    /// The future of an async constructor: outside of any request scope, known to be in the
    /// making, its panics caught.
    fn watch<'a>(&'a self, slot: SlotId, future: BoxFuture<'a, Made>) -> BoxFuture<'a, Settled> {
        let caught: BoxFuture<'a, _> = Box::pin(unwind::catch_async(future));
        let future = scope::outside(self.creating.during(slot, caught));
        Box::pin(async move { (slot as usize, future.await) })
    }

    fn settled(&self, plan: &Plan, work: &mut Work, (id, result): Settled) -> Result<(), Error> {
        let slot = work.id(id);
        let kept = self
            .settle(plan, slot, result)
            .and_then(|made| self.keep(plan, slot, made));
        match kept {
            Ok(_) => {
                work.finished(id);
                Ok(())
            }
            Err(failure) => work.postpone(plan, id, failure),
        }
    }
}

impl Work {
    fn new(plan: &Plan, needs: Needs) -> Self {
        let count = plan.slots.len();
        let mut place = vec![0; count];
        for (at, id) in plan.order.iter().enumerate() {
            place[*id as usize] = at;
        }
        let mut work = Self {
            place,
            waiting: vec![0; count],
            waiters: vec![Vec::new(); count],
            done: vec![false; count],
            ready: Ready::new(),
            needs,
        };
        let needed: Vec<usize> = (0..count).filter(|id| work.needs.needed[*id]).collect();
        work.enlist(plan, &needed);
        work
    }

    fn id(&self, index: usize) -> SlotId {
        debug_assert!(index < self.done.len());
        SlotId::try_from(index).expect("invariant: slots are numbered in 32 bits")
    }

    /// Adds slots to what is to be created.
    fn enlist(&mut self, plan: &Plan, slots: &[usize]) {
        for &id in slots {
            for &ahead in &plan.ahead[id] {
                if !self.done[ahead] {
                    self.waiting[id] += 1;
                    self.waiters[ahead].push(id);
                }
            }
            self.ready_if_free(id);
        }
    }

    fn ready_if_free(&mut self, id: usize) {
        if self.waiting[id] == 0 {
            self.ready.push(Reverse((self.place[id], id)));
        }
    }

    fn finished(&mut self, id: usize) {
        self.done[id] = true;
        for waiter in std::mem::take(&mut self.waiters[id]) {
            self.waiting[waiter] -= 1;
            self.ready_if_free(waiter);
        }
    }

    /// Lets a slot wait for one it turned out to need, which only its glue could tell; an error
    /// when that is not why it failed.
    fn postpone(&mut self, plan: &Plan, id: usize, failure: Failure) -> Result<(), Error> {
        let Some(missing) = failure.missing else {
            return Err(failure.error);
        };
        let missing = missing as usize;
        // Needed already and done: it exists, so the failure is a real one.
        if self.done[missing] || missing == id {
            return Err(failure.error);
        }
        let added = self.needs.add(plan, missing);
        if added.is_empty() && self.waiters[missing].contains(&id) {
            return Err(failure.error);
        }
        let mut problems = Vec::new();
        validate(plan, &self.needs, &mut problems);
        if let Some(error) = Error::all("the dependency graph", problems) {
            return Err(error);
        }
        self.waiting[id] += 1;
        self.waiters[missing].push(id);
        self.enlist(plan, &added);
        Ok(())
    }

    /// Slots that still wait although nothing is going on: they wait for each other.
    fn stuck(&self, plan: &Plan) -> Option<Error> {
        let stuck: Vec<&str> = (0..self.done.len())
            .filter(|id| self.needs.needed[*id] && !self.done[*id])
            .map(|id| &*plan.slots[id].display)
            .collect();
        (!stuck.is_empty()).then(|| circular(&stuck))
    }
}
