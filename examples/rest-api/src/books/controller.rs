//! Books over HTTP.

use std::sync::Arc;

use znight::prelude::*;

use super::{Book, BookFilter, error::BookError, model::BookDraft, service::BookService};
use crate::{Page, auth::ApiKeyGuard, page::PageQuery};

#[injectable]
struct BookController {
    books: Arc<BookService>,
}

#[controller("/books")]
impl BookController {
    #[get]
    async fn list(
        &self,
        #[query(flatten)] filter: BookFilter,
        #[query(flatten)] page: PageQuery,
    ) -> Result<Page<Book>, BookError> {
        self.books.list(&filter, page.into()).await
    }

    #[get("/{id}")]
    async fn get(&self, #[param] id: i64) -> Result<Book, BookError> {
        self.books.get(id).await
    }

    #[post]
    #[guard(ApiKeyGuard)]
    async fn add(&self, #[body] draft: BookDraft) -> Result<HttpResponse<Book>, BookError> {
        let book = self.books.add(draft.try_into()?).await?;
        Ok(HttpResponse::created(format!("/books/{}", book.id), book))
    }

    #[delete("/{id}")]
    #[guard(ApiKeyGuard)]
    async fn remove(&self, #[param] id: i64) -> Result<(), BookError> {
        self.books.remove(id).await
    }
}
