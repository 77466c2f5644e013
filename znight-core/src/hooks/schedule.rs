//! The event of one run of a scheduled job.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
    time::{Instant, SystemTime},
};

use super::once::{Context, Failure};
use crate::error::BoxError;

macro_rules! words {
    ($(#[$docs:meta])* $name:ident { $($(#[$variant_docs:meta])* $variant:ident => $word:literal,)* }) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_docs])* $variant,)*
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $word,)*
                })
            }
        }
    };
}

words! {
    /// What a job runs by.
    JobKind {
        /// A cron expression.
        Cron => "cron",
        /// A fixed distance.
        Interval => "interval",
        /// Once, after a while.
        Timeout => "timeout",
    }
}

words! {
    /// Why a run takes place.
    RunTrigger {
        /// Its time has come.
        Schedule => "schedule",
        /// The application has started.
        Start => "start",
        /// Somebody asked for it.
        Manual => "manual",
        /// The run before it has ended.
        Queued => "queued",
    }
}

words! {
    /// What became of a run.
    RunOutcome {
        /// The job has ended well.
        Completed => "completed",
        /// The job has failed.
        Failed => "failed",
        /// The job was not called.
        Skipped => "skipped",
        /// Another instance of the application has the lock.
        NotAcquired => "not-acquired",
    }
}

words! {
    /// Why a run was told to end.
    RunAbort {
        /// It took too long.
        Timeout => "timeout",
        /// Its lock was lost.
        LockLost => "lock-lost",
        /// The job was removed.
        Removed => "removed",
        /// The application stops.
        Shutdown => "shutdown",
    }
}

/// One occurrence of a scheduled job, whether or not it was executed. Produced by the schedule plugin.
///
/// Runs that are handed to the job are wrapped, then emitted; what never gets there (skipped, the lock not
/// acquired) is emitted only and has no context. Listeners see the final outcome. Inside of wrappers it is
/// known once the job has been called, and stays unknown when it was not: read
/// `event.outcome().unwrap_or(RunOutcome::Skipped)` after `next.run()`.
///
/// ```
/// use znight_core::{Hooks, RunOutcome, ScheduledRunEvent};
///
/// let hooks = Hooks::new();
/// hooks
///     .on(|event: &ScheduledRunEvent| {
///         if event.outcome() == Some(RunOutcome::Failed) {
///             eprintln!("{} failed", event.job());
///         }
///     })
///     .forget();
/// ```
#[derive(Debug)]
pub struct ScheduledRunEvent {
    job: Arc<str>,
    kind: JobKind,
    method: Option<(&'static str, &'static str)>,
    run_id: Arc<str>,
    trigger: RunTrigger,
    scheduled_at: SystemTime,
    context: Context,
    start: Instant,
    outcome: OnceLock<RunOutcome>,
    error: Failure,
    aborted: OnceLock<RunAbort>,
}

impl ScheduledRunEvent {
    /// An occurrence of a job at a time of the scheduler's clock.
    pub fn new(
        job: impl Into<Arc<str>>,
        kind: JobKind,
        run_id: impl Into<Arc<str>>,
        trigger: RunTrigger,
        scheduled_at: SystemTime,
    ) -> Self {
        Self {
            job: job.into(),
            kind,
            method: None,
            run_id: run_id.into(),
            trigger,
            scheduled_at,
            context: Context::default(),
            start: Instant::now(),
            outcome: OnceLock::new(),
            error: Failure::default(),
            aborted: OnceLock::new(),
        }
    }

    /// Sets whose method the job is: the display name of its host, and the method.
    #[must_use]
    pub fn with_method(mut self, host: &'static str, method: &'static str) -> Self {
        self.method = Some((host, method));
        self
    }

    /// Sets the context that is handed to the job.
    #[must_use]
    pub fn with_context<C: Any + Send + Sync>(mut self, context: Arc<C>) -> Self {
        self.context = Context::of(context);
        self
    }

    /// The name of the job.
    pub fn job(&self) -> &str {
        &self.job
    }

    /// What it runs by.
    pub fn kind(&self) -> JobKind {
        self.kind
    }

    /// The display name of the type whose method it is; `None` for a job that was added at run time.
    pub fn host(&self) -> Option<&'static str> {
        self.method.map(|(host, _)| host)
    }

    /// The method; `None` for a job that was added at run time.
    pub fn method(&self) -> Option<&'static str> {
        self.method.map(|(_, method)| method)
    }

    /// The id of the run.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Why it takes place.
    pub fn trigger(&self) -> RunTrigger {
        self.trigger
    }

    /// When the occurrence was due, by the clock of the scheduler.
    pub fn scheduled_at(&self) -> SystemTime {
        self.scheduled_at
    }

    /// The context handed to the job, when it is a `C`; `None` when the job was not called.
    pub fn context<C: Any>(&self) -> Option<&C> {
        self.context.get()
    }

    /// When it began.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// What became of it, once that is known.
    pub fn outcome(&self) -> Option<RunOutcome> {
        self.outcome.get().copied()
    }

    /// Why it failed, when it did.
    pub fn error(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.error.get()
    }

    /// Why it was told to end, when it was.
    pub fn aborted(&self) -> Option<RunAbort> {
        self.aborted.get().copied()
    }

    /// Sets the outcome; the producer's business, the first one stays.
    pub fn set_outcome(&self, outcome: RunOutcome) {
        let _ = self.outcome.set(outcome);
    }

    /// Sets the error; the producer's business, the first one stays.
    pub fn set_error(&self, error: Arc<BoxError>) {
        self.error.set(error);
    }

    /// Sets why it was told to end; the producer's business, the first one stays.
    pub fn set_aborted(&self, reason: RunAbort) {
        let _ = self.aborted.set(reason);
    }
}
