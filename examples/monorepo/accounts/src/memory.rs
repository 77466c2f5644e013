//! Accounts in memory. Nothing outside of this file names what is in it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use znight::prelude::*;

use crate::{Account, AccountStore};

struct MemoryStore(Mutex<Vec<Account>>);

impl MemoryStore {
    fn accounts(&self) -> MutexGuard<'_, Vec<Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl AccountStore for MemoryStore {
    async fn all(&self) -> Vec<Account> {
        self.accounts().clone()
    }

    async fn add(&self, name: String, email: String) -> Account {
        let mut accounts = self.accounts();
        let id = accounts.last().map_or(1, |last| last.id + 1);
        let account = Account { id, name, email };
        accounts.push(account.clone());
        account
    }
}

struct Stores;

#[factory]
impl Stores {
    /// Begins with one account, so that there is something to see.
    #[provides]
    fn store() -> Arc<dyn AccountStore> {
        let ada = Account {
            id: 1,
            name: "Ada".to_owned(),
            email: "ada@example.com".to_owned(),
        };
        Arc::new(MemoryStore(Mutex::new(vec![ada])))
    }
}
