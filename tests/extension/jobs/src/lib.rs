//! The run time of a feature that is not Znight's: jobs with a name and a period.
#![forbid(unsafe_code)]

use std::{
    any::Any,
    sync::{Arc, Mutex, PoisonError},
};

/// Makes a type a job: see the tests of `acme-app`.
pub use acme_jobs_macros::{job, timed};
use znight::{Plugin, PluginContext, Returned, Section, SyncInvocation, SyncMethodInterceptor};

/// Notes the calls of jobs; `#[timed]` puts it around a method.
#[derive(Debug, Default)]
pub struct Timed {
    labels: Mutex<Vec<String>>,
}

/// What [`Timed`] is told.
#[derive(Debug, Default)]
pub struct TimedOptions {
    /// What a call is noted as.
    pub label: String,
}

impl Timed {
    /// The labels of the calls so far.
    pub fn labels(&self) -> Vec<String> {
        let labels = self.labels.lock();
        labels.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl SyncMethodInterceptor for Timed {
    type Options = TimedOptions;

    fn intercept(&self, call: &mut SyncInvocation<'_>, options: &TimedOptions) -> Returned {
        let label = format!("{} {}", options.label, call.method());
        self.labels
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(label);
        call.proceed()
    }
}

/// Supplies [`Timed`].
#[derive(Debug)]
pub struct JobsPlugin;

impl Plugin for JobsPlugin {
    fn name(&self) -> &'static str {
        "acme-jobs"
    }

    async fn register(&self, context: &PluginContext) -> znight::Result {
        context.register_value(Arc::new(Timed::default()))?;
        Ok(())
    }
}

/// The glue of one job, found by its id.
pub trait Job<const ID: u64> {
    /// What its attribute knows of it.
    const JOB: JobDef;
}

/// What the attribute beside a job knows of it.
#[derive(Debug, Clone, Copy)]
pub struct JobDef {
    /// The name of its type.
    pub type_name: fn() -> &'static str,
}

impl JobDef {
    /// The job of a type.
    pub const fn new<T>() -> Self {
        Self {
            type_name: std::any::type_name::<T>,
        }
    }
}

/// A job in the graph.
#[derive(Debug)]
pub struct Entry {
    /// The number of its provider.
    pub provider: u32,
    /// Its name.
    pub name: &'static str,
    /// How often it runs, in seconds.
    pub every: u32,
    /// The provider of its clock, where the application has one.
    pub clock: Option<u32>,
    /// What its attribute knows of it.
    pub job: JobDef,
}

/// The jobs of an application.
#[derive(Debug)]
pub struct Jobs {
    /// Each of them, by the path of its type.
    pub entries: &'static [Entry],
}

impl Section for Jobs {
    fn name(&self) -> &'static str {
        "acme-jobs"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn roots(&self) -> Vec<u32> {
        self.entries.iter().map(|entry| entry.provider).collect()
    }
}
