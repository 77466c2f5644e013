//! Requests made in memory.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use znight_core::{__private::BoxFuture, capability::InMemoryRequests};

use crate::{body::RequestBody, pipeline::Pipeline, reply::ReplyBody};

/// The pipeline without a socket, as core's capability.
#[derive(Debug)]
pub(crate) struct InMemory(pub(crate) Arc<Pipeline>);

impl InMemoryRequests for InMemory {
    fn handle(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<Bytes>> {
        Box::pin(inject(&self.0, request))
    }
}

/// The response to a request, its body read to the end.
pub(crate) async fn inject(pipeline: &Arc<Pipeline>, request: Request<Bytes>) -> Response<Bytes> {
    let (parts, body) = request.into_parts();
    match pipeline
        .handle(parts, RequestBody::Memory(body), None, ())
        .await
    {
        Ok(response) => response.map(ReplyBody::into_bytes),
        Err(never) => match never {},
    }
}
