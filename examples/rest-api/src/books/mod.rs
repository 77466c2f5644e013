//! Books.

mod controller;
mod error;
mod model;
mod repository;
mod service;
mod sqlite;

pub use model::{Book, BookFilter, InvalidIsbn, Isbn, NewBook};
pub use repository::BookRepository;
