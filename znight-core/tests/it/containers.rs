//! Creation, look-up, and what happens when creation fails.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use tokio::sync::Notify;
use znight_core::{
    __private::{Dep, Make, clone_value, coercion, made},
    Container, Error, Graph, Hooks, Root, ScopeKind,
};

use crate::support::{
    Act, Brief, EntryExt, Node, Script, Sketch, async_node, brief, code, coerced, entry, external,
    node,
};

trait Sink: Send + Sync {
    fn name(&self) -> &'static str;
}

#[derive(Debug)]
struct File;
impl Sink for File {
    fn name(&self) -> &'static str {
        "file"
    }
}

#[derive(Debug)]
struct Audit;
impl Sink for Audit {
    fn name(&self) -> &'static str {
        "audit"
    }
}

fn sinks() -> Vec<znight_core::__private::Entry> {
    vec![
        coerced::<File>(
            Make::Plain(|_| made::<File, _>(File)),
            &[],
            const {
                &[coercion::<dyn Sink>(|h| {
                    znight_core::__private::Handle::new(h.arc::<File>() as Arc<dyn Sink>)
                })]
            },
        ),
        coerced::<Audit>(
            Make::Plain(|_| made::<Audit, _>(Audit)),
            &[],
            const {
                &[coercion::<dyn Sink>(|h| {
                    znight_core::__private::Handle::new(h.arc::<Audit>() as Arc<dyn Sink>)
                })]
            },
        )
        .named("audit"),
    ]
}

#[tokio::test]
async fn a_singleton_is_created_once_and_shared() {
    let container = Sketch::of(vec![node::<1>(&[])]).ready().await;
    let (a, b) = (
        container.get::<Node<1>>().unwrap(),
        container.get::<Node<1>>().unwrap(),
    );
    assert!(Arc::ptr_eq(&a, &b));
}

#[tokio::test]
async fn dependencies_are_created_first_in_the_order_of_the_graph() {
    let script = Script::new();
    let container =
        Sketch::of(vec![node::<1>(&[2]), node::<2>(&[]), node::<3>(&[1])]).container(&script);
    container.init().await.unwrap();
    assert_eq!(script.lines(), ["make 2", "make 3", "make 1"]);
}

#[tokio::test]
async fn independent_async_singletons_are_created_at_the_same_time() {
    let script = Script::new();
    let (one, two) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    script.act("make 1", Act::Wait(Arc::clone(&one)));
    script.act("make 2", Act::Wait(Arc::clone(&two)));
    let container = Sketch::of(vec![
        async_node::<1>(&[]),
        async_node::<2>(&[]),
        node::<3>(&[1]),
        node::<4>(&[0, 1]),
    ])
    .container(&script);
    let init = tokio::spawn({
        let container = container.clone();
        async move { container.init().await }
    });
    tokio::task::yield_now().await;
    assert_eq!(script.lines(), ["make 1", "make 2"]);
    two.notify_one();
    tokio::task::yield_now().await;
    // 3 does not wait for 1, on which it does not depend.
    assert_eq!(script.lines()[2..], ["make 2 goes on", "made 2", "make 3"]);
    one.notify_one();
    init.await.unwrap().unwrap();
    assert_eq!(script.lines()[5..], ["make 1 goes on", "made 1", "make 4"]);
}

#[tokio::test]
async fn a_second_init_answers_with_the_outcome_of_the_first() {
    let script = Script::new();
    let container = Sketch::of(vec![node::<1>(&[])]).container(&script);
    let (a, b) = tokio::join!(container.init(), container.init());
    a.unwrap();
    b.unwrap();
    assert_eq!(script.lines(), ["make 1"]);

    script.act("make 1", Act::Fail);
    let failing = Sketch::of(vec![node::<1>(&[])]).container(&script);
    assert_eq!(code(&failing.init().await.unwrap_err()), "ZNIGHT015");
    assert_eq!(code(&failing.init().await.unwrap_err()), "ZNIGHT015");
}

#[tokio::test]
async fn a_constructor_that_fails_is_reported_with_token_path_place_and_cause() {
    let script = Script::new();
    script.act("make 3", Act::Fail);
    let container =
        Sketch::of(vec![node::<1>(&[1]), node::<2>(&[2]), async_node::<3>(&[])]).container(&script);
    let error = container.init().await.unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT015: failed to create Node<3>");
    assert_eq!(
        error.instantiation().unwrap().path(),
        ["Node<1>", "Node<2>", "Node<3>"]
    );
    assert!(
        error
            .instantiation()
            .unwrap()
            .token()
            .ends_with("support::Node<3>"),
        "{:?}",
        error.instantiation().unwrap().token()
    );
    assert_eq!(error.place().unwrap().to_string(), "src/test.rs:7");
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.to_string(), "make 3 failed");
}

#[tokio::test]
async fn a_constructor_that_panics_is_reported_as_one_that_fails() {
    let script = Script::new();
    for entry in [node::<1>(&[]), async_node::<1>(&[])] {
        script.act("make 1", Act::Panic);
        let error = Sketch::of(vec![entry])
            .container(&script)
            .init()
            .await
            .unwrap_err();
        assert_eq!(code(&error), "ZNIGHT015");
        let cause = std::error::Error::source(&error).unwrap();
        assert_eq!(cause.to_string(), "panicked: make 1 panicked");
    }
}

#[tokio::test]
async fn what_was_created_is_disposed_in_reverse_when_creation_fails() {
    let script = Script::new();
    script.act("make 3", Act::Fail);
    script.act("dispose 2", Act::Fail);
    let container =
        Sketch::of(vec![node::<1>(&[]), node::<2>(&[0]), node::<3>(&[1])]).container(&script);
    let error = container.init().await.unwrap_err();
    assert_eq!(
        script.lines(),
        ["make 1", "make 2", "make 3", "dispose 2", "dispose 1"]
    );
    assert_eq!(error.suppressed().len(), 1);
    assert_eq!(
        error.suppressed()[0].to_string(),
        "ZNIGHT021: `dispose` of Node<2> failed"
    );
}

#[tokio::test]
async fn async_constructors_under_way_are_dropped_when_another_one_fails() {
    let script = Script::new();
    script.act("make 1", Act::Hang);
    script.act("make 2", Act::Fail);
    let container = Sketch::of(vec![async_node::<1>(&[]), async_node::<2>(&[])]).container(&script);
    assert_eq!(code(&container.init().await.unwrap_err()), "ZNIGHT015");
    assert_eq!(script.lines(), ["make 1", "make 2"]);
}

#[tokio::test]
async fn nothing_is_resolved_before_init() {
    let container = Sketch::of(vec![node::<1>(&[])]).container(&Script::new());
    let error = container.get::<Node<1>>().unwrap_err();
    assert!(error.message().contains("not been initialised"), "{error}");
    assert!(!container.has::<Node<1>>());
}

#[tokio::test]
async fn only_the_closure_of_the_roots_is_created_and_the_rest_on_demand() {
    let script = Script::new();
    let container = Sketch::of(vec![
        node::<1>(&[1]),
        node::<2>(&[]),
        node::<3>(&[3]),
        node::<4>(&[]),
    ])
    .container(&script);
    container.init_only([Root::of::<Node<1>>()]).await.unwrap();
    assert_eq!(script.lines(), ["make 2", "make 1"]);
    container.get::<Node<3>>().unwrap();
    container.get::<Node<3>>().unwrap();
    assert_eq!(script.lines()[2..], ["make 4", "make 3"]);
}

#[tokio::test]
async fn a_root_nobody_provides_is_an_error() {
    let container = Sketch::of(vec![]).container(&Script::new());
    let error = container
        .init_only([Root::of::<File>(), Root::provider(77)])
        .await
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT001");
    assert_eq!(error.errors().len(), 2);
}

#[tokio::test]
async fn an_async_singleton_outside_of_the_closure_is_refused_on_demand() {
    let script = Script::new();
    let container =
        Sketch::of(vec![node::<1>(&[]), node::<2>(&[2]), async_node::<3>(&[])]).container(&script);
    container.init_only([Root::of::<Node<1>>()]).await.unwrap();
    let error = container.get::<Node<3>>().unwrap_err();
    assert_eq!(code(&error), "ZNIGHT015");
    assert!(
        error.message().contains("its constructor is async"),
        "{error}"
    );
    assert!(error.hints()[0].contains("only"), "{error:?}");
}

#[tokio::test]
async fn a_singleton_created_by_many_threads_at_once_is_created_once() {
    static MADE: AtomicU32 = AtomicU32::new(0);
    struct Counted;
    let container = Sketch::of(vec![entry::<Counted>(
        Make::Plain(|_| {
            MADE.fetch_add(1, Ordering::SeqCst);
            std::thread::yield_now();
            made::<Counted, _>(Counted)
        }),
        &[],
    )])
    .container(&Script::new());
    container.init_only([]).await.unwrap();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| container.get::<Counted>().unwrap());
        }
    });
    assert_eq!(MADE.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_transient_is_new_each_time_and_never_disposed() {
    let script = Script::new();
    let container = Sketch::of(vec![brief::<1>(ScopeKind::Transient, &[])]).container(&script);
    container.init().await.unwrap();
    let (a, b) = (
        container.get::<Brief<1>>().unwrap(),
        container.get::<Brief<1>>().unwrap(),
    );
    assert!(!Arc::ptr_eq(&a, &b));
    container.dispose().await.unwrap();
    assert_eq!(script.lines(), ["make 1", "make 1"]);
}

#[tokio::test]
async fn by_trait_by_name_by_token_and_by_display_name() {
    let container = Sketch::of(sinks()).bind(0, 0).ready().await;
    assert_eq!(container.get::<dyn Sink>().unwrap().name(), "file");
    assert_eq!(
        container.get_named::<dyn Sink>("audit").unwrap().name(),
        "audit"
    );
    assert_eq!(
        container.get_named::<Audit>("audit").unwrap().name(),
        "audit"
    );
    let token = container.token_of::<Audit>().unwrap();
    assert!(token.ends_with("containers::Audit"), "{token}");
    assert_eq!(
        container.get_by_token::<dyn Sink>(&token).unwrap().name(),
        "audit"
    );
    assert_eq!(
        container.get_by_token::<Audit>("Audit").unwrap().name(),
        "audit"
    );
    assert!(container.has::<dyn Sink>() && !container.has::<String>());
    assert!(container.get_optional::<String>().unwrap().is_none());
    assert!(container.token_of::<String>().is_none());
}

#[tokio::test]
async fn several_candidates_for_a_trait_are_ambiguous_unless_one_is_primary() {
    let container = Sketch::of(sinks()).ready().await;
    let error = container.get::<dyn Sink>().err().unwrap();
    assert_eq!(code(&error), "ZNIGHT008");
    assert!(error.message().contains("File (src/test.rs:7)"), "{error}");
    assert!(error.message().contains("named \"audit\""), "{error}");

    let [file, audit] = <[_; 2]>::try_from(sinks()).unwrap();
    let container = Sketch::of(vec![file, audit.primary()]).ready().await;
    assert_eq!(container.get::<dyn Sink>().unwrap().name(), "audit");
}

#[tokio::test]
async fn a_display_name_of_several_providers_lists_their_tokens() {
    mod elsewhere {
        pub(super) struct File;
    }
    let container = Sketch::of(vec![
        entry::<File>(Make::Plain(|_| made::<File, _>(File)), &[]),
        entry::<elsewhere::File>(
            Make::Plain(|_| made::<elsewhere::File, _>(elsewhere::File)),
            &[],
        ),
    ])
    .ready()
    .await;
    let error = container.get_by_token::<File>("File").unwrap_err();
    assert_eq!(code(&error), "ZNIGHT008");
    assert!(error.hints()[0].contains("elsewhere::File"), "{error:?}");
    let error = container.get_by_token::<String>(&container.token_of::<File>().unwrap());
    assert!(
        error
            .unwrap_err()
            .message()
            .contains("is not handed out as String")
    );
}

#[tokio::test]
async fn what_nobody_provides_is_missing_with_the_closest_name() {
    struct Filee;
    let container = Sketch::of(sinks()).ready().await;
    let error = container.get::<Filee>().err().unwrap();
    assert_eq!(error.to_string(), "ZNIGHT001: no provider for Filee");
    assert_eq!(error.hints(), ["there is File"]);
    let error = container.get_named::<dyn Sink>("metrics").err().unwrap();
    assert_eq!(error.hints(), ["names there are: audit"]);
    let error = container
        .get::<dyn std::fmt::Debug + Send + Sync>()
        .err()
        .unwrap();
    assert!(
        error.hints()[0].contains("the traits that somebody injects"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_provider_that_makes_nothing_provides_nothing() {
    struct Cache;
    struct Reader(Option<Arc<Cache>>, Vec<Arc<Cache>>);
    struct Strict(#[expect(dead_code, reason = "only its injection matters")] Arc<Cache>);
    let container = Sketch::of(vec![
        entry::<Cache>(Make::Plain(|_| made::<Cache, _>(None::<Cache>)), &[]),
        entry::<Reader>(
            Make::Plain(|d| made::<Reader, _>(Reader(d.next(), d.next()))),
            &[Dep::Optional(0), Dep::Many(&[0])],
        ),
    ])
    .ready()
    .await;
    let reader = container.get::<Reader>().unwrap();
    assert!(reader.0.is_none() && reader.1.is_empty());
    assert_eq!(code(&container.get::<Cache>().err().unwrap()), "ZNIGHT001");
    assert!(container.get_optional::<Cache>().unwrap().is_none());

    let error = Sketch::of(vec![
        entry::<Cache>(Make::Plain(|_| made::<Cache, _>(None::<Cache>)), &[]),
        entry::<Strict>(
            Make::Plain(|d| made::<Strict, _>(Strict(d.next()))),
            &[Dep::One(0)],
        ),
    ])
    .container(&Script::new())
    .init()
    .await
    .unwrap_err();
    assert_eq!(
        error.message(),
        "Cache (src/test.rs:7) provided nothing (`None`), required by Strict (src/test.rs:7)"
    );
}

#[tokio::test]
async fn a_value_is_injected_by_value_as_a_clone_and_a_transient_as_itself() {
    #[derive(Clone, Debug, PartialEq)]
    struct Region(&'static str);
    struct Scratch(u32);
    struct User(Region, Scratch);
    let mut region = entry::<Region>(Make::Plain(|_| made::<Region, _>(Region("eu"))), &[]);
    region.provider.clone = Some(clone_value::<Region>);
    let container = Sketch::of(vec![
        region,
        entry::<Scratch>(Make::Plain(|_| made::<Scratch, _>(Scratch(7))), &[])
            .scope(ScopeKind::Transient),
        entry::<User>(
            Make::Plain(|d| made::<User, _>(User(d.value(), d.value()))),
            &[Dep::One(0), Dep::One(1)],
        ),
    ])
    .ready()
    .await;
    let user = container.get::<User>().unwrap();
    assert_eq!((&user.0, user.1.0), (&Region("eu"), 7));
}

#[tokio::test]
async fn all_implementations_are_injected_in_the_order_of_the_graph() {
    struct Fan(Vec<Arc<dyn Sink>>);
    let mut providers = sinks();
    providers.push(entry::<Fan>(
        Make::Plain(|d| made::<Fan, _>(Fan(d.next()))),
        &[Dep::Many(&[1, 0])],
    ));
    let container = Sketch::of(providers).ready().await;
    let fan = container.get::<Fan>().unwrap();
    let names: Vec<_> = fan.0.iter().map(|sink| sink.name()).collect();
    assert_eq!(names, ["audit", "file"]);
}

#[tokio::test]
async fn an_optional_dependency_bound_to_nothing_is_what_was_supplied_at_run_time() {
    struct Metrics(Option<Arc<File>>);
    let metrics = || {
        entry::<Metrics>(
            Make::Plain(|d| made::<Metrics, _>(Metrics(d.next()))),
            &[Dep::Unbound],
        )
    };
    let container = Sketch::of(vec![metrics()]).ready().await;
    assert!(container.get::<Metrics>().unwrap().0.is_none());

    let container = Sketch::of(vec![metrics()]).container(&Script::new());
    container.register_value(Arc::new(File)).unwrap();
    container.init().await.unwrap();
    assert!(container.get::<Metrics>().unwrap().0.is_some());
}

#[tokio::test]
async fn the_container_itself_is_injected_without_a_circle_of_ownership() {
    struct Locator(Arc<Container>);
    let container = Sketch::of(vec![
        node::<1>(&[]),
        entry::<Locator>(
            Make::Plain(|d| made::<Locator, _>(Locator(d.next()))),
            &[Dep::External(1)],
        ),
    ])
    .external(external::<Container>("", ScopeKind::Singleton))
    .ready()
    .await;
    let locator = container.get::<Locator>().unwrap();
    assert!(locator.0.get::<Node<1>>().is_ok());
    drop(container);
    assert_eq!(code(&locator.0.get::<Node<1>>().unwrap_err()), "ZNIGHT015");
}

#[tokio::test]
async fn disposal_runs_once_in_reverse_and_ends_creation() {
    let script = Script::new();
    let container =
        Sketch::of(vec![node::<1>(&[]), node::<2>(&[0]), node::<3>(&[])]).container(&script);
    container.init_only([Root::of::<Node<2>>()]).await.unwrap();
    script.act("dispose 2", Act::Panic);
    let error: Error = container.dispose().await.unwrap_err();
    assert_eq!(code(&error), "ZNIGHT021");
    assert_eq!(error.errors().len(), 1);
    container.dispose().await.unwrap();
    assert_eq!(
        script.lines(),
        ["make 1", "make 2", "dispose 2", "dispose 1"]
    );
    assert_eq!(code(&container.get::<Node<3>>().unwrap_err()), "ZNIGHT015");
    assert_eq!(
        code(&container.get::<Node<1>>().unwrap_err()),
        "ZNIGHT015",
        "what was disposed is not handed out"
    );
}

#[tokio::test]
async fn a_graph_of_another_format_is_refused() {
    let sketch = Sketch {
        version: Some(99),
        ..Sketch::of(vec![])
    };
    let error = Container::new(sketch.graph()).unwrap_err();
    assert_eq!(code(&error), "ZNIGHT018");
}

#[tokio::test]
async fn ten_thousand_providers_in_a_chain_do_not_overflow_the_stack() {
    // All of one type: only the edges matter.
    let providers = (0..10_000_u32)
        .map(|id| {
            let uses = if id == 0 {
                &[][..]
            } else {
                crate::support::leak(vec![id - 1])
            };
            entry::<File>(Make::Plain(|_| made::<File, _>(File)), &[]).uses(uses)
        })
        .collect();
    let container = Sketch::of(providers).ready().await;
    assert_eq!(code(&container.get::<File>().unwrap_err()), "ZNIGHT008");
}

#[tokio::test]
async fn an_empty_graph_has_no_hooks_bus_of_its_own() {
    let container = Container::new(Graph::empty()).unwrap();
    container.init().await.unwrap();
    assert!(
        !container.has::<Hooks>(),
        "the bus belongs to an application"
    );
    assert!(container.has::<Container>());
}
