//! A provider with dependencies of every kind, to be tested alone.

use std::{io, sync::Arc};

use znight::prelude::*;

use crate::{journal::Journal, shop::Limit};

/// Orders, which are far away.
#[mockable]
#[async_trait]
pub trait Orders: Send + Sync {
    /// What an order is of.
    async fn find(&self, id: u64) -> Result<Option<String>, io::Error>;
    /// A text about an order, made of two.
    async fn label(&self, before: &str, after: &str) -> String;
}

/// Keeps things of one type.
#[mockable]
pub trait Archive<T: Clone + Send + Sync + 'static>: Send + Sync {
    /// Keeps a thing, and says how many there are.
    fn keep(&self, thing: T) -> usize;
}

/// Gives out keys.
#[mockable(type Key = u64;)]
pub trait Keys: Send + Sync {
    /// What a key is.
    type Key;
    /// The next one.
    fn next(&self) -> Self::Key;
}

/// Takes lines.
#[mockable]
pub trait Sink: Send + Sync {
    /// Takes one.
    fn line(&self, text: &str);
}

/// A trait without a mock.
pub trait Plain: Send + Sync {
    /// A number.
    fn number(&self) -> u64;
}

/// A provider with dependencies of every kind.
#[expect(missing_debug_implementations, reason = "traits need not be printable")]
#[injectable]
pub struct Desk {
    orders: Arc<dyn Orders>,
    later: Lazy<dyn Orders>,
    archive: Arc<dyn Archive<String>>,
    keys: Arc<dyn Keys<Key = u64> + Send + Sync>,
    #[inject("audit")]
    audit: Arc<dyn Sink>,
    #[inject("mail")]
    mail: Lazy<dyn Sink>,
    sinks: Vec<Arc<dyn Sink>>,
    backup: Option<Arc<dyn Archive<u64>>>,
    limit: Limit,
    journal: Arc<Journal>,
}

impl Desk {
    /// What an order is of, kept, and told to everybody.
    ///
    /// # Errors
    /// That the orders cannot be asked.
    pub async fn order(&self, id: u64) -> znight::Result<String> {
        let found = self.orders.find(id).await?;
        let text = match found {
            Some(text) => self.later.get()?.label(&text, "!").await,
            None => "nothing".to_owned(),
        };
        self.audit.line(&text);
        for sink in &self.sinks {
            sink.line(&text);
        }
        if self.archive.keep(text.clone()) > self.limit.0 {
            self.mail.get()?.line("the archive is full");
        }
        if let Some(backup) = &self.backup {
            backup.keep(id);
        }
        Ok(format!("{}: {text}", self.keys.next()))
    }
}

impl OnStart for Desk {
    async fn on_start(&self) -> znight::Result {
        self.journal.note("desk started");
        Ok(())
    }
}

impl Dispose for Desk {
    async fn dispose(&self) -> znight::Result {
        self.journal.note("desk disposed");
        Ok(())
    }
}

/// A provider of which nothing can be mocked.
#[expect(missing_debug_implementations, reason = "traits need not be printable")]
#[injectable]
pub struct Corner {
    plain: Arc<dyn Plain>,
    desk: Arc<Desk>,
    limit: Limit,
}

impl Corner {
    /// Asks everything.
    pub fn sum(&self) -> usize {
        self.limit.0 + usize::from(self.plain.number() > 0) + self.desk.sinks.len()
    }
}

/// What is known of a request.
#[expect(missing_debug_implementations, reason = "traits need not be printable")]
#[injectable(scope = "request")]
pub struct Visit {
    orders: Arc<dyn Orders>,
    guest: Arc<Guest>,
    again: Lazy<Guest>,
}

impl Visit {
    /// Whether both ways lead to one guest, who has ordered this.
    ///
    /// # Errors
    /// That the orders cannot be asked.
    pub async fn ordered(&self, id: u64) -> znight::Result<(bool, Option<String>)> {
        let one = Arc::ptr_eq(&self.guest, &self.again.get()?);
        Ok((one, self.orders.find(id).await?))
    }
}

/// Who asks.
#[derive(Debug)]
#[injectable(scope = "request")]
pub struct Guest;

impl Dispose for Guest {
    async fn dispose(&self) -> znight::Result {
        Err("a guest is disposed".into())
    }
}

mod far {
    use super::{Archive, Keys, Orders, Plain, Sink, async_trait, injectable, io};

    #[injectable]
    struct Remote;

    #[async_trait]
    impl Orders for Remote {
        async fn find(&self, _: u64) -> Result<Option<String>, io::Error> {
            Err(io::Error::other("the line is dead"))
        }
        async fn label(&self, before: &str, after: &str) -> String {
            format!("{before}{after}")
        }
    }

    #[injectable]
    struct Cellar;

    impl Archive<String> for Cellar {
        fn keep(&self, _: String) -> usize {
            0
        }
    }

    #[injectable]
    struct Attic;

    impl Archive<u64> for Attic {
        fn keep(&self, _: u64) -> usize {
            0
        }
    }

    #[injectable(as(dyn Keys<Key = u64>))]
    struct Counter;

    impl Keys for Counter {
        type Key = u64;
        fn next(&self) -> u64 {
            9
        }
    }

    #[injectable(name = "audit")]
    struct Audit;

    impl Sink for Audit {
        fn line(&self, _: &str) {}
    }

    #[injectable(name = "mail")]
    struct Mail;

    impl Sink for Mail {
        fn line(&self, _: &str) {}
    }

    #[injectable]
    struct Three;

    impl Plain for Three {
        fn number(&self) -> u64 {
            3
        }
    }
}

#[cfg(test)]
mod tests;
