//! Panics of the application, in the test.

use std::{panic::AssertUnwindSafe, thread};

use futures_util::FutureExt as _;
use znight_core::Result;

use crate::support::{Feed, Piece, shop};

/// What a panic says.
async fn panic_of(work: impl Future) -> &'static str {
    let panic = AssertUnwindSafe(work).catch_unwind().await;
    let payload = panic.err().expect("it panics");
    payload
        .downcast_ref::<&'static str>()
        .expect("the panic of the handler")
}

#[tokio::test]
async fn a_panic_of_a_handler_goes_on_in_the_test() -> Result {
    let app = shop().start().await?;
    let request = async { app.get("/panics").await.map(drop) };
    assert_eq!(panic_of(request).await, "out of ink");
    let request = async { app.get("/panics").stream().await.map(drop) };
    assert_eq!(panic_of(request).await, "out of ink");
    let request = async { app.get("/panics").events().await.map(drop) };
    assert_eq!(panic_of(request).await, "out of ink");
    // The application itself goes on.
    app.get("/people").await?.assert_ok();
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_panic_of_a_stream_goes_on_in_the_test() -> Result {
    let app = shop().start().await?;
    let feed = Feed::of(&app);
    let mut stream = app.get("/feed").stream().await?;
    feed.tell(Piece::Text("one"));
    feed.tell(Piece::Panic);
    assert_eq!(stream.next_text().await.expect("a piece")?, "one");
    assert_eq!(panic_of(stream.next()).await, "at the disco");
    feed.gone().await;
    app.close().await?;

    let app = shop().start().await?;
    Feed::of(&app).tell(Piece::Panic);
    let request = async { app.get("/feed").await.map(drop) };
    assert_eq!(panic_of(request).await, "at the disco");
    app.close().await?;

    let app = shop().start().await?;
    Feed::of(&app).tell(Piece::Panic);
    let mut events = app.get("/events").events().await?;
    assert_eq!(panic_of(events.next()).await, "at the disco");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn panics_are_answered_where_the_test_is_about_that() -> Result {
    let app = shop().answer_panics().start().await?;
    let feed = Feed::of(&app);
    app.get("/panics").await?.assert_status(500);
    assert_eq!(app.get("/panics").stream().await?.status(), 500);
    let mut stream = app.get("/feed").stream().await?;
    feed.tell(Piece::Panic);
    let error = stream
        .next()
        .await
        .expect("an error")
        .expect_err("it panicked");
    assert!(
        error.message().starts_with("the reply was cut short"),
        "{error}"
    );
    app.close().await?;

    let app = shop().answer_panics().start().await?;
    Feed::of(&app).tell(Piece::Panic);
    let error = app.get("/feed").await.expect_err("it panicked");
    assert!(
        error.message().starts_with("the reply was cut short"),
        "{error}"
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_test_that_fails_by_the_panic_of_a_handler_does_not_hang() -> Result {
    // The application is dropped while the panic unwinds, as in a test that expects none.
    let test = thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let app = shop().start().await?;
            app.get("/panics").await?;
            app.close().await?;
            Ok::<_, znight_core::BoxError>(())
        })
    });
    let panic = test.join().expect_err("the test fails");
    assert_eq!(panic.downcast_ref(), Some(&"out of ink"));
    Ok(())
}
