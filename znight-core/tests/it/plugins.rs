//! Plugins: their names, what they offer, what they ask for.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use znight_core::{
    Application, ApplicationState as State, Graph, Plugin, PluginContext, Result, Root,
};

use crate::support::{Doing, Node, Script, Scripted, Sketch, async_node, node};

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
