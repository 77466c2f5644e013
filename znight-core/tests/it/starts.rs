//! Starts, and stops that are asked for while one is under way.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use tokio::sync::Notify;
use znight_core::{
    Application, ApplicationState as State, Definition, Dispose, Error, ErrorCode, Graph, OnStart,
    Result,
};

use crate::{
    application::{STARTED, STOPPED, built, log},
    stops::{messages, settle},
    support::{Act, Doing, Script, Scripted, code},
};

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
async fn a_stop_asked_for_by_any_start_hook_stops_what_has_started_and_skips_the_rest() {
    for (hook, stopped) in [
        // The hook that asks has not completed its start, so it is not stopped.
        (
            "start 1",
            &["dispose 2", "dispose 1", "b dispose", "a dispose"][..],
        ),
        (
            "start 2",
            &["dispose 2", "stop 1", "dispose 1", "b dispose", "a dispose"],
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
        ("ready 1", &STOPPED),
        ("b ready", &STOPPED),
    ] {
        let script = Script::new();
        let app = built(&script).await;
        script.clear();
        script.act(hook, Act::Stop);
        app.start().await.unwrap();
        assert_eq!(app.state(), State::Stopped, "{hook}");
        let at = STARTED.iter().position(|line| *line == hook).unwrap();
        assert_eq!(script.lines(), [&STARTED[..=at], stopped].concat());
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

struct Strict;

impl OnStart for Strict {
    async fn on_start(&self) -> Result {
        Err(Error::new(ErrorCode::InvalidRoute, "no port").into())
    }
}

impl Dispose for Strict {
    async fn dispose(&self) -> Result {
        Err(Error::new(ErrorCode::InvalidRoute, "no file").into())
    }
}

#[tokio::test]
async fn errors_of_providers_that_have_a_code_pass_through() {
    let app = Application::builder(Graph::empty())
        .provide_definition(Definition::<Strict>::new(|| Strict).on_start().dispose())
        .signals(false)
        .build()
        .await
        .unwrap();
    let error = app.start().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidRoute);
    assert_eq!(messages(&error.suppressed()[0]), ["no file"]);
}
