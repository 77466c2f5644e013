//! Requests somebody observes: their event, its wrappers and listeners.

use std::sync::Arc;

use http::{Response, header::Entry};
use znight_core::{BoxError, HttpRequestEvent};

use super::{
    Pipeline,
    respond::{id_text, success},
};
use crate::{HttpContext, HttpError, body::RequestBody, reply::ReplyBody, routing::Matched};

impl Pipeline {
    /// Answers a request inside the wrappers of its event, then tells the listeners.
    pub(super) async fn observed(
        &self,
        matched: &Matched,
        context: &Arc<HttpContext>,
        body: RequestBody,
    ) -> Response<ReplyBody> {
        let event = HttpRequestEvent::new(
            context.method().clone(),
            context.path(),
            context.route().map(|route| Arc::clone(&route.path)),
            id_text(context.request_id()),
            Arc::new(context.headers().clone()),
        )
        .with_context(Arc::clone(context));
        let answer = async {
            let outcome = self.outcome(matched, context, body).await;
            let response = match outcome {
                Ok(reply) => success(context, reply),
                Err(error) => self.observed_failure(context, &event, error),
            };
            event.set_status(response.status());
            response
        };
        let mut response = if let Some(response) = self.hooks.run(&event, answer).await {
            response
        } else {
            let error = HttpError::unexpected("a hook kept the request from running".into());
            let response = self.observed_failure(context, &event, error);
            event.set_status(response.status());
            response
        };
        for (name, value) in &*event.response_headers() {
            if let Entry::Vacant(vacant) = response.headers_mut().entry(name) {
                vacant.insert(value.clone());
            }
        }
        self.complete(context, &mut response);
        self.hooks.emit(&event);
        response
    }

    fn observed_failure(
        &self,
        context: &HttpContext,
        event: &HttpRequestEvent,
        error: HttpError,
    ) -> Response<ReplyBody> {
        let (response, error) = self.failure(context, error);
        event.set_error(Arc::new(BoxError::from(error)));
        response
    }
}
