//! Authors.

mod controller;
mod error;
mod model;
mod repository;
mod service;
mod sqlite;

pub use model::{Author, NewAuthor};
pub use repository::AuthorRepository;
