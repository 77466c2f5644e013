//! What may go wrong with authors.

use http::StatusCode;
use serde_json::Value;
use znight::ErrorReply;

use crate::{StoreError, validation::Invalid};

/// Why a request about authors fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum AuthorError {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error("there is no author {0}")]
    NotFound(i64),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ErrorReply for AuthorError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(invalid) => invalid.status(),
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn details(&self) -> Option<Value> {
        match self {
            Self::Invalid(invalid) => invalid.details(),
            _ => None,
        }
    }
}
