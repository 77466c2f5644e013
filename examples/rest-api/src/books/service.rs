//! The rules about books.

use std::sync::Arc;

use znight::prelude::*;

use super::{Book, BookFilter, BookRepository, NewBook, error::BookError};
use crate::{AuthorRepository, Page, PageRequest, validation::Invalid};

/// The rules about books.
#[injectable]
pub(super) struct BookService {
    books: Arc<dyn BookRepository>,
    authors: Arc<dyn AuthorRepository>,
}

impl BookService {
    pub(super) async fn list(
        &self,
        filter: &BookFilter,
        page: PageRequest,
    ) -> Result<Page<Book>, BookError> {
        filter.check()?;
        Ok(self.books.list(filter, page).await?)
    }

    pub(super) async fn get(&self, id: i64) -> Result<Book, BookError> {
        let book = self.books.find(id).await?;
        book.ok_or(BookError::NotFound(id))
    }

    /// Adds a book whose author is known and whose ISBN is new.
    pub(super) async fn add(&self, book: NewBook) -> Result<Book, BookError> {
        if self.authors.find(book.author_id).await?.is_none() {
            return Err(Invalid::field("author_id", "expected the id of an author").into());
        }
        let isbn = book.isbn.clone();
        let added = self.books.add(book).await?;
        added.ok_or(BookError::Duplicate(isbn))
    }

    pub(super) async fn remove(&self, id: i64) -> Result<(), BookError> {
        if self.books.remove(id).await? {
            Ok(())
        } else {
            Err(BookError::NotFound(id))
        }
    }
}
