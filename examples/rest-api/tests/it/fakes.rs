//! The application without a database.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rest_api::{
    ApiKey, Author, AuthorRepository, Book, BookFilter, BookRepository, NewAuthor, NewBook, Page,
    PageRequest, Settings, StoreError,
};
use znight::prelude::*;
use znight_testing::{TestApp, TestAppBuilder};

/// The key of the applications under test.
pub(crate) const KEY: &str = "the key of the tests";

/// The page that may use it.
pub(crate) const PAGE: &str = "https://shelf.example.com";

/// The application, its database in a directory that does not exist.
pub(crate) fn builder() -> TestAppBuilder {
    builder_with_database("no/such/directory/bookshelf.db".as_ref())
}

/// The application with its database in this file.
pub(crate) fn builder_with_database(database: &std::path::Path) -> TestAppBuilder {
    let settings = settings(database);
    let http = rest_api::http_options(&settings);
    builder_with(settings, http)
}

/// The settings of the applications under test.
pub(crate) fn settings(database: &std::path::Path) -> Settings {
    Settings {
        port: 0,
        database: database.to_owned(),
        api_key: ApiKey::new(KEY),
        origins: vec![PAGE.to_owned()],
    }
}

/// The same with these options of HTTP.
fn builder_with(settings: Settings, http: HttpOptions) -> TestAppBuilder {
    TestApp::builder(rest_api::graph())
        .plugin(HttpPlugin::new(http))
        .override_value::<Settings>(Arc::new(settings))
}

/// The application with these on the shelf.
pub(crate) async fn app(authors: &[&str], books: &[(&str, &str, i32, i64)]) -> TestApp {
    let builder = builder()
        .override_value::<dyn AuthorRepository>(Arc::new(FakeAuthors::of(authors)))
        .override_value::<dyn BookRepository>(Arc::new(FakeBooks::of(books)));
    builder.start().await.expect("the application starts")
}

/// The application with nothing on the shelf and these options of HTTP.
pub(crate) fn empty_with(http: HttpOptions) -> TestAppBuilder {
    builder_with(settings("no/such/directory/bookshelf.db".as_ref()), http)
        .override_value::<dyn AuthorRepository>(Arc::new(FakeAuthors::of(&[])))
        .override_value::<dyn BookRepository>(Arc::new(FakeBooks::of(&[])))
}

/// Authors in memory.
#[derive(Default)]
pub(crate) struct FakeAuthors(Mutex<Vec<Author>>);

impl FakeAuthors {
    fn of(names: &[&str]) -> Self {
        let authors = (1..).zip(names).map(|(id, name)| Author {
            id,
            name: (*name).to_owned(),
        });
        Self(Mutex::new(authors.collect()))
    }
}

#[async_trait]
impl AuthorRepository for FakeAuthors {
    async fn list(&self, page: PageRequest) -> Result<Page<Author>, StoreError> {
        Ok(cut(page, all(&self.0)))
    }

    async fn find(&self, id: i64) -> Result<Option<Author>, StoreError> {
        Ok(all(&self.0).into_iter().find(|author| author.id == id))
    }

    async fn add(&self, author: NewAuthor) -> Result<Author, StoreError> {
        let mut authors = locked(&self.0);
        let author = Author {
            id: authors.last().map_or(1, |last| last.id + 1),
            name: author.name,
        };
        authors.push(author.clone());
        Ok(author)
    }
}

/// Books in memory.
struct FakeBooks(Mutex<Vec<Book>>);

impl FakeBooks {
    fn of(books: &[(&str, &str, i32, i64)]) -> Self {
        let books = (1..)
            .zip(books)
            .map(|(id, (isbn, title, year, author_id))| Book {
                id,
                isbn: isbn.parse().expect("an ISBN"),
                title: (*title).to_owned(),
                year: *year,
                author_id: *author_id,
            });
        Self(Mutex::new(books.collect()))
    }
}

#[async_trait]
impl BookRepository for FakeBooks {
    async fn list(&self, filter: &BookFilter, page: PageRequest) -> Result<Page<Book>, StoreError> {
        let mut books = all(&self.0);
        books.retain(|book| filter.author.is_none_or(|author| book.author_id == author));
        Ok(cut(page, books))
    }

    async fn of_author(&self, author: i64) -> Result<Vec<Book>, StoreError> {
        let mut books = all(&self.0);
        books.retain(|book| book.author_id == author);
        Ok(books)
    }

    async fn find(&self, id: i64) -> Result<Option<Book>, StoreError> {
        Ok(all(&self.0).into_iter().find(|book| book.id == id))
    }

    async fn add(&self, book: NewBook) -> Result<Option<Book>, StoreError> {
        let mut books = locked(&self.0);
        if books.iter().any(|other| other.isbn == book.isbn) {
            return Ok(None);
        }
        let book = Book {
            id: books.last().map_or(1, |last| last.id + 1),
            isbn: book.isbn,
            title: book.title,
            year: book.year,
            author_id: book.author_id,
        };
        books.push(book.clone());
        Ok(Some(book))
    }

    async fn remove(&self, id: i64) -> Result<bool, StoreError> {
        let mut books = locked(&self.0);
        let before = books.len();
        books.retain(|book| book.id != id);
        Ok(books.len() < before)
    }
}

/// A store that fails.
pub(crate) struct Broken;

#[async_trait]
impl BookRepository for Broken {
    async fn list(&self, _: &BookFilter, _: PageRequest) -> Result<Page<Book>, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }

    async fn of_author(&self, _: i64) -> Result<Vec<Book>, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }

    async fn find(&self, _: i64) -> Result<Option<Book>, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }

    async fn add(&self, _: NewBook) -> Result<Option<Book>, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }

    async fn remove(&self, _: i64) -> Result<bool, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }
}

#[async_trait]
impl AuthorRepository for Broken {
    async fn list(&self, _: PageRequest) -> Result<Page<Author>, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }

    async fn find(&self, _: i64) -> Result<Option<Author>, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }

    async fn add(&self, _: NewAuthor) -> Result<Author, StoreError> {
        Err(StoreError::new("the disk is on fire"))
    }
}

fn all<T: Clone>(items: &Mutex<Vec<T>>) -> Vec<T> {
    locked(items).clone()
}

fn locked<T>(items: &Mutex<T>) -> MutexGuard<'_, T> {
    items.lock().unwrap_or_else(PoisonError::into_inner)
}

fn cut<T>(page: PageRequest, items: Vec<T>) -> Page<T> {
    let total = items.len() as u64;
    let start = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let items = items.into_iter().skip(start).take(page.limit() as usize);
    page.of(items.collect(), total)
}
