//! What is created, started and stopped, and when.

use std::sync::{Arc, Mutex};

use znight_core::{
    __private::{Entry, GraphData, Lifecycle, METADATA_VERSION, Make, made, provider},
    ApplicationState, Definition, Graph, Result, Root, ScopeKind, Section,
};
use znight_testing::TestApp;

use crate::support::{EchoPlugin, echo};

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
        asks: &[],
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

#[tokio::test]
async fn an_application_that_is_built_answers_and_starts_when_it_is_told_to() -> Result {
    let app = TestApp::builder(Graph::new(&GRAPH))
        .plugin(EchoPlugin::default())
        .build()
        .await?;
    assert_eq!(app.application().state(), ApplicationState::Created);
    app.get("/").await?.assert_ok();
    app.start().await?;
    assert_eq!(app.application().state(), ApplicationState::Ready);
    assert!(app.start().await.is_err(), "it starts once");
    app.close().await?;
    assert_eq!(app.application().state(), ApplicationState::Stopped);

    // One that never started is closed all the same.
    let app = TestApp::builder(Graph::new(&GRAPH)).build().await?;
    app.close().await?;
    assert_eq!(app.application().state(), ApplicationState::Stopped);
    Ok(())
}

#[znight::injectable(as(dyn Named))]
struct Fake;

trait Named: Send + Sync {
    fn name(&self) -> String;
}

impl Named for Fake {
    fn name(&self) -> String {
        "fake".to_owned()
    }
}

struct Own(&'static str);

impl Named for Own {
    fn name(&self) -> String {
        self.0.to_owned()
    }
}

#[tokio::test]
async fn parts_are_supplied_and_replaced_by_definitions_too() -> Result {
    let own =
        |name| Definition::<dyn Named>::new(move || -> Arc<dyn Named> { Arc::new(Own(name)) });
    let app = TestApp::builder(Graph::new(&GRAPH))
        .provide_definition(own("own"))
        .override_token("First", Arc::new(First))
        .start()
        .await?;
    assert_eq!(app.container().get::<dyn Named>()?.name(), "own");
    assert_eq!(app.why::<First>(), "First is a value that was supplied");
    app.close().await?;

    let builder = || TestApp::builder(Graph::new(&GRAPH)).provide_definition(own("own"));
    let app = builder()
        .override_provider::<dyn Named, Fake>()
        .start()
        .await?;
    assert_eq!(app.container().get::<dyn Named>()?.name(), "fake");
    app.close().await?;
    let app = builder()
        .override_definition::<dyn Named, _>(own("other"))
        .start()
        .await?;
    assert_eq!(app.container().get::<dyn Named>()?.name(), "other");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn closing_twice_stops_once() -> Result {
    let app = echo().await?;
    let (first, second) = tokio::join!(app.close(), app.close());
    first?;
    second?;
    app.close().await?;
    assert_eq!(app.application().state(), ApplicationState::Stopped);
    Ok(())
}

#[tokio::test]
async fn why_something_was_created_is_told() -> Result {
    let app = TestApp::builder(Graph::new(&GRAPH)).start().await?;
    assert_eq!(
        app.why::<First>(),
        "First was created at boot:\n   First, an entry point of the graph"
    );
    assert_eq!(
        app.why::<Second>(),
        "Second has not been created: nothing that is created at boot leads to it, and nobody has asked for it"
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_closed_application_answers_nothing() -> Result {
    let app = TestApp::builder(Graph::empty())
        .plugin(EchoPlugin::default())
        .start()
        .await?;
    app.get("/").await?.assert_ok();
    app.close().await?;
    let error = app.get("/").await.expect_err("it is closed");
    assert_eq!(
        error.to_string(),
        "ZNIGHT021: the application answers no requests: it is stopped"
    );
    Ok(())
}
