//! Stops: by whom they are asked for, what they wait for, how long they take.

use std::{
    process::ExitCode,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::Notify;

use znight_core::{
    Application, ApplicationBuilder, ApplicationState as State, Definition, Error, Graph, Lazy,
    OnStart, OnStop, Plugin, PluginContext, Result,
};

use crate::{
    application::{STOPPED, application, built, log},
    support::{Act, Doing, Script, code},
};

/// Lets other tasks run until they all wait.
pub(crate) async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

pub(crate) fn messages(error: &Error) -> Vec<&str> {
    error.errors().iter().map(Error::message).collect()
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
    assert_eq!(code(&error), "ZNIGHT015");
    assert_eq!(app.state(), State::Stopped);
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

#[tokio::test]
async fn hooks_of_a_stop_still_get_what_exists() {
    struct Late(Lazy<u64>, Arc<Mutex<Vec<&'static str>>>);
    impl OnStop for Late {
        async fn on_stop(&self) -> Result {
            assert_eq!(*self.0.get()?, 7);
            self.1.lock().unwrap().push("provider");
            Ok(())
        }
    }
    struct Last(Arc<Mutex<Vec<&'static str>>>);
    impl Plugin for Last {
        fn name(&self) -> &'static str {
            "last"
        }

        async fn on_dispose(&self, context: &PluginContext) -> Result {
            assert_eq!(*context.container().get::<u64>()?, 7);
            self.0.lock().unwrap().push("plugin");
            Ok(())
        }
    }
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let app = Application::builder(Graph::empty())
        .signals(false)
        .plugin(Last(Arc::clone(&asked)))
        .provide_definition(Definition::<u64>::new(|| 7_u64))
        .provide_definition(
            Definition::<Late>::new(move |number: Lazy<u64>| Late(number, Arc::clone(&noted)))
                .on_stop(),
        )
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    app.stop().await.unwrap();
    assert_eq!(*asked.lock().unwrap(), ["provider", "plugin"]);
    assert_eq!(
        code(&app.container().get::<u64>().unwrap_err()),
        "ZNIGHT015"
    );
}
