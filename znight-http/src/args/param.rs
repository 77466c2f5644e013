//! Path parameters.

use std::borrow::Cow;

use super::{
    FromParam, FromText, Place, Tag, context,
    text::{TextError, one},
};
use crate::{HttpError, rq::Rq};

/// A path parameter of a type read in its own way.
pub trait ParamFrom<T> {
    /// The path parameter `name`.
    ///
    /// # Errors
    /// 400 naming the parameter.
    fn param(&self, rq: &Rq, name: &str) -> Result<T, HttpError>;
}

impl<T: FromParam> ParamFrom<T> for &Tag<T> {
    fn param(&self, rq: &Rq, name: &str) -> Result<T, HttpError> {
        match context(rq).param(name) {
            Some(text) => {
                T::from_param(text).map_err(|error| Place::Param.refuse(name, &error.into()))
            }
            None => Err(Place::Param.refuse(name, &TextError::Missing)),
        }
    }
}

/// A path parameter read by serde.
pub trait ParamSerde<T> {
    /// The path parameter `name`.
    ///
    /// # Errors
    /// 400 naming the parameter.
    fn param(&self, rq: &Rq, name: &str) -> Result<T, HttpError>
    where
        T: FromText;
}

impl<T> ParamSerde<T> for Tag<T> {
    fn param(&self, rq: &Rq, name: &str) -> Result<T, HttpError>
    where
        T: FromText,
    {
        match context(rq).param(name) {
            Some(text) => T::from_values(one(Cow::Borrowed(text)))
                .map_err(|error| Place::Param.refuse(name, &error)),
            None => Err(Place::Param.refuse(name, &TextError::Missing)),
        }
    }
}
