//! Diagnostics as a terminal shows them.

use std::fmt::Write as _;

use znight_contract::codes::Severity;

use super::{
    Diagnostic, Location, docs_url,
    frame::{self, Frame},
    join,
    paint::{Style, paint},
};

/// How diagnostics are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Whether to use the colours of a terminal. The default is no.
    pub color: bool,
    /// Whether to count errors and warnings in a last line. The default is yes.
    pub summary: bool,
}

impl Default for Format {
    fn default() -> Self {
        Self {
            color: false,
            summary: true,
        }
    }
}

impl Format {
    /// The default, with colours on a terminal unless the user does not want them: `no_color` is
    /// whether the variable `NO_COLOR` is set to anything but the empty text.
    #[must_use]
    pub fn for_terminal(is_terminal: bool, no_color: bool) -> Self {
        Self {
            color: is_terminal && !no_color,
            ..Self::default()
        }
    }
}

/// Prints diagnostics in the manner of rustc, in the order they are given in (see
/// [`sort`](super::sort)), with an empty line between two of them.
///
/// `read` gives the text of a file. Where it has none, the place is named and no line is shown.
/// The text is empty when there are no diagnostics, and ends with a line break when there are any.
///
/// ```text
/// error: ZNIGHT001: no provider for `dyn Users`, required by Service
///   --> src/service.rs:12:12
///    |
/// 12 |     users: Arc<dyn Users>,
///    |            ^^^^^^^^^^^^^^
///    |
///   ::: src/pg.rs:3:12
///    |
/// 3  | pub struct PgUsers;
///    |            ------- implements Users, but is not a provider
///    = hint: add #[injectable] to PgUsers
///    = docs: https://docs.rs/znight/0.1/znight/errors/index.html#znight001
///
/// 1 error
/// ```
pub fn format_diagnostics(
    diagnostics: &[Diagnostic],
    format: &Format,
    read: &dyn Fn(&str) -> Option<String>,
) -> String {
    let mut blocks: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| block(diagnostic, format.color, read))
        .collect();
    if format.summary && !diagnostics.is_empty() {
        let line = paint(format.color, Style::Strong, &summary(diagnostics));
        blocks.push(format!("{line}\n"));
    }
    blocks.join("\n")
}

/// How many errors and warnings there are: `2 errors and 1 warning`. Empty when there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity: Severity| {
        let number = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count();
        match number {
            0 => None,
            1 => Some(format!("1 {severity}")),
            _ => Some(format!("{number} {severity}s")),
        }
    };
    let counts: Vec<String> = [Severity::Error, Severity::Warning]
        .into_iter()
        .filter_map(count)
        .collect();
    join(&counts)
}

/// One diagnostic: its head, then what is below it.
fn block(diagnostic: &Diagnostic, color: bool, read: &dyn Fn(&str) -> Option<String>) -> String {
    let severity = diagnostic.severity.to_string();
    // Further lines of a message are aligned under its first one.
    let message = diagnostic
        .message
        .replace('\n', &format!("\n{:1$}", "", severity.len() + 2));
    let mut out = paint(color, diagnostic.severity.into(), &severity);
    let head = format!(": {}: {message}", diagnostic.code);
    let _ = writeln!(out, "{}", paint(color, Style::Strong, &head));
    out + &details(diagnostic, color, read)
}

/// What stands below the head of a diagnostic: places with their frames, hints, the page of the code.
pub(super) fn details(
    diagnostic: &Diagnostic,
    color: bool,
    read: &dyn Fn(&str) -> Option<String>,
) -> String {
    let location = diagnostic.location();
    let own = framed(location, read);
    let related: Vec<_> = diagnostic
        .related
        .iter()
        .map(|related| (related, framed(&related.place, read)))
        .collect();
    // One gutter for all frames, wide enough for the largest number.
    let width = own
        .iter()
        .chain(related.iter().filter_map(|(_, frame)| frame.as_ref()))
        .flat_map(|frame| &frame.rows)
        .map(|row| row.number.to_string().len())
        .max()
        .unwrap_or(1);
    let mut printer = Printer {
        out: String::new(),
        color,
        width,
    };
    printer.place("-->", &location.to_string());
    if let Some(frame) = &own {
        printer.frame(frame, '^', diagnostic.severity.into(), "");
    }
    let mut above = own.is_some();
    for (related, frame) in &related {
        if above {
            printer.bar();
        }
        if let Some(frame) = frame {
            printer.place(":::", &related.place.to_string());
            printer.frame(frame, '-', Style::Frame, &related.message);
        } else {
            printer.place(":::", &format!("{}: {}", related.place, related.message));
        }
        above = frame.is_some();
    }
    for hint in &diagnostic.hints {
        printer.note("hint", hint);
    }
    printer.note("docs", &docs_url(diagnostic.code));
    printer.out
}

fn framed(location: &Location, read: &dyn Fn(&str) -> Option<String>) -> Option<Frame> {
    frame::frame(&read(&location.file)?, location)
}

/// Prints what is below a head.
struct Printer {
    out: String,
    color: bool,
    /// How many characters the numbers of lines take.
    width: usize,
}

impl Printer {
    fn paint(&self, style: Style, text: &str) -> String {
        paint(self.color, style, text)
    }

    /// Prints one line, without space at its end.
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// `  --> src/lib.rs:12:29`
    fn place(&mut self, arrow: &str, text: &str) {
        let arrow = self.paint(Style::Frame, arrow);
        let line = format!("{:1$}{arrow} {text}", "", self.width);
        self.line(&line);
    }

    /// `   |`
    fn bar(&mut self) {
        self.numbered("", "");
    }

    /// `12 | text`
    fn numbered(&mut self, number: &str, text: &str) {
        let gutter = format!("{number:<width$} |", width = self.width);
        let line = format!("{} {text}", self.paint(Style::Frame, &gutter));
        self.line(&line);
    }

    /// The lines of a frame, marked. The label stands behind the last mark.
    fn frame(&mut self, frame: &Frame, mark: char, style: Style, label: &str) {
        self.bar();
        for (index, row) in frame.rows.iter().enumerate() {
            if index > 0 && frame.gap {
                let dots = self.paint(Style::Frame, "...");
                self.line(&dots);
            }
            self.numbered(&row.number.to_string(), &row.text);
            let mut marks = mark.to_string().repeat(row.width);
            let mut further = Vec::new();
            if index + 1 == frame.rows.len() {
                let mut lines = label.lines();
                if let Some(first) = lines.next() {
                    marks.push(' ');
                    marks.push_str(first);
                }
                further.extend(lines);
            }
            let mut indent = " ".repeat(row.before);
            let marked = format!("{indent}{}", self.paint(style, &marks));
            self.numbered("", &marked);
            indent.push_str(&" ".repeat(row.width + 1));
            for line in further {
                let line = format!("{indent}{}", self.paint(style, line));
                self.numbered("", &line);
            }
        }
    }

    /// `   = hint: text`, further lines aligned under the first.
    fn note(&mut self, name: &str, text: &str) {
        let equals = self.paint(Style::Frame, "=");
        let start = format!("{:1$}{equals} ", "", self.width + 1);
        let indent = " ".repeat(self.width + 1 + "= ".len() + name.len() + ": ".len());
        for (index, line) in text.lines().enumerate() {
            let line = if index == 0 {
                let name = self.paint(Style::Strong, name);
                format!("{start}{name}: {line}")
            } else {
                format!("{indent}{line}")
            };
            self.line(&line);
        }
    }
}
