//! How far an application has come.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use crate::{container::SlotId, error::Error};

/// How far an application has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ApplicationState {
    /// Its providers exist, nothing has started.
    Created,
    /// The start hooks run.
    Starting,
    /// Everything has started.
    Ready,
    /// The stop hooks run.
    Stopping,
    /// It has stopped, whether or not every step succeeded.
    Stopped,
    /// Its creation or its start failed; what there was has been released.
    Failed,
}

impl fmt::Display for ApplicationState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Created => "created",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        })
    }
}

/// What has happened, and who waits for what.
pub(super) struct Progress {
    phase: watch::Sender<Phase>,
    done: Mutex<Done>,
}

#[derive(Debug, Clone)]
pub(super) struct Phase {
    pub(super) state: ApplicationState,
    /// Creation or a start is under way.
    pub(super) busy: bool,
    pub(super) stop: Stop,
    /// The stop was asked for by a signal.
    pub(super) signalled: bool,
    /// Creation or start failed.
    pub(super) failed: bool,
    /// How the stop went.
    pub(super) outcome: Option<Result<(), Error>>,
}

/// Whether a stop has been asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    No,
    /// It waits for the creation or the start that is under way.
    Asked,
    /// A hook of the creation or the start asked, so the stop must not wait for these, which wait
    /// for the hook.
    Released,
}

/// What has been done and has to be undone.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Plugins whose `register` was called, from the first.
    pub(super) registered: usize,
    /// Plugins whose `on_start` has run, from the first.
    pub(super) started_plugins: usize,
    /// Providers whose start has run.
    pub(super) started: Vec<SlotId>,
    /// The hook of the creation or the start that runs.
    pub(super) running: String,
    /// The task that waits for signals.
    pub(super) signals: Option<tokio::task::AbortHandle>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            phase: watch::Sender::new(Phase {
                state: ApplicationState::Created,
                busy: true,
                stop: Stop::No,
                signalled: false,
                failed: false,
                outcome: None,
            }),
            done: Mutex::new(Done::default()),
        }
    }

    pub(super) fn state(&self) -> ApplicationState {
        self.phase.borrow().state
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase.borrow().clone()
    }

    /// Changes the phase and wakes who waits for it.
    pub(super) fn update<R>(&self, change: impl FnOnce(&mut Phase) -> R) -> R {
        let mut result = None;
        self.phase.send_modify(|phase| result = Some(change(phase)));
        result.expect("invariant: the change was applied")
    }

    /// Waits until the phase is as asked for.
    pub(super) async fn until(&self, reached: impl FnMut(&Phase) -> bool) {
        // The sender is `self`: it is not dropped while this waits.
        let _ = self.phase.subscribe().wait_for(reached).await;
    }

    /// Whether a hook of the creation or the start has asked for the stop: the rest is skipped.
    pub(super) fn interrupted(&self) -> bool {
        self.phase.borrow().stop == Stop::Released
    }

    pub(super) async fn outcome(&self) -> Result<(), Error> {
        self.until(|phase| phase.outcome.is_some()).await;
        self.phase.borrow().outcome.clone().unwrap_or(Ok(()))
    }

    pub(super) fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
