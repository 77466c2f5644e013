//! Dates and times of `jiff`.

use jiff::{Timestamp, civil, tz::Offset};

use super::iso::{self, Instant};
use crate::{FromParam, ParamError};

impl FromParam for Timestamp {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        let read = |text| {
            let (date, time, offset) = match iso::instant(text)? {
                Instant::Milliseconds(milliseconds) => {
                    return Self::from_millisecond(milliseconds).ok();
                }
                Instant::Day(date) => (date, iso::Time::MIDNIGHT, 0),
                Instant::At(date, time, offset) => (date, time, offset),
            };
            let offset = Offset::from_seconds(offset).ok()?;
            let local = civil::DateTime::from_parts(day(date)?, clock(time)?);
            offset.to_timestamp(local).ok()
        };
        read(text).ok_or_else(iso::no_instant)
    }
}

impl FromParam for civil::Date {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        iso::date(text).and_then(day).ok_or_else(iso::no_date)
    }
}

impl FromParam for civil::Time {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        iso::time(text).and_then(clock).ok_or_else(iso::no_time)
    }
}

impl FromParam for civil::DateTime {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        let read = |text| {
            let (date, time) = iso::date_time(text)?;
            Some(Self::from_parts(day(date)?, clock(time)?))
        };
        read(text).ok_or_else(iso::no_date_time)
    }
}

fn day(date: iso::Date) -> Option<civil::Date> {
    let part = |part: u8| i8::try_from(part).ok();
    let year = i16::try_from(date.year).ok()?;
    civil::Date::new(year, part(date.month)?, part(date.day)?).ok()
}

fn clock(time: iso::Time) -> Option<civil::Time> {
    let part = |part: u8| i8::try_from(part).ok();
    let nanosecond = i32::try_from(time.nanosecond).ok()?;
    civil::Time::new(
        part(time.hour)?,
        part(time.minute)?,
        part(time.second)?,
        nanosecond,
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, civil};

    use crate::FromParam;

    #[test]
    fn a_timestamp_is_read_in_each_form() {
        for (text, seconds) in [
            ("2024-02-29", 1_709_164_800),
            ("2024-01-02T10:00:00Z", 1_704_189_600),
            ("2024-01-02T12:00:00+02:00", 1_704_189_600),
            ("2024-01-02T05:30:00-0430", 1_704_189_600),
            ("1704189600000", 1_704_189_600),
            ("-1000", -1),
        ] {
            let read = Timestamp::from_param(text).map(Timestamp::as_second);
            assert_eq!(read, Ok(seconds), "{text}");
        }
    }

    #[test]
    fn the_calendar_and_the_range_are_checked() {
        for text in [
            "2024-02-30",
            "2023-02-29",
            "2024-00-01",
            "2024-01-00",
            "9223372036854775807",
        ] {
            assert_eq!(
                Timestamp::from_param(text).unwrap_err().to_string(),
                "expected a date (2024-01-02), a date-time with an offset (2024-01-02T10:00:00Z) or milliseconds"
            );
        }
    }

    #[test]
    fn civil_types_take_their_own_form() {
        assert_eq!(
            civil::Date::from_param("2024-02-29"),
            Ok(civil::date(2024, 2, 29))
        );
        assert_eq!(
            civil::Time::from_param("10:00:00.5"),
            Ok(civil::time(10, 0, 0, 500_000_000))
        );
        assert_eq!(
            civil::DateTime::from_param("2024-02-29T10:00"),
            Ok(civil::datetime(2024, 2, 29, 10, 0, 0, 0))
        );
        let refused = civil::Date::from_param("2024-02-30").unwrap_err();
        assert_eq!(refused.to_string(), "expected a date (2024-01-02)");
        let refused = civil::Time::from_param("24:00").unwrap_err();
        assert_eq!(refused.to_string(), "expected a time (10:00:00)");
        let refused = civil::DateTime::from_param("2024-02-29T10:00Z").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "expected a date-time without an offset (2024-01-02T10:00:00)"
        );
    }
}
