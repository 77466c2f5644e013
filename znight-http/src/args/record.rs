//! Pairs of names and texts read as one value: a struct or a map.

use std::borrow::Cow;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor,
    value::CowStrDeserializer,
};

use super::{
    Place, Tag, context,
    text::{TextError, Values},
};
use crate::{HttpError, rq::Rq};

/// A type that can take a whole record (all query parameters, all headers): a struct or a map that
/// implements `Deserialize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take a whole record of the request",
    label = "not a record",
    note = "derive `serde::Deserialize` for it, or use a map such as `HashMap<String, String>`"
)]
pub trait FromRecord: Sized {
    #[doc(hidden)]
    fn from_record(record: Record<'_>) -> Result<Self, TextError>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> FromRecord for T {
    fn from_record(record: Record<'_>) -> Result<Self, TextError> {
        T::deserialize(record)
    }
}

/// Whole records as arguments.
pub trait Records<T> {
    /// All path parameters.
    ///
    /// # Errors
    /// 400 naming the parameter.
    fn param_all(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromRecord;

    /// All query parameters.
    ///
    /// # Errors
    /// 400 naming the parameter.
    fn query_all(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromRecord;

    /// All headers.
    ///
    /// # Errors
    /// 400 naming the header.
    fn header_all(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromRecord;
}

impl<T> Records<T> for Tag<T> {
    fn param_all(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromRecord,
    {
        let pairs = context(rq)
            .params()
            .map(|(name, value)| (Cow::Borrowed(name), Cow::Borrowed(value)));
        T::from_record(Record::new(pairs.collect()))
            .map_err(|error| Place::Param.refuse_record(&error))
    }

    fn query_all(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromRecord,
    {
        let pairs = super::query::pairs(context(rq))?;
        T::from_record(Record::new(pairs.collect()))
            .map_err(|error| Place::Query.refuse_record(&error))
    }

    fn header_all(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromRecord,
    {
        let pairs = context(rq)
            .headers()
            .iter()
            .map(|(name, value)| {
                let value = super::header::text(name.as_str(), value)?;
                Ok((Cow::Borrowed(name.as_str()), Cow::Borrowed(value)))
            })
            .collect::<Result<Vec<_>, HttpError>>()?;
        T::from_record(Record::new(pairs)).map_err(|error| Place::Header.refuse_record(&error))
    }
}

/// Pairs of names and texts; a name may occur several times.
#[derive(Debug)]
pub struct Record<'de>(Vec<(Cow<'de, str>, Cow<'de, str>)>);

impl<'de> Record<'de> {
    pub(crate) fn new(mut pairs: Vec<(Cow<'de, str>, Cow<'de, str>)>) -> Self {
        // Brings the values of one name together in the order they were sent, in a time that does
        // not depend on what names were chosen.
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        Self(pairs)
    }
}

impl<'de> Deserializer<'de> for Record<'de> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_map(Entries {
            rest: self.0.into_iter().peekable(),
            next: None,
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        // `Vec<(String, String)>`: the pairs themselves.
        let pairs = self.0.into_iter();
        serde::de::value::MapDeserializer::new(pairs).deserialize_seq(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The names, each with its values.
struct Entries<'de> {
    rest: std::iter::Peekable<std::vec::IntoIter<(Cow<'de, str>, Cow<'de, str>)>>,
    next: Option<(Cow<'de, str>, Cow<'de, str>)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = TextError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TextError> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        let key: CowStrDeserializer<'de, TextError> = name.clone().into_deserializer();
        self.next = Some((name, value));
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, TextError> {
        let Some((name, first)) = self.next.take() else {
            return Err(TextError::Missing);
        };
        let mut rest = Vec::new();
        while let Some((_, value)) = self.rest.next_if(|(other, _)| *other == name) {
            rest.push(value);
        }
        let values = Values::new(std::iter::once(first).chain(rest));
        seed.deserialize(values).map_err(|error| match error {
            inner @ TextError::In(..) => inner,
            error => TextError::In(name.into(), Box::new(error)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{borrow::Cow, collections::HashMap};

    use serde::Deserialize;

    use super::{FromRecord, Record};

    #[derive(Debug, PartialEq, Deserialize)]
    struct Filter {
        page: u32,
        #[serde(default)]
        tag: Vec<String>,
        sort: Option<String>,
    }

    fn read<T: FromRecord>(pairs: &[(&'static str, &'static str)]) -> Result<T, String> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (Cow::Borrowed(*name), Cow::Borrowed(*value)));
        T::from_record(Record::new(pairs.collect())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_struct_takes_what_it_names_and_repeated_names_in_order() {
        assert_eq!(
            read(&[("tag", "b"), ("page", "2"), ("tag", "a"), ("other", "x")]),
            Ok(Filter {
                page: 2,
                tag: vec!["b".into(), "a".into()],
                sort: None
            })
        );
    }

    #[test]
    fn a_map_takes_everything() {
        let map: HashMap<String, Vec<String>> =
            read(&[("a", "1"), ("b", "2"), ("a", "3")]).unwrap();
        assert_eq!(map["a"], ["1", "3"]);
        let pairs: Vec<(String, String)> = read(&[("a", "1")]).unwrap();
        assert_eq!(pairs, [("a".into(), "1".into())]);
    }

    #[test]
    fn an_error_names_the_value() {
        assert_eq!(
            read::<Filter>(&[("page", "x")]).unwrap_err(),
            "page: expected a number from 0 to 4294967295"
        );
        assert_eq!(read::<Filter>(&[]).unwrap_err(), "missing page");
    }
}
