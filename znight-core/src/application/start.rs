//! The start.

use znight_contract::ErrorCode;

use super::{Application, ApplicationState, Shared, signals, state::Stop, step, stop};
use crate::{container, error::Error, plugin::PluginHook};

pub(super) async fn start(application: &Application) -> Result<(), Error> {
    let shared = &application.0;
    shared.progress.update(|phase| {
        if phase.state != ApplicationState::Created || phase.stop != Stop::No {
            return Err(Error::new(
                ErrorCode::LifecycleFailed,
                format!("the application cannot be started: it is {}", phase.state),
            ));
        }
        phase.state = ApplicationState::Starting;
        phase.starting = true;
        Ok(())
    })?;
    // Whatever happens to this future, a stop must not wait for it in vain.
    let ended = Ended(shared);
    if shared.options.signals {
        signals::watch(shared)?;
    }
    match hooks(application).await {
        Ok(Stage::Complete) => {
            let ready = shared.progress.update(|phase| {
                phase.starting = false;
                let ready = phase.stop == Stop::No;
                if ready {
                    phase.state = ApplicationState::Ready;
                }
                ready
            });
            if ready {
                tracing::info!(target: "znight::application", "application ready");
            }
            Ok(())
        }
        Ok(Stage::Interrupted) => {
            drop(ended);
            // The outcome of the stop belongs to who asked for it.
            let _ = application.stopped().await;
            Ok(())
        }
        Err(error) => {
            shared.progress.update(|phase| {
                phase.starting = false;
                phase.failed = phase.stop != Stop::Released;
            });
            stop::begin(shared, Stop::Asked);
            match application.stopped().await {
                Ok(()) => Err(error),
                Err(failures) => Err(error.with_suppressed([failures])),
            }
        }
    }
}

enum Stage {
    Complete,
    /// A hook asked for the stop, which is under way.
    Interrupted,
}

async fn hooks(application: &Application) -> Result<Stage, Error> {
    let shared = &application.0;
    let interrupted = || shared.progress.phase().stop == Stop::Released;
    // Those that exist now: what is created on demand later is not started.
    let instances = match shared.container.shared() {
        Ok(inner) => inner,
        Err(error) => return Err(error),
    };
    let instances = instances.instances();
    for (id, slot, instance) in &instances {
        if let Some(hook) = &slot.hooks.on_start {
            step::in_start(
                shared,
                container::run_hook(slot, "on_start", hook, instance),
            )
            .await?;
        }
        shared.progress.done().started.push(*id);
        if interrupted() {
            return Ok(Stage::Interrupted);
        }
    }
    for added in &shared.plugins {
        step::in_start(
            shared,
            step::plugin(application, added, PluginHook::OnStart),
        )
        .await?;
        shared.progress.done().started_plugins += 1;
        if interrupted() {
            return Ok(Stage::Interrupted);
        }
    }
    for (_, slot, instance) in &instances {
        if let Some(hook) = &slot.hooks.on_ready {
            step::in_start(
                shared,
                container::run_hook(slot, "on_ready", hook, instance),
            )
            .await?;
        }
        if interrupted() {
            return Ok(Stage::Interrupted);
        }
    }
    for added in &shared.plugins {
        step::in_start(
            shared,
            step::plugin(application, added, PluginHook::OnReady),
        )
        .await?;
        if interrupted() {
            return Ok(Stage::Interrupted);
        }
    }
    Ok(Stage::Complete)
}

/// The start is over when this is dropped.
struct Ended<'a>(&'a Shared);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.progress.update(|phase| phase.starting = false);
    }
}
