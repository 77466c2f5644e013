//! One step of a start or a stop: a hook of a plugin or of a provider.

use std::{
    cell::Cell,
    future::poll_fn,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use znight_contract::ErrorCode;

use super::{Added, Application, Shared};
use crate::{
    clock::Clock,
    error::Error,
    plugin::{PluginContext, PluginHook},
    unwind::{self, Panicked},
};

thread_local! {
    /// The container number, plus one, of the application whose hook of the creation or the start
    /// this thread polls.
    static IN_START_HOOK: Cell<u64> = const { Cell::new(0) };
}

/// Calls one hook of a plugin.
pub(super) async fn plugin(
    application: &Application,
    added: &Added,
    hook: PluginHook,
) -> Result<(), Error> {
    let name = added.name;
    let context = PluginContext::new(application.clone(), name);
    let result = match unwind::catch(|| added.plugin.call(hook, &context)) {
        Ok(future) => unwind::catch_async(future).await,
        Err(payload) => Err(payload),
    };
    let error = match result {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error,
        Err(payload) => Panicked::new(&payload).into(),
    };
    Err(Error::wrap(error, |error| {
        Error::new(
            ErrorCode::LifecycleFailed,
            format!("{} failed", name_of(added, hook)),
        )
        .with_source(error)
    }))
}

/// A hook of a plugin, for messages.
pub(super) fn name_of(added: &Added, hook: PluginHook) -> String {
    format!("`{}` of the plugin {}", hook.name(), added.name)
}

/// Runs a hook of the creation or the start, known as such whenever it is polled.
pub(super) async fn in_start<F: Future>(shared: &Shared, name: String, hook: F) -> F::Output {
    shared.progress.done().running = name;
    let mark = mark(shared);
    let mut hook = pin!(hook);
    poll_fn(move |cx| {
        let _back = Restore(IN_START_HOOK.replace(mark));
        hook.as_mut().poll(cx)
    })
    .await
}

/// Whether the caller is a hook of the creation or the start of this application.
pub(super) fn is_in_start(shared: &Shared) -> bool {
    IN_START_HOOK.get() == mark(shared)
}

fn mark(shared: &Shared) -> u64 {
    shared
        .container
        .shared()
        .map_or(u64::MAX, |inner| inner.number + 1)
}

struct Restore(u64);

impl Drop for Restore {
    fn drop(&mut self) {
        IN_START_HOOK.set(self.0);
    }
}

/// The time a stop has.
pub(super) struct Budget {
    clock: Clock,
    end: Option<Instant>,
    total: Duration,
    step: Duration,
}

impl Budget {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        let clock = shared.options.clock.clone();
        Self {
            // Beyond what a clock can tell there is no limit.
            end: clock.now().checked_add(shared.options.timeout),
            clock,
            total: shared.options.timeout,
            step: shared.options.hook_timeout,
        }
    }

    /// Runs a step within what is left; what failed. A step that has no time left is begun all the
    /// same, and may finish at once.
    pub(super) async fn spend(
        &self,
        what: impl FnOnce() -> String,
        step: impl Future<Output = Result<(), Error>>,
    ) -> Option<Error> {
        let left = self.end.map_or(Duration::MAX, |end| {
            end.saturating_duration_since(self.clock.now())
        });
        match self.clock.timeout(left.min(self.step), step).await {
            Ok(result) => result.err(),
            Err(_) => Some(Error::new(
                ErrorCode::LifecycleFailed,
                if self.step <= left {
                    format!("{} did not finish within {:?}", what(), self.step)
                } else {
                    format!(
                        "{} did not finish within what was left of {:?}",
                        what(),
                        self.total
                    )
                },
            )),
        }
    }
}
