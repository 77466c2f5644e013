//! Authors over HTTP.

use std::sync::Arc;

use znight::prelude::*;

use super::{
    Author,
    error::AuthorError,
    model::{AuthorDraft, AuthorWithBooks},
    service::AuthorService,
};
use crate::{
    Page, StoreError,
    auth::{PUBLIC, ROLES, Role},
    page::PageQuery,
};

#[injectable]
struct AuthorController {
    authors: Arc<AuthorService>,
}

#[controller("/authors")]
impl AuthorController {
    #[get]
    #[decide(PUBLIC)]
    async fn list(&self, #[query(flatten)] page: PageQuery) -> Result<Page<Author>, StoreError> {
        self.authors.list(page.into()).await
    }

    #[get("/{id}")]
    #[decide(PUBLIC)]
    async fn get(&self, #[param] id: i64) -> Result<AuthorWithBooks, AuthorError> {
        self.authors.get(id).await
    }

    #[post]
    #[decide(ROLES = &[Role::Editor])]
    async fn add(&self, #[body] draft: AuthorDraft) -> Result<HttpResponse<Author>, StoreError> {
        let author = self.authors.add(draft.into()).await?;
        Ok(HttpResponse::created(
            format!("/authors/{}", author.id),
            author,
        ))
    }
}
