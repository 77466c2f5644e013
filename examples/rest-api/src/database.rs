//! The database: one SQLite file, opened and brought up to date when the service starts.

use std::sync::Arc;

use sqlx::{
    SqlStr, SqlitePool,
    migrate::{Migration, MigrationType, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};
use znight::{BoxError, prelude::*};

use crate::Settings;

/// What a repository answers when what it stores in fails.
#[derive(Debug, thiserror::Error)]
#[error("the bookshelf cannot be reached")]
pub struct StoreError(#[source] BoxError);

impl StoreError {
    /// A failure with this cause.
    pub fn new(cause: impl Into<BoxError>) -> Self {
        Self(cause.into())
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::new(error)
    }
}

/// Provides the connections.
struct Database;

#[factory]
impl Database {
    /// The connections, each a handle on the same pool.
    #[provides(clone, dispose = SqlitePool::close)]
    async fn pool(settings: Arc<Settings>) -> Result<SqlitePool, BoxError> {
        let options = SqliteConnectOptions::new()
            .filename(&settings.database)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .foreign_keys(true);
        let pool = SqlitePool::connect_with(options).await?;
        migrator().run(&pool).await?;
        tracing::info!("the bookshelf is in {}", settings.database.display());
        Ok(pool)
    }
}

/// Every change of the schema, in order. What has run once must not be edited any more.
fn migrator() -> Migrator {
    let migrations = [(
        1,
        "bookshelf",
        include_str!("../migrations/0001_bookshelf.sql"),
    )];
    let migrations = migrations.map(|(version, description, sql)| {
        let sql = SqlStr::from_static(sql);
        Migration::new(
            version,
            description.into(),
            MigrationType::Simple,
            sql,
            false,
        )
    });
    Migrator::with_migrations(migrations.into())
}
