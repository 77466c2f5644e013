//! Who may call which route.

use znight::{ErrorCode, HttpOptions, HttpPlugin, http::Method};

use crate::fakes::{self, KEY};

/// A change of this list is a change of who may do what.
const ROUTES: &[&str] = &[
    "GET /authors: public",
    "GET /authors/{id}: public",
    "POST /authors: roles = [Editor]",
    "GET /books: public",
    "GET /books/{id}: public",
    "POST /books: roles = [Editor]",
    "DELETE /books/{id}: roles = [Editor]",
];

#[tokio::test]
async fn every_route_is_decided_and_enforced() -> znight::Result {
    let app = fakes::app(&[], &[]).await;
    let http = app.application().plugin::<HttpPlugin>().expect("HTTP");
    let routes = http.routes();
    for route in &routes {
        assert_eq!(route.guards, ["AccessGuard"], "{}", route.info.path);
    }
    let shown = routes.iter().map(|route| {
        let decisions = route.info.decisions.iter().map(ToString::to_string);
        let decisions: Vec<String> = decisions.collect();
        format!(
            "{} {}: {}",
            route.info.method,
            route.info.path,
            decisions.join(", ")
        )
    });
    assert_eq!(shown.collect::<Vec<_>>(), ROUTES);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn reading_is_for_everybody_and_changes_are_for_editors() -> znight::Result {
    let app = fakes::app(&["Jane Austen"], &[]).await;
    app.get("/authors/1").await?.assert_status(200);
    app.delete("/books/1").await?.assert_status(401);
    let wrong = app.delete("/books/1").bearer("another key").await?;
    wrong.assert_status(401);
    let right = app.delete("/books/1").bearer(KEY).await?;
    right.assert_status(404);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_entry_point_that_forgets_the_guard_does_not_start() {
    let error = fakes::empty_with(HttpOptions::new())
        .start()
        .await
        .expect_err("nobody enforces the decisions");
    assert_eq!(error.code(), ErrorCode::MissingDecision);
    let report = error.report().to_string();
    assert!(
        report
            .contains("no guard enforces the required group \"access\" on 7 routes: GET /authors"),
        "{report}"
    );
    assert!(
        report.contains("guards of the application that enforce \"access\": AccessGuard"),
        "{report}"
    );
}

#[tokio::test]
async fn a_page_of_a_known_origin_may_use_the_service() -> znight::Result {
    let app = fakes::app(&[], &[]).await;
    let preflight = app
        .request(Method::OPTIONS, "/books/1")
        .header("origin", fakes::PAGE)
        .header("access-control-request-method", "DELETE")
        .header("access-control-request-headers", "authorization")
        .await?;
    preflight
        .assert_status(204)
        .assert_header("access-control-allow-origin", fakes::PAGE)
        .assert_header("access-control-allow-methods", "GET, HEAD, DELETE, OPTIONS")
        .assert_header(
            "access-control-allow-headers",
            "authorization, content-type",
        );
    // Who may read the reply has nothing to do with who may delete the book.
    let refused = app.delete("/books/1").header("origin", fakes::PAGE).await?;
    refused
        .assert_status(401)
        .assert_header("access-control-allow-origin", fakes::PAGE);
    let other = app
        .get("/books")
        .header("origin", "https://other.example")
        .await?;
    other.assert_status(200);
    assert!(other.header("access-control-allow-origin").is_none());
    app.close().await?;
    Ok(())
}
