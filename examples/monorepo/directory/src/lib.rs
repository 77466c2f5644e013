//! A directory of everybody with an account.
#![forbid(unsafe_code)]

use std::sync::Arc;

use accounts::{Account, Accounts};
use serde::Deserialize;
use znight::prelude::*;

#[derive(Deserialize)]
struct NewAccount {
    name: String,
    email: String,
}

#[injectable]
struct DirectoryController {
    accounts: Arc<Accounts>,
}

#[controller("/accounts")]
impl DirectoryController {
    #[get]
    async fn list(&self) -> Vec<Account> {
        self.accounts.all().await
    }

    #[post]
    async fn open(&self, #[body] new: NewAccount) -> Result<HttpResponse<Account>, HttpError> {
        let opened = self.accounts.open(new.name, new.email).await;
        let account = opened.ok_or_else(|| HttpError::conflict("the address has an account"))?;
        Ok(HttpResponse::created(
            format!("/accounts/{}", account.id),
            account,
        ))
    }
}

znight::graph!();
