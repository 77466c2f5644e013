//! Headers.

use std::borrow::Cow;

use http::HeaderValue;

use super::{
    FromText, Place, Tag, context,
    from_param::FromParams,
    text::{TextError, Values},
};
use crate::{HttpContext, HttpError, rq::Rq};

/// A header of a type read in its own way.
pub trait HeaderFrom<T> {
    /// The header `name`.
    ///
    /// # Errors
    /// 400 naming the header.
    fn header(&self, rq: &Rq, name: &str) -> Result<T, HttpError>;
}

impl<T: FromParams> HeaderFrom<T> for &Tag<T> {
    fn header(&self, rq: &Rq, name: &str) -> Result<T, HttpError> {
        T::from_params(values(context(rq), name)?)
            .map_err(|error| Place::Header.refuse(name, &error))
    }
}

/// A header read by serde.
pub trait HeaderSerde<T> {
    /// The header `name`.
    ///
    /// # Errors
    /// 400 naming the header.
    fn header(&self, rq: &Rq, name: &str) -> Result<T, HttpError>
    where
        T: FromText;
}

impl<T> HeaderSerde<T> for Tag<T> {
    fn header(&self, rq: &Rq, name: &str) -> Result<T, HttpError>
    where
        T: FromText,
    {
        T::from_values(Values::new(values(context(rq), name)?))
            .map_err(|error| Place::Header.refuse(name, &error))
    }
}

/// The values of one header, one for each line.
fn values<'a>(
    context: &'a HttpContext,
    name: &str,
) -> Result<impl Iterator<Item = Cow<'a, str>>, HttpError> {
    let lines = context.headers().get_all(name);
    for value in &lines {
        text(name, value)?;
    }
    Ok(lines
        .into_iter()
        .filter_map(|value| str::from_utf8(value.as_bytes()).ok().map(Cow::Borrowed)))
}

/// A header as text.
pub(super) fn text<'a>(name: &str, value: &'a HeaderValue) -> Result<&'a str, HttpError> {
    str::from_utf8(value.as_bytes()).map_err(|_| {
        Place::Header.refuse(name, &TextError::Expected(Cow::Borrowed("text in UTF-8")))
    })
}
