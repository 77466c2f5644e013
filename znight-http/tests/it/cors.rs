use std::{io, time::Duration};

use bytes::Bytes;
use http::{Method, Request};
use znight_core::{Application, ErrorCode, Graph, HttpRequestEvent};
use znight_http::{
    Cors, Guard, HttpContext, HttpError, HttpOptions, HttpPlugin, HttpResponse, TrailingSlash,
};

use crate::support::{App, Log, Reply, error, glue::*};

pub(crate) struct Locked;

impl Guard for Locked {
    async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> {
        Err(HttpError::unauthorized("who are you?"))
    }
}

injectable!(Locked, Singleton, {});

pub(crate) struct Site;

impl Site {
    async fn open(&self) -> &'static str {
        "open"
    }

    async fn varies(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("varies")
            .with_header("vary", "accept")
            .with_header("access-control-expose-headers", "x-own")
    }

    async fn all(&self) -> &'static str {
        "all"
    }
}

injectable!(Site, Singleton, {});

const LOCKED: h::RouteDef = h::RouteDef {
    guards: &[h::guard::<Locked>()],
    ..h::RouteDef::new(h::Verb::Get, "/locked", "open", plain!(Site, open), None)
};

controller!(
    Site,
    "",
    [
        route(h::Verb::Get, "/open", "open", plain!(Site, open)),
        route(h::Verb::Post, "/open", "open", plain!(Site, open)),
        route(h::Verb::Get, "/varies", "varies", plain!(Site, varies)),
        route(h::Verb::All, "/all", "all", plain!(Site, all)),
        route(h::Verb::Options, "/options", "all", plain!(Site, all)),
        LOCKED,
    ]
);

async fn app(cors: Cors) -> App {
    app_with(HttpOptions::new().cors(cors)).await
}

async fn app_with(options: HttpOptions) -> App {
    let plugin = HttpPlugin::new(options).controller::<Site>();
    let builder = Application::builder(Graph::empty());
    App::boot(builder.provide::<Site>().provide::<Locked>(), plugin)
        .await
        .expect("it boots")
}

const PAGE: &str = "https://app.example.com";

async fn from(app: &App, method: Method, target: &str, origin: &str) -> Reply {
    let request = Request::builder().method(method).uri(target);
    app.send(request.header("origin", origin).body(Bytes::new()).unwrap())
        .await
}

async fn preflight(app: &App, target: &str, origin: &str, headers: Option<&str>) -> Reply {
    let mut request = Request::builder()
        .method(Method::OPTIONS)
        .uri(target)
        .header("origin", origin)
        .header("access-control-request-method", "POST");
    if let Some(headers) = headers {
        request = request.header("access-control-request-headers", headers);
    }
    app.send(request.body(Bytes::new()).unwrap()).await
}

/// The headers of CORS and `vary` of a reply, in the order they are sent.
fn told(reply: &Reply) -> Vec<String> {
    let headers = reply.0.headers().iter();
    headers
        .filter(|(name, _)| name.as_str().starts_with("access-control-") || *name == "vary")
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn a_preflight_is_answered_with_what_the_path_allows() {
    let app = app(Cors::new().origin(PAGE).credentials(true)).await;
    let reply = preflight(&app, "/open", PAGE, Some("x-a, X-B")).await;
    assert_eq!(reply.status(), 204);
    assert_eq!(
        told(&reply),
        [
            "access-control-allow-origin: https://app.example.com",
            "access-control-allow-credentials: true",
            "access-control-allow-methods: GET, HEAD, POST, OPTIONS",
            "access-control-allow-headers: x-a, X-B",
            "access-control-max-age: 600",
            "vary: origin, access-control-request-method, access-control-request-headers",
        ]
    );
    assert_eq!(reply.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    // Like every reply, it has the policies of all.
    assert!(reply.header("x-request-id").is_some());
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    assert_eq!(reply.text(), "");
}

#[tokio::test]
async fn a_preflight_without_a_route_is_a_404_and_of_another_origin_a_403() {
    let app = app(Cors::new().origin(PAGE)).await;
    let reply = preflight(&app, "/nowhere", PAGE, None).await;
    assert_eq!(reply.error(), error(404, "no such path"));
    assert!(told(&reply).is_empty(), "{reply:?}");
    let reply = preflight(&app, "/open", "https://evil.example", None).await;
    assert_eq!(reply.error(), error(403, "CORS origin not allowed"));
    assert!(told(&reply).is_empty(), "{reply:?}");
    // Whether the path exists is told first.
    let reply = preflight(&app, "/nowhere", "https://evil.example", None).await;
    assert_eq!(reply.status(), 404);
}

#[tokio::test]
async fn a_preflight_meets_no_guard_and_no_handler() {
    let app = app(Cors::new().origin(PAGE)).await;
    for target in ["/locked", "/all", "/options"] {
        let reply = preflight(&app, target, PAGE, None).await;
        assert_eq!((reply.status(), reply.text()), (204, ""), "{target}");
    }
    // Without the question it is an ordinary request.
    let reply = from(&app, Method::OPTIONS, "/options", PAGE).await;
    assert_eq!(reply.text(), "all");
}

#[tokio::test]
async fn a_preflight_has_no_route_in_its_event() {
    let app = app(Cors::new().origin(PAGE)).await;
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let events = Arc::clone(&seen);
    let hooks = app.application.hooks();
    let _listening = hooks.on(move |event: &HttpRequestEvent| {
        let status = event.status().map(|status| status.as_u16());
        events
            .lock()
            .unwrap()
            .push((event.route().map(str::to_owned), status));
    });
    preflight(&app, "/open", PAGE, None).await;
    preflight(&app, "/open", "https://evil.example", None).await;
    from(&app, Method::GET, "/open", PAGE).await;
    assert_eq!(
        *seen.lock().unwrap(),
        [
            (None, Some(204)),
            (None, Some(403)),
            (Some("/open".to_owned()), Some(200))
        ]
    );
}

#[tokio::test]
async fn a_preflight_follows_the_trailing_slash_policy() {
    let options = HttpOptions::new().trailing_slash(TrailingSlash::Ignore);
    let app = app_with(options.cors(Cors::any())).await;
    assert_eq!(preflight(&app, "/open/", PAGE, None).await.status(), 204);
    let app = app_with(HttpOptions::new().cors(Cors::any())).await;
    assert_eq!(preflight(&app, "/open/", PAGE, None).await.status(), 404);
}

#[tokio::test]
async fn the_headers_asked_for_are_allowed_when_they_are_names() {
    let allowed = async |cors: Cors, asked: Option<&str>| {
        let reply = preflight(&app(cors).await, "/open", PAGE, asked).await;
        let allowed = reply.header("access-control-allow-headers");
        allowed.map(str::to_owned)
    };
    let any = Cors::any;
    assert_eq!(
        allowed(any(), Some("x-a,x-b")).await.as_deref(),
        Some("x-a,x-b")
    );
    assert_eq!(allowed(any(), None).await, None);
    assert_eq!(allowed(any(), Some("x a")).await, None);
    assert_eq!(allowed(any(), Some("x-a,,")).await, None);
    let listed = || any().allow_headers(["x-a", "x-b"]);
    assert_eq!(
        allowed(listed(), Some("x-c")).await.as_deref(),
        Some("x-a, x-b")
    );
    assert_eq!(allowed(listed(), None).await.as_deref(), Some("x-a, x-b"));
    // `*` never covers authorization, which is named when it is asked for.
    let star = || any().allow_headers(["*"]);
    assert_eq!(allowed(star(), Some("x-a")).await.as_deref(), Some("*"));
    let asked = Some("x-a, Authorization");
    assert_eq!(
        allowed(star(), asked).await.as_deref(),
        Some("*, authorization")
    );
    let both = any().allow_headers(["*", "Authorization"]);
    assert_eq!(
        allowed(both, asked).await.as_deref(),
        Some("*, Authorization")
    );
}

#[tokio::test]
async fn methods_and_age_are_those_of_the_options() {
    let cors = Cors::any()
        .methods(["GET", "PATCH"])
        .max_age(Duration::from_secs(5));
    let reply = preflight(&app(cors).await, "/open", PAGE, None).await;
    assert_eq!(
        reply.header("access-control-allow-methods"),
        Some("GET, PATCH")
    );
    assert_eq!(reply.header("access-control-max-age"), Some("5"));
    assert_eq!(reply.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
}

#[tokio::test]
async fn every_reply_to_an_allowed_origin_may_be_read() {
    let app = app(Cors::new().origin(PAGE).credentials(true)).await;
    for (method, target, status) in [
        (Method::GET, "/open", 200),
        (Method::GET, "/locked", 401),
        (Method::GET, "/nowhere", 404),
        (Method::PUT, "/open", 405),
        (Method::OPTIONS, "/open", 204),
        (Method::GET, "/%zz", 404),
    ] {
        let reply = from(&app, method, target, PAGE).await;
        assert_eq!(reply.status(), status, "{target}");
        assert_eq!(
            told(&reply),
            [
                "access-control-allow-origin: https://app.example.com",
                "access-control-allow-credentials: true",
                "access-control-expose-headers: x-request-id",
                "vary: origin",
            ],
            "{target}"
        );
    }
}

#[tokio::test]
async fn a_denied_origin_and_none_are_served_without() {
    let app = app(Cors::new().origin(PAGE)).await;
    let reply = from(&app, Method::GET, "/open", "https://evil.example").await;
    assert_eq!((reply.status(), reply.text()), (200, "open"));
    assert_eq!(told(&reply), ["vary: origin"]);
    let reply = app.get("/open").await;
    assert_eq!(told(&reply), ["vary: origin"]);
}

#[tokio::test]
async fn several_origins_and_what_is_no_text_are_denied() {
    let app = app(Cors::new().origin(PAGE).origin("https://b.example")).await;
    let request = Request::get("/open")
        .header("origin", PAGE)
        .header("origin", "https://b.example");
    let reply = app.send(request.body(Bytes::new()).unwrap()).await;
    assert_eq!(told(&reply), ["vary: origin"]);
    let request = Request::get("/open").header("origin", b"\xff".as_slice());
    let reply = app.send(request.body(Bytes::new()).unwrap()).await;
    assert_eq!(told(&reply), ["vary: origin"]);
}

#[tokio::test]
async fn what_a_reply_sets_itself_stays_and_vary_is_merged() {
    let app = app(Cors::new().origin(PAGE)).await;
    let reply = from(&app, Method::GET, "/varies", PAGE).await;
    let mut lines = told(&reply);
    lines.sort();
    assert_eq!(
        lines,
        [
            "access-control-allow-origin: https://app.example.com",
            "access-control-expose-headers: x-own",
            "vary: accept, origin",
        ]
    );
}

#[tokio::test]
async fn a_wildcard_is_told_to_everybody() {
    for cors in [Cors::any(), Cors::new().origins([PAGE, "*"])] {
        let app = app(cors).await;
        let expected = [
            "access-control-allow-origin: *",
            "access-control-expose-headers: x-request-id",
        ];
        assert_eq!(told(&app.get("/open").await), expected);
        assert_eq!(told(&app.get("/nowhere").await), expected);
        let reply = from(&app, Method::GET, "/open", PAGE).await;
        assert_eq!(told(&reply), expected);
    }
    let reply = app(Cors::any().expose_headers(["x-a", "x-b"])).await;
    let reply = reply.get("/open").await;
    assert_eq!(
        reply.header("access-control-expose-headers"),
        Some("x-a, x-b")
    );
}

#[tokio::test]
async fn functions_decide_and_failures_deny() {
    let log = Log::capture();
    let cors = Cors::new()
        .origin_if(|origin| match origin {
            "https://panics.example" => panic!("no"),
            other => other.ends_with(".preview.example"),
        })
        .origin_if_async(|origin| async move {
            match &*origin {
                "https://later.example" => Ok(true),
                "https://fails.example" => Err(io::Error::other("no database")),
                _ => Ok(false),
            }
        });
    let app = app(cors).await;
    for (origin, allowed) in [
        ("https://a.preview.example", true),
        ("https://later.example", true),
        ("https://panics.example", false),
        ("https://fails.example", false),
        ("https://other.example", false),
    ] {
        let reply = from(&app, Method::GET, "/open", origin).await;
        assert_eq!(
            reply.header("access-control-allow-origin"),
            allowed.then_some(origin)
        );
    }
    let errors = log.errors();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].contains("it panicked"), "{errors:?}");
    assert!(errors[1].contains("no database"), "{errors:?}");
}

#[cfg(feature = "regex")]
#[tokio::test]
async fn a_pattern_allows_the_origins_it_matches() {
    let cors = Cors::new().origin_pattern(r"^https://[a-z0-9-]+\.preview\.example$");
    let app = app(cors).await;
    let allowed = async |origin: &str| {
        let reply = from(&app, Method::GET, "/open", origin).await;
        reply.header("access-control-allow-origin").is_some()
    };
    assert!(allowed("https://a-1.preview.example").await);
    assert!(!allowed("https://a.preview.example.evil").await);
    assert!(!allowed("http://a.preview.example").await);
}

#[tokio::test]
async fn what_is_wrong_is_one_error_at_boot() {
    let options = HttpOptions::new()
        .cors(Cors::any().credentials(true).methods(["a b"]))
        .trust_proxy(0)
        .request_id_header("no name")
        .security_headers(znight_http::SecurityHeaders::new().frame_options("NO"));
    let plugin = HttpPlugin::new(options);
    let failed = App::boot(Application::builder(Graph::empty()), plugin).await;
    let error = failed.err().expect("it does not boot");
    assert_eq!(error.code(), ErrorCode::InvalidAttribute);
    let all: Vec<String> = error.errors().iter().map(ToString::to_string).collect();
    assert_eq!(all.len(), 5, "{all:#?}");
    assert_eq!(error.message(), "the configuration of HTTP has 5 problems");
}

#[tokio::test]
async fn wrong_routes_do_not_hide_wrong_options() {
    let options = HttpOptions::new()
        .prefix("api//x")
        .cors(Cors::any().credentials(true));
    let failed = App::boot(
        Application::builder(Graph::empty()),
        HttpPlugin::new(options),
    )
    .await;
    let report = failed.err().expect("it does not boot").report().to_string();
    assert!(report.contains("the option `prefix` of HTTP"), "{report}");
    assert!(report.contains("`*` allows no credentials"), "{report}");
}
