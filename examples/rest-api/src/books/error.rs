//! What may go wrong with books.

use znight::ErrorReply;

use super::{InvalidIsbn, Isbn};
use crate::{StoreError, validation::Invalid};

/// Why a request about books fails.
#[derive(Debug, thiserror::Error, ErrorReply)]
pub(super) enum BookError {
    #[error(transparent)]
    #[reply(transparent)]
    Invalid(#[from] Invalid),

    #[error(transparent)]
    #[reply(400)]
    Isbn(#[from] InvalidIsbn),

    #[error("there is no book {0}")]
    #[reply(404)]
    NotFound(i64),

    #[error("there is a book with ISBN {0}")]
    #[reply(409)]
    Duplicate(Isbn),

    #[error(transparent)]
    #[reply(503)]
    Store(#[from] StoreError),
}
