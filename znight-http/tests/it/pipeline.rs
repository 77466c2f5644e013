use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request};
use znight_core::{Application, Graph, HttpRequestEvent, capability::InMemoryRequests};
use znight_http::{HttpContext, HttpError, HttpOptions, HttpPlugin, HttpResponse, RequestId};

use crate::support::{App, error, glue::*};

/// One for each request, which knows its id.
pub(crate) struct Audit {
    id: Arc<RequestId>,
    context: Arc<HttpContext>,
    number: u32,
}

static NUMBER: AtomicU32 = AtomicU32::new(0);
static DISPOSED: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl znight_core::Dispose for Audit {
    async fn dispose(&self) -> znight_core::Result {
        DISPOSED
            .lock()
            .unwrap()
            .push(self.context.path().to_owned());
        Ok(())
    }
}

const _: () = {
    fn __make(d: &mut p::Deps<'_>) -> p::Made {
        p::made::<Audit, _>(Audit {
            id: d.next(),
            context: d.next(),
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
        })
    }
    impl p::Provided for Audit {
        const P: p::Provider = p::provider::<Audit>(p::Make::Plain(__make), &[], {
            use p::NoLifecycle as _;
            p::Lifecycle {
                on_start: p::Probe::<Audit>::ON_START,
                on_ready: p::Probe::<Audit>::ON_READY,
                on_stop: p::Probe::<Audit>::ON_STOP,
                dispose: p::Probe::<Audit>::DISPOSE,
            }
        });
        const META: p::ProviderMeta = p::ProviderMeta {
            token: "it::Audit",
            display: "Audit",
            scope: p::ScopeKind::Request,
            name: None,
            primary: false,
            deps: &[
                p::DynDep::of::<Arc<RequestId>>(None),
                p::DynDep::of::<Arc<HttpContext>>(None),
            ],
            source: None,
        };
    }
};

/// A controller of the request scope.
pub(crate) struct Scoped {
    audit: Arc<Audit>,
}

impl Scoped {
    async fn id(&self) -> String {
        format!("{} {}", self.audit.id, self.audit.context.path())
    }

    async fn number(&self) -> u32 {
        self.audit.number
    }

    async fn fails(&self) -> Result<String, HttpError> {
        Err(HttpError::conflict("no"))
    }

    async fn own_headers(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("own")
            .with_header("x-request-id", "mine")
            .with_header("content-security-policy", "default-src 'self'")
    }
}

injectable!(Scoped, Request, { audit: Arc<Audit> });
controller!(
    Scoped,
    "",
    [
        route(h::Verb::Get, "/id", "id", plain!(Scoped, id)),
        route(h::Verb::Get, "/disposed", "id", plain!(Scoped, id)),
        route(h::Verb::Get, "/number", "number", plain!(Scoped, number)),
        route(h::Verb::Get, "/fails", "fails", plain!(Scoped, fails)),
        route(
            h::Verb::Get,
            "/own",
            "own_headers",
            plain!(Scoped, own_headers)
        ),
    ]
);

async fn app(options: HttpOptions) -> App {
    let builder = Application::builder(Graph::empty())
        .provide::<Scoped>()
        .provide::<Audit>();
    let plugin = HttpPlugin::new(options).controller::<Scoped>();
    App::boot(builder, plugin).await.expect("it boots")
}

fn with_id(target: &str, id: &[u8]) -> Request<Bytes> {
    Request::get(target)
        .header("x-request-id", HeaderValue::from_bytes(id).unwrap())
        .body(Bytes::new())
        .unwrap()
}

#[tokio::test]
async fn a_valid_request_id_is_reused_and_another_one_replaced() {
    let app = app(HttpOptions::new()).await;
    for valid in ["abc-1", "a.b:c@d/e+f=_", &"a".repeat(128)] {
        let reply = app.send(with_id("/id", valid.as_bytes())).await;
        assert_eq!(reply.header("x-request-id"), Some(valid));
        assert_eq!(reply.text(), format!("{valid} /id"));
    }
    let long = "a".repeat(129);
    for invalid in [&b""[..], b"a b", b"a\"", b"\xff", long.as_bytes()] {
        let reply = app.send(with_id("/id", invalid)).await;
        let id = reply.header("x-request-id").unwrap();
        assert_eq!(id.len(), 36, "{id}");
        assert_eq!(reply.text(), format!("{id} /id"));
    }
    let ids = [app.get("/id").await, app.get("/id").await];
    assert_ne!(ids[0].header("x-request-id"), ids[1].header("x-request-id"));
}

#[tokio::test]
async fn every_reply_has_the_request_id_and_the_security_headers() {
    let app = app(HttpOptions::new()).await;
    for (method, target) in [
        (Method::GET, "/id"),
        (Method::HEAD, "/id"),
        (Method::GET, "/fails"),
        (Method::GET, "/nowhere"),
        (Method::POST, "/id"),
        (Method::OPTIONS, "/id"),
        (Method::GET, "/%zz"),
    ] {
        let reply = app.call(method.clone(), target).await;
        assert!(reply.header("x-request-id").is_some(), "{method} {target}");
        for (name, value) in [
            (
                "content-security-policy",
                "default-src 'none'; frame-ancestors 'none'",
            ),
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{method} {target}");
        }
    }
}

#[tokio::test]
async fn the_headers_of_a_handler_win_over_the_usual_ones() {
    let reply = app(HttpOptions::new()).await.get("/own").await;
    assert_eq!(reply.header("x-request-id"), Some("mine"));
    assert_eq!(
        reply.header("content-security-policy"),
        Some("default-src 'self'")
    );
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
}

#[tokio::test]
async fn the_usual_headers_can_be_switched_off() {
    let options = HttpOptions::new()
        .without_request_id_header()
        .security_headers(false);
    let app = app(options).await;
    let reply = app.send(with_id("/id", b"abc")).await;
    assert_eq!(reply.0.headers().len(), 1, "{reply:?}");
    // There is one all the same, and it is not the client's.
    assert!(!reply.text().starts_with("abc"), "{reply:?}");
    let custom = HttpOptions::new().request_id_header("x-trace");
    let reply = self::app(custom).await.get("/id").await;
    assert!(reply.header("x-trace").is_some());
    assert!(reply.header("x-request-id").is_none());
}

#[tokio::test]
async fn a_request_scoped_controller_is_made_for_each_request_and_disposed() {
    let app = app(HttpOptions::new()).await;
    let first = app.get("/number").await.text().to_owned();
    assert_ne!(app.get("/number").await.text(), first);
    app.get("/disposed").await;
    assert!(DISPOSED.lock().unwrap().contains(&"/disposed".to_owned()));
}

#[tokio::test]
async fn listeners_see_each_request_with_its_outcome() {
    let app = app(HttpOptions::new()).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    app.application
        .hooks()
        .on(move |event: &HttpRequestEvent| {
            sink.lock().unwrap().push(format!(
                "{} {} {} {} {}",
                event.method(),
                event.path(),
                event.route().unwrap_or("-"),
                event.status().map_or(0, |status| status.as_u16()),
                event.error().map_or(String::new(), ToString::to_string)
            ));
        })
        .forget();
    app.get("/id?a=b").await;
    app.get("/fails").await;
    app.get("/nowhere").await;
    app.call(Method::DELETE, "/id").await;
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "GET /id /id 200 ",
            "GET /fails /fails 409 no",
            "GET /nowhere - 404 no such path",
            "DELETE /id - 405 the method is not allowed here",
        ]
    );
}

#[tokio::test]
async fn wrappers_surround_the_request_and_add_headers() {
    let app = app(HttpOptions::new()).await;
    let statuses = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&statuses);
    app.application
        .hooks()
        .wrap(move |event: &HttpRequestEvent, next| {
            let sink = Arc::clone(&sink);
            Box::pin(async move {
                assert_eq!(event.status(), None);
                next.run().await;
                sink.lock().unwrap().push(event.status().unwrap().as_u16());
                let mut headers = event.response_headers();
                headers.insert("x-timing", HeaderValue::from_static("1"));
                headers.insert("x-frame-options", HeaderValue::from_static("SAMEORIGIN"));
            })
        })
        .forget();
    let reply = app.get("/id").await;
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.header("x-timing"), Some("1"));
    assert_eq!(reply.header("x-frame-options"), Some("SAMEORIGIN"));
    assert_eq!(app.get("/fails").await.error(), error(409, "no"));
    assert_eq!(*statuses.lock().unwrap(), [200, 409]);
}

#[tokio::test]
async fn a_wrapper_that_lets_nothing_through_or_panics_is_a_500() {
    let app = app(HttpOptions::new()).await;
    let hooks = app.application.hooks();
    let stopping = hooks.wrap(|_: &HttpRequestEvent, _| Box::pin(async {}));
    assert_eq!(app.get("/id").await.status(), 500);
    drop(stopping);
    let panicking = hooks.wrap(|_: &HttpRequestEvent, _| Box::pin(async { panic!("hook") }));
    let reply = app.get("/id").await;
    assert_eq!(reply.status(), 500);
    assert!(reply.header("x-request-id").is_some());
    drop(panicking);
    assert_eq!(app.get("/id").await.status(), 200);
}

#[tokio::test]
async fn the_capability_of_the_core_answers_in_memory() {
    let app = app(HttpOptions::new()).await;
    let requests = app
        .application
        .capability::<dyn InMemoryRequests>()
        .expect("it is offered");
    let response = requests.handle(with_id("/id", b"r")).await;
    assert_eq!(&response.body()[..], b"r /id");
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_requests_made_in_memory() {
    let app = App::of::<Slow>(HttpOptions::new().listen(false)).await;
    app.application.start().await.unwrap();
    let slow = app.application.container().get::<Slow>().unwrap();
    let plugin = Arc::clone(&app.plugin);
    let request = tokio::spawn(async move {
        let request = Request::get("/slow").body(Bytes::new()).unwrap();
        plugin.inject(request).await.unwrap().status()
    });
    slow.entered.acquire().await.unwrap().forget();
    let application = app.application.clone();
    let stopping = tokio::spawn(async move { application.stop().await });
    tokio::task::yield_now().await;
    assert!(!stopping.is_finished());
    slow.leave.add_permits(1);
    assert_eq!(request.await.unwrap(), 200);
    stopping.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_up_on_requests_in_memory_after_the_drain_time() {
    let log = crate::support::Log::capture();
    let app = App::of::<Slow>(HttpOptions::new().listen(false)).await;
    app.application.start().await.unwrap();
    let slow = app.application.container().get::<Slow>().unwrap();
    let plugin = Arc::clone(&app.plugin);
    let request = tokio::spawn(async move {
        let request = Request::get("/slow").body(Bytes::new()).unwrap();
        plugin.inject(request).await
    });
    slow.entered.acquire().await.unwrap().forget();
    app.application.stop().await.unwrap();
    assert!(!request.is_finished());
    let lines = log.lines();
    let said = "1 requests were still being answered 4s after the stop";
    assert!(lines.iter().any(|line| line.contains(said)), "{lines:?}");
    request.abort();
}

/// A handler that waits for the test.
pub(crate) struct Slow {
    entered: tokio::sync::Semaphore,
    leave: tokio::sync::Semaphore,
}

impl Slow {
    async fn slow(&self) -> &'static str {
        self.entered.add_permits(1);
        self.leave.acquire().await.unwrap().forget();
        "slow"
    }
}

injectable!(Slow, Singleton, [], |_| {
    Slow {
        entered: tokio::sync::Semaphore::new(0),
        leave: tokio::sync::Semaphore::new(0),
    }
});

controller!(
    Slow,
    "",
    [route(h::Verb::Get, "/slow", "slow", plain!(Slow, slow))]
);
