//! What may go wrong with authors.

use znight::ErrorReply;

use crate::StoreError;

/// Why a request about authors fails.
#[derive(Debug, thiserror::Error, ErrorReply)]
pub(super) enum AuthorError {
    #[error("there is no author {0}")]
    #[reply(404)]
    NotFound(i64),

    #[error(transparent)]
    #[reply(503)]
    Store(#[from] StoreError),
}
