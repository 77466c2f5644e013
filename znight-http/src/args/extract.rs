//! Parameters with `#[extract(..)]`.

use std::{
    future::{Ready, ready},
    marker::PhantomData,
};

use znight_core::{__private::BoxFuture, ParamResolver, ResolvedBy, Scope};

use super::{FromContext, Tag};
use crate::{
    HttpContext, HttpError,
    error::{HandlerError, KnownError},
    rq::Rq,
};

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
    /// The value, or what the provider says instead.
    fn extract<'a>(
        &self,
        rq: &'a Rq,
        data: R::Data,
    ) -> BoxFuture<'a, Result<Result<T, R::Error>, HttpError>>
    where
        R::Data: 'a;
}

impl<T, R> ExtractResolved<T, R> for &&Tag<T>
where
    T: ResolvedBy<R>,
    R: ParamResolver<HttpContext, T>,
{
    fn extract<'a>(
        &self,
        rq: &'a Rq,
        data: R::Data,
    ) -> BoxFuture<'a, Result<Result<T, R::Error>, HttpError>>
    where
        R::Data: 'a,
    {
        Box::pin(async move {
            let resolver = Scope::current()?.get::<R>()?;
            Ok(resolver.resolve(rq.context(), data).await)
        })
    }
}

type Extracted<T> = Result<Result<T, HttpError>, HttpError>;

/// The error of a resolver, as a value.
#[derive(Debug)]
pub struct Refused<E>(PhantomData<fn() -> E>);

/// The type of an error at hand.
pub fn refused<E>(_: &E) -> Refused<E> {
    Refused(PhantomData)
}

/// An error that knows its reply, as one that a handler returns.
pub trait RefusedKnown<E> {
    /// The reply.
    fn reply(&self, error: E) -> HttpError;
}

impl<E: KnownError> RefusedKnown<E> for &Refused<E> {
    fn reply(&self, error: E) -> HttpError {
        error.into_http_error()
    }
}

/// Any other error.
pub trait RefusedOtherwise<E> {
    /// The reply.
    fn reply(&self, error: E) -> HttpError
    where
        E: HandlerError;
}

impl<E> RefusedOtherwise<E> for Refused<E> {
    fn reply(&self, error: E) -> HttpError
    where
        E: HandlerError,
    {
        error.into_unexpected()
    }
}

/// A parameter whose type computes it.
pub trait Extract<T> {
    /// The value.
    fn extract<D>(&self, rq: &Rq, data: D) -> Ready<Extracted<T>>
    where
        T: FromContextWith<D>;
}

impl<T> Extract<T> for Tag<T> {
    fn extract<D>(&self, rq: &Rq, data: D) -> Ready<Extracted<T>>
    where
        T: FromContextWith<D>,
    {
        ready(Ok(T::from_context_with(rq.context(), data)))
    }
}
