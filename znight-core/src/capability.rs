//! What plugins offer each other and tests, behind traits that core owns.
//!
//! A plugin offers a capability with
//! [`PluginContext::offer`](crate::PluginContext::offer); anybody asks for it with
//! [`Application::capability`](crate::Application::capability). Neither depends on the other. Where one plugin
//! puts together what several have a part in, they
//! [`contribute`](crate::PluginContext::contribute) it.

use std::{
    any::Any,
    error::Error,
    fmt,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http::{Request, Response};

use crate::{__private::BoxFuture, error::BoxError, unwind::Payload};

/// Answers HTTP requests without a socket.
///
/// Offered by the HTTP plugin under `dyn InMemoryRequests`, used by `znight-testing`. A request
/// goes through the whole pipeline: routing, guards, the handler, error replies, hooks.
///
/// What a client over a socket would only see as a 500 or as a connection cut off is told to who asks in
/// memory: the extensions of a response hold a [`Panic`] when its handler panicked or its body did, and a
/// [`BodyError`] when its body ended with an error or a panic.
pub trait InMemoryRequests: Send + Sync + 'static {
    /// The response to one request, its body read to the end.
    fn handle(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<Bytes>>;

    /// The response to one request as soon as its head is known, its body still to be read.
    ///
    /// Dropping the body is what a client does that goes away. Who does not stream answers with
    /// the whole body at once, which is what this does unless implemented.
    fn stream(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<BodyStream>> {
        let whole = self.handle(request);
        Box::pin(async move { whole.await.map(BodyStream::whole) })
    }
}

/// The address a request made in memory comes from, in the extensions of the request, for what depends
/// on the address of clients. Without it the address is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The body of a response, piece by piece. Nothing follows an error.
///
/// An error that is a [`Panic`] or a [`BodyError`] can be told by a downcast.
pub struct BodyStream(Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>);

impl BodyStream {
    /// A body that comes in pieces.
    pub fn new(pieces: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static) -> Self {
        Self(Box::pin(pieces))
    }

    /// A body that is there already. No bytes are no piece.
    pub fn whole(bytes: Bytes) -> Self {
        let piece = (!bytes.is_empty()).then_some(Ok(bytes));
        Self::new(stream::iter(piece))
    }

    /// The next piece; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<Bytes, BoxError>> {
        self.0.next().await
    }
}

impl Stream for BodyStream {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl fmt::Debug for BodyStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyStream(..)")
    }
}

/// A panic that was caught on the way to a response made in memory, so that a test can go on with
/// it. Clones share what the panic carried, which can be taken once.
#[derive(Clone)]
pub struct Panic(Arc<Mutex<Option<Payload>>>);

impl Panic {
    /// A panic, by what it carried.
    pub fn new(payload: Box<dyn Any + Send>) -> Self {
        Self(Arc::new(Mutex::new(Some(payload))))
    }

    /// What it carried, for [`resume_unwind`](std::panic::resume_unwind); `None` when it has been
    /// taken.
    pub fn take(&self) -> Option<Box<dyn Any + Send>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a panic while the request was answered")
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Panic(..)")
    }
}

impl Error for Panic {}

/// The error the body of a response ended with, after the head was sent.
#[derive(Debug, Clone)]
pub struct BodyError(Arc<dyn Error + Send + Sync>);

impl BodyError {
    /// The error.
    pub fn new(error: BoxError) -> Self {
        Self(Arc::from(error))
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body of the reply ended with an error")
    }
}

impl Error for BodyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}
