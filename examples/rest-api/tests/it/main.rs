//! The bookshelf from outside.
#![forbid(unsafe_code)]

mod access;
mod authors;
mod books;
mod boot;
mod fakes;
mod golden;
mod readme;
mod sqlite;
