//! Authors in SQLite.

use sqlx::{FromRow, Row as _, SqlitePool, sqlite::SqliteRow};
use znight::prelude::*;

use super::{Author, AuthorRepository, NewAuthor};
use crate::{Page, PageRequest, StoreError};

#[injectable]
struct SqliteAuthors {
    pool: SqlitePool,
}

#[async_trait]
impl AuthorRepository for SqliteAuthors {
    async fn list(&self, page: PageRequest) -> Result<Page<Author>, StoreError> {
        // One transaction, so that the total belongs to the items.
        let mut transaction = self.pool.begin().await?;
        let total: i64 = sqlx::query_scalar("SELECT count(*) FROM authors")
            .fetch_one(&mut *transaction)
            .await?;
        let items = sqlx::query_as("SELECT * FROM authors ORDER BY name, id LIMIT ? OFFSET ?")
            .bind(page.limit())
            .bind(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(page.of(items, total.unsigned_abs()))
    }

    async fn find(&self, id: i64) -> Result<Option<Author>, StoreError> {
        let author = sqlx::query_as("SELECT * FROM authors WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        Ok(author)
    }

    async fn add(&self, author: NewAuthor) -> Result<Author, StoreError> {
        let added = sqlx::query_as("INSERT INTO authors (name) VALUES (?) RETURNING *")
            .bind(author.name)
            .fetch_one(&self.pool)
            .await?;
        Ok(added)
    }
}

impl FromRow<'_, SqliteRow> for Author {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
        })
    }
}
