//! The way to the handler of a route.

use std::sync::Arc;

use znight_core::{__private::Handle, Error};

use super::Pipeline;
use crate::{
    HttpContext, HttpError,
    body::{RequestBody, read},
    handler::Answer,
    interceptors::{ErasedInterceptor, Next},
    reply::Outcome,
    routing::{ControllerSource, Placed, Route},
    rq::Rq,
};

impl Pipeline {
    /// Guards, body, interceptors, handler.
    pub(super) async fn invoke(
        &self,
        route: &Arc<Route>,
        context: &Arc<HttpContext>,
        body: RequestBody,
    ) -> Outcome {
        let kept = !body.is_empty() && (!route.body || !route.guards.is_empty());
        let limits = || self.limits(route.body_limit);
        let body = if kept {
            // For guards and handlers that ask for it; what nobody reads is let go with the request.
            context.body().leave(body, limits());
            None
        } else {
            Some(body)
        };
        if !route.guards.is_empty() {
            self.guard(route, context).await?;
        }
        if route.body {
            // Boxed: requests without a body, which are most, would carry the room for it around.
            match body {
                Some(body) if body.is_empty() => {}
                Some(body) => {
                    let bytes = Box::pin(read(body, context.headers(), limits())).await?;
                    context.body().keep(bytes);
                }
                None => {
                    Box::pin(context.raw_body()).await?;
                }
            }
        }
        let rq = Rq::new(Arc::clone(context));
        let controller;
        let controller = match &*route.controller {
            ControllerSource::Ready(handle) => handle,
            ControllerSource::PerRequest(get) => {
                controller = get(&self.container)?;
                &controller
            }
        };
        let invocation = Invocation {
            route,
            controller,
            rq: &rq,
        };
        if route.interceptors.is_empty() {
            return invocation.call().await;
        }
        let interceptors = self.interceptors(route)?;
        let next = Next {
            rest: &interceptors,
            invocation,
        };
        next.run().await
    }

    /// Asks the guards, in order, until one refuses.
    async fn guard(&self, route: &Route, context: &HttpContext) -> Result<(), HttpError> {
        for guard in &route.guards {
            match guard {
                Placed::Ready(guard) => guard.allow(context).await?,
                Placed::PerRequest(get) => get(&self.container)?.allow(context).await?,
            }
        }
        Ok(())
    }

    fn interceptors(&self, route: &Route) -> Result<Vec<Arc<dyn ErasedInterceptor>>, Error> {
        route
            .interceptors
            .iter()
            .map(|interceptor| match interceptor {
                Placed::Ready(interceptor) => Ok(Arc::clone(interceptor)),
                Placed::PerRequest(get) => get(&self.container),
            })
            .collect()
    }
}

/// A handler, ready to be called.
#[derive(Clone, Copy)]
pub(crate) struct Invocation<'a> {
    route: &'a Route,
    controller: &'a Handle,
    rq: &'a Rq,
}

impl<'a> Invocation<'a> {
    /// The reply as an interceptor sees it.
    pub(crate) async fn visible(self) -> Outcome {
        Ok(self.call().await?.written())
    }

    pub(crate) fn context(self) -> &'a HttpContext {
        self.rq.context()
    }

    /// Extracts the arguments and calls the handler.
    #[inline]
    pub(crate) async fn call(self) -> Outcome {
        match (self.route.call)(self.controller, self.rq)? {
            Answer::Ready(outcome) => outcome,
            Answer::Later(future) => future.await,
        }
    }
}
