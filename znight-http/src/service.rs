//! The application as a service of tower, inside the layers put around it.

use std::{
    convert::Infallible,
    fmt,
    future::poll_fn,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{FutureExt as _, future::Either};
use http::{Request, Response, request::Parts};
use http_body::{Body, Frame, SizeHint};
use tower_layer::Layer;
use tower_service::Service;
use znight_core::__private::BoxFuture;

use crate::{
    BoxError,
    body::RequestBody,
    context::Transport,
    pipeline::{Activity, Pipeline, say_close},
    reply::{ReplyBody, Streamed},
};

/// The routes of an application as a [`tower_service::Service`]: what a layer of
/// [`HttpOptions::layer`](crate::HttpOptions::layer) is put around, and what another server serves, given by
/// [`HttpPlugin::service`](crate::HttpPlugin::service).
///
/// It answers requests with any body of bytes, is always ready, and never fails: errors are replies.
#[derive(Clone)]
pub struct HttpService {
    pipeline: Arc<Pipeline>,
    answers: Arc<dyn Answers>,
}

/// What answers requests: the pipeline, or a layer around it.
trait Answers: Send + Sync {
    fn answer(
        &self,
        request: Request<RequestBody>,
    ) -> BoxFuture<'static, Result<Response<ReplyBody>, BoxError>>;
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response<ReplyBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<ReplyBody>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> <Self as Service<Request<B>>>::Future {
        let request = request.map(RequestBody::of);
        let (pipeline, answers) = (Arc::clone(&self.pipeline), Arc::clone(&self.answers));
        Box::pin(async move {
            let answer = AssertUnwindSafe(async { answers.answer(request).await });
            Ok(match answer.catch_unwind().await {
                Ok(Ok(response)) => response,
                Ok(Err(error)) => pipeline.layer_failed(error),
                Err(panic) => pipeline.layer_panicked(&*panic),
            })
        })
    }
}

impl HttpService {
    /// The application without layers.
    fn innermost(pipeline: &Arc<Pipeline>) -> Self {
        Self {
            pipeline: Arc::clone(pipeline),
            answers: Arc::new(Innermost(Arc::clone(pipeline))),
        }
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpService(..)")
    }
}

/// The innermost.
struct Innermost(Arc<Pipeline>);

impl Answers for Innermost {
    fn answer(
        &self,
        request: Request<RequestBody>,
    ) -> BoxFuture<'static, Result<Response<ReplyBody>, BoxError>> {
        let (mut parts, body) = request.into_parts();
        let transport = parts
            .extensions
            .remove()
            .unwrap_or_else(|| elsewhere(&parts));
        let answer = self.0.handle(parts, body, transport, ());
        Box::pin(answer.map(|answer| answer.map_err(|never| match never {})))
    }
}

/// How a request came that another server received.
fn elsewhere(parts: &Parts) -> Transport {
    #[cfg(feature = "axum")]
    let peer = {
        use axum::extract::ConnectInfo;
        let info = parts.extensions.get::<ConnectInfo<std::net::SocketAddr>>();
        info.map(|info| info.0)
    };
    #[cfg(not(feature = "axum"))]
    let peer = None;
    Transport {
        peer,
        encrypted: parts.uri.scheme_str() == Some("https"),
        in_memory: false,
    }
}

/// A layer around another service.
struct Layered<S>(Mutex<S>);

impl<S, B> Answers for Layered<S>
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    fn answer(
        &self,
        request: Request<RequestBody>,
    ) -> BoxFuture<'static, Result<Response<ReplyBody>, BoxError>> {
        let mut service = {
            let service = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            service.clone()
        };
        Box::pin(async move {
            poll_fn(|cx| service.poll_ready(cx))
                .await
                .map_err(Into::into)?;
            let response = service.call(request).await.map_err(Into::into)?;
            Ok(response.map(ReplyBody::of))
        })
    }
}

/// A layer of the options.
pub(crate) struct LayerDef(Box<dyn Fn(HttpService) -> Arc<dyn Answers> + Send + Sync>);

impl LayerDef {
    pub(crate) fn new<L, B>(layer: L) -> Self
    where
        L: Layer<HttpService> + Send + Sync + 'static,
        L::Service: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>>
            + Clone
            + Send
            + 'static,
        <L::Service as Service<Request<RequestBody>>>::Future: Send,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        Self(Box::new(move |inner| {
            Arc::new(Layered(Mutex::new(layer.layer(inner))))
        }))
    }
}

impl fmt::Debug for LayerDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LayerDef(..)")
    }
}

/// Where requests come in: the pipeline, with the layers around it.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    pub(crate) pipeline: Arc<Pipeline>,
    layered: Option<HttpService>,
}

impl Front {
    pub(crate) fn new(pipeline: Arc<Pipeline>) -> Self {
        let layers = pipeline.settings.layers.iter().rev();
        let layered = layers.fold(None, |inner: Option<HttpService>, layer| {
            let inner = inner.unwrap_or_else(|| HttpService::innermost(&pipeline));
            Some(HttpService {
                pipeline: Arc::clone(&pipeline),
                answers: (layer.0)(inner),
            })
        });
        Self { pipeline, layered }
    }

    /// The whole as a service.
    pub(crate) fn service(&self) -> HttpService {
        let layered = self.layered.clone();
        layered.unwrap_or_else(|| HttpService::innermost(&self.pipeline))
    }

    /// Answers a request, and keeps `activity` for that long.
    #[inline]
    pub(crate) fn handle<A: Activity>(
        &self,
        parts: Parts,
        body: RequestBody,
        transport: Transport,
        activity: A,
    ) -> impl Future<Output = Result<Response<ReplyBody>, Infallible>> + Send + use<A> {
        match &self.layered {
            None => Either::Left(self.pipeline.handle(parts, body, transport, activity)),
            Some(service) => {
                Either::Right(through(service.clone(), parts, body, transport, activity))
            }
        }
    }
}

/// Answers a request through layers.
fn through<A: Activity>(
    mut service: HttpService,
    mut parts: Parts,
    body: RequestBody,
    transport: Transport,
    activity: A,
) -> BoxFuture<'static, Result<Response<ReplyBody>, Infallible>> {
    parts.extensions.insert(transport);
    #[cfg(feature = "axum")]
    if let Some(peer) = transport.peer {
        parts.extensions.insert(axum::extract::ConnectInfo(peer));
    }
    let version = parts.version;
    Box::pin(async move {
        let mut response = service.call(Request::from_parts(parts, body)).await?;
        if activity.is_last() {
            say_close(version, &mut response);
        }
        Ok(response.map(|body| body.map_stream(|body| Tracked { body, activity })))
    })
}

/// A body that came through layers, with who wants to know what it waits for.
struct Tracked<A> {
    body: Streamed,
    activity: A,
}

impl<A: Activity> Body for Tracked<A> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.activity.waits_for_application();
        let frame = std::task::ready!(self.body.poll_frame(cx));
        self.activity.waits_for_client();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
