//! Books over HTTP.

use std::sync::Arc;

use znight::prelude::*;

use super::{Book, BookFilter, error::BookError, model::BookDraft, service::BookService};
use crate::{
    Page,
    auth::{PUBLIC, ROLES, Role},
    page::PageQuery,
};

#[injectable]
struct BookController {
    books: Arc<BookService>,
}

#[controller("/books")]
impl BookController {
    #[get]
    #[decide(PUBLIC)]
    async fn list(
        &self,
        #[query(flatten)] filter: BookFilter,
        #[query(flatten)] page: PageQuery,
    ) -> Result<Page<Book>, BookError> {
        self.books.list(&filter, page.into()).await
    }

    #[get("/{id}")]
    #[decide(PUBLIC)]
    async fn get(&self, #[param] id: i64) -> Result<Book, BookError> {
        self.books.get(id).await
    }

    #[post]
    #[decide(ROLES = &[Role::Editor])]
    async fn add(&self, #[body] draft: BookDraft) -> Result<HttpResponse<Book>, BookError> {
        let book = self.books.add(draft.try_into()?).await?;
        Ok(HttpResponse::created(format!("/books/{}", book.id), book))
    }

    #[delete("/{id}")]
    #[decide(ROLES = &[Role::Editor])]
    async fn remove(&self, #[param] id: i64) -> Result<(), BookError> {
        self.books.remove(id).await
    }
}
