//! Sizes in bytes, as people write them.

use core::fmt;

/// The text for no limit.
pub const UNLIMITED: &str = "unlimited";

const UNITS: [(&str, u64); 5] = [
    ("kb", 1 << 10),
    ("mb", 1 << 20),
    ("gb", 1 << 30),
    ("tb", 1 << 40),
    ("b", 1),
];

/// Reads a size: a whole number of bytes, or with a unit out of `b`, `kb`, `mb`, `gb` and `tb`, each 1024
/// of the one before, whatever the case; `unlimited` is the largest number there is.
///
/// ```
/// use znight_contract::size::parse;
///
/// assert_eq!(parse("64kb"), Ok(65_536));
/// assert_eq!(parse("10 MB"), Ok(10 * 1024 * 1024));
/// assert_eq!(parse("unlimited"), Ok(u64::MAX));
/// assert!(parse("10 apples").is_err());
/// ```
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<u64, SizeError> {
    if text.eq_ignore_ascii_case(UNLIMITED) {
        return Ok(u64::MAX);
    }
    let lower = text.to_ascii_lowercase();
    let (number, unit) = UNITS
        .iter()
        .find_map(|(name, bytes)| Some((lower.strip_suffix(name)?.trim_end(), *bytes)))
        .unwrap_or((&lower, 1));
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(SizeError::Malformed);
    }
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or(SizeError::TooLarge)
}

/// What is wrong with a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeError {
    /// It is no number with a unit.
    Malformed,
    /// It does not fit in 64 bits.
    TooLarge,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => {
                "a size is a whole number of bytes, or one with a unit such as `64kb` or `10mb`, or `unlimited`"
            }
            Self::TooLarge => "the size is beyond 64 bits: `unlimited` is no limit",
        })
    }
}

impl std::error::Error for SizeError {}

#[cfg(test)]
mod tests {
    use super::{SizeError, parse};

    #[test]
    fn sizes_have_units_of_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("5000000", 5_000_000),
            ("7b", 7),
            ("1kb", 1024),
            ("1KB", 1024),
            ("10 mb", 10 << 20),
            ("5gb", 5 << 30),
            ("1tb", 1 << 40),
            ("Unlimited", u64::MAX),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_told() {
        for text in [
            "",
            "mb",
            "-1",
            "+1",
            "1.5mb",
            "1 k b",
            "0x10",
            "1_000",
            " 1",
            "\u{661}kb",
            "1mib",
        ] {
            assert_eq!(parse(text), Err(SizeError::Malformed), "{text}");
        }
        for text in ["18446744073709551616", "99999999tb"] {
            assert_eq!(parse(text), Err(SizeError::TooLarge), "{text}");
        }
    }
}
