//! What may go wrong with books.

use http::StatusCode;
use serde_json::Value;
use znight::ErrorReply;

use super::Isbn;
use crate::{StoreError, validation::Invalid};

/// Why a request about books fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum BookError {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error("there is no book {0}")]
    NotFound(i64),
    #[error("there is a book with ISBN {0}")]
    Duplicate(Isbn),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ErrorReply for BookError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(invalid) => invalid.status(),
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Duplicate(_) => StatusCode::CONFLICT,
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
