//! The lines of a file that a diagnostic points into.

use super::Location;

/// What a tab is shown as: the terminal's own tabs depend on where the line starts.
const TAB: &str = "    ";

/// The first and the last line of a range.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// One line, or two for a range over several.
    pub(super) rows: Vec<Row>,
    /// Whether lines between the two are left out.
    pub(super) gap: bool,
}

/// A line as it is shown, and the part of it that is pointed at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The number of the line.
    pub(super) number: usize,
    /// Its text, without tabs and without space at the end.
    pub(super) text: String,
    /// How many characters stand before the marked part.
    pub(super) before: usize,
    /// How many characters are marked, at least one.
    pub(super) width: usize,
}

/// The frame of a range; none when the file has no such line.
pub(super) fn frame(text: &str, location: &Location) -> Option<Frame> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let line = |number: usize| {
        let line = text.split('\n').nth(number.checked_sub(1)?)?;
        Some(Shown::new(line.strip_suffix('\r').unwrap_or(line)))
    };
    let first = line(location.line)?;
    let start = first.at(location.column);
    if location.end_line <= location.line {
        let end = if location.end_line == location.line {
            first.at(location.end_column)
        } else {
            start
        };
        return Some(Frame {
            rows: vec![first.row(location.line, start, end)],
            gap: false,
        });
    }
    let end = first.text.chars().count();
    let mut rows = vec![first.row(location.line, start, end)];
    let mut gap = false;
    if let Some(last) = line(location.end_line) {
        let start = last.text.chars().take_while(|c| *c == ' ').count();
        let end = last.at(location.end_column);
        // A range that ends before the first word of its last line shows nothing there.
        if end > start {
            gap = location.end_line > location.line + 1;
            rows.push(last.row(location.end_line, start, end));
        }
    }
    Some(Frame { rows, gap })
}

/// A line with its tabs replaced.
struct Shown {
    text: String,
    /// Where each character of the source is shown, and where the line ends.
    columns: Vec<usize>,
}

impl Shown {
    fn new(line: &str) -> Self {
        let mut text = String::new();
        let mut columns = vec![0];
        let mut width = 0;
        for c in line.chars() {
            if c == '\t' {
                text.push_str(TAB);
                width += TAB.len();
            } else {
                text.push(if is_harmful(c) { '\u{fffd}' } else { c });
                width += 1;
            }
            columns.push(width);
        }
        text.truncate(text.trim_end().len());
        Self { text, columns }
    }

    /// Where a column of the source is shown; the end of the line for those beyond it.
    fn at(&self, column: usize) -> usize {
        let index = column.saturating_sub(1).min(self.columns.len() - 1);
        self.columns[index]
    }

    fn row(&self, number: usize, start: usize, end: usize) -> Row {
        Row {
            number,
            text: self.text.clone(),
            before: start,
            width: end.saturating_sub(start).max(1),
        }
    }
}

/// Whether a character would move the cursor or turn the direction of the text around.
fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{Location, frame};

    /// The lines of a frame with carets below.
    fn drawn(text: &str, range: [usize; 4]) -> Option<String> {
        let [line, column, end_line, end_column] = range;
        let location = Location {
            file: "a.rs".to_owned(),
            line,
            column,
            end_line,
            end_column,
        };
        let frame = frame(text, &location)?;
        let rows: Vec<String> = frame
            .rows
            .iter()
            .map(|row| {
                format!(
                    "{}|{}\n {}{}",
                    row.number,
                    row.text,
                    " ".repeat(row.before),
                    "^".repeat(row.width)
                )
            })
            .collect();
        Some(rows.join(if frame.gap { "\n...\n" } else { "\n" }))
    }

    #[test]
    fn carets_stand_below_their_characters() {
        for (text, range, expected) in [
            ("abc", [1, 2, 1, 3], "1|abc\n  ^"),
            ("a\nbcd\n", [2, 1, 2, 4], "2|bcd\n ^^^"),
            ("\ta\tb", [1, 2, 1, 5], "1|    a    b\n     ^^^^^^"),
            ("größe x", [1, 1, 1, 6], "1|größe x\n ^^^^^"),
            ("\u{feff}ab", [1, 1, 1, 2], "1|ab\n ^"),
            ("ab\r\ncd\r\n", [1, 2, 1, 3], "1|ab\n  ^"),
            ("a\u{1b}[b", [1, 2, 1, 3], "1|a\u{fffd}[b\n  ^"),
        ] {
            assert_eq!(drawn(text, range).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn a_range_over_several_lines_shows_its_first_and_its_last() {
        let text = "a {\n  b\n  }\n  c";
        for (range, expected) in [
            ([1, 3, 2, 4], "1|a {\n   ^\n2|  b\n   ^"),
            ([1, 1, 3, 4], "1|a {\n ^^^\n...\n3|  }\n   ^"),
            ([1, 1, 2, 1], "1|a {\n ^^^"),
            ([2, 3, 9, 1], "2|  b\n   ^"),
        ] {
            assert_eq!(drawn(text, range).as_deref(), Some(expected), "{range:?}");
        }
    }

    #[test]
    fn a_range_without_width_or_outside_of_its_line_gets_one_caret() {
        for (range, expected) in [
            ([1, 2, 1, 2], "1|abc\n  ^"),
            ([1, 3, 1, 1], "1|abc\n   ^"),
            ([1, 9, 1, 12], "1|abc\n    ^"),
            ([1, 0, 1, 0], "1|abc\n ^"),
            ([1, 2, 0, 0], "1|abc\n  ^"),
            ([2, 1, 2, 1], "2|\n ^"),
        ] {
            assert_eq!(
                drawn("abc\n", range).as_deref(),
                Some(expected),
                "{range:?}"
            );
        }
        assert_eq!(drawn("abc", [2, 1, 2, 2]), None);
        assert_eq!(drawn("abc", [0, 1, 0, 2]), None);
    }
}
