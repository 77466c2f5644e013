//! Figures on standard output, in the lines `cargo xtask bench` reads.
#![expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]

use crate::measure::Samples;

/// What a figure is given in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
}

impl Unit {
    fn of(self, seconds: f64) -> f64 {
        match self {
            Self::S => seconds,
            Self::Ms => seconds * 1e3,
            Self::Us => seconds * 1e6,
            Self::Ns => seconds * 1e9,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::S => "s",
            Self::Ms => "ms",
            Self::Us => "us",
            Self::Ns => "ns",
        }
    }
}

/// Prints a figure: the median as a row of the table, the quartiles as a remark.
///
/// # Panics
/// When there are no samples.
pub fn figure(name: &str, samples: &Samples, unit: Unit, peer: Option<(&str, &Samples)>) {
    let (low, high) = samples.quartiles();
    note(&format!(
        "{name}: quartiles {} to {} {}, rounds: {}",
        digits(unit.of(low)),
        digits(unit.of(high)),
        unit.name(),
        samples.rounds(),
    ));
    let (peer, ratio) = match peer {
        Some((peer, theirs)) => (peer, digits(samples.median() / theirs.median())),
        None => ("", String::new()),
    };
    println!(
        "{name}\t{}\t{}\t{peer}\t{ratio}",
        digits(unit.of(samples.median())),
        unit.name(),
    );
}

/// Prints a figure that is the same in every round.
pub fn constant(name: &str, value: f64, unit: &str, peer: Option<(&str, f64)>) {
    let (peer, ratio) = match peer {
        Some((peer, theirs)) => (peer, digits(value / theirs)),
        None => ("", String::new()),
    };
    println!("{name}\t{}\t{unit}\t{peer}\t{ratio}", digits(value));
}

/// Prints a remark.
pub fn note(text: &str) {
    println!("{text}");
}

/// Three digits that mean something.
fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn three_digits_are_shown() {
        let shown = [1234.5, 45.67, 4.567, 0.4567].map(digits);
        assert_eq!(shown, ["1234", "45.7", "4.57", "0.457"]);
    }
}
