//! The options of an interceptor, as an attribute gives them.

use std::{borrow::Cow, sync::OnceLock};

/// The options of one attribute.
#[derive(Debug)]
pub enum Made<'a, O> {
    /// Made when they were needed first.
    Once(&'a O),
    /// Made for this call.
    Now(O),
}

impl<O> Made<'_, O> {
    pub(super) fn get(&self) -> &O {
        match self {
            Self::Once(options) => options,
            Self::Now(options) => options,
        }
    }
}

/// The options of one attribute, made now.
pub fn made<O: Default>(set: fn(&mut O)) -> O {
    let mut options = O::default();
    set(&mut options);
    options
}

/// The options of one attribute, made when they are needed first.
pub fn made_once<O: Default>(once: &'static OnceLock<O>, set: fn(&mut O)) -> &'static O {
    once.get_or_init(|| made(set))
}

/// Sets a field of the options of an interceptor: as it is, a text in every form of a string, and what is
/// optional without its `Some`.
#[diagnostic::on_unimplemented(
    message = "the option has the type `{Self}`, which `{V}` is not",
    label = "expected `{Self}`"
)]
pub trait Assign<V> {
    /// Sets it.
    fn assign(&mut self, value: V);
}

impl<T> Assign<T> for T {
    fn assign(&mut self, value: T) {
        *self = value;
    }
}

#[diagnostic::do_not_recommend]
impl<T> Assign<T> for Option<T> {
    fn assign(&mut self, value: T) {
        *self = Some(value);
    }
}

macro_rules! texts {
    ($($text:ty),*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl Assign<&'static str> for $text {
                fn assign(&mut self, value: &'static str) {
                    *self = value.into();
                }
            }

            #[diagnostic::do_not_recommend]
            impl Assign<&'static str> for Option<$text> {
                fn assign(&mut self, value: &'static str) {
                    *self = Some(value.into());
                }
            }
        )*
    };
}

texts!(String, Box<str>, std::sync::Arc<str>, Cow<'static, str>);
