//! The body as an argument.

use std::borrow::Cow;

use bytes::Bytes;
use http::HeaderMap;
use serde::de::DeserializeOwned;

use super::{Tag, record::Record, text::Values};
use crate::{
    HttpError,
    body::{MediaType, json, text},
    definition::ParamSource,
    issues::Issues,
    rq::Rq,
};

/// A type that takes the body as it is, whatever its media type says.
pub trait FromBody: Sized {
    #[doc(hidden)]
    fn from_body(rq: &Rq) -> Result<Self, HttpError>;
}

impl FromBody for Bytes {
    fn from_body(rq: &Rq) -> Result<Self, HttpError> {
        required(rq).cloned()
    }
}

impl FromBody for Vec<u8> {
    fn from_body(rq: &Rq) -> Result<Self, HttpError> {
        Ok(required(rq)?.to_vec())
    }
}

impl FromBody for String {
    fn from_body(rq: &Rq) -> Result<Self, HttpError> {
        let body = required(rq)?;
        match MediaType::of(rq.context().headers()) {
            MediaType::Json => json::read(body),
            MediaType::Text | MediaType::None => text::read(rq.context().headers(), body),
            MediaType::Form | MediaType::Other => Err(unsupported("text or JSON")),
        }
    }
}

impl<T: FromBody> FromBody for Option<T> {
    fn from_body(rq: &Rq) -> Result<Self, HttpError> {
        if rq.body().is_empty() {
            return Ok(None);
        }
        T::from_body(rq).map(Some)
    }
}

/// A body taken as it is.
pub trait BodyFrom<T> {
    /// The body.
    ///
    /// # Errors
    /// 400 or 415.
    fn body(&self, rq: &Rq) -> Result<T, HttpError>;
}

impl<T: FromBody> BodyFrom<T> for &Tag<T> {
    fn body(&self, rq: &Rq) -> Result<T, HttpError> {
        T::from_body(rq)
    }
}

/// A type that can be read from a JSON or a form body: anything that implements `Deserialize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from the body of a request",
    label = "not a body type",
    note = "derive `serde::Deserialize` for it, or take `String`, `Bytes` or `Vec<u8>`"
)]
pub trait FromJson: Sized {
    #[doc(hidden)]
    fn from_typed_body(rq: &Rq) -> Result<Self, HttpError>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> FromJson for T {
    fn from_typed_body(rq: &Rq) -> Result<Self, HttpError> {
        typed(rq.context().headers(), rq.body())
    }
}

/// A body read by its media type.
///
/// # Errors
/// 400 saying what is wrong where, or 415.
#[inline]
pub(crate) fn typed<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<T, HttpError> {
    if body.is_empty() {
        // `Option<T>` takes it, nothing else does.
        return T::deserialize(Values::new(std::iter::empty::<Cow<'_, str>>()))
            .map_err(|_| missing());
    }
    match MediaType::of(headers) {
        MediaType::Json => json::read(body),
        MediaType::Form => form(body),
        MediaType::Text | MediaType::None | MediaType::Other => Err(unsupported(
            "application/json or application/x-www-form-urlencoded",
        )),
    }
}

/// A body read by its media type.
pub trait BodyByType<T> {
    /// The body.
    ///
    /// # Errors
    /// 400 saying what is wrong where, or 415.
    fn body(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromJson;
}

impl<T> BodyByType<T> for Tag<T> {
    fn body(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: FromJson,
    {
        T::from_typed_body(rq)
    }
}

fn form<T: DeserializeOwned>(body: &Bytes) -> Result<T, HttpError> {
    let well_encoded = str::from_utf8(body).is_ok_and(super::query::well_encoded);
    if !well_encoded {
        return Err(HttpError::bad_request(
            "the body is not a well-encoded form",
        ));
    }
    let record = Record::new(form_urlencoded::parse(body).collect());
    T::deserialize(record)
        .map_err(|error| Issues::from(error.issue()).refuse(ParamSource::Body, ""))
}

fn required(rq: &Rq) -> Result<&Bytes, HttpError> {
    let body = rq.body();
    if body.is_empty() {
        Err(missing())
    } else {
        Ok(body)
    }
}

fn missing() -> HttpError {
    HttpError::bad_request("missing request body")
}

fn unsupported(expected: &str) -> HttpError {
    HttpError::unsupported_media_type(format!("the body must be {expected}"))
}
