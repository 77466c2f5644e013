//! Providers of every kind.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use znight::prelude::*;

use crate::journal::Journal;

/// A store of things.
#[mockable]
#[async_trait]
pub trait Store: Send + Sync {
    /// Its name.
    fn name(&self) -> String;
    /// How many things it holds.
    async fn count(&self) -> usize;
}

mod stores {
    use super::{Arc, Journal, Pool, Store, async_trait, injectable};

    // Private types in a private module: the graph never names them.
    #[injectable(primary)]
    struct Main {
        pool: Arc<Pool>,
    }

    #[async_trait]
    impl Store for Main {
        fn name(&self) -> String {
            format!("main on {}", self.pool.url)
        }
        async fn count(&self) -> usize {
            2
        }
    }

    #[injectable(name = "archive")]
    struct Archive {
        journal: Arc<Journal>,
    }

    #[async_trait]
    impl Store for Archive {
        fn name(&self) -> String {
            self.journal.note("archive used");
            "archive".to_owned()
        }
        async fn count(&self) -> usize {
            1
        }
    }
}

/// Connections, opened asynchronously.
#[derive(Debug)]
pub struct Pool {
    /// Where to.
    pub url: String,
    journal: Arc<Journal>,
}

impl Pool {
    async fn warm(&self) -> Result<(), std::io::Error> {
        self.journal.note("pool warmed");
        Ok(())
    }

    async fn close(&self) {
        self.journal.note("pool closed");
    }
}

/// A number handed out by value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit(pub usize);

/// Something nothing provides.
#[derive(Debug)]
pub struct Absent;

#[derive(Debug)]
struct Settings;

#[factory]
impl Settings {
    #[provides(name = "url", clone)]
    fn url(&self) -> String {
        "memory".to_owned()
    }

    #[provides(clone)]
    fn limit() -> Option<Limit> {
        Some(Limit(7))
    }

    #[provides(dispose = Pool::close, on_start = Pool::warm)]
    async fn pool(
        &self,
        #[inject("url")] url: String,
        journal: Arc<Journal>,
    ) -> Result<Pool, std::io::Error> {
        journal.note("pool opened");
        if url == "nowhere" {
            return Err(std::io::Error::other("nobody listens at nowhere"));
        }
        Ok(Pool { url, journal })
    }

    #[provides]
    fn clock() -> Arc<dyn Clock> {
        Arc::new(|| 42)
    }
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> u64;
}

impl<F: Fn() -> u64 + Send + Sync> Clock for F {
    fn now(&self) -> u64 {
        self()
    }
}

/// One for everybody who asks.
#[derive(Debug)]
#[injectable(scope = "transient")]
pub struct Ticket {
    journal: Arc<Journal>,
    #[init(SOLD.fetch_add(1, Ordering::Relaxed))]
    number: usize,
}

static SOLD: AtomicUsize = AtomicUsize::new(0);

impl Ticket {
    /// One made by hand.
    #[cfg(test)]
    pub(crate) fn of(journal: Arc<Journal>) -> Self {
        Self {
            journal,
            number: SOLD.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Its number.
    pub fn number(&self) -> usize {
        self.journal.note("ticket read");
        self.number
    }
}

/// Everything that can be asked for.
pub struct Service {
    /// By trait: the primary one.
    pub store: Arc<dyn Store>,
    /// By trait and name.
    pub archive: Arc<dyn Store>,
    /// All of them.
    pub all: Vec<Arc<dyn Store>>,
    /// By value: a clone.
    pub limit: Limit,
    /// By value: an own instance.
    pub tickets: (Ticket, Ticket),
    /// Not there.
    pub absent: Option<Arc<Absent>>,
    /// Later.
    pub lazy: Lazy<Service>,
    /// Shared already.
    pub clock: Arc<dyn Clock>,
    journal: Arc<Journal>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

#[injectable]
impl Service {
    #[expect(clippy::too_many_arguments, reason = "one of each kind")]
    #[constructor]
    async fn assemble(
        store: Arc<dyn Store>,
        #[inject("archive")] archive: Arc<dyn Store>,
        all: Vec<Arc<dyn Store>>,
        limit: Limit,
        first: Ticket,
        second: Ticket,
        absent: Option<Arc<Absent>>,
        lazy: Lazy<Self>,
        clock: Arc<dyn Clock>,
        journal: Arc<Journal>,
    ) -> Result<Self, std::io::Error> {
        journal.note("service made");
        Ok(Self {
            store,
            archive,
            all,
            limit,
            tickets: (first, second),
            absent,
            lazy,
            clock,
            journal,
        })
    }
}

impl OnStart for Service {
    async fn on_start(&self) -> znight::Result {
        self.journal.note("service started");
        Ok(())
    }
}

impl OnReady for Service {
    async fn on_ready(&self) -> znight::Result {
        self.journal.note("service ready");
        Ok(())
    }
}

impl OnStop for Service {
    async fn on_stop(&self) -> znight::Result {
        self.journal.note("service stopped");
        Ok(())
    }
}

impl Dispose for Service {
    async fn dispose(&self) -> znight::Result {
        self.journal.note("service disposed");
        Ok(())
    }
}
