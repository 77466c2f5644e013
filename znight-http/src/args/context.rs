//! Parameters without an attribute.

use std::{net::SocketAddr, sync::Arc};

use http::{HeaderMap, Method, Uri, Version};

use super::Tag;
use crate::{HttpContext, HttpError, RequestId, rq::Rq};

/// A type made from the context of a request: the type of a parameter without an attribute.
///
/// ```
/// use znight_http::{FromContext, HttpContext, HttpError};
///
/// struct Tenant(String);
///
/// impl FromContext for Tenant {
///     fn from_context(ctx: &HttpContext) -> Result<Self, HttpError> {
///         match ctx.header("x-tenant") {
///             Some(name) => Ok(Self(name.to_owned())),
///             None => Err(HttpError::bad_request("which tenant?")),
///         }
///     }
/// }
/// ```
///
/// A guard leaves what it found, the user of a session for instance, in
/// [`HttpContext::extensions`], where such a type picks it up.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made from the context of a request",
    label = "not a `FromContext`",
    note = "implement `FromContext` for it: `fn from_context(ctx: &HttpContext) -> Result<Self, HttpError>`"
)]
pub trait FromContext: Sized {
    /// Makes the value.
    ///
    /// # Errors
    /// The reply, when it cannot be made.
    fn from_context(ctx: &HttpContext) -> Result<Self, HttpError>;
}

/// A type a parameter without an attribute may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from the context of a request",
    label = "not a `FromContext`",
    note = "say where it comes from with `#[param]`, `#[query]`, `#[headers]`, `#[body]` or `#[extract]`, or \
            implement `FromContext` for it"
)]
pub trait ContextArg: Sized {
    #[doc(hidden)]
    fn from_rq(rq: &Rq) -> Result<Self, HttpError>;
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> ContextArg for T {
    fn from_rq(rq: &Rq) -> Result<Self, HttpError> {
        T::from_context(rq.context())
    }
}

impl ContextArg for Arc<HttpContext> {
    fn from_rq(rq: &Rq) -> Result<Self, HttpError> {
        Ok(Arc::clone(rq.shared()))
    }
}

/// A parameter without an attribute.
pub trait ContextFrom<T> {
    /// The value made from the context.
    ///
    /// # Errors
    /// What the type answers when it cannot be made.
    fn context(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: ContextArg;
}

impl<T> ContextFrom<T> for Tag<T> {
    fn context(&self, rq: &Rq) -> Result<T, HttpError>
    where
        T: ContextArg,
    {
        T::from_rq(rq)
    }
}

macro_rules! from_context {
    ($($ty:ty: |$ctx:ident| $value:expr;)*) => {
        $(impl FromContext for $ty {
            fn from_context($ctx: &HttpContext) -> Result<Self, HttpError> {
                Ok($value)
            }
        })*
    };
}

from_context! {
    RequestId: |ctx| ctx.request_id().clone();
    Method: |ctx| ctx.method().clone();
    Uri: |ctx| ctx.uri().clone();
    Version: |ctx| ctx.version();
    HeaderMap: |ctx| ctx.headers().clone();
    Option<SocketAddr>: |ctx| ctx.peer_address();
}
