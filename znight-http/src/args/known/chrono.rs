//! Dates and times of `chrono`.

use chrono::{
    DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Offset as _, TimeZone as _, Utc,
};

use super::iso::{self, Instant};
use crate::{FromParam, ParamError};

impl FromParam for DateTime<FixedOffset> {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        let read = |text| {
            let (date, time, offset) = match iso::instant(text)? {
                Instant::Milliseconds(milliseconds) => {
                    let found = DateTime::from_timestamp_millis(milliseconds)?;
                    return Some(found.with_timezone(&Utc.fix()));
                }
                Instant::Day(date) => (date, iso::Time::MIDNIGHT, 0),
                Instant::At(date, time, offset) => (date, time, offset),
            };
            let local = day(date)?.and_time(clock(time)?);
            let offset = FixedOffset::east_opt(offset)?;
            offset.from_local_datetime(&local).single()
        };
        read(text).ok_or_else(iso::no_instant)
    }
}

impl FromParam for DateTime<Utc> {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        DateTime::<FixedOffset>::from_param(text).map(|found| found.to_utc())
    }
}

impl FromParam for NaiveDate {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        iso::date(text).and_then(day).ok_or_else(iso::no_date)
    }
}

impl FromParam for NaiveTime {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        iso::time(text).and_then(clock).ok_or_else(iso::no_time)
    }
}

impl FromParam for NaiveDateTime {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        let read = |text| {
            let (date, time) = iso::date_time(text)?;
            Some(day(date)?.and_time(clock(time)?))
        };
        read(text).ok_or_else(iso::no_date_time)
    }
}

fn day(date: iso::Date) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
}

fn clock(time: iso::Time) -> Option<NaiveTime> {
    let (hour, minute, second) = (time.hour.into(), time.minute.into(), time.second.into());
    NaiveTime::from_hms_nano_opt(hour, minute, second, time.nanosecond)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};

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
            let read = DateTime::<Utc>::from_param(text).map(|read| read.timestamp());
            assert_eq!(read, Ok(seconds), "{text}");
            let read = DateTime::<FixedOffset>::from_param(text)
                .map(|read| (read.timestamp(), read.offset().local_minus_utc()));
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
        ] {
            assert_eq!(
                DateTime::<Utc>::from_param(text).unwrap_err().to_string(),
                "expected a date (2024-01-02), a date-time with an offset (2024-01-02T10:00:00Z) or milliseconds"
            );
        }
    }

    #[test]
    fn naive_types_take_their_own_form() {
        let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
        let ten = NaiveTime::from_hms_opt(10, 0, 0).unwrap();
        assert_eq!(NaiveDate::from_param("2024-02-29"), Ok(day));
        assert_eq!(NaiveTime::from_param("10:00"), Ok(ten));
        assert_eq!(
            NaiveDateTime::from_param("2024-02-29T10:00:00"),
            Ok(day.and_time(ten))
        );
        let refused = NaiveDate::from_param("2024-02-30").unwrap_err();
        assert_eq!(refused.to_string(), "expected a date (2024-01-02)");
        let refused = NaiveTime::from_param("24:00").unwrap_err();
        assert_eq!(refused.to_string(), "expected a time (10:00:00)");
        let refused = NaiveDateTime::from_param("2024-02-29T10:00Z").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "expected a date-time without an offset (2024-01-02T10:00:00)"
        );
    }
}
