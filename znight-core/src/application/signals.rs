//! SIGINT and SIGTERM: the first stops the application, the second the process.

use std::sync::{Arc, Weak};

use znight_contract::ErrorCode;

use super::{Shared, state::Stop, stop};
use crate::error::Error;

/// The exit code of a process that did not wait for its shutdown: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Listens from now until the application has stopped.
pub(super) fn watch(shared: &Arc<Shared>) -> Result<(), Error> {
    let mut signals = Signals::new().map_err(|error| {
        Error::new(
            ErrorCode::LifecycleFailed,
            "cannot listen to the signals of the process",
        )
        .with_source(error)
        .with_hint("the runtime needs its IO driver (`enable_all`), or turn `signals` off")
    })?;
    let application = Arc::downgrade(shared);
    let task = shared.runtime.spawn(async move {
        let name = signals.next().await;
        tracing::info!(target: "znight::application", signal = name, "received {name}, stopping");
        if !begin(&application) {
            return;
        }
        let name = signals.next().await;
        tracing::warn!(target: "znight::application", signal = name, "received {name} again, exiting at once");
        exit();
    });
    shared.progress.done().signals = Some(task.abort_handle());
    Ok(())
}

fn begin(application: &Weak<Shared>) -> bool {
    let Some(shared) = application.upgrade() else {
        return false;
    };
    shared.progress.update(|phase| phase.signalled = true);
    stop::begin(&shared, Stop::Asked);
    true
}

#[expect(clippy::exit, reason = "a second signal means: now")]
fn exit() -> ! {
    std::process::exit(INTERRUPTED)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // Without an IO driver tokio panics instead of returning an error.
        crate::unwind::catch(|| {
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
            })
        })
        .unwrap_or_else(|payload| {
            Err(std::io::Error::other(crate::unwind::Panicked::new(
                &payload,
            )))
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> &'static str {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "Ctrl+C"
    }
}
