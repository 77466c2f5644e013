use bytes::Bytes;
use http::{Method, Request};
use serde::Deserialize;
use serde_json::json;
use znight_http::{HttpOptions, HttpResponse};

use crate::support::{App, Server, error, glue::*, request};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    Admin,
    Member,
}

#[derive(Debug, Deserialize)]
struct Create {
    email: String,
    #[serde(default)]
    age: u8,
    #[serde(default)]
    roles: Vec<Role>,
}

pub(crate) struct Bodies;

impl Bodies {
    async fn create(&self, input: Create) -> HttpResponse<String> {
        let Create { email, age, roles } = input;
        HttpResponse::ok(format!("{email} {age} {roles:?}"))
    }

    async fn optional(&self, input: Option<Create>) -> HttpResponse<String> {
        HttpResponse::ok(format!("{}", input.is_some()))
    }

    async fn text(&self, text: String) -> HttpResponse<String> {
        HttpResponse::ok(format!("text {text}"))
    }

    async fn bytes(&self, bytes: Bytes) -> HttpResponse<String> {
        HttpResponse::ok(format!("{} bytes", bytes.len()))
    }

    async fn vec(&self, bytes: Option<Vec<u8>>) -> HttpResponse<String> {
        HttpResponse::ok(format!("{bytes:?}"))
    }

    async fn unread(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("not read")
    }
}

macro_rules! takes_body {
    ($($method:ident $ty:ty;)*) => {
        $(fn $method<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
            use h::select::*;
            let c = h::this::<Bodies>(this);
            let a0 = (&&h::Tag::<$ty>::NEW).body(rq)?;
            h::call1(c, <Bodies>::$method, a0, (&&&&&&h::out1(&<Bodies>::$method)).kind())
        })*
    };
}

takes_body! {
    create Create;
    optional Option<Create>;
    text String;
    bytes Bytes;
    vec Option<Vec<u8>>;
}

const fn reads(path: &'static str, call: h::Call) -> h::RouteDef {
    h::RouteDef {
        body: true,
        ..route(h::Verb::Post, path, "reads", call)
    }
}

injectable!(Bodies, Singleton, {});
controller!(
    Bodies,
    "",
    [
        reads("/create", create),
        reads("/optional", optional),
        reads("/text", text),
        reads("/bytes", bytes),
        reads("/vec", vec),
        h::RouteDef {
            body_limit: Some(8),
            ..reads("/small", bytes)
        },
        h::RouteDef {
            body_limit: Some(4 * 1024 * 1024),
            ..reads("/large", bytes)
        },
        route(h::Verb::Post, "/unread", "unread", plain!(Bodies, unread)),
    ]
);

async fn app() -> App {
    App::of::<Bodies>(HttpOptions::new()).await
}

#[tokio::test]
async fn json_is_read_under_every_name_of_it() {
    let app = app().await;
    for content_type in [
        "application/json",
        "application/json; charset=utf-8",
        "application/vnd.api+json",
        "APPLICATION/JSON",
    ] {
        let body = r#"{"email":"e","age":7,"roles":["admin"]}"#;
        let reply = app.post("/create", content_type, body).await;
        assert_eq!(
            (reply.status(), reply.text()),
            (200, "e 7 [Admin]"),
            "{content_type}"
        );
    }
}

#[tokio::test]
async fn what_is_wrong_in_a_json_body_is_told_with_its_path() {
    let app = app().await;
    for (body, path, message) in [
        (r#"{"email":1}"#, "email", "expected a string"),
        (r#"{"age":1}"#, "email", "missing field `email`"),
        (
            r#"{"email":"e","age":256}"#,
            "age",
            "expected a number from 0 to 255",
        ),
        (
            r#"{"email":"e","age":"secret"}"#,
            "age",
            "expected a number from 0 to 255",
        ),
        (
            r#"{"email":"e","roles":["admin","secret"]}"#,
            "roles[1]",
            "expected `admin` or `member`",
        ),
        ("7", "", "expected an object"),
    ] {
        let reply = app.post_json("/create", body).await;
        assert_eq!(reply.error(), error(400, "the body is not valid"), "{body}");
        assert_eq!(
            reply.json()["details"],
            json!([{ "path": path, "message": message }]),
            "{body}"
        );
        assert!(!reply.text().contains("secret"));
    }
}

#[tokio::test]
async fn malformed_json_is_a_400_that_says_where() {
    let app = app().await;
    for (body, at) in [
        ("{", "line 1 column 1"),
        ("{\"email\":\n\"e\",}", "line 2 column 5"),
        (r#"{"email":"e"} x"#, "line 1 column 15"),
    ] {
        let reply = app.post_json("/create", body).await;
        assert_eq!(
            reply.error(),
            error(400, &format!("malformed JSON at {at}"))
        );
    }
    let deep = "[".repeat(100_000);
    assert_eq!(app.post_json("/create", &deep).await.status(), 400);
}

#[tokio::test]
async fn a_form_fills_the_same_type() {
    let app = app().await;
    let form = "application/x-www-form-urlencoded";
    let reply = app
        .post(
            "/create",
            form,
            "email=a%40b&age=7&roles=admin&roles=member",
        )
        .await;
    assert_eq!(reply.text(), "a@b 7 [Admin, Member]");
    let reply = app.post("/create", form, "email=e&age=x").await;
    assert_eq!(
        reply.json()["details"],
        json!([{ "path": "age", "message": "expected a number from 0 to 255" }])
    );
    let reply = app.post("/create", form, "email=%ff").await;
    assert_eq!(
        reply.error(),
        error(400, "the body is not a well-encoded form")
    );
}

#[tokio::test]
async fn an_empty_body_is_missing_unless_it_is_optional() {
    let app = app().await;
    for path in ["/create", "/text", "/bytes"] {
        let reply = app.call(Method::POST, path).await;
        assert_eq!(reply.error(), error(400, "missing request body"), "{path}");
    }
    assert_eq!(app.call(Method::POST, "/optional").await.text(), "false");
    assert_eq!(app.call(Method::POST, "/vec").await.text(), "None");
    assert_eq!(
        app.post_json("/optional", r#"{"email":"e"}"#).await.text(),
        "true"
    );
    assert_eq!(app.post_json("/optional", "null").await.text(), "false");
    assert_eq!(app.post("/vec", "a/b", "\x01").await.text(), "Some([1])");
}

#[tokio::test]
async fn text_is_taken_from_text_and_from_json() {
    let app = app().await;
    assert_eq!(
        app.post("/text", "text/csv", "a,b").await.text(),
        "text a,b"
    );
    assert_eq!(
        app.post_json("/text", r#""a\nb""#).await.text(),
        "text a\nb"
    );
    let latin = Request::post("/text")
        .header("content-type", "text/plain; charset=iso-8859-1")
        .body(Bytes::from_static(b"\xe9"));
    assert_eq!(app.send(latin.unwrap()).await.text(), "text \u{e9}");
    let broken = Request::post("/text").body(Bytes::from_static(b"\xe9"));
    assert_eq!(
        app.send(broken.unwrap()).await.error(),
        error(400, "the body is not text in UTF-8")
    );
}

#[tokio::test]
async fn another_media_type_is_a_415() {
    let app = app().await;
    let reply = app.post("/create", "text/plain", "{}").await;
    assert_eq!(
        reply.error(),
        error(
            415,
            "the body must be application/json or application/x-www-form-urlencoded"
        )
    );
    let none = Request::post("/create").body(Bytes::from_static(b"{}"));
    assert_eq!(app.send(none.unwrap()).await.status(), 415);
    assert_eq!(app.post("/text", "image/png", "x").await.status(), 415);
    assert_eq!(app.post("/bytes", "image/png", "x").await.text(), "1 bytes");
}

#[tokio::test]
async fn a_compressed_body_is_a_415() {
    let app = app().await;
    let encoded = |encoding: &str| {
        Request::post("/bytes")
            .header("content-encoding", encoding)
            .body(Bytes::from_static(b"x"))
            .unwrap()
    };
    let reply = app.send(encoded("gzip")).await;
    assert_eq!(
        reply.error(),
        error(
            415,
            "the body must not be compressed: content-encoding is identity"
        )
    );
    assert_eq!(app.send(encoded("Identity")).await.status(), 200);
}

#[tokio::test]
async fn the_limit_is_one_mebibyte_unless_the_plugin_or_the_route_says_otherwise() {
    let mebibyte = "x".repeat(1024 * 1024);
    let more = "x".repeat(1024 * 1024 + 1);
    let default = app().await;
    assert_eq!(default.post("/bytes", "a/b", &mebibyte).await.status(), 200);
    let reply = default.post("/bytes", "a/b", &more).await;
    assert_eq!(
        reply.error(),
        error(413, "the body is larger than 1048576 bytes")
    );
    assert_eq!(reply.header("connection"), Some("close"));
    assert_eq!(
        default.post("/small", "a/b", "12345678").await.status(),
        200
    );
    assert_eq!(
        default.post("/small", "a/b", "123456789").await.error(),
        error(413, "the body is larger than 8 bytes")
    );
    assert_eq!(default.post("/large", "a/b", &more).await.status(), 200);
    let tight = App::of::<Bodies>(HttpOptions::new().body_limit(4)).await;
    assert_eq!(tight.post("/bytes", "a/b", "12345").await.status(), 413);
}

#[tokio::test]
async fn a_route_that_takes_no_body_does_not_read_it() {
    let app = app().await;
    let more = "x".repeat(2 * 1024 * 1024);
    assert_eq!(app.post("/unread", "a/b", &more).await.text(), "not read");
    assert_eq!(
        app.send(request(Method::POST, "/unread")).await.status(),
        200
    );
}

#[tokio::test]
async fn an_announced_body_over_the_limit_is_refused_before_it_is_sent() {
    let server = Server::of::<Bodies>(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    connection
        .write("POST /bytes HTTP/1.1\r\nhost: test\r\ncontent-length: 1048577\r\n\r\n")
        .await;
    let response = connection.read().await.unwrap();
    assert_eq!(response.status, 413);
    assert_eq!(response.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_chunked_body_over_the_limit_is_refused_while_it_is_sent() {
    let server = Server::of::<Bodies>(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    connection
        .write("POST /small HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12345\r\n5\r\n12345\r\n")
        .await;
    let response = connection.read().await.unwrap();
    assert_eq!(response.status, 413);
    assert_eq!(response.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_client_that_sends_everything_first_reads_why_it_was_refused() {
    let server = Server::of::<Bodies>(HttpOptions::new()).await;
    for head in ["content-length: 3000000", "transfer-encoding: chunked"] {
        let mut connection = server.connect().await;
        connection
            .write(format!(
                "POST /bytes HTTP/1.1\r\nhost: test\r\n{head}\r\n\r\n"
            ))
            .await;
        let body = "x".repeat(3_000_000);
        if head.starts_with("transfer") {
            connection.write("2dc6c0\r\n").await;
            connection.write(body).await;
            connection.write("\r\n0\r\n\r\n").await;
        } else {
            connection.write(body).await;
        }
        let response = connection.read().await.unwrap();
        assert_eq!(response.status, 413, "{head}");
        assert!(connection.closed().await, "{head}");
    }
}

#[tokio::test]
async fn a_body_in_pieces_is_put_together() {
    let server = Server::of::<Bodies>(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    connection
        .write("POST /text HTTP/1.1\r\nhost: test\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n")
        .await;
    connection.write("2\r\nbc\r\n").await;
    connection.write("1\r\nd\r\n0\r\n\r\n").await;
    assert_eq!(connection.read().await.unwrap().body, "text abcd");
}

#[tokio::test]
async fn an_unread_body_leaves_the_connection_for_the_next_request() {
    let server = Server::of::<Bodies>(HttpOptions::new()).await;
    for (target, status) in [("/unread", 200), ("/nowhere", 404), ("/unread", 200)] {
        let mut connection = server.connect().await;
        let length = 3_000_000;
        connection
            .write(format!(
                "POST {target} HTTP/1.1\r\nhost: test\r\ncontent-length: {length}\r\n\r\n"
            ))
            .await;
        connection.write("x".repeat(1000)).await;
        assert_eq!(connection.read().await.unwrap().status, status);
        connection.write("x".repeat(length - 1000)).await;
        connection
            .write("POST /unread HTTP/1.1\r\nhost: test\r\n\r\n")
            .await;
        assert_eq!(
            connection.read().await.unwrap().body,
            "not read",
            "{target}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_a_408() {
    let server = Server::of::<Bodies>(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    connection
        .write("POST /bytes HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\n\r\nab")
        .await;
    let response = connection.read().await.unwrap();
    assert_eq!(response.status, 408);
    assert!(response.body.contains("the body took too long to arrive"));
    assert!(connection.closed().await);
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_to_send_its_body() {
    let server = Server::of::<Bodies>(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    connection
        .write("POST /bytes HTTP/1.1\r\nhost: test\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n")
        .await;
    assert_eq!(connection.read().await.unwrap().status, 100);
    connection.write("ab").await;
    assert_eq!(connection.read().await.unwrap().body, "2 bytes");
}
