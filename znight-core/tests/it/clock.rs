//! The clock of the system. The one a test moves is tested where it is.

use std::{
    future::{pending, poll_fn},
    time::{Duration, SystemTime},
};

use znight_core::{Application, Clock, Graph};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_paused_clock_of_tokio_is_seen() {
    let clock = Clock::system();
    let before = clock.now();
    tokio::time::advance(SECOND * 5).await;
    assert_eq!(clock.now() - before, SECOND * 5);
    clock.sleep(SECOND).await;
    assert_eq!(clock.now() - before, SECOND * 6);
    clock.sleep_until(before + SECOND * 3600).await;
    assert_eq!(clock.now() - before, SECOND * 3600);
    clock.sleep_until(before).await; // long ago
    assert_eq!(clock.now() - before, SECOND * 3600);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_counted_from_the_call() {
    let clock = Clock::system();
    let before = clock.now();
    let late = clock.timeout(SECOND * 3, pending::<()>());
    tokio::time::advance(SECOND).await;
    assert_eq!(late.await.unwrap_err().to_string(), "the time is over");
    assert_eq!(clock.now() - before, SECOND * 3);
    assert_eq!(clock.timeout(Duration::ZERO, async { 7 }).await, Ok(7));
    let nearly = clock.timeout(SECOND * 3, clock.sleep(SECOND * 2));
    assert_eq!(nearly.await, Ok(()));
}

#[tokio::test]
async fn a_future_that_can_always_go_on_does_not_outrun_its_limit() {
    let clock = Clock::system();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let busy = async {
        loop {
            sender.send(()).expect("it is received");
            receiver.recv().await;
        }
    };
    let over = clock.timeout(Duration::from_millis(1), busy).await;
    assert!(over.is_err());
}

#[tokio::test]
async fn the_time_of_the_day_is_that_of_the_system() {
    let before = SystemTime::now();
    let now = Clock::default().system_time();
    assert!(before <= now && now <= SystemTime::now());
}

#[tokio::test(start_paused = true)]
async fn never_is_later_than_everything() {
    let clock = Clock::system();
    let mut never = std::pin::pin!(clock.sleep(Duration::MAX));
    tokio::select! {
        () = &mut never => panic!("it is over"),
        () = clock.sleep(SECOND * 86_400 * 365) => {}
    }
    let unlimited = clock.timeout(Duration::MAX, clock.sleep(SECOND * 86_400));
    assert_eq!(unlimited.await, Ok(()));
    let polled = poll_fn(|cx| std::task::Poll::Ready(never.as_mut().poll(cx)));
    assert!(polled.await.is_pending());
}

#[tokio::test]
async fn an_application_goes_by_the_clock_of_the_system_unless_told_otherwise() {
    let app = Application::builder(Graph::empty())
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(format!("{:?}", app.clock()), "Clock(system)");
    let injected = app.container().get::<Clock>().unwrap();
    assert_eq!(format!("{injected:?}"), "Clock(system)");
    app.stop().await.unwrap();
}
