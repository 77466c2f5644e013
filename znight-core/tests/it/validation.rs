//! The rules of the compiler, checked again on the merged graph.

use std::sync::Arc;

use znight_core::{
    __private::{Dep, DynDep, Lifecycle, Make, Provider, ProviderMeta, made, provider},
    Container, Graph, Provided, Root, ScopeKind,
};

use crate::support::{
    Brief, EntryExt, Node, Script, Sketch, async_node, brief, code, entry, external, node,
};

struct Mailer;
struct Clock;
struct Service;

fn service(deps: &'static [Dep]) -> znight_core::__private::Entry {
    entry::<Service>(Make::Plain(|_| made::<Service, _>(Service)), deps)
}

#[tokio::test]
async fn all_missing_externals_are_reported_together_naming_who_supplies_them() {
    let container = Container::new(
        Sketch::of(vec![service(&[Dep::External(1), Dep::LazyExternal(2)])])
            .external(external::<Mailer>("MailPlugin", ScopeKind::Singleton))
            .external(external::<Clock>("", ScopeKind::Singleton))
            .graph(),
    )
    .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.message(),
        "required providers are missing:
- Mailer (expected from MailPlugin), required by Service (src/test.rs:7)
- Clock, required by Service (src/test.rs:7)"
    );
    assert_eq!(
        error.hints(),
        [
            "add MailPlugin to the application",
            "supply Clock with `provide_value`"
        ]
    );
}

#[tokio::test]
async fn an_external_nobody_needs_is_not_missing() {
    let container = Container::new(Sketch::of(vec![service(&[])]).graph()).unwrap();
    container.init().await.unwrap();
    assert!(!container.has::<Script>());
    assert!(container.get_optional::<Script>().unwrap().is_none());
    let error = container.get::<Script>().unwrap_err();
    assert_eq!(error.hints(), ["add TestPlugin to the application"]);
}

#[tokio::test]
async fn a_circle_is_reported_with_the_way_around() {
    let container = Sketch::of(vec![node::<1>(&[1]), node::<2>(&[2]), node::<3>(&[0])])
        .container(&Script::new());
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT002: circular dependency: Node<1> -> Node<2> -> Node<3> -> Node<1>"
    );
    assert!(error.hints()[0].contains("Lazy"), "{error:?}");
}

#[tokio::test]
async fn a_singleton_may_not_hold_what_belongs_to_a_request_even_through_transients() {
    let container = Sketch::of(vec![
        node::<1>(&[1]),
        brief::<2>(ScopeKind::Transient, &[2]),
        brief::<3>(ScopeKind::Request, &[]),
        node::<4>(&[2]),
    ])
    .container(&Script::new());
    let error = container.init().await.unwrap_err();
    let messages: Vec<&str> = error
        .errors()
        .iter()
        .map(znight_core::Error::message)
        .collect();
    assert_eq!(
        messages,
        [
            "singleton Node<1> depends on request-scoped Brief<3> through Brief<2>",
            "singleton Node<4> depends on request-scoped Brief<3>",
        ]
    );
    assert_eq!(code(&error.errors()[0]), "ZNIGHT003");
}

#[tokio::test]
async fn a_singleton_may_own_a_transient_and_a_request_may_use_a_singleton() {
    let container = Sketch::of(vec![
        node::<1>(&[1]),
        brief::<2>(ScopeKind::Transient, &[]),
        brief::<3>(ScopeKind::Request, &[0, 1]),
    ])
    .ready()
    .await;
    assert!(container.get::<Node<1>>().is_ok());
}

#[tokio::test]
async fn an_async_constructor_is_for_singletons() {
    let container =
        Sketch::of(vec![async_node::<1>(&[]).scope(ScopeKind::Request)]).container(&Script::new());
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT014: Node<1> is request-scoped and made by an async function"
    );
}

#[tokio::test]
async fn problems_of_all_kinds_are_reported_at_once_and_only_of_what_is_needed() {
    let sketch = || {
        Sketch::of(vec![
            service(&[Dep::External(1)]),
            node::<1>(&[2]),
            node::<2>(&[1]),
            node::<3>(&[4]),
            brief::<4>(ScopeKind::Request, &[]),
            node::<5>(&[]),
        ])
        .external(external::<Mailer>("MailPlugin", ScopeKind::Singleton))
    };
    let error = sketch().container(&Script::new()).init().await.unwrap_err();
    assert_eq!(error.message(), "the dependency graph has 3 problems");
    let codes: Vec<String> = error.errors().iter().map(code).collect();
    assert_eq!(codes, ["ZNIGHT001", "ZNIGHT002", "ZNIGHT003"]);

    let container = sketch().container(&Script::new());
    container.init_only([Root::of::<Node<5>>()]).await.unwrap();
    assert!(container.get::<Node<5>>().is_ok());
    // What was not checked is refused when it is asked for.
    assert_eq!(code(&container.get::<Node<1>>().unwrap_err()), "ZNIGHT002");
    assert_eq!(
        code(&container.get::<Service>().err().unwrap()),
        "ZNIGHT001"
    );
    assert_eq!(code(&container.get::<Brief<4>>().unwrap_err()), "ZNIGHT013");
}

/// A provider of a test, with dependencies that are found by type.
struct Fake(#[expect(dead_code, reason = "only its injection matters")] Arc<Mailer>);

impl Provided for Fake {
    const P: Provider = provider::<Self>(
        Make::Plain(|d| made::<Self, _>(Self(d.next()))),
        &[],
        Lifecycle::NONE,
    );
    const META: ProviderMeta = ProviderMeta {
        token: "test::Fake",
        display: "Fake",
        scope: ScopeKind::Singleton,
        name: None,
        primary: false,
        deps: &[DynDep::of::<Arc<Mailer>>(None)],
        source: None,
    };
}

#[tokio::test]
async fn providers_supplied_at_run_time_are_checked_and_injected_by_type() {
    let container = Container::new(Graph::empty()).unwrap();
    container.provide::<Fake>().unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT001: no provider for Mailer, required by Fake"
    );

    let container = Container::new(Graph::empty()).unwrap();
    container.provide::<Fake>().unwrap();
    container.provide_value(Arc::new(Mailer)).unwrap();
    container.init().await.unwrap();
    assert_eq!(container.token_of::<Fake>().unwrap(), "test::Fake");
    assert!(container.get::<Fake>().is_ok());
}
