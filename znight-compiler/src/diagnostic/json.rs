//! Diagnostics as JSON, for tools.

use serde_json::{Value, json};

use super::{Diagnostic, Location, docs_url};

/// A diagnostic as a JSON object. Its fields are always present, and keep their meaning:
///
/// - `code`: a text, such as `"ZNIGHT001"`.
/// - `severity`: `"error"` or `"warning"`.
/// - `message`: a text, without the code.
/// - `hints`: a list of texts, empty if there is none.
/// - `docs`: the address of the code's page.
/// - `location`: the range it points at, an object with
///   - `file`: the path, relative to the package, with `/`;
///   - `start` and `end`, the latter behind the last character: objects with `line` (from 1),
///     `column` (in characters, from 1), `byteColumn` (in bytes of UTF-8, from 1) and `offset` (in
///     bytes of the file, from 0).
/// - `related`: a list of objects with `message` and `location`, empty if there is none.
///
/// Columns do not count a byte order mark, the offset does. `read` gives the text of a file; where
/// it has none, or the file has no such line, `byteColumn` and `offset` are `null`.
pub fn json(diagnostic: &Diagnostic, read: &dyn Fn(&str) -> Option<String>) -> Value {
    let related: Vec<Value> = diagnostic
        .related
        .iter()
        .map(|related| {
            json!({
                "message": related.message,
                "location": location(&related.place, read),
            })
        })
        .collect();
    json!({
        "code": diagnostic.code.to_string(),
        "severity": diagnostic.severity.to_string(),
        "message": diagnostic.message,
        "hints": diagnostic.hints,
        "docs": docs_url(diagnostic.code),
        "location": location(diagnostic.location(), read),
        "related": related,
    })
}

fn location(location: &Location, read: &dyn Fn(&str) -> Option<String>) -> Value {
    let text = read(&location.file);
    let position = |line: usize, column: usize| {
        let bytes = text.as_deref().and_then(|text| bytes(text, line, column));
        json!({
            "line": line,
            "column": column,
            "byteColumn": bytes.map(|(column, _)| column),
            "offset": bytes.map(|(_, offset)| offset),
        })
    };
    json!({
        "file": location.file,
        "start": position(location.line, location.column),
        "end": position(location.end_line, location.end_column),
    })
}

/// The column in bytes from 1, and the offset in the file.
fn bytes(text: &str, line: usize, column: usize) -> Option<(usize, usize)> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut start = text.len() - rest.len();
    let mut lines = rest.split('\n');
    for _ in 1..line {
        start += lines.next()?.len() + 1;
    }
    let line = lines.next().filter(|_| line > 0)?;
    let before: usize = line
        .chars()
        .take(column.saturating_sub(1))
        .map(char::len_utf8)
        .sum();
    Some((before + 1, start + before))
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_are_counted_from_the_start_of_the_line_and_of_the_file() {
        for (text, line, column, expected) in [
            ("abc", 1, 2, Some((2, 1))),
            ("é\r\nüx", 2, 2, Some((3, 6))),
            ("\u{feff}ab", 1, 2, Some((2, 4))),
            ("ab", 1, 9, Some((3, 2))),
            ("ab\n", 2, 1, Some((1, 3))),
            ("ab", 2, 1, None),
            ("ab", 0, 1, None),
        ] {
            assert_eq!(
                bytes(text, line, column),
                expected,
                "{text:?} {line}:{column}"
            );
        }
    }
}
