//! One connection as a future that can be told to end.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};

use super::registry::Watch;

/// How long a connection that was just opened may take to send its first request once the server stops. Its
/// client has no reason to think that nobody answers, so it is answered.
const FIRST_REQUEST: Duration = Duration::from_millis(500);

pin_project! {
    /// A connection, watched.
    pub(super) struct Connection<C> {
        #[pin]
        inner: C,
        watch: Arc<Watch>,
        started: bool,
        draining: bool,
        first_request: Option<Pin<Box<Sleep>>>,
    }
}

impl<C> Connection<C> {
    pub(super) fn new(inner: C, watch: &Arc<Watch>) -> Self {
        Self {
            inner,
            watch: Arc::clone(watch),
            started: false,
            draining: false,
            first_request: None,
        }
    }
}

impl<C: GracefulConnection> Connection<C> {
    /// Tells the connection to end, once it has had the time for a first request.
    fn drain(self: Pin<&mut Self>, cx: &mut Context<'_>) {
        let mut this = self.project();
        if !this.watch.is_used() {
            let timer = this
                .first_request
                .get_or_insert_with(|| Box::pin(sleep(FIRST_REQUEST)));
            if timer.as_mut().poll(cx).is_pending() {
                return;
            }
        }
        *this.draining = true;
        this.inner.as_mut().graceful_shutdown();
    }
}

impl<C: GracefulConnection> Future for Connection<C> {
    type Output = Result<(), C::Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.as_mut().project();
        if !*this.started {
            *this.started = true;
            this.watch.woken_by(cx.waker());
        }
        if this.watch.closes() {
            return Poll::Ready(Ok(()));
        }
        if this.watch.drains() && !*this.draining {
            self.as_mut().drain(cx);
        }
        let ended = self.as_mut().project().inner.poll(cx);
        // A first request may have come with this poll.
        if ended.is_pending() && self.watch.drains() && !self.draining {
            self.as_mut().drain(cx);
            if self.draining {
                return self.project().inner.poll(cx);
            }
        }
        ended
    }
}
