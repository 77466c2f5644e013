//! Interceptors: code around the handler.

use std::{fmt, sync::Arc};

use znight_core::__private::BoxFuture;

use crate::{HttpContext, HttpError, pipeline::Invocation, reply::Reply};

/// Wraps the handler: sees the context before it and the reply after it, may replace the reply,
/// and may answer without calling it.
///
/// An interceptor is a provider, placed like a [guard](crate::Guard): global ones are outermost,
/// then the controller's, then the route's. The body has been read when they run.
///
/// ```
/// use znight_http::{HttpContext, HttpError, Interceptor, Next, Reply};
///
/// struct NoStore;
///
/// impl Interceptor for NoStore {
///     async fn intercept(&self, _: &HttpContext, next: Next<'_>) -> Result<Reply, HttpError> {
///         Ok(next.run().await?.with_header("cache-control", "no-store"))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an interceptor",
    label = "not an `Interceptor`",
    note = "implement `Interceptor` for it: `async fn intercept(&self, ctx: &HttpContext, next: \
            Next<'_>) -> Result<Reply, HttpError>`"
)]
pub trait Interceptor: Send + Sync + 'static {
    /// Calls `next.run()`, or not, and returns the reply.
    fn intercept(
        &self,
        ctx: &HttpContext,
        next: Next<'_>,
    ) -> impl Future<Output = Result<Reply, HttpError>> + Send;
}

/// An [`Interceptor`] with its type forgotten.
pub(crate) trait ErasedInterceptor: Send + Sync + 'static {
    fn intercept<'a>(
        &'a self,
        ctx: &'a HttpContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>>;
}

impl<I: Interceptor> ErasedInterceptor for I {
    fn intercept<'a>(
        &'a self,
        ctx: &'a HttpContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        Box::pin(Interceptor::intercept(self, ctx, next))
    }
}

/// What an [`Interceptor`] wraps: the interceptors inside it, then the handler.
pub struct Next<'a> {
    pub(crate) rest: &'a [Arc<dyn ErasedInterceptor>],
    pub(crate) invocation: Invocation<'a>,
}

impl<'a> Next<'a> {
    /// Runs the rest and gives its reply. An error the handler returned is an `Err` here.
    pub fn run(self) -> BoxFuture<'a, Result<Reply, HttpError>> {
        match self.rest.split_first() {
            Some((first, rest)) => first.intercept(
                self.invocation.context(),
                Next {
                    rest,
                    invocation: self.invocation,
                },
            ),
            None => Box::pin(self.invocation.visible()),
        }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("interceptors", &self.rest.len())
            .finish_non_exhaustive()
    }
}
