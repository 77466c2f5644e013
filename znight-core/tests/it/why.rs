//! Why something was created, as it is told.

use std::sync::Arc;

use znight_core::{
    __private::{Dep, Entry, Make, made},
    Application, Container, Graph, Lazy, Plugin, PluginContext, Result, Root, ScopeKind,
};

use crate::support::{
    Brief, Node, Script, Scripted, Sketch, async_node, brief, code, entry, external, node,
};

/// Is injected with a lazy node.
struct Later(#[expect(dead_code, reason = "only its injection matters")] Lazy<Node<3>>);

/// Node 1 needs node 2, which needs what has node 3 lazily; nobody needs node 4. Node 5 is of the
/// request scope and needs node 2. Node 7 asks for node 8 while it works.
fn sketch() -> Sketch {
    Sketch::of(vec![
        node::<1>(&[1]),
        node::<2>(&[4]),
        node::<3>(&[]),
        node::<4>(&[]),
        entry::<Later>(
            Make::Plain(|deps| made::<Later, _>(Later(deps.next()))),
            &[Dep::Lazy(2)],
        ),
        brief::<5>(ScopeKind::Request, &[1]),
        brief::<6>(ScopeKind::Transient, &[]),
        Entry {
            asks: &[8],
            ..node::<7>(&[])
        },
        node::<8>(&[]),
    ])
}

async fn only(roots: impl IntoIterator<Item = Root>) -> Container {
    let container = sketch().container(&Script::new());
    container.init_only(roots).await.unwrap();
    container
}

#[tokio::test]
async fn the_shortest_way_from_an_entry_point_is_told() {
    let container = only([Root::of::<Node<1>>(), Root::of::<Brief<5>>()]).await;
    assert_eq!(
        container.why::<Node<1>>(),
        "Node<1> (src/test.rs:7) was created at boot:\n   Node<1> (src/test.rs:7), named in `only`"
    );
    assert_eq!(
        container.why::<Node<3>>(),
        "Node<3> (src/test.rs:7) was created at boot:\n   \
         Node<1> (src/test.rs:7), named in `only`\n\
         -> Node<2> (src/test.rs:7)\n\
         -> Later (src/test.rs:7)\n\
         -> Node<3> (src/test.rs:7), as a `Lazy`"
    );
    assert_eq!(
        container.why::<Brief<5>>(),
        "Brief<5> (src/test.rs:7) is created once for each request that asks for it:\n   \
         Brief<5> (src/test.rs:7), named in `only`"
    );
}

#[tokio::test]
async fn what_is_asked_for_at_work_is_on_the_way() {
    let container = only([Root::of::<Node<7>>()]).await;
    assert_eq!(
        container.why::<Node<8>>(),
        "Node<8> (src/test.rs:7) was created at boot:\n   \
         Node<7> (src/test.rs:7), named in `only`\n\
         -> Node<8> (src/test.rs:7), when its work asks for it"
    );
}

#[tokio::test]
async fn what_nothing_leads_to_is_there_only_when_somebody_asked() {
    let container = only([Root::of::<Node<3>>()]).await;
    assert_eq!(
        container.why::<Node<4>>(),
        "Node<4> (src/test.rs:7) has not been created: nothing that is created at boot leads to it, \
         and nobody has asked for it"
    );
    container.get::<Node<4>>().unwrap();
    assert_eq!(
        container.why::<Node<4>>(),
        "Node<4> (src/test.rs:7) was created on demand: nothing that is created at boot leads to it"
    );
    assert_eq!(
        container.why::<Brief<5>>(),
        "Brief<5> (src/test.rs:7) is created once for each request that asks for it: nothing that is \
         created at boot leads to it"
    );
    assert_eq!(
        container.why::<Brief<6>>(),
        "Brief<6> (src/test.rs:7) is created each time it is asked for: nothing that is created at \
         boot leads to it"
    );
}

#[tokio::test]
async fn what_was_supplied_or_is_missing_is_told_as_well() {
    let container = sketch()
        .external(external::<String>("TextPlugin", ScopeKind::Singleton))
        .external(external::<u8>("BytePlugin", ScopeKind::Request))
        .container(&Script::new());
    assert_eq!(
        container.why::<Node<1>>(),
        "the container has not been initialised: nothing has been created"
    );
    container.init().await.unwrap();
    assert_eq!(
        container.why::<Script>(),
        "Script is a value that was supplied"
    );
    assert_eq!(container.why::<String>(), "nobody supplies String");
    assert_eq!(
        container.why::<u8>(),
        "u8 is supplied to each request by whoever opens its scope"
    );
    assert_eq!(container.why::<Vec<u16>>(), "nothing provides Vec<u16>");
}

#[tokio::test]
async fn that_everything_is_created_is_a_reason_where_there_is_no_other() {
    let graph = sketch().entry_points(&[0]).graph();
    let container = Container::new(graph).unwrap();
    container.provide_value(Script::new()).unwrap();
    container.init().await.unwrap();
    assert_eq!(
        container.why::<Node<2>>(),
        "Node<2> (src/test.rs:7) was created at boot:\n   \
         Node<1> (src/test.rs:7), an entry point of the graph\n\
         -> Node<2> (src/test.rs:7)"
    );
    assert_eq!(
        container.why::<Node<4>>(),
        "Node<4> (src/test.rs:7) was created at boot:\n   \
         Node<4> (src/test.rs:7), since everything is created"
    );
}

#[tokio::test]
async fn overrides_and_plugins_are_reasons() {
    let script = Script::new();
    let mut plugin = Scripted::new("a", &script);
    plugin.roots = vec![Root::of::<Node<4>>()];
    let app = Application::builder(sketch().entry_points(&[0]).graph())
        .provide_value(Arc::clone(&script))
        .plugin(plugin)
        .only_entry_points()
        .override_factory::<Brief<6>, _>(|_| Err("never asked".into()))
        .signals(false)
        .build()
        .await
        .unwrap();
    let container = app.container();
    assert_eq!(
        container.why::<Node<4>>(),
        "Node<4> (src/test.rs:7) was created at boot:\n   \
         Node<4> (src/test.rs:7), which a plugin asks for"
    );
    assert_eq!(
        container.why::<Brief<6>>(),
        "Brief<6> (src/test.rs:7) is created each time it is asked for:\n   \
         Brief<6> (src/test.rs:7), an override"
    );
    assert_eq!(
        container.why::<Node<2>>(),
        "Node<2> (src/test.rs:7) was created at boot:\n   \
         Node<1> (src/test.rs:7), an entry point of the graph\n\
         -> Node<2> (src/test.rs:7)"
    );
    app.stop().await.unwrap();
}

/// Asks for a node when the container is ready, without having said so.
struct Late;

impl Plugin for Late {
    fn name(&self) -> &'static str {
        "late"
    }

    async fn on_bootstrap(&self, context: &PluginContext) -> Result {
        context.container().get::<Node<2>>()?;
        Ok(())
    }
}

#[tokio::test]
async fn a_plugin_that_asks_late_for_something_async_is_told_how_to_get_it() {
    let graph = || -> Graph {
        Sketch::of(vec![node::<1>(&[]), async_node::<2>(&[])])
            .entry_points(&[0])
            .graph()
    };
    let build = |script: &Arc<Script>| {
        Application::builder(graph())
            .provide_value(Arc::clone(script))
            .plugin(Late)
            .signals(false)
    };
    let script = Script::new();
    let error = build(&script)
        .only_entry_points()
        .build()
        .await
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT015");
    assert_eq!(
        error.message(),
        "Node<2> was not created at boot and cannot be created on demand: its constructor is async"
    );
    assert_eq!(
        error.hints(),
        [
            "name Node<2> among the entry points with `only`, or create everything (`everything()`)",
            "a plugin whose options are made from the container cannot say before the boot what it uses",
        ]
    );
    // Both ways out lead out.
    for builder in [
        build(&script).only([Root::of::<Node<1>>(), Root::of::<Node<2>>()]),
        build(&script).only_entry_points().everything(),
    ] {
        let app = builder.build().await.unwrap();
        app.stop().await.unwrap();
    }
}
