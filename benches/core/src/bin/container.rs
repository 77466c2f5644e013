//! The container at run time: look-ups, request scopes, boot.
#![forbid(unsafe_code)]

use std::{any::Any, hint::black_box, sync::Arc};

use shaku::{HasComponent as _, HasProvider as _};
use znight_benches::{
    measure::{each, in_turns, once, ready},
    print::{Unit, figure},
};
use znight_core::{
    __private::{
        Binding, Dep, Entry, External, GraphData, Handle, Lifecycle, METADATA_VERSION, Make,
        coercion, made, provider, type_id_of,
    },
    Application, Container, Graph, Scope, ScopeKind,
};

const ROUNDS: usize = 31;
const LOOK_UPS: u32 = 200_000;
const BOOTS: u32 = 20;

fn main() -> Result<(), znight_core::Error> {
    look_ups()?;
    creations()?;
    scopes()?;
    boots()
}

trait Greeter: Send + Sync {
    fn greet(&self) -> u32;
}

struct English(u32);

impl Greeter for English {
    fn greet(&self) -> u32 {
        self.0
    }
}

/// The provider of `English`, handed out as `dyn Greeter`.
fn english() -> Entry {
    Entry {
        provider: provider::<English>(
            Make::Plain(|_| made::<English, _>(English(7))),
            const {
                &[coercion::<dyn Greeter>(|handle| {
                    Handle::new(handle.arc::<English>() as Arc<dyn Greeter>)
                })]
            },
            Lifecycle::NONE,
        ),
        ..entry::<English>(|_| made::<English, _>(English(7)), &[])
    }
}

/// The peer wired by hand: a field of a struct.
struct ByHand {
    concrete: Arc<English>,
    object: Arc<dyn Greeter>,
}

trait ShakuGreeter: shaku::Interface {
    fn greet(&self) -> u32;
}

#[derive(shaku::Component)]
#[shaku(interface = ShakuGreeter)]
struct ShakuEnglish {
    #[shaku(default = 7)]
    number: u32,
}

impl ShakuGreeter for ShakuEnglish {
    fn greet(&self) -> u32 {
        self.number
    }
}

shaku::module! {
    ShakuModule {
        components = [ShakuEnglish],
        providers = []
    }
}

/// Target: 10 ns, goal 5 ns, for a singleton that exists, concrete and `dyn`, uncontended.
///
/// The container holds 500 other providers, so that the table it looks into has a realistic size.
/// An `Arc` is cloned and dropped in every case: two atomic operations are part of each figure.
fn look_ups() -> Result<(), znight_core::Error> {
    let mut entries = vec![english()];
    entries.extend(trivial());
    let bindings = vec![Binding {
        provider: 0,
        coercion: 0,
    }];
    let container = Container::new(graph(entries, bindings, Vec::new()))?;
    ready(container.init())?;

    let concrete = Arc::new(English(7));
    let by_hand = ByHand {
        object: Arc::clone(&concrete) as Arc<dyn Greeter>,
        concrete,
    };
    let module = ShakuModule::builder().build();

    let [concrete, object, field, object_field, shaku] = in_turns(
        ROUNDS,
        [
            &mut || {
                each(LOOK_UPS, || {
                    drop(black_box(black_box(&container).get::<English>()));
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    drop(black_box(black_box(&container).get::<dyn Greeter>()));
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    drop(black_box(Arc::clone(&black_box(&by_hand).concrete)));
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    drop(black_box(Arc::clone(&black_box(&by_hand).object)));
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    let found: Arc<dyn ShakuGreeter> = black_box(&module).resolve();
                    drop(black_box(found));
                })
            },
        ],
    );
    let by_hand = by_hand.concrete.greet() + by_hand.object.greet();
    let resolved: &dyn ShakuGreeter = module.resolve_ref();
    assert_eq!(by_hand, 2 * resolved.greet());
    figure(
        "container/get concrete",
        &concrete,
        Unit::Ns,
        Some(("field", &field)),
    );
    figure(
        "container/get dyn",
        &object,
        Unit::Ns,
        Some(("field", &object_field)),
    );
    figure(
        "container/get dyn, beside shaku",
        &object,
        Unit::Ns,
        Some(("shaku", &shaku)),
    );
    Ok(())
}

/// What is made anew each time, with two dependencies.
struct Handler {
    concrete: Arc<English>,
    object: Arc<dyn Greeter>,
}

trait ShakuHandler {
    fn handle(&self) -> u32;
}

#[derive(shaku::Provider)]
#[shaku(interface = ShakuHandler)]
struct ShakuHandled {
    #[shaku(inject)]
    first: Arc<dyn ShakuGreeter>,
    #[shaku(inject)]
    second: Arc<dyn ShakuGreeter>,
}

impl ShakuHandler for ShakuHandled {
    fn handle(&self) -> u32 {
        self.first.greet() + self.second.greet()
    }
}

shaku::module! {
    ShakuHandlers {
        components = [ShakuEnglish],
        providers = [ShakuHandled]
    }
}

/// Making an instance: a transient with two dependencies, beside a provider of shaku and beside an
/// `Arc` around the same struct that is filled by hand. No target of its own.
fn creations() -> Result<(), znight_core::Error> {
    let mut entries = vec![
        english(),
        Entry {
            scope: ScopeKind::Transient,
            ..entry::<Handler>(
                |deps| {
                    made::<Handler, _>(Handler {
                        concrete: deps.next(),
                        object: deps.next(),
                    })
                },
                &[Dep::One(0), Dep::One(0)],
            )
        },
    ];
    entries.extend(trivial());
    let container = Container::new(graph(entries, Vec::new(), Vec::new()))?;
    ready(container.init())?;
    let concrete = Arc::new(English(7));
    let object = Arc::clone(&concrete) as Arc<dyn Greeter>;
    let module = ShakuHandlers::builder().build();
    let [ours, by_hand, shaku] = in_turns(
        ROUNDS,
        [
            &mut || {
                each(LOOK_UPS, || {
                    let handler = black_box(&container).get::<Handler>();
                    black_box(handler.map_or(0, |handler| handler.sum()));
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    let handler = Arc::new(Handler {
                        concrete: Arc::clone(black_box(&concrete)),
                        object: Arc::clone(black_box(&object)),
                    });
                    black_box(handler.sum());
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    let handler: Result<Box<dyn ShakuHandler>, _> = black_box(&module).provide();
                    black_box(handler.map_or(0, |handler| handler.handle()));
                })
            },
        ],
    );
    figure(
        "container/create a transient",
        &ours,
        Unit::Ns,
        Some(("shaku", &shaku)),
    );
    figure(
        "container/create, beside a struct",
        &ours,
        Unit::Ns,
        Some(("by hand", &by_hand)),
    );
    Ok(())
}

impl Handler {
    fn sum(&self) -> u32 {
        self.concrete.greet() + self.object.greet()
    }
}

tokio::task_local! {
    static LOCAL: Arc<u32>;
}

struct Seeded(u32);

/// Target: 50 ns for opening and closing an empty request scope, goal 10 ns. With one seed, as the
/// HTTP plugin opens it, there is no target. The peer is what one would write by hand: an `Arc` in
/// a task-local of tokio.
fn scopes() -> Result<(), znight_core::Error> {
    let externals = vec![External {
        type_id: type_id_of::<Seeded>,
        display: "Seeded",
        provided_by: "",
        scope: ScopeKind::Request,
    }];
    let container = Container::new(graph(trivial(), Vec::new(), externals))?;
    ready(container.init())?;
    let value = Arc::new(7);
    let seed = Arc::new(Seeded(7));

    let [empty, seeded, used, handle, local] = in_turns(
        ROUNDS,
        [
            &mut || {
                each(LOOK_UPS, || {
                    ready(async {
                        let mut scope = black_box(&container).open_scope();
                        scope.run(async { black_box(()) }).await;
                        black_box(scope.close().await.is_ok());
                    });
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    ready(async {
                        let mut scope = black_box(&container).open_scope();
                        scope.seed(Arc::clone(&seed));
                        scope.run(async { black_box(()) }).await;
                        black_box(scope.close().await.is_ok());
                    });
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    ready(async {
                        let mut scope = black_box(&container).open_scope();
                        scope.seed(Arc::clone(&seed));
                        let found = scope
                            .run(async { container.get::<Seeded>().map_or(0, |seeded| seeded.0) })
                            .await;
                        black_box(found);
                        black_box(scope.close().await.is_ok());
                    });
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    ready(async {
                        let mut scope = black_box(&container).open_scope();
                        scope
                            .run(async { black_box(Scope::current().is_ok()) })
                            .await;
                        black_box(scope.close().await.is_ok());
                    });
                })
            },
            &mut || {
                each(LOOK_UPS, || {
                    ready(LOCAL.scope(Arc::clone(black_box(&value)), async { black_box(()) }));
                })
            },
        ],
    );
    let peer = Some(("task-local", &local));
    figure("container/scope empty", &empty, Unit::Ns, peer);
    figure("container/scope with a seed", &seeded, Unit::Ns, peer);
    figure("container/scope, its seed asked for", &used, Unit::Ns, None);
    figure("container/scope, a handle taken", &handle, Unit::Ns, None);
    Ok(())
}

/// Target: 1 ms for the boot of 500 trivial singletons, goal 0.3 ms: from the graph to instances
/// that can be asked for. The same as an application, up to the end of its start, and with a
/// dependency each have no target of their own.
fn boots() -> Result<(), znight_core::Error> {
    let apart = graph(trivial(), Vec::new(), Vec::new());
    let chained = graph(linked(), Vec::new(), Vec::new());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    boot(apart)?;
    // What is measured is the boot: everything is released outside of the time.
    let [container, linked, application, by_hand, linked_by_hand] = in_turns(
        ROUNDS,
        [
            &mut || mean(|| boot(apart)),
            &mut || mean(|| boot(chained)),
            &mut || {
                mean(|| {
                    runtime.block_on(async {
                        let builder = Application::builder(apart).signals(false);
                        let application = builder.build().await?;
                        application.start().await?;
                        Ok::<_, znight_core::Error>(application)
                    })
                })
            },
            &mut || mean(by_hand_apart),
            &mut || mean(by_hand_linked),
        ],
    );
    let peer = Some(("by hand", &by_hand));
    figure("container/boot 500", &container, Unit::Us, peer);
    figure(
        "container/boot 500, one dependency each",
        &linked,
        Unit::Us,
        Some(("by hand", &linked_by_hand)),
    );
    figure(
        "container/boot 500, as an application",
        &application,
        Unit::Us,
        peer,
    );
    Ok(())
}

fn boot(graph: Graph) -> Result<Container, znight_core::Error> {
    let container = Container::new(graph)?;
    ready(container.init())?;
    Ok(container)
}

/// The mean of some runs; what they return is dropped when all have been measured.
fn mean<R>(mut work: impl FnMut() -> R) -> f64 {
    let mut kept = Vec::new();
    let total: f64 = (0..BOOTS)
        .map(|_| {
            let (seconds, result) = once(&mut work);
            kept.push(result);
            seconds
        })
        .sum();
    total / f64::from(BOOTS)
}

fn graph(providers: Vec<Entry>, bindings: Vec<Binding>, externals: Vec<External>) -> Graph {
    let count = u32::try_from(providers.len()).unwrap_or(u32::MAX);
    Graph::new(Box::leak(Box::new(GraphData {
        version: METADATA_VERSION,
        compiler: env!("CARGO_PKG_VERSION"),
        package: "bench",
        providers: providers.leak(),
        order: (0..count).collect::<Vec<_>>().leak(),
        bindings: bindings.leak(),
        externals: externals.leak(),
        sections: &[],
    })))
}

type Plain = fn(&mut znight_core::__private::Deps<'_>) -> znight_core::__private::Made;

fn entry<T: 'static>(make: Plain, deps: &'static [Dep]) -> Entry {
    Entry {
        token: std::any::type_name::<T>(),
        display: "T",
        provider: provider::<T>(Make::Plain(make), &[], Lifecycle::NONE),
        scope: ScopeKind::Singleton,
        name: None,
        primary: false,
        deps,
        uses: &[],
        asks: &[],
        source: None,
    }
}

/// A type for each number.
#[expect(dead_code, reason = "there to be stored")]
struct Apart<const N: u32>(u32);

/// A type for each number, with the one before it as its dependency.
#[expect(dead_code, reason = "there to be stored")]
struct Linked<const N: u32>(Option<Arc<dyn Any + Send + Sync>>);

/// Calls a macro with `$base`, `$base + 1`, .. `$base + 9`.
macro_rules! ten {
    ($each:ident, $list:ident, $base:expr) => {
        ten!(@ $each, $list, $base, 0 1 2 3 4 5 6 7 8 9)
    };
    (@ $each:ident, $list:ident, $base:expr, $($digit:literal)*) => {
        $($each!($list, { $base + $digit });)*
    };
}

macro_rules! hundred {
    ($each:ident, $list:ident, $base:expr) => {
        hundred!(@ $each, $list, $base, 0 10 20 30 40 50 60 70 80 90)
    };
    (@ $each:ident, $list:ident, $base:expr, $($tens:literal)*) => {
        $(ten!($each, $list, $base + $tens);)*
    };
}

macro_rules! five_hundred {
    ($each:ident, $list:ident) => {
        hundred!($each, $list, 0);
        hundred!($each, $list, 100);
        hundred!($each, $list, 200);
        hundred!($each, $list, 300);
        hundred!($each, $list, 400);
    };
}

macro_rules! apart {
    ($list:ident, $n:expr) => {
        $list.push(entry::<Apart<$n>>(
            |_| made::<Apart<$n>, _>(Apart::<$n>(black_box(1))),
            &[],
        ))
    };
}

fn trivial() -> Vec<Entry> {
    let mut entries = Vec::new();
    five_hundred!(apart, entries);
    entries
}

macro_rules! linked {
    ($list:ident, $n:expr) => {
        $list.push(entry::<Linked<$n>>(
            |deps| {
                let before = (black_box($n) > 0u32).then(|| {
                    deps.next::<Arc<Linked<{ before($n) }>>>() as Arc<dyn Any + Send + Sync>
                });
                made::<Linked<$n>, _>(Linked::<$n>(before))
            },
            const {
                if $n == 0 {
                    &[]
                } else {
                    &[Dep::One(before($n))]
                }
            },
        ))
    };
}

const fn before(number: u32) -> u32 {
    number.saturating_sub(1)
}

fn linked() -> Vec<Entry> {
    let mut entries = Vec::new();
    five_hundred!(linked, entries);
    entries
}

macro_rules! apart_by_hand {
    ($list:ident, $n:expr) => {
        $list.push(Arc::new(Apart::<$n>(black_box(1))))
    };
}

fn by_hand_apart() -> Vec<Arc<dyn Any + Send + Sync>> {
    let mut all: Vec<Arc<dyn Any + Send + Sync>> = Vec::new();
    five_hundred!(apart_by_hand, all);
    all
}

macro_rules! linked_by_hand {
    ($list:ident, $n:expr) => {
        $list.push(Arc::new(Linked::<$n>($list.last().cloned())))
    };
}

fn by_hand_linked() -> Vec<Arc<dyn Any + Send + Sync>> {
    let mut all: Vec<Arc<dyn Any + Send + Sync>> = Vec::new();
    five_hundred!(linked_by_hand, all);
    all
}

#[cfg(test)]
mod tests {
    use super::{boot, by_hand_apart, by_hand_linked, graph, linked, trivial};

    #[test]
    fn what_boots_is_what_is_wired_by_hand() {
        let (apart, chained) = (trivial(), linked());
        assert_eq!(apart.len(), by_hand_apart().len());
        assert_eq!(chained.len(), by_hand_linked().len());
        for entries in [apart, chained] {
            boot(graph(entries, Vec::new(), Vec::new())).expect("boots");
        }
    }
}
