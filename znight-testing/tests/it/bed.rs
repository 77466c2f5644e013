//! Beds for graphs written by hand.

use std::{
    any::TypeId,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use znight_core::{
    __private::{
        Asked, Coerce, Dep, Entry, External, GraphData, Handle, Injection, Lifecycle,
        METADATA_VERSION, Make, NoMock as _, Provider, coercion, made, provider,
    },
    Container, Definition, Error, ErrorCode, Graph, Hooks, Interceptors, Lazy, Result, ScopeKind,
};
use znight_testing::{Aop, Mockable, TestBed};

trait First: Send + Sync {
    fn first(&self) -> u32;
}

trait Second: Send + Sync {
    fn second(&self) -> u32;
}

struct Both;

impl First for Both {
    fn first(&self) -> u32 {
        1
    }
}

impl Second for Both {
    fn second(&self) -> u32 {
        2
    }
}

static BOTH: [Coerce; 2] = [
    coercion::<dyn First>(|h| Handle::new::<dyn First>(h.arc::<Both>())),
    coercion::<dyn Second>(|h| Handle::new::<dyn Second>(h.arc::<Both>())),
];

/// A mock that counts how many of it are gone.
#[derive(Default)]
struct MockFirst(Option<&'static AtomicUsize>);

impl First for MockFirst {
    fn first(&self) -> u32 {
        panic!("MockFirst::first was not expected")
    }
}

impl Drop for MockFirst {
    fn drop(&mut self) {
        if let Some(gone) = self.0 {
            gone.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Mockable for dyn First {
    type Mock = MockFirst;

    fn share(mock: MockFirst) -> Arc<Self> {
        Arc::new(mock)
    }
}

fn entry(token: &'static str, provider: Provider, deps: &'static [Dep]) -> Entry {
    Entry {
        token,
        display: token.rsplit("::").next().unwrap_or(token),
        provider,
        scope: ScopeKind::Singleton,
        name: None,
        primary: false,
        deps,
        uses: &[],
        asks: &[],
        source: None,
    }
}

/// A graph of [`Both`], of another provider, and of one external.
fn graph(other: Entry) -> Graph {
    let both = provider::<Both>(
        Make::Plain(|_| made::<Both, _>(Both)),
        &BOTH,
        Lifecycle::NONE,
    );
    Graph::new(Box::leak(Box::new(GraphData {
        version: METADATA_VERSION,
        compiler: "0.1.0",
        package: "it",
        providers: Box::leak(Box::new([entry("it::Both", both, &[]), other])),
        order: &[0, 1],
        bindings: &[],
        externals: &[External {
            type_id: TypeId::of::<u8>,
            display: "u8",
            provided_by: "BytePlugin",
            scope: ScopeKind::Singleton,
        }],
        sections: &[],
    })))
}

struct Target(Arc<dyn Second>);

/// Is injected with the second trait, and says so or not.
fn target(injected: &'static [Injection]) -> Graph {
    let target = provider::<Target>(
        Make::Plain(|d| made::<Target, _>(Target(d.next()))),
        &[],
        Lifecycle::NONE,
    );
    graph(entry(
        "it::Target",
        target.injected_with(injected),
        &[Dep::One(0)],
    ))
}

static SECOND: [Injection; 1] = [Asked::<Arc<dyn Second>>::INJECTION];

#[track_caller]
fn contains(error: &Error, expected: &[&str]) {
    let report = error.report().to_string();
    for expected in expected {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
}

struct Seven;

impl First for Seven {
    fn first(&self) -> u32 {
        7
    }
}

impl Second for Seven {
    fn second(&self) -> u32 {
        7
    }
}

#[tokio::test]
async fn a_value_of_the_concrete_type_is_injected_as_its_trait() -> Result {
    for said in [&SECOND as &'static [Injection], &[]] {
        let bed = TestBed::of::<Target>(target(said))
            .provide_value(Arc::new(Both))
            .build()
            .await?;
        assert_eq!(bed.get().0.second(), 2);
    }
    Ok(())
}

#[tokio::test]
async fn what_a_handler_needs_besides_is_not_part_of_a_bed() -> Result {
    let target = provider::<Target>(
        Make::Plain(|d| made::<Target, _>(Target(d.next()))),
        &[],
        Lifecycle::NONE,
    );
    let bed = TestBed::of::<Target>(graph(Entry {
        uses: &[0],
        asks: &[0],
        ..entry(
            "it::Target",
            target.injected_with(&SECOND),
            &[Dep::External(0)],
        )
    }))
    .provide_value::<dyn Second>(Arc::new(Seven))
    .build()
    .await?;
    assert_eq!(bed.get().0.second(), 7);
    assert!(!bed.container().has::<Both>());
    Ok(())
}

#[tokio::test]
async fn a_bed_can_be_made_and_used_in_a_task() -> Result {
    let made = TestBed::of::<Target>(target(&SECOND))
        .provide_value(Arc::new(Both))
        .build();
    let bed = tokio::spawn(made).await??;
    let answer = tokio::spawn(async move { bed.get().0.second() }).await?;
    assert_eq!(answer, 2);
    Ok(())
}

#[tokio::test]
async fn what_is_given_as_one_trait_is_not_injected_as_another() {
    let bed = |said| {
        TestBed::of::<Target>(target(said))
            .provide_value::<dyn First>(Arc::new(Seven))
            .build()
    };
    let error = bed(&SECOND).await.expect_err("the second is missing");
    assert_eq!(error.code(), ErrorCode::MissingProvider);
    contains(
        &error,
        &[
            "a test bed has no dyn Second for Target: the trait has no mock",
            "`.real::<Both>()`",
        ],
    );
    // Where the glue says nothing it is found out as the target is made.
    let error = bed(&[]).await.expect_err("the second is missing");
    assert_eq!(error.code(), ErrorCode::InstantiationFailed);
    contains(
        &error,
        &[
            "failed to create Both",
            "a test bed has no Both for Target: `it` was compiled without mocks",
            "give one as what it is injected as: dyn First, dyn Second",
        ],
    );
}

#[tokio::test]
async fn where_mocks_are_missing_the_lines_are_those_for_the_crate_that_lacks_them() {
    let bed = |token| {
        let target = provider::<Target>(
            Make::Plain(|d| made::<Target, _>(Target(d.next()))),
            &[],
            Lifecycle::NONE,
        );
        TestBed::of::<Target>(graph(entry(token, target, &[Dep::One(0)]))).build()
    };
    let own = bed("it::Target").await.expect_err("no mocks");
    contains(&own, &["it = { path = \".\", features = [\"testing\"] }"]);
    let library = bed("my_tokens@1.2.0::Target").await.expect_err("no mocks");
    contains(
        &library,
        &[
            "`my_tokens` was compiled without mocks",
            "see the mocks of my-tokens through its feature `testing`",
            "my-tokens = { .., features = [\"testing\"] }",
        ],
    );
}

#[tokio::test]
async fn a_trait_of_the_standard_library_is_nobodys_to_mark() {
    struct Printing(#[expect(dead_code, reason = "never made")] Arc<Printable>);
    type Printable = dyn std::fmt::Debug + Send + Sync;
    static INJECTED: [Injection; 1] = [Asked::<Arc<Printable>>::INJECTION];
    let printing = provider::<Printing>(
        Make::Plain(|d| made::<Printing, _>(Printing(d.next()))),
        &[],
        Lifecycle::NONE,
    );
    let graph = graph(entry(
        "it::Printing",
        printing.injected_with(&INJECTED),
        &[Dep::External(0)],
    ));
    let error = TestBed::of::<Printing>(graph)
        .build()
        .await
        .map(|_| ())
        .expect_err("nothing to print");
    contains(
        &error,
        &[
            "no dyn Debug + Send + Sync for Printing",
            "impl core::fmt::Debug for Debug {",
        ],
    );
    assert!(!error.report().to_string().contains("is yours, mark"));
}

#[tokio::test]
async fn an_override_is_injected_before_what_is_provided_although_the_glue_says_no_types() -> Result
{
    struct Nine;
    impl Second for Nine {
        fn second(&self) -> u32 {
            9
        }
    }
    let bed = TestBed::of::<Target>(target(&[]))
        .override_value::<dyn Second>(Arc::new(Nine))
        .provide_value::<dyn Second>(Arc::new(Seven))
        .build()
        .await?;
    assert_eq!(bed.get().0.second(), 9);
    Ok(())
}

#[tokio::test]
async fn what_a_plugin_supplies_is_provided_or_named_with_its_plugin() -> Result {
    struct Byte(Arc<u8>);
    let byte = || {
        let byte = provider::<Byte>(
            Make::Plain(|d| made::<Byte, _>(Byte(d.next()))),
            &[],
            Lifecycle::NONE,
        );
        TestBed::of::<Byte>(graph(entry("it::Byte", byte, &[Dep::External(0)])))
    };
    let bed = byte().provide_value(Arc::new(3_u8)).build().await?;
    assert_eq!(*bed.get().0, 3);
    let error = byte().build().await.expect_err("no byte");
    contains(
        &error,
        &[
            "a test bed has no u8 for Byte: only traits are mocked",
            "in the application BytePlugin supplies it, and a bed has no plugins",
        ],
    );
    Ok(())
}

struct Asking {
    container: Arc<Container>,
    hooks: Arc<Hooks>,
    absent: Option<Arc<dyn First>>,
    later: Option<Lazy<dyn First>>,
}

#[tokio::test]
async fn who_asks_the_container_finds_there_what_nobody_is_injected_with() -> Result {
    static ASKED: [Injection; 4] = [
        Asked::<Arc<Container>>::INJECTION,
        Asked::<Arc<Hooks>>::INJECTION,
        Asked::<Option<Arc<dyn First>>>::INJECTION,
        Asked::<Option<Lazy<dyn First>>>::INJECTION,
    ];
    static GONE: AtomicUsize = AtomicUsize::new(0);
    let asking = || {
        let asking = provider::<Asking>(
            Make::Plain(|d| {
                made::<Asking, _>(Asking {
                    container: d.next(),
                    hooks: d.next(),
                    absent: d.next(),
                    later: d.next(),
                })
            }),
            &[],
            Lifecycle::NONE,
        );
        TestBed::of::<Asking>(graph(entry(
            "it::Asking",
            asking.injected_with(&ASKED),
            &[
                Dep::External(0),
                Dep::External(0),
                Dep::Optional(0),
                Dep::OptionalLazy(0),
            ],
        )))
    };
    let bed = asking()
        .mock::<dyn First>(|mock| mock.0 = Some(&GONE))
        .override_value::<dyn Second>(Arc::new(Seven))
        .build()
        .await?;
    let instance = bed.get();
    let found = instance.container.get::<dyn First>()?;
    assert!(
        instance
            .absent
            .as_ref()
            .is_some_and(|first| Arc::ptr_eq(first, &found))
    );
    assert_eq!(instance.container.get::<dyn Second>()?.second(), 7);
    assert!(
        !instance
            .hooks
            .has_listeners::<znight_core::HttpRequestEvent>()
    );
    drop(found);
    bed.verify();
    assert_eq!(GONE.load(Ordering::Relaxed), 1, "the mock is gone");
    let bed = asking().build().await?;
    assert!(bed.get().absent.is_none() && bed.get().later.is_none());
    Ok(())
}

#[tokio::test]
async fn a_graph_of_another_release_is_refused_and_no_mock_is_dropped() {
    static GONE: AtomicUsize = AtomicUsize::new(0);
    let graph = Graph::new(Box::leak(Box::new(GraphData {
        version: METADATA_VERSION + 1,
        compiler: "9.0.0",
        package: "it",
        providers: &[],
        order: &[],
        bindings: &[],
        externals: &[],
        sections: &[],
    })));
    let error = TestBed::of::<Target>(graph)
        .mock::<dyn First>(|mock| mock.0 = Some(&GONE))
        .build()
        .await
        .expect_err("another release");
    assert_eq!(error.code(), ErrorCode::VersionMismatch);
    assert_eq!(GONE.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_circle_of_real_parts_is_said_and_no_mock_is_dropped() {
    static GONE: AtomicUsize = AtomicUsize::new(0);
    struct Snake(
        #[expect(dead_code, reason = "it never gets there")] Arc<Snake>,
        Arc<dyn First>,
    );
    static INJECTED: [Injection; 2] = [
        Asked::<Arc<Snake>>::INJECTION,
        Asked::<Arc<dyn First>>::INJECTION,
    ];
    let snake = provider::<Snake>(
        Make::Plain(|d| made::<Snake, _>(Snake(d.next(), d.next()))),
        &[],
        Lifecycle::NONE,
    );
    let graph = graph(entry(
        "it::Snake",
        snake.injected_with(&INJECTED),
        &[Dep::One(1), Dep::One(0)],
    ));
    let error = TestBed::of::<Snake>(graph)
        .mock::<dyn First>(|mock| mock.0 = Some(&GONE))
        .build()
        .await
        .map(|bed| bed.get().1.first())
        .expect_err("a circle");
    assert_eq!(error.code(), ErrorCode::CircularDependency);
    assert_eq!(GONE.load(Ordering::Relaxed), 0);
}

/// Where definitions of a test are injected, twice and in a circle.
struct Users {
    one: Arc<dyn Second>,
    two: Arc<Borrowing>,
    three: Lazy<dyn Second>,
}

struct Borrowing {
    second: Arc<dyn Second>,
    own: Lazy<Borrowing>,
}

fn users() -> Graph {
    static INJECTED: [Injection; 3] = [
        Asked::<Arc<dyn Second>>::INJECTION.named(Some("s")),
        Asked::<Arc<Borrowing>>::INJECTION,
        Asked::<Lazy<dyn Second>>::INJECTION.named(Some("s")),
    ];
    let users = provider::<Users>(
        Make::Plain(|d| {
            made::<Users, _>(Users {
                one: d.next(),
                two: d.next(),
                three: d.next(),
            })
        }),
        &[],
        Lifecycle::NONE,
    );
    graph(entry(
        "it::Users",
        users.injected_with(&INJECTED),
        &[Dep::One(0), Dep::External(0), Dep::Lazy(0)],
    ))
}

#[tokio::test]
async fn a_definition_is_made_once_for_all_who_are_injected_with_it() -> Result {
    let bed = TestBed::of::<Users>(users())
        .override_definition::<dyn Second, _>(
            Definition::<Seven>::new(|first: Arc<dyn First>| {
                drop(first);
                Seven
            })
            .name("s")
            .handed_out_as::<dyn Second>(|seven| seven),
        )
        .provide_definition(
            Definition::<Borrowing>::new(|second: Arc<dyn Second>, own: Lazy<Borrowing>| {
                Borrowing { second, own }
            })
            .inject_named(0, "s"),
        )
        .provide_value::<dyn First>(Arc::new(Seven))
        .build()
        .await?;
    let users = bed.get();
    assert_eq!(users.one.second(), 7);
    assert!(Arc::ptr_eq(&users.one, &users.two.second));
    assert!(Arc::ptr_eq(&users.one, &users.three.get()?));
    assert!(Arc::ptr_eq(&users.two, &users.two.own.get()?));
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_a_definition_is_said_with_the_rest() {
    let error = TestBed::of::<Users>(users())
        .override_definition::<dyn Second, _>(Definition::<Seven>::new(|| Seven).name("s"))
        .provide_definition(
            Definition::<Borrowing>::new(|own: Lazy<Borrowing>| Borrowing {
                second: Arc::new(Both),
                own,
            })
            .inject_named(4, "s"),
        )
        .build()
        .await
        .expect_err("several mistakes");
    contains(
        &error,
        &[
            "the bed of Users has 2 problems",
            "the constructor of Borrowing has 1 parameters",
            "a definition is given for dyn Second named \"s\", and does not say how it is handed out as that",
            "`.handed_out_as::<dyn Second>(|it| it)`",
        ],
    );
}

struct Watching {
    interceptors: Interceptors,
    first: Arc<dyn First>,
}

/// A graph with something whose methods [`Both`] intercepts.
fn watching() -> Graph {
    static INJECTED: [Injection; 2] = [
        Asked::<Interceptors>::INJECTION,
        Asked::<Arc<dyn First>>::INJECTION,
    ];
    let watching = provider::<Watching>(
        Make::Plain(|d| {
            made::<Watching, _>(Watching {
                interceptors: d.next(),
                first: d.next(),
            })
        }),
        &[],
        Lifecycle::NONE,
    );
    graph(entry(
        "it::Watching",
        watching.injected_with(&INJECTED),
        &[
            Dep::Interceptors(&[Dep::One(0), Dep::External(0)]),
            Dep::One(0),
        ],
    ))
}

#[tokio::test]
async fn methods_are_intercepted_only_when_a_test_says_so() -> Result {
    let bed = TestBed::of::<Watching>(watching()).build().await?;
    assert!(bed.get().interceptors.is_empty());
    assert!(bed.was_mocked::<dyn First>());
    drop(Arc::clone(&bed.get().first));
    assert!(bed.container().get::<Both>().is_err(), "not made either");
    let error = TestBed::of::<Watching>(watching())
        .aop(Aop::Real)
        .build()
        .await
        .expect_err("an interceptor of a plugin is missing");
    contains(
        &error,
        &[
            "a test bed has no u8 for Watching",
            "in the application BytePlugin supplies it",
        ],
    );
    let bed = TestBed::of::<Watching>(watching())
        .aop(Aop::Real)
        .provide_value(Arc::new(1_u8))
        .build()
        .await?;
    assert!(!bed.get().interceptors.is_empty());
    assert!(bed.container().get::<Both>().is_ok());
    Ok(())
}
