//! Values of a manifest, and problems at their places.

use std::{collections::BTreeMap, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use znight_compiler::diagnostic::{Diagnostic, Location, Place, Related, Worlds};
use znight_contract::{ErrorCode, codes::Severity, suggest};

use super::{FILE, Problem};

/// Reads values and collects what is wrong with them.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            problems: Vec::new(),
        }
    }

    /// Reports a problem; [`Self::hint`] and [`Self::related`] add to it.
    pub(super) fn problem(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.problems.push(Diagnostic {
            code: ErrorCode::VersionMismatch,
            severity: Severity::Error,
            message: message.into(),
            hints: Vec::new(),
            place: Place::elsewhere(self.location(span)),
            related: Vec::new(),
            worlds: Worlds::Both,
        });
    }

    /// Adds a hint to the latest problem.
    pub(super) fn hint(&mut self, hint: impl Into<String>) {
        if let Some(problem) = self.problems.last_mut() {
            problem.hints.push(hint.into());
        }
    }

    /// Adds another place to the latest problem.
    pub(super) fn related(&mut self, span: Range<usize>, message: &str) {
        let place = self.location(span);
        if let Some(problem) = self.problems.last_mut() {
            problem.related.push(Related {
                message: message.to_owned(),
                place,
            });
        }
    }

    /// Says that a value is of the wrong type; `wanted` is such as "a list".
    pub(super) fn wrong_type(&mut self, value: &Spanned<DeValue<'_>>, name: &str, wanted: &str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.problem(value.span(), format!("`{name}` is {wanted}, not {found}"));
    }

    /// Reports keys that are not among the known ones; `what` is such as "setting".
    pub(super) fn known_keys(&mut self, table: &DeTable<'_>, what: &str, known: &[&str]) {
        for key in table.keys() {
            let name = &**key.get_ref();
            if known.contains(&name) {
                continue;
            }
            self.problem(key.span(), format!("there is no {what} `{name}`"));
            match suggest::closest(name, known.iter().copied()) {
                Some(close) => self.hint(format!("did you mean `{close}`?")),
                None => self.hint(format!("there are {}", quoted(known, '`'))),
            }
        }
    }

    /// `true` or `false`; false where it is neither.
    pub(super) fn switch(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> bool {
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.wrong_type(value, key, "`true` or `false`");
            if let Some(word @ ("true" | "false")) = value.get_ref().as_str() {
                self.hint(format!("write `{key} = {word}`"));
            }
            false
        })
    }

    /// One of a few words.
    pub(super) fn word<'v>(
        &mut self,
        value: &'v Spanned<DeValue<'_>>,
        key: &str,
        words: &[&str],
    ) -> Option<&'v str> {
        let Some(found) = value.get_ref().as_str() else {
            self.wrong_type(value, key, "a string");
            self.hint(format!("it is one of {}", quoted(words, '"')));
            return None;
        };
        if words.contains(&found) {
            return Some(found);
        }
        self.problem(value.span(), format!("`{key}` cannot be \"{found}\""));
        match suggest::closest(found, words.iter().copied()) {
            Some(close) => self.hint(format!("did you mean \"{close}\"?")),
            None => self.hint(format!("it is one of {}", quoted(words, '"'))),
        }
        None
    }

    /// The entries of a list; none where it is no list.
    pub(super) fn list<'v, 'i>(
        &mut self,
        value: &'v Spanned<DeValue<'i>>,
        key: &str,
    ) -> &'v [Spanned<DeValue<'i>>] {
        if let Some(list) = value.get_ref().as_array() {
            return list;
        }
        self.wrong_type(value, key, "a list");
        if let Some(text) = value.get_ref().as_str() {
            self.hint(format!("write `{key} = [\"{text}\"]`"));
        }
        &[]
    }

    /// The strings of a list, each once, with their places.
    pub(super) fn texts<'v>(
        &mut self,
        value: &'v Spanned<DeValue<'_>>,
        key: &str,
    ) -> Vec<(&'v str, Range<usize>)> {
        let mut seen = Seen::default();
        let mut texts = Vec::new();
        for entry in self.list(value, key) {
            let Some(text) = entry.get_ref().as_str() else {
                self.wrong_type(entry, &format!("an entry of {key}"), "a string");
                continue;
            };
            if seen.first_time(self, text, entry.span()) {
                texts.push((text, entry.span()));
            }
        }
        texts
    }

    fn location(&self, span: Range<usize>) -> Location {
        let (line, column) = self.position(span.start);
        let (end_line, end_column) = self.position(span.end.max(span.start));
        Location {
            file: FILE.to_owned(),
            line,
            column,
            end_line,
            end_column,
        }
    }

    /// Line and column, from 1, of an offset in bytes.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let before = before.strip_prefix('\u{feff}').unwrap_or(before);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// What was listed before.
#[derive(Debug, Default)]
pub(super) struct Seen(BTreeMap<String, Range<usize>>);

impl Seen {
    /// Whether a text is listed for the first time; if it is not, that is reported.
    pub(super) fn first_time(
        &mut self,
        reader: &mut Reader<'_>,
        text: &str,
        span: Range<usize>,
    ) -> bool {
        if let Some(first) = self.0.get(text) {
            reader.problem(span, format!("`{text}` is listed twice"));
            reader.related(first.clone(), "first listed here");
            return false;
        }
        self.0.insert(text.to_owned(), span);
        true
    }
}

/// The words, each in quotes: "a, b and c".
pub(super) fn quoted(words: &[&str], quote: char) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|word| format!("{quote}{word}{quote}"))
        .collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
