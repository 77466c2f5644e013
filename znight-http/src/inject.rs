//! Requests made in memory.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use http::{Request, Response};
use http_body::Body as _;
use znight_core::{
    __private::BoxFuture,
    capability::{BodyError, BodyStream, InMemoryRequests, Panic},
};

use crate::{BoxError, body::RequestBody, context::Transport, reply::ReplyBody, service::Front};

/// The pipeline without a socket, as core's capability.
#[derive(Debug)]
pub(crate) struct InMemory(pub(crate) Front);

impl InMemoryRequests for InMemory {
    fn handle(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<Bytes>> {
        Box::pin(inject(&self.0, request))
    }

    fn stream(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<BodyStream>> {
        Box::pin(async { open(&self.0, request).await.map(body) })
    }
}

/// The response to a request, its body read to the end.
pub(crate) async fn inject(front: &Front, request: Request<Bytes>) -> Response<Bytes> {
    let (mut parts, body) = open(front, request).await.into_parts();
    let bytes = match body.into_bytes() {
        Ok(bytes) => bytes,
        Err(stream) => match read(stream).await {
            (bytes, None) => bytes,
            (bytes, Some(error)) => {
                if let Some(panic) = error.downcast_ref::<Panic>() {
                    parts.extensions.insert(panic.clone());
                }
                parts.extensions.insert(BodyError::new(error));
                bytes
            }
        },
    };
    Response::from_parts(parts, bytes)
}

async fn open(front: &Front, request: Request<Bytes>) -> Response<ReplyBody> {
    let (parts, body) = request.into_parts();
    let transport = Transport::in_memory(&parts);
    match front
        .handle(parts, RequestBody::memory(body), transport, ())
        .await
    {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// All pieces of a stream, and how it failed.
async fn read(stream: ReplyBody) -> (Bytes, Option<BoxError>) {
    let mut pieces = body(stream);
    let mut whole = BytesMut::new();
    loop {
        match pieces.next().await {
            Some(Ok(piece)) => whole.extend_from_slice(&piece),
            Some(Err(error)) => return (whole.freeze(), Some(error)),
            None => return (whole.freeze(), None),
        }
    }
}

fn body(body: ReplyBody) -> BodyStream {
    BodyStream::new(Pieces(body))
}

/// The data of a body. A client in memory has no use for trailers.
struct Pieces(ReplyBody);

impl Stream for Pieces {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let frame = std::task::ready!(Pin::new(&mut self.0).poll_frame(cx));
            match frame {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data)));
                    }
                }
            }
        }
    }
}
