//! Authors over HTTP, with what stores them replaced.

use serde_json::json;

use crate::fakes::{self, KEY};

#[tokio::test]
async fn an_author_comes_with_their_books() -> znight::Result {
    let app = fakes::app(
        &["Jane Austen", "George Eliot"],
        &[
            ("9780141439587", "Emma", 1815, 1),
            ("9780141439549", "Middlemarch", 1871, 2),
        ],
    )
    .await;
    let res = app.get("/authors/2").await?;
    res.assert_status(200).assert_json(&json!({
        "id": 2,
        "name": "George Eliot",
        "books": [{
            "id": 2, "isbn": "9780141439549", "title": "Middlemarch", "year": 1871, "author_id": 2,
        }],
    }));
    let res = app.get("/authors/3").await?;
    res.assert_status(404).assert_json(&json!({
        "statusCode": 404, "error": "Not Found", "message": "there is no author 3",
    }));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_added_author_is_in_the_list() -> znight::Result {
    let app = fakes::app(&["Jane Austen"], &[]).await;
    let res = app
        .post("/authors")
        .bearer(KEY)
        .json(&json!({ "name": "George Eliot" }))
        .await?;
    res.assert_status(201)
        .assert_header("location", "/authors/2")
        .assert_json(&json!({ "id": 2, "name": "George Eliot" }));
    let res = app.get("/authors?page=2&per_page=1").await?;
    res.assert_json(&json!({
        "items": [{ "id": 2, "name": "George Eliot" }], "page": 2, "per_page": 1, "total": 2,
    }));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_author_needs_a_name() -> znight::Result {
    let app = fakes::app(&[], &[]).await;
    for (body, path, message) in [
        (
            json!({ "name": "" }),
            "name",
            "expected 1 to 200 characters",
        ),
        (json!({}), "name", "missing field `name`"),
        (json!({ "name": 7 }), "name", "expected a string"),
    ] {
        let res = app.post("/authors").bearer(KEY).json(&body).await?;
        res.assert_status(400);
        let reply: serde_json::Value = res.json()?;
        assert_eq!(
            reply["details"],
            json!([{ "path": path, "message": message }]),
            "{body}"
        );
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_store_that_fails_is_answered_in_one_way() -> znight::Result {
    let app = fakes::builder()
        .override_value::<dyn rest_api::AuthorRepository>(std::sync::Arc::new(fakes::Broken))
        .override_value::<dyn rest_api::BookRepository>(std::sync::Arc::new(fakes::Broken))
        .start()
        .await?;
    let res = app.get("/authors").await?;
    res.assert_status(503)
        .assert_header("retry-after", "5")
        .assert_json(&json!({
            "statusCode": 503, "error": "Service Unavailable",
            "message": "the bookshelf cannot be reached, try again",
        }));
    app.close().await?;
    Ok(())
}
