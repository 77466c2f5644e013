//! Replies that are read while they come, and event streams.

use std::{error::Error as _, time::Duration};

use serde_json::json;
use znight::HttpPlugin;
use znight_core::Result;

use crate::support::{Feed, Piece, echo, shop};

#[tokio::test]
async fn a_stream_is_read_piece_by_piece() -> Result {
    let app = shop().start().await?;
    let feed = Feed::of(&app);
    let mut stream = app.get("/feed").stream().await?;
    stream.assert_status(200);
    assert_eq!(stream.status(), 200);
    assert_eq!(
        stream.header("content-type"),
        Some("application/octet-stream")
    );
    assert!(stream.headers().contains_key("x-request-id"));
    feed.tell(Piece::Text("one"));
    assert_eq!(stream.next().await.expect("a piece")?, "one");
    feed.tell(Piece::Text("two"));
    assert_eq!(stream.next_text().await.expect("a piece")?, "two");
    feed.tell(Piece::Text("three"));
    feed.tell(Piece::Text("four"));
    feed.end();
    assert_eq!(stream.rest().await?, "threefour");
    assert!(stream.next().await.is_none());
    feed.gone().await;
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn dropping_a_stream_is_a_client_that_goes_away() -> Result {
    let app = shop().start().await?;
    let plugin = app.application().plugin::<HttpPlugin>().expect("added");
    let stream = app.get("/feed").stream().await?;
    assert_eq!(plugin.inflight(), 1);
    drop(stream);
    Feed::of(&app).gone().await;
    assert_eq!(plugin.inflight(), 0);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_plugin_that_does_not_stream_answers_with_one_piece() -> Result {
    let app = echo().await?;
    let mut stream = app.get("/missing").stream().await?;
    assert_eq!(stream.status(), 404);
    let seen: serde_json::Value = serde_json::from_slice(&stream.rest().await?)?;
    assert_eq!(seen["target"], "/missing");
    let wrong = app.get("no path").stream().await;
    assert!(wrong.is_err());
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn the_error_a_stream_ends_with_is_one_of_the_test() -> Result {
    let app = shop().start().await?;
    Feed::of(&app).tell(Piece::Text("one"));
    Feed::of(&app).tell(Piece::Fail);
    let mut stream = app.get("/feed").stream().await?;
    assert_eq!(stream.next_text().await.expect("a piece")?, "one");
    let error = stream.rest().await.expect_err("it fails");
    assert!(
        error
            .message()
            .starts_with("the reply was cut short\n\n> GET /feed\n"),
        "{error}"
    );
    let source = error.source().expect("a cause");
    assert_eq!(source.to_string(), "out of paper");
    assert!(stream.next().await.is_none());
    app.close().await?;

    // Read to its end at once it is an error as well, not a shorter body.
    let app = shop().start().await?;
    Feed::of(&app).tell(Piece::Fail);
    let error = app.get("/feed").await.expect_err("it fails");
    assert!(format!("{error:?}").contains("out of paper"), "{error:?}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn events_are_read_as_a_browser_reads_them() -> Result {
    let app = shop().start().await?;
    let feed = Feed::of(&app);
    let mut events = app.get("/events").events().await?;
    assert!(events.headers().contains_key("x-request-id"));
    assert_eq!(
        events.header("content-type"),
        Some("Text/Event-Stream; charset=utf-8")
    );
    assert_eq!(events.last_event_id(), "");
    feed.tell(Piece::Text(
        "retry: 10\nid: 1\nevent: price\ndata: {\"now\":",
    ));
    feed.tell(Piece::Text(
        " 1.5}\n\ndata: two\nid: 2\n\n: nothing\n\nid: 3\n\n",
    ));
    let event = events.next().await.expect("an event")?;
    assert_eq!((event.id(), event.name()), ("1", "price"));
    assert_eq!(event.json::<serde_json::Value>()?, json!({ "now": 1.5 }));
    assert_eq!(
        events.last_event_id(),
        "1",
        "the second one is not received"
    );
    assert_eq!(events.retry(), Some(Duration::from_millis(10)));
    let event = events.next().await.expect("an event")?;
    assert_eq!(
        (event.id(), event.name(), event.data()),
        ("2", "message", "two")
    );
    let error = event.json::<u8>().expect_err("no number");
    assert!(error.message().contains("data: \"two\""), "{error}");
    assert_eq!(
        events.last_event_id(),
        "3",
        "it came with nothing to receive"
    );
    feed.tell(Piece::Text("data: cut off"));
    feed.end();
    assert!(events.next().await.is_none());
    assert!(events.next().await.is_none());
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_event_stream_is_asked_for_as_a_browser_asks() -> Result {
    let app = shop().start().await?;
    let mut events = app.get("/headers").last_event_id("41").events().await?;
    let event = events.next().await.expect("an event")?;
    let sent: Vec<&str> = event.data().lines().collect();
    for header in [
        "accept=text/event-stream",
        "cache-control=no-store",
        "last-event-id=41",
    ] {
        assert!(sent.contains(&header), "{header} is not in {sent:?}");
    }
    let request = app.get("/headers").header("accept", "text/*");
    let event = request.events().await?.next().await.expect("an event")?;
    assert!(event.data().contains("accept=text/*"), "{}", event.data());
    assert!(!event.data().contains("accept=text/event-stream"));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_is_no_event_stream_is_said_to_be_none() -> Result {
    let app = shop().start().await?;
    for (target, problem, body) in [
        (
            "/people",
            "the reply is no event stream: its type is \"application/json\"\n\n> GET /people\n",
            "< [{\"",
        ),
        (
            "/nowhere",
            "the reply is no event stream: its type is \"application/json\"\n\n> GET /nowhere\n",
            "\"no such path\"",
        ),
        (
            "/refused",
            "the reply is no event stream: its status is 403\n",
            "< data: no\n",
        ),
        (
            "/moved",
            "the reply is no event stream: it has no type\n",
            "< location: /people\n",
        ),
        // A stream that has sent nothing yet is not waited for.
        (
            "/feed",
            "the reply is no event stream: its type is \"application/octet-stream\"\n",
            "< 200 OK\n",
        ),
    ] {
        let error = app.get(target).events().await.expect_err(target);
        assert!(error.message().starts_with(problem), "{target}: {error}");
        assert!(error.message().contains(body), "{target}: {error}");
        assert!(error.hints()[0].contains("text/event-stream"), "{error:?}");
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn events_before_a_failure_are_received_first() -> Result {
    static LONG: [u8; 1024 * 1024] = [b'x'; 1024 * 1024];
    let long: &'static str = str::from_utf8(&LONG)?;
    for (last, expected) in [
        (Piece::Fail, "the reply was cut short"),
        (
            Piece::Text(long),
            "a line of the event stream is longer than 1 MiB",
        ),
    ] {
        let app = shop().start().await?;
        let feed = Feed::of(&app);
        feed.tell(Piece::Text("data: one\n\ndata: two\n\nx"));
        feed.tell(last);
        let mut events = app.get("/events").events().await?;
        for data in ["one", "two"] {
            assert_eq!(events.next().await.expect("an event")?.data(), data);
        }
        let error = events
            .next()
            .await
            .expect("an error")
            .expect_err("it failed");
        assert!(error.message().starts_with(expected), "{error}");
        assert!(events.next().await.is_none());
        app.close().await?;
    }
    Ok(())
}
