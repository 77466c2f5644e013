//! Letters to the accounts of the house.
//!
//! A service injects [`Mailer`] and implements [`Transport`]: how letters leave the house is for each
//! service to say. Without an implementation its build ends with an error that names this trait.
#![forbid(unsafe_code)]

use std::sync::Arc;

pub use accounts::Account;
use accounts::Accounts;
use serde::{Deserialize, Serialize};
use znight::prelude::*;

/// A letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// What it is about.
    pub subject: String,
    /// Its text.
    pub text: String,
}

/// A letter could not be sent.
#[derive(Debug, thiserror::Error)]
#[error("the letter to {to} could not be sent: {reason}")]
pub struct TransportError {
    /// The address.
    pub to: String,
    /// Why.
    pub reason: String,
}

/// How letters leave the house.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends a letter to an account.
    async fn send(&self, to: &Account, letter: &Letter) -> Result<(), TransportError>;
}

/// Writes to accounts.
#[injectable]
pub struct Mailer {
    accounts: Arc<Accounts>,
    transport: Arc<dyn Transport>,
}

impl Mailer {
    /// Sends a letter to everybody, one after the other, and says how many that were.
    ///
    /// # Errors
    /// The first letter that could not be sent; the others are not tried.
    pub async fn write_to_all(&self, letter: &Letter) -> Result<usize, TransportError> {
        let accounts = self.accounts.all().await;
        for account in &accounts {
            self.transport.send(account, letter).await?;
        }
        Ok(accounts.len())
    }
}

impl std::fmt::Debug for Mailer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mailer")
    }
}

znight::library!();
