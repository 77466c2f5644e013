//! A newsletter. It knows of letters; that they go to accounts is a matter of the library it uses.
#![forbid(unsafe_code)]

use std::sync::Arc;

use mail::{Account, Letter, Mailer, Transport, TransportError};
use serde::Serialize;
use znight::prelude::*;

/// Shows letters instead of sending them.
#[injectable]
struct LogTransport;

#[async_trait]
impl Transport for LogTransport {
    async fn send(&self, to: &Account, letter: &Letter) -> Result<(), TransportError> {
        tracing::info!(to = to.email, subject = letter.subject, "a letter");
        Ok(())
    }
}

#[derive(Serialize)]
struct Sent {
    letters: usize,
}

#[injectable]
struct NewsletterController {
    mailer: Arc<Mailer>,
}

#[controller("/letters")]
impl NewsletterController {
    #[post]
    #[status(202)]
    async fn send(&self, #[body] letter: Letter) -> Result<Sent, HttpError> {
        match self.mailer.write_to_all(&letter).await {
            Ok(letters) => Ok(Sent { letters }),
            Err(error) => Err(HttpError::bad_gateway(error.to_string())),
        }
    }
}

znight::graph!();
