//! Beds for the providers of this application.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use mockall::predicate::eq;
use znight::{Error, ErrorCode};
use znight_testing::{Aop, TestBed, TestBedBuilder};

use super::{Archive, Corner, Desk, Guest, Keys, MockSink, Orders, Plain, Sink, Visit};
use crate::{
    graph,
    intercepted::Directory,
    journal::Journal,
    shop::{Clock, Limit, Pool, Service, Store, Ticket},
};

type Tested = znight::Result;

/// What the desk needs that no mock can be.
fn desk() -> TestBedBuilder<Desk> {
    TestBed::of::<Desk>(graph())
        .provide_value(Arc::new(Journal::default()))
        .provide_clone(Limit(2))
}

/// The same with orders of one thing, of which there are too many.
fn busy() -> TestBedBuilder<Desk> {
    desk()
        .mock::<dyn Orders>(|orders| {
            orders
                .expect_find()
                .with(eq(7))
                .times(1)
                .returning(|_| Ok(Some("tea".to_owned())));
            orders
                .expect_label()
                .times(1)
                .returning(|before, after| format!("{before}{after}"));
        })
        .mock::<dyn Archive<String>>(|archive| {
            archive
                .expect_keep()
                .with(eq("tea!".to_owned()))
                .return_const(3_usize);
        })
        .mock::<dyn Keys<Key = u64> + Send + Sync>(|keys| {
            keys.expect_next().return_const(1_u64);
        })
}

/// A sink that expects this line as often.
fn sink(mock: &mut MockSink, text: &'static str, times: usize) {
    mock.expect_line()
        .with(eq(text))
        .times(times)
        .return_const(());
}

/// What a panic says.
fn panic_of(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload
            .downcast::<&str>()
            .map(|text| (*text).to_owned())
            .expect("a text"),
    }
}

#[track_caller]
fn contains(error: &Error, expected: &[&str]) {
    let report = error.report().to_string();
    for expected in expected {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
}

#[tokio::test]
async fn a_bed_runs_the_code_of_its_provider_against_mocks_of_every_kind() -> Tested {
    let bed = busy()
        .mock_named::<dyn Sink>("audit", |audit| {
            // Once by its name, and once as one of the sinks.
            audit
                .expect_line()
                .with(eq("tea!"))
                .times(2)
                .return_const(());
        })
        .mock_named::<dyn Sink>("mail", |mail| {
            sink(mail, "tea!", 1);
            sink(mail, "the archive is full", 1);
        })
        .mock::<dyn Sink>(|other| sink(other, "tea!", 1))
        .provide_value::<dyn Sink>(Arc::new(Silent))
        .mock::<dyn Archive<u64>>(|backup| {
            backup
                .expect_keep()
                .with(eq(7))
                .times(1)
                .return_const(0_usize);
        })
        .build()
        .await?;
    assert_eq!(bed.get().sinks.len(), 4);
    assert_eq!(bed.get().order(7).await?, "1: tea!");
    bed.verify();
    Ok(())
}

#[tokio::test]
async fn what_is_not_given_is_mocked_absent_or_empty_by_its_form() -> Tested {
    let bed = desk().build().await?;
    let desk = bed.get();
    assert!(desk.sinks.is_empty());
    assert!(desk.backup.is_none());
    assert!(Arc::ptr_eq(&desk.later.get()?, &desk.orders), "one mock");
    assert!(
        !Arc::ptr_eq(&desk.mail.get()?, &desk.audit),
        "a mock for each name"
    );
    assert!(bed.was_mocked::<dyn Archive<String>>());
    assert!(!bed.was_mocked::<dyn Archive<u64>>());
    let said = panic_of(|| desk.audit.line("a"));
    assert!(said.contains("MockSink::line"), "{said}");
    assert!(
        format!("{bed:?}").contains("dyn Sink named \"mail\""),
        "{bed:?}"
    );
    Ok(())
}

#[tokio::test]
async fn an_expectation_that_is_not_met_fails_when_the_bed_ends() -> Tested {
    let bed = || async { busy().build().await };
    let verified = bed().await?;
    let said = panic_of(|| verified.verify());
    assert!(said.contains("MockOrders::find"), "{said}");
    let dropped = bed().await?;
    let said = panic_of(|| drop(dropped));
    assert!(said.contains("MockOrders::find"), "{said}");
    Ok(())
}

#[tokio::test]
async fn mocks_that_somebody_holds_cannot_be_verified_and_are_named() -> Tested {
    let bed = desk().build().await?;
    let desk = Arc::clone(bed.get());
    let said = panic_of(|| bed.verify());
    for expected in [
        "a clone of Desk still holds them",
        "dyn Orders",
        "dyn Sink named \"audit\"",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    drop(desk);
    let bed = self::desk().build().await?;
    let orders = Arc::clone(&bed.get().orders);
    let said = panic_of(|| bed.verify());
    assert!(
        said.contains("something that got them from it still holds them: dyn Orders;"),
        "{said}"
    );
    drop(orders);
    Ok(())
}

#[tokio::test]
async fn no_hook_is_called_in_a_bed() -> Tested {
    let journal = Arc::new(Journal::default());
    let bed = desk().override_value(Arc::clone(&journal)).build().await?;
    bed.container().dispose().await?;
    bed.verify();
    assert!(journal.take().is_empty());
    Ok(())
}

#[tokio::test]
async fn everything_a_bed_has_nothing_for_is_said_at_once_with_the_ways_out() {
    let error = TestBed::of::<Corner>(graph())
        .mock::<dyn Orders>(|orders| {
            orders.expect_find().times(1).returning(|_| Ok(None));
        })
        .build()
        .await
        .expect_err("nothing is given");
    assert_eq!(error.code(), ErrorCode::MissingProvider);
    contains(
        &error,
        &[
            "the bed of Corner has 4 problems",
            "a test bed has no dyn Plain for Corner (src/desk/mod.rs:",
            ": the trait has no mock",
            "mark the trait, above `#[async_trait]` if it has that: `#[mockable] trait Plain ..`",
            "or give one: `.provide_value::<dyn Plain>(Arc::new(..))`",
            "have it made by its own constructor: `.real::<Three>()`",
            "a test bed has no Desk for Corner",
            "give one: `.provide_value::<Desk>(Arc::new(..))`",
            "have it made by its own constructor: `.real::<Desk>()`",
            ": only traits are mocked",
            "give one: `.provide_clone::<Limit>(..)`",
            "dyn Orders is mocked, and nothing in the test bed is injected with it",
            "made for real here: Corner",
        ],
    );
}

#[tokio::test]
async fn a_trait_object_that_is_spelled_otherwise_is_another_type() {
    let error = desk()
        .mock::<dyn Keys<Key = u64>>(|_| {})
        .build()
        .await
        .expect_err("nobody asks for it");
    contains(
        &error,
        &[
            "dyn Keys<Key = u64> is mocked, and nothing in the test bed is injected with it",
            "it is injected as `dyn Keys<Key = u64> + Send + Sync`, which is another type: name that",
        ],
    );
}

#[tokio::test]
async fn a_real_dependency_is_made_by_its_constructor_and_injected_by_the_same_rules() -> Tested {
    let bed = TestBed::of::<Corner>(graph())
        .real::<Desk>()
        .real::<dyn Plain>()
        .real_named::<dyn Sink>("audit")
        .provide_value(Arc::new(Journal::default()))
        .provide_clone(Limit(5))
        .build()
        .await?;
    // The limit, a real number, and the real sink.
    assert_eq!(bed.get().sum(), 7);
    assert!(bed.was_mocked::<dyn Orders>());
    bed.get().desk.audit.line("a real one takes everything");
    bed.verify();
    Ok(())
}

#[tokio::test]
async fn what_is_made_real_for_nobody_is_said() {
    let error = desk().real::<Corner>().build().await.expect_err("unused");
    contains(
        &error,
        &["Corner is made real, and nothing in the test bed is injected with it"],
    );
}

#[tokio::test]
async fn an_override_wins_over_what_is_provided_and_the_last_one_over_others() -> Tested {
    let number = |number: u64| -> Arc<dyn Plain> { Arc::new(Number(number)) };
    let bed = TestBed::of::<Corner>(graph())
        .provide_value(number(0))
        .override_value(number(0))
        .override_value(number(1))
        .override_value(desk().build().await?.get().clone())
        .override_factory::<Limit, _>(|_| Ok(Arc::new(Limit(10))))
        .provide_clone(Limit(2))
        .build()
        .await?;
    assert_eq!(bed.get().sum(), 11);
    Ok(())
}

#[tokio::test]
async fn one_dependency_is_not_given_twice() {
    let number = |number: u64| -> Arc<dyn Plain> { Arc::new(Number(number)) };
    let error = TestBed::of::<Corner>(graph())
        .real::<Desk>()
        .provide_value(Arc::new(Journal::default()))
        .provide_value(number(0))
        .provide_value(number(1))
        .provide_clone(Limit(2))
        .build()
        .await
        .expect_err("two numbers");
    contains(
        &error,
        &[
            "no dyn Plain for Corner",
            "2 were given for it",
            "use `override_value`",
        ],
    );
}

struct Silent;

impl Sink for Silent {
    fn line(&self, _: &str) {}
}

struct Number(u64);

impl Plain for Number {
    fn number(&self) -> u64 {
        self.0
    }
}

#[tokio::test]
async fn an_async_constructor_is_awaited_and_given_values_of_every_form() -> Tested {
    let bed = TestBed::of::<Service>(graph())
        .mock::<dyn Store>(|store| {
            store.expect_name().return_const("mocked".to_owned());
        })
        .provide_clone(Limit(1))
        .real::<Ticket>()
        .provide_value::<dyn Clock>(Arc::new(|| 1_u64))
        .provide_value(Arc::new(Journal::default()))
        .build()
        .await?;
    let service = bed.get();
    assert_eq!(service.store.name(), "mocked");
    assert_eq!(service.limit, Limit(1));
    assert_ne!(service.tickets.0.number(), service.tickets.1.number());
    assert!(Arc::ptr_eq(&service.lazy.get()?, service), "itself");
    assert_eq!(service.all.len(), 1, "the mock that was prepared");
    Ok(())
}

#[tokio::test]
async fn what_is_injected_by_value_is_given_to_clone_or_made_each_time() -> Tested {
    let service = || {
        TestBed::of::<Service>(graph())
            .provide_value(Arc::new(Limit(4)))
            .provide_value::<dyn Clock>(Arc::new(|| 1_u64))
            .provide_value(Arc::new(Journal::default()))
    };
    let ticket = desk_ticket().await?;
    let error = service()
        .provide_value(ticket)
        .build()
        .await
        .expect_err("shared");
    contains(
        &error,
        &[
            "a test bed has no Ticket for Service",
            "it is injected by value, and a value that is shared was given",
            "`.provide_factory::<Ticket, _>(|_| Ok(Arc::new(..)))`",
        ],
    );
    let bed = service()
        .provide_factory::<Ticket, _>(|container| {
            container
                .get::<Journal>()
                .map(Ticket::of)
                .map(Arc::new)
                .map_err(Into::into)
        })
        .build()
        .await?;
    assert_eq!(
        bed.get().limit,
        Limit(4),
        "the graph knows that it is cloned"
    );
    Ok(())
}

async fn desk_ticket() -> Result<Arc<Ticket>, Error> {
    let bed = TestBed::of::<Ticket>(graph())
        .provide_value(Arc::new(Journal::default()))
        .build()
        .await?;
    Ok(Arc::clone(bed.get()))
}

#[tokio::test]
async fn a_method_of_a_factory_is_found_by_its_token_and_has_its_factory() -> Tested {
    let pool = |url: &str| {
        TestBed::of_token::<Pool>(graph(), "Settings::pool")
            .provide_named("url", Arc::new(url.to_owned()))
            .provide_value(Arc::new(Journal::default()))
    };
    let bed = pool("somewhere").build().await?;
    assert_eq!(bed.get().url, "somewhere");
    let error = pool("nowhere").build().await.expect_err("nobody is there");
    assert_eq!(error.code(), ErrorCode::InstantiationFailed);
    contains(&error, &["nobody listens at nowhere"]);
    let error = TestBed::of_token::<Desk>(graph(), "Settings::pol")
        .build()
        .await
        .expect_err("no such token");
    assert_eq!(error.code(), ErrorCode::MissingProvider);
    contains(&error, &["there is Settings::pool"]);
    Ok(())
}

#[tokio::test]
async fn a_failed_constructor_is_not_hidden_by_mocks_that_were_never_called() {
    let error = TestBed::of::<Service>(graph())
        .mock::<dyn Store>(|store| {
            store.expect_name().times(1).return_const("a".to_owned());
        })
        .override_factory::<Limit, _>(|_| Err("no limit".into()))
        .real::<Ticket>()
        .provide_value::<dyn Clock>(Arc::new(|| 1_u64))
        .provide_value(Arc::new(Journal::default()))
        .build()
        .await
        .expect_err("a limit that fails");
    assert_eq!(error.code(), ErrorCode::InstantiationFailed);
    contains(&error, &["no limit"]);
}

#[tokio::test]
async fn a_provider_is_told_by_its_name_among_others_of_its_trait() -> Tested {
    let bed = TestBed::of_named::<dyn Sink>(graph(), "audit")
        .build()
        .await?;
    bed.get().line("a real one takes everything");
    let error = TestBed::of::<dyn Sink>(graph())
        .build()
        .await
        .expect_err("two");
    assert_eq!(error.code(), ErrorCode::AmbiguousInjection);
    let error = TestBed::of_named::<dyn Sink>(graph(), "fax").build().await;
    contains(
        &error.expect_err("no fax"),
        &["no provider for dyn Sink named \"fax\" in the graph"],
    );
    Ok(())
}

#[tokio::test]
async fn a_request_scoped_provider_lives_in_the_scope_of_the_bed() -> Tested {
    let bed = TestBed::of::<Visit>(graph())
        .real::<Guest>()
        .mock::<dyn Orders>(|orders| {
            orders.expect_find().times(1).returning(|_| Ok(None));
        })
        .build()
        .await?;
    let visit = Arc::clone(bed.get());
    let answer = bed.scope().wrap(visit.ordered(3)).await?;
    assert_eq!(answer, (true, None));
    assert!(Arc::ptr_eq(&bed.scope().get::<Visit>()?, &visit));
    let outside = bed.container().get::<Visit>().err();
    assert_eq!(
        outside.map(|error| error.code()),
        Some(ErrorCode::OutsideRequestScope)
    );
    drop(visit);
    bed.verify();
    Ok(())
}

#[tokio::test]
async fn a_request_scoped_value_may_be_provided() -> Tested {
    let guest = Arc::new(Guest);
    let bed = TestBed::of::<Visit>(graph())
        .provide_value(Arc::clone(&guest))
        .build()
        .await?;
    assert!(Arc::ptr_eq(&bed.get().guest, &guest));
    assert!(Arc::ptr_eq(&bed.get().again.get()?, &guest));
    Ok(())
}

#[tokio::test]
async fn methods_are_intercepted_when_a_test_says_so() -> Tested {
    let directory = |journal: &Arc<Journal>| {
        TestBed::of::<Directory>(graph()).provide_value(Arc::clone(journal))
    };
    let journal = Arc::new(Journal::default());
    let bed = directory(&journal).build().await?;
    bed.get().find(3).await?;
    assert_eq!(journal.take(), ["find 3"], "the method itself");
    let bed = directory(&journal).aop(Aop::Real).build().await?;
    bed.get().find(3).await?;
    let noted = journal.take();
    assert!(
        noted
            .first()
            .is_some_and(|line| line.starts_with("outer0 > ")),
        "{noted:?}"
    );
    Ok(())
}
