//! Releases what the container made.

use std::sync::{Arc, PoisonError, atomic::Ordering};

use znight_contract::ErrorCode;

use super::{
    Inner,
    slot::{Instance, Slot, SlotId},
};
use crate::{
    definition::Hook,
    error::{BoxError, Error},
    unwind::{self, Panicked},
};

impl Inner {
    /// The singletons there are, in resolution order.
    pub(crate) fn instances(&self) -> Vec<(SlotId, &Slot, &Instance)> {
        let Some(plan) = self.sealed.get() else {
            return Vec::new();
        };
        let existing = plan.order.iter().filter_map(|id| {
            let instance = plan.cells[*id as usize].get()?.as_ref()?;
            Some((*id, plan.slot(*id), instance))
        });
        existing.collect()
    }

    /// Ends creation, and gives what was created, in the order of creation. Nothing the second
    /// time.
    pub(crate) fn close(&self) -> Vec<SlotId> {
        self.created
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .unwrap_or_default()
    }

    /// Hands out nothing any more: what there was has been disposed.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// Whether nothing is handed out any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Whether creation has ended.
    pub(crate) fn is_closed(&self) -> bool {
        let created = self.created.lock();
        created.unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Disposes an instance that came too late to be kept, in a task of its own: whoever made it may
    /// not be able to wait. Without a runtime it is only dropped.
    pub(crate) fn refuse(&self, id: SlotId, instance: Arc<Instance>) {
        let (Some(container), Ok(runtime)) =
            (self.me.upgrade(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        drop(runtime.spawn(async move {
            let Some(plan) = container.sealed.get() else {
                return;
            };
            let slot = plan.slot(id);
            if let Some(dispose) = &slot.hooks.dispose
                && let Err(error) = run_hook(slot, "dispose", dispose, &instance).await
            {
                tracing::error!(
                    target: "znight::container",
                    code = %error.code(),
                    error = %error.report(),
                    provider = &*slot.display,
                    "what was made too late could not be disposed"
                );
            }
        }));
    }

    /// Disposes everything in the reverse order of creation; what failed.
    pub(crate) async fn dispose(&self) -> Vec<Error> {
        let created = self.close();
        let mut failures = Vec::new();
        let Some(plan) = self.sealed.get() else {
            return failures;
        };
        for id in created.into_iter().rev() {
            let slot = plan.slot(id);
            if let (Some(dispose), Some(Some(instance))) =
                (&slot.hooks.dispose, plan.cells[id as usize].get())
            {
                failures.extend(run_hook(slot, "dispose", dispose, instance).await.err());
            }
        }
        failures
    }
}

/// Runs one hook of a provider; ZNIGHT021 when it fails or panics.
pub(crate) async fn run_hook(
    slot: &Slot,
    name: &str,
    hook: &Hook,
    instance: &Instance,
) -> Result<(), Error> {
    let result = match unwind::catch(|| hook.call(instance.main())) {
        Ok(future) => unwind::catch_async(future).await,
        Err(payload) => Err(payload),
    };
    match result {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(hook_failed(slot, name, error)),
        Err(payload) => Err(hook_failed(slot, name, Panicked::new(&payload).into())),
    }
}

fn hook_failed(slot: &Slot, name: &str, error: BoxError) -> Error {
    Error::wrap(error, |error| {
        Error::new(
            ErrorCode::LifecycleFailed,
            format!("`{name}` of {} failed", slot.display),
        )
        .with_source(error)
        .with_place(slot.source)
    })
}
