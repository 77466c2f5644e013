//! The colours of a terminal.

use znight_contract::codes::Severity;

/// What a piece of text is, which decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The head of an error, and what points at it.
    Error,
    /// The head of a warning, and what points at it.
    Warning,
    /// Line numbers, bars, and what points at related places.
    Frame,
    /// What is read first.
    Strong,
}

impl From<Severity> for Style {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
        }
    }
}

/// Text in a style, or plain when there is no colour.
pub(super) fn paint(color: bool, style: Style, text: &str) -> String {
    if !color || text.is_empty() {
        return text.to_owned();
    }
    let code = match style {
        Style::Error => "1;31",
        Style::Warning => "1;33",
        Style::Frame => "1;34",
        Style::Strong => "1",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
