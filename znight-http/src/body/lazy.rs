//! The body of a request, read when somebody asks for it.

use std::{fmt, sync::OnceLock};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use tokio::sync::Mutex;

use super::{Limits, RequestBody, Rest, discard, read};
use crate::HttpError;

/// What is left of the body of a request, or what was read of it.
///
/// Nothing is allocated for a request without a body, nor for one whose handler takes it as an argument
/// without a guard in front.
#[derive(Default)]
pub(crate) struct LazyBody {
    read: OnceLock<Bytes>,
    left: OnceLock<Box<Mutex<Left>>>,
}

enum Left {
    Unread(RequestBody, Limits),
    /// It has been read, or taken by the pipeline.
    Nothing,
    /// Reading it failed, which everybody is told who asks.
    Failed(StatusCode, String),
}

static EMPTY: Bytes = Bytes::new();

impl LazyBody {
    /// What has been read; nothing before.
    #[inline]
    pub(crate) fn bytes(&self) -> &Bytes {
        self.read.get().unwrap_or(&EMPTY)
    }

    /// Keeps what the pipeline has read.
    pub(crate) fn keep(&self, bytes: Bytes) {
        let _ = self.read.set(bytes);
    }

    /// Leaves a body for who asks for it.
    #[cold]
    pub(crate) fn leave(&self, body: RequestBody, limits: Limits) {
        let _ = self
            .left
            .set(Box::new(Mutex::new(Left::Unread(body, limits))));
    }

    /// Reads it, once.
    ///
    /// # Errors
    /// 413, 408, 415 or 400, again for everybody who asks.
    pub(crate) async fn read(&self, headers: &HeaderMap) -> Result<Bytes, HttpError> {
        let Some(left) = self.left.get() else {
            return Ok(self.bytes().clone());
        };
        let mut left = left.lock().await;
        match std::mem::replace(&mut *left, Left::Nothing) {
            Left::Nothing => Ok(self.bytes().clone()),
            Left::Unread(body, limits) => match read(body, headers, limits).await {
                Ok(bytes) => {
                    self.keep(bytes.clone());
                    Ok(bytes)
                }
                Err(error) => {
                    *left = Left::Failed(error.status(), error.message().to_owned());
                    Err(error)
                }
            },
            Left::Failed(status, message) => {
                let error = HttpError::new(status, message.clone());
                *left = Left::Failed(status, message);
                Err(error)
            }
        }
    }

    /// Lets go of a body nobody has read, so that the connection can serve its next request.
    #[inline]
    pub(crate) fn release(&self, headers: &HeaderMap) -> Rest {
        match self.left.get() {
            None => Rest::Discarded,
            Some(left) => release(left, headers),
        }
    }
}

#[cold]
fn release(left: &Mutex<Left>, headers: &HeaderMap) -> Rest {
    // Whoever holds it reads it.
    if let Ok(mut left) = left.try_lock()
        && let Left::Unread(body, limits) = std::mem::replace(&mut *left, Left::Nothing)
    {
        return discard(body, headers, limits);
    }
    Rest::Discarded
}

impl fmt::Debug for LazyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyBody(..)")
    }
}
