//! Request scopes.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use futures_util::FutureExt as _;
use tokio::sync::Notify;
use znight_core::{
    __private::{Dep, Lifecycle, Make, Probe, made, provider},
    Container, Dispose, Result, Root, Scope, ScopeKind,
};

use crate::support::{
    Act, Brief, EntryExt, Node, Script, Sketch, brief, brief_with, code, entry, external, node,
    with,
};

struct Context(u32);

fn request(script: &Arc<Script>) -> Container {
    Sketch::of(vec![
        brief::<1>(ScopeKind::Request, &[]),
        brief_with::<2, 1>(ScopeKind::Request, &[Dep::External(0), Dep::One(0)]),
        node::<3>(&[]),
    ])
    .external(external::<Context>("HttpPlugin", ScopeKind::Request))
    .container(script)
}

#[tokio::test]
async fn one_instance_for_each_scope_disposed_in_reverse_at_its_end() {
    let script = Script::new();
    let container = request(&script);
    container.init().await.unwrap();
    script.clear();
    container
        .run_in_scope(async {
            let first = container.get::<Brief<1>>().unwrap();
            tokio::task::yield_now().await;
            assert!(Arc::ptr_eq(&first, &container.get::<Brief<1>>().unwrap()));
            container.get::<Brief<2>>().unwrap();
        })
        .await
        .unwrap();
    assert_eq!(
        script.lines(),
        ["make 1", "make 2", "dispose 2", "dispose 1"]
    );
}

#[tokio::test]
async fn concurrent_scopes_share_nothing() {
    let container = request(&Script::new());
    container.init().await.unwrap();
    let gate = Arc::new(Notify::new());
    let task = || {
        let (container, gate) = (container.clone(), Arc::clone(&gate));
        tokio::spawn(async move {
            container
                .run_in_scope(async {
                    let before = container.get::<Brief<1>>().unwrap();
                    gate.notified().await;
                    assert!(Arc::ptr_eq(&before, &container.get::<Brief<1>>().unwrap()));
                    before
                })
                .await
                .unwrap()
        })
    };
    let (a, b) = (task(), task());
    tokio::task::yield_now().await;
    gate.notify_waiters();
    assert!(!Arc::ptr_eq(&a.await.unwrap(), &b.await.unwrap()));
}

#[tokio::test]
async fn outside_of_a_scope_in_a_closed_one_and_unseeded_are_told_apart() {
    let container = request(&Script::new());
    container.init().await.unwrap();
    let error = container.get::<Brief<1>>().unwrap_err();
    assert_eq!(code(&error), "ZNIGHT013");
    assert!(
        error.message().contains("outside of a request scope"),
        "{error}"
    );
    assert!(
        error
            .hints()
            .iter()
            .any(|hint| hint.contains("run_in_scope"))
    );

    let kept = container
        .run_in_scope(async { Scope::current().unwrap() })
        .await
        .unwrap();
    assert!(kept.is_closed());
    let error = kept.get::<Brief<1>>().unwrap_err();
    assert_eq!(code(&error), "ZNIGHT013");
    assert!(
        error.message().contains("a scope that is closed"),
        "{error}"
    );

    let error = container
        .run_in_scope(async { container.get::<Context>() })
        .await
        .unwrap();
    let error = error.err().unwrap();
    assert_eq!(code(&error), "ZNIGHT013");
    assert!(error.message().contains("was not seeded"), "{error}");

    assert_eq!(code(&Scope::current().unwrap_err()), "ZNIGHT013");
}

#[tokio::test]
async fn a_seed_is_handed_out_and_injected() {
    struct Reader(Arc<Context>);
    let container = Sketch::of(vec![
        entry::<Reader>(
            Make::Plain(|d| made::<Reader, _>(Reader(d.next()))),
            &[Dep::External(1)],
        )
        .scope(ScopeKind::Request),
    ])
    .external(external::<Context>("HttpPlugin", ScopeKind::Request))
    .ready()
    .await;
    let mut scope = container.open_scope();
    let context = Arc::new(Context(7));
    scope.seed(Arc::clone(&context));
    scope.seed(Arc::new("unknown to the graph".to_owned()));
    scope
        .run(async {
            assert!(Arc::ptr_eq(&container.get::<Context>().unwrap(), &context));
            assert_eq!(container.get::<Reader>().unwrap().0.0, 7);
            assert_eq!(*container.get::<String>().unwrap(), "unknown to the graph");
            assert!(container.has::<String>());
        })
        .await;
    scope.close().await.unwrap();
}

#[tokio::test]
async fn a_seed_for_what_is_bound_otherwise_is_ignored_and_a_later_seed_wins() {
    let container = request(&Script::new());
    container.init().await.unwrap();
    let own = container.get::<Node<3>>().unwrap();
    let other = request(&Script::new());
    other.init().await.unwrap();
    let mut scope = container.open_scope();
    scope.seed(other.get::<Node<3>>().unwrap());
    scope.seed(Arc::new(Context(1)));
    scope.seed(Arc::new(Context(2)));
    scope.enter(|| {
        assert!(Arc::ptr_eq(&container.get::<Node<3>>().unwrap(), &own));
        assert_eq!(container.get::<Context>().unwrap().0, 2);
    });
    scope.close().await.unwrap();
}

#[tokio::test]
async fn a_failing_disposal_is_reported_and_the_others_run() {
    let script = Script::new();
    let container = request(&script);
    container.init().await.unwrap();
    script.act("dispose 2", Act::Fail);
    script.act("dispose 1", Act::Panic);
    let error = container
        .run_in_scope(async { container.get::<Brief<2>>().map(drop) })
        .await
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT021");
    let messages: Vec<&str> = error
        .errors()
        .iter()
        .map(znight_core::Error::message)
        .collect();
    assert_eq!(
        messages,
        [
            "`dispose` of Brief<2> failed",
            "`dispose` of Brief<1> failed"
        ]
    );
}

#[tokio::test]
async fn a_singleton_made_on_demand_is_made_outside_of_the_scope() {
    struct Curious(bool);
    struct Greedy(#[expect(dead_code, reason = "only its injection matters")] u8);
    let container = Sketch::of(vec![
        entry::<Curious>(
            Make::Plain(|_| made::<Curious, _>(Curious(Scope::current().is_ok()))),
            &[],
        ),
        entry::<Greedy>(Make::Plain(|_| made::<Greedy, _>(Greedy(0))), &[]),
    ])
    .container(&Script::new());
    container.init_only([Root::of::<Greedy>()]).await.unwrap();
    container
        .run_in_scope(async {
            assert!(!container.get::<Curious>().unwrap().0);
            assert!(Scope::current().is_ok(), "the scope is back");
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn init_inside_of_a_scope_does_not_see_it() {
    struct Curious(bool);
    let sketch = || {
        Sketch::of(vec![entry::<Curious>(
            Make::Async(|_| {
                Box::pin(async {
                    tokio::task::yield_now().await;
                    made::<Curious, _>(Curious(Scope::current().is_ok()))
                })
            }),
            &[],
        )])
    };
    let (outer, inner) = (sketch().ready().await, sketch().container(&Script::new()));
    outer.run_in_scope(inner.init()).await.unwrap().unwrap();
    assert!(!inner.get::<Curious>().unwrap().0);
}

#[tokio::test]
async fn spawned_work_leaves_the_scope_unless_it_is_wrapped() {
    let container = request(&Script::new());
    container.init().await.unwrap();
    container
        .run_in_scope(async {
            assert!(
                tokio::spawn(async { Scope::current().is_err() })
                    .await
                    .unwrap()
            );
            let scope = Scope::current().unwrap();
            let here = container.get::<Brief<1>>().unwrap();
            let wrapped = scope.wrap(async move {
                tokio::task::yield_now().await;
                Scope::current().unwrap().get::<Brief<1>>().unwrap()
            });
            assert!(Arc::ptr_eq(&here, &tokio::spawn(wrapped).await.unwrap()));
            let blocking =
                move || scope.enter(|| Scope::current().unwrap().get::<Brief<1>>().unwrap());
            assert!(Arc::ptr_eq(
                &here,
                &tokio::task::spawn_blocking(blocking).await.unwrap()
            ));
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn an_inner_scope_hides_the_outer_one_until_it_ends() {
    let container = request(&Script::new());
    container.init().await.unwrap();
    container
        .run_in_scope(async {
            let outer = container.get::<Brief<1>>().unwrap();
            let inner = container
                .run_in_scope(async { container.get::<Brief<1>>().unwrap() })
                .await
                .unwrap();
            assert!(!Arc::ptr_eq(&outer, &inner));
            assert!(Arc::ptr_eq(&outer, &container.get::<Brief<1>>().unwrap()));
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_scope_of_another_container_does_not_count() {
    let (one, other) = (request(&Script::new()), request(&Script::new()));
    one.init().await.unwrap();
    other.init().await.unwrap();
    let error = one
        .run_in_scope(async { other.get::<Brief<1>>().unwrap_err() })
        .await
        .unwrap();
    assert!(
        error.message().contains("outside of a request scope"),
        "{error}"
    );
}

#[tokio::test]
async fn the_scope_is_left_when_the_work_panics() {
    let container = request(&Script::new());
    container.init().await.unwrap();
    let task = tokio::spawn({
        let container = container.clone();
        async move { container.run_in_scope(async { panic!("boom") }).await }
    });
    assert!(task.await.is_err());
    assert!(Scope::current().is_err());
}

#[tokio::test]
async fn a_scope_dropped_half_way_is_disposed_in_the_background() {
    let script = Script::new();
    let container = request(&script);
    container.init().await.unwrap();
    script.clear();
    {
        let mut scope = container.open_scope();
        scope
            .enter(|| container.get::<Brief<2>>().map(drop))
            .unwrap();
    }
    tokio::task::yield_now().await;
    assert_eq!(
        script.lines(),
        ["make 1", "make 2", "dispose 2", "dispose 1"]
    );

    script.clear();
    let wait = Arc::new(Notify::new());
    script.act("dispose 2", Act::Wait(wait));
    let mut scope = container.open_scope();
    scope
        .enter(|| container.get::<Brief<2>>().map(drop))
        .unwrap();
    assert!(
        scope.close().now_or_never().is_none(),
        "pending, and dropped"
    );
    tokio::task::yield_now().await;
    assert_eq!(
        script.lines(),
        ["make 1", "make 2", "dispose 2", "dispose 1"]
    );
}

#[tokio::test]
async fn a_constructor_that_fails_in_a_scope_may_be_tried_again() {
    let script = Script::new();
    let container = request(&script);
    container.init().await.unwrap();
    script.act("make 1", Act::Fail);
    container
        .run_in_scope(async {
            let error = container.get::<Brief<2>>().unwrap_err();
            assert_eq!(error.to_string(), "ZNIGHT015: failed to create Brief<1>");
            assert_eq!(
                error.instantiation().unwrap().path(),
                ["Brief<2>", "Brief<1>"]
            );
            script.act("make 1", Act::StopInPassing); // nothing a sync step does
            assert!(container.get::<Brief<2>>().is_ok());
        })
        .await
        .unwrap();
}

struct Counted;
static MADE: AtomicU32 = AtomicU32::new(0);
static DISPOSED: AtomicU32 = AtomicU32::new(0);

impl Dispose for Counted {
    async fn dispose(&self) -> Result {
        tokio::task::yield_now().await;
        DISPOSED.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_thousand_overlapping_scopes_dispose_what_they_made() {
    let make = Make::Plain(|_| {
        MADE.fetch_add(1, Ordering::Relaxed);
        made::<Counted, _>(Counted)
    });
    let lifecycle = Lifecycle {
        dispose: Probe::<Counted>::DISPOSE,
        ..Lifecycle::NONE
    };
    let container = Sketch::of(vec![
        with::<Counted>(provider::<Counted>(make, &[], lifecycle), &[]).scope(ScopeKind::Request),
    ])
    .ready()
    .await;
    let tasks: Vec<_> = (0..10_000)
        .map(|number| {
            let container = container.clone();
            tokio::spawn(async move {
                container
                    .run_in_scope(async {
                        let one = container.get::<Counted>().unwrap();
                        tokio::task::yield_now().await;
                        if number % 3 == 0 {
                            // Two parts of one request on different threads share the instance.
                            let part = Scope::current().unwrap().wrap(async move {
                                Scope::current().unwrap().get::<Counted>().unwrap()
                            });
                            assert!(Arc::ptr_eq(&one, &tokio::spawn(part).await.unwrap()));
                        }
                        assert!(Arc::ptr_eq(&one, &container.get::<Counted>().unwrap()));
                    })
                    .await
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(MADE.load(Ordering::Relaxed), 10_000);
    assert_eq!(DISPOSED.load(Ordering::Relaxed), 10_000);
}
