//! Diagnostics as text.

use std::fmt::Write as _;

use znight_contract::{ErrorCode, RELEASE_LINE};

use super::Diagnostic;

/// The text of a diagnostic as it stands in a rustc error: rustc adds the place and the frame.
pub fn message(diagnostic: &Diagnostic) -> String {
    let mut out = format!("{}: {}", diagnostic.code, diagnostic.message);
    for hint in &diagnostic.hints {
        // Lines of one hint stay together, aligned under its first word.
        let _ = write!(out, "\n  = hint: {}", hint.replace('\n', "\n          "));
    }
    let _ = write!(out, "\n  = {}", docs_line(diagnostic.code));
    out
}

/// Where the page of a code is.
pub fn docs_line(code: ErrorCode) -> String {
    format!(
        "docs: https://docs.rs/znight/{RELEASE_LINE}/znight/errors/index.html#{}",
        code.anchor()
    )
}
