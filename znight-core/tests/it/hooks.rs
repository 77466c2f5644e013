//! The event bus.

use std::sync::{Arc, Mutex};

use znight_core::{Hooks, HttpRequestEvent};

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
