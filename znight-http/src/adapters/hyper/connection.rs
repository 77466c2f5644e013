//! One connection as a future that can be told to end.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;

use super::registry::Watch;

pin_project! {
    /// A connection, watched.
    pub(super) struct Connection<C> {
        #[pin]
        inner: C,
        watch: Arc<Watch>,
        started: bool,
        draining: bool,
    }
}

impl<C> Connection<C> {
    pub(super) fn new(inner: C, watch: &Arc<Watch>) -> Self {
        Self {
            inner,
            watch: Arc::clone(watch),
            started: false,
            draining: false,
        }
    }
}

impl<C: GracefulConnection> Future for Connection<C> {
    type Output = Result<(), C::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if !*this.started {
            *this.started = true;
            this.watch.woken_by(cx.waker());
        }
        if this.watch.closes() {
            return Poll::Ready(Ok(()));
        }
        if this.watch.drains() && !*this.draining {
            *this.draining = true;
            this.inner.as_mut().graceful_shutdown();
        }
        this.inner.poll(cx)
    }
}
