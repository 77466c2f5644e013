use std::borrow::Cow;

use bytes::Bytes;
use http::{Method, StatusCode};
use http_body_util::Full;
use serde::{Serialize, Serializer};
use serde_json::json;
use znight_http::{HttpContext, HttpError, HttpOptions, HttpResponse, Reply};

use crate::support::{App, Log, error, glue::*};

#[derive(Serialize)]
struct User {
    id: u64,
    name: &'static str,
}

const ANN: User = User { id: 7, name: "ann" };

/// Does not serialise.
struct Broken;

impl Serialize for Broken {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("broken"))
    }
}

pub(crate) struct Replies {
    name: String,
}

impl Replies {
    async fn json(&self) -> User {
        ANN
    }

    async fn number(&self) -> u32 {
        7
    }

    async fn list(&self) -> Vec<User> {
        vec![ANN]
    }

    async fn large(&self) -> Vec<u32> {
        (0..10_000).collect()
    }

    async fn text(&self) -> String {
        "text".to_owned()
    }

    async fn literal(&self) -> &'static str {
        "literal"
    }

    async fn cow(&self) -> Cow<'static, str> {
        Cow::Borrowed("cow")
    }

    async fn no_text(&self) -> String {
        String::new()
    }

    async fn bytes(&self) -> Bytes {
        Bytes::from_static(b"\x00\x01")
    }

    async fn vec(&self) -> Vec<u8> {
        vec![0, 255]
    }

    async fn unit(&self) {}

    async fn some(&self) -> Option<User> {
        Some(ANN)
    }

    async fn none(&self) -> Option<User> {
        None
    }

    async fn tried_none(&self) -> Result<Option<User>, HttpError> {
        Ok(None)
    }

    async fn tried_unit(&self) -> Result<(), HttpError> {
        Ok(())
    }

    async fn created(&self) -> HttpResponse<User> {
        HttpResponse::created("/users/7", ANN).with_header("x-own", "response")
    }

    async fn no_content(&self) -> Result<HttpResponse<User>, HttpError> {
        Ok(HttpResponse::no_content())
    }

    async fn html(&self) -> HttpResponse<&'static str> {
        HttpResponse::value("<p>").with_header("content-type", "text/html")
    }

    async fn two_cookies(&self) -> HttpResponse {
        HttpResponse::with_status_only(202)
            .with_header("set-cookie", "a=1")
            .with_appended_header("set-cookie", "b=2")
    }

    async fn bad_header(&self) -> HttpResponse<User> {
        HttpResponse::ok(ANN).with_header("x-own", "a\nb")
    }

    async fn raw(&self) -> http::Response<Bytes> {
        let mut response = http::Response::new(Bytes::from_static(b"raw"));
        *response.status_mut() = StatusCode::IM_A_TEAPOT;
        response
    }

    async fn full(&self) -> Result<http::Response<Full<Bytes>>, HttpError> {
        Ok(http::Response::new(Full::from("full")))
    }

    async fn copied(&self) -> http::Response<Bytes> {
        http::Response::builder()
            .header("content-length", "1")
            .header("transfer-encoding", "chunked")
            .body(Bytes::from_static(b"copied"))
            .unwrap()
    }

    async fn informational(&self) -> HttpResponse<User> {
        HttpResponse::value(ANN).with_status(103)
    }

    async fn own(&self) -> Reply {
        Reply::text("own").with_header("x-own", "reply")
    }

    async fn broken(&self) -> Broken {
        Broken
    }

    async fn set_on_context(&self, ctx: Arc<HttpContext>) -> Result<String, HttpError> {
        ctx.set_header("x-route", "context")?;
        ctx.set_header("x-own", "context")?;
        Ok("set".to_owned())
    }

    fn sync(&self) -> User {
        ANN
    }

    fn borrowed(&self) -> &str {
        &self.name
    }

    fn borrowed_option(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(&self.name))
    }
}

fn set_on_context<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Replies>(this);
    let a0 = (&&h::Tag::<Arc<HttpContext>>::NEW).context(rq)?;
    h::call1(
        c,
        <Replies>::set_on_context,
        a0,
        (&&&&&&h::out1(&<Replies>::set_on_context)).kind(),
    )
}

macro_rules! not_async {
    ($($method:ident)*) => {
        $(fn $method<'a>(this: &'a p::Handle, _: &'a h::Rq) -> h::Called<'a> {
            use h::select::*;
            let c = h::this::<Replies>(this);
            let out = c.$method();
            let kind = (&&&&&&h::out_of(&out)).kind();
            h::sync(out, kind)
        })*
    };
}

not_async!(sync borrowed borrowed_option);

const fn get(path: &'static str, call: h::Call) -> h::RouteDef {
    route(h::Verb::Get, path, "handler", call)
}

const fn post(path: &'static str, call: h::Call) -> h::RouteDef {
    route(h::Verb::Post, path, "handler", call)
}

injectable!(Replies, Singleton, [], |_| {
    Replies {
        name: "borrowed".to_owned(),
    }
});

controller!(
    Replies,
    "",
    [
        get("/json", plain!(Replies, json)),
        get("/number", plain!(Replies, number)),
        get("/list", plain!(Replies, list)),
        get("/large", plain!(Replies, large)),
        get("/text", plain!(Replies, text)),
        get("/literal", plain!(Replies, literal)),
        get("/cow", plain!(Replies, cow)),
        get("/no-text", plain!(Replies, no_text)),
        get("/bytes", plain!(Replies, bytes)),
        get("/vec", plain!(Replies, vec)),
        get("/unit", plain!(Replies, unit)),
        post("/unit", plain!(Replies, unit)),
        post("/json", plain!(Replies, json)),
        get("/some", plain!(Replies, some)),
        get("/none", plain!(Replies, none)),
        get("/tried-none", plain!(Replies, tried_none)),
        get("/tried-unit", plain!(Replies, tried_unit)),
        get("/created", plain!(Replies, created)),
        post("/no-content", plain!(Replies, no_content)),
        get("/html", plain!(Replies, html)),
        get("/two-cookies", plain!(Replies, two_cookies)),
        get("/bad-header", plain!(Replies, bad_header)),
        get("/raw", plain!(Replies, raw)),
        get("/full", plain!(Replies, full)),
        get("/copied", plain!(Replies, copied)),
        get("/informational", plain!(Replies, informational)),
        route(h::Verb::Head, "/copied", "copied", plain!(Replies, copied)),
        get("/own", plain!(Replies, own)),
        get("/broken", plain!(Replies, broken)),
        get("/sync", sync),
        get("/borrowed", borrowed),
        get("/borrowed-option", borrowed_option),
        h::RouteDef {
            status: Some(299),
            headers: &[
                ("x-own", "route"),
                ("x-route", "route"),
                ("content-type", "text/own")
            ],
            ..get("/fixed/created", plain!(Replies, created))
        },
        h::RouteDef {
            headers: &[
                ("x-own", "route"),
                ("x-route", "route"),
                ("content-type", "text/own")
            ],
            ..get("/fixed/context", set_on_context)
        },
        h::RouteDef {
            headers: &[("content-type", "text/own")],
            ..get("/fixed/html", plain!(Replies, html))
        },
        h::RouteDef {
            status: Some(204),
            ..get("/fixed/bodyless", plain!(Replies, json))
        },
        h::RouteDef {
            status: Some(200),
            ..post("/fixed/unit", plain!(Replies, unit))
        },
    ]
);

async fn app() -> App {
    App::of::<Replies>(HttpOptions::new()).await
}

#[tokio::test]
async fn values_become_replies_of_their_type() {
    let app = app().await;
    let (json, text) = ("application/json", "text/plain; charset=utf-8");
    for (path, content_type, body) in [
        ("/json", json, r#"{"id":7,"name":"ann"}"#),
        ("/number", json, "7"),
        ("/list", json, r#"[{"id":7,"name":"ann"}]"#),
        ("/some", json, r#"{"id":7,"name":"ann"}"#),
        ("/sync", json, r#"{"id":7,"name":"ann"}"#),
        ("/text", text, "text"),
        ("/literal", text, "literal"),
        ("/cow", text, "cow"),
        ("/no-text", text, ""),
        ("/borrowed", text, "borrowed"),
        ("/borrowed-option", text, "borrowed"),
        ("/full", "", "full"),
        ("/own", text, "own"),
        ("/html", "text/html", "<p>"),
    ] {
        let reply = app.get(path).await;
        assert_eq!((reply.status(), reply.text()), (200, body), "{path}");
        assert_eq!(
            reply.header("content-type").unwrap_or(""),
            content_type,
            "{path}"
        );
    }
    for (path, bytes) in [("/bytes", &b"\x00\x01"[..]), ("/vec", b"\x00\xff")] {
        let reply = app.get(path).await;
        assert_eq!(reply.0.body(), bytes, "{path}");
        assert_eq!(
            reply.header("content-type"),
            Some("application/octet-stream")
        );
    }
    assert_eq!(
        app.get("/large").await.json().as_array().unwrap().len(),
        10_000
    );
}

#[tokio::test]
async fn nothing_is_a_204_and_a_201_on_post() {
    let app = app().await;
    for (method, path, status) in [
        (Method::GET, "/unit", 204),
        (Method::POST, "/unit", 201),
        (Method::GET, "/tried-unit", 204),
        (Method::POST, "/no-content", 204),
        (Method::POST, "/fixed/unit", 200),
        (Method::GET, "/fixed/bodyless", 204),
    ] {
        let reply = app.call(method, path).await;
        assert_eq!((reply.status(), reply.text()), (status, ""), "{path}");
        assert_eq!(reply.header("content-type"), None, "{path}");
    }
    assert_eq!(app.call(Method::POST, "/json").await.status(), 201);
}

#[tokio::test]
async fn none_is_a_404_with_an_error_body() {
    let app = app().await;
    assert_eq!(app.get("/none").await.error(), error(404, "not found"));
    assert_eq!(
        app.get("/tried-none").await.error(),
        error(404, "not found")
    );
}

#[tokio::test]
async fn the_status_of_the_route_wins_over_the_responses() {
    let app = app().await;
    let created = app.get("/created").await;
    assert_eq!(created.status(), 201);
    assert_eq!(created.header("location"), Some("/users/7"));
    assert_eq!(app.get("/fixed/created").await.status(), 299);
    assert_eq!(app.get("/raw").await.status(), 418);
}

#[tokio::test]
async fn headers_of_the_response_win_over_the_contexts_and_those_over_the_routes() {
    let app = app().await;
    let created = app.get("/fixed/created").await;
    assert_eq!(created.header("x-own"), Some("response"));
    assert_eq!(created.header("x-route"), Some("route"));
    // Nobody asked for JSON by name, so the route's type wins.
    assert_eq!(created.header("content-type"), Some("text/own"));
    let set = app.get("/fixed/context").await;
    assert_eq!(set.header("x-own"), Some("context"));
    assert_eq!(set.header("x-route"), Some("context"));
    let html = app.get("/fixed/html").await;
    assert_eq!(html.header("content-type"), Some("text/html"));
}

#[tokio::test]
async fn a_header_may_have_several_values() {
    let reply = app().await.get("/two-cookies").await;
    assert_eq!(reply.status(), 202);
    let cookies = reply.0.headers().get_all("set-cookie");
    assert_eq!(cookies.into_iter().collect::<Vec<_>>(), ["a=1", "b=2"]);
}

#[tokio::test]
async fn the_framing_of_a_body_is_not_the_handlers_business() {
    let app = app().await;
    let reply = app.get("/copied").await;
    assert_eq!(reply.text(), "copied");
    assert_eq!(reply.header("content-length"), None);
    assert_eq!(reply.header("transfer-encoding"), None);
    let head = app.call(Method::HEAD, "/copied").await;
    assert_eq!(head.header("content-length"), Some("6"));
}

#[tokio::test]
async fn what_cannot_be_sent_is_a_logged_500() {
    let log = Log::capture();
    let app = app().await;
    for path in ["/broken", "/bad-header", "/informational"] {
        let reply = app.get(path).await;
        assert_eq!(
            reply.json(),
            json!({ "statusCode": 500, "error": "Internal Server Error" }),
            "{path}"
        );
    }
    let errors = log.errors();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(
        errors[0].contains("a reply does not serialise: broken"),
        "{errors:?}"
    );
    assert!(
        errors[1].contains("a header of a reply cannot be sent"),
        "{errors:?}"
    );
}
