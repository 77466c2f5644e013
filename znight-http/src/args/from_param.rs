//! Types of the user's own that are read from text.

use std::{borrow::Cow, fmt};

use super::text::TextError;

/// A type read from the text of a path, query or header parameter in a way of its own.
///
/// Types that implement `serde::Deserialize` need it only to be read in another way than serde
/// would: this trait wins.
///
/// ```
/// use znight_http::{FromParam, ParamError};
///
/// struct Colour(u32);
///
/// impl FromParam for Colour {
///     fn from_param(text: &str) -> Result<Self, ParamError> {
///         u32::from_str_radix(text, 16)
///             .map(Self)
///             .map_err(|_| ParamError::expected("a hexadecimal colour"))
///     }
/// }
/// # assert_eq!(Colour::from_param("ff").unwrap().0, 255);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not read from text in a way of its own",
    label = "not a `FromParam`",
    note = "implement `FromParam`, or derive `serde::Deserialize`"
)]
pub trait FromParam: Sized {
    /// Reads the decoded text.
    ///
    /// # Errors
    /// What was expected: answered with a 400 that names the parameter.
    fn from_param(text: &str) -> Result<Self, ParamError>;
}

/// Why a text is no value of a [`FromParam`] type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamError(Cow<'static, str>);

impl ParamError {
    /// What was expected, as in `expected a hexadecimal colour`. It is shown to the client: say
    /// nothing of what was sent.
    pub fn expected(what: impl Into<Cow<'static, str>>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.0)
    }
}

impl std::error::Error for ParamError {}

impl From<ParamError> for TextError {
    fn from(error: ParamError) -> Self {
        Self::Expected(error.0)
    }
}

/// A [`FromParam`] type, or an `Option` or a `Vec` of one.
pub trait FromParams: Sized {
    #[doc(hidden)]
    fn from_params<'a>(values: impl Iterator<Item = Cow<'a, str>>) -> Result<Self, TextError>;
}

#[diagnostic::do_not_recommend]
impl<T: FromParam> FromParams for T {
    fn from_params<'a>(mut values: impl Iterator<Item = Cow<'a, str>>) -> Result<Self, TextError> {
        let value = values.next().ok_or(TextError::Missing)?;
        if values.next().is_some() {
            return Err(TextError::Several);
        }
        Ok(T::from_param(&value)?)
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromParam> FromParams for Option<T> {
    fn from_params<'a>(values: impl Iterator<Item = Cow<'a, str>>) -> Result<Self, TextError> {
        let mut values = values.peekable();
        if values.peek().is_none() {
            return Ok(None);
        }
        T::from_params(values).map(Some)
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromParam> FromParams for Vec<T> {
    fn from_params<'a>(values: impl Iterator<Item = Cow<'a, str>>) -> Result<Self, TextError> {
        values
            .map(|text| T::from_param(&text).map_err(TextError::from))
            .collect()
    }
}
