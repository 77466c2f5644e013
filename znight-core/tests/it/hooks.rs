//! The event bus.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use znight_core::{
    DeliveryOutcome, Hooks, HttpRequestEvent, JobKind, MessageDeliveryEvent, MessagePublishEvent,
    RunOutcome, RunTrigger, ScheduledRunEvent,
};

struct Placed(u32);
struct Other;

type Lines = Arc<Mutex<Vec<String>>>;
type Listener = Box<dyn Fn(&Placed) + Send + Sync>;

/// A log, and listeners that write into it under a name.
fn log() -> (Lines, impl Fn(&str) -> Listener) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let writer = Arc::clone(&lines);
    let listener = move |name: &str| -> Listener {
        let (lines, name) = (Arc::clone(&writer), name.to_owned());
        Box::new(move |event| lines.lock().unwrap().push(format!("{name} {}", event.0)))
    };
    (lines, listener)
}

#[test]
fn listeners_are_called_in_order_until_they_unsubscribe() {
    let hooks = Hooks::new();
    let (lines, listener) = log();
    let first = hooks.on(listener("a"));
    hooks.on(listener("b")).forget();
    hooks.emit(&Placed(1));
    hooks.emit(&Other);
    drop(first);
    hooks.emit(&Placed(2));
    assert_eq!(*lines.lock().unwrap(), ["a 1", "b 1", "b 2"]);
    assert!(hooks.has_listeners::<Placed>() && !hooks.has_listeners::<Other>());
}

#[test]
fn a_panicking_listener_affects_nobody() {
    let hooks = Hooks::new();
    let (lines, listener) = log();
    hooks.on(|_: &Placed| panic!("listener")).forget();
    hooks.on(listener("b")).forget();
    hooks.emit(&Placed(1));
    assert_eq!(*lines.lock().unwrap(), ["b 1"]);
}

#[test]
fn a_listener_that_subscribes_is_heard_from_the_next_event_on() {
    let hooks = Arc::new(Hooks::new());
    let (lines, listener) = log();
    let late = Arc::new(listener("late"));
    let bus = Arc::clone(&hooks);
    hooks
        .on(move |event: &Placed| {
            let late = Arc::clone(&late);
            if event.0 == 1 {
                bus.on(move |event: &Placed| late(event)).forget();
            }
        })
        .forget();
    hooks.emit(&Placed(1));
    assert!(lines.lock().unwrap().is_empty());
    hooks.emit(&Placed(2));
    assert_eq!(*lines.lock().unwrap(), ["late 2"]);
}

#[tokio::test]
async fn the_first_wrapper_is_the_outermost() {
    let hooks = Hooks::new();
    let lines = Arc::new(Mutex::new(Vec::new()));
    for name in ["outer", "inner"] {
        let lines = Arc::clone(&lines);
        hooks
            .wrap(move |event: &Placed, next| {
                let lines = Arc::clone(&lines);
                Box::pin(async move {
                    lines
                        .lock()
                        .unwrap()
                        .push(format!("{name} before {}", event.0));
                    next.run().await;
                    lines.lock().unwrap().push(format!("{name} after"));
                })
            })
            .forget();
    }
    assert!(hooks.has_wrappers::<Placed>());
    let output = hooks
        .run(&Placed(3), async {
            tokio::task::yield_now().await;
            lines.lock().unwrap().push("operation".to_owned());
            42
        })
        .await;
    assert_eq!(output, Some(42));
    assert_eq!(
        *lines.lock().unwrap(),
        [
            "outer before 3",
            "inner before 3",
            "operation",
            "inner after",
            "outer after"
        ]
    );
}

#[tokio::test]
async fn a_wrapper_that_does_not_go_on_keeps_the_operation_from_running() {
    let hooks = Hooks::new();
    let veto = hooks.wrap(|_: &Placed, _next| Box::pin(async {}));
    assert_eq!(hooks.run(&Placed(1), async { 1 }).await, None);
    assert_eq!(hooks.run(&Other, async { 1 }).await, Some(1));
    drop(veto);
    assert_eq!(hooks.run(&Placed(1), async { 1 }).await, Some(1));
}

#[test]
fn the_event_of_a_request_tells_its_story() {
    let event = HttpRequestEvent::new(
        http::Method::GET,
        "/users/7",
        Some("/users/{id}".into()),
        "r-1",
        Arc::default(),
    );
    assert_eq!(
        (event.path(), event.route(), event.request_id()),
        ("/users/7", Some("/users/{id}"), "r-1")
    );
    assert_eq!(event.status(), None);
    event.set_status(http::StatusCode::NOT_FOUND);
    event.set_error(Arc::new("no such user".into()));
    event
        .response_headers()
        .insert("x-trace", "1".parse().unwrap());
    assert_eq!(event.status().unwrap(), 404);
    assert_eq!(event.error().unwrap().to_string(), "no such user");
    assert!(event.response_headers().contains_key("x-trace"));
    assert!(event.headers().is_empty() && event.method() == "GET");
}

#[tokio::test]
async fn a_wrapper_of_a_publication_adds_headers_that_the_producer_sends() {
    let hooks = Hooks::new();
    hooks
        .wrap(|event: &MessagePublishEvent, next| {
            Box::pin(async move {
                event.headers().insert("trace".to_owned(), "1".to_owned());
                next.run().await;
            })
        })
        .forget();
    let event = MessagePublishEvent::new("orders", Some("placed".into()), "m-1", BTreeMap::new());
    let sent = hooks
        .run(&event, async { event.headers().clone() })
        .await
        .unwrap();
    assert_eq!(sent["trace"], "1");
    assert_eq!(
        (event.queue(), event.message_type(), event.message_id()),
        ("orders", Some("placed"), "m-1")
    );
    event.set_error(Arc::new("closed".into()));
    event.set_error(Arc::new("later".into()));
    assert_eq!(event.error().unwrap().to_string(), "closed");
}

#[test]
fn the_event_of_a_delivery_tells_its_story() {
    struct Order(u32);
    let event = MessageDeliveryEvent::new("orders", "m-1", "OrderConsumer", "placed")
        .with_type("order.placed")
        .with_attempt(2)
        .with_headers(Arc::new(BTreeMap::from([("a".to_owned(), "b".to_owned())])))
        .with_message(Arc::new(Order(7)));
    assert_eq!(
        (
            event.queue(),
            event.message_id(),
            event.consumer(),
            event.handler()
        ),
        ("orders", "m-1", "OrderConsumer", "placed")
    );
    assert_eq!(
        (event.message_type(), event.attempt()),
        (Some("order.placed"), 2)
    );
    assert_eq!(event.headers()["a"], "b");
    assert_eq!(event.message::<Order>().unwrap().0, 7);
    assert!(event.message::<u32>().is_none() && event.error().is_none());
    assert_eq!(event.outcome(), None);
    event.set_outcome(DeliveryOutcome::Retry);
    event.set_outcome(DeliveryOutcome::Ack);
    assert_eq!(event.outcome().unwrap().to_string(), "retry");
}

#[tokio::test]
async fn a_run_that_a_wrapper_vetoes_has_no_outcome_until_the_producer_sets_it() {
    let hooks = Hooks::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (inside, outside) = (Arc::clone(&seen), Arc::clone(&seen));
    hooks
        .wrap(move |event: &ScheduledRunEvent, next| {
            let seen = Arc::clone(&inside);
            Box::pin(async move {
                if event.trigger() == RunTrigger::Schedule {
                    next.run().await;
                }
                seen.lock().unwrap().push(event.outcome());
            })
        })
        .forget();
    hooks
        .on(move |event: &ScheduledRunEvent| outside.lock().unwrap().push(event.outcome()))
        .forget();
    for trigger in [RunTrigger::Schedule, RunTrigger::Manual] {
        let event = ScheduledRunEvent::new(
            "backup",
            JobKind::Cron,
            "run-1",
            trigger,
            std::time::SystemTime::UNIX_EPOCH,
        )
        .with_method("Backups", "run")
        .with_context(Arc::new(7_u8));
        let ran = hooks
            .run(&event, async { event.set_outcome(RunOutcome::Completed) })
            .await;
        if ran.is_none() {
            event.set_outcome(RunOutcome::Skipped);
        }
        hooks.emit(&event);
        assert_eq!(
            (event.host(), event.method()),
            (Some("Backups"), Some("run"))
        );
        assert_eq!(event.context::<u8>(), Some(&7));
        assert_eq!(event.aborted(), None);
    }
    assert_eq!(
        *seen.lock().unwrap(),
        [
            Some(RunOutcome::Completed),
            Some(RunOutcome::Completed),
            None,
            Some(RunOutcome::Skipped),
        ]
    );
}
