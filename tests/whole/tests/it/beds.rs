//! Beds outside of the package: it is compiled without its mocks here, as its feature `testing`, which it
//! does not have, is off.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use whole::{
    desk::{Corner, Desk, Guest, Orders, Plain, Sink, Visit},
    journal::Journal,
    shop::{Clock, Limit, Pool, Service, Store, Ticket},
};
use znight::{Dispose, Error, ErrorCode, Lazy, async_trait, injectable, mockable};
use znight_testing::TestBed;

type Tested = znight::Result;

#[track_caller]
fn contains(error: &Error, expected: &[&str]) {
    let report = error.report().to_string();
    for expected in expected {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
}

struct One;

impl Plain for One {
    fn number(&self) -> u64 {
        1
    }
}

struct Nowhere;

#[async_trait]
impl Store for Nowhere {
    fn name(&self) -> String {
        "nowhere".to_owned()
    }
    async fn count(&self) -> usize {
        0
    }
}

struct Counting(AtomicUsize);

impl Sink for Counting {
    fn line(&self, _: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn fakes_are_injected_although_the_glue_says_no_types() -> Tested {
    let bed = TestBed::of::<Service>(whole::graph())
        .provide_value::<dyn Store>(Arc::new(Nowhere))
        .provide_clone(Limit(3))
        .real::<Ticket>()
        .provide_value::<dyn Clock>(Arc::new(|| 5_u64))
        .provide_value(Arc::new(Journal::default()))
        .build()
        .await?;
    let service = bed.get();
    assert_eq!(service.store.name(), "nowhere");
    assert_eq!(service.archive.name(), "nowhere");
    assert_eq!(service.all.len(), 1);
    assert_eq!(service.limit, Limit(3));
    assert_ne!(service.tickets.0.number(), service.tickets.1.number());
    assert_eq!(service.clock.now(), 5);
    assert!(service.absent.is_none());
    bed.verify();
    Ok(())
}

#[tokio::test]
async fn without_its_mocks_a_package_says_which_lines_bring_them() {
    let error = TestBed::of::<Desk>(whole::graph())
        .provide_value(Arc::new(Journal::default()))
        .provide_clone(Limit(1))
        .build()
        .await
        .expect_err("orders are missing");
    assert_eq!(error.code(), ErrorCode::MissingProvider);
    contains(
        &error,
        &[
            "a test bed has no Remote for Desk (src/desk/mod.rs:",
            ": `whole` was compiled without mocks",
            "give one: `.provide_value::<dyn Orders>(Arc::new(..))`",
            "[features]\n",
            "testing = [\"dep:mockall\"]",
            "mockall = { version = \"0.15\", optional = true }",
            "whole = { path = \".\", features = [\"testing\"] }",
            "a test bed has no Audit named \"audit\"",
        ],
    );
}

#[tokio::test]
async fn a_dependency_given_as_another_trait_than_it_is_injected_as_says_what_is_missing() -> Tested
{
    // The graph knows which provider answers, and nothing of the trait it is asked for as.
    let bed = TestBed::of::<Corner>(whole::graph())
        .provide_value::<dyn Plain>(Arc::new(One))
        .provide_factory::<Limit, _>(|_| Ok(Arc::new(Limit(1))))
        .real::<Desk>()
        .real::<dyn Orders>()
        .real::<dyn whole::desk::Archive<String>>()
        .real::<dyn whole::desk::Keys<Key = u64>>()
        .provide_named::<dyn Sink>("audit", Arc::new(Counting(AtomicUsize::new(0))))
        .provide_named::<dyn Sink>("mail", Arc::new(Counting(AtomicUsize::new(0))))
        .provide_value(Arc::new(Journal::default()))
        .build()
        .await?;
    assert_eq!(bed.get().sum(), 1 + 1 + 2);
    Ok(())
}

#[tokio::test]
async fn a_method_of_a_factory_has_its_factory_although_the_glue_says_no_types() -> Tested {
    let bed = TestBed::of::<Pool>(whole::graph())
        .provide_named("url", Arc::new("here".to_owned()))
        .provide_value(Arc::new(Journal::default()))
        .build()
        .await?;
    assert_eq!(bed.get().url, "here");
    Ok(())
}

#[tokio::test]
async fn a_request_scoped_target_is_made_in_the_scope_of_the_bed() -> Tested {
    let bed = TestBed::of::<Visit>(whole::graph())
        .real::<Guest>()
        .real::<dyn Orders>()
        .build()
        .await?;
    let answer = bed.scope().wrap(bed.get().ordered(1)).await;
    let error = answer.expect_err("a dead line");
    assert_eq!(error.to_string(), "the line is dead");
    Ok(())
}

/// Tells the time of a test.
#[mockable]
trait Stopwatch: Send + Sync {
    fn seconds(&self) -> u64;
}

#[injectable]
struct Race {
    watch: Arc<dyn Stopwatch>,
    again: Lazy<dyn Stopwatch>,
    plain: Arc<dyn Plain>,
    sinks: Vec<Arc<dyn Sink>>,
    runner: Arc<Runner>,
}

#[injectable]
struct Runner {
    watch: Arc<dyn Stopwatch>,
}

impl Dispose for Runner {
    async fn dispose(&self) -> znight::Result {
        Err("runners are not disposed in a bed".into())
    }
}

#[tokio::test]
async fn providers_of_a_test_have_beds_and_mocks_of_their_own_traits() -> Tested {
    let bed = TestBed::of_provided::<Race>(whole::graph())
        .mock::<dyn Stopwatch>(|watch| {
            watch.expect_seconds().times(3).return_const(10_u64);
        })
        .provide::<Runner>()
        .real::<dyn Plain>()
        .real::<dyn Sink>()
        .build()
        .await?;
    let race = bed.get();
    assert_eq!(
        race.watch.seconds() + race.again.get()?.seconds() + race.runner.watch.seconds(),
        30
    );
    assert_eq!(race.plain.number(), 3);
    assert_eq!(race.sinks.len(), 2);
    bed.container().dispose().await?;
    bed.verify();
    Ok(())
}

#[tokio::test]
async fn a_trait_of_another_crate_without_a_mock_comes_with_the_mock_to_write() {
    let error = TestBed::of_provided::<Race>(whole::graph())
        .provide::<Runner>()
        .build()
        .await
        .expect_err("no plain number");
    contains(
        &error,
        &[
            "a test bed has no dyn Plain for Race (tests/whole/tests/it/beds.rs:",
            "the trait is of another crate and has no mock here",
            "if `whole` is yours, mark the trait with `#[mockable]`",
            "`whole = { .., features = [\"testing\"] }`",
            "`.real::<Three>()`",
            "mockall::mock! {",
            "impl whole::desk::Plain for Plain {",
        ],
    );
}

#[injectable(as(dyn Plain))]
struct Fake {
    watch: Arc<dyn Stopwatch>,
}

impl Plain for Fake {
    fn number(&self) -> u64 {
        self.watch.seconds() + 1
    }
}

#[tokio::test]
async fn a_fake_of_a_test_is_injected_as_the_traits_it_declares() -> Tested {
    let bed = TestBed::of_provided::<Race>(whole::graph())
        .mock::<dyn Stopwatch>(|watch| {
            watch.expect_seconds().times(1).return_const(4_u64);
        })
        .provide::<Runner>()
        .provide::<Fake>()
        .build()
        .await?;
    assert_eq!(bed.get().plain.number(), 5);
    bed.verify();
    Ok(())
}

mockall::mock! {
    pub Plain {}
    impl whole::desk::Plain for Plain {
        fn number(&self) -> u64;
    }
}

#[tokio::test]
async fn a_mock_written_by_hand_is_given_as_a_value() -> Tested {
    let mut plain = MockPlain::new();
    plain.expect_number().times(1).return_const(4_u64);
    let bed = TestBed::of_provided::<Race>(whole::graph())
        .provide::<Runner>()
        .provide_value::<dyn Plain>(Arc::new(plain))
        .build()
        .await?;
    assert_eq!(bed.get().plain.number(), 4);
    Ok(())
}
