//! The text or the bytes of a value whose type is known to be one of those, but which borrows, so
//! that it cannot be converted: it is asked to serialise itself.

use std::{any::TypeId, borrow::Cow, fmt};

use bytes::Bytes;
use serde::{
    Serialize, Serializer,
    ser::{Impossible, SerializeSeq},
};

use crate::HttpError;

/// Whether the type is text. `typeid` compares without regard to lifetimes.
pub(super) fn is_text(id: TypeId) -> bool {
    id == TypeId::of::<String>()
        || id == TypeId::of::<&'static str>()
        || id == TypeId::of::<Cow<'static, str>>()
}

/// Whether the type is bytes.
pub(super) fn is_octets(id: TypeId) -> bool {
    id == TypeId::of::<Vec<u8>>() || id == TypeId::of::<Bytes>()
}

/// The text of a value that is text.
pub(super) fn text<T: Serialize>(value: &T) -> Result<String, HttpError> {
    let bytes = value.serialize(Capture)?;
    Ok(String::from_utf8(bytes)?)
}

/// The bytes of a value that is bytes.
pub(super) fn octets<T: Serialize>(value: &T) -> Result<Vec<u8>, HttpError> {
    Ok(value.serialize(Capture)?)
}

/// Takes one text, some bytes, or a sequence of numbers below 256.
struct Capture;

/// Something else was serialised: the type is not what its id said.
#[derive(Debug)]
pub(super) struct NotCaptured;

impl fmt::Display for NotCaptured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text reply did not serialise as text")
    }
}

impl std::error::Error for NotCaptured {}

impl serde::ser::Error for NotCaptured {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

struct Octets(Vec<u8>);

impl SerializeSeq for Octets {
    type Ok = Vec<u8>;
    type Error = NotCaptured;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotCaptured> {
        // A number arrives as a single byte.
        self.0.extend(value.serialize(Capture)?);
        Ok(())
    }

    fn end(self) -> Result<Vec<u8>, NotCaptured> {
        Ok(self.0)
    }
}

macro_rules! refuse {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $name(self, $($arg: $ty),*) -> Result<Vec<u8>, NotCaptured> {
            $(let _ = $arg;)*
            Err(NotCaptured)
        })*
    };
}

impl Serializer for Capture {
    type Ok = Vec<u8>;
    type Error = NotCaptured;
    type SerializeSeq = Octets;
    type SerializeTuple = Impossible<Vec<u8>, NotCaptured>;
    type SerializeTupleStruct = Impossible<Vec<u8>, NotCaptured>;
    type SerializeTupleVariant = Impossible<Vec<u8>, NotCaptured>;
    type SerializeMap = Impossible<Vec<u8>, NotCaptured>;
    type SerializeStruct = Impossible<Vec<u8>, NotCaptured>;
    type SerializeStructVariant = Impossible<Vec<u8>, NotCaptured>;

    fn serialize_str(self, text: &str) -> Result<Vec<u8>, NotCaptured> {
        Ok(text.as_bytes().to_vec())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Vec<u8>, NotCaptured> {
        Ok(bytes.to_vec())
    }

    fn serialize_u8(self, byte: u8) -> Result<Vec<u8>, NotCaptured> {
        Ok(vec![byte])
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Octets, NotCaptured> {
        Ok(Octets(Vec::with_capacity(len.unwrap_or(0))))
    }

    refuse! {
        serialize_bool(v: bool);
        serialize_i8(v: i8);
        serialize_i16(v: i16);
        serialize_i32(v: i32);
        serialize_i64(v: i64);
        serialize_u16(v: u16);
        serialize_u32(v: u32);
        serialize_u64(v: u64);
        serialize_f32(v: f32);
        serialize_f64(v: f64);
        serialize_char(v: char);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Vec<u8>, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: &T,
    ) -> Result<Vec<u8>, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Vec<u8>, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStruct, NotCaptured> {
        Err(NotCaptured)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NotCaptured> {
        Err(NotCaptured)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use bytes::Bytes;

    use super::{octets, text};

    #[test]
    fn text_and_bytes_are_taken_whole() {
        assert_eq!(text(&"a\"b").unwrap(), "a\"b");
        assert_eq!(text(&Cow::Borrowed("c")).unwrap(), "c");
        assert_eq!(octets(&vec![0_u8, 255]).unwrap(), [0, 255]);
        assert_eq!(octets(&Bytes::from_static(b"\x01")).unwrap(), [1]);
        assert!(text(&1_u32).is_err());
    }
}
