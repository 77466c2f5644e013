//! Whole numbers as Rust computes with them: a type has a range, and leaving it is a mistake.

/// A primitive integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntType {
    name: &'static str,
    bits: u32,
    signed: bool,
}

/// Why a number cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It does not fit the type.
    Overflow,
    /// Division or remainder by zero.
    Zero,
    /// No operator of whole numbers.
    Operator,
}

const fn unsigned(name: &'static str, bits: u32) -> IntType {
    IntType {
        name,
        bits,
        signed: false,
    }
}

const fn signed(name: &'static str, bits: u32) -> IntType {
    IntType {
        name,
        bits,
        signed: true,
    }
}

// Where pointers are narrower, rustc refuses what does not fit.
const TYPES: [IntType; 12] = [
    unsigned("u8", 8),
    unsigned("u16", 16),
    unsigned("u32", 32),
    unsigned("u64", 64),
    unsigned("u128", 128),
    unsigned("usize", 64),
    signed("i8", 8),
    signed("i16", 16),
    signed("i32", 32),
    signed("i64", 64),
    signed("i128", 128),
    signed("isize", 64),
];

impl IntType {
    /// The type of that name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        TYPES.into_iter().find(|ty| ty.name == name)
    }

    /// What a number is without a type of its own.
    pub(super) fn default_type() -> Self {
        signed("i32", 32)
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// The smallest number.
    pub(super) fn min(self) -> i128 {
        if self.signed {
            i128::MIN >> (128 - self.bits)
        } else {
            0
        }
    }

    /// The largest number; that of `u128` is out of reach, and so is what lies between.
    pub(super) fn max(self) -> i128 {
        let bits = if self.signed {
            self.bits - 1
        } else {
            self.bits
        };
        i128::MAX >> (127 - bits.min(127))
    }

    /// A constant of the type itself.
    pub(super) fn constant(self, name: &str) -> Option<(i128, Self)> {
        match name {
            "MIN" => Some((self.min(), self)),
            "MAX" if self.bits < 128 || self.signed => Some((self.max(), self)),
            "BITS" => Some((i128::from(self.bits), unsigned("u32", 32))),
            _ => None,
        }
    }

    /// The number, if it fits.
    pub(super) fn fit(self, number: i128) -> Result<i128, Wrong> {
        if (self.min()..=self.max()).contains(&number) {
            Ok(number)
        } else {
            Err(Wrong::Overflow)
        }
    }

    /// `number as Self`
    pub(super) fn wrap(self, number: i128) -> Result<i128, Wrong> {
        if self.bits == 128 {
            return self.fit(number);
        }
        let mask = (1_i128 << self.bits) - 1;
        let low = number & mask;
        Ok(if self.signed && low > self.max() {
            low - mask - 1
        } else {
            low
        })
    }

    /// `!number`
    pub(super) fn not(self, number: i128) -> Result<i128, Wrong> {
        self.wrap(!number)
    }

    /// `left operator right`, both of this type; the right side of a shift of any.
    pub(super) fn binary(self, operator: &str, left: i128, right: i128) -> Result<i128, Wrong> {
        let number = match operator {
            "+" => left.checked_add(right),
            "-" => left.checked_sub(right),
            "*" => left.checked_mul(right),
            "/" | "%" if right == 0 => return Err(Wrong::Zero),
            "/" => left.checked_div(right),
            // `MIN % -1` overflows as `MIN / -1` does.
            "%" if left == self.min() && right == -1 => return Err(Wrong::Overflow),
            "%" => left.checked_rem(right),
            "&" => Some(left & right),
            "|" => Some(left | right),
            "^" => Some(left ^ right),
            "<<" | ">>" => {
                let by = u32::try_from(right).ok().filter(|by| *by < self.bits);
                let by = by.ok_or(Wrong::Overflow)?;
                if operator == ">>" {
                    Some(left >> by)
                } else if self.bits == 128 {
                    // What leaves the top is lost, which a number of 128 bits cannot show.
                    left.checked_mul(1 << by)
                } else {
                    return self.wrap(left << by);
                }
            }
            _ => return Err(Wrong::Operator),
        };
        self.fit(number.ok_or(Wrong::Overflow)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{IntType, Wrong};

    fn ty(name: &str) -> IntType {
        IntType::parse(name).expect("a type")
    }

    #[test]
    fn ranges_are_those_of_rust() {
        for (name, min, max) in [
            ("u8", i128::from(u8::MIN), i128::from(u8::MAX)),
            ("i8", i128::from(i8::MIN), i128::from(i8::MAX)),
            ("u64", 0, i128::from(u64::MAX)),
            ("i64", i128::from(i64::MIN), i128::from(i64::MAX)),
            ("i128", i128::MIN, i128::MAX),
            ("u128", 0, i128::MAX),
        ] {
            assert_eq!((ty(name).min(), ty(name).max()), (min, max), "{name}");
        }
        assert_eq!(ty("u128").constant("MAX"), None, "it cannot be held");
    }

    #[test]
    fn leaving_the_range_is_a_mistake_and_casts_wrap() {
        for (name, operator, left, right, expected) in [
            ("u8", "+", 250, 5, Ok(255)),
            ("u8", "+", 250, 6, Err(Wrong::Overflow)),
            ("u8", "-", 1, 2, Err(Wrong::Overflow)),
            ("i8", "*", 64, 2, Err(Wrong::Overflow)),
            ("i8", "/", -128, -1, Err(Wrong::Overflow)),
            ("i8", "%", -128, -1, Err(Wrong::Overflow)),
            ("i32", "/", -7, 2, Ok(-3)),
            ("i32", "%", -7, 2, Ok(-1)),
            ("u8", "/", 1, 0, Err(Wrong::Zero)),
            ("u8", "%", 1, 0, Err(Wrong::Zero)),
            ("u8", "<<", 0x81, 1, Ok(2)),
            ("i8", "<<", 0x40, 1, Ok(-128)),
            ("i8", ">>", -128, 7, Ok(-1)),
            ("u8", "<<", 1, 8, Err(Wrong::Overflow)),
            ("u64", "<<", 1, 63, Ok(1 << 63)),
            ("u8", "&", 6, 3, Ok(2)),
            ("u8", "|", 6, 3, Ok(7)),
            ("u8", "^", 6, 3, Ok(5)),
            ("u8", "..", 6, 3, Err(Wrong::Operator)),
            ("i128", "+", i128::MAX, 1, Err(Wrong::Overflow)),
        ] {
            assert_eq!(
                ty(name).binary(operator, left, right),
                expected,
                "{left} {operator} {right}: {name}"
            );
        }
        assert_eq!(ty("u8").wrap(-1), Ok(255));
        assert_eq!(ty("i8").wrap(200), Ok(-56));
        assert_eq!(ty("u8").not(0), Ok(255));
        assert_eq!(ty("i32").not(0), Ok(-1));
    }
}
