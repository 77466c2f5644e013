//! Facts as bytes: what a file says, kept from one build to the next.
//!
//! The format is private to one version of this crate: the cache is thrown away when another one wrote
//! it. Numbers are written seven bits a byte, texts and lists with their length before them. Reading
//! never panics: bytes that are no facts give none.

use crate::cfg::Condition;

/// Something that can be kept.
pub trait Flat: Sized {
    /// Appends itself.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads itself; none when the bytes are something else.
    fn read(input: &mut Input<'_>) -> Option<Self>;

    /// Itself as bytes.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// What the bytes hold, all of them.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut input = Input::new(bytes);
        let found = Self::read(&mut input)?;
        input.is_empty().then_some(found)
    }
}

/// Bytes that are being read.
#[derive(Debug)]
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// All of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether everything has been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// The next bytes.
    pub fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number.
    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A text, without copying it.
    pub fn text(&mut self) -> Option<&'a str> {
        let length = usize::read(self)?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

/// Appends a number.
pub fn number(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        #[expect(clippy::cast_possible_truncation, reason = "the lowest seven bits")]
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "below 0x80")]
    out.push(value as u8);
}

/// Appends a text.
pub fn text(text: &str, out: &mut Vec<u8>) {
    number(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

impl Flat for usize {
    fn write(&self, out: &mut Vec<u8>) {
        number(*self as u64, out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Self::try_from(input.number()?).ok()
    }
}

impl Flat for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(Self::from_le_bytes(input.bytes(8)?.try_into().ok()?))
    }
}

impl Flat for u8 {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        input.byte()
    }
}

impl Flat for u32 {
    fn write(&self, out: &mut Vec<u8>) {
        number(u64::from(*self), out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Self::try_from(input.number()?).ok()
    }
}

impl Flat for i128 {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(Self::from_le_bytes(input.bytes(16)?.try_into().ok()?))
    }
}

impl Flat for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        match input.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Flat for char {
    fn write(&self, out: &mut Vec<u8>) {
        u32::from(*self).write(out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Self::from_u32(u32::read(input)?)
    }
}

impl Flat for String {
    fn write(&self, out: &mut Vec<u8>) {
        text(self, out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(input.text()?.to_owned())
    }
}

impl<T: Flat> Flat for Box<T> {
    fn write(&self, out: &mut Vec<u8>) {
        T::write(self, out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(Self::new(T::read(input)?))
    }
}

impl<T: Flat> Flat for std::rc::Rc<T> {
    fn write(&self, out: &mut Vec<u8>) {
        T::write(self, out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(Self::new(T::read(input)?))
    }
}

impl<T: Flat> Flat for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(if bool::read(input)? {
            Some(T::read(input)?)
        } else {
            None
        })
    }
}

impl<T: Flat> Flat for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        for value in self {
            value.write(out);
        }
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        let length = usize::read(input)?;
        // A length that cannot be true reserves nothing.
        let mut found = Self::with_capacity(length.min(input.0.len()));
        for _ in 0..length {
            found.push(T::read(input)?);
        }
        Some(found)
    }
}

impl<A: Flat, B: Flat> Flat for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some((A::read(input)?, B::read(input)?))
    }
}

/// Writes and reads a type by its parts, in the order given.
macro_rules! flat {
    (struct $name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::facts::flat::Flat for $name {
            fn write(&self, out: &mut Vec<u8>) {
                $($crate::facts::flat::Flat::write(&self.$field, out);)*
            }

            fn read(input: &mut $crate::facts::flat::Input<'_>) -> Option<Self> {
                Some(Self { $($field: $crate::facts::flat::Flat::read(input)?),* })
            }
        }
    };
    (enum $name:ident { $($variant:ident $(($($part:ident),*))?),* $(,)? }) => {
        const _: () = {
            #[repr(u8)]
            enum Tag {
                $($variant),*
            }

            impl $crate::facts::flat::Flat for $name {
                fn write(&self, out: &mut Vec<u8>) {
                    match self {
                        $(Self::$variant $(($($part),*))? => {
                            out.push(Tag::$variant as u8);
                            $($($crate::facts::flat::Flat::write($part, out);)*)?
                        })*
                    }
                }

                fn read(input: &mut $crate::facts::flat::Input<'_>) -> Option<Self> {
                    let tag = input.byte()?;
                    $(
                        if tag == Tag::$variant as u8 {
                            $($(let $part = $crate::facts::flat::Flat::read(input)?;)*)?
                            return Some(Self::$variant $(($($part),*))?);
                        }
                    )*
                    None
                }
            }
        };
    };
}
pub(crate) use flat;

flat!(
    enum Condition {
        All(a),
        Any(a),
        Not(a),
        Constant(a),
        Name(a),
        Pair(a, b),
        Unknown,
    }
);
