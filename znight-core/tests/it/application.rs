//! Start, stop, and everything that may go wrong on the way.

use std::sync::Arc;

use futures_util::FutureExt as _;
use znight_core::{
    __private::{Dep, Make, made},
    Application, ApplicationBuilder, ApplicationHandle, ApplicationState as State, Graph, Hooks,
    Plugin, PluginContext, Result, Root, ScopeKind,
};

use crate::support::{
    Act, Node, Script, Scripted, Sketch, async_node, code, entry, external, node,
};

/// Two nodes, the second needs the first, and two plugins.
pub(crate) fn application(script: &Arc<Script>) -> ApplicationBuilder {
    Application::builder(Sketch::of(vec![node::<1>(&[]), node::<2>(&[0])]).graph())
        .provide_value(Arc::clone(script))
        .plugin(Scripted::new("a", script))
        .plugin(Scripted::new("b", script))
        .signals(false)
}

pub(crate) async fn built(script: &Arc<Script>) -> Application {
    let application = application(script).build().await.unwrap();
    script.application(&application);
    application
}

pub(crate) fn log(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

const CREATED: [&str; 6] = [
    "a register",
    "b register",
    "make 1",
    "make 2",
    "a bootstrap",
    "b bootstrap",
];

pub(crate) const STARTED: [&str; 8] = [
    "start 1", "start 2", "a start", "b start", "ready 1", "ready 2", "a ready", "b ready",
];

pub(crate) const STOPPED: [&str; 8] = [
    "b stop",
    "a stop",
    "stop 2",
    "dispose 2",
    "stop 1",
    "dispose 1",
    "b dispose",
    "a dispose",
];

#[tokio::test]
async fn hooks_run_in_order_and_the_stop_in_reverse() {
    let script = Script::new();
    let app = built(&script).await;
    assert_eq!(app.state(), State::Created);
    app.start().await.unwrap();
    assert_eq!(app.state(), State::Ready);
    app.stop().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
    assert_eq!(
        script.lines(),
        log(&[&CREATED[..], &STARTED, &STOPPED].concat())
    );
}

#[tokio::test]
async fn an_application_that_never_started_is_disposed_without_stop_hooks() {
    let script = Script::new();
    let app = built(&script).await;
    script.clear();
    app.stop().await.unwrap();
    assert_eq!(
        script.lines(),
        log(&["dispose 2", "dispose 1", "b dispose", "a dispose"])
    );
    let error = app.start().await.unwrap_err();
    assert!(error.message().contains("it is stopped"), "{error}");
}

#[tokio::test]
async fn a_failing_register_disposes_the_plugins_that_were_asked() {
    let script = Script::new();
    script.act("a register", Act::Fail);
    let error = application(&script).build().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT021: `register` of the plugin a failed"
    );
    assert_eq!(
        std::error::Error::source(&error).unwrap().to_string(),
        "a register failed"
    );
    assert_eq!(script.lines(), log(&["a register", "a dispose"]));
}

#[tokio::test]
async fn a_failing_constructor_rolls_everything_back() {
    let script = Script::new();
    script.act("make 2", Act::Fail);
    script.act("a dispose", Act::Fail);
    let error = application(&script).build().await.unwrap_err();
    assert_eq!(code(&error), "ZNIGHT015");
    assert_eq!(
        script.lines(),
        log(&[
            "a register",
            "b register",
            "make 1",
            "make 2",
            "dispose 1",
            "b dispose",
            "a dispose"
        ])
    );
    assert_eq!(
        error.suppressed()[0].errors()[0].message(),
        "`on_dispose` of the plugin a failed"
    );
}

#[tokio::test]
async fn a_failing_bootstrap_rolls_everything_back() {
    let script = Script::new();
    script.act("b bootstrap", Act::Panic);
    let error = application(&script).build().await.unwrap_err();
    assert_eq!(error.message(), "`on_bootstrap` of the plugin b failed");
    assert_eq!(
        script.lines()[CREATED.len()..],
        log(&["dispose 2", "dispose 1", "b dispose", "a dispose"])
    );
}

#[tokio::test]
async fn a_failing_start_hook_stops_what_had_started() {
    let script = Script::new();
    let app = built(&script).await;
    script.clear();
    script.act("start 2", Act::Fail);
    let error = app.start().await.unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT021: `on_start` of Node<2> failed");
    assert_eq!(error.place().unwrap().to_string(), "src/test.rs:7");
    assert_eq!(app.state(), State::Failed);
    assert_eq!(
        script.lines(),
        log(&[
            "start 1",
            "start 2",
            "dispose 2",
            "stop 1",
            "dispose 1",
            "b dispose",
            "a dispose"
        ])
    );
    app.stop().await.unwrap();
}

#[tokio::test]
async fn a_plugin_that_fails_to_start_is_disposed_but_not_stopped() {
    let script = Script::new();
    let app = built(&script).await;
    script.act("b start", Act::Fail);
    script.act("dispose 1", Act::Fail);
    script.clear();
    let error = app.start().await.unwrap_err();
    assert_eq!(error.message(), "`on_start` of the plugin b failed");
    assert_eq!(
        error.suppressed()[0].errors()[0].message(),
        "`dispose` of Node<1> failed"
    );
    assert_eq!(
        script.lines()[4..],
        log(&[
            "a stop",
            "stop 2",
            "dispose 2",
            "stop 1",
            "dispose 1",
            "b dispose",
            "a dispose"
        ])
    );
}

#[tokio::test]
async fn what_is_created_on_demand_is_not_started_but_disposed() {
    let script = Script::new();
    let app = application(&script)
        .only([Root::of::<Node<1>>()])
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    app.container().get::<Node<2>>().unwrap();
    app.stop().await.unwrap();
    let lines = script.lines();
    assert!(!lines.contains(&"start 2".to_owned()) && !lines.contains(&"stop 2".to_owned()));
    assert!(lines.contains(&"dispose 2".to_owned()), "{lines:?}");
}

#[tokio::test]
async fn hooks_and_the_application_are_injected() {
    struct Job(Arc<ApplicationHandle>, Arc<Hooks>);
    let graph = Sketch::of(vec![entry::<Job>(
        Make::Plain(|d| made::<Job, _>(Job(d.next(), d.next()))),
        &[Dep::External(1), Dep::External(2)],
    )])
    .external(external::<ApplicationHandle>("", ScopeKind::Singleton))
    .external(external::<Hooks>("", ScopeKind::Singleton))
    .graph();
    let app = Application::builder(graph)
        .signals(false)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    let job = app.container().get::<Job>().unwrap();
    assert!(Arc::ptr_eq(&job.1, app.hooks()));
    assert_eq!(job.0.state(), State::Ready);
    job.0.stop().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
    drop(app);
    assert!(job.0.upgrade().is_none());
    job.0.stop().await.unwrap();
}

#[tokio::test]
async fn a_restricted_boot_creates_entry_points_overrides_and_what_plugins_ask_for() {
    let graph = |entry_points: &'static [u32]| {
        Sketch::of(vec![
            node::<1>(&[1]),
            node::<2>(&[]),
            node::<3>(&[]),
            async_node::<4>(&[]),
            node::<5>(&[]),
        ])
        .entry_points(entry_points)
        .graph()
    };
    let script = Script::new();
    let plugin = || Scripted {
        roots: vec![Root::of::<Node<4>>(), Root::of::<String>()],
        ..Scripted::new("p", &script)
    };
    let build = |entry_points| {
        Application::builder(graph(entry_points))
            .provide_value(Arc::clone(&script))
            .plugin(plugin())
            .only_entry_points()
            .signals(false)
            .build()
    };
    let app = build(&[0]).await.unwrap();
    let made = || {
        let lines = script.lines();
        let mut made: Vec<String> = lines
            .into_iter()
            .filter(|l| l.starts_with("make"))
            .collect();
        made.sort();
        script.clear();
        made
    };
    assert_eq!(made(), ["make 1", "make 2", "make 4"]);
    drop(app);
    drop(build(&[]).await.unwrap());
    assert_eq!(made().len(), 5, "everything when there is no entry point");
}

#[test]
fn an_application_needs_a_runtime() {
    let build = Application::builder(Graph::empty()).build();
    let error = build.now_or_never().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT021: an application needs a tokio runtime"
    );
}

#[tokio::test]
async fn what_a_dropped_application_made_is_freed() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    let node = Arc::downgrade(&app.container().get::<Node<1>>().unwrap());
    app.stop().await.unwrap();
    assert!(node.upgrade().is_some());
    drop(app);
    tokio::task::yield_now().await;
    assert!(
        node.upgrade().is_none(),
        "somebody still owns the container"
    );
}

/// Ends the application as soon as it is ready.
struct OneShot;

impl Plugin for OneShot {
    fn name(&self) -> &'static str {
        "one-shot"
    }

    async fn on_ready(&self, context: &PluginContext) -> Result {
        context.application().stop().await?;
        Ok(())
    }
}

#[tokio::test]
async fn run_ends_when_the_application_is_stopped_from_within() {
    let code = Application::builder(Graph::empty())
        .plugin(OneShot)
        .signals(false)
        .run()
        .await;
    let success = std::process::ExitCode::SUCCESS;
    assert_eq!(format!("{code:?}"), format!("{success:?}"));
}
