//! Input that is checked after it has been read: by the validator its type implements, or by a
//! [`Schema`].
//!
//! As with arguments and return types, what a type is checked by is chosen by method lookup: `garde`
//! is found through one reference more than `validator`, which is found through one more than nothing.

#[cfg(feature = "garde")]
mod garde;
mod names;
mod off;
#[cfg(any(feature = "garde", feature = "validator"))]
mod path;
mod schema;
#[cfg(feature = "validator")]
mod validator;

use crate::{HttpError, args::Tag, definition::ParamSource, rq::Rq};

#[cfg(feature = "garde")]
pub use self::garde::ByGarde;
pub(crate) use self::names::RouteNames;
pub use self::names::{ControllerNames, FieldNames, InputNames, Names, TypeNames};
pub use self::schema::{Schema, by_schema};
#[cfg(feature = "validator")]
pub use self::validator::{ByValidator, ByValidatorIfAny};

/// A type that nothing checks.
pub trait Unchecked<T> {
    /// Nothing is wrong.
    ///
    /// # Errors
    /// Never: the signature is that of every check.
    fn check(&self, value: &T, rq: &Rq, part: ParamSource, index: u32) -> Result<(), HttpError>;
}

impl<T> Unchecked<T> for Tag<T> {
    #[inline]
    fn check(&self, _: &T, _: &Rq, _: ParamSource, _: u32) -> Result<(), HttpError> {
        Ok(())
    }
}

/// The 400 of a value, with paths as they are on the wire where the build pass has told the names.
#[cfg(any(feature = "garde", feature = "validator"))]
#[cold]
fn refuse(mut found: path::Found, rq: &Rq, part: ParamSource, index: u32) -> HttpError {
    if let Some(route) = rq.context().matched_route()
        && let Some(at) = route.names.of(index)
    {
        found.rename(&route.names, at);
    }
    found.into_issues().refuse(part, "")
}
