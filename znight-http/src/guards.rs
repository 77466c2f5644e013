//! Guards: whether a request may go on.

use znight_core::__private::BoxFuture;

use crate::{AnyDecision, HttpContext, HttpError};

/// Decides whether a request may proceed, before its body is read.
///
/// A guard is a provider. It is placed on a controller or a route with `#[guard(ApiKeyGuard)]`, or
/// on every route with [`HttpOptions::guard`](crate::HttpOptions::guard). Global guards run first,
/// then the controller's, then the route's; the first error is the reply. Singleton guards are
/// resolved when the application boots, request-scoped ones for each request. On a singleton
/// controller a request-scoped guard is refused (ZNIGHT003): it stands on a request-scoped controller
/// or among the global ones.
///
/// ```
/// use znight_http::{Guard, HttpContext, HttpError};
///
/// struct ApiKeyGuard;
///
/// impl Guard for ApiKeyGuard {
///     async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
///         match ctx.header("x-api-key") {
///             Some("secret") => Ok(()),
///             _ => Err(HttpError::unauthorized("a key is required")),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a guard",
    label = "not a `Guard`",
    note = "implement `Guard` for it: `async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError>`"
)]
pub trait Guard: Send + Sync + 'static {
    /// The [decisions](crate::Decision) it enforces: those it reads to let a request through or not. Naming one
    /// of a group stands for the group. Default: none.
    ///
    /// The start fails with ZNIGHT023 where a route has such a decision and no guard in front of it that
    /// enforces it.
    const ENFORCES: &'static [&'static dyn AnyDecision] = &[];

    /// Lets the request through, or answers it with an error.
    fn allow(&self, ctx: &HttpContext) -> impl Future<Output = Result<(), HttpError>> + Send;
}

/// A [`Guard`] with its type forgotten.
pub(crate) trait ErasedGuard: Send + Sync + 'static {
    fn allow<'a>(&'a self, ctx: &'a HttpContext) -> BoxFuture<'a, Result<(), HttpError>>;
}

impl<G: Guard> ErasedGuard for G {
    fn allow<'a>(&'a self, ctx: &'a HttpContext) -> BoxFuture<'a, Result<(), HttpError>> {
        Box::pin(Guard::allow(self, ctx))
    }
}
