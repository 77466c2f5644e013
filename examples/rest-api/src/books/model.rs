//! What a book is, and what a client sends to add or to find one.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::validation::{Checks, Invalid};

/// A book on the shelf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Book {
    /// What it is called in paths.
    pub id: i64,
    /// What it is called everywhere else.
    pub isbn: Isbn,
    /// Its title.
    pub title: String,
    /// The year it was published in.
    pub year: i32,
    /// Who wrote it.
    pub author_id: i64,
}

/// A book that may be put on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBook {
    /// What it is called everywhere.
    pub isbn: Isbn,
    /// Its title.
    pub title: String,
    /// The year it was published in.
    pub year: i32,
    /// Who wrote it.
    pub author_id: i64,
}

/// A book as a client sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BookDraft {
    isbn: String,
    title: String,
    year: i32,
    author_id: i64,
}

impl TryFrom<BookDraft> for NewBook {
    type Error = Invalid;

    fn try_from(draft: BookDraft) -> Result<Self, Invalid> {
        let mut checks = Checks::default();
        let isbn = checks.accept("isbn", draft.isbn.parse::<Isbn>());
        let title = checks.text("title", &draft.title, 200);
        let year = checks.number("year", draft.year, 1, 9999);
        let (Some(isbn), Some(title), Some(year)) = (isbn, title, year) else {
            return Err(checks.into());
        };
        Ok(Self {
            isbn,
            title,
            year,
            author_id: draft.author_id,
        })
    }
}

/// Which books a list has. What is absent excludes none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct BookFilter {
    /// Those of this author.
    pub author: Option<i64>,
    /// Those whose title contains this text, whatever the case of its ASCII letters.
    pub title: Option<String>,
    /// Those published in this year or later.
    pub from: Option<i32>,
    /// Those published in this year or earlier.
    pub to: Option<i32>,
}

impl BookFilter {
    /// Refuses a range of years that runs backwards.
    pub(super) fn check(&self) -> Result<(), Invalid> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from > to => {
                Err(Invalid::field("to", format!("expected {from} or later")))
            }
            _ => Ok(()),
        }
    }
}

/// An ISBN of 13 digits whose check digit is right.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Isbn(String);

/// A text that is no ISBN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an ISBN of 13 digits, the last of which checks the others")]
pub struct InvalidIsbn;

impl FromStr for Isbn {
    type Err = InvalidIsbn;

    /// Reads an ISBN with or without hyphens.
    fn from_str(text: &str) -> Result<Self, InvalidIsbn> {
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        let sum: Option<u32> = digits
            .chars()
            .zip([1, 3].into_iter().cycle())
            .map(|(digit, weight)| digit.to_digit(10).map(|digit| digit * weight))
            .sum();
        if digits.len() == 13 && sum.is_some_and(|sum| sum % 10 == 0) {
            Ok(Self(digits))
        } else {
            Err(InvalidIsbn)
        }
    }
}

impl fmt::Display for Isbn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{BookFilter, Isbn};

    #[test]
    fn an_isbn_has_thirteen_digits_and_the_last_checks_the_others() {
        for text in ["9780141439587", "978-0-14-143958-7"] {
            assert_eq!(
                text.parse::<Isbn>().map(|isbn| isbn.to_string()),
                Ok("9780141439587".to_owned())
            );
        }
        for text in ["", "9780141439588", "978014143958", "978014143958x"] {
            assert!(text.parse::<Isbn>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_range_of_years_may_be_open_but_not_backwards() {
        let filter = |from, to| BookFilter {
            from,
            to,
            ..BookFilter::default()
        };
        for (from, to) in [(None, None), (Some(1815), None), (Some(1815), Some(1815))] {
            assert!(filter(from, to).check().is_ok());
        }
        assert!(filter(Some(1815), Some(1814)).check().is_err());
    }
}
