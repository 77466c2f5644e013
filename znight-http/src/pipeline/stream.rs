//! Replies whose bodies are streams: the request goes on until the last piece.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::Response;
use http_body::{Body, Frame, SizeHint};
use znight_core::{__private::BoxFuture, Error, OpenScope, capability::Panic};

use super::{Pipeline, panic_text};
use crate::{
    BoxError, HttpContext,
    error::chain,
    reply::{Outcome, ReplyBody, Streamed},
};

/// What is told who has to do something next about a request that is being answered: a server closes a
/// connection whose client does nothing for long.
pub(crate) trait Activity: Unpin + Send + 'static {
    /// The application: a piece of the body has been asked of it.
    fn waits_for_application(&mut self) {}

    /// Whether the connection ends with this request, which the client is told.
    fn is_last(&self) -> bool {
        false
    }

    /// The client: the pieces there were are on their way to it.
    fn waits_for_client(&mut self) {}
}

/// Nobody wants to know.
impl Activity for () {}

impl Pipeline {
    /// The response with a body that is a stream, made in the scope: where the response can have no
    /// body, such as that to `HEAD`, the stream is dropped.
    #[cold]
    pub(super) fn respond_in(
        &self,
        scope: &mut OpenScope,
        context: &HttpContext,
        outcome: Outcome,
    ) -> Response<ReplyBody> {
        let respond = || scope.enter(|| self.respond(context, outcome));
        let response = catch_unwind(AssertUnwindSafe(respond));
        response.unwrap_or_else(|panic| self.panicked(context, panic))
    }

    /// Lets a request whose body is a stream go on until the stream ends or is dropped: its scope, its
    /// place among the requests in flight, and what is kept until it is answered.
    #[cold]
    pub(super) fn streaming<A: Activity>(
        self: &Arc<Self>,
        context: Arc<HttpContext>,
        scope: OpenScope,
        response: Response<ReplyBody>,
        activity: A,
    ) -> Response<ReplyBody> {
        let in_flight = InFlight::new(self, context.is_in_memory());
        response.map(|body| {
            body.map_stream(|body| Streaming {
                state: State::Streaming { body, scope },
                context,
                activity,
                _in_flight: in_flight,
            })
        })
    }
}

/// One request in flight, for as long as its body is streamed.
struct InFlight {
    pipeline: Arc<Pipeline>,
    held: bool,
}

impl InFlight {
    fn new(pipeline: &Arc<Pipeline>, held: bool) -> Self {
        pipeline.begin();
        pipeline.held.fetch_add(usize::from(held), Ordering::SeqCst);
        Self {
            pipeline: Arc::clone(pipeline),
            held,
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.pipeline
            .held
            .fetch_sub(usize::from(self.held), Ordering::SeqCst);
        self.pipeline.end();
    }
}

/// A body that is streamed in the scope of its request.
struct Streaming<A> {
    state: State,
    context: Arc<HttpContext>,
    activity: A,
    _in_flight: InFlight,
}

enum State {
    Streaming {
        body: Streamed,
        scope: OpenScope,
    },
    /// The scope is being closed; then the body ends, with this error if there is one.
    Closing {
        closing: BoxFuture<'static, Result<(), Error>>,
        error: Option<BoxError>,
    },
    Ended,
}

impl<A: Activity> Body for Streaming<A> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        this.activity.waits_for_application();
        if let State::Streaming { body, scope } = &mut this.state {
            let poll = || scope.enter(|| body.poll_frame(cx));
            let error = match catch_unwind(AssertUnwindSafe(poll)) {
                Ok(Poll::Pending) => return Poll::Pending,
                Ok(Poll::Ready(Some(Ok(frame)))) => {
                    this.activity.waits_for_client();
                    return Poll::Ready(Some(Ok(frame)));
                }
                Ok(Poll::Ready(None)) => None,
                Ok(Poll::Ready(Some(Err(error)))) => {
                    failed(&this.context, &chain(error.to_string(), error.source()));
                    Some(error)
                }
                Err(panic) => {
                    failed(&this.context, &format!("a panic: {}", panic_text(&*panic)));
                    Some(BoxError::from(Panic::new(panic)))
                }
            };
            this.close(error);
        }
        match &mut this.state {
            State::Closing { closing, error } => {
                let closed = std::task::ready!(closing.as_mut().poll(cx));
                super::scope_closed(&this.context, closed);
                let error = error.take();
                this.state = State::Ended;
                this.activity.waits_for_client();
                Poll::Ready(error.map(Err))
            }
            State::Streaming { .. } | State::Ended => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        // The scope is closed by the poll that finds the end, so that poll is wanted.
        matches!(self.state, State::Ended)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.state {
            State::Streaming { body, .. } => body.size_hint(),
            State::Closing { .. } | State::Ended => SizeHint::with_exact(0),
        }
    }
}

impl<A> Streaming<A> {
    /// Drops the stream and begins to close the scope.
    fn close(&mut self, error: Option<BoxError>) {
        if let Some(scope) = self.end() {
            self.state = State::Closing {
                closing: Box::pin(scope.close()),
                error,
            };
        }
    }

    /// Drops a stream that is not over, whose destructors may use what is in the scope as well. The scope
    /// is what is left of it.
    fn end(&mut self) -> Option<OpenScope> {
        let State::Streaming { body, mut scope } = std::mem::replace(&mut self.state, State::Ended)
        else {
            return None;
        };
        let dropped = catch_unwind(AssertUnwindSafe(|| scope.enter(|| drop(body))));
        // The reply has long been told.
        let _ = self.context.body().release(self.context.headers());
        if let Err(panic) = dropped {
            failed(
                &self.context,
                &format!("a panic while it was dropped: {}", panic_text(&*panic)),
            );
        }
        Some(scope)
    }
}

/// Dropped before its end, the client has gone. What is in the scope is disposed in a task of its
/// own.
impl<A> Drop for Streaming<A> {
    fn drop(&mut self) {
        drop(self.end());
    }
}

impl<A> fmt::Debug for Streaming<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Streaming(..)")
    }
}

fn failed(context: &HttpContext, error: &str) {
    tracing::error!(
        target: "znight::http",
        request_id = %context.request_id(),
        method = %context.method(),
        path = context.path(),
        error,
        "the body of a reply failed"
    );
}
