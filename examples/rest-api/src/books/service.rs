//! The rules about books.

use std::sync::Arc;

use znight::prelude::*;

use super::{Book, BookFilter, BookRepository, NewBook, error::BookError};
use crate::{AuthorRepository, Page, PageRequest, validation::Invalid};

/// The rules about books.
#[injectable]
pub(super) struct BookService {
    books: Arc<dyn BookRepository>,
    authors: Arc<dyn AuthorRepository>,
}

impl BookService {
    pub(super) async fn list(
        &self,
        filter: &BookFilter,
        page: PageRequest,
    ) -> Result<Page<Book>, BookError> {
        Ok(self.books.list(filter, page).await?)
    }

    pub(super) async fn get(&self, id: i64) -> Result<Book, BookError> {
        let book = self.books.find(id).await?;
        book.ok_or(BookError::NotFound(id))
    }

    /// Adds a book whose author is known and whose ISBN is new.
    pub(super) async fn add(&self, book: NewBook) -> Result<Book, BookError> {
        if self.authors.find(book.author_id).await?.is_none() {
            return Err(Invalid::field("author_id", "expected the id of an author").into());
        }
        let isbn = book.isbn.clone();
        let added = self.books.add(book).await?;
        added.ok_or(BookError::Duplicate(isbn))
    }

    pub(super) async fn remove(&self, id: i64) -> Result<(), BookError> {
        if self.books.remove(id).await? {
            Ok(())
        } else {
            Err(BookError::NotFound(id))
        }
    }
}

#[cfg(test)]
mod tests {
    use mockall::predicate::eq;
    use znight_testing::{TestBed, TestBedBuilder};

    use super::BookService;
    use crate::{Author, AuthorRepository, Book, BookRepository, NewBook, books::error::BookError};

    /// The service, in front of stores that answer as a test says.
    fn service() -> TestBedBuilder<BookService> {
        TestBed::of::<BookService>(crate::graph())
    }

    fn emma() -> NewBook {
        NewBook {
            isbn: "9780141439587".parse().expect("an ISBN"),
            title: "Emma".to_owned(),
            year: 1815,
            author_id: 1,
        }
    }

    fn austen(id: i64) -> Author {
        Author {
            id,
            name: "Jane Austen".to_owned(),
        }
    }

    #[tokio::test]
    async fn a_book_of_a_known_author_is_stored() -> znight::Result {
        let bed = service()
            .mock::<dyn AuthorRepository>(|authors| {
                authors
                    .expect_find()
                    .with(eq(1))
                    .times(1)
                    .returning(|id| Ok(Some(austen(id))));
            })
            .mock::<dyn BookRepository>(|books| {
                books
                    .expect_add()
                    .with(eq(emma()))
                    .times(1)
                    .returning(|book| {
                        Ok(Some(Book {
                            id: 7,
                            isbn: book.isbn,
                            title: book.title,
                            year: book.year,
                            author_id: book.author_id,
                        }))
                    });
            })
            .build()
            .await?;
        assert_eq!(bed.get().add(emma()).await?.id, 7);
        bed.verify();
        Ok(())
    }

    #[tokio::test]
    async fn a_book_that_the_store_knows_is_a_duplicate() -> znight::Result {
        let bed = service()
            .mock::<dyn AuthorRepository>(|authors| {
                authors
                    .expect_find()
                    .with(eq(1))
                    .times(1)
                    .returning(|id| Ok(Some(austen(id))));
            })
            .mock::<dyn BookRepository>(|books| {
                books.expect_add().returning(|_| Ok(None));
            })
            .build()
            .await?;
        let refused = bed.get().add(emma()).await;
        assert!(
            matches!(refused, Err(BookError::Duplicate(_))),
            "{refused:?}"
        );
        Ok(())
    }

    #[tokio::test]
    async fn a_book_of_an_unknown_author_does_not_reach_the_store() -> znight::Result {
        // The mock of the store was told nothing: a call would fail the test.
        let bed = service()
            .mock::<dyn AuthorRepository>(|authors| {
                authors.expect_find().returning(|_| Ok(None));
            })
            .build()
            .await?;
        let refused = bed.get().add(emma()).await;
        assert!(matches!(refused, Err(BookError::Invalid(_))), "{refused:?}");
        Ok(())
    }
}
