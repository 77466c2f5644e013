//! Requests: what is put together is what is sent.

use serde_json::json;
use znight_core::{Graph, Result};
use znight_testing::{Form, TestApp};

use crate::support::{Seen, echo};

#[tokio::test]
async fn a_request_is_sent_as_it_was_put_together() -> Result {
    let app = echo().await?;
    let res = app
        .post("/users?dry=1")
        .query("tag", "a b&c")
        .query("page", 2)
        .header("x-one", "1")
        .bearer("secret")
        .json(&json!({ "name": "ada" }))
        .await?;
    assert_eq!(res.status(), 200);
    let seen: Seen = res.json()?;
    assert_eq!(seen.method, "POST");
    assert_eq!(seen.target, "/users?dry=1&tag=a+b%26c&page=2");
    assert_eq!(seen.body, r#"{"name":"ada"}"#);
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.headers["authorization"], "Bearer secret");
    assert_eq!(
        (&*seen.headers["x-one"], &*seen.headers["host"]),
        ("1", "localhost")
    );
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn forms_bytes_and_every_method() -> Result {
    #[derive(serde::Serialize)]
    struct Login {
        name: &'static str,
        age: u8,
        tags: [&'static str; 2],
        missing: Option<u8>,
    }
    let app = echo().await?;
    let login = Login {
        name: "ada l",
        age: 36,
        tags: ["a", "b"],
        missing: None,
    };
    let seen: Seen = app.post("/login").form(&login).await?.json()?;
    assert_eq!(seen.body, "age=36&name=ada+l&tags=a&tags=b");
    let pairs = [("tag", "b"), ("name", "ada l"), ("tag", "a")];
    let seen: Seen = app.post("/login").form(&pairs).await?.json()?;
    assert_eq!(seen.body, "tag=b&name=ada+l&tag=a", "in their order");
    assert_eq!(
        seen.headers["content-type"],
        "application/x-www-form-urlencoded"
    );
    let seen: Seen = app
        .put("/x")
        .header("content-type", "text/plain")
        .body("raw")
        .await?
        .json()?;
    assert_eq!(
        (&*seen.body, &*seen.headers["content-type"]),
        ("raw", "text/plain")
    );
    for (request, method) in [
        (app.get("/"), "GET"),
        (app.patch("/"), "PATCH"),
        (app.delete("/"), "DELETE"),
        (app.head("/"), "HEAD"),
        (app.options("/"), "OPTIONS"),
        (app.request(http::Method::TRACE, "/"), "TRACE"),
    ] {
        assert_eq!(request.await?.json::<Seen>()?.method, method);
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_its_error() -> Result {
    let app = echo().await?;
    let error = app
        .get("/")
        .header("not a name", "x")
        .await
        .expect_err("a bad name");
    assert_eq!(error.message(), "\"not a name\" is no header name");
    let error = app.get("no path at all").await.expect_err("a bad target");
    assert!(error.message().contains("is no request target"), "{error}");
    let error = app.get("/").form(&[1]).await.expect_err("a bad form");
    assert_eq!(error.message(), "the value does not serialize as a form");
    let error = app
        .get("/")
        .form(&json!({ "a": { "b": 1 } }))
        .await
        .expect_err("nested");
    assert!(format!("{error:?}").contains("`a` is nested"), "{error:?}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn without_a_plugin_that_answers_a_request_says_so() -> Result {
    let app = TestApp::builder(Graph::empty()).start().await?;
    let error = app.get("/").await.expect_err("nobody answers");
    assert_eq!(error.code().to_string(), "ZNIGHT001");
    assert!(error.hints()[0].contains("HttpPlugin"), "{error:?}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn text_and_bytes_say_what_they_are_unless_the_test_does() -> Result {
    let app = echo().await?;
    for (request, content_type, body) in [
        (app.post("/").text("a"), "text/plain; charset=utf-8", "a"),
        (app.post("/").bytes("b"), "application/octet-stream", "b"),
        (
            app.post("/").header("content-type", "text/csv").text("c"),
            "text/csv",
            "c",
        ),
        (
            app.post("/").text("d").header("content-type", "text/css"),
            "text/css",
            "d",
        ),
    ] {
        let seen: Seen = request.await?.json()?;
        assert_eq!(
            (&*seen.headers["content-type"], &*seen.body),
            (content_type, body)
        );
    }
    let seen: Seen = app.post("/").body("e").await?.json()?;
    assert!(!seen.headers.contains_key("content-type"));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn cookies_are_sent_in_one_header() -> Result {
    let app = echo().await?;
    let seen: Seen = app
        .get("/")
        .cookie("sid", "a b")
        .header("cookie", "raw=\u{e9}".as_bytes().escape_ascii().to_string())
        .cookie("theme", String::from("dark"))
        .await?
        .json()?;
    assert_eq!(
        seen.headers["cookie"],
        "raw=\\xc3\\xa9; sid=a b; theme=dark"
    );
    let error = app
        .get("/")
        .cookie("a", "b; c=d")
        .await
        .expect_err("two cookies");
    assert_eq!(
        error.message(),
        "the cookie \"a\" cannot be sent: its value has characters a cookie cannot have"
    );
    let error = app
        .get("/")
        .cookie("a=b", "")
        .await
        .expect_err("a bad name");
    assert!(error.message().ends_with("its name is no token"), "{error}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn credentials_are_encoded_and_a_name_with_a_colon_is_refused() -> Result {
    let app = echo().await?;
    let seen: Seen = app
        .get("/")
        .basic_auth("Aladdin", "open sesame")
        .await?
        .json()?;
    assert_eq!(
        seen.headers["authorization"], "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "the example of RFC 7617"
    );
    let seen: Seen = app.get("/").basic_auth("test", "123\u{a3}").await?.json()?;
    assert_eq!(seen.headers["authorization"], "Basic dGVzdDoxMjPCow==");
    let error = app
        .get("/")
        .basic_auth("a:b", "c")
        .await
        .expect_err("a colon");
    assert!(error.message().contains("has a colon"), "{error}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_form_with_files_names_its_boundary() -> Result {
    let app = echo().await?;
    let form = Form::new()
        .text("name", "ada")
        .file("notes", "notes.txt", "text/plain", "one");
    let seen: Seen = app.post("/").multipart(&form).await?.json()?;
    let boundary = seen.headers["content-type"]
        .strip_prefix("multipart/form-data; boundary=")
        .expect("a boundary");
    assert_eq!(seen.body.matches(&format!("--{boundary}\r\n")).count(), 2);
    assert!(
        seen.body.ends_with(&format!("one\r\n--{boundary}--\r\n")),
        "{}",
        seen.body
    );
    app.close().await?;
    Ok(())
}
