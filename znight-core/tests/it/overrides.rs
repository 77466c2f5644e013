//! Who wins when several supply one type, and what is not created then.

use std::sync::Arc;

use znight_core::{
    __private::{
        Coerce, Dep, Deps, DynDep, Entry, Handle, Lifecycle, Make, Provider, ProviderMeta,
        coercion, made, provider,
    },
    Container, Provided, Root, ScopeKind,
};

use crate::support::{
    Act, EntryExt, Node, Script, Sketch, async_node, brief, code, coerced, entry, external, node,
};

trait Users: Send + Sync {
    fn from(&self) -> &'static str;
}

trait Health: Send + Sync {
    fn ok(&self) -> bool;
}

struct Pg;
impl Users for Pg {
    fn from(&self) -> &'static str {
        "pg"
    }
}
impl Health for Pg {
    fn ok(&self) -> bool {
        true
    }
}

struct Fake;
impl Users for Fake {
    fn from(&self) -> &'static str {
        "fake"
    }
}

const PG_COERCE: &[Coerce] = &[
    coercion::<dyn Users>(|h| Handle::new(h.arc::<Pg>() as Arc<dyn Users>)),
    coercion::<dyn Health>(|h| Handle::new(h.arc::<Pg>() as Arc<dyn Health>)),
];

fn make_pg(deps: &mut Deps<'_>) -> znight_core::__private::Made {
    let script: Arc<Script> = deps.next();
    script.say("make pg");
    made::<Pg, _>(Pg)
}

fn make_pg_async(
    mut deps: Deps<'_>,
) -> znight_core::__private::BoxFuture<'_, znight_core::__private::Made> {
    Box::pin(async move {
        tokio::task::yield_now().await;
        make_pg(&mut deps)
    })
}

/// 0: `Pg`, which needs 1, a pool; whoever needs users follows.
fn shop(make: Make, users: Entry) -> Sketch {
    Sketch::of(vec![
        coerced::<Pg>(make, &[Dep::External(0)], PG_COERCE).uses(&[1]),
        node::<9>(&[]),
        users,
    ])
    .bind(0, 0)
    .bind(0, 1)
}

struct ByTrait(Arc<dyn Users>);
struct ByType(Arc<Pg>);
struct ByOther(Arc<dyn Health>);

fn by_trait() -> Entry {
    entry::<ByTrait>(
        Make::Plain(|d| made::<ByTrait, _>(ByTrait(d.next()))),
        &[Dep::One(0)],
    )
}

fn by_type() -> Entry {
    entry::<ByType>(
        Make::Plain(|d| made::<ByType, _>(ByType(d.next()))),
        &[Dep::One(0)],
    )
}

fn by_other() -> Entry {
    entry::<ByOther>(
        Make::Plain(|d| made::<ByOther, _>(ByOther(d.next()))),
        &[Dep::One(0)],
    )
}

#[tokio::test]
async fn an_overridden_trait_is_handed_out_and_what_only_its_provider_needed_is_not_created() {
    let script = Script::new();
    let container = shop(Make::Plain(make_pg), by_trait()).container(&script);
    container
        .override_value::<dyn Users>(Arc::new(Fake))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<ByTrait>().unwrap().0.from(), "fake");
    assert_eq!(container.get::<dyn Users>().unwrap().from(), "fake");
    assert_eq!(
        script.lines(),
        Vec::<String>::new(),
        "neither pg nor its pool"
    );
}

#[tokio::test]
async fn who_injects_the_concrete_type_or_another_trait_still_gets_the_provider() {
    for make in [Make::Plain(make_pg), Make::Async(make_pg_async)] {
        let script = Script::new();
        let container = shop(make, by_type()).container(&script);
        container
            .override_value::<dyn Users>(Arc::new(Fake))
            .unwrap();
        container.init().await.unwrap();
        assert_eq!(container.get::<ByType>().unwrap().0.from(), "pg");
        assert_eq!(container.get::<dyn Users>().unwrap().from(), "fake");
        assert_eq!(script.lines(), ["make 9", "make pg"]);

        let script = Script::new();
        let container = shop(make, by_other()).container(&script);
        container
            .override_value::<dyn Users>(Arc::new(Fake))
            .unwrap();
        container.init().await.unwrap();
        assert!(container.get::<ByOther>().unwrap().0.ok());
    }
}

#[tokio::test]
async fn an_async_user_of_the_concrete_type_waits_for_its_provider() {
    let users = entry::<ByType>(
        Make::Async(|mut d| {
            Box::pin(async move {
                tokio::task::yield_now().await;
                made::<ByType, _>(ByType(d.next()))
            })
        }),
        &[Dep::One(0)],
    );
    let container = shop(Make::Async(make_pg_async), users).container(&Script::new());
    container
        .override_value::<dyn Users>(Arc::new(Fake))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<ByType>().unwrap().0.from(), "pg");
}

#[tokio::test]
async fn a_concrete_override_is_handed_out_for_its_traits_too() {
    let script = Script::new();
    let container = shop(Make::Plain(make_pg), by_trait()).container(&script);
    let own = Arc::new(Pg);
    container.override_value(Arc::clone(&own)).unwrap();
    container.init().await.unwrap();
    assert!(Arc::ptr_eq(&container.get::<Pg>().unwrap(), &own));
    assert!(container.get::<dyn Health>().unwrap().ok());
    assert_eq!(script.lines(), Vec::<String>::new());
}

/// Users come from a factory that says when it is called.
fn fake_users(container: &Container) {
    container
        .override_factory::<dyn Users, _>(|container| {
            container.get::<Script>()?.say("make fake");
            Ok(Arc::new(Fake))
        })
        .unwrap();
}

#[tokio::test]
async fn a_factory_override_is_made_once_from_the_container() {
    let script = Script::new();
    let container = shop(Make::Plain(make_pg), by_trait()).container(&script);
    fake_users(&container);
    container.init().await.unwrap();
    assert_eq!(container.get::<ByTrait>().unwrap().0.from(), "fake");
    assert_eq!(container.get::<dyn Users>().unwrap().from(), "fake");
    assert_eq!(script.lines(), ["make fake"]);
}

#[tokio::test]
async fn a_factory_override_lives_as_long_as_what_it_stands_for() {
    struct Draft;
    let container = Sketch::of(vec![
        entry::<Draft>(Make::Plain(|_| made::<Draft, _>(Draft)), &[]).scope(ScopeKind::Transient),
    ])
    .container(&Script::new());
    container
        .override_factory::<Draft, _>(|_| Ok(Arc::new(Draft)))
        .unwrap();
    container.init().await.unwrap();
    let (a, b) = (
        container.get::<Draft>().unwrap(),
        container.get::<Draft>().unwrap(),
    );
    assert!(!Arc::ptr_eq(&a, &b));
}

#[tokio::test]
async fn a_factory_override_that_fails_is_an_instantiation_error() {
    let container = shop(Make::Plain(make_pg), by_trait()).container(&Script::new());
    container
        .override_factory::<dyn Users, _>(|_| Err("no users".into()))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT015: failed to create dyn Users");
    assert_eq!(
        std::error::Error::source(&error).unwrap().to_string(),
        "no users"
    );
}

#[tokio::test]
async fn an_override_of_one_name_leaves_the_others() {
    let sinks = || {
        Sketch::of(vec![
            coerced::<Pg>(Make::Plain(|_| made::<Pg, _>(Pg)), &[], PG_COERCE).named("main"),
            coerced::<Pg>(Make::Plain(|_| made::<Pg, _>(Pg)), &[], PG_COERCE).named("replica"),
        ])
    };
    let container = sinks().container(&Script::new());
    container
        .override_named::<dyn Users>("replica", Arc::new(Fake))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(
        container.get_named::<dyn Users>("replica").unwrap().from(),
        "fake"
    );
    assert_eq!(
        container.get_named::<dyn Users>("main").unwrap().from(),
        "pg"
    );

    let container = sinks().container(&Script::new());
    container
        .override_value::<dyn Users>(Arc::new(Fake))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(code(&error), "ZNIGHT008");
    assert!(
        error
            .hints()
            .last()
            .unwrap()
            .contains("override_named::<dyn Users>"),
        "{error:?}"
    );

    let container = sinks().container(&Script::new());
    container
        .override_named::<dyn Users>("backup", Arc::new(Fake))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.hints(), ["names there are: main, replica"]);
}

#[tokio::test]
async fn the_override_wins_over_the_plugin_over_the_builder_over_the_graph() {
    struct Answer(u32);
    let sketch = || Sketch::of(vec![]).external(external::<u32>("", ScopeKind::Singleton));
    let container = sketch().container(&Script::new());
    container.override_value(Arc::new(1_u32)).unwrap();
    container.register_value(Arc::new(2_u32)).unwrap();
    container.provide_value(Arc::new(3_u32)).unwrap();
    container.init().await.unwrap();
    assert_eq!(*container.get::<u32>().unwrap(), 1);

    let container = sketch().container(&Script::new());
    container.provide_value(Arc::new(3_u32)).unwrap();
    container.register_value(Arc::new(2_u32)).unwrap();
    container.init().await.unwrap();
    assert_eq!(*container.get::<u32>().unwrap(), 2);

    let container = Sketch::of(vec![entry::<Answer>(
        Make::Plain(|_| made::<Answer, _>(Answer(4))),
        &[],
    )])
    .container(&Script::new());
    container.provide_value(Arc::new(Answer(3))).unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<Answer>().unwrap().0, 3);
}

#[tokio::test]
async fn a_later_override_replaces_an_earlier_one() {
    let container = shop(Make::Plain(make_pg), by_trait()).container(&Script::new());
    container
        .override_factory::<dyn Users, _>(|_| Err("the earlier one".into()))
        .unwrap();
    container
        .override_value::<dyn Users>(Arc::new(Fake))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<dyn Users>().unwrap().from(), "fake");
}

#[tokio::test]
async fn two_suppliers_of_one_level_conflict() {
    let container = Sketch::of(vec![]).container(&Script::new());
    container.register_value(Arc::new(1_u32)).unwrap();
    let error = container.register_value(Arc::new(2_u32)).unwrap_err();
    assert_eq!(code(&error), "ZNIGHT004");
    container.provide_value(Arc::new(1_u32)).unwrap();
    assert_eq!(
        code(&container.provide_value(Arc::new(2_u32)).unwrap_err()),
        "ZNIGHT004"
    );
}

#[tokio::test]
async fn a_plugin_may_not_supply_what_the_graph_provides() {
    let container = shop(Make::Plain(make_pg), by_trait()).container(&Script::new());
    let error = container
        .register_value::<dyn Users>(Arc::new(Fake))
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT004");
    assert!(error.message().contains("Pg (src/test.rs:7)"), "{error}");
    assert!(error.hints()[0].contains("override_value"), "{error:?}");
    assert_eq!(
        code(&container.register_value(Arc::new(Pg)).unwrap_err()),
        "ZNIGHT004"
    );
}

#[tokio::test]
async fn registrations_end_with_init() {
    let container = Sketch::of(vec![]).ready().await;
    for result in [
        container.provide_value(Arc::new(1_u8)),
        container.register_value(Arc::new(1_u8)),
        container.override_value(Arc::new(1_u8)),
        container.override_factory::<u8, _>(|_| Ok(Arc::new(1))),
        container.provide::<FakeUsers>(),
    ] {
        assert_eq!(code(&result.unwrap_err()), "ZNIGHT016");
    }
}

#[tokio::test]
async fn values_are_not_disposed() {
    let script = Script::new();
    let other = Sketch::of(vec![node::<1>(&[])]).container(&script);
    other.init().await.unwrap();
    let value = other.get::<Node<1>>().unwrap();
    let container = Sketch::of(vec![node::<1>(&[])]).container(&script);
    container.override_value(value).unwrap();
    container.init().await.unwrap();
    script.clear();
    container.dispose().await.unwrap();
    assert_eq!(script.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn overrides_are_entry_points_of_a_restricted_boot() {
    let script = Script::new();
    let container = shop(Make::Plain(make_pg), by_trait()).container(&script);
    fake_users(&container);
    container.init_only([Root::of::<Node<9>>()]).await.unwrap();
    assert_eq!(script.lines().len(), 2, "{:?}", script.lines());
}

#[tokio::test]
async fn what_an_overridden_provider_shared_with_others_is_created() {
    let script = Script::new();
    let container = Sketch::of(vec![
        node::<1>(&[1]),
        node::<2>(&[]),
        node::<3>(&[1]),
        async_node::<4>(&[0]),
    ])
    .container(&script);
    let own = Sketch::of(vec![node::<1>(&[])])
        .ready()
        .await
        .get::<Node<1>>()
        .unwrap();
    container.override_value(own).unwrap();
    container.init().await.unwrap();
    assert_eq!(script.lines(), ["make 2", "make 3", "make 4", "made 4"]);
}

/// A fake with dependencies of its own, as `#[injectable]` makes one of a test's struct.
struct FakeUsers {
    script: Arc<Script>,
}

impl Users for FakeUsers {
    fn from(&self) -> &'static str {
        self.script.say("asked");
        "provided fake"
    }
}

impl Provided for FakeUsers {
    const P: Provider = provider::<Self>(
        Make::Plain(|d| made::<Self, _>(Self { script: d.next() })),
        const {
            &[coercion::<dyn Users>(|h| {
                Handle::new(h.arc::<FakeUsers>() as Arc<dyn Users>)
            })]
        },
        Lifecycle::NONE,
    );
    const META: ProviderMeta = ProviderMeta {
        token: "test::FakeUsers",
        display: "FakeUsers",
        scope: ScopeKind::Singleton,
        name: Some("fake"),
        primary: false,
        deps: &[DynDep::of::<Arc<Script>>(None)],
        source: None,
    };
}

#[tokio::test]
async fn a_provided_type_is_handed_out_for_its_traits() {
    let container = Container::new(Sketch::of(vec![]).graph()).unwrap();
    container.provide_value(Script::new()).unwrap();
    container.provide::<FakeUsers>().unwrap();
    container.init().await.unwrap();
    assert_eq!(
        container.get::<dyn Users>().unwrap().from(),
        "provided fake"
    );
    assert_eq!(
        container.get_named::<dyn Users>("fake").unwrap().from(),
        "provided fake"
    );
}

#[tokio::test]
async fn an_external_may_be_supplied_by_a_provider() {
    struct User(Arc<FakeUsers>);
    let container = Sketch::of(vec![entry::<User>(
        Make::Plain(|d| made::<User, _>(User(d.next()))),
        &[Dep::External(1)],
    )])
    .external(external::<FakeUsers>("FakePlugin", ScopeKind::Singleton))
    .container(&Script::new());
    container.register::<FakeUsers>().unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<User>().unwrap().0.from(), "provided fake");
}

#[tokio::test]
async fn overriding_a_transient_injected_by_value_needs_a_factory() {
    struct Draft(u8);
    struct Editor(Draft);
    let sketch = || {
        Sketch::of(vec![
            entry::<Draft>(Make::Plain(|_| made::<Draft, _>(Draft(1))), &[])
                .scope(ScopeKind::Transient),
            entry::<Editor>(
                Make::Plain(|d| made::<Editor, _>(Editor(d.value()))),
                &[Dep::One(0)],
            ),
        ])
    };
    let container = sketch().container(&Script::new());
    container.override_value(Arc::new(Draft(2))).unwrap();
    let error = container.init().await.unwrap_err();
    assert!(error.hints()[0].contains("override_factory"), "{error:?}");

    let container = sketch().container(&Script::new());
    container
        .override_factory::<Draft, _>(|_| Ok(Arc::new(Draft(3))))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<Editor>().unwrap().0.0, 3);
}

#[tokio::test]
async fn a_factory_override_of_a_request_scoped_trait_is_made_once_for_each_request() {
    let script = Script::new();
    let container = Sketch::of(vec![
        coerced::<Pg>(Make::Plain(make_pg), &[Dep::External(0)], PG_COERCE)
            .scope(ScopeKind::Request),
        by_trait().scope(ScopeKind::Request),
    ])
    .bind(0, 0)
    .container(&script);
    fake_users(&container);
    container.init().await.unwrap();
    for _ in 0..2 {
        container
            .run_in_scope(async {
                assert_eq!(container.get::<ByTrait>().unwrap().0.from(), "fake");
                assert_eq!(container.get::<dyn Users>().unwrap().from(), "fake");
            })
            .await
            .unwrap();
    }
    assert_eq!(script.lines(), ["make fake", "make fake"]);
    assert_eq!(
        code(&container.get::<dyn Users>().err().unwrap()),
        "ZNIGHT013"
    );
}

#[tokio::test]
async fn a_constructor_that_fails_behind_an_override_runs_once() {
    let script = Script::new();
    let make = Make::Plain(|deps| {
        make_pg(deps)?;
        Err("no database".into())
    });
    let container = shop(make, by_type()).container(&script);
    container
        .override_value::<dyn Users>(Arc::new(Fake))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT015: failed to create Pg");
    assert_eq!(error.instantiation().unwrap().path(), ["ByType", "Pg"]);
    assert_eq!(script.lines()[..2], ["make 9", "make pg"]);
    assert_eq!(
        script.lines().len(),
        3,
        "and the disposal of 9: {:?}",
        script.lines()
    );
}

#[tokio::test]
async fn a_request_scoped_provider_may_be_overridden_by_a_value() {
    let script = Script::new();
    let container = Sketch::of(vec![brief::<1>(ScopeKind::Request, &[])]).container(&script);
    script.act("make 1", Act::Panic);
    let value = Arc::new(crate::support::Brief::<1> {
        script: Arc::clone(&script),
    });
    container.override_value(value).unwrap();
    container.init().await.unwrap();
    assert!(
        container.get::<crate::support::Brief<1>>().is_ok(),
        "the value is no request's"
    );
}
