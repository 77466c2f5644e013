//! The clock a test moves.

use std::{
    future::Future as _,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::{Duration, Instant, SystemTime},
};

use proptest::prelude::*;
use znight::injectable;
use znight_core::{
    Application, ApplicationState, Clock, Error, Graph, Plugin, PluginContext, Result,
    TimeSource as _,
};
use znight_testing::{TestApp, TestClock};

const SECOND: Duration = Duration::from_secs(1);

/// What happened, and at which time of the clock.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(u64, &'static str)>>>);

impl Log {
    fn note(&self, clock: &TestClock, what: &'static str) {
        let at = clock.elapsed().as_secs();
        self.0.lock().expect("no panic").push((at, what));
    }

    fn take(&self) -> Vec<(u64, &'static str)> {
        std::mem::take(&mut self.0.lock().expect("no panic"))
    }
}

/// Sleeps again and again.
fn repeat(test: &TestClock, log: &Log, every: u64, what: &'static str) {
    let (test, log, clock) = (test.clone(), log.clone(), test.clock());
    tokio::spawn(async move {
        loop {
            clock
                .sleep(SECOND * u32::try_from(every).expect("small"))
                .await;
            log.note(&test, what);
        }
    });
}

#[tokio::test]
async fn who_is_due_wakes_in_the_order_of_the_deadlines_at_its_own_time() {
    let (test, log) = (TestClock::new(), Log::default());
    repeat(&test, &log, 3, "three");
    repeat(&test, &log, 2, "two");
    test.advance(SECOND).await;
    assert_eq!(log.take(), []);
    test.advance(SECOND * 6).await;
    assert_eq!(
        log.take(),
        [
            (2, "two"),
            (3, "three"),
            (4, "two"),
            (6, "three"),
            (6, "two")
        ]
    );
    assert_eq!(test.elapsed(), SECOND * 7);
    assert_eq!(test.sleepers(), 2);
    assert_eq!(test.advance_to_next().await, Some(SECOND));
    assert_eq!(log.take(), [(8, "two")]);
    assert_eq!(test.advance_to_next().await, Some(SECOND));
    assert_eq!(log.take(), [(9, "three")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_the_steps_everybody_wakes_at_its_time_and_in_order(
        sleeps in prop::collection::vec(0_u64..20, 0..12),
        steps in prop::collection::vec(0_u64..7, 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let (end, woken) = runtime.block_on(async {
            let (test, log) = (TestClock::new(), Log::default());
            for sleep in &sleeps {
                let (test, log, clock) = (test.clone(), log.clone(), test.clock());
                let sleep = clock.sleep(Duration::from_secs(*sleep));
                tokio::spawn(async move {
                    sleep.await;
                    log.note(&test, "woken");
                });
            }
            for step in &steps {
                test.advance(Duration::from_secs(*step)).await;
            }
            (test.elapsed().as_secs(), log.take())
        });
        let mut due: Vec<u64> = sleeps.into_iter().filter(|sleep| *sleep <= end).collect();
        due.sort_unstable();
        let woken: Vec<u64> = woken.into_iter().map(|(at, _)| at).collect();
        prop_assert_eq!(end, steps.iter().sum::<u64>());
        prop_assert_eq!(woken, due);
    }
}

#[tokio::test]
async fn what_a_woken_task_starts_has_run_when_the_time_has_moved() {
    let (test, log) = (TestClock::new(), Log::default());
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let sleep = test.clock().sleep(SECOND);
    tokio::spawn(async move {
        sleep.await;
        sender.send("sent").expect("somebody receives");
    });
    let (other, notes) = (test.clone(), log.clone());
    tokio::spawn(async move {
        while let Some(what) = receiver.recv().await {
            notes.note(&other, what);
        }
    });
    test.advance(SECOND).await;
    assert_eq!(log.take(), [(1, "sent")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_several_threads_the_test_waits_for_what_comes_of_it() {
    let test = TestClock::new();
    for _ in 0..50 {
        let tasks: Vec<_> = (1..=4)
            .map(|number| {
                let clock = test.clock();
                tokio::spawn(async move {
                    let begun = clock.now();
                    clock.sleep(SECOND * number).await;
                    clock.now() - begun >= SECOND * number
                })
            })
            .collect();
        test.wait_for_sleepers(4).await;
        test.advance(SECOND * 4).await;
        for task in tasks {
            assert!(task.await.expect("no panic"), "it woke too early");
        }
    }

    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let clock = test.clock();
    tokio::spawn(async move {
        let begun = clock.now();
        loop {
            clock.sleep(SECOND).await;
            if sender.send(clock.now() - begun).is_err() {
                return;
            }
        }
    });
    for tick in 1..=50 {
        test.wait_for_sleepers(1).await;
        assert_eq!(test.advance_to_next().await, Some(SECOND));
        assert_eq!(receiver.recv().await, Some(SECOND * tick));
    }
}

#[tokio::test]
async fn a_sleep_counts_from_its_first_poll_until_it_is_over_or_dropped() {
    let test = TestClock::new();
    let mut cx = Context::from_waker(Waker::noop());
    let sleep = test.clock().sleep(SECOND);
    assert_eq!(test.sleepers(), 0);
    {
        let mut sleep = pin!(sleep);
        assert!(sleep.as_mut().poll(&mut cx).is_pending());
        assert!(sleep.as_mut().poll(&mut cx).is_pending());
        assert_eq!(test.sleepers(), 1);
        // Nobody looks at the sleep while the time moves: it goes on all the same.
        test.advance(SECOND).await;
        assert_eq!(test.sleepers(), 0);
        assert!(sleep.as_mut().poll(&mut cx).is_ready());
    }
    {
        let mut dropped = pin!(test.clock().sleep(SECOND));
        assert!(dropped.as_mut().poll(&mut cx).is_pending());
        assert_eq!(test.sleepers(), 1);
    }
    assert_eq!(test.sleepers(), 0);
    assert_eq!(test.advance_to_next().await, None);
}

#[tokio::test]
async fn who_waits_for_sleepers_is_told_of_them() {
    let test = TestClock::new();
    let waiting = tokio::spawn({
        let test = test.clone();
        async move { test.wait_for_sleepers(2).await }
    });
    let clock = test.clock();
    tokio::spawn(clock.sleep(SECOND));
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    tokio::spawn(clock.sleep(SECOND * 2));
    waiting.await.expect("it ends");
    assert_eq!(test.sleepers(), 2);
}

#[tokio::test]
async fn a_timeout_is_over_at_its_time_and_not_before() {
    let test = TestClock::new();
    let clock = test.clock();
    assert_eq!(clock.timeout(Duration::ZERO, async { 7 }).await, Ok(7));
    let late = clock.timeout(Duration::ZERO, std::future::pending::<()>());
    assert_eq!(late.await.unwrap_err().to_string(), "the time is over");

    // It is counted from the call.
    let late = clock.timeout(SECOND * 2, std::future::pending::<()>());
    test.advance(SECOND).await;
    let late = tokio::spawn(late);
    test.advance(Duration::from_nanos(999_999_999)).await;
    assert!(!late.is_finished());
    test.advance(Duration::from_nanos(1)).await;
    assert!(late.await.expect("no panic").is_err());
}

#[tokio::test]
async fn never_takes_no_timer_on_any_clock() {
    let test = TestClock::new();
    for clock in [test.clock(), Clock::system()] {
        let mut cx = Context::from_waker(Waker::noop());
        let mut never = pin!(clock.sleep(Duration::MAX));
        assert!(never.as_mut().poll(&mut cx).is_pending());
        let mut long = pin!(clock.sleep(Duration::from_secs(u64::MAX)));
        assert!(long.as_mut().poll(&mut cx).is_pending());
        let mut unlimited = pin!(clock.timeout(Duration::MAX, std::future::pending::<()>()));
        assert!(unlimited.as_mut().poll(&mut cx).is_pending());
        assert_eq!(clock.timeout(Duration::MAX, async { 1 }).await, Ok(1));
    }
    assert_eq!(test.sleepers(), 0);
}

#[test]
fn without_a_runtime_with_a_timer_what_never_ends_can_still_be_awaited() {
    let clock = Clock::system();
    let mut cx = Context::from_waker(Waker::noop());
    let mut never = pin!(clock.sleep(Duration::MAX));
    assert!(never.as_mut().poll(&mut cx).is_pending());
    let ready = pin!(clock.timeout(Duration::MAX, async { 1 })).poll(&mut cx);
    assert_eq!(ready, Poll::Ready(Ok(1)));
}

#[tokio::test]
async fn both_times_move_together() {
    let start = SystemTime::UNIX_EPOCH + SECOND * 1000;
    let test = TestClock::at(start);
    let clock = test.clock();
    let before: Instant = clock.now();
    assert_eq!(clock.system_time(), start);
    test.advance(SECOND * 5).await;
    assert_eq!(clock.now() - before, SECOND * 5);
    assert_eq!(clock.system_time(), start + SECOND * 5);
    assert_eq!(test.now(), clock.now());
    let later = clock.sleep_until(before + SECOND * 5);
    later.await; // it is then already
    let default = TestClock::default().clock().system_time();
    let days = default
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("later");
    assert_eq!(days, SECOND * 86_400 * 19_723, "2024-01-01");
}

#[tokio::test]
async fn a_time_too_far_away_is_refused() {
    let test = TestClock::new();
    let moved = tokio::spawn(async move { test.advance(Duration::MAX).await });
    let panic = moved.await.expect_err("it panics").into_panic();
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
    assert_eq!(
        message,
        Some("the time `advance` moves to is one the system can tell")
    );
}

/// A plugin whose stop takes as long as it is told.
struct Slow {
    name: &'static str,
    stop: Duration,
}

impl Plugin for Slow {
    fn name(&self) -> &'static str {
        self.name
    }

    async fn on_stop(&self, context: &PluginContext) -> Result {
        context.clock().sleep(self.stop).await;
        Ok(())
    }
}

async fn stopping(test: &TestClock, plugins: [Slow; 2]) -> Result<Application> {
    let [first, second] = plugins;
    let app = Application::builder(Graph::empty())
        .signals(false)
        .clock(test.clock())
        .plugin(first)
        .plugin(second)
        .build()
        .await?;
    app.start().await?;
    Ok(app)
}

#[tokio::test]
async fn a_hook_of_the_stop_is_given_up_by_the_clock_of_the_application() -> Result {
    let test = TestClock::new();
    let slow = |name, seconds| Slow {
        name,
        stop: SECOND * seconds,
    };
    let app = stopping(&test, [slow("quick", 4), slow("slow", 6)]).await?;
    let stop = tokio::spawn(app.stop());
    // The hook, and its budget.
    test.wait_for_sleepers(2).await;
    assert_eq!(test.advance_to_next().await, Some(SECOND * 5));
    assert_eq!(test.advance_to_next().await, Some(SECOND * 4));
    let error = stop.await?.expect_err("one step took too long");
    let steps: Vec<&str> = error.errors().iter().map(Error::message).collect();
    assert_eq!(
        steps,
        ["`on_stop` of the plugin slow did not finish within 5s"]
    );
    assert_eq!(app.state(), ApplicationState::Stopped);
    assert_eq!(test.elapsed(), SECOND * 9);
    Ok(())
}

#[tokio::test]
async fn the_whole_stop_is_over_by_the_clock_of_the_application() -> Result {
    let test = TestClock::new();
    let slow = |name| Slow {
        name,
        stop: Duration::MAX,
    };
    let app = stopping(&test, [slow("a"), slow("b")]).await?;
    let stop = tokio::spawn(app.stop());
    test.wait_for_sleepers(1).await;
    test.advance(SECOND * 10).await;
    let error = stop.await?.expect_err("both took too long");
    let steps: Vec<&str> = error.errors().iter().map(Error::message).collect();
    // 5 s for the first are just as many as the second has left.
    assert_eq!(
        steps,
        [
            "`on_stop` of the plugin b did not finish within 5s",
            "`on_stop` of the plugin a did not finish within 5s"
        ]
    );
    assert_eq!(test.sleepers(), 0);
    Ok(())
}

#[injectable]
struct Timer {
    clock: Arc<Clock>,
}

#[tokio::test]
async fn providers_and_plugins_get_the_clock_of_the_application() -> Result {
    let test = TestClock::new();
    let app = TestApp::builder(Graph::empty())
        .provide::<Timer>()
        .clock(test.clock())
        .start()
        .await?;
    test.advance(SECOND * 3).await;
    let injected = app.container().get::<Clock>()?;
    assert_eq!(injected.now(), test.now());
    let timer = app.container().get::<Timer>()?;
    assert_eq!(timer.clock.now(), test.now());
    assert_eq!(app.application().clock().now(), test.now());
    assert_eq!(format!("{injected:?}"), "Clock(driven)");
    app.close().await?;

    let app = TestApp::builder(Graph::empty()).start().await?;
    assert_eq!(
        format!("{:?}", app.container().get::<Clock>()?),
        "Clock(system)"
    );
    app.close().await?;
    Ok(())
}
