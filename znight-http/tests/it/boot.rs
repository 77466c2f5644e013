use std::sync::Arc;

use http::Method;
use znight_core::{Application, Error, ErrorCode, Graph};
use znight_http::{HttpOptions, HttpPlugin};

use crate::support::{App, glue::*};

macro_rules! controllers {
    ($($ty:ident)*) => {
        $(
            pub(crate) struct $ty;

            impl $ty {
                async fn handler(&self) -> &'static str {
                    stringify!($ty)
                }
            }

            injectable!($ty, Singleton, {});
        )*
    };
}

controllers!(Wrong Twice Again Fine);

controller!(
    Wrong,
    "/wrong",
    [
        route(h::Verb::Get, "/v{id}", "beside", plain!(Wrong, handler)),
        route(
            h::Verb::Get,
            "/{*rest}/more",
            "after_rest",
            plain!(Wrong, handler)
        ),
        h::RouteDef {
            headers: &[("x own", "a"), ("x-own", "a\nb")],
            ..route(h::Verb::Get, "/headers", "headers", plain!(Wrong, handler))
        },
        h::RouteDef {
            params: &[h::ParamDef {
                source: h::ParamSource::Param,
                name: "user_di",
            }],
            ..route(
                h::Verb::Get,
                "/params/{user_id}",
                "params",
                plain!(Wrong, handler)
            )
        },
        h::RouteDef {
            status: Some(1000),
            ..route(h::Verb::Get, "/status", "status", plain!(Wrong, handler))
        },
    ]
);
controller!(
    Twice,
    "/twice/{a}",
    [
        route(h::Verb::Get, "/{b}", "first", plain!(Twice, handler)),
        route(h::Verb::Get, "/:c", "second", plain!(Twice, handler)),
        route(
            h::Verb::Post,
            "/{b}",
            "other_method",
            plain!(Twice, handler)
        ),
        route(h::Verb::Get, "/{a}", "same_name", plain!(Twice, handler)),
    ]
);
controller!(
    Again,
    "/",
    [route(
        h::Verb::Get,
        "/twice/{x}/{y}",
        "third",
        plain!(Again, handler)
    )]
);
controller!(
    Fine,
    "/fine",
    [
        route(h::Verb::Get, "", "get", plain!(Fine, handler)),
        route(h::Verb::Post, "/", "post", plain!(Fine, handler)),
    ]
);

async fn refused(plugin: HttpPlugin) -> Error {
    let builder = Application::builder(Graph::empty())
        .provide::<Wrong>()
        .provide::<Twice>()
        .provide::<Again>()
        .provide::<Fine>();
    App::boot(builder, plugin).await.err().expect("it fails")
}

#[tokio::test]
async fn everything_wrong_with_the_routes_is_one_error() {
    let plugin = HttpPlugin::default()
        .controller::<Wrong>()
        .controller::<Twice>()
        .controller::<Again>();
    let error = refused(plugin).await;
    assert_eq!(error.code(), ErrorCode::InvalidRoute);
    let messages: Vec<String> = error.errors().iter().map(Error::to_string).collect();
    for expected in [
        "ZNIGHT007: the path of Wrong::beside, `/v{id}`: a segment is text or one parameter",
        "ZNIGHT007: the path of Wrong::after_rest, `/{*rest}/more`: a catch-all takes the rest",
        "ZNIGHT007: Wrong::headers sets a header `x own`, which is not the name of one",
        "ZNIGHT007: Wrong::headers sets the header `x-own` to a value that cannot be sent",
        "ZNIGHT007: Wrong::params takes the path parameter `user_di`, which `/wrong/params/{user_id}` does not have",
        "ZNIGHT007: the status of Wrong::status, 1000, is not one of a final reply",
        "ZNIGHT007: Twice::second answers GET /twice/{a}/{c}, and so does Twice::first",
        "ZNIGHT007: Again::third answers GET /twice/{x}/{y}, and so does Twice::first",
        "ZNIGHT007: the path of Twice::same_name after its controller's: two parameters are named `a`",
    ] {
        assert!(
            messages.iter().any(|message| message.starts_with(expected)),
            "{expected}\n{messages:#?}"
        );
    }
    assert_eq!(messages.len(), 9, "{messages:#?}");
    assert!(
        error
            .report()
            .to_string()
            .contains("did you mean `user_id`?")
    );
}

#[tokio::test]
async fn options_that_are_wrong_are_found_at_boot() {
    let options = HttpOptions::new().request_id_header("x id");
    let error = refused(HttpPlugin::new(options)).await;
    assert_eq!(error.code(), ErrorCode::InvalidAttribute);
    assert!(error.to_string().contains("`x id`"), "{error}");
    let error = refused(HttpPlugin::new(HttpOptions::new().prefix("/{"))).await;
    assert_eq!(error.code(), ErrorCode::InvalidRoute);
}

#[tokio::test]
async fn a_controller_nobody_provides_is_found_at_boot() {
    let plugin = HttpPlugin::default().controller::<Fine>();
    let error = App::boot(Application::builder(Graph::empty()), plugin)
        .await
        .err()
        .expect("it fails");
    assert_eq!(error.code(), ErrorCode::MissingProvider);
}

struct Config {
    prefix: &'static str,
}

#[tokio::test]
async fn options_may_depend_on_the_application() {
    let plugin = HttpPlugin::with(|container| {
        Ok(HttpOptions::new().prefix(container.get::<Config>()?.prefix))
    })
    .controller::<Fine>();
    let builder = Application::builder(Graph::empty())
        .provide_value(Arc::new(Config { prefix: "/api" }))
        .provide::<Fine>();
    let app = App::boot(builder, plugin).await.unwrap();
    assert_eq!(app.get("/api/fine").await.text(), "Fine");
    assert_eq!(app.call(Method::POST, "/api/fine").await.text(), "Fine");
}

#[tokio::test]
async fn an_error_of_the_options_fails_the_boot() {
    let error = refused(HttpPlugin::with(|_| Err("no configuration".into()))).await;
    assert_eq!(error.code(), ErrorCode::LifecycleFailed);
    assert!(error.report().to_string().contains("no configuration"));
}

#[tokio::test]
async fn nothing_is_answered_before_the_application_has_booted() {
    let request = http::Request::new("");
    let error = HttpPlugin::default().inject(request).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::LifecycleFailed);
}

/// The controllers of the graph, as the generated file has them.
struct Marker;

impl h::Controller<7> for Marker {
    const C: h::ControllerDef = <Fine as h::ControllerOn>::C;
}

static HTTP: h::HttpSection = h::HttpSection {
    guards: &[],
    decisions: &[],
    controllers: &[h::ControllerEntry {
        provider: 0,
        def: <Marker as h::Controller<7>>::C,
        inputs: &[],
    }],
    types: &[],
};

static GRAPH: p::GraphData = p::GraphData {
    version: p::METADATA_VERSION,
    compiler: "0.1.0",
    package: "it",
    providers: &[p::Entry {
        token: "it::Fine",
        display: "Fine",
        provider: <Fine as p::Provided>::P,
        scope: p::ScopeKind::Singleton,
        name: None,
        primary: false,
        deps: &[],
        uses: &[],
        asks: &[],
        source: None,
    }],
    order: &[0],
    bindings: &[],
    externals: &[p::External {
        type_id: p::type_id_of::<znight_http::RequestId>,
        display: "RequestId",
        provided_by: "HttpPlugin",
        scope: p::ScopeKind::Request,
    }],
    sections: &[&HTTP],
};

#[tokio::test]
async fn the_controllers_of_the_graph_are_served_and_are_its_entry_points() {
    let graph = Graph::new(&GRAPH);
    assert_eq!(graph.roots(), [0]);
    let app = App::boot(Application::builder(graph), HttpPlugin::default())
        .await
        .unwrap();
    assert_eq!(app.get("/fine").await.text(), "Fine");
    let id = app
        .application
        .container()
        .run_in_scope(async { app.application.container().get::<znight_http::RequestId>() });
    assert!(id.await.unwrap().is_err(), "there is no request");
}
