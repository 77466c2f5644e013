//! Which of several suppliers of one type wins, and which may not stand beside each other.

use std::sync::Arc;

use znight_core::{
    __private::{Make, made},
    Application, Container, Definition, Error, ErrorCode, Graph, Hooks, Plugin, PluginContext,
    Result, ScopeKind,
};

use crate::support::{EntryExt, Script, Sketch, code, entry, external};

fn empty() -> Container {
    Container::new(Graph::empty()).unwrap()
}

/// Supplies something to a container.
type Supply = fn(&Container) -> Result<(), Error>;

#[tokio::test]
async fn whatever_the_order_the_override_wins_over_the_plugin_over_the_builder() {
    let steps: [(u32, Supply); 3] = [
        (1, |container| container.override_value(Arc::new(1_u32))),
        (2, |container| container.register_value(Arc::new(2_u32))),
        (3, |container| container.provide_value(Arc::new(3_u32))),
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        for count in 1..=3 {
            let container = empty();
            let chosen = &order[..count];
            for step in chosen {
                steps[*step].1(&container).unwrap();
            }
            container.init().await.unwrap();
            let best = chosen.iter().map(|step| steps[*step].0).min().unwrap();
            assert_eq!(*container.get::<u32>().unwrap(), best, "{chosen:?}");
        }
    }
}

#[tokio::test]
async fn what_the_framework_supplies_gives_way_to_the_builder() {
    struct Supplies(Arc<Hooks>);
    impl Plugin for Supplies {
        fn name(&self) -> &'static str {
            "supplies"
        }

        async fn register(&self, context: &PluginContext) -> Result {
            context.register_value(Arc::clone(&self.0))?;
            Ok(())
        }
    }
    let (built, plugged) = (Arc::new(Hooks::new()), Arc::new(Hooks::new()));
    for plugin in [false, true] {
        let builder = Application::builder(Graph::empty())
            .provide_value(Arc::clone(&built))
            .signals(false);
        let builder = if plugin {
            builder.plugin(Supplies(Arc::clone(&plugged)))
        } else {
            builder
        };
        let app = builder.build().await.unwrap();
        let expected = if plugin { &plugged } else { &built };
        assert!(Arc::ptr_eq(&app.get::<Hooks>().unwrap(), expected));
        assert!(
            !Arc::ptr_eq(app.hooks(), expected),
            "the bus of the application is still its own"
        );
    }
}

#[tokio::test]
async fn what_the_framework_supplies_wins_over_the_graph() {
    let graph = || {
        Sketch::of(vec![entry::<Hooks>(
            Make::Plain(|_| made::<Hooks, _>(Hooks::new())),
            &[],
        )])
        .graph()
    };
    let app = Application::builder(graph())
        .signals(false)
        .build()
        .await
        .unwrap();
    assert!(Arc::ptr_eq(&app.get::<Hooks>().unwrap(), app.hooks()));
}

#[tokio::test]
async fn a_second_supplier_of_one_level_is_told_who_the_first_was() {
    let container = empty();
    container.provide_value(Arc::new(1_u32)).unwrap();
    let error = container.provide_value(Arc::new(2_u32)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT004: u32 is supplied by the builder of the application and by the builder of the \
         application"
    );
    container.register_value(Arc::new(1_u32)).unwrap();
    for error in [
        container.register_value(Arc::new(2_u32)).unwrap_err(),
        container
            .register_definition(Definition::<u32>::new(|| 2_u32))
            .unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            "ZNIGHT004: u32 is supplied by a plugin and by a plugin"
        );
    }
    container.init().await.unwrap();
    assert_eq!(*container.get::<u32>().unwrap(), 1, "the first one stays");
}

struct Pg(u32);

/// Two databases, `main` and `replica`.
fn databases() -> Container {
    Sketch::of(vec![
        entry::<Pg>(Make::Plain(|_| made::<Pg, _>(Pg(1))), &[]).named("main"),
        entry::<Pg>(Make::Plain(|_| made::<Pg, _>(Pg(2))), &[])
            .named("replica")
            .primary(),
    ])
    .container(&Script::new())
}

#[tokio::test]
async fn a_later_override_replaces_an_earlier_one_of_the_same_provider_however_it_is_named() {
    let by_type = |c: &Container, n| c.override_value(Arc::new(Pg(n))).unwrap();
    let by_name = |c: &Container, n| c.override_named("replica", Arc::new(Pg(n))).unwrap();
    // By type, by name, by type again: the last one counts.
    let container = databases();
    by_type(&container, 10);
    by_name(&container, 11);
    by_type(&container, 12);
    container.init().await.unwrap();
    assert_eq!(container.get::<Pg>().unwrap().0, 12);
    assert_eq!(container.get_named::<Pg>("main").unwrap().0, 1);

    let container = databases();
    by_name(&container, 10);
    by_type(&container, 11);
    by_name(&container, 12);
    container.init().await.unwrap();
    assert_eq!(container.get::<Pg>().unwrap().0, 12);
}

#[tokio::test]
async fn an_override_by_token_of_a_trait_leaves_who_wants_the_type() {
    trait Store: Send + Sync {
        fn number(&self) -> u32;
    }
    impl Store for Pg {
        fn number(&self) -> u32 {
            self.0
        }
    }
    let container = empty();
    container
        .provide_definition(
            Definition::<Pg>::new(|| Pg(1))
                .token("acme::Pg")
                .handed_out_as::<dyn Store>(|pg| pg),
        )
        .unwrap();
    container
        .override_token::<dyn Store>("acme::Pg", Arc::new(Pg(2)))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<dyn Store>().unwrap().number(), 2);
    assert_eq!(container.get::<Pg>().unwrap().0, 1);

    let container = empty();
    container
        .provide_definition(Definition::<Pg>::new(|| Pg(1)).token("acme::Pg"))
        .unwrap();
    container
        .override_token::<dyn Store>("acme::Pg", Arc::new(Pg(2)))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT001: Pg (acme::Pg) is not handed out as dyn Store"
    );
}

#[tokio::test]
async fn an_override_of_a_name_that_a_plugin_supplies_later_counts() {
    let container = empty();
    container
        .override_named::<Pg>("main", Arc::new(Pg(9)))
        .unwrap();
    container
        .register_definition(Definition::<Pg>::new(|| Pg(1)).name("main"))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get_named::<Pg>("main").unwrap().0, 9);
}

#[tokio::test]
async fn an_override_of_what_nobody_provides_provides_it() {
    let container = empty();
    container.override_value(Arc::new(7_u32)).unwrap();
    container
        .override_factory::<String, _>(|c| Ok(Arc::new(c.get::<u32>()?.to_string())))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(*container.get::<String>().unwrap(), "7");
}

#[tokio::test]
async fn what_a_plugin_announces_is_supplied_by_whoever_does() {
    struct Clock(u32);
    let supply: [Supply; 3] = [
        |container| container.provide_value(Arc::new(Clock(7))),
        |container| container.register_value(Arc::new(Clock(7))),
        |container| container.override_value(Arc::new(Clock(7))),
    ];
    for supply in supply {
        for announced_first in [true, false] {
            for scope in [ScopeKind::Singleton, ScopeKind::Request] {
                let container = empty();
                if !announced_first {
                    supply(&container).unwrap();
                }
                container.register_external::<Clock>(scope).unwrap();
                if announced_first {
                    supply(&container).unwrap();
                }
                container
                    .provide_definition(Definition::<String>::new(|clock: Arc<Clock>| {
                        clock.0.to_string()
                    }))
                    .unwrap();
                container.init().await.unwrap();
                assert_eq!(*container.get::<String>().unwrap(), "7");
            }
        }
    }
    let container = empty();
    container
        .register_external::<Clock>(ScopeKind::Singleton)
        .unwrap();
    let error = container
        .register_external::<Clock>(ScopeKind::Singleton)
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT004");
}

#[tokio::test]
async fn whatever_is_supplied_after_init_comes_too_late_even_when_init_failed() {
    let ready = empty();
    ready.init().await.unwrap();
    let failed = Sketch::of(vec![entry::<Pg>(
        Make::Plain(|_| made::<Pg, _>(Err::<Pg, _>("no"))),
        &[],
    )])
    .container(&Script::new());
    failed.init().await.unwrap_err();
    for container in [ready, failed] {
        for result in [
            container.provide_value(Arc::new(1_u8)),
            container.provide_definition(Definition::<u8>::new(|| 1_u8)),
            container.register_value(Arc::new(1_u8)),
            container.register_definition(Definition::<u8>::new(|| 1_u8)),
            container.register_external::<u8>(ScopeKind::Request),
            container.override_value(Arc::new(1_u8)),
            container.override_named("x", Arc::new(1_u8)),
            container.override_token("x", Arc::new(1_u8)),
            container.override_factory::<u8, _>(|_| Ok(Arc::new(1))),
            container.override_definition::<u8, u8>(Definition::<u8>::new(|| 1_u8)),
        ] {
            let error = result.unwrap_err();
            assert_eq!(error.code(), ErrorCode::ContainerSealed);
            assert_eq!(
                error.message(),
                "u8 comes too late: the container has been initialised"
            );
        }
    }
}

#[tokio::test]
async fn definitions_are_checked_like_the_graph_they_join() {
    struct One;
    struct Two;
    let container = empty();
    container
        .provide_definition(Definition::<One>::new(|_: Arc<Two>| One))
        .unwrap();
    container
        .provide_definition(Definition::<Two>::new(|_: Arc<One>| Two))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT002: circular dependency: One -> Two -> One"
    );

    let container = empty();
    container
        .provide_definition(Definition::<One>::new(|| One).scope(ScopeKind::Request))
        .unwrap();
    container
        .provide_definition(Definition::<Two>::new(|_: Arc<One>| Two))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT003: singleton Two depends on request-scoped One"
    );
}

#[tokio::test]
async fn an_external_of_the_graph_is_supplied_at_any_level() {
    let sketch = || Sketch::of(vec![]).external(external::<u32>("", ScopeKind::Singleton));
    let supply: [Supply; 3] = [
        |container| container.provide_value(Arc::new(7_u32)),
        |container| container.register_value(Arc::new(7_u32)),
        |container| container.override_value(Arc::new(7_u32)),
    ];
    for supply in supply {
        let container = sketch().container(&Script::new());
        supply(&container).unwrap();
        container.init().await.unwrap();
        assert_eq!(*container.get::<u32>().unwrap(), 7);
    }
}
