//! Panics of user code: errors that name their place, wherever they happen.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use znight_core::{
    __private::{Make, made},
    Application, Container, Definition, Error, Graph, Plugin, Root, ScopeKind,
};

use crate::support::{Act, Brief, EntryExt, Script, Scripted, Sketch, brief, code, entry, node};

fn cause(error: &Error) -> String {
    std::error::Error::source(error).unwrap().to_string()
}

struct Unnamed;

impl Plugin for Unnamed {
    fn name(&self) -> &'static str {
        panic!("no name")
    }
}

#[tokio::test]
async fn a_plugin_whose_name_panics_fails_the_creation() {
    let script = Script::new();
    let error = Application::builder(Graph::empty())
        .plugin(Scripted::new("a", &script))
        .plugin(Unnamed)
        .build()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT021: `name` of plugin 1 failed");
    assert_eq!(cause(&error), "panicked: no name");
    assert_eq!(script.lines(), Vec::<String>::new());
}

struct Rootless;

impl Plugin for Rootless {
    fn name(&self) -> &'static str {
        "rootless"
    }

    fn init_roots(&self, _graph: Graph) -> Vec<Root> {
        panic!("no roots")
    }
}

#[tokio::test]
async fn a_plugin_whose_roots_panic_fails_a_restricted_creation() {
    let script = Script::new();
    let error = Application::builder(Graph::empty())
        .plugin(Scripted::new("a", &script))
        .plugin(Rootless)
        .only([])
        .build()
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT021: `init_roots` of the plugin rootless failed"
    );
    assert_eq!(cause(&error), "panicked: no roots");
    assert_eq!(script.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn hooks_of_the_stop_that_panic_are_reported_and_the_others_run() {
    let script = Script::new();
    let app = Application::builder(Sketch::of(vec![node::<1>(&[])]).graph())
        .provide_value(Arc::clone(&script))
        .plugin(Scripted::new("a", &script))
        .signals(false)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    script.clear();
    let steps = ["a stop", "stop 1", "dispose 1", "a dispose"];
    for step in steps {
        script.act(step, Act::Panic);
    }
    let error = app.stop().await.unwrap_err();
    let failures: Vec<(&str, String)> = error
        .errors()
        .iter()
        .map(|error| (error.message(), cause(error)))
        .collect();
    assert_eq!(
        failures,
        [
            (
                "`on_stop` of the plugin a failed",
                "panicked: a stop panicked".to_owned()
            ),
            (
                "`on_stop` of Node<1> failed",
                "panicked: stop 1 panicked".to_owned()
            ),
            (
                "`dispose` of Node<1> failed",
                "panicked: dispose 1 panicked".to_owned()
            ),
            (
                "`on_dispose` of the plugin a failed",
                "panicked: a dispose panicked".to_owned()
            ),
        ]
    );
    assert_eq!(script.lines(), steps);
}

#[tokio::test]
async fn a_factory_of_an_override_that_panics_is_an_instantiation_error() {
    let container = Container::new(Graph::empty()).unwrap();
    container
        .override_factory::<u32, _>(|_| panic!("no number"))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT015: failed to create u32");
    assert_eq!(cause(&error), "panicked: no number");
}

#[tokio::test]
async fn the_function_of_a_definition_that_panics_is_an_instantiation_error() {
    fn boom() -> u32 {
        panic!("no number")
    }
    for definition in [
        Definition::<u32>::new(boom),
        Definition::<u32>::new_async(|| async { boom() }),
    ] {
        let container = Container::new(Graph::empty()).unwrap();
        container.provide_definition(definition).unwrap();
        let error = container.init().await.unwrap_err();
        assert_eq!(error.to_string(), "ZNIGHT015: failed to create u32");
        assert_eq!(cause(&error), "panicked: no number");
    }
}

#[tokio::test]
async fn a_constructor_that_panics_in_a_scope_leaves_the_scope_usable() {
    let script = Script::new();
    let container = Sketch::of(vec![
        brief::<1>(ScopeKind::Request, &[]),
        brief::<2>(ScopeKind::Request, &[]),
        brief::<3>(ScopeKind::Transient, &[]),
    ])
    .container(&script);
    container.init().await.unwrap();
    script.act("make 1", Act::Panic);
    script.act("make 3", Act::Panic);
    container
        .run_in_scope(async {
            let error = container.get::<Brief<1>>().unwrap_err();
            assert_eq!(code(&error), "ZNIGHT015");
            assert_eq!(cause(&error), "panicked: make 1 panicked");
            let error = container.get::<Brief<3>>().unwrap_err();
            assert_eq!(code(&error), "ZNIGHT015");
            container.get::<Brief<2>>().unwrap();
        })
        .await
        .unwrap();
    assert_eq!(script.lines(), ["make 1", "make 3", "make 2", "dispose 2"]);
}

/// Panics when it is dropped, and says so before.
struct Fragile<const N: u8>(Arc<Script>);

impl<const N: u8> Drop for Fragile<N> {
    fn drop(&mut self) {
        self.0.say(format!("drop {N}"));
        assert!(N != 1, "broken");
    }
}

fn fragile<const N: u8>(scope: ScopeKind) -> znight_core::__private::Entry {
    entry::<Fragile<N>>(
        Make::Plain(|d| made::<Fragile<N>, _>(Fragile::<N>(d.next()))),
        &[znight_core::__private::Dep::External(0)],
    )
    .scope(scope)
}

#[tokio::test]
async fn a_destructor_that_panics_at_the_end_of_a_scope_is_reported_and_the_others_run() {
    let script = Script::new();
    let container = Sketch::of(vec![
        brief::<9>(ScopeKind::Request, &[]),
        fragile::<2>(ScopeKind::Request),
        fragile::<1>(ScopeKind::Request),
    ])
    .container(&script);
    container.init().await.unwrap();
    let error = container
        .run_in_scope(async {
            container.get::<Brief<9>>().unwrap();
            container.get::<Fragile<2>>().unwrap();
            container.get::<Fragile<1>>().unwrap();
        })
        .await
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT021");
    assert_eq!(error.errors().len(), 1);
    assert_eq!(error.errors()[0].message(), "`drop` of Fragile<1> failed");
    assert_eq!(cause(&error.errors()[0]), "panicked: broken");
    assert_eq!(script.lines(), ["make 9", "drop 1", "drop 2", "dispose 9"]);
}

#[tokio::test]
async fn a_destructor_that_panics_in_a_scope_that_is_dropped_does_not_reach_who_dropped_it() {
    let script = Script::new();
    let container = Sketch::of(vec![
        fragile::<2>(ScopeKind::Request),
        fragile::<1>(ScopeKind::Request),
    ])
    .container(&script);
    container.init().await.unwrap();
    let mut scope = container.open_scope();
    scope.enter(|| {
        container.get::<Fragile<2>>().unwrap();
        container.get::<Fragile<1>>().unwrap();
    });
    drop(scope);
    assert_eq!(script.lines(), ["drop 1", "drop 2"]);
}

#[tokio::test]
async fn a_destructor_of_a_singleton_that_panics_keeps_no_other_from_running() {
    let script = Script::new();
    let container = Sketch::of(vec![
        fragile::<1>(ScopeKind::Singleton),
        fragile::<2>(ScopeKind::Singleton),
    ])
    .container(&script);
    container.init().await.unwrap();
    container.dispose().await.unwrap();
    assert_eq!(
        script.lines(),
        Vec::<String>::new(),
        "disposal drops nothing"
    );
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(container)));
    assert!(dropped.is_err(), "whoever drops the last handle sees it");
    assert_eq!(script.lines(), ["drop 1", "drop 2"]);
}

#[tokio::test]
async fn a_panic_of_what_hands_a_definition_out_fails_its_creation() {
    trait Speaks: Send + Sync {}
    impl Speaks for u8 {}
    let container = Container::new(Graph::empty()).unwrap();
    let definition =
        Definition::<u8>::new(|| 7_u8).handed_out_as::<dyn Speaks>(|_| panic!("no voice"));
    container.provide_definition(definition).unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(code(&error), "ZNIGHT015");
    assert!(error.report().to_string().contains("panicked: no voice"));
}
