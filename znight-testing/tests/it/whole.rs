//! Test applications, with a plugin that answers with what it was sent.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::{Request, Response};
use serde::Deserialize;
use serde_json::json;
use znight_core::{
    __private::{BoxFuture, Entry, GraphData, Lifecycle, METADATA_VERSION, Make, made, provider},
    ApplicationState, Error, Graph, Plugin, PluginContext, Result, Root, ScopeKind, Section,
    capability::InMemoryRequests,
};
use znight_testing::TestApp;

/// Answers with the request, as JSON.
struct Echo;

impl InMemoryRequests for Echo {
    fn handle(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<Bytes>> {
        let headers: BTreeMap<&str, &str> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().expect("text")))
            .collect();
        let echo = json!({
            "method": request.method().as_str(),
            "target": request.uri().to_string(),
            "headers": headers,
            "body": String::from_utf8_lossy(request.body()),
        });
        let response = Response::builder()
            .status(if request.uri().path() == "/missing" {
                404
            } else {
                200
            })
            .header("content-type", "application/json")
            .body(echo.to_string().into())
            .expect("a response");
        Box::pin(async { response })
    }
}

#[derive(Default)]
struct EchoPlugin {
    stopped: Arc<Mutex<bool>>,
    fails: bool,
}

impl Plugin for EchoPlugin {
    fn name(&self) -> &'static str {
        "echo"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        context.offer::<dyn InMemoryRequests>(Arc::new(Echo));
        Ok(())
    }

    async fn on_stop(&self, _context: &PluginContext) -> Result {
        *self.stopped.lock().expect("no panic") = true;
        if self.fails {
            Err("stuck".into())
        } else {
            Ok(())
        }
    }
}

#[derive(Deserialize)]
struct Seen {
    method: String,
    target: String,
    headers: BTreeMap<String, String>,
    body: String,
}

async fn echo() -> Result<TestApp, Error> {
    TestApp::builder(Graph::empty())
        .plugin(EchoPlugin::default())
        .start()
        .await
}

#[tokio::test]
async fn a_request_is_sent_as_it_was_put_together() -> Result {
    let app = echo().await?;
    let res = app
        .post("/users?dry=1")
        .query("tag", "a b&c")
        .query("page", 2)
        .header("x-one", "1")
        .bearer("secret")
        .json(&json!({ "name": "ada" }))
        .await?;
    assert_eq!(res.status(), 200);
    let seen: Seen = res.json()?;
    assert_eq!(seen.method, "POST");
    assert_eq!(seen.target, "/users?dry=1&tag=a+b%26c&page=2");
    assert_eq!(seen.body, r#"{"name":"ada"}"#);
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.headers["authorization"], "Bearer secret");
    assert_eq!(
        (&*seen.headers["x-one"], &*seen.headers["host"]),
        ("1", "localhost")
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn forms_bytes_and_every_method() -> Result {
    #[derive(serde::Serialize)]
    struct Login {
        name: &'static str,
        age: u8,
        tags: [&'static str; 2],
        missing: Option<u8>,
    }
    let app = echo().await?;
    let login = Login {
        name: "ada l",
        age: 36,
        tags: ["a", "b"],
        missing: None,
    };
    let seen: Seen = app.post("/login").form(&login).await?.json()?;
    assert_eq!(seen.body, "age=36&name=ada+l&tags=a&tags=b");
    assert_eq!(
        seen.headers["content-type"],
        "application/x-www-form-urlencoded"
    );
    let seen: Seen = app
        .put("/x")
        .header("content-type", "text/plain")
        .body("raw")
        .await?
        .json()?;
    assert_eq!(
        (&*seen.body, &*seen.headers["content-type"]),
        ("raw", "text/plain")
    );
    for (request, method) in [
        (app.get("/"), "GET"),
        (app.patch("/"), "PATCH"),
        (app.delete("/"), "DELETE"),
        (app.head("/"), "HEAD"),
        (app.options("/"), "OPTIONS"),
        (app.request(http::Method::TRACE, "/"), "TRACE"),
    ] {
        assert_eq!(request.await?.json::<Seen>()?.method, method);
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_its_error() -> Result {
    let app = echo().await?;
    let error = app
        .get("/")
        .header("not a name", "x")
        .await
        .expect_err("a bad name");
    assert_eq!(error.message(), "\"not a name\" is no header name");
    let error = app.get("no path at all").await.expect_err("a bad target");
    assert!(error.message().contains("is no request target"), "{error}");
    let error = app.get("/").form(&[1]).await.expect_err("a bad form");
    assert_eq!(error.message(), "the value does not serialize as a form");
    let error = app
        .get("/")
        .form(&json!({ "a": { "b": 1 } }))
        .await
        .expect_err("nested");
    assert!(format!("{error:?}").contains("`a` is nested"), "{error:?}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn without_a_plugin_that_answers_a_request_says_so() -> Result {
    let app = TestApp::builder(Graph::empty()).start().await?;
    let error = app.get("/").await.expect_err("nobody answers");
    assert_eq!(error.code().to_string(), "ZNIGHT001");
    assert!(error.hints()[0].contains("HttpPlugin"), "{error:?}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn assertions_that_hold_chain() -> Result {
    let app = echo().await?;
    let res = app.get("/missing").await?;
    res.assert_status(404)
        .assert_header("content-type", "application/json");
    res.assert_text(&res.text());
    res.assert_json(&json!({
        "method": "GET", "target": "/missing", "headers": { "host": "localhost" }, "body": "",
    }));
    assert_eq!(res.header("content-type"), Some("application/json"));
    assert_eq!(res.headers().len(), 1);
    assert_eq!(res.bytes().len(), res.text().len());
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_assertion_that_fails_shows_the_whole_exchange() -> Result {
    let app = echo().await?;
    let res = app
        .post("/missing")
        .header("x-one", "1")
        .body("sent")
        .await?;
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        res.assert_status(200);
    }))
    .expect_err("it is 404");
    let message = panic.downcast_ref::<String>().expect("a message");
    for part in [
        "expected status 200, got 404",
        "> POST /missing\n> host: localhost\n> x-one: 1\n>\n> sent\n",
        "< 404 Not Found\n< content-type: application/json\n<\n< {",
    ] {
        assert!(message.contains(part), "{part:?} is not in:\n{message}");
    }
    let error = res.json::<u8>().expect_err("no number");
    assert!(error.message().contains("> POST /missing"), "{error}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn closing_stops_the_application_and_reports_what_failed() -> Result {
    let plugin = EchoPlugin {
        fails: true,
        ..EchoPlugin::default()
    };
    let stopped = Arc::clone(&plugin.stopped);
    let app = TestApp::builder(Graph::empty())
        .plugin(plugin)
        .start()
        .await?;
    assert_eq!(app.application().state(), ApplicationState::Ready);
    assert!(!app.hooks().has_listeners::<u8>());
    assert!(app.close().await.is_err());
    assert!(app.close().await.is_err(), "the same outcome");
    assert!(*stopped.lock().expect("no panic"));
    Ok(())
}

#[tokio::test]
async fn dropping_without_closing_warns_and_begins_the_stop() -> Result {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let plugin = EchoPlugin::default();
    let stopped = Arc::clone(&plugin.stopped);
    let app = TestApp::builder(Graph::empty())
        .plugin(plugin)
        .start()
        .await?;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || drop(app));
    let text = String::from_utf8(log.0.lock().expect("no panic").clone())?;
    assert!(text.contains("WARN znight::testing"), "{text}");
    tokio::task::yield_now().await;
    assert!(*stopped.lock().expect("no panic"));
    Ok(())
}

struct First;
struct Second;

#[derive(Debug)]
struct Entries;

impl Section for Entries {
    fn name(&self) -> &'static str {
        "test"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn roots(&self) -> Vec<u32> {
        vec![0]
    }
}

const fn entry(provider: znight_core::__private::Provider, name: &'static str) -> Entry {
    Entry {
        token: name,
        display: name,
        provider,
        scope: ScopeKind::Singleton,
        name: None,
        primary: false,
        deps: &[],
        uses: &[],
        source: None,
    }
}

/// Two singletons; the second cannot be created.
static GRAPH: GraphData = GraphData {
    version: METADATA_VERSION,
    compiler: "",
    package: "test",
    providers: &[
        entry(
            provider::<First>(
                Make::Plain(|_| made::<First, _>(First)),
                &[],
                Lifecycle::NONE,
            ),
            "First",
        ),
        entry(
            provider::<Second>(Make::Plain(|_| Err("second".into())), &[], Lifecycle::NONE),
            "Second",
        ),
    ],
    order: &[0, 1],
    bindings: &[],
    externals: &[],
    sections: &[&Entries],
};

#[tokio::test]
async fn only_what_the_entry_points_need_is_created() -> Result {
    let graph = Graph::new(&GRAPH);
    let app = TestApp::builder(graph).start().await?;
    assert!(app.container().get::<First>().is_ok());
    app.close().await?;

    let error = TestApp::builder(graph)
        .everything()
        .start()
        .await
        .expect_err("second fails");
    assert_eq!(error.message(), "failed to create Second");
    let only = [Root::of::<Second>()];
    assert!(TestApp::builder(graph).only(only).start().await.is_err());

    let app = TestApp::builder(graph)
        .everything()
        .override_factory::<Second, _>(|_| Ok(Arc::new(Second)))
        .provide_value(Arc::new(7_u8))
        .start()
        .await?;
    assert!(app.container().get::<Second>().is_ok());
    assert_eq!(*app.container().get::<u8>()?, 7);
    app.close().await?;
    Ok(())
}
