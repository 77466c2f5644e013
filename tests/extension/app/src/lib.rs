//! An application that uses an extension which is not Znight's.
#![forbid(unsafe_code)]

use std::sync::Arc;

use acme_jobs::{job, timed};
use znight::prelude::*;

/// What jobs ask for when there is one.
#[injectable]
#[derive(Debug)]
pub struct Clock;

/// How often backups are made, in seconds.
pub const PERIOD: u32 = 60 * 60;

/// A job that is a provider of its own.
#[injectable]
#[derive(Debug)]
pub struct Backup {
    /// What it works with.
    pub clock: Arc<Clock>,
    interceptors: Interceptors,
}

#[job("backup", every = PERIOD)]
impl Backup {
    /// What it does.
    #[timed(label = "nightly")]
    pub fn run(&self) -> String {
        format!("{:?}", self.clock)
    }
}

mod hidden {
    use acme_jobs::job;

    /// A job that its attribute registers, in a module nobody can name.
    struct Report;

    #[job("report")]
    impl Report {}
}

znight::graph!();

/// The names of the jobs, as the extension wrote them at build time.
pub const NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/znight/lib/acme-jobs-names.txt"));
