//! Routes that other plugins contribute.

use std::sync::Mutex;

use bytes::Bytes;
use http::{Method, Request};
use znight_core::{Application, ErrorCode, Graph, HttpRequestEvent, Plugin, PluginContext};
use znight_http::{
    AnyDecision, Decision, Guard, HttpContext, HttpError, HttpOptions, HttpPlugin, HttpResponse,
    Interceptor, Next, PluginRoute, PluginRoutes, Reply, RouteMount, Verb,
};

use crate::support::{App, error, glue::*};

pub(crate) struct Users;

impl Users {
    async fn list(&self) -> &'static str {
        "users"
    }
}

injectable!(Users, Singleton, {});
controller!(
    Users,
    "/users",
    [route(h::Verb::Get, "", "list", plain!(Users, list))]
);

static ASKED: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub(crate) struct Global;

impl Guard for Global {
    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        ASKED.lock().unwrap().push(format!("global {}", ctx.path()));
        Ok(())
    }
}

injectable!(Global, Singleton, {});

pub(crate) struct Own;

impl Guard for Own {
    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        ASKED.lock().unwrap().push(format!("own {}", ctx.path()));
        match ctx.header("x-key") {
            Some(_) => Ok(()),
            None => Err(HttpError::unauthorized("a key is required")),
        }
    }
}

injectable!(Own, Singleton, {});

pub(crate) struct Marks;

impl Interceptor for Marks {
    async fn intercept(&self, _: &HttpContext, next: Next<'_>) -> Result<Reply, HttpError> {
        Ok(next.run().await?.with_header("x-marked", "yes"))
    }
}

injectable!(Marks, Singleton, {});

/// A plugin with these routes.
struct Status(fn(&RouteMount<'_>) -> Vec<PluginRoute>);

struct Routes(fn(&RouteMount<'_>) -> Vec<PluginRoute>);

impl PluginRoutes for Routes {
    fn routes(&self, mount: &RouteMount<'_>) -> Vec<PluginRoute> {
        (self.0)(mount)
    }
}

impl Plugin for Status {
    fn name(&self) -> &'static str {
        "status"
    }

    async fn register(&self, context: &PluginContext) -> znight_core::Result {
        context.contribute::<dyn PluginRoutes>(Arc::new(Routes(self.0)));
        Ok(())
    }
}

async fn boot(
    options: HttpOptions,
    routes: fn(&RouteMount<'_>) -> Vec<PluginRoute>,
) -> Result<App, znight_core::Error> {
    let builder = Application::builder(Graph::empty())
        .provide::<Users>()
        .provide::<Global>()
        .provide::<Own>()
        .provide::<Marks>();
    let plugin = HttpPlugin::new(options).controller::<Users>();
    let builder = builder.signals(false).plugin(plugin).plugin(Status(routes));
    let application = builder.build().await?;
    Ok(App {
        plugin: application.plugin().expect("it was added"),
        application,
    })
}

fn up(_: &RouteMount<'_>) -> Vec<PluginRoute> {
    vec![
        PluginRoute::new(Verb::Get, "/status", "status", |ctx| async move {
            let route = ctx.route().expect("it matched");
            Ok(format!("{} {}", route.controller, route.handler))
        }),
        PluginRoute::new(Verb::Get, "/status/{name}", "one", |ctx| async move {
            match ctx.param("name") {
                Some("http") => Ok(HttpResponse::ok("up").with_header("x-own", "1")),
                _ => Err(HttpError::not_found("nothing of that name")),
            }
        }),
        PluginRoute::new(Verb::Post, "/echo", "echo", |ctx| async move {
            ctx.raw_body().await
        })
        .body_limit(8)
        .guard::<Own>(),
    ]
}

#[tokio::test]
async fn a_plugin_serves_routes_below_the_prefix() {
    let app = boot(HttpOptions::new().prefix("/api"), up).await.unwrap();
    let reply = app.get("/api/status").await;
    assert_eq!((reply.status(), reply.text()), (200, "status status"));
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    let reply = app.get("/api/status/http").await;
    assert_eq!((reply.text(), reply.header("x-own")), ("up", Some("1")));
    let reply = app.get("/api/status/other").await;
    assert_eq!(reply.error(), error(404, "nothing of that name"));
    assert_eq!(app.get("/status").await.status(), 404);
    // `GET` answers `HEAD`, and the rest of the path has its 405.
    let reply = app.call(Method::HEAD, "/api/status").await;
    assert_eq!((reply.status(), reply.text()), (200, ""));
    let reply = app.call(Method::POST, "/api/status").await;
    assert_eq!(reply.header("allow"), Some("GET, HEAD, OPTIONS"));
}

#[tokio::test]
async fn global_guards_come_first_and_global_interceptors_stay_away() {
    let options = HttpOptions::new().guard::<Global>().interceptor::<Marks>();
    let app = boot(options, up).await.unwrap();
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let _listening = app.application.hooks().on(move |event: &HttpRequestEvent| {
        seen.lock().unwrap().push(event.route().map(str::to_owned));
    });
    let post = |key: bool| {
        let request = Request::post("/echo");
        let request = if key {
            request.header("x-key", "1")
        } else {
            request
        };
        request.body(Bytes::from_static(b"hello")).unwrap()
    };
    let reply = app.send(post(false)).await;
    assert_eq!(reply.error(), error(401, "a key is required"));
    assert_eq!(*ASKED.lock().unwrap(), ["global /echo", "own /echo"]);
    let reply = app.send(post(true)).await;
    assert_eq!((reply.status(), reply.text()), (201, "hello"));
    assert_eq!(reply.header("x-marked"), None);
    assert_eq!(app.get("/users").await.header("x-marked"), Some("yes"));
    assert_eq!(events.lock().unwrap()[0].as_deref(), Some("/echo"));
}

#[tokio::test]
async fn a_body_is_read_when_it_is_asked_for_within_the_limit_of_the_route() {
    let app = boot(HttpOptions::new(), up).await.unwrap();
    let request = Request::post("/echo").header("x-key", "1");
    let reply = app
        .send(request.body(Bytes::from(vec![0; 9])).unwrap())
        .await;
    assert_eq!(reply.error(), error(413, "the body is larger than 8 bytes"));
}

#[tokio::test]
async fn they_are_listed_with_the_plugin_as_their_source() {
    let app = boot(HttpOptions::new().prefix("api").guard::<Global>(), up).await;
    let routes = app.unwrap().plugin.routes();
    let lines: Vec<String> = routes
        .iter()
        .map(|route| {
            let info = &route.info;
            format!(
                "{} {} {} {} {:?} {}",
                info.method,
                info.path,
                info.controller,
                info.handler,
                route.plugin,
                route.guards.join(" ")
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "GET /api/users Users list None Global",
            "GET /api/status status status Some(\"status\") Global",
            "GET /api/status/{name} status one Some(\"status\") Global",
            "POST /api/echo status echo Some(\"status\") Global Own",
        ]
    );
}

#[tokio::test]
async fn what_is_wrong_with_them_names_the_plugin() {
    let failed = boot(HttpOptions::new(), |_| {
        vec![
            PluginRoute::new(Verb::Get, "/users", "taken", |_| async { Ok(()) }),
            PluginRoute::new(Verb::Get, "/a/{id}.json", "odd", |_| async { Ok(()) }),
        ]
    })
    .await;
    let error = failed.err().expect("it does not boot");
    assert_eq!(error.code(), ErrorCode::InvalidRoute);
    let texts: Vec<String> = error.errors().iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    let all = texts.join("\n");
    assert!(
        all.contains(
            "the route `taken` of the plugin status answers GET /users, and so does Users::list"
        ),
        "{all}"
    );
    assert!(
        all.contains("the path of the route `odd` of the plugin status"),
        "{all}"
    );
}

#[tokio::test]
async fn they_learn_where_they_are_mounted() {
    let app = boot(HttpOptions::new().prefix("/api"), |mount| {
        let prefix = mount.prefix.to_owned();
        let known = mount.container.get::<Users>().is_ok();
        vec![PluginRoute::new(Verb::Get, "/where", "where", move |_| {
            let text = format!("{prefix} {known}");
            async move { Ok(text) }
        })]
    });
    let app = app.await.unwrap();
    assert_eq!(app.get("/api/where").await.text(), "/api true");
    assert_eq!(app.plugin.prefix(), Some("/api"));
}

const PUBLIC: Decision = Decision::flag("public").group("access").required();
const ROLES: Decision<&[&str]> = Decision::new("roles").group("access").required();

pub(crate) struct Access;

impl Guard for Access {
    const ENFORCES: &'static [&'static dyn AnyDecision] = &[&PUBLIC, &ROLES];

    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        match ROLES.get(ctx) {
            Some(roles) => Err(HttpError::forbidden(roles.join(", "))),
            None => Ok(()),
        }
    }
}

injectable!(Access, Singleton, {});

fn decided(_: &RouteMount<'_>) -> Vec<PluginRoute> {
    let route = |path, name| PluginRoute::new(Verb::Get, path, name, |_| async { Ok("up") });
    vec![
        route("/open", "open").decide(PUBLIC),
        route("/closed", "closed").decide(ROLES.meta(&["operator"])),
        route("/forgotten", "forgotten"),
    ]
}

async fn boot_decided(
    options: HttpOptions,
    routes: fn(&RouteMount<'_>) -> Vec<PluginRoute>,
) -> Result<App, znight_core::Error> {
    let builder = Application::builder(Graph::empty()).provide::<Access>();
    let builder = builder.signals(false).plugin(Status(routes));
    let application = builder.plugin(HttpPlugin::new(options)).build().await?;
    Ok(App {
        plugin: application.plugin().expect("it was added"),
        application,
    })
}

#[tokio::test]
async fn they_are_decided_like_any_route() {
    let options = HttpOptions::new().guard::<Access>();
    let app = boot_decided(options, |mount| {
        let mut routes = decided(mount);
        routes.truncate(2);
        routes
    })
    .await;
    let app = app.unwrap();
    assert_eq!(app.get("/open").await.text(), "up");
    assert_eq!(app.get("/closed").await.error(), error(403, "operator"));
    let routes = app.plugin.routes();
    let decisions = routes[1].info.decisions.iter().map(ToString::to_string);
    assert_eq!(decisions.collect::<Vec<_>>(), ["roles = [\"operator\"]"]);
}

#[tokio::test]
async fn one_without_a_decision_it_needs_fails_the_start_with_its_plugin() {
    let failed = boot_decided(HttpOptions::new().guard::<Access>(), decided).await;
    let error = failed.err().expect("it does not boot");
    assert_eq!(error.code(), ErrorCode::MissingDecision);
    let report = error.report().to_string();
    assert!(
        report.contains("GET /forgotten (status forgotten)"),
        "{report}"
    );
    assert!(report.contains("routes of the plugin status"), "{report}");
    // No guard enforces those that are decided.
    let failed = boot_decided(HttpOptions::new(), decided).await;
    let report = failed.err().expect("it does not boot").report().to_string();
    assert!(report.contains("GET /open (status open)"), "{report}");
}
