//! The one place that prints.
#![expect(
    clippy::print_stdout,
    reason = "printing is what a command of the terminal does"
)]

use std::{fmt::Write as _, io::Write as _, time::Duration};

/// Prints a text and a line end, at once: child processes write to the same terminal.
pub(crate) fn say(text: &str) {
    println!("{text}");
    // A closed pipe is no reason to fail a chore.
    let _ = std::io::stdout().flush();
}

/// "0.4s", "12.0s", "3m05s".
pub(crate) fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    if whole < 60 {
        format!("{:.1}s", time.as_secs_f64())
    } else {
        format!("{}m{:02}s", whole / 60, whole % 60)
    }
}

/// Lines with their columns aligned; a column of numbers is aligned to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
    let width = |column: usize| {
        rows.iter()
            .map(|row| cell(row, column).chars().count())
            .max()
            .unwrap_or(0)
    };
    let numeric = |column: usize| {
        rows.iter().skip(1).all(|row| {
            let text = cell(row, column);
            text.is_empty() || text.parse::<f64>().is_ok()
        })
    };
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for column in 0..columns {
            let (text, width) = (cell(row, column), width(column));
            if numeric(column) {
                let _ = write!(line, "{text:>width$}  ");
            } else {
                let _ = write!(line, "{text:<width$}  ");
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Duration, seconds, table};

    #[test]
    fn times_are_short() {
        assert_eq!(seconds(Duration::from_millis(420)), "0.4s");
        assert_eq!(seconds(Duration::from_secs(185)), "3m05s");
    }

    #[test]
    fn columns_are_aligned_and_numbers_to_the_right() {
        let rows = [
            ["name", "value", "unit"],
            ["boot", "1.5", "ms"],
            ["get", "12.25", "ns"],
        ]
        .map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            table(&rows),
            "name  value  unit\nboot    1.5  ms\nget   12.25  ns\n"
        );
    }
}
