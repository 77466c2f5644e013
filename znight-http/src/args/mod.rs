//! Arguments of handlers: taken from the path, the query, the headers, the body, the context.
//!
//! The glue asks a [`Tag`] of the parameter's type. As with return types, the way a type is read is
//! chosen by method lookup: `FromParam` is found through one reference more than serde.

use std::marker::PhantomData;

use crate::{HttpContext, HttpError, rq::Rq};

#[cfg(feature = "axum")]
mod axum;
mod body;
mod context;
mod extract;
mod from_param;
mod header;
mod known;
mod param;
pub(crate) mod query;
pub(crate) mod record;
pub(crate) mod text;

#[cfg(feature = "axum")]
pub use axum::ExtractAxum;
pub(crate) use body::typed;
pub use body::{BodyByType, BodyFrom};
pub use context::{ContextFrom, FromContext};
pub use extract::{
    Extract, ExtractResolved, FromContextWith, RefusedKnown, RefusedOtherwise, refused,
};
pub use from_param::{FromParam, ParamError};
pub use header::{HeaderFrom, HeaderSerde};
pub use param::{ParamFrom, ParamSerde};
pub(crate) use query::well_encoded;
pub use query::{QueryFrom, QuerySerde};
pub use record::Records;
use text::FromText;

/// The type of a parameter, as a value.
#[derive(Debug)]
pub struct Tag<T>(PhantomData<fn() -> T>);

impl<T> Tag<T> {
    /// The only one.
    pub const NEW: Self = Self(PhantomData);
}

/// A part of the request a text is taken from, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Param,
    Query,
    Header,
}

impl Place {
    /// As in `missing query parameter "q"`.
    fn noun(self) -> &'static str {
        match self {
            Self::Param => "path parameter",
            Self::Query => "query parameter",
            Self::Header => "header",
        }
    }

    /// As in `query "page": expected a number`.
    fn label(self) -> &'static str {
        match self {
            Self::Param => "param",
            Self::Query => "query",
            Self::Header => "header",
        }
    }

    /// The 400 of a record in which something is wrong: the message of that one, and where it is.
    #[cold]
    fn refuse_record(self, error: &text::TextError) -> HttpError {
        self.refuse("", error).details([error.issue()])
    }

    /// The 400 of a parameter that is wrong.
    #[cold]
    fn refuse(self, name: &str, error: &text::TextError) -> HttpError {
        use text::TextError;
        match error {
            TextError::Missing => {
                HttpError::bad_request(format!("missing {} \"{name}\"", self.noun()))
            }
            TextError::MissingField(field) => {
                HttpError::bad_request(format!("missing {} \"{field}\"", self.noun()))
            }
            TextError::In(name, inner) => self.refuse(name, inner),
            _ if name.is_empty() => HttpError::bad_request(format!("{}: {error}", self.label())),
            _ => HttpError::bad_request(format!("{} \"{name}\": {error}", self.label())),
        }
    }
}

/// The request an argument is taken from.
pub(crate) fn context(rq: &Rq) -> &HttpContext {
    rq.context()
}
