//! What may be done with an argument or a result, found out by rustc where its type is known.

use std::{any::Any, fmt, marker::PhantomData};

/// It may.
#[derive(Debug, Clone, Copy)]
pub struct Yes;

/// It may not.
#[derive(Debug, Clone, Copy)]
pub struct No;

/// A result whose error can be shown.
#[derive(Debug, Clone, Copy)]
pub struct Fails;

/// A result whose error cannot be shown.
#[derive(Debug, Clone, Copy)]
pub struct FailsSilently;

/// Asks what a type can do: its own methods, which exist only with the traits, win over those of
/// [`Otherwise`].
#[derive(Debug)]
pub struct Of<T>(PhantomData<fn() -> T>);

impl<T> Of<T> {
    /// Of a type.
    pub const fn a() -> Self {
        Self(PhantomData)
    }

    /// Of the type of a value.
    pub const fn the(_: &T) -> Self {
        Self(PhantomData)
    }
}

impl<T: fmt::Debug> Of<T> {
    /// Whether it can be shown.
    pub fn shown(&self) -> Yes {
        Yes
    }
}

impl<T: Clone> Of<T> {
    /// Whether it can be cloned.
    pub fn cloned(&self) -> Yes {
        Yes
    }
}

impl<T, E: fmt::Display> Of<Result<T, E>> {
    /// Whether it can fail.
    pub fn fails(&self) -> Fails {
        Fails
    }
}

/// The answer "no" of [`Of`].
pub trait Otherwise {
    /// It cannot be shown.
    fn shown(&self) -> No {
        No
    }
    /// It cannot be cloned.
    fn cloned(&self) -> No {
        No
    }
}

impl<T> Otherwise for Of<T> {}

/// The answer of [`Of`] for a result whose error cannot be shown.
pub trait ResultFails {
    /// It can fail.
    fn fails(&self) -> FailsSilently {
        FailsSilently
    }
}

impl<T, E> ResultFails for Of<Result<T, E>> {}

/// The answer "no" of [`Of`], asked by one more reference.
pub trait OtherwiseFails {
    /// It cannot fail.
    fn fails(&self) -> No {
        No
    }
}

impl<T> OtherwiseFails for &Of<T> {}

/// Whether a `T` is looked at and replaced by its type.
pub trait AsAny<T> {
    /// The value.
    fn any<'a>(&self, value: &'a T) -> Option<&'a dyn Any>;
    /// The value.
    fn any_mut<'a>(&self, value: &'a mut T) -> Option<&'a mut dyn Any>;
}

impl<T: 'static> AsAny<T> for Yes {
    fn any<'a>(&self, value: &'a T) -> Option<&'a dyn Any> {
        Some(value)
    }

    fn any_mut<'a>(&self, value: &'a mut T) -> Option<&'a mut dyn Any> {
        Some(value)
    }
}

impl<T> AsAny<T> for No {
    fn any<'a>(&self, _: &'a T) -> Option<&'a dyn Any> {
        None
    }

    fn any_mut<'a>(&self, _: &'a mut T) -> Option<&'a mut dyn Any> {
        None
    }
}

/// Whether a `T` is shown.
pub trait AsDebug<T> {
    /// The value.
    fn debug<'a>(&self, value: &'a T) -> Option<&'a dyn fmt::Debug>;
}

impl<T: fmt::Debug> AsDebug<T> for Yes {
    fn debug<'a>(&self, value: &'a T) -> Option<&'a dyn fmt::Debug> {
        Some(value)
    }
}

impl<T> AsDebug<T> for No {
    fn debug<'a>(&self, _: &'a T) -> Option<&'a dyn fmt::Debug> {
        None
    }
}

/// Whether a `T` is cloned.
pub trait AsClone<T> {
    /// Another one.
    fn another(&self, value: &T) -> Option<T>;
}

impl<T: Clone> AsClone<T> for Yes {
    fn another(&self, value: &T) -> Option<T> {
        Some(value.clone())
    }
}

impl<T> AsClone<T> for No {
    fn another(&self, _: &T) -> Option<T> {
        None
    }
}

/// That something failed, and how where it can be shown.
#[derive(Clone, Copy)]
pub(super) struct Failure<'a>(pub(super) Option<&'a dyn fmt::Display>);

/// Whether a `T` tells of a failure.
#[allow(private_interfaces, reason = "only the frame of a call asks")]
pub trait AsFailure<T> {
    /// The failure, if it is one.
    fn failure<'a>(&self, value: &'a T) -> Option<Failure<'a>>;
}

#[allow(private_interfaces, reason = "only the frame of a call asks")]
impl<T, E: fmt::Display> AsFailure<Result<T, E>> for Fails {
    fn failure<'a>(&self, value: &'a Result<T, E>) -> Option<Failure<'a>> {
        let error: &dyn fmt::Display = value.as_ref().err()?;
        Some(Failure(Some(error)))
    }
}

#[allow(private_interfaces, reason = "only the frame of a call asks")]
impl<T, E> AsFailure<Result<T, E>> for FailsSilently {
    fn failure<'a>(&self, value: &'a Result<T, E>) -> Option<Failure<'a>> {
        value.is_err().then_some(Failure(None))
    }
}

#[allow(private_interfaces, reason = "only the frame of a call asks")]
impl<T> AsFailure<T> for No {
    fn failure<'a>(&self, _: &'a T) -> Option<Failure<'a>> {
        None
    }
}
