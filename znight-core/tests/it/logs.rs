//! What is logged: target, level, fields.

use std::{
    fmt::{self, Write as _},
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt as _};
use znight_core::{Application, Graph, Hooks, ScopeKind};

use crate::support::{Act, Brief, Script, Scripted, Sketch, brief};

/// What the framework has logged on this thread, an event a line: `INFO target: text field=value`.
#[derive(Clone, Default)]
pub(crate) struct Captured(Arc<Mutex<Vec<String>>>);

impl Captured {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn at(&self, level: &str) -> Vec<String> {
        let mut lines = self.lines();
        lines.retain(|line| line.starts_with(level));
        lines
    }
}

/// Captures until the guard is dropped.
pub(crate) fn capture() -> (Captured, DefaultGuard) {
    let captured = Captured::default();
    let subscriber = tracing_subscriber::registry().with(captured.clone());
    (captured, tracing::subscriber::set_default(subscriber))
}

impl<S: Subscriber> Layer<S> for Captured {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if !metadata.target().starts_with("znight") {
            return;
        }
        let mut line = Line::default();
        event.record(&mut line);
        self.0.lock().unwrap().push(format!(
            "{} {}: {}{}",
            metadata.level(),
            metadata.target(),
            line.message,
            line.fields
        ));
    }
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Line {
    fn add(&mut self, field: &Field, value: &dyn fmt::Display) {
        if field.name() == "message" {
            self.message = value.to_string();
        } else {
            let _ = write!(self.fields, " {}={value}", field.name());
        }
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, &format_args!("{value:?}"));
    }
}

#[tokio::test]
async fn the_start_is_logged_at_info_and_a_stop_that_was_asked_for_at_debug_and_once() {
    let (log, _guard) = capture();
    let app = Application::builder(Graph::empty())
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(log.lines(), Vec::<String>::new());
    app.start().await.unwrap();
    app.stop().await.unwrap();
    app.stop().await.unwrap();
    assert_eq!(
        log.lines(),
        [
            "INFO znight::application: application ready",
            "DEBUG znight::application: application stopped"
        ]
    );
}

#[tokio::test]
async fn what_fails_is_returned_and_not_logged_except_by_run() {
    let script = Script::new();
    let builder = || {
        Application::builder(Graph::empty())
            .provide_value(Arc::clone(&script))
            .plugin(Scripted::new("a", &script))
            .signals(false)
    };
    script.act("a bootstrap", Act::Fail);
    let (log, _guard) = capture();
    builder().build().await.unwrap_err();
    assert_eq!(
        log.lines(),
        ["DEBUG znight::application: application stopped"]
    );
    builder().run().await;
    let [line] = <[_; 1]>::try_from(log.at("ERROR")).unwrap();
    assert_eq!(
        line,
        "ERROR znight::application: the application failed code=ZNIGHT021 \
         error=ZNIGHT021: `on_bootstrap` of the plugin a failed\n  cause: a bootstrap failed"
    );
}

#[test]
fn a_listener_that_panics_is_logged_with_its_event() {
    struct Placed;
    let (log, _guard) = capture();
    let hooks = Hooks::new();
    hooks.on(|_: &Placed| panic!("no disk")).forget();
    hooks.emit(&Placed);
    let [line] = <[_; 1]>::try_from(log.lines()).unwrap();
    assert!(
        line.starts_with("ERROR znight::hooks: a listener panicked event="),
        "{line}"
    );
    assert!(
        line.contains("Placed") && line.ends_with("error=panicked: no disk"),
        "{line}"
    );
}

#[tokio::test]
async fn a_disposal_nobody_waits_for_is_logged_when_it_fails() {
    let script = Script::new();
    let container = Sketch::of(vec![brief::<1>(ScopeKind::Request, &[])]).container(&script);
    container.init().await.unwrap();
    script.act("dispose 1", Act::Fail);
    let (log, _guard) = capture();
    let mut scope = container.open_scope();
    scope
        .enter(|| container.get::<Brief<1>>().map(drop))
        .unwrap();
    drop(scope);
    tokio::task::yield_now().await;
    let [line] = <[_; 1]>::try_from(log.lines()).unwrap();
    assert!(
        line.starts_with(
            "ERROR znight::scope: what belonged to a request did not end well code=ZNIGHT021 \
             error=ZNIGHT021: `dispose` of Brief<1> failed"
        ),
        "{line}"
    );
}

#[test]
fn a_scope_dropped_outside_of_a_runtime_is_logged() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let script = Script::new();
    let container = Sketch::of(vec![brief::<1>(ScopeKind::Request, &[])]).container(&script);
    runtime.block_on(container.init()).unwrap();
    let mut scope = container.open_scope();
    scope
        .enter(|| container.get::<Brief<1>>().map(drop))
        .unwrap();
    let (log, _guard) = capture();
    drop(scope);
    assert_eq!(
        log.lines(),
        [
            "WARN znight::scope: a request scope was dropped outside of a runtime: what is in it is not disposed"
        ]
    );
}
