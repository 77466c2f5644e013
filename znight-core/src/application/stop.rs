//! The stop, which is also how a failed creation or start is undone.

use std::{pin::pin, sync::Arc, time::Duration};

use rustc_hash::FxHashSet;
use znight_contract::ErrorCode;

use super::{
    Application, ApplicationState, Shared,
    state::{Phase, Stop},
    step,
    step::Budget,
};
use crate::{
    container::{self, SlotId},
    error::Error,
    plugin::PluginHook,
    unwind::{self, Panicked},
};

/// After how long at the latest the log says what a stop waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Begins the stop somebody asks for. A hook of the start that asks must not wait for the start,
/// which waits for the hook; likewise for the creation.
pub(super) fn request(shared: &Arc<Shared>) {
    let stop = if step::is_in_start(shared) {
        Stop::Released
    } else {
        Stop::Asked
    };
    begin(shared, stop);
}

/// Begins the stop, unless it has begun. It runs in a task of its own: it must not end with who
/// asked for it.
pub(super) fn begin(shared: &Arc<Shared>, stop: Stop) {
    let first = shared.progress.update(|phase| {
        let before = phase.stop;
        phase.stop = before.max(stop);
        before == Stop::No
    });
    if first {
        let running = Running(Application(Arc::clone(shared)));
        drop(shared.runtime.spawn(running.run()));
    }
}

/// A stop that is under way. However it ends, who waits for it is told.
struct Running(Application);

impl Running {
    async fn run(self) {
        let shared = &self.0.0;
        wait_for_start(shared).await;
        shared
            .progress
            .update(|phase| phase.state = ApplicationState::Stopping);
        let failures = unwind::catch_async(Box::pin(undo(&self.0))).await;
        let failures = failures.unwrap_or_else(|payload| {
            // A runtime without a clock, say: hooks are watched over one by one.
            vec![
                Error::new(ErrorCode::LifecycleFailed, "the shutdown was cut short")
                    .with_source(Panicked::new(&payload)),
            ]
        });
        if let Some(signals) = shared.progress.done().signals.take() {
            signals.abort();
        }
        if shared.progress.phase().signalled {
            tracing::info!(target: "znight::application", "application stopped");
        } else {
            tracing::debug!(target: "znight::application", "application stopped");
        }
        self.finish(Error::steps("the shutdown", failures).map_or(Ok(()), Err));
    }

    /// Sets the outcome, unless there is one.
    fn finish(&self, outcome: Result<(), Error>) {
        self.0.0.progress.update(|phase| {
            if phase.outcome.is_none() {
                phase.outcome = Some(outcome);
                phase.state = if phase.failed {
                    ApplicationState::Failed
                } else {
                    ApplicationState::Stopped
                };
            }
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.finish(Err(Error::new(
            ErrorCode::LifecycleFailed,
            "the runtime ended before the shutdown did",
        )));
    }
}

/// Waits for the creation or the start that is under way, unless one of its hooks asked for the
/// stop. When that takes long, the log says for what.
async fn wait_for_start(shared: &Arc<Shared>) {
    let is_over = |phase: &Phase| !phase.busy || phase.stop == Stop::Released;
    if is_over(&shared.progress.phase()) {
        return;
    }
    let mut over = pin!(shared.progress.until(is_over));
    let patience = shared.options.hook_timeout.min(PATIENCE);
    // A runtime without a clock panics here, and then there is no word of it.
    if let Ok(watched) = unwind::catch(|| shared.options.clock.timeout(patience, over.as_mut())) {
        if watched.await.is_ok() {
            return;
        }
        let hook = shared.progress.done().running.clone();
        tracing::warn!(
            target: "znight::application",
            hook,
            "the stop has waited for {hook} for {patience:?}; if that waits for a task which stops the \
             application, it waits for itself"
        );
    }
    over.await;
}

/// Undoes whatever was done, in reverse; what failed.
async fn undo(application: &Application) -> Vec<Error> {
    let shared = &application.0;
    let budget = Budget::new(shared);
    let mut failures = Vec::new();
    let started_plugins = shared.progress.done().started_plugins;
    for added in shared.plugins[..started_plugins].iter().rev() {
        let hook = step::plugin(application, added, PluginHook::OnStop);
        let what = || step::name_of(added, PluginHook::OnStop);
        failures.extend(budget.spend(what, hook).await);
    }
    if let Ok(inner) = shared.container.shared() {
        let created: FxHashSet<SlotId> = inner.close().into_iter().collect();
        let started: FxHashSet<SlotId> = shared.progress.done().started.iter().copied().collect();
        for (id, slot, instance) in inner.instances().into_iter().rev() {
            let stop = slot
                .hooks
                .on_stop
                .as_ref()
                .filter(|_| started.contains(&id));
            let dispose = slot
                .hooks
                .dispose
                .as_ref()
                .filter(|_| created.contains(&id));
            for (name, hook) in [("on_stop", stop), ("dispose", dispose)] {
                if let Some(hook) = hook {
                    let hook = container::run_hook(slot, name, hook, instance);
                    let what = || format!("`{name}` of {}", slot.display);
                    failures.extend(budget.spend(what, hook).await);
                }
            }
        }
    }
    let registered = shared.progress.done().registered;
    for added in shared.plugins[..registered].iter().rev() {
        let hook = step::plugin(application, added, PluginHook::OnDispose);
        let what = || step::name_of(added, PluginHook::OnDispose);
        failures.extend(budget.spend(what, hook).await);
    }
    if let Ok(inner) = shared.container.shared() {
        inner.end();
    }
    failures
}
