//! The application on real SQLite files.

use std::path::Path;

use serde_json::{Value, json};
use sqlx::SqlitePool;
use tempfile::TempDir;
use znight_testing::TestApp;

use crate::fakes::{self, KEY};

async fn app(directory: &TempDir) -> TestApp {
    let builder = fakes::builder_with_database(&directory.path().join("bookshelf.db"));
    builder.start().await.expect("the application starts")
}

async fn add(app: &TestApp, path: &str, value: Value) -> znight::Result<u16> {
    let res = app.post(path).bearer(KEY).json(&value).await?;
    Ok(res.status().as_u16())
}

/// Two authors and three books.
async fn fill(app: &TestApp) -> znight::Result {
    for name in ["Jane Austen", "George Eliot"] {
        assert_eq!(add(app, "/authors", json!({ "name": name })).await?, 201);
    }
    for (isbn, title, year, author) in [
        ("9780141439587", "Emma", 1815, 1),
        ("9780141439549", "Middlemarch", 1871, 2),
        ("9780141439518", "Pride and Prejudice", 1813, 1),
    ] {
        let book = json!({ "isbn": isbn, "title": title, "year": year, "author_id": author });
        assert_eq!(add(app, "/books", book).await?, 201);
    }
    Ok(())
}

/// The titles a query finds, and the total.
async fn titles(app: &TestApp, query: &str) -> znight::Result<(Vec<String>, u64)> {
    let res = app.get(&format!("/books{query}")).await?;
    let body: Value = res.assert_status(200).json()?;
    let items = body["items"].as_array().expect("items");
    let titles = items
        .iter()
        .filter_map(|book| Some(book["title"].as_str()?.to_owned()));
    Ok((titles.collect(), body["total"].as_u64().expect("a total")))
}

#[tokio::test]
async fn books_are_filtered_ordered_and_cut_into_pages() -> znight::Result {
    let directory = TempDir::new()?;
    let app = app(&directory).await;
    fill(&app).await?;
    let all = ["Emma", "Middlemarch", "Pride and Prejudice"];
    for (query, expected, total) in [
        ("", &all[..], 3),
        ("?author=1", &["Emma", "Pride and Prejudice"], 2),
        ("?title=MM", &["Emma"], 1),
        ("?title=%25", &[], 0),
        ("?from=1815", &["Emma", "Middlemarch"], 2),
        ("?to=1815", &["Emma", "Pride and Prejudice"], 2),
        ("?from=1814&to=1816&author=1&title=e", &["Emma"], 1),
        ("?author=7", &[], 0),
        ("?per_page=2", &all[..2], 3),
        ("?per_page=2&page=2", &all[2..], 3),
        ("?page=4294967295&per_page=100", &[], 3),
    ] {
        let (titles, of) = titles(&app, query).await?;
        assert_eq!(titles, expected, "{query}");
        assert_eq!(of, total, "{query}");
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_was_added_is_there_after_a_restart() -> znight::Result {
    let directory = TempDir::new()?;
    let first = app(&directory).await;
    fill(&first).await?;
    let removed = first.delete("/books/2").bearer(KEY).await?;
    removed.assert_status(204);
    first.close().await?;

    let second = app(&directory).await;
    second.get("/books/2").await?.assert_status(404);
    let res = second.get("/authors/1").await?;
    res.assert_json(&json!({
        "id": 1,
        "name": "Jane Austen",
        "books": [
            { "id": 3, "isbn": "9780141439518", "title": "Pride and Prejudice", "year": 1813, "author_id": 1 },
            { "id": 1, "isbn": "9780141439587", "title": "Emma", "year": 1815, "author_id": 1 },
        ],
    }));
    second.close().await?;
    Ok(())
}

#[tokio::test]
async fn of_many_who_add_one_isbn_at_a_time_one_succeeds() -> znight::Result {
    let directory = TempDir::new()?;
    let app = app(&directory).await;
    assert_eq!(
        add(&app, "/authors", json!({ "name": "Jane Austen" })).await?,
        201
    );
    let book = || json!({ "isbn": "9780141439587", "title": "Emma", "year": 1815, "author_id": 1 });
    let (a, b, c, d) = tokio::join!(
        add(&app, "/books", book()),
        add(&app, "/books", book()),
        add(&app, "/books", book()),
        add(&app, "/books", book()),
    );
    let mut statuses = [a?, b?, c?, d?];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409]);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn the_database_writes_ahead_and_is_closed_at_the_end() -> znight::Result {
    let directory = TempDir::new()?;
    let app = app(&directory).await;
    let pool = app.container().get::<SqlitePool>()?;
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&*pool)
        .await?;
    assert_eq!(mode, "wal");
    let log = directory.path().join("bookshelf.db-wal");
    assert!(Path::exists(&log), "{}", log.display());
    app.close().await?;
    assert!(pool.is_closed());
    assert!(!Path::exists(&log), "the last connection removes the log");
    Ok(())
}
