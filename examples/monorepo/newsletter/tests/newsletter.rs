//! The newsletter from outside.
#![forbid(unsafe_code)]

use std::sync::{Arc, Mutex};

use mail::{Account, Letter, Transport, TransportError};
use serde_json::json;
use znight::prelude::*;
use znight_testing::TestApp;

/// Keeps the addresses, and refuses one of them.
#[derive(Default)]
struct Outbox {
    refuses: Option<&'static str>,
    sent: Mutex<Vec<String>>,
}

#[async_trait]
impl Transport for Outbox {
    async fn send(&self, to: &Account, letter: &Letter) -> Result<(), TransportError> {
        if self.refuses == Some(&to.email) {
            return Err(TransportError {
                to: to.email.clone(),
                reason: "no such address".to_owned(),
            });
        }
        let line = format!("{}: {}", to.email, letter.subject);
        self.sent.lock().expect("the outbox").push(line);
        Ok(())
    }
}

async fn app(outbox: &Arc<Outbox>) -> TestApp {
    TestApp::builder(monorepo_newsletter::graph())
        .plugin(HttpPlugin::default())
        .override_value::<dyn Transport>(outbox.clone())
        .start()
        .await
        .expect("the newsletter starts")
}

#[tokio::test]
async fn letters_go_to_the_accounts_of_a_library_it_does_not_depend_on() -> znight::Result {
    let outbox = Arc::new(Outbox::default());
    let app = app(&outbox).await;
    let letter = json!({ "subject": "News", "text": "None." });
    let res = app.post("/letters").json(&letter).await?;
    res.assert_status(202).assert_json(&json!({ "letters": 1 }));
    assert_eq!(
        *outbox.sent.lock().expect("the outbox"),
        ["ada@example.com: News"]
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_letter_that_is_refused_is_told() -> znight::Result {
    let outbox = Arc::new(Outbox {
        refuses: Some("ada@example.com"),
        ..Outbox::default()
    });
    let app = app(&outbox).await;
    let letter = json!({ "subject": "News", "text": "None." });
    app.post("/letters").json(&letter).await?.assert_status(502);
    app.close().await?;
    Ok(())
}
