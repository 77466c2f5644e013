//! What an author is, and what a client sends to add one.

use serde::{Deserialize, Serialize};

use crate::{
    Book,
    validation::{Checks, Invalid},
};

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
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AuthorDraft {
    name: String,
}

impl TryFrom<AuthorDraft> for NewAuthor {
    type Error = Invalid;

    fn try_from(draft: AuthorDraft) -> Result<Self, Invalid> {
        let mut checks = Checks::default();
        match checks.text("name", &draft.name, 200) {
            Some(name) => Ok(Self { name }),
            None => Err(checks.into()),
        }
    }
}
