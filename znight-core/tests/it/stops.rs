//! Stops: by whom they are asked for, what they wait for, how long they take.

use std::{
    process::ExitCode,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::Notify;
use znight_core::{
    Application, ApplicationBuilder, ApplicationState as State, Definition, Error, Graph, OnStart,
    OnStop, Result,
};

use crate::support::{Act, Doing, Script, Scripted, Sketch, code, node};

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

/// Lets other tasks run until they all wait.
async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

fn messages(error: &Error) -> Vec<&str> {
    error.errors().iter().map(Error::message).collect()
}

#[tokio::test]
async fn a_stop_asked_for_by_any_start_hook_stops_what_has_started_and_skips_the_rest() {
    let started = [
        "start 1", "start 2", "a start", "b start", "ready 1", "ready 2", "a ready", "b ready",
    ];
    for (hook, stopped) in [
        // The hook that asks has not completed its start, so it is not stopped.
        (
            "start 1",
            &["dispose 2", "dispose 1", "b dispose", "a dispose"][..],
        ),
        (
            "a start",
            &[
                "stop 2",
                "dispose 2",
                "stop 1",
                "dispose 1",
                "b dispose",
                "a dispose",
            ],
        ),
        (
            "ready 1",
            &[
                "b stop",
                "a stop",
                "stop 2",
                "dispose 2",
                "stop 1",
                "dispose 1",
                "b dispose",
                "a dispose",
            ],
        ),
        (
            "b ready",
            &[
                "b stop",
                "a stop",
                "stop 2",
                "dispose 2",
                "stop 1",
                "dispose 1",
                "b dispose",
                "a dispose",
            ],
        ),
    ] {
        let script = Script::new();
        let app = built(&script).await;
        script.clear();
        script.act(hook, Act::Stop);
        app.start().await.unwrap();
        assert_eq!(app.state(), State::Stopped, "{hook}");
        let at = started.iter().position(|line| *line == hook).unwrap();
        assert_eq!(script.lines(), [&started[..=at], stopped].concat());
    }
}

#[tokio::test]
async fn a_stop_asked_for_in_passing_by_any_start_hook_ends_the_start_as_well() {
    for hook in ["start 1", "a start", "ready 1", "b ready"] {
        let script = Script::new();
        let app = built(&script).await;
        script.clear();
        script.act(hook, Act::StopInPassing);
        app.start().await.unwrap();
        assert_eq!(app.state(), State::Stopped, "{hook}");
        let lines = script.lines();
        let at = lines.iter().position(|line| line == hook).unwrap();
        let later = &lines[at + 1..];
        assert!(
            later
                .iter()
                .all(|line| line.contains("stop") || line.contains("dispose")),
            "{lines:?}"
        );
        assert!(lines.ends_with(&["b dispose".to_owned(), "a dispose".to_owned()]));
    }
}

#[tokio::test]
async fn a_start_whose_hook_asked_for_the_stop_succeeds_although_the_stop_fails() {
    let script = Script::new();
    let app = built(&script).await;
    script.act("ready 1", Act::StopInPassing);
    script.act("stop 2", Act::Fail);
    app.start().await.unwrap();
    let error = app.stopped().await.unwrap_err();
    assert_eq!(messages(&error), ["`on_stop` of Node<2> failed"]);
}

#[tokio::test]
async fn a_stop_asked_for_by_work_an_earlier_hook_left_running_waits_for_the_start() {
    let script = Script::new();
    let gate = Arc::new(Notify::new());
    script.act("b start", Act::Wait(Arc::clone(&gate)));
    let app = Application::builder(Graph::empty())
        .provide_value(Arc::clone(&script))
        .plugin(Doing::at("leaves work", "start", |application| {
            drop(tokio::spawn(async move { application.stop().await }));
            async { Ok(()) }
        }))
        .plugin(Scripted::new("b", &script))
        .signals(false)
        .build()
        .await
        .unwrap();
    script.clear();
    let start = tokio::spawn({
        let app = app.clone();
        async move { app.start().await }
    });
    settle().await;
    assert_eq!(app.state(), State::Starting);
    assert_eq!(script.lines(), ["b start"]);
    gate.notify_one();
    start.await.unwrap().unwrap();
    app.stopped().await.unwrap();
    assert_eq!(
        script.lines(),
        [
            "b start",
            "b start goes on",
            "b ready",
            "b stop",
            "b dispose"
        ],
        "the start was completed"
    );
}

#[tokio::test]
async fn a_stop_asked_for_by_a_future_the_hook_awaits_beside_others_is_the_hooks() {
    let app = Application::builder(Graph::empty())
        .plugin(Doing::at("joins", "start", |application| async move {
            let (stopped, ()) = tokio::join!(application.stop(), tokio::task::yield_now());
            stopped?;
            Ok(())
        }))
        .signals(false)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
}

#[tokio::test]
async fn a_hook_of_one_application_may_start_and_stop_another() {
    let script = Script::new();
    let other = built(&script).await;
    let inner = other.clone();
    let app = Application::builder(Graph::empty())
        .plugin(Doing::at("nests", "start", move |_| {
            let other = inner.clone();
            async move {
                other.start().await?;
                other.stop().await?;
                Ok(())
            }
        }))
        .signals(false)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    assert_eq!(app.state(), State::Ready, "only the other one was stopped");
    assert_eq!(other.state(), State::Stopped);
    assert!(script.lines().contains(&"b ready".to_owned()), "to its end");
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_a_stop_hook_waits_for_is_given_up_after_its_budget() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    script.clear();
    script.act("stop 2", Act::Stop);
    let error = app.stop().await.unwrap_err();
    assert_eq!(
        messages(&error),
        ["`on_stop` of Node<2> did not finish within 5s"]
    );
    assert!(script.lines().ends_with(&["a dispose".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn a_stop_has_ten_seconds_and_each_of_its_hooks_five_unless_set() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    for step in ["b stop", "a stop", "stop 2", "a dispose"] {
        script.act(step, Act::Hang);
    }
    let begin = tokio::time::Instant::now();
    let error = app.stop().await.unwrap_err();
    assert_eq!(
        messages(&error),
        [
            "`on_stop` of the plugin b did not finish within 5s",
            "`on_stop` of the plugin a did not finish within 5s",
            "`on_stop` of Node<2> did not finish within what was left of 10s",
            "`on_dispose` of the plugin a did not finish within what was left of 10s",
        ]
    );
    assert_eq!(begin.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn without_any_time_every_step_is_begun_all_the_same() {
    let script = Script::new();
    let app = application(&script)
        .timeout(Duration::ZERO)
        .hook_timeout(Duration::ZERO)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    script.clear();
    app.stop().await.unwrap();
    assert_eq!(script.lines().len(), 8, "{:?}", script.lines());
}

#[tokio::test(start_paused = true)]
async fn the_undoing_of_a_failed_start_has_the_budgets_of_a_stop() {
    let script = Script::new();
    let app = application(&script)
        .hook_timeout(Duration::from_secs(2))
        .build()
        .await
        .unwrap();
    script.act("b ready", Act::Fail);
    script.act("a stop", Act::Hang);
    let error = app.start().await.unwrap_err();
    assert_eq!(error.message(), "`on_ready` of the plugin b failed");
    assert_eq!(
        messages(&error.suppressed()[0]),
        ["`on_stop` of the plugin a did not finish within 2s"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_undoing_of_a_failed_creation_has_the_budgets_of_a_stop() {
    let script = Script::new();
    script.act("b bootstrap", Act::Fail);
    script.act("dispose 2", Act::Hang);
    let error = application(&script).build().await.unwrap_err();
    assert_eq!(
        messages(&error.suppressed()[0]),
        ["`dispose` of Node<2> did not finish within 5s"]
    );
}

#[tokio::test(start_paused = true)]
async fn start_hooks_have_no_budget() {
    let script = Script::new();
    let gate = Arc::new(Notify::new());
    script.act("start 1", Act::Wait(Arc::clone(&gate)));
    let app = built(&script).await;
    let start = tokio::spawn({
        let app = app.clone();
        async move { app.start().await }
    });
    tokio::time::advance(Duration::from_secs(86_400)).await;
    settle().await;
    assert_eq!(app.state(), State::Starting);
    gate.notify_one();
    start.await.unwrap().unwrap();
    app.stop().await.unwrap();
}

struct Half(Arc<Script>);

impl OnStop for Half {
    async fn on_stop(&self) -> Result {
        self.0.step_async("stop half").await
    }
}

struct Broken;

impl OnStart for Broken {
    async fn on_start(&self) -> Result {
        Err("broken".into())
    }
}

#[tokio::test]
async fn a_provider_without_a_start_hook_counts_as_started_once_it_was_its_turn() {
    for broken_first in [true, false] {
        let script = Script::new();
        let half = Definition::<Half>::new(|script: Arc<Script>| Half(script)).on_stop();
        let broken = Definition::<Broken>::new(|| Broken).on_start();
        let builder = Application::builder(Graph::empty())
            .provide_value(Arc::clone(&script))
            .signals(false);
        let builder = if broken_first {
            builder.provide_definition(broken).provide_definition(half)
        } else {
            builder.provide_definition(half).provide_definition(broken)
        };
        let app = builder.build().await.unwrap();
        app.start().await.unwrap_err();
        let expected: &[&str] = if broken_first { &[] } else { &["stop half"] };
        assert_eq!(script.lines(), expected);
    }
}

#[tokio::test]
async fn a_stop_goes_on_when_nobody_waits_for_it() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    drop(app.stop());
    app.stopped().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
    assert!(script.lines().ends_with(&["a dispose".to_owned()]));
}

#[tokio::test]
async fn the_container_that_was_disposed_already_is_not_disposed_again() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    script.clear();
    app.container().dispose().await.unwrap();
    app.stop().await.unwrap();
    assert_eq!(
        script.lines(),
        [
            "dispose 2",
            "dispose 1",
            "b stop",
            "a stop",
            "stop 2",
            "stop 1",
            "b dispose",
            "a dispose"
        ]
    );
}

#[tokio::test]
async fn what_stopped_cannot_be_started_nor_asked_for_what_it_has_not() {
    let script = Script::new();
    let app = application(&script).only([]).build().await.unwrap();
    app.stop().await.unwrap();
    let error = app.start().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT021: the application cannot be started: it is stopped"
    );
    let error = app.get::<crate::support::Node<1>>().unwrap_err();
    assert_eq!(code(&error), "ZNIGHT016");
    assert_eq!(app.state(), State::Stopped);
}

#[tokio::test]
async fn a_start_while_the_application_starts_or_after_it_failed_is_refused() {
    let script = Script::new();
    let gate = Arc::new(Notify::new());
    script.act("start 1", Act::Wait(Arc::clone(&gate)));
    script.act("start 2", Act::Fail);
    let app = built(&script).await;
    let start = tokio::spawn({
        let app = app.clone();
        async move { app.start().await }
    });
    settle().await;
    let error = app.start().await.unwrap_err();
    assert!(error.message().ends_with("it is starting"), "{error}");
    assert_eq!(app.state(), State::Starting, "the first one goes on");
    gate.notify_one();
    start.await.unwrap().unwrap_err();
    let error = app.start().await.unwrap_err();
    assert!(error.message().ends_with("it is failed"), "{error}");
}

async fn run(builder: ApplicationBuilder) -> String {
    format!("{:?}", builder.signals(false).run().await)
}

#[tokio::test]
async fn run_gives_exit_code_1_when_creation_start_or_stop_fails() {
    let failure = format!("{:?}", ExitCode::FAILURE);
    for step in ["a register", "make 1", "a bootstrap", "start 1", "a ready"] {
        let script = Script::new();
        script.act(step, Act::Fail);
        assert_eq!(run(application(&script)).await, failure, "{step}");
    }
    let stops = || {
        Doing::at("stops", "ready", |application| async move {
            drop(application.stop());
            Ok(())
        })
    };
    for step in ["stop 1", "dispose 2", "a stop", "a dispose"] {
        let script = Script::new();
        script.act(step, Act::Fail);
        assert_eq!(
            run(application(&script).plugin(stops())).await,
            failure,
            "{step}"
        );
    }
    let script = Script::new();
    let success = format!("{:?}", ExitCode::SUCCESS);
    assert_eq!(run(application(&script).plugin(stops())).await, success);
}

/// Waits in its start hook for a task that stops the application.
fn waits_for_itself() -> Doing {
    Doing::at("circular", "start", |application| async move {
        tokio::spawn(async move { application.stop().await })
            .await
            .unwrap()?;
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_waits_for_a_task_that_stops_the_application_is_named_in_the_log() {
    let (log, _guard) = crate::logs::capture();
    let app = Application::builder(Graph::empty())
        .plugin(waits_for_itself())
        .signals(false)
        .build()
        .await
        .unwrap();
    let start = tokio::spawn({
        let app = app.clone();
        async move { app.start().await }
    });
    tokio::time::sleep(Duration::from_secs(4)).await; // on the paused clock
    assert!(log.at("WARN").is_empty(), "it may still end");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let [line] = <[_; 1]>::try_from(log.at("WARN")).unwrap();
    assert!(
        line.starts_with("WARN znight::application: the stop has waited for `on_start` of the plugin circular for 5s"),
        "{line}"
    );
    assert!(
        line.contains("hook=`on_start` of the plugin circular"),
        "{line}"
    );
    assert_eq!(app.state(), State::Starting);
    // Whoever started it gives up.
    start.abort();
    app.stopped().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
}

#[tokio::test]
async fn who_waits_for_the_stop_learns_the_same_outcome_however_often() {
    let script = Script::new();
    let app = built(&script).await;
    app.start().await.unwrap();
    script.act("stop 1", Act::Fail);
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let waiters: Vec<_> = (0..3)
        .map(|_| {
            let (app, outcomes) = (app.clone(), Arc::clone(&outcomes));
            tokio::spawn(async move {
                let outcome = app.stopped().await.unwrap_err().to_string();
                outcomes.lock().unwrap().push(outcome);
            })
        })
        .collect();
    settle().await;
    let error = app.stop().await.unwrap_err().to_string();
    for waiter in waiters {
        waiter.await.unwrap();
    }
    assert_eq!(
        *outcomes.lock().unwrap(),
        [error.clone(), error.clone(), error]
    );
    assert_eq!(
        script
            .lines()
            .iter()
            .filter(|line| *line == "stop 1")
            .count(),
        1
    );
}
