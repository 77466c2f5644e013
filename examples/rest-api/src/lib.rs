//! A bookshelf over HTTP: authors and their books, kept in SQLite.
//!
//! The service is organised by domain. [`books`](BookRepository) and [`authors`](AuthorRepository)
//! each have a model, a trait for what stores it, an implementation of that trait in SQLite, a
//! service with the rules, and a controller that speaks HTTP. Nothing names an implementation but
//! the file it is in: the build finds it by its trait.
#![forbid(unsafe_code)]

mod auth;
mod authors;
mod books;
mod database;
mod page;
mod settings;
mod validation;

pub use auth::ApiKey;
pub use authors::{Author, AuthorRepository, NewAuthor};
pub use books::{Book, BookFilter, BookRepository, InvalidIsbn, Isbn, NewBook};
pub use database::StoreError;
pub use page::{Page, PageRequest};
pub use settings::{Settings, SettingsError};

/// What the service over HTTP is made of besides its routes: the guard in front of all of them.
pub fn http_options() -> znight::HttpOptions {
    znight::HttpOptions::new().guard::<auth::AccessGuard>()
}

znight::graph!();
