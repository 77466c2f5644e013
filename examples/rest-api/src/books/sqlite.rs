//! Books in SQLite.

use sqlx::{FromRow, QueryBuilder, Row as _, Sqlite, SqlitePool, sqlite::SqliteRow};
use znight::prelude::*;

use super::{Book, BookFilter, BookRepository, NewBook};
use crate::{Page, PageRequest, StoreError};

#[injectable]
struct SqliteBooks {
    pool: SqlitePool,
}

#[async_trait]
impl BookRepository for SqliteBooks {
    async fn list(&self, filter: &BookFilter, page: PageRequest) -> Result<Page<Book>, StoreError> {
        // One transaction, so that the total belongs to the items.
        let mut transaction = self.pool.begin().await?;
        let total: i64 = matching("SELECT count(*) FROM books", filter)
            .build_query_scalar()
            .fetch_one(&mut *transaction)
            .await?;
        let items = matching("SELECT * FROM books", filter)
            .push(" ORDER BY title, id LIMIT ")
            .push_bind(page.limit())
            .push(" OFFSET ")
            .push_bind(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .build_query_as()
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(page.of(items, total.unsigned_abs()))
    }

    async fn of_author(&self, author: i64) -> Result<Vec<Book>, StoreError> {
        let books = sqlx::query_as("SELECT * FROM books WHERE author_id = ? ORDER BY year, id")
            .bind(author)
            .fetch_all(&self.pool)
            .await?;
        Ok(books)
    }

    async fn find(&self, id: i64) -> Result<Option<Book>, StoreError> {
        let book = sqlx::query_as("SELECT * FROM books WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        Ok(book)
    }

    async fn add(&self, book: NewBook) -> Result<Option<Book>, StoreError> {
        let added = sqlx::query_as(
            "INSERT INTO books (isbn, title, year, author_id) VALUES (?, ?, ?, ?) \
             ON CONFLICT (isbn) DO NOTHING RETURNING *",
        )
        .bind(book.isbn.to_string())
        .bind(book.title)
        .bind(book.year)
        .bind(book.author_id)
        .fetch_optional(&self.pool)
        .await?;
        Ok(added)
    }

    async fn remove(&self, id: i64) -> Result<bool, StoreError> {
        let done = sqlx::query("DELETE FROM books WHERE id = ?")
            .bind(id)
            .execute(&self.pool)
            .await?;
        Ok(done.rows_affected() > 0)
    }
}

/// A statement about the books that pass the filter.
fn matching(start: &'static str, filter: &BookFilter) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(start);
    query.push(" WHERE true");
    if let Some(author) = filter.author {
        query.push(" AND author_id = ").push_bind(author);
    }
    if let Some(title) = &filter.title {
        query
            .push(" AND instr(lower(title), lower(")
            .push_bind(title.clone())
            .push(")) > 0");
    }
    if let Some(from) = filter.from {
        query.push(" AND year >= ").push_bind(from);
    }
    if let Some(to) = filter.to {
        query.push(" AND year <= ").push_bind(to);
    }
    query
}

impl FromRow<'_, SqliteRow> for Book {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let isbn: &str = row.try_get("isbn")?;
        Ok(Self {
            id: row.try_get("id")?,
            isbn: isbn
                .parse()
                .map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
            title: row.try_get("title")?,
            year: row.try_get("year")?,
            author_id: row.try_get("author_id")?,
        })
    }
}
