//! Boots that create only a part: what belongs to it, and what is made on demand.

use std::sync::Arc;

use futures_util::FutureExt as _;
use znight_core::{
    __private::{Dep, Entry, Make, made},
    Container, Interceptors, Root, Scope, ScopeKind,
};

use crate::support::{
    Act, Brief, EntryExt, Node, Script, Sketch, async_node, brief, code, entry, external, node,
};

/// Has methods with interceptors.
struct Intercepted(Interceptors);

fn intercepted(interceptors: &'static [Dep]) -> Entry {
    entry::<Intercepted>(
        Make::Plain(|d| made::<Intercepted, _>(Intercepted(d.next()))),
        crate::support::leak(vec![Dep::Interceptors(interceptors)]),
    )
}

#[tokio::test]
async fn interceptors_belong_to_what_they_intercept() {
    let script = Script::new();
    let container = Sketch::of(vec![
        intercepted(&[Dep::One(1)]),
        async_node::<1>(&[2]),
        async_node::<2>(&[]),
        async_node::<3>(&[]),
    ])
    .container(&script);
    container
        .init_only([Root::of::<Intercepted>()])
        .await
        .unwrap();
    assert_eq!(script.lines(), ["make 2", "made 2", "make 1", "made 1"]);
    assert!(!container.get::<Intercepted>().unwrap().0.is_empty());
}

#[tokio::test]
async fn a_singleton_may_not_have_an_interceptor_that_belongs_to_a_request() {
    let container = Sketch::of(vec![
        intercepted(&[Dep::One(1)]),
        brief::<1>(ScopeKind::Request, &[]),
    ])
    .container(&Script::new());
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT003: singleton Intercepted depends on request-scoped Brief<1>"
    );
}

#[tokio::test]
async fn what_is_asked_for_by_handlers_belongs_to_their_host() {
    let script = Script::new();
    let container = Sketch::of(vec![
        node::<1>(&[]).asks(&[1]),
        brief::<2>(ScopeKind::Request, &[2]),
        async_node::<3>(&[]),
        async_node::<4>(&[]),
    ])
    .container(&script);
    container.init_only([Root::of::<Node<1>>()]).await.unwrap();
    let mut lines = script.lines();
    lines.sort();
    assert_eq!(lines, ["made 3", "make 1", "make 3"]);
    script.clear();
    container
        .run_in_scope(async { container.get::<Brief<2>>().map(drop) })
        .await
        .unwrap()
        .unwrap();
    assert_eq!(script.lines(), ["make 2", "dispose 2"]);
}

#[tokio::test]
async fn what_lies_behind_a_lazy_of_a_lazy_belongs_to_the_closure_and_externals_are_asked_for() {
    struct Mailer;
    let sketch = || {
        Sketch::of(vec![
            entry::<u8>(Make::Plain(|_| made::<u8, _>(1_u8)), &[Dep::Lazy(1)]),
            entry::<u16>(
                Make::Plain(|_| made::<u16, _>(1_u16)),
                &[Dep::OptionalLazy(2)],
            ),
            async_node::<3>(&[3]),
            entry::<u32>(
                Make::Plain(|_| made::<u32, _>(1_u32)),
                &[Dep::LazyExternal(1)],
            ),
            async_node::<4>(&[]),
        ])
        .external(external::<Mailer>("MailPlugin", ScopeKind::Singleton))
    };
    let script = Script::new();
    let container = sketch().container(&script);
    let error = container.init_only([Root::of::<u8>()]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT001: no provider for Mailer (expected from MailPlugin), required by u32 \
         (src/test.rs:7)"
    );
    let container = sketch().container(&script);
    container.provide_value(Arc::new(Mailer)).unwrap();
    container.init_only([Root::of::<u8>()]).await.unwrap();
    assert_eq!(script.lines(), ["make 3", "made 3"]);

    let container = sketch().container(&Script::new());
    container
        .init_only([Root::of::<Node<4>>()])
        .await
        .expect("who does not need the mailer does not miss it");
}

#[tokio::test]
async fn an_init_that_is_dropped_goes_on_with_the_next_call() {
    let script = Script::new();
    script.act("make 2", Act::Hang);
    let container = Sketch::of(vec![node::<1>(&[]), async_node::<2>(&[0])]).container(&script);
    assert!(
        container.init().now_or_never().is_none(),
        "pending, and dropped"
    );
    script.act("make 2", Act::Fail);
    let error = container.init().await.unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT015: failed to create Node<2>");
    assert_eq!(
        script.lines(),
        ["make 1", "make 2", "make 2", "dispose 1"],
        "1 is not made again"
    );
}

#[tokio::test]
async fn what_fails_on_demand_may_be_tried_again() {
    let script = Script::new();
    let container = Sketch::of(vec![node::<1>(&[])]).container(&script);
    container.init_only([]).await.unwrap();
    script.act("make 1", Act::Fail);
    assert_eq!(code(&container.get::<Node<1>>().unwrap_err()), "ZNIGHT015");
    script.act("make 1", Act::Hang); // nothing a sync step does
    container.get::<Node<1>>().unwrap();
    assert_eq!(script.lines(), ["make 1", "make 1"]);
}

/// Whether its constructor saw a request scope.
struct Curious<const N: u8>(bool);

fn curious<const N: u8>(deps: &'static [Dep]) -> Entry {
    entry::<Curious<N>>(
        Make::Plain(|_| made::<Curious<N>, _>(Curious::<N>(Scope::current().is_ok()))),
        deps,
    )
}

#[tokio::test]
async fn a_singleton_made_during_a_request_its_dependencies_and_interceptors_do_not_see_it() {
    let container = Sketch::of(vec![
        entry::<Intercepted>(
            Make::Plain(|d| {
                assert!(Scope::current().is_err());
                made::<Intercepted, _>(Intercepted(d.next()))
            }),
            &[Dep::Interceptors(&[Dep::One(1)])],
        )
        .uses(&[2]),
        curious::<1>(&[]),
        curious::<2>(&[]),
    ])
    .container(&Script::new());
    container.init_only([]).await.unwrap();
    container
        .run_in_scope(async {
            container.get::<Intercepted>().unwrap();
            assert!(!container.get::<Curious<1>>().unwrap().0);
            assert!(!container.get::<Curious<2>>().unwrap().0);
            assert!(Scope::current().is_ok(), "the scope is back");
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn interceptors_are_put_in_whatever_the_scope() {
    for scope in [
        ScopeKind::Singleton,
        ScopeKind::Request,
        ScopeKind::Transient,
    ] {
        let container = Sketch::of(vec![
            intercepted(&[Dep::One(1)]).scope(scope),
            node::<1>(&[]),
        ])
        .ready()
        .await;
        container
            .run_in_scope(async {
                assert!(!container.get::<Intercepted>().unwrap().0.is_empty());
            })
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn what_is_made_while_the_container_is_given_up_is_disposed() {
    let script = Script::new();
    let gate = Arc::new(tokio::sync::Notify::new());
    script.act("make 2", Act::Wait(Arc::clone(&gate)));
    let container = Sketch::of(vec![node::<1>(&[]), async_node::<2>(&[])]).container(&script);
    let init = tokio::spawn({
        let container = container.clone();
        async move { container.init().await }
    });
    tokio::task::yield_now().await;
    container.dispose().await.unwrap();
    assert_eq!(script.lines(), ["make 1", "make 2", "dispose 1"]);
    gate.notify_one();
    assert_eq!(code(&init.await.unwrap().unwrap_err()), "ZNIGHT015");
    tokio::task::yield_now().await;
    assert_eq!(
        script.lines()[3..],
        ["make 2 goes on", "made 2", "dispose 2"]
    );
}

#[tokio::test]
async fn a_constructor_that_gives_the_container_up_is_refused() {
    let script = Script::new();
    let container: Container = Sketch::of(vec![entry::<u8>(
        Make::Plain(|d| {
            let container: Arc<Container> = d.next();
            // Nothing was made so far, so this does not wait.
            futures_util::FutureExt::now_or_never(container.dispose())
                .expect("ready")
                .unwrap();
            made::<u8, _>(1_u8)
        }),
        &[Dep::External(1)],
    )])
    .external(external::<Container>("", ScopeKind::Singleton))
    .container(&script);
    assert_eq!(code(&container.init().await.unwrap_err()), "ZNIGHT015");
}
