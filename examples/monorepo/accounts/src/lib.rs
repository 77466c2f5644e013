//! Who has an account, for every service of the house.
//!
//! A service that depends on this crate injects [`Accounts`]. What keeps them is an [`AccountStore`],
//! which this crate provides as well: no service says so.
#![forbid(unsafe_code)]

mod memory;

use std::sync::Arc;

use serde::Serialize;
use znight::prelude::*;

/// Someone with an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Its number.
    pub id: u64,
    /// The name of its owner.
    pub name: String,
    /// Where letters go.
    pub email: String,
}

/// What keeps accounts.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// All of them, by number.
    async fn all(&self) -> Vec<Account>;

    /// Adds one and gives it the next number.
    async fn add(&self, name: String, email: String) -> Account;
}

/// The accounts of the house.
#[injectable]
pub struct Accounts {
    store: Arc<dyn AccountStore>,
}

impl Accounts {
    /// Opens an account; `None` when the address has one.
    pub async fn open(&self, name: String, email: String) -> Option<Account> {
        let taken = self.all().await.iter().any(|known| known.email == email);
        if taken {
            return None;
        }
        Some(self.store.add(name, email).await)
    }

    /// All of them, by number.
    pub async fn all(&self) -> Vec<Account> {
        self.store.all().await
    }
}

impl std::fmt::Debug for Accounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Accounts")
    }
}

znight::library!();
