//! Input that is validated.

use serde_json::{Value, json};
use znight_testing::TestResponse;

use super::{Tested, start};

/// The message of a 400, and what is wrong: `path: message`.
fn refused(reply: &TestResponse) -> Result<(String, Vec<String>), znight::BoxError> {
    reply.assert_status(400);
    let body: Value = reply.json()?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let issues = body["details"].as_array().into_iter().flatten();
    Ok((
        text(&body["message"]),
        issues
            .map(|issue| format!("{}: {}", text(&issue["path"]), text(&issue["message"])))
            .collect(),
    ))
}

#[tokio::test]
async fn what_is_wrong_is_told_by_the_names_of_the_wire() -> Tested {
    let app = start().await?;
    let wish = json!({ "floorNumber": 10, "code": "x", "otherwise": { "floorNumber": 11 } });
    let booking = json!({
        "guestName": "x", "from": "", "nights": 0, "roomWishes": [{ "floorNumber": 1 }, wish],
        "byDay": { "monday": wish },
    });
    let wrong = [
        "byDay.monday.code: length is lower than 3",
        "byDay.monday.floorNumber: greater than 9",
        "byDay.monday.otherwise.floorNumber: greater than 9",
        "from: length is lower than 1",
        "guestName: length is lower than 2",
        "nights: lower than 1",
        "roomWishes[1].code: length is lower than 3",
        "roomWishes[1].floorNumber: greater than 9",
        "roomWishes[1].otherwise.floorNumber: greater than 9",
    ];
    let reply = app.post("/checked/bookings").json(&booking).await?;
    let (message, issues) = refused(&reply)?;
    assert_eq!(message, "the body is not valid");
    assert_eq!(issues, wrong);
    let fine = json!({ "guestName": "Ada", "nights": 1 });
    let reply = app
        .put("/checked/bookings")
        .json(&json!([fine, booking]))
        .await?;
    let (_, issues) = refused(&reply)?;
    assert_eq!(issues, wrong.map(|issue| format!("[1].{issue}")));
    app.put("/checked/bookings").await?.assert_text("0");
    app.post("/checked/bookings")
        .json(&fine)
        .await?
        .assert_status(200);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_query_is_validated_as_a_body_is() -> Tested {
    let app = start().await?;
    let reply = app
        .get("/checked/hotels?number-of-stars=6&near-to=x")
        .await?;
    assert_eq!(
        refused(&reply)?,
        (
            "the query is not valid".to_owned(),
            vec![
                "near-to: expected a length of at least 3".to_owned(),
                "number-of-stars: expected a number of at least 1 and of at most 5".to_owned(),
            ]
        )
    );
    let reply = app.get("/checked/hotels?number-of-stars=5").await?;
    reply.assert_json(&json!({ "number-of-stars": 5, "near-to": null }));
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn schemas_make_what_handlers_receive() -> Tested {
    let app = start().await?;
    let reply = app
        .get("/checked/words/a-b")
        .header("x-words", "c,d")
        .await?;
    reply.assert_json(&json!([["a", "b"], ["one", "two"], ["c", "d"]]));
    for (target, message) in [
        (
            "/checked/words/a-?q=,",
            "the path parameter \"list\" is not valid",
        ),
        (
            "/checked/words/a?q=,",
            "the query parameter \"q\" is not valid",
        ),
        (
            "/checked/words/a?q=b",
            "the header \"x-words\" is not valid",
        ),
    ] {
        let reply = app.get(target).header("x-words", "").await?;
        let issue = ": expected no empty words".to_owned();
        assert_eq!(refused(&reply)?, (message.to_owned(), vec![issue]));
    }
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn the_first_argument_that_is_wrong_is_answered() -> Tested {
    let app = start().await?;
    let reply = app.post("/checked/keys/x").json(&json!({})).await?;
    assert_eq!(refused(&reply)?.1, ["a: missing", "b: missing"]);
    let both = json!({ "a": 1, "b": 2 });
    let reply = app.post("/checked/keys/x").json(&both).await?;
    assert_eq!(
        refused(&reply)?.0,
        "param \"count\": expected a number from 0 to 255"
    );
    let reply = app.post("/checked/keys/5").json(&both).await?;
    reply.assert_text("7");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn dates_and_times_are_parameters() -> Tested {
    let app = start().await?;
    let reply = app
        .get("/checked/days?at=2024-01-02T12:00:00%2B02:00&on=2024-02-29&t=10:00&t=11:30:15")
        .await?;
    reply.assert_text("2024-01-02T10:00:00Z Some(2024-02-29) [10:00:00, 11:30:15]");
    app.get("/checked/days?at=0")
        .await?
        .assert_text("1970-01-01T00:00:00Z None []");
    for (query, message) in [
        (
            "at=2024-02-30",
            "query \"at\": expected a date (2024-01-02), a date-time with an offset (2024-01-02T10:00:00Z) or milliseconds",
        ),
        (
            "at=0&on=2023-02-29",
            "query \"on\": expected a date (2024-01-02)",
        ),
        ("at=0&t=25:00", "query \"t\": expected a time (10:00:00)"),
    ] {
        let reply = app.get(&format!("/checked/days?{query}")).await?;
        assert_eq!(refused(&reply)?.0, message);
    }
    app.close().await?;
    Ok(())
}
