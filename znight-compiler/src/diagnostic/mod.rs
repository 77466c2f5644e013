//! What is wrong with an application, and where.
//!
//! The macros show a diagnostic through rustc, as [`message`]. Tools that run without rustc print
//! with [`format_diagnostics`], or hand on JSON with `json` (feature `json`).

mod format;
mod frame;
#[cfg(feature = "json")]
mod json;
mod paint;
mod place;
mod render;

use std::cmp::Ordering;

use znight_contract::{ErrorCode, codes::Severity};

#[cfg(feature = "json")]
pub use json::json;
pub use {
    format::{Format, format_diagnostics, summary},
    place::{Location, Place, Tokens},
    render::{docs_line, docs_url, message, message_with_frame},
};

use crate::cfg::World;

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
    /// Other places that have a part in it, in the order they are shown.
    pub related: Vec<Related>,
    /// The worlds it is wrong in.
    pub worlds: Worlds,
}

impl Diagnostic {
    /// The range it points at.
    pub fn location(&self) -> &Location {
        &self.place.location
    }
}

/// A problem that exists only where something is so in the run time that the build pass cannot know: a feature
/// of its is off. rustc knows: the attribute's macro hands the problem to a macro of the run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditional {
    /// The problem.
    pub diagnostic: Diagnostic,
    /// The path of the macro that drops it or hands it on.
    pub only: String,
}

/// Another place that has a part in a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Its part, such as "first declared here".
    pub message: String,
    /// Where it is.
    pub place: Location,
}

/// The worlds a problem exists in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worlds {
    /// Both.
    Both,
    /// One of them.
    Only(World),
}

/// Sorts diagnostics as they are shown: syntax errors first, since a file that cannot be read makes
/// others look wrong; then by file, place and code. What is equal in these keeps its order.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(order);
}

/// Which of two is shown first.
pub(crate) fn order(a: &Diagnostic, b: &Diagnostic) -> Ordering {
    fn key(found: &Diagnostic) -> (bool, &str, usize, usize, ErrorCode) {
        let place = &found.place.location;
        (
            found.code != ErrorCode::SyntaxError,
            &place.file,
            place.line,
            place.column,
            found.code,
        )
    }
    key(a).cmp(&key(b))
}

/// Sorts diagnostics by place and joins those that both worlds share.
pub(crate) fn merge(production: Vec<Diagnostic>, test: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut merged: Vec<Diagnostic> = Vec::new();
    let mut test = test;
    for mut diagnostic in production {
        let same = |other: &Diagnostic| {
            other.code == diagnostic.code
                && other.place == diagnostic.place
                && other.message == diagnostic.message
                && other.hints == diagnostic.hints
                && other.related == diagnostic.related
        };
        if let Some(at) = test.iter().position(same) {
            test.remove(at);
            diagnostic.worlds = Worlds::Both;
        }
        merged.push(diagnostic);
    }
    merged.extend(test);
    sort(&mut merged);
    merged
}

/// "A, B and C".
pub(crate) fn join(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => parts.concat(),
    }
}
