//! The directory from outside.
#![forbid(unsafe_code)]

use std::sync::Arc;

use accounts::{Account, AccountStore};
use serde_json::json;
use znight::prelude::*;
use znight_testing::TestApp;

#[tokio::test]
async fn accounts_come_from_the_library() -> znight::Result {
    let app = TestApp::builder(monorepo_directory::graph())
        .plugin(HttpPlugin::default())
        .start()
        .await?;
    let grace = json!({ "name": "Grace", "email": "grace@example.com" });
    app.post("/accounts").json(&grace).await?.assert_status(201);
    app.post("/accounts").json(&grace).await?.assert_status(409);
    app.get("/accounts")
        .await?
        .assert_status(200)
        .assert_json(&json!([
            { "id": 1, "name": "Ada", "email": "ada@example.com" },
            { "id": 2, "name": "Grace", "email": "grace@example.com" },
        ]));
    app.close().await?;
    Ok(())
}

struct Nobody;

#[async_trait]
impl AccountStore for Nobody {
    async fn all(&self) -> Vec<Account> {
        Vec::new()
    }

    async fn add(&self, name: String, email: String) -> Account {
        Account { id: 7, name, email }
    }
}

#[tokio::test]
async fn a_provider_of_the_library_is_replaced_like_any_other() -> znight::Result {
    let app = TestApp::builder(monorepo_directory::graph())
        .plugin(HttpPlugin::default())
        .override_value::<dyn AccountStore>(Arc::new(Nobody))
        .start()
        .await?;
    app.get("/accounts").await?.assert_json(&json!([]));
    app.close().await?;
    Ok(())
}
