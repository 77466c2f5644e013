//! Interceptors of methods.

use std::sync::Arc;

use whole::{
    intercepted::{
        Changing, Counter, Directory, Failure, Greeter, Noting, Opaque, Shelf, Token, Visit,
    },
    journal::Journal,
};
use znight::{Interceptors, Invocation, MethodInterceptor, Returned};

use super::{Tested, start};

#[tokio::test]
async fn the_top_most_is_the_outermost_and_arguments_and_results_are_changed() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(directory.find(1).await, Ok("user 101!".to_owned()));
    assert_eq!(
        journal.take(),
        [
            "outer0 > Directory.find(id=1)",
            "inner3 > Directory.find(id=101)",
            "find 101",
            "name0 > Directory.name_of()",
            "name0 <",
            "inner3 < Ok(\"user 101\")",
            "outer0 < Ok(\"user 101!\")",
        ]
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_error_is_seen_and_passed_on() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(directory.find(0).await, Err(Failure("nobody".to_owned())));
    let lines = journal.take();
    assert_eq!(lines.last().map(String::as_str), Some("outer0 ! nobody"));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_interceptor_answers_instead_of_the_method() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(directory.known(7).await, Ok("seven".to_owned()));
    assert!(journal.take().is_empty(), "the method was not called");
    assert_eq!(directory.known(8).await, Ok("8".to_owned()));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_borrows_is_passed_on_and_shown() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(directory.longest("a", "bc".into(), Opaque(2)).await, "bc..");
    assert_eq!(
        journal.take(),
        [
            "borrow0 > Directory.longest(left=\"a\", right=\"bc\", opaque=..)",
            "borrow0 < \"bc..\"",
        ]
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_call_is_repeated_with_clones_of_its_arguments() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    assert_eq!(
        directory.third_time("x".to_owned(), (1, 2)).await,
        Ok("x 1 2".to_owned())
    );
    journal.take();
    assert!(directory.once(Opaque(3)).await.is_err());
    assert_eq!(
        journal.take(),
        ["once 3"],
        "what cannot be cloned is passed on once"
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn methods_that_are_not_async_have_their_own_chain() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(directory.repeat("ab", 2), "abababab");
    assert_eq!(journal.take(), ["sync0 > repeat", "repeat 4", "sync0 <"]);
    directory.journal().note("borrowed");
    assert_eq!(journal.take(), ["-0 > journal", "-0 <", "borrowed"]);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn generic_methods_and_types_are_intercepted() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(directory.generic(4_u8, true).await.0, 4);
    assert_eq!(
        journal.take(),
        ["-0 > Directory.generic(value=.., _flag=true)", "-0 < .."]
    );
    assert_eq!(
        app.container().get::<Shelf<&'static str>>()?.thing().await,
        "word"
    );
    assert_eq!(journal.take(), ["shelf0 > Shelf<&str>.thing()", "shelf0 <"]);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_has_no_name_is_returned_as_it_is() -> Tested {
    let app = start().await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(directory.words("a b").collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(directory.counts(7).await.sum::<u32>(), 15);
    assert_eq!(
        journal.take(),
        [
            "words0 > words",
            "words0 <",
            "counts0 > Directory.counts(from=7)",
            "counts0 < ..",
        ]
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_a_body_gives_is_coerced() -> Tested {
    let app = start().await?;
    let directory = app.container().get::<Directory>()?;
    let texts = ["a".to_owned()];
    assert_eq!(directory.slice().await, [7]);
    assert_eq!(
        format!("{:?}", directory.boxed(true).await),
        "Ok(\"early\")"
    );
    assert_eq!(format!("{:?}", directory.boxed(false).await), "Ok(1)");
    assert_eq!(format!("{:?}", directory.shared().await), "Some(2)");
    assert_eq!(directory.text(&texts).await, "a");
    assert_eq!(directory.first(&texts), Some("a"));
    assert_eq!(format!("{:?}", directory.shown()), "Some(0)");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_interceptor_may_be_generic_over_what_its_host_is_generic_over() -> Tested {
    let app = start().await?;
    let counter = app.container().get::<Counter<u64>>()?;
    assert_eq!(counter.next().await, 1);
    assert_eq!(counter.next().await, 1, "what was kept");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn methods_of_traits_are_intercepted_through_the_trait() -> Tested {
    let app = start().await?;
    let (greeter, journal) = (
        app.container().get::<dyn Greeter>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    assert_eq!(greeter.greet("ada").await, Ok("hello ada".to_owned()));
    assert!(greeter.greet("").await.is_err());
    assert_eq!(greeter.count(4), 8);
    assert_eq!(
        journal.take(),
        [
            "greet0 > English.greet(name=\"ada\")",
            "greet0 < Ok(\"hello ada\")",
            "greet0 > English.greet(name=\"\")",
            "greet0 ! who?",
        ]
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn hosts_of_a_request_and_transients_are_intercepted() -> Tested {
    let app = start().await?;
    let journal = app.container().get::<Journal>()?;
    journal.take();
    for _ in 0..2 {
        let container = app.container().clone();
        app.container()
            .run_in_scope(async move {
                let visit = container.get::<Visit>()?;
                assert_eq!(
                    visit.number().await,
                    container.get::<Visit>()?.number().await
                );
                Ok::<_, znight::Error>(())
            })
            .await??;
    }
    assert_eq!(journal.take().len(), 8);
    assert_eq!(app.container().get::<Token>()?.text(), "token");
    assert_eq!(journal.take(), ["token0 > text", "token0 <"]);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn handlers_are_intercepted() -> Tested {
    let app = start().await?;
    let journal = app.container().get::<Journal>()?;
    journal.take();
    app.get("/intercepted/7").await?.assert_text("seven");
    assert_eq!(
        journal.take(),
        ["http0 > Intercepted.one(id=7)", "http0 < \"seven\""]
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_interceptor_may_be_overridden() -> Tested {
    let app = znight_testing::TestApp::builder(whole::graph())
        .plugin(znight::HttpPlugin::default())
        .override_value::<Noting>(Arc::new(Noting::of(Arc::default())))
        .start()
        .await?;
    let (directory, journal) = (
        app.container().get::<Directory>()?,
        app.container().get::<Journal>()?,
    );
    journal.take();
    directory.repeat("a", 1);
    assert_eq!(
        journal.take(),
        ["repeat 2"],
        "the other one notes elsewhere"
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_instance_built_by_hand_is_not_intercepted_unless_told() {
    let journal = Arc::new(Journal::default());
    let plain = Directory::of(Arc::clone(&journal), Interceptors::default());
    assert_eq!(plain.find(1).await, Ok("user 1".to_owned()));
    assert_eq!(journal.take(), ["find 1"]);
    let with = Directory::of(
        Arc::clone(&journal),
        Interceptors::default().with(Arc::new(Changing)),
    );
    assert_eq!(with.find(1).await, Ok("user 101!".to_owned()));
    assert_eq!(journal.take(), ["find 101"], "only what it has");
}

#[tokio::test]
async fn a_panic_goes_through() -> Tested {
    let app = start().await?;
    let directory = app.container().get::<Directory>()?;
    let exploded = tokio::spawn(async move { directory.explode().await }).await;
    assert!(exploded.is_err_and(|error| error.is_panic()));
    app.close().await?;
    Ok(())
}

struct Twice;

impl MethodInterceptor for Twice {
    type Options = ();

    async fn intercept(&self, call: &mut Invocation<'_>, (): &()) -> Returned {
        let _ = call.proceed().await;
        call.proceed().await
    }
}

struct Doubly {
    interceptors: Interceptors,
}

impl Doubly {
    #[znight::intercept(Twice)]
    async fn run(&self) {}
}

#[tokio::test]
async fn proceeding_twice_is_a_mistake_of_the_interceptor() {
    let doubly = Doubly {
        interceptors: Interceptors::default().with(Arc::new(Twice)),
    };
    let payload = tokio::spawn(async move { doubly.run().await })
        .await
        .expect_err("a panic")
        .into_panic();
    let message = payload.downcast_ref::<String>().expect("a text");
    assert!(
        message.contains("called `proceed` twice for `run`"),
        "{message}"
    );
}
