//! Decisions of routes, as their guards read them.

use whole::journal::Journal;
use znight::{
    AnyDecision, Decision, Enforcement, ErrorCode, Guard, HttpContext, HttpError, HttpOptions,
    HttpPlugin, controller, injectable,
};
use znight_testing::TestApp;

use crate::{Tested, start};

#[tokio::test]
async fn a_route_is_what_it_or_its_controller_is_decided_to_be() -> Tested {
    let app = start().await?;
    for (path, name, text) in [
        ("/house", "ada", "inside"),
        ("/house", "grace", "inside"),
        ("/house/garden", "nobody", "garden"),
        ("/house/attic", "ada", "attic"),
    ] {
        let reply = app.get(path).header("x-name", name).await?;
        assert_eq!(reply.assert_status(200).text(), text, "{path}");
    }
    for (path, status, message) in [
        ("/house", 403, "for ada, grace"),
        ("/house/attic", 403, "for ada"),
        ("/house/cellar", 429, "it is full"),
    ] {
        let reply = app.get(path).header("x-name", "eve").await?;
        assert_eq!(reply.status(), status, "{path}");
        assert!(reply.text().contains(message), "{}", reply.text());
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn the_list_of_routes_shows_what_each_is_decided_to_be() -> Tested {
    let app = start().await?;
    let plugin = app
        .application()
        .plugin::<HttpPlugin>()
        .expect("it is there");
    let shown: Vec<String> = plugin
        .routes()
        .iter()
        .filter(|route| route.info.controller == "House")
        .map(|route| {
            let decisions = route.info.decisions.iter().map(ToString::to_string);
            format!(
                "{} {}: {} [{}]",
                route.info.method,
                route.info.path,
                decisions.collect::<Vec<_>>().join(", "),
                route.guards.join(", ")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "GET /house: for = [\"ada\", \"grace\"], house:crowd = 2 [Porter]",
            "GET /house/garden: house:crowd = 2, open [Porter]",
            "HEAD /house/garden/gate: house:crowd = 2, open [Porter]",
            "GET /house/attic: for = [\"ada\"], house:crowd = 1 [Porter]",
            "GET /house/cellar: for = [\"ada\", \"grace\"], house:crowd = 0 [Porter]",
        ]
    );
    app.close().await?;
    Ok(())
}

/// The same decision that the application has, in a test.
const OPEN: Decision = Decision::flag("open").group("entry");

#[injectable]
struct Shed;

#[controller("/shed")]
#[decide(OPEN)]
impl Shed {
    #[get]
    async fn get(&self) -> &'static str {
        std::future::ready("shed").await
    }
}

fn with_a_shed(options: HttpOptions) -> HttpPlugin {
    HttpPlugin::new(options).controller::<Shed>()
}

#[tokio::test]
async fn a_controller_of_a_test_is_checked_with_those_of_the_application() -> Tested {
    let started = TestApp::builder(whole::graph())
        .provide::<Shed>()
        .plugin(with_a_shed(HttpOptions::new()))
        .start()
        .await;
    let error = started.expect_err("nobody enforces it");
    assert_eq!(error.code(), ErrorCode::MissingDecision);
    let message = error.message();
    assert_eq!(
        message,
        "no guard enforces the group \"entry\" on 1 route: GET /shed (Shed::get)"
    );
    assert!(
        error.hints()[0].contains("enforce \"entry\": Porter;"),
        "{:?}",
        error.hints()
    );
    let app = TestApp::builder(whole::graph())
        .provide::<Shed>()
        .plugin(with_a_shed(
            HttpOptions::new().enforcement(Enforcement::Warn),
        ))
        .start()
        .await?;
    assert_eq!(app.get("/shed").await?.text(), "shed");
    assert!(app.container().get::<Journal>().is_ok());
    app.close().await?;
    Ok(())
}

/// Another decision of the application's group.
const LOCKED: Decision = Decision::flag("locked").group("entry").required();

#[injectable]
struct Locksmith;

impl Guard for Locksmith {
    const ENFORCES: &'static [&'static dyn AnyDecision] = &[&LOCKED];

    async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_guard_with_another_opinion_of_a_group_is_refused() -> Tested {
    let started = TestApp::builder(whole::graph())
        .provide::<Locksmith>()
        .plugin(HttpPlugin::new(HttpOptions::new().guard::<Locksmith>()))
        .start()
        .await;
    let error = started.expect_err("they contradict");
    assert_eq!(error.code(), ErrorCode::InvalidAttribute);
    assert!(
        error.message().starts_with("the guard Locksmith"),
        "{error}"
    );
    Ok(())
}
