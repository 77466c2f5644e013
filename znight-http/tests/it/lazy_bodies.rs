//! Bodies that are read when somebody asks.

use std::{collections::BTreeMap, time::Duration};

use znight_core::{Application, Graph};
use znight_http::{Guard, HttpContext, HttpError, HttpOptions, HttpPlugin};

use crate::support::{App, Server, error, glue::*};

pub(crate) struct Signed;

impl Guard for Signed {
    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        let body = ctx.raw_body().await?;
        match ctx.header("x-length") {
            Some(length) if length == body.len().to_string() => Ok(()),
            _ => Err(HttpError::unauthorized("not the length of the body")),
        }
    }
}

injectable!(Signed, Singleton, {});

pub(crate) struct Hooks;

impl Hooks {
    async fn raw(&self, ctx: Arc<HttpContext>) -> Result<String, HttpError> {
        let (first, second) = (ctx.raw_body().await?, ctx.raw_body().await?);
        assert_eq!(first, second);
        Ok(format!("{} bytes", first.len()))
    }

    async fn twice(&self, ctx: Arc<HttpContext>) -> Result<String, HttpError> {
        let first = ctx.raw_body().await.err().map(|error| error.status());
        let second = ctx.raw_body().await.err().map(|error| error.status());
        assert_eq!(first, second);
        Ok(format!("{first:?}"))
    }

    async fn parsed(&self, ctx: Arc<HttpContext>) -> Result<String, HttpError> {
        let pair: BTreeMap<String, u8> = ctx.parse_body().await?;
        Ok(format!("{pair:?}"))
    }

    async fn ignores(&self) -> &'static str {
        "ignored"
    }

    async fn both(&self, text: String, ctx: Arc<HttpContext>) -> Result<String, HttpError> {
        let raw = ctx.raw_body().await?;
        Ok(format!("{text} {}", raw.len()))
    }
}

injectable!(Hooks, Singleton, {});

fn both<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Hooks>(this);
    let a0 = (&&h::Tag::<String>::NEW).body(rq)?;
    let a1 = (&&h::Tag::<Arc<HttpContext>>::NEW).context(rq)?;
    h::call2(
        c,
        <Hooks>::both,
        a0,
        a1,
        (&&&&&&h::out2(&<Hooks>::both)).kind(),
    )
}

const BOTH: h::RouteDef = h::RouteDef {
    body: true,
    ..h::RouteDef::new(h::Verb::Post, "/both", "both", both, None)
};

controller!(
    Hooks,
    "",
    [
        route(h::Verb::Post, "/raw", "raw", with_context!(Hooks, raw)),
        route(
            h::Verb::Post,
            "/twice",
            "twice",
            with_context!(Hooks, twice)
        ),
        route(
            h::Verb::Post,
            "/parsed",
            "parsed",
            with_context!(Hooks, parsed)
        ),
        route(h::Verb::Post, "/ignores", "ignores", plain!(Hooks, ignores)),
        BOTH,
        h::RouteDef {
            guards: &[h::guard::<Signed>()],
            ..h::RouteDef::new(
                h::Verb::Post,
                "/signed",
                "raw",
                with_context!(Hooks, raw),
                None
            )
        },
        h::RouteDef {
            path: "/signed-both",
            guards: &[h::guard::<Signed>()],
            ..BOTH
        },
    ]
);

async fn app() -> App {
    app_with(HttpOptions::new()).await
}

async fn app_with(options: HttpOptions) -> App {
    let plugin = HttpPlugin::new(options.body_limit(16)).controller::<Hooks>();
    let builder = Application::builder(Graph::empty());
    App::boot(builder.provide::<Hooks>().provide::<Signed>(), plugin)
        .await
        .expect("it boots")
}

#[tokio::test]
async fn a_handler_reads_the_bytes_when_it_asks() {
    let app = app().await;
    assert_eq!(
        app.post("/raw", "text/plain", "hello").await.text(),
        "5 bytes"
    );
    assert_eq!(app.post("/raw", "text/plain", "").await.text(), "0 bytes");
}

#[tokio::test]
async fn what_a_handler_takes_is_there_as_bytes_as_well() {
    let app = app().await;
    assert_eq!(
        app.post("/both", "text/plain", "hello").await.text(),
        "hello 5"
    );
}

#[tokio::test]
async fn a_guard_reads_the_body_before_the_handler_takes_it() {
    let app = app().await;
    for (target, expected) in [("/signed", "5 bytes"), ("/signed-both", "hello 5")] {
        let request = |length: &str| {
            http::Request::post(target)
                .header("content-type", "text/plain")
                .header("x-length", length)
                .body(bytes::Bytes::from_static(b"hello"))
                .unwrap()
        };
        assert_eq!(app.send(request("5")).await.text(), expected);
        let reply = app.send(request("4")).await;
        assert_eq!(reply.error(), error(401, "not the length of the body"));
    }
}

#[tokio::test]
async fn the_limit_holds_and_the_error_stays() {
    let app = app().await;
    let large = "x".repeat(17);
    let reply = app.post("/raw", "text/plain", &large).await;
    assert_eq!(
        reply.error(),
        error(413, "the body is larger than 16 bytes")
    );
    assert_eq!(reply.header("connection"), Some("close"));
    let reply = app.post("/twice", "text/plain", &large).await;
    assert_eq!(reply.text(), "Some(413)");
}

async fn server() -> Server {
    let options = HttpOptions::new().host("127.0.0.1").port(0);
    Server::start(app_with(options).await).await
}

#[tokio::test]
async fn a_body_nobody_reads_is_let_go_and_the_connection_goes_on() {
    let server = server().await;
    let mut connection = server.connect().await;
    for _ in 0..3 {
        connection
            .write("POST /ignores HTTP/1.1\r\nhost: test\r\ncontent-length: 12\r\n\r\nhello")
            .await;
        assert_eq!(connection.read().await.unwrap().body, "ignored");
        // The rest comes after the reply.
        connection.write(" world!").await;
    }
}

#[tokio::test]
async fn a_client_that_waits_to_be_asked_is_told_the_reply_instead() {
    let server = server().await;
    let mut connection = server.connect().await;
    let head = |target: &str| {
        format!(
            "POST {target} HTTP/1.1\r\nhost: test\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n"
        )
    };
    // Nobody reads the body: no `100 Continue` is sent.
    connection.write(head("/ignores")).await;
    let reply = connection.read().await.unwrap();
    assert_eq!((reply.status, &*reply.body), (201, "ignored"));
    // Somebody does.
    let mut connection = server.connect().await;
    connection.write(head("/raw")).await;
    assert_eq!(connection.read().await.unwrap().status, 100);
    connection.write("hello").await;
    assert_eq!(connection.read().await.unwrap().body, "5 bytes");
    // A body that is too large is refused before it is sent.
    let mut connection = server.connect().await;
    connection
        .write("POST /raw HTTP/1.1\r\nhost: test\r\nexpect: 100-continue\r\ncontent-length: 17\r\n\r\n")
        .await;
    assert_eq!(connection.read().await.unwrap().status, 413);
    assert!(connection.closed().await);
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_is_timed_from_when_it_is_asked_for() {
    let options = HttpOptions::new().host("127.0.0.1").port(0);
    let options = options.body_timeout(Duration::from_secs(5));
    let server = Server::start(app_with(options).await).await;
    let mut connection = server.connect().await;
    connection
        .write("POST /raw HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\n\r\nhel")
        .await;
    let reply = connection.read().await.unwrap();
    assert_eq!(reply.status, 408);
}

#[tokio::test]
async fn a_handler_reads_the_body_as_a_value_by_its_type() {
    let app = app().await;
    let json = app.post_json("/parsed", r#"{"a":1}"#).await;
    assert_eq!(json.text(), r#"{"a": 1}"#);
    let form = "application/x-www-form-urlencoded";
    assert_eq!(
        app.post("/parsed", form, "a=1&b=2").await.text(),
        r#"{"a": 1, "b": 2}"#
    );
    let reply = app.post_json("/parsed", r#"{"a":300}"#).await;
    assert_eq!(reply.json()["details"][0]["path"], "a");
    assert_eq!(app.post("/parsed", "text/csv", "a,1").await.status(), 415);
    assert_eq!(
        app.post_json("/parsed", "").await.error(),
        error(400, "missing request body")
    );
}
