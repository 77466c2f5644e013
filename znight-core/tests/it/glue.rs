//! What the macros rely on.

use std::sync::Arc;

use znight_core::{
    __private::{
        Binding, Coerce, Dep, Deps, DynDep, Entry, External, GraphData, Handle, InjectKind,
        Injected, METADATA_VERSION, Made, Make, Provide, Provider, coercion, made, provider,
        type_id_of,
    },
    Application, BoxError, Dispose, Graph, Hooks, Lazy, OnStart, Result, ScopeKind,
};

#[derive(Debug, PartialEq)]
struct Thing(u8);

fn value(made: Made) -> Option<u8> {
    made.unwrap().map(|handle| handle.arc::<Thing>().0)
}

#[test]
fn a_constructor_may_return_the_value_an_option_a_result_or_both() {
    assert_eq!(value(made::<Thing, _>(Thing(1))), Some(1));
    assert_eq!(value(made::<Thing, _>(Some(Thing(2)))), Some(2));
    assert_eq!(value(made::<Thing, _>(None::<Thing>)), None);
    assert_eq!(
        value(made::<Thing, _>(Ok::<_, BoxError>(Thing(3)))),
        Some(3)
    );
    assert_eq!(
        value(made::<Thing, _>(Ok::<_, std::fmt::Error>(Some(Thing(4))))),
        Some(4)
    );
    assert!(made::<Thing, _>(Err::<Thing, _>("no")).is_err());
}

struct Plain;
struct Starts;

impl OnStart for Starts {
    async fn on_start(&self) -> Result {
        Ok(())
    }
}

impl Dispose for Starts {
    async fn dispose(&self) -> Result {
        Err("disposed".into())
    }
}

#[test]
fn only_the_hooks_a_type_implements_are_found() {
    let plain = crate::lifecycle!(Plain);
    assert!(plain.on_start.is_none() && plain.dispose.is_none());
    let starts = crate::lifecycle!(Starts);
    assert!(starts.on_start.is_some() && starts.dispose.is_some());
    assert!(starts.on_ready.is_none() && starts.on_stop.is_none());
}

const COERCE: Coerce = coercion::<dyn std::fmt::Debug + Send + Sync>(|handle| {
    Handle::new(handle.arc::<Thing>() as Arc<dyn std::fmt::Debug + Send + Sync>)
});

#[test]
fn handles_give_back_what_went_in() {
    let thing = Arc::new(Thing(5));
    let handle = Handle::new(Arc::clone(&thing));
    assert!(Arc::ptr_eq(&handle.arc::<Thing>(), &thing));
    assert!(handle.get_ref::<String>().is_none());

    let coerced = (COERCE.apply)(&handle);
    let shown = format!("{:?}", coerced.arc::<dyn std::fmt::Debug + Send + Sync>());
    assert_eq!(shown, "Thing(5)");
    assert_eq!(
        (COERCE.to)(),
        type_id_of::<dyn std::fmt::Debug + Send + Sync>()
    );
}

#[test]
#[should_panic(expected = "please report it")]
fn a_handle_of_another_type_is_an_internal_error() {
    Handle::new(Arc::new(Thing(6))).arc::<String>();
}

// What the generated graph is made of can stand in a static.
static DEPS: &[Dep] = &[Dep::One(1), Dep::Many(&[1, 2]), Dep::Unbound];

#[test]
fn injected_forms_are_constants() {
    const ONE: DynDep = DynDep::of::<Arc<Thing>>(None);
    const LAZY: DynDep = DynDep::of::<Option<Lazy<dyn Send + Sync>>>(Some("x"));
    const VALUE: DynDep = DynDep::value::<Thing>(None);
    assert_eq!(
        (ONE.kind, LAZY.kind, VALUE.kind),
        (InjectKind::One, InjectKind::OptionalLazy, InjectKind::Value)
    );
    assert_eq!((ONE.type_id)(), (VALUE.type_id)());
    assert_eq!(LAZY.name, Some("x"));
    assert_eq!(<Vec<Arc<Thing>>>::KIND, InjectKind::Many);
    assert_eq!(DEPS.len(), 3);
}

/// The marker of an application, as `graph!()` defines it.
struct Marker;

trait Shown: Send + Sync {
    fn shown(&self) -> u8;
}

impl Shown for Thing {
    fn shown(&self) -> u8 {
        self.0
    }
}

// As `#[injectable]` prints it.
const _: () = {
    fn make(_: &mut Deps<'_>) -> Made {
        made::<Thing, _>(Thing(9))
    }
    fn as_shown(handle: &Handle) -> Handle {
        Handle::new(handle.arc::<Thing>() as Arc<dyn Shown>)
    }
    impl Provide<0x9f3a> for Marker {
        const P: Provider = provider::<Thing>(
            Make::Plain(make),
            &[coercion::<dyn Shown>(as_shown)],
            crate::lifecycle!(Thing),
        );
    }
};

// As `graph!()` prints it.
static GRAPH: GraphData = GraphData {
    version: METADATA_VERSION,
    compiler: "0.1.0",
    package: "test",
    providers: &[Entry {
        token: "test::Thing",
        display: "Thing",
        provider: <Marker as Provide<0x9f3a>>::P,
        scope: ScopeKind::Singleton,
        name: None,
        primary: false,
        deps: &[],
        uses: &[],
        asks: &[],
        source: None,
    }],
    order: &[0],
    bindings: &[Binding {
        provider: 0,
        coercion: 0,
    }],
    externals: &[External {
        type_id: type_id_of::<Hooks>,
        display: "Hooks",
        provided_by: "",
        scope: ScopeKind::Singleton,
    }],
    sections: &[],
};

#[tokio::test]
async fn a_graph_in_a_static_runs() {
    let app = Application::builder(Graph::new(&GRAPH))
        .signals(false)
        .build()
        .await
        .unwrap();
    assert_eq!(app.container().get::<dyn Shown>().unwrap().shown(), 9);
    assert!(format!("{:?}", app.graph()).contains("providers: 1"));
}
