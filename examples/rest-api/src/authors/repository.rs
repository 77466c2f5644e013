//! What authors are stored in.

use znight::prelude::*;

use super::{Author, NewAuthor};
use crate::{Page, PageRequest, StoreError};

/// What authors are stored in.
#[mockable]
#[async_trait]
pub trait AuthorRepository: Send + Sync {
    /// One page of the authors, by name.
    async fn list(&self, page: PageRequest) -> Result<Page<Author>, StoreError>;

    /// The author with this id.
    async fn find(&self, id: i64) -> Result<Option<Author>, StoreError>;

    /// Adds an author.
    async fn add(&self, author: NewAuthor) -> Result<Author, StoreError>;
}
