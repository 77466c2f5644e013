//! Dates and times of `time`.

use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset};

use super::iso::{self, Instant};
use crate::{FromParam, ParamError};

impl FromParam for OffsetDateTime {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        let read = |text| {
            let (date, time, offset) = match iso::instant(text)? {
                Instant::Milliseconds(milliseconds) => {
                    let nanoseconds = i128::from(milliseconds) * 1_000_000;
                    return Self::from_unix_timestamp_nanos(nanoseconds).ok();
                }
                Instant::Day(date) => (date, iso::Time::MIDNIGHT, 0),
                Instant::At(date, time, offset) => (date, time, offset),
            };
            let local = PrimitiveDateTime::new(day(date)?, clock(time)?);
            Some(local.assume_offset(UtcOffset::from_whole_seconds(offset).ok()?))
        };
        read(text).ok_or_else(iso::no_instant)
    }
}

impl FromParam for UtcDateTime {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        let found = OffsetDateTime::from_param(text)?;
        // The first and last days of the calendar may lie outside of it elsewhere.
        found.checked_to_utc().ok_or_else(iso::no_instant)
    }
}

impl FromParam for Date {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        iso::date(text).and_then(day).ok_or_else(iso::no_date)
    }
}

impl FromParam for Time {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        iso::time(text).and_then(clock).ok_or_else(iso::no_time)
    }
}

impl FromParam for PrimitiveDateTime {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        let read = |text| {
            let (date, time) = iso::date_time(text)?;
            Some(Self::new(day(date)?, clock(time)?))
        };
        read(text).ok_or_else(iso::no_date_time)
    }
}

fn day(date: iso::Date) -> Option<Date> {
    let month = Month::try_from(date.month).ok()?;
    Date::from_calendar_date(date.year.into(), month, date.day).ok()
}

fn clock(time: iso::Time) -> Option<Time> {
    Time::from_hms_nano(time.hour, time.minute, time.second, time.nanosecond).ok()
}

#[cfg(test)]
mod tests {
    use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime};

    use crate::FromParam;

    #[test]
    fn a_date_time_is_read_in_each_form() {
        for (text, seconds, offset) in [
            ("2024-02-29", 1_709_164_800, 0),
            ("2024-01-02T10:00:00Z", 1_704_189_600, 0),
            ("2024-01-02T12:00:00+02:00", 1_704_189_600, 7200),
            ("2024-01-02T05:30:00-0430", 1_704_189_600, -16200),
            ("1704189600000", 1_704_189_600, 0),
            ("-1000", -1, 0),
        ] {
            let read = UtcDateTime::from_param(text).map(UtcDateTime::unix_timestamp);
            assert_eq!(read, Ok(seconds), "{text}");
            let read = OffsetDateTime::from_param(text)
                .map(|read| (read.unix_timestamp(), read.offset().whole_seconds()));
            assert_eq!(read, Ok((seconds, offset)), "{text}");
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
            // The year 10000 in UTC.
            "9999-12-31T23:59:59-01:00",
        ] {
            assert_eq!(
                UtcDateTime::from_param(text).unwrap_err().to_string(),
                "expected a date (2024-01-02), a date-time with an offset (2024-01-02T10:00:00Z) or milliseconds",
                "{text}"
            );
        }
    }

    #[test]
    fn civil_types_take_their_own_form() {
        let day = Date::from_calendar_date(2024, Month::February, 29).unwrap();
        let ten = Time::from_hms(10, 0, 0).unwrap();
        assert_eq!(Date::from_param("2024-02-29"), Ok(day));
        assert_eq!(Time::from_param("10:00"), Ok(ten));
        assert_eq!(
            PrimitiveDateTime::from_param("2024-02-29T10:00:00"),
            Ok(PrimitiveDateTime::new(day, ten))
        );
        let refused = Date::from_param("2024-02-30").unwrap_err();
        assert_eq!(refused.to_string(), "expected a date (2024-01-02)");
        let refused = Time::from_param("24:00").unwrap_err();
        assert_eq!(refused.to_string(), "expected a time (10:00:00)");
        let refused = PrimitiveDateTime::from_param("2024-02-29T10:00Z").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "expected a date-time without an offset (2024-01-02T10:00:00)"
        );
    }
}
