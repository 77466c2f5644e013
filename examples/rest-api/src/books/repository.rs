//! What books are stored in.

use znight::prelude::*;

use super::{Book, BookFilter, NewBook};
use crate::{Page, PageRequest, StoreError};

/// What books are stored in.
#[mockable]
#[async_trait]
pub trait BookRepository: Send + Sync {
    /// One page of the books that pass the filter, by title.
    async fn list(&self, filter: &BookFilter, page: PageRequest) -> Result<Page<Book>, StoreError>;

    /// The books of an author, by year.
    async fn of_author(&self, author: i64) -> Result<Vec<Book>, StoreError>;

    /// The book with this id.
    async fn find(&self, id: i64) -> Result<Option<Book>, StoreError>;

    /// Adds a book; `None` when there is one with its ISBN.
    async fn add(&self, book: NewBook) -> Result<Option<Book>, StoreError>;

    /// Removes a book; `false` when there was none.
    async fn remove(&self, id: i64) -> Result<bool, StoreError>;
}
