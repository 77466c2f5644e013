//! Start, stop, and everything that may go wrong on the way.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use tokio::sync::Notify;
use znight_core::{
    __private::{Dep, Make, made},
    Application, ApplicationBuilder, ApplicationHandle, ApplicationState as State, Error,
    ErrorCode, Graph, Hooks, Plugin, PluginContext, Result, Root, ScopeKind,
    capability::InMemoryRequests,
};

use crate::support::{
    Act, Node, Script, Scripted, Sketch, async_node, code, entry, external, node,
};

/// Two nodes, the second needs the first, and two plugins.
fn application(script: &Arc<Script>) -> ApplicationBuilder {
    Application::builder(Sketch::of(vec![node::<1>(&[]), node::<2>(&[0])]).graph())
        .provide_value(Arc::clone(script))
        .plugin(Scripted::new("a", script))
        .plugin(Scripted::new("b", script))
        .signals(false)
}

async fn built(script: &Arc<Script>) -> Application {
    let application = application(script).build().await.unwrap();
    script.application(&application);
    application
}

fn log(lines: &[&str]) -> Vec<String> {
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
const STARTED: [&str; 8] = [
    "start 1", "start 2", "a start", "b start", "ready 1", "ready 2", "a ready", "b ready",
];
const STOPPED: [&str; 8] = [
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
async fn stopping_again_waits_for_the_first_stop() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    script.clear();
    let (a, b) = tokio::join!(app.stop(), app.stop());
    a.unwrap();
    b.unwrap();
    app.stop().await.unwrap();
    assert_eq!(script.lines(), log(&STOPPED));
}

#[tokio::test]
async fn a_start_only_happens_once() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    assert_eq!(code(&app.start().await.unwrap_err()), "ZNIGHT021");
    assert_eq!(app.state(), State::Ready);
    app.stop().await.unwrap();
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
async fn every_step_of_a_stop_is_attempted_and_the_failures_are_one_error() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    script.clear();
    for step in ["b stop", "stop 2", "a dispose"] {
        script.act(step, Act::Fail);
    }
    script.act("dispose 2", Act::Panic);
    let error = app.stop().await.unwrap_err();
    assert_eq!(code(&error), "ZNIGHT021");
    let messages: Vec<&str> = error
        .errors()
        .iter()
        .map(znight_core::Error::message)
        .collect();
    assert_eq!(
        messages,
        [
            "`on_stop` of the plugin b failed",
            "`on_stop` of Node<2> failed",
            "`dispose` of Node<2> failed",
            "`on_dispose` of the plugin a failed",
        ]
    );
    assert_eq!(script.lines(), log(&STOPPED));
    assert_eq!(app.state(), State::Stopped);
    assert_eq!(code(&app.stop().await.unwrap_err()), "ZNIGHT021");
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_hangs_is_given_up_after_its_budget() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    script.act("stop 2", Act::Hang);
    let error = app.stop().await.unwrap_err();
    assert_eq!(
        error.errors()[0].message(),
        "`on_stop` of Node<2> did not finish within 5s"
    );
    assert!(script.lines().ends_with(&log(&["a dispose"])));
}

#[tokio::test(start_paused = true)]
async fn the_whole_stop_has_a_budget_and_the_rest_is_still_attempted() {
    let script = Script::new();
    let app = application(&script)
        .timeout(Duration::from_secs(3))
        .hook_timeout(Duration::MAX)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    script.clear();
    script.act("b stop", Act::Hang);
    let error = app.stop().await.unwrap_err();
    assert_eq!(
        error.errors()[0].message(),
        "`on_stop` of the plugin b did not finish within what was left of 3s"
    );
    assert_eq!(
        error.errors().len(),
        1,
        "steps that need no time succeed: {error:?}"
    );
    assert_eq!(script.lines(), log(&STOPPED));
}

#[tokio::test(start_paused = true)]
async fn without_limits_a_stop_waits() {
    let script = Script::new();
    let app = application(&script)
        .timeout(Duration::MAX)
        .hook_timeout(Duration::MAX)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    let gate = Arc::new(Notify::new());
    script.act("stop 1", Act::Wait(Arc::clone(&gate)));
    let stop = tokio::spawn(app.stop());
    tokio::time::sleep(Duration::from_secs(86_400)).await; // on the paused clock
    assert!(!stop.is_finished());
    gate.notify_one();
    stop.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_stop_during_the_start_waits_for_it() {
    let script = Script::new();
    let app = built(&script).await;
    let gate = Arc::new(Notify::new());
    script.act("start 2", Act::Wait(Arc::clone(&gate)));
    script.clear();
    let start = tokio::spawn({
        let app = app.clone();
        async move { app.start().await }
    });
    tokio::task::yield_now().await;
    let stop = tokio::spawn(app.stop());
    tokio::task::yield_now().await;
    assert_eq!(app.state(), State::Starting);
    gate.notify_one();
    start.await.unwrap().unwrap();
    stop.await.unwrap().unwrap();
    let mut expected = STARTED.to_vec();
    expected.insert(2, "start 2 goes on");
    expected.extend(STOPPED);
    assert_eq!(script.lines(), log(&expected));
}

#[tokio::test]
async fn a_stop_asked_for_by_a_start_hook_runs_right_away() {
    for act in [Act::Stop, Act::StopInPassing] {
        let script = Script::new();
        let app = built(&script).await;
        script.clear();
        script.act("start 2", act);
        app.start().await.unwrap();
        assert_eq!(app.state(), State::Stopped);
        let lines = script.lines();
        assert_eq!(lines[..2], log(&["start 1", "start 2"]));
        assert!(!lines.contains(&"a start".to_owned()), "{lines:?}");
        assert!(lines.contains(&"stop 1".to_owned()), "{lines:?}");
        assert!(
            lines.ends_with(&log(&["b dispose", "a dispose"])),
            "{lines:?}"
        );
    }
}

#[tokio::test]
async fn a_stop_asked_for_by_a_plugin_that_is_getting_ready_stops_everything() {
    let script = Script::new();
    let app = built(&script).await;
    script.clear();
    script.act("a ready", Act::Stop);
    app.start().await.unwrap();
    assert_eq!(script.lines(), log(&[&STARTED[..7], &STOPPED].concat()));
}

#[tokio::test]
async fn a_start_hook_that_fails_after_it_stopped_the_application_fails_the_start() {
    let script = Script::new();
    let app = built(&script).await;
    script.act("start 2", Act::StopAndFail);
    let error = app.start().await.unwrap_err();
    assert_eq!(error.message(), "`on_start` of Node<2> failed");
    assert_eq!(app.state(), State::Stopped);
}

#[tokio::test]
async fn a_waiting_stop_is_released_by_the_stop_of_a_start_hook() {
    let script = Script::new();
    let app = built(&script).await;
    let gate = Arc::new(Notify::new());
    script.act("start 1", Act::Wait(Arc::clone(&gate)));
    script.act("start 2", Act::Stop);
    let start = tokio::spawn({
        let app = app.clone();
        async move { app.start().await }
    });
    tokio::task::yield_now().await;
    let waiting = tokio::spawn(app.stop());
    tokio::task::yield_now().await;
    gate.notify_one();
    waiting.await.unwrap().unwrap();
    start.await.unwrap().unwrap();
    assert_eq!(app.state(), State::Stopped);
}

#[tokio::test]
async fn a_start_that_is_dropped_does_not_hold_up_the_stop() {
    let script = Script::new();
    let app = built(&script).await;
    script.act("start 2", Act::Hang);
    assert!(app.start().now_or_never().is_none(), "pending, and dropped");
    app.stop().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
    assert!(script.lines().contains(&"stop 1".to_owned()));
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
async fn plugins_need_names_of_their_own() {
    let script = Script::new();
    let error = application(&script)
        .plugin(Scripted::new("a", &script))
        .build()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT004: two plugins are named a");
    let error = application(&script)
        .plugin(Scripted::new("", &script))
        .build()
        .await
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT005");
    assert!(script.lines().is_empty());
}

/// Supplies a value, offers a capability, and looks at what others did.
struct Clock(u32);
struct ClockPlugin;

trait Ticks: Send + Sync {
    fn ticks(&self) -> u32;
}

impl Ticks for Clock {
    fn ticks(&self) -> u32 {
        self.0
    }
}

impl Plugin for ClockPlugin {
    fn name(&self) -> &'static str {
        "clock"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        assert!(
            context.container().get::<Clock>().is_err(),
            "nothing can be resolved yet"
        );
        context.register_value(Arc::new(Clock(1)))?;
        Ok(())
    }

    async fn on_bootstrap(&self, context: &PluginContext) -> Result {
        let clock = context.container().get::<Clock>()?;
        context.offer::<dyn Ticks>(clock);
        assert!(context.plugin::<Self>().is_some() && context.plugin::<Scripted>().is_none());
        assert_eq!(context.graph().package(), "test");
        context.hooks().emit(&Clock(3));
        context.application().handle().state();
        let late = context
            .register_value(Arc::new("late".to_owned()))
            .unwrap_err();
        assert_eq!(late.code(), ErrorCode::ContainerSealed);
        Ok(())
    }
}

#[tokio::test]
async fn a_plugin_supplies_externals_and_offers_capabilities() {
    struct User(Arc<Clock>);
    let graph = Sketch::of(vec![entry::<User>(
        Make::Plain(|d| made::<User, _>(User(d.next()))),
        &[Dep::External(1)],
    )])
    .external(external::<Clock>("ClockPlugin", ScopeKind::Singleton))
    .graph();
    let app = Application::builder(graph)
        .plugin(ClockPlugin)
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(app.container().get::<User>().unwrap().0.0, 1);
    assert_eq!(app.capability::<dyn Ticks>().unwrap().ticks(), 1);
    assert!(app.capability::<dyn InMemoryRequests>().is_none());
    assert!(app.plugin::<ClockPlugin>().is_some());
    app.stop().await.unwrap();

    let error = Application::builder(graph)
        .signals(false)
        .build()
        .await
        .unwrap_err();
    assert_eq!(error.hints(), ["add ClockPlugin to the application"]);
}

#[tokio::test]
async fn an_override_replaces_what_a_plugin_supplies() {
    let app = Application::builder(Graph::empty())
        .override_value(Arc::new(Clock(9)))
        .plugin(ClockPlugin)
        .signals(false);
    // The assertion on the package name fails in `on_bootstrap`, and is reported.
    let error = app.build().await.unwrap_err();
    assert_eq!(error.message(), "`on_bootstrap` of the plugin clock failed");

    let app = Application::builder(Sketch::of(vec![]).graph())
        .override_value(Arc::new(Clock(9)))
        .plugin(ClockPlugin)
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(app.capability::<dyn Ticks>().unwrap().ticks(), 9);
}

/// Supplies the same as [`ClockPlugin`].
struct Rival;

impl Plugin for Rival {
    fn name(&self) -> &'static str {
        "rival"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        context.register_value(Arc::new(Clock(2)))?;
        Ok(())
    }
}

#[tokio::test]
async fn two_plugins_that_supply_one_type_are_both_named() {
    let error = Application::builder(Graph::empty())
        .plugin(ClockPlugin)
        .plugin(Rival)
        .signals(false)
        .build()
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT004: Clock is supplied by the plugin clock and by the plugin rival"
    );
}

/// An error with a code of its own.
struct Strict;

impl Plugin for Strict {
    fn name(&self) -> &'static str {
        "strict"
    }

    async fn on_bootstrap(&self, _context: &PluginContext) -> Result {
        Err(Error::new(ErrorCode::InvalidRoute, "two routes").into())
    }
}

#[tokio::test]
async fn an_error_with_a_code_passes_through() {
    let error = Application::builder(Graph::empty())
        .plugin(Strict)
        .signals(false)
        .build()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT007: two routes");
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
    app.stop().await.unwrap();
    let node = Arc::downgrade(&app.container().get::<Node<1>>().unwrap());
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

#[test]
fn a_runtime_without_a_clock_is_reported_by_the_stop() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let app = built(&Script::new()).await;
        let error = app.stop().await.unwrap_err();
        assert_eq!(error.errors()[0].message(), "the shutdown was cut short");
    });
}

#[test]
fn a_stop_whose_runtime_is_gone_does_not_wait_for_ever() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let first = runtime();
    let app = first.block_on(async { built(&Script::new()).await });
    drop(first);
    let error = runtime().block_on(app.stop()).unwrap_err();
    assert_eq!(error.message(), "the runtime ended before the shutdown did");
}
