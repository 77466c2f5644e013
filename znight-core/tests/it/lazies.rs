//! `Lazy`: resolved when it is asked for.

use std::sync::Arc;

use znight_core::{
    __private::{Dep, Deps, Entry, Made, Make, made},
    Lazy, Root, ScopeKind,
};

use crate::support::{Brief, EntryExt, Node, Script, Sketch, async_node, brief, code, entry, node};

struct Holder<T: ?Sized>(Lazy<T>);

fn holder<T: Send + Sync + 'static>(of: u32) -> Entry {
    entry::<Holder<T>>(
        Make::Plain(|d| made::<Holder<T>, _>(Holder::<T>(d.next()))),
        crate::support::leak(vec![Dep::Lazy(of)]),
    )
}

struct Eager;

/// Makes an `Eager`, which resolves its lazy dependency on the way.
fn resolving<T: Send + Sync + 'static>(deps: &mut Deps<'_>) -> Made {
    let lazy: Lazy<T> = deps.next();
    made::<Eager, _>(lazy.get().map(|_| Eager))
}

#[tokio::test]
async fn a_lazy_breaks_a_circle() {
    struct Orders(Lazy<Payments>);
    struct Payments(#[expect(dead_code, reason = "only its injection matters")] Arc<Orders>);
    let container = Sketch::of(vec![
        entry::<Orders>(
            Make::Plain(|d| made::<Orders, _>(Orders(d.next()))),
            &[Dep::Lazy(1)],
        ),
        entry::<Payments>(
            Make::Plain(|d| made::<Payments, _>(Payments(d.next()))),
            &[Dep::One(0)],
        ),
    ])
    .ready()
    .await;
    let orders = container.get::<Orders>().unwrap();
    assert!(Arc::ptr_eq(
        &orders.0.get().unwrap(),
        &container.get::<Payments>().unwrap()
    ));
}

#[tokio::test]
async fn a_lazy_resolves_in_the_scope_of_the_moment() {
    let container = Sketch::of(vec![
        brief::<1>(ScopeKind::Request, &[]),
        holder::<Brief<1>>(0),
    ])
    .ready()
    .await;
    let lazy = container.get::<Holder<Brief<1>>>().unwrap();
    let one = || async { lazy.0.get().unwrap() };
    let (a, b) = tokio::join!(container.run_in_scope(one()), container.run_in_scope(one()));
    assert!(!Arc::ptr_eq(&a.unwrap(), &b.unwrap()));
    assert_eq!(code(&lazy.0.get().unwrap_err()), "ZNIGHT013");
}

#[tokio::test]
async fn a_lazy_resolved_by_a_constructor_of_what_it_needs_is_a_circle() {
    let container = Sketch::of(vec![entry::<Eager>(
        Make::Plain(resolving::<Eager>),
        &[Dep::Lazy(0)],
    )])
    .container(&Script::new());
    let error = container.init().await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(
        cause.to_string(),
        "ZNIGHT002: circular dependency: Eager -> Eager"
    );
}

#[tokio::test]
async fn an_async_constructor_that_resolves_itself_is_a_circle_as_well() {
    let container = Sketch::of(vec![entry::<Eager>(
        Make::Async(|mut d| {
            Box::pin(async move {
                let lazy: Lazy<Eager> = d.next();
                tokio::task::yield_now().await;
                made::<Eager, _>(lazy.get().map(|_| Eager))
            })
        }),
        &[Dep::Lazy(0)],
    )])
    .container(&Script::new());
    let error = container.init().await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(
        cause.to_string(),
        "ZNIGHT002: circular dependency: Eager -> Eager"
    );
}

#[tokio::test]
async fn a_lazy_resolved_during_init_creates_its_target_on_the_spot() {
    let script = Script::new();
    let container = Sketch::of(vec![
        entry::<Eager>(Make::Plain(resolving::<Node<2>>), &[Dep::Lazy(1)]),
        node::<2>(&[2]),
        node::<3>(&[]),
    ])
    .container(&script);
    container.init().await.unwrap();
    assert_eq!(script.lines(), ["make 3", "make 2"]);
}

#[tokio::test]
async fn a_lazy_resolved_by_a_constructor_does_not_wait_for_an_async_one() {
    let script = Script::new();
    let container = Sketch::of(vec![
        entry::<Eager>(Make::Plain(resolving::<Node<2>>), &[Dep::Lazy(1)]),
        async_node::<2>(&[]),
    ])
    .container(&script);
    let error = container.init().await.unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT015: failed to create Eager");
    let cause = std::error::Error::source(&error).unwrap();
    let cause = cause.downcast_ref::<znight_core::Error>().unwrap();
    assert_eq!(
        cause.to_string(),
        "ZNIGHT015: Node<2> is not there yet and nobody can wait for it here: its constructor is async"
    );
    assert!(cause.hints()[0].contains("Arc<Node<2>>"), "{cause:?}");
}

#[tokio::test]
async fn what_is_behind_a_lazy_belongs_to_the_closure() {
    let script = Script::new();
    let container = Sketch::of(vec![
        holder::<Node<2>>(1),
        async_node::<2>(&[]),
        node::<3>(&[]),
    ])
    .container(&script);
    container.init_only([Root::provider(0)]).await.unwrap();
    assert_eq!(script.lines(), ["make 2", "made 2"]);
    assert!(container.get::<Holder<Node<2>>>().unwrap().0.get().is_ok());
}

#[tokio::test]
async fn an_optional_lazy_is_none_when_nothing_is_bound() {
    struct Maybe(Option<Lazy<Node<1>>>, Option<Lazy<Node<2>>>);
    let container = Sketch::of(vec![
        node::<1>(&[]),
        entry::<Maybe>(
            Make::Plain(|d| made::<Maybe, _>(Maybe(d.next(), d.next()))),
            &[Dep::OptionalLazy(0), Dep::Unbound],
        ),
    ])
    .ready()
    .await;
    let maybe = container.get::<Maybe>().unwrap();
    assert!(maybe.0.as_ref().unwrap().get().is_ok());
    assert!(maybe.1.is_none());
}

#[tokio::test]
async fn a_lazy_does_not_keep_the_container_alive() {
    let container = Sketch::of(vec![node::<1>(&[]), holder::<Node<1>>(0)])
        .ready()
        .await;
    let holder = container.get::<Holder<Node<1>>>().unwrap();
    drop(container);
    assert_eq!(code(&holder.0.get().unwrap_err()), "ZNIGHT015");
}

#[tokio::test]
async fn a_lazy_transient_is_new_each_time() {
    let container = Sketch::of(vec![
        brief::<1>(ScopeKind::Transient, &[]).scope(ScopeKind::Transient),
        holder::<Brief<1>>(0),
    ])
    .ready()
    .await;
    let holder = container.get::<Holder<Brief<1>>>().unwrap();
    assert!(!Arc::ptr_eq(
        &holder.0.get().unwrap(),
        &holder.0.get().unwrap()
    ));
}
