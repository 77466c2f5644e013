//! What plugins offer each other and tests, behind traits that core owns.
//!
//! A plugin offers a capability with
//! [`PluginContext::offer`](crate::PluginContext::offer); anybody asks for it with
//! [`Application::capability`](crate::Application::capability). Neither depends on the other.

use bytes::Bytes;
use http::{Request, Response};

use crate::__private::BoxFuture;

/// Answers HTTP requests without a socket.
///
/// Offered by the HTTP plugin under `dyn InMemoryRequests`, used by `znight-testing`. A request
/// goes through the whole pipeline: routing, guards, the handler, error replies, hooks.
pub trait InMemoryRequests: Send + Sync + 'static {
    /// The response to one request, its body read to the end.
    fn handle(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<Bytes>>;
}
