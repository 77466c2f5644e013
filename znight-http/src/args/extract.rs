//! Parameters with `#[extract(..)]`.

use std::future::{Ready, ready};

use znight_core::{__private::BoxFuture, ParamResolver, ResolvedBy, Scope};

use super::{FromContext, Tag};
use crate::{HttpContext, HttpError, rq::Rq};

/// A type made from the context of a request and what `#[extract(..)]` says.
///
/// ```
/// use znight_http::{FromContextWith, HttpContext, HttpError};
///
/// /// One claim of the token that a guard has checked: `#[extract("sub")] subject: Claim`.
/// struct Claim(String);
///
/// impl FromContextWith<&'static str> for Claim {
///     fn from_context_with(ctx: &HttpContext, name: &'static str) -> Result<Self, HttpError> {
///         match ctx.header(name) {
///             Some(value) => Ok(Self(value.to_owned())),
///             None => Err(HttpError::unauthorized(format!("no claim {name:?}"))),
///         }
///     }
/// }
/// ```
///
/// Where a provider computes the value, see [`ParamResolver`](znight_core::ParamResolver).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not extracted from a request with `{D}`",
    label = "not a `FromContextWith<{D}>`",
    note = "implement `FromContextWith<{D}>` for it, or say which provider computes it: `impl ResolvedBy<Resolver> for {Self} {{}}`"
)]
pub trait FromContextWith<D>: Sized {
    /// Makes the value.
    ///
    /// # Errors
    /// The reply, when it cannot be made.
    fn from_context_with(ctx: &HttpContext, data: D) -> Result<Self, HttpError>;
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> FromContextWith<()> for T {
    fn from_context_with(ctx: &HttpContext, (): ()) -> Result<Self, HttpError> {
        T::from_context(ctx)
    }
}

/// A parameter that a provider computes.
pub trait ExtractResolved<T, R>
where
    R: ParamResolver<HttpContext, T>,
{
    /// The value.
    fn extract<'a>(&self, rq: &'a Rq, data: R::Data) -> BoxFuture<'a, Result<T, HttpError>>
    where
        R::Data: 'a;
}

impl<T, R> ExtractResolved<T, R> for &Tag<T>
where
    T: ResolvedBy<R>,
    R: ParamResolver<HttpContext, T, Error: Into<HttpError>>,
{
    fn extract<'a>(&self, rq: &'a Rq, data: R::Data) -> BoxFuture<'a, Result<T, HttpError>>
    where
        R::Data: 'a,
    {
        Box::pin(async move {
            let resolver = Scope::current()?.get::<R>()?;
            let value = resolver.resolve(rq.context(), data).await;
            value.map_err(Into::into)
        })
    }
}

/// A parameter whose type computes it.
pub trait Extract<T> {
    /// The value.
    fn extract<D>(&self, rq: &Rq, data: D) -> Ready<Result<T, HttpError>>
    where
        T: FromContextWith<D>;
}

impl<T> Extract<T> for Tag<T> {
    fn extract<D>(&self, rq: &Rq, data: D) -> Ready<Result<T, HttpError>>
    where
        T: FromContextWith<D>,
    {
        ready(T::from_context_with(rq.context(), data))
    }
}
