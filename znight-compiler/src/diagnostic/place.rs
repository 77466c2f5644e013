//! Where a diagnostic points.

use std::fmt;

use crate::{facts::PlaceFact, source::Span};

/// A range of a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file, relative to the package, with `/`.
    pub file: String,
    /// The line it starts in, from 1.
    pub line: usize,
    /// The column of its first character, in characters from 1. A byte order mark is not counted.
    pub column: usize,
    /// The line it ends in, from 1.
    pub end_line: usize,
    /// The column behind its last character, in characters from 1.
    pub end_column: usize,
}

/// The start, as `src/lib.rs:12:29`.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Location {
    /// A stretch of a file.
    pub fn new(file: String, span: Span) -> Self {
        Self {
            file,
            line: span.line as usize,
            column: span.column as usize,
            end_line: span.end_line as usize,
            end_column: span.end_column as usize,
        }
    }
}

/// Where a diagnostic stands: a range of a file, and for rustc the tokens in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The tokens a macro can put it on. None where no attribute of ours stands, such as in
    /// `Cargo.toml`.
    pub tokens: Option<Tokens>,
    /// The range.
    pub location: Location,
}

impl Place {
    /// A range of a file, apart from any annotated item.
    pub fn elsewhere(location: Location) -> Self {
        Self {
            tokens: None,
            location,
        }
    }
}

/// A run of tokens of an annotated item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// The annotated item, by its number.
    pub occurrence: usize,
    /// Which of its tokens.
    pub place: PlaceFact,
}
