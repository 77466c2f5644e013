//! The arguments of a call.

use std::{any::Any, fmt};

use super::kinds::{AsAny, AsClone, AsDebug};

/// What may be done with an argument (looked at by type, shown, cloned), and the argument.
#[derive(Debug)]
pub struct Arg<K, T>(pub K, pub T);

/// What an interceptor may do with an argument.
pub trait ArgValue: Sized {
    /// The value, by its type.
    fn any(&self) -> Option<&dyn Any>;
    /// The value, by its type.
    fn any_mut(&mut self) -> Option<&mut dyn Any>;
    /// The value, to be shown.
    fn debug(&self) -> Option<&dyn fmt::Debug>;
    /// Another one.
    fn another(&self) -> Option<Self>;
}

impl<T, S, D, C> ArgValue for Arg<(S, D, C), T>
where
    S: AsAny<T> + Copy,
    D: AsDebug<T> + Copy,
    C: AsClone<T> + Copy,
{
    fn any(&self) -> Option<&dyn Any> {
        self.0.0.any(&self.1)
    }

    fn any_mut(&mut self) -> Option<&mut dyn Any> {
        self.0.0.any_mut(&mut self.1)
    }

    fn debug(&self) -> Option<&dyn fmt::Debug> {
        self.0.1.debug(&self.1)
    }

    fn another(&self) -> Option<Self> {
        Some(Self(self.0, self.0.2.another(&self.1)?))
    }
}

/// The arguments of one call, their types forgotten.
pub trait ArgList {
    /// One, by its type.
    fn any(&self, position: usize) -> Option<&dyn Any>;
    /// One, by its type.
    fn any_mut(&mut self, position: usize) -> Option<&mut dyn Any>;
    /// One, to be shown.
    fn debug(&self, position: usize) -> Option<&dyn fmt::Debug>;
}

/// The arguments of one call: a tuple of [`Arg`]s.
pub trait Args: ArgList + Sized {
    /// The same once more; nothing when one of them cannot be cloned.
    fn another(&self) -> Option<Self>;
}

macro_rules! tuples {
    ($($arg:ident $position:tt),*) => {
        impl<$($arg: ArgValue),*> ArgList for ($($arg,)*) {
            fn any(&self, position: usize) -> Option<&dyn Any> {
                match position {
                    $($position => self.$position.any(),)*
                    _ => None,
                }
            }

            fn any_mut(&mut self, position: usize) -> Option<&mut dyn Any> {
                match position {
                    $($position => self.$position.any_mut(),)*
                    _ => None,
                }
            }

            fn debug(&self, position: usize) -> Option<&dyn fmt::Debug> {
                match position {
                    $($position => self.$position.debug(),)*
                    _ => None,
                }
            }
        }

        impl<$($arg: ArgValue),*> Args for ($($arg,)*) {
            fn another(&self) -> Option<Self> {
                Some(($(self.$position.another()?,)*))
            }
        }
    };
}

tuples!();
tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// One argument of a call, as an interceptor sees it.
///
/// `Debug` shows the value where its type has `Debug`, and `..` otherwise.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    pub(super) name: &'static str,
    pub(super) any: Option<&'a dyn Any>,
    pub(super) debug: Option<&'a dyn fmt::Debug>,
}

impl<'a> Argument<'a> {
    /// The name of the parameter.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The value, when it is a `T`. `None` as well for arguments that borrow: these are shown only.
    pub fn get<T: 'static>(&self) -> Option<&'a T> {
        self.any?.downcast_ref()
    }
}

impl fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.debug {
            Some(value) => value.fmt(f),
            None => f.write_str(".."),
        }
    }
}
