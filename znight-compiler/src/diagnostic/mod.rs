//! What is wrong with an application, and where.

mod render;

use znight_contract::{ErrorCode, codes::Severity};

pub use render::{docs_line, message};

use crate::{cfg::World, facts::PlaceFact};

/// One problem of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code.
    pub code: ErrorCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: one phrase, lower case, naming the user's items.
    pub message: String,
    /// What to do, and what came close.
    pub hints: Vec<String>,
    /// Where to point.
    pub place: Place,
    /// The worlds it is wrong in.
    pub worlds: Worlds,
}

/// The worlds a problem exists in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worlds {
    /// Both.
    Both,
    /// One of them.
    Only(World),
}

/// A run of tokens of an annotated item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The annotated item, by its number.
    pub occurrence: usize,
    /// The tokens, and where they stand.
    pub tokens: PlaceFact,
    /// The file, relative to the package, with `/`.
    pub file: String,
}

impl Place {
    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.tokens.span.line as usize
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> usize {
        self.tokens.span.column as usize
    }
}

/// Sorts diagnostics by place and joins those that both worlds share.
pub(crate) fn merge(production: Vec<Diagnostic>, test: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut merged: Vec<Diagnostic> = Vec::new();
    let mut test = test;
    for mut diagnostic in production {
        if let Some(at) = test.iter().position(|other| {
            (other.code, &other.place, &other.message, &other.hints)
                == (
                    diagnostic.code,
                    &diagnostic.place,
                    &diagnostic.message,
                    &diagnostic.hints,
                )
        }) {
            test.remove(at);
            diagnostic.worlds = Worlds::Both;
        }
        merged.push(diagnostic);
    }
    merged.extend(test);
    merged.sort_by(|a, b| {
        let key = |d: &Diagnostic| (d.place.file.clone(), d.place.tokens.span, d.code);
        key(a).cmp(&key(b))
    });
    merged
}

/// "A, B and C".
pub(crate) fn join(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => parts.concat(),
    }
}
