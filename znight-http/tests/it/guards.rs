use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use bytes::Bytes;
use http::{Request, StatusCode};
use znight_core::{Application, Graph};
use znight_http::{
    ControllerOn, Guard, HttpContext, HttpError, HttpOptions, HttpPlugin, Interceptor, Next, Reply,
};

use crate::support::{App, error, glue::*};

/// What ran, in order.
#[derive(Default)]
pub(crate) struct Trace(Mutex<Vec<String>>);

impl Trace {
    fn add(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }

    fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap()).join(" ")
    }
}

macro_rules! guards {
    ($($name:ident $text:literal;)*) => {
        $(
            pub(crate) struct $name {
                trace: Arc<Trace>,
            }

            impl Guard for $name {
                async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
                    self.trace.add($text);
                    if ctx.header("x-refuse") == Some($text) {
                        return Err(HttpError::forbidden(concat!("refused by ", $text)));
                    }
                    Ok(())
                }
            }

            injectable!($name, Singleton, { trace: Arc<Trace> });
        )*
    };
}

guards! {
    GlobalGuard "global";
    ControllerGuard "controller";
    RouteGuard "route";
}

macro_rules! interceptors {
    ($($name:ident $before:literal $after:literal;)*) => {
        $(
            pub(crate) struct $name {
                trace: Arc<Trace>,
            }

            impl Interceptor for $name {
                async fn intercept(&self, ctx: &HttpContext, next: Next<'_>) -> Result<Reply, HttpError> {
                    self.trace.add($before);
                    if ctx.header("x-answer") == Some($before) {
                        return Ok(Reply::text(concat!("answered by ", $before)));
                    }
                    let reply = next.run().await;
                    self.trace.add($after);
                    reply
                }
            }

            injectable!($name, Singleton, { trace: Arc<Trace> });
        )*
    };
}

interceptors! {
    Outer "(global" "global)";
    Middle "(controller" "controller)";
    Inner "(route" "route)";
}

/// Turns every error into a reply.
pub(crate) struct Rescue;

impl Interceptor for Rescue {
    async fn intercept(&self, _: &HttpContext, next: Next<'_>) -> Result<Reply, HttpError> {
        match next.run().await {
            Ok(reply) => Ok(reply
                .with_status(StatusCode::ACCEPTED)
                .with_header("x-seen", "yes")),
            Err(error) => Ok(Reply::text(format!("rescued from {}", error.status()))),
        }
    }
}

injectable!(Rescue, Singleton, {});

/// One for each request.
pub(crate) struct PerRequest {
    number: u32,
}

static MADE: AtomicU32 = AtomicU32::new(0);

impl Guard for PerRequest {
    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        ctx.extensions().insert(self.number);
        Ok(())
    }
}

injectable!(PerRequest, Request, [Arc<HttpContext>], |d| {
    let ctx: Arc<HttpContext> = d.next();
    assert_eq!(ctx.path(), "/numbered");
    PerRequest {
        number: MADE.fetch_add(1, Ordering::Relaxed),
    }
});

pub(crate) struct Guarded {
    trace: Arc<Trace>,
}

impl Guarded {
    async fn handler(&self) -> &'static str {
        self.trace.add("handler");
        "handled"
    }

    async fn fails(&self) -> Result<String, HttpError> {
        Err(HttpError::conflict("no"))
    }

    async fn numbered(&self, ctx: Arc<HttpContext>) -> u32 {
        ctx.extensions().get::<u32>().unwrap()
    }
}

fn numbered<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Guarded>(this);
    let a0 = (&&h::Tag::<Arc<HttpContext>>::NEW).context(rq)?;
    h::call1(
        c,
        <Guarded>::numbered,
        a0,
        (&&&&&&h::out1(&<Guarded>::numbered)).kind(),
    )
}

injectable!(Guarded, Singleton, { trace: Arc<Trace> });
controller!(
    Guarded,
    "",
    guards: [ControllerGuard],
    interceptors: [Middle],
    [
        h::RouteDef {
            guards: &[h::guard::<RouteGuard>()],
            interceptors: &[h::interceptor::<Inner>()],
            body: true,
            body_limit: Some(4),
            ..route(h::Verb::Post, "/", "handler", plain!(Guarded, handler))
        },
        h::RouteDef {
            interceptors: &[h::interceptor::<Rescue>()],
            ..route(h::Verb::Get, "/rescued", "fails", plain!(Guarded, fails))
        },
        h::RouteDef {
            interceptors: &[h::interceptor::<Rescue>()],
            ..route(h::Verb::Get, "/changed", "handler", plain!(Guarded, handler))
        },
        h::RouteDef {
            guards: &[h::guard::<PerRequest>()],
            ..route(h::Verb::Get, "/numbered", "numbered", numbered)
        },
    ]
);

async fn app() -> (App, Arc<Trace>) {
    let trace = Arc::new(Trace::default());
    let builder = Application::builder(Graph::empty())
        .provide_value(Arc::clone(&trace))
        .provide::<Guarded>()
        .provide::<GlobalGuard>()
        .provide::<ControllerGuard>()
        .provide::<RouteGuard>()
        .provide::<PerRequest>()
        .provide::<Outer>()
        .provide::<Middle>()
        .provide::<Inner>()
        .provide::<Rescue>();
    let options = HttpOptions::new()
        .guard::<GlobalGuard>()
        .interceptor::<Outer>();
    let plugin = HttpPlugin::new(options).controller::<Guarded>();
    let app = App::boot(builder, plugin).await.expect("it boots");
    (app, trace)
}

fn post(header: (&str, &str), body: &'static str) -> Request<Bytes> {
    Request::post("/")
        .header(header.0, header.1)
        .body(Bytes::from_static(body.as_bytes()))
        .unwrap()
}

#[tokio::test]
async fn guards_then_interceptors_run_from_global_to_route() {
    let (app, trace) = app().await;
    let reply = app.send(post(("x-a", "b"), "")).await;
    assert_eq!(reply.text(), "handled");
    assert_eq!(
        trace.take(),
        "global controller route (global (controller (route handler route) controller) global)"
    );
    assert_eq!(
        app.plugin.routes()[0].guards,
        ["GlobalGuard", "ControllerGuard", "RouteGuard"]
    );
}

#[tokio::test]
async fn the_first_guard_that_refuses_answers() {
    let (app, trace) = app().await;
    for (guard, ran) in [
        ("global", "global"),
        ("controller", "global controller"),
        ("route", "global controller route"),
    ] {
        let reply = app.send(post(("x-refuse", guard), "")).await;
        assert_eq!(reply.error(), error(403, &format!("refused by {guard}")));
        assert_eq!(trace.take(), ran);
    }
}

#[tokio::test]
async fn guards_run_before_the_body_is_read_and_interceptors_after() {
    let (app, trace) = app().await;
    let reply = app.send(post(("x-refuse", "route"), "too large")).await;
    assert_eq!(reply.status(), 403);
    trace.take();
    let reply = app.send(post(("x-a", "b"), "too large")).await;
    assert_eq!(reply.status(), 413);
    assert_eq!(trace.take(), "global controller route");
}

#[tokio::test]
async fn an_interceptor_may_answer_instead() {
    let (app, trace) = app().await;
    let reply = app.send(post(("x-answer", "(controller"), "")).await;
    assert_eq!(reply.text(), "answered by (controller");
    assert_eq!(
        trace.take(),
        "global controller route (global (controller global)"
    );
}

#[tokio::test]
async fn an_interceptor_sees_replies_and_errors_and_replaces_them() {
    let (app, _) = app().await;
    let changed = app.get("/changed").await;
    assert_eq!(changed.status(), 202);
    assert_eq!(changed.header("x-seen"), Some("yes"));
    let rescued = app.get("/rescued").await;
    assert_eq!(
        (rescued.status(), rescued.text()),
        (200, "rescued from 409 Conflict")
    );
}

#[tokio::test]
async fn a_request_scoped_guard_is_made_for_each_request_with_its_context() {
    let (app, _) = app().await;
    let first: u32 = app.get("/numbered").await.text().parse().unwrap();
    let second: u32 = app.get("/numbered").await.text().parse().unwrap();
    assert_eq!(second, first + 1);
}

#[tokio::test]
async fn guards_do_not_see_requests_without_a_route() {
    let (app, trace) = app().await;
    assert_eq!(app.get("/nowhere").await.status(), 404);
    assert_eq!(app.get("/").await.status(), 405);
    assert_eq!(trace.take(), "");
}

#[tokio::test]
async fn global_guards_and_interceptors_are_entry_points() {
    use znight_core::{Plugin as _, Root};
    let options = HttpOptions::new()
        .guard::<GlobalGuard>()
        .interceptor::<Outer>();
    assert_eq!(
        HttpPlugin::new(options).init_roots(Graph::empty()),
        [Root::of::<GlobalGuard>(), Root::of::<Outer>()]
    );
}

#[tokio::test]
async fn a_guard_nobody_provides_is_found_at_boot() {
    assert_eq!(<Guarded as ControllerOn>::C.routes.len(), 4);
    let builder = Application::builder(Graph::empty())
        .provide_value(Arc::new(Trace::default()))
        .provide::<Guarded>();
    let plugin = HttpPlugin::default().controller::<Guarded>();
    let error = App::boot(builder, plugin).await.err().expect("it fails");
    let report = error.report().to_string();
    assert!(report.contains("ZNIGHT001"), "{report}");
    assert!(
        report.contains("no provider for ControllerGuard"),
        "{report}"
    );
    assert!(report.contains("no provider for RouteGuard"), "{report}");
    assert!(report.contains("no provider for Middle"), "{report}");
    assert_eq!(report.matches("no provider for ControllerGuard").count(), 1);
}
