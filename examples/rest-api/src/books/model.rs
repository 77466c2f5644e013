//! What a book is, and what a client sends to add or to find one.

use std::{fmt, str::FromStr};

use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::validation::text;

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
#[derive(Debug, Deserialize, Validate)]
#[serde(deny_unknown_fields)]
pub(super) struct BookDraft {
    #[garde(custom(is_isbn))]
    isbn: String,
    #[garde(custom(text::<200>))]
    title: String,
    #[garde(range(min = 1, max = 9999))]
    year: i32,
    // Whether there is such an author is for the store to say.
    #[garde(skip)]
    author_id: i64,
}

/// The rule of a text that is an ISBN.
fn is_isbn<C>(text: &str, _: &C) -> garde::Result {
    text.parse::<Isbn>().map(drop).map_err(garde::Error::new)
}

impl TryFrom<BookDraft> for NewBook {
    type Error = InvalidIsbn;

    fn try_from(draft: BookDraft) -> Result<Self, InvalidIsbn> {
        Ok(Self {
            isbn: draft.isbn.parse()?,
            title: draft.title.trim().to_owned(),
            year: draft.year,
            author_id: draft.author_id,
        })
    }
}

/// Which books a list has. What is absent excludes none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Validate)]
#[garde(allow_unvalidated)]
pub struct BookFilter {
    /// Those of this author.
    pub author: Option<i64>,
    /// Those whose title contains this text, whatever the case of its ASCII letters.
    pub title: Option<String>,
    /// Those published in this year or later.
    pub from: Option<i32>,
    /// Those published in this year or earlier.
    #[garde(custom(not_before(self.from)))]
    pub to: Option<i32>,
}

/// The rule of a range of years, which does not run backwards.
fn not_before(from: Option<i32>) -> impl FnOnce(&Option<i32>, &()) -> garde::Result {
    move |to, ()| match (from, to) {
        (Some(from), Some(to)) if from > *to => Err(garde::Error::new(
            "expected a year that is not before `from`",
        )),
        _ => Ok(()),
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
    use garde::Validate as _;

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
            assert!(filter(from, to).validate().is_ok());
        }
        assert!(filter(Some(1815), Some(1814)).validate().is_err());
    }
}
