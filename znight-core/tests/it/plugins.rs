//! Plugins: their names, what they offer, what they ask for.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use znight_core::{
    __private::{Dep, Make, made},
    Application, ApplicationState as State, Error, ErrorCode, Graph, Plugin, PluginContext, Result,
    Root, ScopeKind,
    capability::InMemoryRequests,
};

use crate::{
    application::application,
    support::{Doing, Node, Script, Scripted, Sketch, async_node, code, entry, external, node},
};

#[tokio::test]
async fn a_plugin_without_hooks_takes_part() {
    struct Silent;
    impl Plugin for Silent {
        fn name(&self) -> &'static str {
            "silent"
        }
    }
    let app = Application::builder(Graph::empty())
        .plugin(Silent)
        .signals(false)
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    assert_eq!(app.plugins().collect::<Vec<_>>(), ["silent"]);
    app.stop().await.unwrap();
    assert_eq!(app.state(), State::Stopped);
}

#[tokio::test]
async fn a_later_offer_of_a_capability_replaces_an_earlier_one() {
    struct Offers(&'static str);
    impl Plugin for Offers {
        fn name(&self) -> &'static str {
            self.0
        }

        async fn on_bootstrap(&self, context: &PluginContext) -> Result {
            let before = context.capability::<str>();
            assert_eq!(
                before.is_some(),
                self.0 == "second",
                "in the order of plugins"
            );
            context.offer::<str>(Arc::from(self.0));
            Ok(())
        }
    }
    let app = Application::builder(Graph::empty())
        .plugin(Offers("first"))
        .plugin(Offers("second"))
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(&*app.capability::<str>().unwrap(), "second");
    assert!(app.capability::<String>().is_none());
}

#[tokio::test]
async fn a_plugin_is_found_by_its_type_and_the_first_of_several_is() {
    let script = Script::new();
    let app = Application::builder(Graph::empty())
        .provide_value(Arc::clone(&script))
        .plugin(Scripted::new("one", &script))
        .plugin(Scripted::new("two", &script))
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(app.plugin::<Scripted>().unwrap().name, "one");
    assert!(app.plugin::<Doing>().is_none());
    assert_eq!(app.plugins().collect::<Vec<_>>(), ["one", "two"]);
}

/// Counts how often it is asked for its name and its roots.
struct Counting {
    names: Arc<AtomicU32>,
    script: Arc<Script>,
}

impl Plugin for Counting {
    fn name(&self) -> &'static str {
        self.names.fetch_add(1, Ordering::SeqCst);
        "counting"
    }

    fn init_roots(&self, graph: Graph) -> Vec<Root> {
        assert_eq!(graph.package(), "test");
        self.script.say("roots");
        vec![Root::of::<Node<2>>()]
    }

    async fn register(&self, _: &PluginContext) -> Result {
        self.script.say("register");
        Ok(())
    }
}

#[tokio::test]
async fn a_plugin_is_asked_for_its_name_once_and_for_roots_before_anything_when_the_boot_is_restricted()
 {
    for restricted in [false, true] {
        let script = Script::new();
        let names = Arc::new(AtomicU32::new(0));
        let builder =
            Application::builder(Sketch::of(vec![node::<1>(&[]), async_node::<2>(&[])]).graph())
                .provide_value(Arc::clone(&script))
                .plugin(Counting {
                    names: Arc::clone(&names),
                    script: Arc::clone(&script),
                })
                .signals(false);
        let builder = if restricted {
            builder.only([])
        } else {
            builder
        };
        let app = builder.build().await.unwrap();
        app.start().await.unwrap();
        app.stop().await.unwrap();
        assert_eq!(names.load(Ordering::SeqCst), 1);
        let expected: &[&str] = if restricted {
            &["roots", "register", "make 2", "made 2"]
        } else {
            &["register", "make 1", "make 2", "made 2"]
        };
        assert_eq!(script.lines()[..expected.len()], *expected);
    }
}

#[tokio::test]
async fn plugins_need_names_of_their_own() {
    let script = Script::new();
    let error = application(&script)
        .plugin(Scripted::new("a", &script))
        .build()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT004: two plugins are named a");
    let error = application(&script)
        .plugin(Scripted::new("", &script))
        .build()
        .await
        .unwrap_err();
    assert_eq!(code(&error), "ZNIGHT005");
    assert!(script.lines().is_empty());
}

/// Supplies a value, offers a capability, and looks at what others did.
struct Clock(u32);

struct ClockPlugin;

trait Ticks: Send + Sync {
    fn ticks(&self) -> u32;
}

impl Ticks for Clock {
    fn ticks(&self) -> u32 {
        self.0
    }
}

impl Plugin for ClockPlugin {
    fn name(&self) -> &'static str {
        "clock"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        assert!(
            context.container().get::<Clock>().is_err(),
            "nothing can be resolved yet"
        );
        context.register_value(Arc::new(Clock(1)))?;
        Ok(())
    }

    async fn on_bootstrap(&self, context: &PluginContext) -> Result {
        let clock = context.container().get::<Clock>()?;
        context.offer::<dyn Ticks>(clock);
        assert!(context.plugin::<Self>().is_some() && context.plugin::<Scripted>().is_none());
        assert_eq!(context.graph().package(), "test");
        context.hooks().emit(&Clock(3));
        context.application().handle().state();
        let late = context
            .register_value(Arc::new("late".to_owned()))
            .unwrap_err();
        assert_eq!(late.code(), ErrorCode::ContainerSealed);
        Ok(())
    }
}

#[tokio::test]
async fn a_plugin_supplies_externals_and_offers_capabilities() {
    struct User(Arc<Clock>);
    let graph = Sketch::of(vec![entry::<User>(
        Make::Plain(|d| made::<User, _>(User(d.next()))),
        &[Dep::External(1)],
    )])
    .external(external::<Clock>("ClockPlugin", ScopeKind::Singleton))
    .graph();
    let app = Application::builder(graph)
        .plugin(ClockPlugin)
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(app.container().get::<User>().unwrap().0.0, 1);
    assert_eq!(app.capability::<dyn Ticks>().unwrap().ticks(), 1);
    assert!(app.capability::<dyn InMemoryRequests>().is_none());
    assert!(app.plugin::<ClockPlugin>().is_some());
    app.stop().await.unwrap();

    let error = Application::builder(graph)
        .signals(false)
        .build()
        .await
        .unwrap_err();
    assert_eq!(error.hints(), ["add ClockPlugin to the application"]);
}

#[tokio::test]
async fn an_override_replaces_what_a_plugin_supplies() {
    let app = Application::builder(Graph::empty())
        .override_value(Arc::new(Clock(9)))
        .plugin(ClockPlugin)
        .signals(false);
    // The assertion on the package name fails in `on_bootstrap`, and is reported.
    let error = app.build().await.unwrap_err();
    assert_eq!(error.message(), "`on_bootstrap` of the plugin clock failed");

    let app = Application::builder(Sketch::of(vec![]).graph())
        .override_value(Arc::new(Clock(9)))
        .plugin(ClockPlugin)
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(app.capability::<dyn Ticks>().unwrap().ticks(), 9);
}

/// Supplies the same as [`ClockPlugin`].
struct Rival;

impl Plugin for Rival {
    fn name(&self) -> &'static str {
        "rival"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        context.register_value(Arc::new(Clock(2)))?;
        Ok(())
    }
}

#[tokio::test]
async fn two_plugins_that_supply_one_type_are_both_named() {
    let error = Application::builder(Graph::empty())
        .plugin(ClockPlugin)
        .plugin(Rival)
        .signals(false)
        .build()
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "ZNIGHT004: Clock is supplied by the plugin clock and by the plugin rival"
    );
}

/// An error with a code of its own.
struct Strict;

impl Plugin for Strict {
    fn name(&self) -> &'static str {
        "strict"
    }

    async fn on_bootstrap(&self, _context: &PluginContext) -> Result {
        Err(Error::new(ErrorCode::InvalidRoute, "two routes").into())
    }
}

#[tokio::test]
async fn an_error_with_a_code_passes_through() {
    let error = Application::builder(Graph::empty())
        .plugin(Strict)
        .signals(false)
        .build()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "ZNIGHT007: two routes");
}
