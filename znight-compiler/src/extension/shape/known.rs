//! Types of the standard library whose structure serde knows.

use super::{Integer, Shape};

/// What a type of the standard library is to serde.
pub(super) enum Known {
    /// A value by itself.
    Value(Shape),
    /// What its argument is.
    Transparent,
    /// Its argument, or null.
    Option,
    /// A list of its argument.
    List,
    /// A list of its argument without equal ones.
    Set,
    /// A map of its two arguments.
    Map,
    /// A number, its argument, that is never zero.
    NonZero,
}

/// What the type of a path is; none for what is handed on by its path.
pub(super) fn known(path: &str) -> Option<Known> {
    Some(match path.strip_prefix("std::")? {
        "string::String" => Known::Value(Shape::String),
        "marker::PhantomData" => Known::Value(Shape::Unit),
        "sync::atomic::AtomicBool" => Known::Value(Shape::Bool),
        "boxed::Box" | "sync::Arc" | "rc::Rc" | "borrow::Cow" | "cell::Cell" | "cell::RefCell"
        | "sync::Mutex" | "sync::RwLock" | "cmp::Reverse" | "num::Wrapping" | "num::Saturating" => {
            Known::Transparent
        }
        "option::Option" | "sync::Weak" | "rc::Weak" => Known::Option,
        "vec::Vec"
        | "collections::VecDeque"
        | "collections::LinkedList"
        | "collections::BinaryHeap" => Known::List,
        "collections::BTreeSet" | "collections::HashSet" => Known::Set,
        "collections::BTreeMap" | "collections::HashMap" => Known::Map,
        "num::NonZero" => Known::NonZero,
        path => {
            let non_zero = path.strip_prefix("num::NonZero");
            let name = non_zero.or_else(|| path.strip_prefix("sync::atomic::Atomic"))?;
            let Shape::Integer(integer) = primitive(&name.to_ascii_lowercase())? else {
                return None;
            };
            Known::Value(Shape::Integer(Integer {
                non_zero: non_zero.is_some(),
                ..integer
            }))
        }
    })
}

/// What a primitive type is.
pub(super) fn primitive(name: &str) -> Option<Shape> {
    let integer = |signed: bool, bits: &str| {
        let bits = match bits {
            "size" => None,
            "8" | "16" | "32" | "64" | "128" => bits.parse().ok(),
            _ => return None,
        };
        Some(Shape::Integer(Integer {
            signed,
            bits,
            non_zero: false,
        }))
    };
    match name {
        "bool" => Some(Shape::Bool),
        "char" => Some(Shape::Char),
        "str" => Some(Shape::String),
        "f32" => Some(Shape::Float(32)),
        "f64" => Some(Shape::Float(64)),
        _ => match name.split_at_checked(1)? {
            ("u", bits) => integer(false, bits),
            ("i", bits) => integer(true, bits),
            _ => None,
        },
    }
}
