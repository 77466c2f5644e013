//! Diagnostics as text inside of a rustc error.

use std::fmt::Write as _;

use znight_contract::{ErrorCode, RELEASE_LINE};

use super::{Diagnostic, format};

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

/// The text of a diagnostic that rustc cannot place, such as one about `Cargo.toml`: the frame
/// stands in the text. `read` gives the text of a file.
pub fn message_with_frame(
    diagnostic: &Diagnostic,
    read: &dyn Fn(&str) -> Option<String>,
) -> String {
    let mut out = format!("{}: {}\n", diagnostic.code, diagnostic.message);
    out.push_str(&format::details(diagnostic, false, read));
    out.truncate(out.trim_end().len());
    out
}

/// Where the page of a code is, as a line below a message.
pub fn docs_line(code: ErrorCode) -> String {
    format!("docs: {}", docs_url(code))
}

/// Where the page of a code is.
pub fn docs_url(code: ErrorCode) -> String {
    format!(
        "https://docs.rs/znight/{RELEASE_LINE}/znight/errors/index.html#{}",
        code.anchor()
    )
}
