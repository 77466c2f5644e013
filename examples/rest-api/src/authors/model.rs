//! What an author is, and what a client sends to add one.

use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::{Book, validation::text};

/// Somebody who wrote books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Author {
    /// What the author is called in paths.
    pub id: i64,
    /// What the author is called everywhere else.
    pub name: String,
}

/// An author with their books.
#[derive(Debug, Serialize)]
pub(super) struct AuthorWithBooks {
    #[serde(flatten)]
    pub(super) author: Author,
    pub(super) books: Vec<Book>,
}

/// An author who may be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuthor {
    /// What the author is called.
    pub name: String,
}

/// An author as a client sends it.
#[derive(Debug, Deserialize, Validate)]
#[serde(deny_unknown_fields)]
pub(super) struct AuthorDraft {
    #[garde(custom(text::<200>))]
    name: String,
}

impl From<AuthorDraft> for NewAuthor {
    fn from(draft: AuthorDraft) -> Self {
        Self {
            name: draft.name.trim().to_owned(),
        }
    }
}
