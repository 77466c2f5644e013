//! The creation of an application, and what is undone at which step.

use std::{
    pin::pin,
    sync::{Arc, Mutex},
};

use futures_util::FutureExt as _;
use tokio::sync::Notify;
use znight_core::{
    Application, ApplicationBuilder, ApplicationHandle, ApplicationState as State, Definition,
    Dispose, Error, Graph, OnReady, OnStart, OnStop, Plugin, PluginContext, Result,
};

use crate::support::{Act, Doing, Node, Script, Scripted, Sketch, async_node, code, node};

/// Two nodes, the second needs the first, and three plugins.
fn application(script: &Arc<Script>) -> ApplicationBuilder {
    Application::builder(Sketch::of(vec![node::<1>(&[]), node::<2>(&[0])]).graph())
        .provide_value(Arc::clone(script))
        .plugin(Scripted::new("a", script))
        .plugin(Scripted::new("b", script))
        .plugin(Scripted::new("c", script))
        .signals(false)
}

const EVERYTHING: [&str; 18] = [
    "a register",
    "b register",
    "c register",
    "make 1",
    "make 2",
    "a bootstrap",
    "b bootstrap",
    "c bootstrap",
    "start 1",
    "start 2",
    "a start",
    "b start",
    "c start",
    "ready 1",
    "ready 2",
    "a ready",
    "b ready",
    "c ready",
];

/// A step, the error when it fails, and what is undone then.
const UNDONE: [(&str, &str, &[&str]); 7] = [
    (
        "b register",
        "ZNIGHT021: `register` of the plugin b failed",
        &["b dispose", "a dispose"],
    ),
    (
        "make 2",
        "ZNIGHT015: failed to create Node<2>",
        &["dispose 1", "c dispose", "b dispose", "a dispose"],
    ),
    (
        "b bootstrap",
        "ZNIGHT021: `on_bootstrap` of the plugin b failed",
        &[
            "dispose 2",
            "dispose 1",
            "c dispose",
            "b dispose",
            "a dispose",
        ],
    ),
    (
        "start 2",
        "ZNIGHT021: `on_start` of Node<2> failed",
        &[
            "dispose 2",
            "stop 1",
            "dispose 1",
            "c dispose",
            "b dispose",
            "a dispose",
        ],
    ),
    (
        "b start",
        "ZNIGHT021: `on_start` of the plugin b failed",
        &[
            "a stop",
            "stop 2",
            "dispose 2",
            "stop 1",
            "dispose 1",
            "c dispose",
            "b dispose",
            "a dispose",
        ],
    ),
    (
        "ready 2",
        "ZNIGHT021: `on_ready` of Node<2> failed",
        &[
            "c stop",
            "b stop",
            "a stop",
            "stop 2",
            "dispose 2",
            "stop 1",
            "dispose 1",
            "c dispose",
            "b dispose",
            "a dispose",
        ],
    ),
    (
        "b ready",
        "ZNIGHT021: `on_ready` of the plugin b failed",
        &[
            "c stop",
            "b stop",
            "a stop",
            "stop 2",
            "dispose 2",
            "stop 1",
            "dispose 1",
            "c dispose",
            "b dispose",
            "a dispose",
        ],
    ),
];

#[tokio::test]
async fn whichever_step_fails_or_panics_what_was_done_is_undone_in_reverse() {
    for (step, message, undone) in UNDONE {
        for act in [Act::Fail, Act::Panic] {
            let script = Script::new();
            script.act(step, act.clone());
            let error = match application(&script).build().await {
                Err(error) => error,
                Ok(application) => {
                    let error = application.start().await.unwrap_err();
                    assert_eq!(application.state(), State::Failed, "{step}");
                    application.stop().await.unwrap();
                    error
                }
            };
            assert_eq!(error.to_string(), message);
            let cause = std::error::Error::source(&error).unwrap().to_string();
            match act {
                Act::Panic => assert_eq!(cause, format!("panicked: {step} panicked")),
                _ => assert_eq!(cause, format!("{step} failed")),
            }
            let at = EVERYTHING.iter().position(|line| *line == step).unwrap();
            let expected = [&EVERYTHING[..=at], undone].concat();
            assert_eq!(script.lines(), expected, "{step}");
        }
    }
}

#[tokio::test]
async fn failures_of_the_clean_up_are_attached_to_the_error_they_followed() {
    for (step, message, undone) in UNDONE {
        let script = Script::new();
        script.act(step, Act::Fail);
        for undone in undone {
            script.act(undone, Act::Fail);
        }
        let error = match application(&script).build().await {
            Err(error) => error,
            Ok(application) => application.start().await.unwrap_err(),
        };
        assert_eq!(error.to_string(), message);
        let suppressed: Vec<&Error> = error
            .suppressed()
            .iter()
            .flat_map(|error| match error.errors() {
                [] => std::slice::from_ref(error),
                several => several,
            })
            .collect();
        assert_eq!(suppressed.len(), undone.len(), "{step}: {error:?}");
        assert!(suppressed.iter().all(|error| code(error) == "ZNIGHT021"));
        let at = EVERYTHING.iter().position(|line| *line == step).unwrap();
        let expected = [&EVERYTHING[..=at], undone].concat();
        assert_eq!(script.lines(), expected, "all of it is attempted");
    }
}

/// Writes down the state of the application it sees in each of its hooks.
struct Watcher {
    application: Arc<ApplicationHandle>,
    seen: Seen,
}

type Seen = Arc<Mutex<Vec<(&'static str, State)>>>;

impl Watcher {
    fn look(&self, at: &'static str) {
        self.seen
            .lock()
            .unwrap()
            .push((at, self.application.state()));
    }
}

impl OnStart for Watcher {
    async fn on_start(&self) -> Result {
        self.look("start");
        Ok(())
    }
}

impl OnReady for Watcher {
    async fn on_ready(&self) -> Result {
        self.look("ready");
        Ok(())
    }
}

impl OnStop for Watcher {
    async fn on_stop(&self) -> Result {
        self.look("stop");
        Ok(())
    }
}

impl Dispose for Watcher {
    async fn dispose(&self) -> Result {
        self.look("dispose");
        Ok(())
    }
}

struct WatchingPlugin(Seen);

impl WatchingPlugin {
    fn look(&self, at: &'static str, context: &PluginContext) {
        let state = context.application().state();
        self.0.lock().unwrap().push((at, state));
    }
}

impl Plugin for WatchingPlugin {
    fn name(&self) -> &'static str {
        "watching"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        self.look("plugin register", context);
        Ok(())
    }

    async fn on_bootstrap(&self, context: &PluginContext) -> Result {
        self.look("plugin bootstrap", context);
        Ok(())
    }

    async fn on_start(&self, context: &PluginContext) -> Result {
        self.look("plugin start", context);
        Ok(())
    }

    async fn on_ready(&self, context: &PluginContext) -> Result {
        self.look("plugin ready", context);
        Ok(())
    }

    async fn on_stop(&self, context: &PluginContext) -> Result {
        self.look("plugin stop", context);
        Ok(())
    }

    async fn on_dispose(&self, context: &PluginContext) -> Result {
        self.look("plugin dispose", context);
        Ok(())
    }
}

#[tokio::test]
async fn hooks_see_how_far_the_application_has_come() {
    let seen = Seen::default();
    let watched = Arc::clone(&seen);
    let app = Application::builder(Graph::empty())
        .provide_definition(
            Definition::<Watcher>::new(move |application: Arc<ApplicationHandle>| {
                let seen = Arc::clone(&watched);
                seen.lock().unwrap().push(("new", application.state()));
                Watcher { application, seen }
            })
            .on_start()
            .on_ready()
            .on_stop()
            .dispose(),
        )
        .plugin(WatchingPlugin(Arc::clone(&seen)))
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(app.state(), State::Created);
    app.start().await.unwrap();
    assert_eq!(app.state(), State::Ready);
    app.stop().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
    assert_eq!(
        *seen.lock().unwrap(),
        [
            ("plugin register", State::Created),
            ("new", State::Created),
            ("plugin bootstrap", State::Created),
            ("start", State::Starting),
            ("plugin start", State::Starting),
            ("ready", State::Starting),
            ("plugin ready", State::Starting),
            ("plugin stop", State::Stopping),
            ("stop", State::Stopping),
            ("dispose", State::Stopping),
            ("plugin dispose", State::Stopping),
        ]
    );
}

#[tokio::test]
async fn a_creation_that_failed_leaves_the_application_failed() {
    let handle: Arc<Mutex<Option<ApplicationHandle>>> = Arc::default();
    let kept = Arc::clone(&handle);
    let owner: Arc<Mutex<Option<Application>>> = Arc::default();
    let owned = Arc::clone(&owner);
    Application::builder(Graph::empty())
        .plugin(Doing::at("keeps", "register", move |application| {
            *kept.lock().unwrap() = Some(application.handle());
            *owned.lock().unwrap() = Some(application);
            async { Err("no".into()) }
        }))
        .signals(false)
        .build()
        .await
        .unwrap_err();
    let handle = handle.lock().unwrap().take().unwrap();
    assert_eq!(handle.state(), State::Failed);
    drop(owner.lock().unwrap().take());
    assert_eq!(handle.state(), State::Stopped, "without an owner");
}

/// Stops its application in a hook of the creation, waiting for it or not.
fn stopper(hook: &'static str, waits: bool) -> Doing {
    Doing::at("stops", hook, move |application| async move {
        let stop = application.stop();
        if waits {
            stop.await?;
        }
        Ok(())
    })
}

#[tokio::test]
async fn a_stop_asked_for_by_a_hook_of_the_creation_skips_the_rest_and_releases_what_there_is() {
    for waits in [true, false] {
        for (hook, expected) in [
            ("register", &["a register", "a dispose"][..]),
            (
                "bootstrap",
                &[
                    "a register",
                    "z register",
                    "make 1",
                    "a bootstrap",
                    "dispose 1",
                    "z dispose",
                    "a dispose",
                ],
            ),
        ] {
            let script = Script::new();
            let app = Application::builder(Sketch::of(vec![node::<1>(&[])]).graph())
                .provide_value(Arc::clone(&script))
                .plugin(Scripted::new("a", &script))
                .plugin(stopper(hook, waits))
                .plugin(Scripted::new("z", &script))
                .signals(false)
                .build()
                .await
                .unwrap();
            assert_eq!(app.state(), State::Stopped);
            assert_eq!(script.lines(), expected, "{hook}, waits: {waits}");
            let error = app.start().await.unwrap_err();
            assert_eq!(
                error.to_string(),
                "ZNIGHT021: the application cannot be started: it is stopped"
            );
        }
    }
}

#[tokio::test]
async fn a_stop_asked_for_by_a_constructor_skips_the_rest_and_releases_what_there_is() {
    for waits in [true, false] {
        let script = Script::new();
        let made = Arc::clone(&script);
        let app = Application::builder(Sketch::of(vec![node::<1>(&[])]).graph())
            .provide_value(Arc::clone(&script))
            .provide_definition(
                Definition::<u8>::new_async(
                    move |application: Arc<ApplicationHandle>, _: Arc<Node<1>>| {
                        let script = Arc::clone(&made);
                        async move {
                            let stop = application.stop();
                            if waits {
                                stop.await.unwrap();
                            } else {
                                drop(stop);
                                tokio::task::yield_now().await;
                            }
                            script.say("made");
                            7_u8
                        }
                    },
                )
                .dispose_with(|_| async {}),
            )
            .plugin(Scripted::new("a", &script))
            .signals(false)
            .build()
            .await
            .unwrap();
        assert_eq!(app.state(), State::Stopped);
        let mut lines = script.lines();
        assert!(lines.contains(&"made".to_owned()));
        lines.retain(|line| line != "made");
        assert_eq!(lines, ["a register", "make 1", "dispose 1", "a dispose"]);
    }
}

#[tokio::test]
async fn run_succeeds_when_a_hook_of_the_creation_stops_the_application() {
    let code = Application::builder(Graph::empty())
        .plugin(stopper("bootstrap", true))
        .signals(false)
        .run()
        .await;
    let success = std::process::ExitCode::SUCCESS;
    assert_eq!(format!("{code:?}"), format!("{success:?}"));
}

#[tokio::test]
async fn a_stop_asked_for_by_others_waits_for_the_creation() {
    let script = Script::new();
    let gate = Arc::new(Notify::new());
    script.act("make 1", Act::Wait(Arc::clone(&gate)));
    let stop = Arc::new(Mutex::new(None));
    let stopping = Arc::clone(&stop);
    let mut build = pin!(
        Application::builder(Sketch::of(vec![async_node::<1>(&[])]).graph())
            .provide_value(Arc::clone(&script))
            .plugin(Doing::at("leaves work", "register", move |application| {
                // A task of its own, which nobody waits for.
                let task = tokio::spawn(async move { application.stop().await });
                *stopping.lock().unwrap() = Some(task);
                async { Ok(()) }
            }))
            .plugin(Scripted::new("b", &script))
            .signals(false)
            .build()
    );
    assert!((&mut build).now_or_never().is_none());
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        script.lines(),
        ["b register", "make 1"],
        "nothing is undone yet"
    );
    gate.notify_one();
    let app = build.await.unwrap();
    let stop = stop.lock().unwrap().take().unwrap();
    stop.await.unwrap().unwrap();
    assert_eq!(app.state(), State::Stopped);
    assert_eq!(
        script.lines()[2..],
        [
            "make 1 goes on",
            "made 1",
            "b bootstrap",
            "dispose 1",
            "b dispose"
        ]
    );
}

#[tokio::test]
async fn a_creation_that_is_dropped_half_way_is_undone() {
    let script = Script::new();
    script.act("make 2", Act::Hang);
    let build =
        Application::builder(Sketch::of(vec![node::<1>(&[]), async_node::<2>(&[0])]).graph())
            .provide_value(Arc::clone(&script))
            .plugin(Scripted::new("a", &script))
            .signals(false)
            .build();
    assert!(build.now_or_never().is_none(), "pending, and dropped");
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        script.lines(),
        ["a register", "make 1", "make 2", "dispose 1", "a dispose"]
    );
}

#[tokio::test(start_paused = true)]
async fn constructors_have_no_budget() {
    let script = Script::new();
    let gate = Arc::new(Notify::new());
    script.act("make 1", Act::Wait(Arc::clone(&gate)));
    let build = tokio::spawn(
        Application::builder(Sketch::of(vec![async_node::<1>(&[])]).graph())
            .provide_value(Arc::clone(&script))
            .signals(false)
            .build(),
    );
    tokio::time::sleep(std::time::Duration::from_secs(86_400)).await; // on the paused clock
    assert!(!build.is_finished());
    gate.notify_one();
    build.await.unwrap().unwrap();
    assert_eq!(script.lines(), ["make 1", "make 1 goes on", "made 1"]);
}

#[tokio::test]
async fn an_application_that_is_being_created_cannot_be_started() {
    let app = Application::builder(Graph::empty())
        .plugin(Doing::at("hasty", "bootstrap", |application| async move {
            let error = application.start().await.unwrap_err();
            assert_eq!(
                error.to_string(),
                "ZNIGHT021: the application cannot be started: it is being created"
            );
            Ok(())
        }))
        .signals(false)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    app.stop().await.unwrap();
}

#[test]
fn a_start_that_cannot_listen_to_signals_is_undone() {
    // Without an IO driver.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let script = Script::new();
        let app = application(&script).signals(true).build().await.unwrap();
        script.clear();
        let error = app.start().await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "ZNIGHT021: cannot listen to the signals of the process"
        );
        assert_eq!(app.state(), State::Failed);
        assert_eq!(
            script.lines(),
            [
                "dispose 2",
                "dispose 1",
                "c dispose",
                "b dispose",
                "a dispose"
            ]
        );
    });
}

#[tokio::test]
async fn what_is_created_on_demand_before_the_start_is_started() {
    let script = Script::new();
    let app = Application::builder(Sketch::of(vec![node::<1>(&[])]).graph())
        .provide_value(Arc::clone(&script))
        .only([])
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(script.lines(), Vec::<String>::new());
    app.get::<Node<1>>().unwrap();
    app.start().await.unwrap();
    app.stop().await.unwrap();
    assert_eq!(
        script.lines(),
        ["make 1", "start 1", "ready 1", "stop 1", "dispose 1"]
    );
}

#[tokio::test]
async fn what_a_start_hook_creates_on_demand_is_not_started_but_disposed() {
    let script = Script::new();
    let app = Application::builder(Sketch::of(vec![node::<1>(&[])]).graph())
        .provide_value(Arc::clone(&script))
        .only([])
        .plugin(Doing::at("asks", "start", |application| async move {
            application.get::<Node<1>>()?;
            Ok(())
        }))
        .signals(false)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    app.stop().await.unwrap();
    assert_eq!(script.lines(), ["make 1", "dispose 1"]);
}

#[tokio::test]
async fn a_value_that_replaces_a_provider_is_neither_started_nor_stopped_nor_disposed() {
    let script = Script::new();
    let other = Sketch::of(vec![node::<1>(&[])]).container(&script);
    other.init().await.unwrap();
    let value = other.get::<Node<1>>().unwrap();
    script.clear();
    for overridden in [true, false] {
        let builder = Application::builder(Sketch::of(vec![node::<1>(&[])]).graph())
            .provide_value(Arc::clone(&script))
            .signals(false);
        let value = Arc::clone(&value);
        let app = if overridden {
            builder.override_value(value)
        } else {
            builder.provide_value(value)
        };
        let app = app.build().await.unwrap();
        app.start().await.unwrap();
        app.stop().await.unwrap();
        assert_eq!(script.lines(), Vec::<String>::new());
    }
}
