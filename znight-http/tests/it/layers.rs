//! Layers of tower, and routers of axum.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use axum::{
    Router,
    extract::{ConnectInfo, Extension, Request},
    http::{HeaderMap, StatusCode},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use futures_util::stream;
use http::Method;
use http_body_util::BodyExt as _;
use tower_http::{
    compression::CompressionLayer, set_header::SetResponseHeaderLayer, timeout::TimeoutLayer,
};
use tower_layer::layer_fn;
use znight_http::{
    HttpContext, HttpError, HttpOptions, HttpPlugin, HttpService, ReplyBody, RequestBody,
};

use crate::support::{App, Log, Server, error, glue::*};

pub(crate) struct Inside;

#[derive(Clone)]
struct Marked(&'static str);

impl Inside {
    async fn plain(&self) -> &'static str {
        "plain"
    }

    async fn never(&self) -> &'static str {
        std::future::pending().await
    }

    async fn echo(&self, ctx: Arc<HttpContext>) -> Result<Bytes, HttpError> {
        ctx.raw_body().await
    }

    async fn marked(&self, ctx: Arc<HttpContext>) -> String {
        let marked = ctx.parts().extensions.get::<Marked>();
        let ip = ctx.ip().map_or("?".to_owned(), |ip| ip.to_string());
        format!("{} {ip}", marked.map_or("none", |marked| marked.0))
    }

    async fn pieces(&self) -> ReplyBody {
        ReplyBody::stream(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>)))
    }

    async fn extracted(&self, headers: HeaderMap, marked: Extension<Marked>) -> String {
        format!("{} {}", headers["x-sent"].to_str().unwrap(), marked.0.0)
    }
}

injectable!(Inside, Singleton, {});

fn extracted<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Inside>(this);
    h::boxed(async move {
        let a0 = match (&&&h::Tag::<HeaderMap>::NEW).extract(rq, ()).await? {
            Ok(value) => value,
            Err(error) => return Err((&&h::refused(&error)).reply(error)),
        };
        let a1 = match (&&&h::Tag::<Extension<Marked>>::NEW)
            .extract(rq, ())
            .await?
        {
            Ok(value) => value,
            Err(error) => return Err((&&h::refused(&error)).reply(error)),
        };
        let out = c.extracted(a0, a1).await;
        let kind = (&&&&&&h::out_of(&out)).kind();
        h::finish(out, kind)
    })
}

controller!(
    Inside,
    "",
    [
        route(h::Verb::Get, "/plain", "plain", plain!(Inside, plain)),
        route(h::Verb::Get, "/never", "never", plain!(Inside, never)),
        route(h::Verb::Post, "/echo", "echo", with_context!(Inside, echo)),
        route(
            h::Verb::Get,
            "/marked",
            "marked",
            with_context!(Inside, marked)
        ),
        route(h::Verb::Get, "/pieces", "pieces", plain!(Inside, pieces)),
        route(h::Verb::Get, "/extracted", "extracted", extracted),
        route(h::Verb::Get, "/known", "known", known),
    ]
);

/// A layer that notes a name in a header of the reply, inside those the reply has.
fn noting(
    name: &'static str,
) -> impl tower_layer::Layer<HttpService, Service = Noting> + Send + Sync {
    layer_fn(move |inner: HttpService| Noting { name, inner })
}

#[derive(Clone)]
struct Noting {
    name: &'static str,
    inner: HttpService,
}

impl tower_service::Service<http::Request<RequestBody>> for Noting {
    type Response = http::Response<ReplyBody>;
    type Error = std::io::Error;
    type Future = p::BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(
        &mut self,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<RequestBody>) -> Self::Future {
        let (name, mut inner) = (self.name, self.inner.clone());
        Box::pin(async move {
            match request.uri().path() {
                "/fails" => return Err(std::io::Error::other("the layer fails")),
                "/panics" => panic!("in a layer"),
                _ => {}
            }
            let mut response = match inner.call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            };
            response
                .headers_mut()
                .append("x-noted", name.parse().unwrap());
            Ok(response)
        })
    }
}

async fn app(options: HttpOptions) -> App {
    App::of::<Inside>(options).await
}

#[tokio::test]
async fn the_first_layer_is_the_outermost() {
    let app = app(HttpOptions::new()
        .layer(noting("outer"))
        .layer(noting("inner")))
    .await;
    for target in ["/plain", "/nowhere"] {
        let reply = app.get(target).await;
        let noted: Vec<_> = reply.0.headers().get_all("x-noted").iter().collect();
        assert_eq!(noted, ["inner", "outer"], "{target}");
    }
}

#[tokio::test]
async fn a_layer_that_fails_is_a_logged_500() {
    let log = Log::capture();
    let app = app(HttpOptions::new().layer(noting("x"))).await;
    for (target, said) in [("/fails", "the layer fails"), ("/panics", "in a layer")] {
        let reply = app.get(target).await;
        assert_eq!(reply.error(), error(500, ""));
        assert!(reply.header("x-request-id").is_some());
        let errors = log.errors();
        assert!(errors.last().unwrap().contains(said), "{errors:?}");
    }
    assert_eq!(log.errors().len(), 2);
    // An error mapper knows it as any other.
    let options = HttpOptions::new().layer(noting("x"));
    let app =
        self::app(options.error_mapper(|error: &std::io::Error| {
            HttpError::service_unavailable(error.to_string())
        }));
    assert_eq!(app.await.get("/fails").await.status(), 503);
}

#[tokio::test(start_paused = true)]
async fn layers_of_tower_http_do_what_they_do() {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let options = HttpOptions::new()
        .layer(SetResponseHeaderLayer::overriding(
            http::header::SERVER,
            http::HeaderValue::from_static("znight"),
        ))
        .layer(TimeoutLayer::with_status_code(
            status,
            Duration::from_secs(1),
        ))
        .layer(CompressionLayer::new());
    let app = app(options).await;
    assert_eq!(app.get("/plain").await.header("server"), Some("znight"));
    assert_eq!(app.get("/never").await.status(), 503);
    let reply = app.post("/echo", "text/plain", "hello").await;
    assert_eq!((reply.status(), reply.text()), (201, "hello"));
    let long = "x".repeat(1000);
    let request = http::Request::post("/echo").header("accept-encoding", "gzip");
    let reply = app.send(request.body(Bytes::from(long)).unwrap()).await;
    assert_eq!(reply.header("content-encoding"), Some("gzip"));
    assert!(reply.0.body().len() < 1000);
}

fn mounted() -> HttpOptions {
    HttpOptions::new().axum(|router| {
        router
            .route("/own", get(|| async { "axum" }))
            .route(
                "/address",
                get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() }),
            )
            .layer(from_fn(|mut request: Request, next: Next| async move {
                request.extensions_mut().insert(Marked("by axum"));
                if request.headers().contains_key("x-stop") {
                    return StatusCode::IM_A_TEAPOT.into_response();
                }
                let mut response: Response = next.run(request).await;
                response.headers_mut().insert("x-layer", "axum".parse().unwrap());
                response
            }))
    })
}

#[tokio::test]
async fn routes_are_mounted_into_a_router_whose_layers_run_first() {
    let app = app(mounted()).await;
    assert_eq!(app.get("/own").await.text(), "axum");
    let reply = app.get("/plain").await;
    assert_eq!(
        (reply.text(), reply.header("x-layer")),
        ("plain", Some("axum"))
    );
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    // What no route has is answered here.
    assert_eq!(
        app.get("/nowhere").await.error(),
        error(404, "no such path")
    );
    let reply = app.call(Method::DELETE, "/plain").await;
    assert_eq!(reply.header("allow"), Some("GET, HEAD, OPTIONS"));
    let request = http::Request::get("/plain").header("x-stop", "1");
    let reply = app.send(request.body(Bytes::new()).unwrap()).await;
    assert_eq!(
        (reply.status(), reply.header("x-frame-options")),
        (418, None)
    );
    let reply = app.post("/echo", "text/plain", "hello").await;
    assert_eq!(reply.text(), "hello");
    assert_eq!(app.get("/pieces").await.text(), "abc");
}

#[tokio::test]
async fn extractors_of_axum_are_arguments() {
    let app = app(mounted()).await;
    let request = http::Request::get("/extracted").header("x-sent", "sent");
    let reply = app.send(request.body(Bytes::new()).unwrap()).await;
    assert_eq!(reply.text(), "sent by axum");
    // What one answers from 500 on is for the log.
    let log = Log::capture();
    let app = self::app(HttpOptions::new()).await;
    assert_eq!(app.get("/extracted").await.error(), error(500, ""));
    assert!(
        log.errors()[0].contains("Missing request extension"),
        "{:?}",
        log.errors()
    );
}

/// An extractor that sends whoever is not known to the entrance.
struct Known;

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for Known {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut http::request::Parts, _: &S) -> Result<Self, Response> {
        match parts.headers.get("x-user") {
            Some(user) if user == "ada" => Ok(Self),
            Some(_) => {
                let challenge = [("www-authenticate", "Bearer")];
                Err((StatusCode::UNAUTHORIZED, challenge, "<b>no</b>").into_response())
            }
            None => Err(axum::response::Redirect::to("/login").into_response()),
        }
    }
}

fn known<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Inside>(this);
    h::boxed(async move {
        let _known = match (&&&h::Tag::<Known>::NEW).extract(rq, ()).await? {
            Ok(value) => value,
            Err(error) => return Err((&&h::refused(&error)).reply(error)),
        };
        let out = c.plain().await;
        let kind = (&&&&&&h::out_of(&out)).kind();
        h::finish(out, kind)
    })
}

#[tokio::test]
async fn what_an_extractor_answers_instead_is_the_reply() {
    let app = app(HttpOptions::new().error_reply(|_, _| None)).await;
    let reply = app.get("/known").await;
    assert_eq!(
        (reply.status(), reply.header("location")),
        (303, Some("/login"))
    );
    assert_eq!((reply.text(), reply.header("content-type")), ("", None));
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    let of = |user: &str| {
        http::Request::get("/known")
            .header("x-user", user)
            .body(Bytes::new())
    };
    let reply = app.send(of("bob").unwrap()).await;
    assert_eq!((reply.status(), reply.text()), (401, "<b>no</b>"));
    assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    assert_eq!(
        reply.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(app.send(of("ada").unwrap()).await.text(), "plain");
}

#[tokio::test]
async fn a_mounted_application_listens_like_any() {
    let server = Server::of::<Inside>(mounted()).await;
    let mut connection = server.connect().await;
    assert_eq!(connection.get("/own").await.body, "axum");
    assert_eq!(connection.get("/address").await.body, "127.0.0.1");
    let reply = connection.get("/marked").await;
    assert_eq!(
        (&*reply.body, reply.header("x-layer")),
        ("by axum 127.0.0.1", Some("axum"))
    );
    connection
        .write("POST /echo HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\n\r\nhello")
        .await;
    assert_eq!(connection.read().await.unwrap().body, "hello");
    connection
        .write("GET /pieces HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    assert_eq!(connection.read().await.unwrap().status, 200);
    for piece in ["a", "b", "c", ""] {
        assert_eq!(connection.chunk().await.as_deref(), Some(piece));
    }
}

#[tokio::test]
async fn another_server_serves_the_service() {
    let app = app(HttpOptions::new().listen(false)).await;
    let service = app.plugin.service().unwrap();
    let router = Router::new()
        .route("/own", get(|| async { "axum" }))
        .fallback_service(service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        axum::serve(listener, service).await
    });
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut client, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    for (target, expected) in [("/own", "axum"), ("/marked", "none 127.0.0.1")] {
        let request = http::Request::get(target).header("host", "test");
        let request = request
            .body(http_body_util::Full::new(Bytes::new()))
            .unwrap();
        let reply = client.send_request(request).await.unwrap();
        let body = reply.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, expected);
    }
    serving.abort();
}

#[tokio::test]
async fn there_is_no_service_before_the_application_has_booted() {
    let plugin = HttpPlugin::new(HttpOptions::new());
    assert!(plugin.service().is_err());
}
