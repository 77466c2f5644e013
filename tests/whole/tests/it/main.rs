//! Everything the attributes offer, from the source to the answer.

mod beds;
mod checked;
mod decided;
mod extracted;
mod intercepted;
mod requests;
mod restarts;

use std::sync::Arc;

use whole::{
    Bell, Outer, Recorder,
    journal::Journal,
    shop::{Clock, Limit, Service, Store},
};
use znight::{HttpOptions, HttpPlugin, async_trait, controller, http::Method, injectable};
use znight_testing::TestApp;

type Tested = Result<(), znight::BoxError>;

async fn start() -> Result<TestApp, znight::Error> {
    TestApp::builder(whole::graph())
        .plugin(HttpPlugin::default())
        .start()
        .await
}

#[tokio::test]
async fn every_form_of_injection_is_filled() -> Tested {
    let app = start().await?;
    let service = app.container().get::<Service>()?;
    assert_eq!(service.store.name(), "main on memory");
    assert_eq!(service.archive.name(), "archive");
    let names: Vec<String> = service.all.iter().map(|store| store.name()).collect();
    assert_eq!(names, ["archive", "main on memory"], "ordered by token");
    assert_eq!(service.limit, Limit(7));
    assert_ne!(
        service.tickets.0.number(),
        service.tickets.1.number(),
        "a transient for each"
    );
    assert!(service.absent.is_none());
    assert!(Arc::ptr_eq(&service.lazy.get()?, &service));
    assert_eq!(service.clock.now(), 42);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn lookups_by_type_trait_name_and_token() -> Tested {
    let app = start().await?;
    let container = app.container();
    assert_eq!(
        container.get::<dyn Store>()?.name(),
        "main on memory",
        "the primary one"
    );
    assert_eq!(
        container.get_named::<dyn Store>("archive")?.name(),
        "archive"
    );
    assert!(
        container
            .get_by_token::<Service>("whole::shop::Service")
            .is_ok()
    );
    assert!(container.get_by_token::<Service>("Service").is_ok());
    assert!(container.has::<dyn Clock>());
    assert_eq!(
        container.token_of::<Service>().as_deref(),
        Some("whole::shop::Service")
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn the_life_of_the_parts_has_one_order() -> Tested {
    let app = start().await?;
    let journal = app.container().get::<Journal>()?;
    assert_eq!(
        journal.take(),
        [
            "pool opened",
            "service made",
            "pool warmed",
            "service started",
            "service ready"
        ]
    );
    app.close().await?;
    assert_eq!(
        journal.take(),
        ["service stopped", "service disposed", "pool closed"]
    );
    Ok(())
}

#[tokio::test]
async fn guards_and_interceptors_run_from_the_outside_in() -> Tested {
    let options = || HttpOptions::new().guard::<Outer>().interceptor::<Outer>();
    let app = TestApp::builder(whole::graph())
        .plugin(HttpPlugin::new(options()))
        .start()
        .await?;
    let journal = app.container().get::<Journal>()?;
    journal.take();
    let response = app.get("/visits/7").await?;
    assert_eq!(response.text(), "7 of /visits/7");
    assert_eq!(response.header("x-seen"), Some("members"));
    assert_eq!(
        journal.take(),
        [
            "guard: application",
            "guard: controller",
            "guard: route /visits/7",
            "before: application",
            "before: controller",
            "before: route",
            "handler",
            "after: application",
            "recorder disposed",
        ]
    );
    let refused = app.get("/visits/7").header("x-member", "no").await?;
    assert_eq!(refused.status(), 403);
    assert_eq!(
        refused.json::<serde_json::Value>()?["message"],
        "members only"
    );
    assert_eq!(journal.take(), ["guard: application", "guard: controller"]);
    assert!(
        app.container().get::<Recorder>().is_err(),
        "there is no request"
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn every_form_of_handler_answers() -> Tested {
    let app = TestApp::builder(whole::graph())
        .plugin(HttpPlugin::default())
        .answer_panics()
        .start()
        .await?;
    let text = async |path: &str| -> Result<String, znight::Error> {
        let response = app.get(path).await?;
        Ok(format!(
            "{} {}",
            response.status().as_u16(),
            response.text()
        ))
    };
    assert_eq!(text("/orders/1").await?, r#"200 {"id":1,"unitPrice":5}"#);
    assert_eq!(
        text("/orders/3").await?,
        r#"404 {"statusCode":404,"error":"Not Found","message":"order 3 not found"}"#
    );
    assert_eq!(
        text("/orders/2").await?,
        r#"409 {"statusCode":409,"error":"Conflict","message":"order 2 is closed","details":{"id":2}}"#
    );
    assert_eq!(
        text("/orders/0").await?,
        r#"503 {"statusCode":503,"error":"Service Unavailable"}"#
    );
    assert_eq!(app.get("/orders/0").await?.headers()["retry-after"], "30");
    assert!(
        text("/orders/x").await?.starts_with("400 ")
            && text("/orders/x").await?.contains(r#"param \"id\""#)
    );
    assert_eq!(
        text("/orders/search").await?,
        r#"200 ["Newest [] 0 None None None"]"#
    );
    assert_eq!(
        text("/orders/search?sort=oldest&tag=a&tag=b&page=2&size=5").await?,
        r#"200 ["Oldest [\"a\", \"b\"] 2 Some(5) None None"]"#
    );
    assert!(
        text("/orders/search?sort=best")
            .await?
            .contains(r#"query \"sort\""#)
    );
    assert_eq!(text("/orders/files/a/b%20c.txt").await?, "200 a/b c.txt");
    assert_eq!(text("/orders/all/x/y").await?, r#"200 {"a":"x","b":"y"}"#);
    assert_eq!(text("/orders/echo").await?, "200 GET /orders/echo");
    assert_eq!(
        text("/orders/stores").await?,
        r#"200 [["archive",1],["main on memory",2]]"#
    );
    assert_eq!(
        text("/orders/panic").await?,
        r#"500 {"statusCode":500,"error":"Internal Server Error"}"#
    );
    assert_eq!(
        text("/orders/broken").await?,
        r#"500 {"statusCode":500,"error":"Internal Server Error"}"#
    );

    let order = serde_json::json!({"id": 9, "unitPrice": 1});
    let created = app.post("/orders").json(&order).await?;
    assert_eq!(
        (created.status().as_u16(), created.header("location")),
        (201, Some("/orders/9"))
    );
    for (method, path) in [(Method::PUT, "/orders/9"), (Method::PATCH, "/orders/9")] {
        let changed = app.request(method.clone(), path).json(&order).await?;
        assert_eq!(
            (changed.status().as_u16(), changed.header("x-kind")),
            (202, Some("change")),
            "{method}"
        );
    }
    let missing = app.put("/orders/8").json(&order).await?;
    assert_eq!(missing.status(), 404, "None");
    let empty = app.put("/orders/8").await?;
    assert_eq!(empty.status(), 404, "no body is no order");
    let removed = app.delete("/orders/9").await?;
    assert_eq!((removed.status().as_u16(), &*removed.text()), (204, ""));
    assert_eq!(
        app.delete("/orders/echo").await?.text(),
        "DELETE /orders/echo"
    );
    let refused = app.post("/orders/1").await?;
    assert_eq!(refused.status(), 405);
    assert_eq!(
        refused.header("allow"),
        Some("GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
    );
    let agent = app
        .get("/orders/search")
        .header("user-agent", "me")
        .header("accept-language", "en")
        .await?;
    assert_eq!(
        agent.text(),
        r#"["Newest [] 0 None Some(\"en\") Some(\"me\")"]"#
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn arguments_may_be_constants() -> Tested {
    let app = start().await?;
    assert_eq!(app.get("/times/7").await?.text(), "7: 12 and 24");
    let bell = app.container().get_named::<Bell>("night-2")?;
    assert_eq!(bell.0, 24);
    app.close().await?;
    Ok(())
}

const PROBE: &str = "/probe";
const LOUD: &str = "loud";

/// Stands for itself, outside of the modules the build reads.
#[injectable(name = LOUD)]
struct Probe {
    #[inject(Self::BELL)]
    bell: Arc<Bell>,
}

impl Probe {
    const BELL: &'static str = "noon";
}

#[controller(PROBE)]
impl Probe {
    #[get("/{id}")]
    fn get(&self, id: u64) -> String {
        format!("{id} at {}", self.bell.0)
    }
}

#[tokio::test]
async fn constants_stand_for_themselves_where_the_build_does_not_look() -> Tested {
    let app = TestApp::builder(whole::graph())
        .plugin(HttpPlugin::default().controller::<Probe>())
        .provide::<Probe>()
        .start()
        .await?;
    assert_eq!(app.get("/probe/3").await?.text(), "3 at 12");
    assert!(app.container().get_named::<Probe>(LOUD).is_ok());
    app.close().await?;
    Ok(())
}

struct Nothing;

#[async_trait]
impl Store for Nothing {
    fn name(&self) -> String {
        "nothing".to_owned()
    }
    async fn count(&self) -> usize {
        0
    }
}

#[tokio::test]
async fn an_overridden_part_is_handed_out_and_what_it_needed_is_not_created() -> Tested {
    let app = TestApp::builder(whole::graph())
        .plugin(HttpPlugin::default())
        .override_value::<dyn Store>(Arc::new(Nothing))
        .start()
        .await?;
    let journal = app.container().get::<Journal>()?;
    assert!(
        !journal.take().contains(&"pool opened".to_owned()),
        "only the replaced store needed the pool"
    );
    assert_eq!(
        app.get("/orders/stores").await?.text(),
        r#"[["archive",1],["nothing",0]]"#
    );
    assert_eq!(app.container().get::<dyn Store>()?.name(), "nothing");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_constructor_that_fails_is_named_with_the_way_to_it() {
    let journal = Arc::new(Journal::default());
    let failed = TestApp::builder(whole::graph())
        .plugin(HttpPlugin::default())
        .override_value::<Journal>(Arc::clone(&journal))
        .override_named::<String>("url", Arc::new("nowhere".to_owned()))
        .start()
        .await;
    let error = failed.expect_err("the boot fails");
    assert_eq!(error.code(), znight::ErrorCode::InstantiationFailed);
    let report = error.report().to_string();
    for part in [
        "ZNIGHT015: failed to create Settings::pool",
        "path: Orders -> Service -> Main -> Settings::pool",
        "at: src/shop.rs:",
        "cause: nobody listens at nowhere",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    assert_eq!(
        journal.take(),
        ["pool opened"],
        "and nothing that needs it was made"
    );
}
