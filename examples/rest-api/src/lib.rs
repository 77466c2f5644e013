//! A bookshelf over HTTP: authors and their books, kept in SQLite.
//!
//! The service is organised by domain. [`books`](BookRepository) and [`authors`](AuthorRepository)
//! each have a model, a trait for what stores it, an implementation of that trait in SQLite, a
//! service with the rules, and a controller that speaks HTTP. Nothing names an implementation but
//! the file it is in: the build finds it by its trait.
#![forbid(unsafe_code)]

use znight::{Cors, HttpError, HttpOptions};

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

/// What the service over HTTP is made of besides its routes: the guard in front of all of them, what a store
/// that fails is answered with, and the pages that may use it.
pub fn http_options(settings: &Settings) -> HttpOptions {
    let options = HttpOptions::new()
        .guard::<auth::AccessGuard>()
        .error_mapper(|_: &StoreError| {
            HttpError::service_unavailable("the bookshelf cannot be reached, try again")
                .header("retry-after", "5")
        });
    if settings.origins.is_empty() {
        return options;
    }
    let pages = Cors::new().origins(&settings.origins);
    // The only header a page needs that browsers ask about.
    options.cors(pages.allow_headers(["authorization", "content-type"]))
}

znight::graph!();
