//! Texts of a request read as values: a serde deserialiser over zero, one or several strings.
//!
//! What fails is told in words of our own, with what was expected and never with what was sent.

use std::{borrow::Cow, fmt};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor,
    value::CowStrDeserializer,
};

use crate::issues::Issue;

/// A type that can be read from a text of the request: anything that implements `Deserialize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from the text of a request",
    label = "not a parameter type",
    note = "derive `serde::Deserialize` for a unit-only enum or a newtype, or implement \
            `FromParam`"
)]
pub trait FromText: Sized {
    #[doc(hidden)]
    fn from_values<'de, I: Iterator<Item = Cow<'de, str>>>(
        values: Values<'de, I>,
    ) -> Result<Self, TextError>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> FromText for T {
    #[inline]
    fn from_values<'de, I: Iterator<Item = Cow<'de, str>>>(
        values: Values<'de, I>,
    ) -> Result<Self, TextError> {
        T::deserialize(values)
    }
}

/// Why a text is not the value asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextError {
    /// There is none.
    Missing,
    /// There are several.
    Several,
    /// It is none of what is named here.
    Expected(Cow<'static, str>),
    /// It is none of these.
    NoneOf(&'static [&'static str]),
    /// A record has a name it may not have.
    UnknownField(&'static [&'static str]),
    /// A record lacks a name.
    MissingField(&'static str),
    /// Its type refuses it.
    Invalid,
    /// The type cannot be read from text at all.
    Unsupported,
    /// In a record, the value of this name.
    In(Box<str>, Box<TextError>),
}

impl TextError {
    #[cold]
    const fn expected(what: &'static str) -> Self {
        Self::Expected(Cow::Borrowed(what))
    }

    /// What is wrong in a record, and where.
    pub(crate) fn issue(&self) -> Issue {
        match self {
            Self::In(name, error) => Issue::new(&**name, error.to_string()),
            Self::MissingField(name) => Issue::new(*name, "missing"),
            error => Issue::of_all(error.to_string()),
        }
    }
}

/// Names as in `red, green or blue`.
struct Names(&'static [&'static str]);

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            match at {
                0 => {}
                _ if at + 1 == self.0.len() => f.write_str(" or ")?,
                _ => f.write_str(", ")?,
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("expected a value"),
            Self::Several => f.write_str("expected a single value"),
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::NoneOf([]) => f.write_str("no value is accepted"),
            Self::NoneOf(names) => write!(f, "expected {}", Names(names)),
            Self::UnknownField([]) => f.write_str("no name is accepted"),
            Self::UnknownField(names) => {
                write!(f, "an unknown name was sent, expected {}", Names(names))
            }
            Self::MissingField(name) => write!(f, "missing {name}"),
            Self::Invalid => f.write_str("the value is not valid"),
            Self::Unsupported => f.write_str("the value cannot be read from text"),
            Self::In(name, error) => write!(f, "{name}: {error}"),
        }
    }
}

impl std::error::Error for TextError {}

impl serde::de::Error for TextError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Invalid
    }

    fn invalid_type(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self::Invalid
    }

    fn invalid_value(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self::Invalid
    }

    fn invalid_length(_: usize, _: &dyn serde::de::Expected) -> Self {
        Self::Invalid
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::NoneOf(expected)
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::UnknownField(expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::MissingField(field)
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self::Several
    }
}

/// Zero, one or several texts under one name.
#[derive(Debug)]
pub struct Values<'de, I> {
    first: Option<Cow<'de, str>>,
    rest: I,
}

impl<'de, I: Iterator<Item = Cow<'de, str>>> Values<'de, I> {
    pub(crate) fn new(mut values: I) -> Self {
        Self {
            first: values.next(),
            rest: values,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// All of them.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = Cow<'de, str>> {
        self.first.into_iter().chain(self.rest)
    }

    /// The only one.
    #[inline]
    pub(crate) fn one(mut self) -> Result<Cow<'de, str>, TextError> {
        let first = self.first.ok_or(TextError::Missing)?;
        if self.rest.next().is_some() {
            return Err(TextError::Several);
        }
        Ok(first)
    }
}

/// One text.
pub(crate) type One<'de> = Values<'de, std::iter::Empty<Cow<'de, str>>>;

/// One text as values.
pub(crate) fn one(text: Cow<'_, str>) -> One<'_> {
    Values {
        first: Some(text),
        rest: std::iter::empty(),
    }
}

macro_rules! numbers {
    ($($deserialize:ident $visit:ident $ty:ty, $expected:literal;)*) => {
        $(
            #[inline]
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
                match self.one()?.parse::<$ty>() {
                    Ok(number) => visitor.$visit(number),
                    Err(_) => Err(TextError::expected($expected)),
                }
            }
        )*
    };
}

macro_rules! floats {
    ($($deserialize:ident $visit:ident $ty:ty;)*) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
                match self.one()?.parse::<$ty>() {
                    // "inf" and "nan" parse as well.
                    Ok(number) if number.is_finite() => visitor.$visit(number),
                    _ => Err(TextError::expected("a number")),
                }
            }
        )*
    };
}

impl<'de, I: Iterator<Item = Cow<'de, str>>> Deserializer<'de> for Values<'de, I> {
    type Error = TextError;

    numbers! {
        deserialize_u8 visit_u8 u8, "a number from 0 to 255";
        deserialize_u16 visit_u16 u16, "a number from 0 to 65535";
        deserialize_u32 visit_u32 u32, "a number from 0 to 4294967295";
        deserialize_u64 visit_u64 u64, "a number from 0 to 18446744073709551615";
        deserialize_u128 visit_u128 u128, "a number from 0 to 340282366920938463463374607431768211455";
        deserialize_i8 visit_i8 i8, "a number from -128 to 127";
        deserialize_i16 visit_i16 i16, "a number from -32768 to 32767";
        deserialize_i32 visit_i32 i32, "a number from -2147483648 to 2147483647";
        deserialize_i64 visit_i64 i64, "a number from -9223372036854775808 to 9223372036854775807";
        deserialize_i128 visit_i128 i128, "a number from -170141183460469231731687303715884105728 to 170141183460469231731687303715884105727";
    }

    floats! {
        deserialize_f32 visit_f32 f32;
        deserialize_f64 visit_f64 f64;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match &*self.one()? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(TextError::expected("true or false")),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        let text = self.one()?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => visitor.visit_char(c),
            _ => Err(TextError::expected("one character")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self.one()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self.one()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            Cow::Owned(text) => visitor.visit_byte_buf(text.into_bytes()),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        if self.is_empty() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        if self.is_empty() {
            visitor.visit_unit()
        } else {
            Err(TextError::Unsupported)
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_seq(Sequence(self.into_iter()))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value, TextError> {
        Err(TextError::Unsupported)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, TextError> {
        Err(TextError::Unsupported)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TextError> {
        let text: CowStrDeserializer<'de, TextError> = self.one()?.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        self.deserialize_str(visitor)
    }

    /// A type that takes anything (`serde_json::Value`): a text, or several.
    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, TextError> {
        let Some(first) = self.first else {
            return Err(TextError::Missing);
        };
        match self.rest.next() {
            None => one(first).deserialize_str(visitor),
            Some(second) => {
                visitor.visit_seq(Sequence([first, second].into_iter().chain(self.rest)))
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_unit()
    }
}

/// The texts as elements, each read by itself.
struct Sequence<I>(I);

impl<'de, I: Iterator<Item = Cow<'de, str>>> SeqAccess<'de> for Sequence<I> {
    type Error = TextError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TextError> {
        self.0
            .next()
            .map(|text| seed.deserialize(one(text)))
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        // Of the client's making: not to be trusted with an allocation.
        None
    }
}

#[cfg(test)]
mod tests {
    use std::{borrow::Cow, collections::BTreeMap};

    use proptest::{collection::vec, prelude::*};

    use serde::Deserialize;

    use super::{FromText, TextError, Values};

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Colour {
        Red,
        DarkBlue,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Id(u32);

    fn read<T: FromText>(values: &[&'static str]) -> Result<T, String> {
        T::from_values(Values::new(values.iter().map(|text| Cow::Borrowed(*text))))
            .map_err(|error: TextError| error.to_string())
    }

    fn refused<T: FromText + std::fmt::Debug>(text: &'static str) -> String {
        read::<T>(&[text]).unwrap_err()
    }

    #[test]
    fn what_is_read() {
        assert_eq!(read(&["7"]), Ok(7_u8));
        assert_eq!(read(&["-7"]), Ok(-7_i128));
        assert_eq!(
            read(&["340282366920938463463374607431768211455"]),
            Ok(u128::MAX)
        );
        assert_eq!(read(&["1.5e3"]), Ok(1500.0_f64));
        assert_eq!(read(&["true"]), Ok(true));
        assert_eq!(read(&["\u{e9}"]), Ok('\u{e9}'));
        assert_eq!(read(&[""]), Ok(String::new()));
        assert_eq!(read(&["dark-blue"]), Ok(Colour::DarkBlue));
        assert_eq!(read(&["7"]), Ok(Id(7)));
        assert_eq!(read(&[]), Ok(None::<u8>));
        assert_eq!(read(&["7"]), Ok(Some(Id(7))));
        assert_eq!(read(&[]), Ok(Vec::<u8>::new()));
        assert_eq!(read(&["1", "2"]), Ok(vec![1_u8, 2]));
        assert_eq!(read(&["1"]), Ok(vec![Id(1)]));
        assert_eq!(read(&["1", "2"]), Ok(Some(vec![1_u8, 2])));
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Point(u8, u8);

    #[derive(Debug, PartialEq, Deserialize)]
    struct Partial(u8, #[serde(default)] u8);

    #[derive(Debug, PartialEq, Deserialize)]
    struct Record {
        x: u8,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Nothing;

    #[derive(Debug, PartialEq, Deserialize)]
    enum Sort {
        Newest,
        By(String),
        Range { from: u8 },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "kind")]
    enum Told {
        A,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "kind", content = "of")]
    enum Apart {
        A,
    }

    /// What the build pass reports as ZNIGHT007, and what it leaves alone.
    #[test]
    fn types_the_build_refuses_are_never_read_from_one_text() {
        for text in ["", "1", "x", "A", "{}", "null", "By", "Range"] {
            assert!(read::<Record>(&[text]).is_err());
            assert!(read::<Option<Record>>(&[text]).is_err());
            assert!(read::<Vec<Record>>(&[text]).is_err());
            assert!(read::<BTreeMap<String, String>>(&[text]).is_err());
            assert!(read::<()>(&[text]).is_err());
            assert!(read::<Nothing>(&[text]).is_err());
            assert!(read::<Point>(&[text]).is_err());
            assert!(read::<(u8, u8)>(&[text]).is_err());
            assert!(read::<[u8; 2]>(&[text]).is_err());
            assert!(read::<Vec<(u8, u8)>>(&[text, text]).is_err());
            assert!(read::<Told>(&[text]).is_err());
            assert!(read::<Apart>(&[text]).is_err());
            assert!(read::<Sort>(&[text]).is_err());
        }
        assert!(read::<Record>(&["1", "2"]).is_err());
        assert_eq!(read(&["Newest"]), Ok(Sort::Newest));
        assert_eq!(read(&["1"]), Ok(Partial(1, 0)));
        assert_eq!(read(&["1"]), Ok((1_u8,)));
        assert_eq!(read(&["1", "2"]), Ok((1_u8, 2_u8)));
        assert_eq!(read(&["1", "2"]), Ok(Point(1, 2)));
        assert_eq!(read(&["1", "2"]), Ok([1_u8, 2]));
        assert_eq!(read(&["1", "2"]), Ok(vec![vec![1_u8], vec![2]]));
        assert_eq!(read(&["1"]), Ok(Some(Some(1_u8))));
    }

    #[test]
    fn what_is_refused_is_told_without_what_was_sent() {
        for (message, expected) in [
            (refused::<u8>("256"), "expected a number from 0 to 255"),
            (
                refused::<u32>("abc"),
                "expected a number from 0 to 4294967295",
            ),
            (refused::<i8>("-129"), "expected a number from -128 to 127"),
            (
                refused::<u64>(""),
                "expected a number from 0 to 18446744073709551615",
            ),
            (refused::<f64>("inf"), "expected a number"),
            (refused::<f32>("NaN"), "expected a number"),
            (refused::<bool>("yes"), "expected true or false"),
            (refused::<char>("ab"), "expected one character"),
            (refused::<Colour>("pink"), "expected red or dark-blue"),
            (refused::<Id>("x"), "expected a number from 0 to 4294967295"),
            (
                refused::<std::net::IpAddr>("secret"),
                "the value is not valid",
            ),
            (
                read::<u8>(&["1", "2"]).unwrap_err(),
                "expected a single value",
            ),
            (read::<u8>(&[]).unwrap_err(), "expected a value"),
        ] {
            assert_eq!(message, expected);
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_sent_makes_reading_panic(texts in vec(sent(), 0..3)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            macro_rules! read_all {
                ($($ty:ty),*) => {
                    $({
                        let values = texts.iter().map(|text| Cow::Borrowed(*text));
                        // What was sent is never told.
                        if let Err(error) = <$ty>::from_values(Values::new(values)) {
                            let error = error.to_string();
                            prop_assert!(!texts.iter().any(|text| text.len() > 8 && error.contains(text)));
                        }
                    })*
                };
            }
            read_all!(
                u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char,
                String, Option<u8>, Vec<i64>, Option<Vec<f64>>, Colour, Vec<Colour>, Id, Vec<Id>,
                std::net::IpAddr, std::net::SocketAddr, std::time::Duration, (), (u8, u8), [u8; 2],
                std::collections::BTreeMap<String, u8>, std::num::NonZeroU8
            );
        }
    }

    /// Numbers at and beyond every edge, and any text.
    fn sent() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            any::<i128>().prop_map(|number| number.to_string()),
            any::<f64>().prop_map(|number| number.to_string()),
            "[-+]?[0-9]{0,60}([.][0-9]{0,60})?([eE][-+]?[0-9]{0,6})?",
            "[ -~]{0,40}",
        ]
    }
}
