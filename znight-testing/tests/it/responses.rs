//! Replies: what they are asked and asserted.

use serde_json::json;
use znight_core::Result;

use crate::support::{echo, shop};

#[tokio::test]
async fn assertions_that_hold_chain() -> Result {
    let app = echo().await?;
    let res = app.get("/missing").await?;
    res.assert_status(404)
        .assert_header("content-type", "application/json");
    res.assert_text(&res.text());
    res.assert_json(&json!({
        "method": "GET", "target": "/missing", "headers": { "host": "localhost" }, "body": "",
    }));
    assert_eq!(res.header("content-type"), Some("application/json"));
    assert_eq!(res.headers().len(), 1);
    assert_eq!(res.bytes().len(), res.text().len());
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_assertion_that_fails_shows_the_whole_exchange() -> Result {
    let app = echo().await?;
    let res = app
        .post("/missing")
        .header("x-one", "1")
        .body("sent")
        .await?;
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        res.assert_status(200);
    }))
    .expect_err("it is 404");
    let message = panic.downcast_ref::<String>().expect("a message");
    for part in [
        "expected status 200, got 404",
        "> POST /missing\n> host: localhost\n> x-one: 1\n>\n> sent\n",
        "< 404 Not Found\n< content-type: application/json\n<\n< {",
    ] {
        assert!(message.contains(part), "{part:?} is not in:\n{message}");
    }
    let error = res.json::<u8>().expect_err("no number");
    assert!(error.message().contains("> POST /missing"), "{error}");
    app.close().await?;
    Ok(())
}

/// What a failing assertion says.
fn failure<R: std::fmt::Debug>(assertion: impl FnOnce() -> R) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(assertion));
    let panic = panic.expect_err("the assertion fails");
    *panic.downcast::<String>().expect("a message")
}

#[tokio::test]
async fn statuses_are_asserted_by_their_class() -> Result {
    let app = shop().start().await?;
    let people = app.get("/people").await?;
    people.assert_ok();
    app.get("/moved").await?.assert_redirect();
    app.get("/taken")
        .await?
        .assert_client_error()
        .assert_status(409);
    app.get("/down")
        .await?
        .assert_server_error()
        .assert_status(503);
    for (message, class) in [
        (failure(|| people.assert_redirect()), "3xx"),
        (failure(|| people.assert_client_error()), "4xx"),
        (failure(|| people.assert_server_error()), "5xx"),
    ] {
        let expected = format!("expected a status of {class}, got 200\n\n> GET /people\n");
        assert!(message.starts_with(&expected), "{message}");
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn parts_of_a_reply_are_asserted() -> Result {
    let app = shop().start().await?;
    let res = app.get("/people").await?;
    res.assert_text_contains("ada")
        .assert_no_header("x-none")
        .assert_json_at("/0/name", "ada")
        .assert_json_at("/0/a~1b", 1)
        .assert_json_at("/1", json!({ "name": "bob" }))
        .assert_json_at("", json!([{ "name": "ada", "a/b": 1 }, { "name": "bob" }]));
    for (message, expected) in [
        (
            failure(|| res.assert_text_contains("eve")),
            "expected \"eve\" in the body\n",
        ),
        (
            failure(|| res.assert_no_header("Content-Type")),
            "expected no Content-Type, got Some(\"application/json\")\n",
        ),
        (
            failure(|| res.assert_json_at("/0/name", "eve")),
            "expected \"eve\" at \"/0/name\", got \"ada\"\n",
        ),
        (
            failure(|| res.assert_json_at("/2/name", "eve")),
            "expected \"eve\" at \"/2/name\", where nothing is\n",
        ),
    ] {
        assert!(message.starts_with(expected), "{message}");
        assert!(message.contains("< 200 OK\n"), "{message}");
    }
    let res = app.get("/long").await?;
    let message = failure(|| res.assert_json_at("/0", 1));
    assert!(
        message.starts_with("expected 1 at \"/0\", and the body is no JSON\n"),
        "{message}"
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn the_cookies_a_reply_sets_are_read() -> Result {
    let app = shop().start().await?;
    let res = app.get("/cookies").await?;
    res.assert_cookie("sid", "2")
        .assert_cookie("theme", "dark")
        .assert_no_cookie("none");
    let cookies = res.cookies();
    let pairs: Vec<_> = cookies.iter().map(|c| (c.name(), c.value())).collect();
    assert_eq!(pairs, [("sid", "1"), ("theme", "dark"), ("sid", "2")]);
    assert!(cookies[0].is_http_only());
    let theme = res.cookie("theme").expect("it is set");
    assert_eq!(theme.max_age(), Some(60));
    for (message, expected) in [
        (
            failure(|| res.assert_cookie("sid", "1")),
            "expected the cookie sid=1, got Some(\"2\")\n",
        ),
        (
            failure(|| res.assert_cookie("none", "1")),
            "expected the cookie none=1, got None\n",
        ),
        (
            failure(|| res.assert_no_cookie("theme")),
            "expected no cookie theme, got Some(TestCookie {",
        ),
    ] {
        assert!(message.starts_with(expected), "{message}");
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn long_texts_are_cut_and_other_bytes_described_in_messages() -> Result {
    let app = shop().start().await?;
    let message = app.get("/long").await?.to_string();
    assert!(message.len() < 5000, "{} bytes", message.len());
    assert!(
        message.ends_with("\u{e9}\n< (.. and 5904 bytes more)\n"),
        "{message}"
    );
    let message = app.get("/binary").await?.to_string();
    assert!(
        message.ends_with("<\n< (4 bytes of image/png, no text)\n"),
        "{message}"
    );
    let sent = app.post("/upload").body(&[0_u8, 1, 2][..]).await?;
    let message = sent.to_string();
    assert!(message.contains(">\n> (3 bytes, no text)\n"), "{message}");
    app.close().await?;
    Ok(())
}
