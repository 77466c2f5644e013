//! The rules about authors.

use std::sync::Arc;

use znight::prelude::*;

use super::{Author, AuthorRepository, NewAuthor, error::AuthorError, model::AuthorWithBooks};
use crate::{BookRepository, Page, PageRequest, StoreError};

/// The rules about authors.
#[injectable]
pub(super) struct AuthorService {
    authors: Arc<dyn AuthorRepository>,
    books: Arc<dyn BookRepository>,
}

impl AuthorService {
    pub(super) async fn list(&self, page: PageRequest) -> Result<Page<Author>, StoreError> {
        self.authors.list(page).await
    }

    pub(super) async fn get(&self, id: i64) -> Result<AuthorWithBooks, AuthorError> {
        let author = self.authors.find(id).await?;
        let author = author.ok_or(AuthorError::NotFound(id))?;
        let books = self.books.of_author(id).await?;
        Ok(AuthorWithBooks { author, books })
    }

    pub(super) async fn add(&self, author: NewAuthor) -> Result<Author, StoreError> {
        self.authors.add(author).await
    }
}
