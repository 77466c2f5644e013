//! Dates and times as they are written in requests: the grammar that `jiff`, `chrono` and `time` share
//! here, so that a service reads the same whichever it uses.
//!
//! The forms are those of ISO 8601 that RFC 3339 keeps, seconds optional. The text is looked at once,
//! from left to right; whether a day exists is for the calendar of the crate to say. A leap second is
//! none of the times: the crates disagree about it.

use super::super::ParamError;

/// What stands for a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instant {
    /// A day: its midnight in UTC is meant.
    Day(Date),
    /// A date-time, with the seconds its clock is ahead of UTC.
    At(Date, Time, i32),
    /// Milliseconds since 1970.
    Milliseconds(i64),
}

/// `2024-01-02`, which may be no day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: u16,
    pub(super) month: u8,
    pub(super) day: u8,
}

/// `10:00:00.5`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
    pub(super) nanosecond: u32,
}

impl Time {
    pub(super) const MIDNIGHT: Self = Self {
        hour: 0,
        minute: 0,
        second: 0,
        nanosecond: 0,
    };
}

/// A point in time.
pub(super) fn instant(text: &str) -> Option<Instant> {
    if let Some(milliseconds) = integer(text) {
        return Some(Instant::Milliseconds(milliseconds));
    }
    let mut rest = Rest(text.as_bytes());
    let date = rest.date()?;
    if rest.is_empty() {
        return Some(Instant::Day(date));
    }
    rest.one_of(b"Tt")?;
    let time = rest.time()?;
    let offset = rest.offset()?;
    rest.is_empty().then_some(Instant::At(date, time, offset))
}

/// A day by itself.
pub(super) fn date(text: &str) -> Option<Date> {
    let mut rest = Rest(text.as_bytes());
    let date = rest.date()?;
    rest.is_empty().then_some(date)
}

/// A time of day by itself.
pub(super) fn time(text: &str) -> Option<Time> {
    let mut rest = Rest(text.as_bytes());
    let time = rest.time()?;
    rest.is_empty().then_some(time)
}

/// A date-time of no place in particular: without an offset.
pub(super) fn date_time(text: &str) -> Option<(Date, Time)> {
    let mut rest = Rest(text.as_bytes());
    let date = rest.date()?;
    rest.one_of(b"Tt")?;
    let time = rest.time()?;
    rest.is_empty().then_some((date, time))
}

macro_rules! expected {
    ($($(#[$doc:meta])* $name:ident $text:literal;)*) => {
        $(
            $(#[$doc])*
            pub(super) fn $name() -> ParamError {
                ParamError::expected($text)
            }
        )*
    };
}

expected! {
    /// What is said of a text that is no [`instant`].
    no_instant "a date (2024-01-02), a date-time with an offset (2024-01-02T10:00:00Z) or milliseconds";
    /// What is said of a text that is no [`date`].
    no_date "a date (2024-01-02)";
    /// What is said of a text that is no [`time`].
    no_time "a time (10:00:00)";
    /// What is said of a text that is no [`date_time`].
    no_date_time "a date-time without an offset (2024-01-02T10:00:00)";
}

/// A whole number without a `+`, which a query would read as a space.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| text.parse().ok()).flatten()
}

/// What is still to be read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte, when it is one of these.
    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        bytes.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    fn digit(&mut self) -> Option<u8> {
        Some(self.one_of(b"0123456789")? - b'0')
    }

    /// Two digits, up to a bound.
    fn two(&mut self, most: u8) -> Option<u8> {
        let number = self.digit()? * 10 + self.digit()?;
        (number <= most).then_some(number)
    }

    fn date(&mut self) -> Option<Date> {
        let century = self.two(99)?;
        let year = u16::from(century) * 100 + u16::from(self.two(99)?);
        self.one_of(b"-")?;
        let month = self.two(12)?;
        self.one_of(b"-")?;
        let day = self.two(31)?;
        Some(Date { year, month, day })
    }

    fn time(&mut self) -> Option<Time> {
        let hour = self.two(23)?;
        self.one_of(b":")?;
        let minute = self.two(59)?;
        let (mut second, mut nanosecond) = (0, 0);
        if self.one_of(b":").is_some() {
            second = self.two(59)?;
            if self.one_of(b".,").is_some() {
                nanosecond = self.fraction()?;
            }
        }
        Some(Time {
            hour,
            minute,
            second,
            nanosecond,
        })
    }

    /// One to nine digits, as billionths.
    fn fraction(&mut self) -> Option<u32> {
        let mut number = u32::from(self.digit()?) * 100_000_000;
        let mut worth = 10_000_000;
        while let Some(digit) = self.digit() {
            if worth == 0 {
                return None;
            }
            number += u32::from(digit) * worth;
            worth /= 10;
        }
        Some(number)
    }

    /// `Z`, `+02:00` or `+0200`, in seconds.
    fn offset(&mut self) -> Option<i32> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = i32::from(self.two(23)?);
        // Optional, as the basic form has none.
        let _ = self.one_of(b":");
        let minutes = i32::from(self.two(59)?);
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Date, Instant, Time, date, date_time, instant, time};

    const DAY: Date = Date {
        year: 2024,
        month: 1,
        day: 2,
    };

    fn at(hour: u8, minute: u8, second: u8, nanosecond: u32) -> Time {
        Time {
            hour,
            minute,
            second,
            nanosecond,
        }
    }

    #[test]
    fn a_point_in_time_has_three_forms() {
        let ten = at(10, 0, 0, 0);
        for (text, expected) in [
            ("2024-01-02", Instant::Day(DAY)),
            ("2024-01-02T10:00:00Z", Instant::At(DAY, ten, 0)),
            ("2024-01-02t10:00:00z", Instant::At(DAY, ten, 0)),
            ("2024-01-02T10:00Z", Instant::At(DAY, ten, 0)),
            ("2024-01-02T10:00:00+02:00", Instant::At(DAY, ten, 7200)),
            ("2024-01-02T10:00:00+0200", Instant::At(DAY, ten, 7200)),
            ("2024-01-02T10:00:00-0030", Instant::At(DAY, ten, -1800)),
            ("2024-01-02T10:00:00-00:00", Instant::At(DAY, ten, 0)),
            ("2024-01-02T10:00:00+23:59", Instant::At(DAY, ten, 86340)),
            (
                "2024-01-02T10:00:00.5Z",
                Instant::At(DAY, at(10, 0, 0, 500_000_000), 0),
            ),
            (
                "2024-01-02T10:00:00,123456789Z",
                Instant::At(DAY, at(10, 0, 0, 123_456_789), 0),
            ),
            ("0", Instant::Milliseconds(0)),
            ("-1", Instant::Milliseconds(-1)),
            ("1704189600000", Instant::Milliseconds(1_704_189_600_000)),
            ("20240102", Instant::Milliseconds(20_240_102)),
            ("9223372036854775807", Instant::Milliseconds(i64::MAX)),
            ("-9223372036854775808", Instant::Milliseconds(i64::MIN)),
        ] {
            assert_eq!(instant(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_point_in_time() {
        for text in [
            "",
            " ",
            "-",
            "+1",
            "1.5",
            "1e3",
            "9223372036854775808",
            "99999999999999999999999999999999",
            "2024-1-2",
            "24-01-02",
            "+2024-01-02",
            "-2024-01-02",
            "12024-01-02",
            "2024-13-02",
            "2024-01-32",
            "2024-01-02T",
            "2024-01-02 10:00:00Z",
            // Depends on where the server stands.
            "2024-01-02T10:00:00",
            "2024-01-02T24:00:00Z",
            "2024-01-02T10:60:00Z",
            "2024-01-02T10:00:60Z",
            "2024-01-02T10Z",
            "2024-01-02T10:00:Z",
            "2024-01-02T10:00:00.Z",
            "2024-01-02T10:00:00.1234567890Z",
            "2024-01-02T10:00:00+02",
            "2024-01-02T10:00:00+2:00",
            "2024-01-02T10:00:00+24:00",
            "2024-01-02T10:00:00-24:00",
            "2024-01-02T10:00:00+02:60",
            "2024-01-02T10:00:00+02:00:00",
            "2024-01-02T10:00:00ZZ",
            "2024-01-02T10:00:00Z[Europe/Paris]",
            "2024\u{2010}01\u{2010}02",
            "\u{662}\u{660}\u{662}\u{664}-01-02",
            "2024-01-02T10:00:00\u{ff3a}",
            "\0",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }

    #[test]
    fn what_belongs_to_no_zone_has_no_offset() {
        assert_eq!(date("2024-01-02"), Some(DAY));
        assert_eq!(time("10:00"), Some(at(10, 0, 0, 0)));
        assert_eq!(
            time("23:59:59.999999999"),
            Some(at(23, 59, 59, 999_999_999))
        );
        let expected = Some((DAY, at(10, 0, 1, 0)));
        assert_eq!(date_time("2024-01-02T10:00:01"), expected);
        for text in ["", "2024-01-02T10:00:00", "2024-01-02Z", "1704189600000"] {
            assert_eq!(date(text), None, "{text}");
        }
        for text in ["", "24:00", "10", "10:00Z", "10:00+02:00", "T10:00"] {
            assert_eq!(time(text), None, "{text}");
        }
        for text in ["", "2024-01-02", "2024-01-02T10:00:00Z", "1704189600000"] {
            assert_eq!(date_time(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(text in "\\PC{0,40}") {
            let _ = (instant(&text), date(&text), time(&text), date_time(&text));
        }

        #[test]
        fn no_text_that_is_almost_one_is_too_much(text in "[-+0-9TtZz:., ]{0,40}") {
            let _ = (instant(&text), date(&text), time(&text), date_time(&text));
            #[cfg(feature = "jiff")]
            let _ = <::jiff::Timestamp as crate::FromParam>::from_param(&text);
            #[cfg(feature = "chrono")]
            let _ = <::chrono::DateTime<::chrono::Utc> as crate::FromParam>::from_param(&text);
            #[cfg(feature = "time")]
            let _ = <::time::UtcDateTime as crate::FromParam>::from_param(&text);
        }
    }
}
