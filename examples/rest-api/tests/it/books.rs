//! Books over HTTP, with what stores them replaced.

use std::sync::Arc;

use rest_api::BookRepository;
use serde_json::{Value, json};
use znight_testing::TestApp;

use crate::fakes::{self, KEY};

const EMMA: (&str, &str, i32, i64) = ("9780141439587", "Emma", 1815, 1);
const MIDDLEMARCH: (&str, &str, i32, i64) = ("9780141439549", "Middlemarch", 1871, 2);

async fn app() -> TestApp {
    fakes::app(&["Jane Austen", "George Eliot"], &[EMMA, MIDDLEMARCH]).await
}

fn emma() -> Value {
    json!({ "id": 1, "isbn": "9780141439587", "title": "Emma", "year": 1815, "author_id": 1 })
}

/// The paths and messages of a 400.
#[track_caller]
fn details(body: &Value) -> Vec<(&str, &str)> {
    let details = body["details"].as_array().expect("details");
    details
        .iter()
        .map(|problem| {
            let part = |name: &str| problem[name].as_str().expect("a text");
            (part("path"), part("message"))
        })
        .collect()
}

#[tokio::test]
async fn a_list_comes_in_pages_with_the_total() -> znight::Result {
    let app = app().await;
    let res = app.get("/books").query("per_page", 1).await?;
    res.assert_status(200).assert_json(&json!({
        "items": [emma()], "page": 1, "per_page": 1, "total": 2,
    }));
    let res = app.get("/books").query("author", 1).await?;
    res.assert_json(&json!({ "items": [emma()], "page": 1, "per_page": 20, "total": 1 }));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn pages_and_years_out_of_range_are_refused() -> znight::Result {
    let app = app().await;
    let body: Value = app
        .get("/books?page=0&per_page=101")
        .await?
        .assert_status(400)
        .json()?;
    assert_eq!(
        details(&body),
        [("page", "lower than 1"), ("per_page", "greater than 100"),]
    );
    let body: Value = app
        .get("/books?from=1900&to=1800")
        .await?
        .assert_status(400)
        .json()?;
    assert_eq!(
        details(&body),
        [("to", "expected a year that is not before `from`")]
    );
    app.get("/books?from=soon").await?.assert_status(400);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn one_book_is_found_by_its_id_or_not_at_all() -> znight::Result {
    let app = app().await;
    let res = app.get("/books/1").await?;
    res.assert_status(200).assert_json(&emma());
    let res = app.get("/books/7").await?;
    res.assert_status(404).assert_json(&json!({
        "statusCode": 404, "error": "Not Found", "message": "there is no book 7",
    }));
    app.get("/books/emma").await?.assert_status(400);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_added_book_has_a_place() -> znight::Result {
    let app = app().await;
    let res = app
        .post("/books")
        .bearer(KEY)
        .json(&json!({
            "isbn": "978-0-14-143951-8", "title": " Pride and Prejudice ", "year": 1813, "author_id": 1,
        }))
        .await?;
    res.assert_status(201)
        .assert_header("location", "/books/3")
        .assert_json(&json!({
            "id": 3, "isbn": "9780141439518", "title": "Pride and Prejudice", "year": 1813,
            "author_id": 1,
        }));
    app.get("/books/3").await?.assert_status(200);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn every_mistake_in_a_book_is_told_at_once() -> znight::Result {
    let app = app().await;
    let body: Value = app
        .post("/books")
        .bearer(KEY)
        .json(&json!({ "isbn": "9780141439588", "title": " ", "year": 0, "author_id": 1 }))
        .await?
        .assert_status(400)
        .json()?;
    assert_eq!(
        details(&body),
        [
            (
                "isbn",
                "expected an ISBN of 13 digits, the last of which checks the others"
            ),
            ("title", "expected 1 to 200 characters"),
            ("year", "lower than 1"),
        ]
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_book_needs_an_author_and_an_isbn_of_its_own() -> znight::Result {
    let app = app().await;
    let book = |isbn: &str, author: i64| json!({ "isbn": isbn, "title": "Emma", "year": 1815, "author_id": author });
    let body: Value = app
        .post("/books")
        .bearer(KEY)
        .json(&book("9780141439518", 7))
        .await?
        .assert_status(400)
        .json()?;
    assert_eq!(
        details(&body),
        [("author_id", "expected the id of an author")]
    );
    let res = app
        .post("/books")
        .bearer(KEY)
        .json(&book("978-0141439587", 1))
        .await?;
    res.assert_status(409).assert_json(&json!({
        "statusCode": 409, "error": "Conflict", "message": "there is a book with ISBN 9780141439587",
    }));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_removed_book_is_gone() -> znight::Result {
    let app = app().await;
    let res = app.delete("/books/1").bearer(KEY).await?;
    res.assert_status(204).assert_text("");
    app.get("/books/1").await?.assert_status(404);
    let again = app.delete("/books/1").bearer(KEY).await?;
    again.assert_status(404);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn changes_need_the_key() -> znight::Result {
    let app = app().await;
    for res in [
        app.post("/books").json(&json!({})).await?,
        app.delete("/books/1").await?,
        app.delete("/books/1").bearer("another key").await?,
        app.delete("/books/1")
            .header("authorization", format!("Basic {KEY}"))
            .await?,
        app.post("/authors").json(&json!({})).await?,
    ] {
        res.assert_status(401)
            .assert_header("www-authenticate", "Bearer");
    }
    app.get("/books/1").await?.assert_status(200);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn why_a_store_fails_is_not_for_clients() -> znight::Result {
    let app = fakes::builder()
        .override_value::<dyn BookRepository>(Arc::new(fakes::Broken))
        .override_value::<dyn rest_api::AuthorRepository>(Arc::new(fakes::FakeAuthors::default()))
        .start()
        .await?;
    let res = app.get("/books/1").await?;
    res.assert_status(503).assert_json(&json!({
        "statusCode": 503, "error": "Service Unavailable",
    }));
    app.close().await?;
    Ok(())
}
