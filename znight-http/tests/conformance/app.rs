//! The application of the cases, and the servers it runs on.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use bytes::Bytes;
use futures_util::stream;
use serde::{Deserialize, Serialize};
use znight_core::{Application, Graph, capability::PeerAddress};
use znight_http::{
    Cors, Guard, HttpContext, HttpError, HttpOptions, HttpPlugin, HttpResponse, ReplyBody,
    SecurityHeaders, TrailingSlash,
};

use crate::support::{App, Server, glue::*};

#[derive(Debug, Serialize, Deserialize)]
struct User {
    email: String,
    #[serde(default)]
    age: u8,
}

fn ann() -> User {
    User {
        email: "ann@example.com".to_owned(),
        age: 7,
    }
}

pub(crate) struct Locked;

impl Guard for Locked {
    async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> {
        Err(HttpError::unauthorized("who are you?").header("www-authenticate", "Bearer"))
    }
}

injectable!(Locked, Singleton, {});

pub(crate) struct Site;

macro_rules! texts {
    ($($method:ident $text:literal;)*) => {
        impl Site {
            $(async fn $method(&self) -> &'static str {
                $text
            })*
        }
    };
}

texts! {
    root "root";
    plain "plain";
    me "me";
    any "any";
    none "";
    options "own options";
}

// Parameters and bodies.
impl Site {
    async fn user(&self, id: String) -> String {
        format!("user {id}")
    }

    async fn rest(&self, rest: String) -> String {
        format!("rest {rest}")
    }

    async fn number(&self, n: u8) -> String {
        format!("number {n}")
    }

    async fn search(&self, page: u32, tags: Vec<String>, exact: Option<bool>) -> String {
        format!("{page} {tags:?} {exact:?}")
    }

    async fn count(&self, count: u8) -> String {
        format!("count {count}")
    }

    async fn post_root(&self, bytes: Bytes) -> HttpResponse<String> {
        HttpResponse::ok(format!("{} bytes", bytes.len()))
    }

    async fn create(&self, user: User) -> HttpResponse<User> {
        HttpResponse::created("/users/7", user)
    }

    async fn text(&self, text: String) -> HttpResponse<String> {
        HttpResponse::ok(format!("text {text}"))
    }

    async fn lazy(&self, ctx: Arc<HttpContext>) -> Result<HttpResponse<String>, HttpError> {
        let bytes = ctx.raw_body().await?;
        Ok(HttpResponse::ok(format!("{} bytes", bytes.len())))
    }
}

// Replies.
impl Site {
    async fn json(&self) -> User {
        ann()
    }

    async fn bytes(&self) -> Bytes {
        Bytes::from_static(b"\x00\x01")
    }

    async fn unit(&self) {}

    async fn some(&self) -> Option<User> {
        Some(ann())
    }

    async fn nobody(&self) -> Option<User> {
        None
    }

    async fn html(&self) -> HttpResponse<&'static str> {
        HttpResponse::value("<p>").with_header("content-type", "text/html")
    }

    async fn teapot(&self) -> http::Response<Bytes> {
        let mut response = http::Response::new(Bytes::from_static(b"short and stout"));
        *response.status_mut() = http::StatusCode::IM_A_TEAPOT;
        let text = http::HeaderValue::from_static("text/plain");
        response.headers_mut().insert("content-type", text);
        response
    }

    async fn pieces(&self) -> ReplyBody {
        ReplyBody::stream(stream::iter(["a", "bc", ""].map(Ok::<_, Infallible>)))
    }

    async fn sized(&self) -> ReplyBody {
        ReplyBody::sized_stream(3, stream::iter(["a", "bc"].map(Ok::<_, Infallible>)))
    }

    async fn not_modified(&self) -> HttpResponse<&'static str> {
        HttpResponse::value("unchanged")
            .with_status(304)
            .with_header("etag", "\"1\"")
            .with_header("cache-control", "max-age=60")
    }

    async fn copied(&self) -> http::Response<Bytes> {
        http::Response::builder()
            .header("content-length", "1")
            .header("transfer-encoding", "chunked")
            .header("content-type", "text/plain")
            .body(Bytes::from_static(b"copied"))
            .unwrap()
    }

    /// What a proxy passes on of a reply to `HEAD`.
    async fn length_only(&self) -> http::Response<Bytes> {
        http::Response::builder()
            .header("content-length", "9")
            .header("content-type", "text/plain")
            .body(Bytes::new())
            .unwrap()
    }

    async fn cookies(&self) -> HttpResponse {
        HttpResponse::with_status_only(202)
            .with_header("set-cookie", "a=1")
            .with_appended_header("set-cookie", "b=2")
    }

    async fn own_headers(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("own")
            .with_header("x-own", "handler")
            .with_header("x-frame-options", "SAMEORIGIN")
            .with_header("vary", "accept")
            .with_header("cache-control", "no-store")
    }

    async fn conflict(&self) -> Result<User, HttpError> {
        Err(HttpError::conflict("taken")
            .details([("path", "email")])
            .header("retry-after", "1"))
    }

    async fn fails(&self) -> Result<User, HttpError> {
        Err(std::io::Error::other("the password is 1234"))?
    }

    async fn panics(&self) -> String {
        panic!("at the disco")
    }

    async fn large(&self) -> Bytes {
        Bytes::from(vec![b'x'; 8 * 1024 * 1024])
    }

    async fn unsendable(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("no").with_header("x-own", "a\nb")
    }

    async fn client(&self, ctx: Arc<HttpContext>) -> String {
        let ip = ctx.ip().map_or("?".to_owned(), |ip| ip.to_string());
        format!("{ip} {}", ctx.protocol())
    }

    async fn id(&self, ctx: Arc<HttpContext>) -> String {
        format!("{} characters", ctx.request_id().as_str().len())
    }

    async fn host(&self, ctx: Arc<HttpContext>) -> String {
        format!("{:?} {}", ctx.header("host"), ctx.uri())
    }
}

injectable!(Site, Singleton, {});

macro_rules! takes {
    ($($handler:ident: $from:ident $ty:ty $(, $argument:expr)*;)*) => {
        $(fn $handler<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
            use h::select::*;
            let c = h::this::<Site>(this);
            let a0 = (&&h::Tag::<$ty>::NEW).$from(rq $(, $argument)*)?;
            h::call1(c, <Site>::$handler, a0, (&&&&&&h::out1(&<Site>::$handler)).kind())
        })*
    };
}

takes! {
    user: param String, "id";
    rest: param String, "rest";
    number: param u8, "n";
    count: header u8, "x-count";
    post_root: body Bytes;
    create: body User;
    text: body String;
}

fn search<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Site>(this);
    let a0 = (&&h::Tag::<u32>::NEW).query(rq, "page", Some(|| 1))?;
    let a1 = (&&h::Tag::<Vec<String>>::NEW).query(rq, "tag", None)?;
    let a2 = (&&h::Tag::<Option<bool>>::NEW).query(rq, "exact", None)?;
    h::call3(
        c,
        <Site>::search,
        a0,
        a1,
        a2,
        (&&&&&&h::out3(&<Site>::search)).kind(),
    )
}

const fn get(path: &'static str, call: h::Call) -> h::RouteDef {
    route(h::Verb::Get, path, "handler", call)
}

const fn post(path: &'static str, call: h::Call) -> h::RouteDef {
    route(h::Verb::Post, path, "handler", call)
}

const fn reads(path: &'static str, call: h::Call) -> h::RouteDef {
    h::RouteDef {
        body: true,
        ..post(path, call)
    }
}

controller!(
    Site,
    "/",
    [
        get("/", plain!(Site, root)),
        reads("/", post_root),
        get("/plain", plain!(Site, plain)),
        get("/users/{id}", user),
        get("/users/me", plain!(Site, me)),
        post("/users/{id}", user),
        route(h::Verb::Delete, "/users/{id}", "unit", plain!(Site, unit)),
        get("/files/{*rest}", rest),
        get("/a%20b", plain!(Site, plain)),
        route(h::Verb::All, "/any", "any", plain!(Site, any)),
        get("/own-head", plain!(Site, plain)),
        h::RouteDef {
            headers: &[("x-own", "head")],
            ..route(h::Verb::Head, "/own-head", "none", plain!(Site, none))
        },
        route(
            h::Verb::Options,
            "/own-options",
            "options",
            plain!(Site, options)
        ),
        get("/numbers/{n}", number),
        get("/search", search),
        get("/count", count),
        reads("/json", create),
        reads("/text", text),
        reads("/bytes", post_root),
        h::RouteDef {
            body_limit: Some(8),
            ..reads("/small", post_root)
        },
        post("/unread", plain!(Site, plain)),
        post("/lazy", with_context!(Site, lazy)),
        get("/reply/json", plain!(Site, json)),
        get("/reply/bytes", plain!(Site, bytes)),
        get("/reply/unit", plain!(Site, unit)),
        get("/reply/some", plain!(Site, some)),
        get("/reply/none", plain!(Site, nobody)),
        get("/reply/empty", plain!(Site, none)),
        get("/reply/html", plain!(Site, html)),
        get("/reply/teapot", plain!(Site, teapot)),
        get("/reply/pieces", plain!(Site, pieces)),
        get("/reply/sized", plain!(Site, sized)),
        get("/reply/not-modified", plain!(Site, not_modified)),
        get("/reply/copied", plain!(Site, copied)),
        route(
            h::Verb::Head,
            "/reply/length",
            "length",
            plain!(Site, length_only)
        ),
        get("/reply/cookies", plain!(Site, cookies)),
        get("/reply/own", plain!(Site, own_headers)),
        get("/reply/conflict", plain!(Site, conflict)),
        get("/reply/fails", plain!(Site, fails)),
        get("/reply/panics", plain!(Site, panics)),
        get("/reply/unsendable", plain!(Site, unsendable)),
        get("/large", plain!(Site, large)),
        h::RouteDef {
            status: Some(299),
            headers: &[("x-own", "route"), ("x-route", "route")],
            ..get("/reply/fixed", plain!(Site, own_headers))
        },
        h::RouteDef {
            status: Some(204),
            ..get("/reply/bodiless", plain!(Site, json))
        },
        h::RouteDef {
            guards: &[h::guard::<Locked>()],
            ..get("/locked", plain!(Site, plain))
        },
        get("/client", with_context!(Site, client)),
        get("/id", with_context!(Site, id)),
        get("/host", with_context!(Site, host)),
    ]
);

const PAGE: &str = "https://app.example.com";

/// The options of a server that cases name.
pub(crate) fn options(server: &str) -> HttpOptions {
    let plain = HttpOptions::new();
    match server {
        "plain" => plain,
        "ignores slashes" => plain.trailing_slash(TrailingSlash::Ignore),
        "redirects slashes" => plain.trailing_slash(TrailingSlash::Redirect),
        "prefix" => plain.prefix("/api"),
        "shows errors" => plain.expose_errors(true),
        "no ids" => plain.without_request_id_header(),
        "own ids" => plain
            .request_id_header("x-trace")
            .request_id_generator(|| "made".to_owned()),
        "no security headers" => plain.security_headers(false),
        "strict security headers" => plain.security_headers(
            SecurityHeaders::new()
                .hsts(znight_http::Hsts::new())
                .cross_origin_resource_policy("same-origin")
                .cache_control("no-store")
                .frame_options(None),
        ),
        "cors" => plain.cors(Cors::new().origin(PAGE).credentials(true)),
        "cors for any" => plain.cors(
            Cors::any()
                .methods(["GET", "PATCH"])
                .allow_headers(["x-a"])
                .expose_headers(["x-own"])
                .max_age(Duration::from_secs(60)),
        ),
        "one proxy" => plain.trust_proxy(1),
        "loopback proxies" => plain.trust_proxy(["loopback"]),
        "one request" => plain.keep_alive(false),
        "small heads" => plain.max_buffer_size(8 * 1024).max_headers(8),
        other => panic!("there is no server {other:?}"),
    }
}

pub(crate) async fn app(options: HttpOptions) -> App {
    let plugin = HttpPlugin::new(options.host("127.0.0.1").port(0)).controller::<Site>();
    let builder = Application::builder(Graph::empty());
    App::boot(builder.provide::<Site>().provide::<Locked>(), plugin)
        .await
        .expect("it boots")
}

pub(crate) async fn serve(options: HttpOptions) -> Server {
    Server::start(app(options).await).await
}

/// Where a request made in memory comes from, as those over a socket do.
pub(crate) fn peer() -> PeerAddress {
    PeerAddress(SocketAddr::from(([127, 0, 0, 1], 1)))
}
