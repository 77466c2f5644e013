//! Parameters that types and providers compute.

use super::{Tested, start};

#[tokio::test]
async fn a_type_is_made_from_the_context_and_what_the_attribute_says() -> Tested {
    let app = start().await?;
    let res = app
        .get("/extracted/named/3")
        .header("x-name", "ada")
        .await?;
    res.assert_text("3 ada /extracted/named/3");
    app.get("/extracted/named/3").await?.assert_status(401);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_provider_of_the_request_computes_a_parameter() -> Tested {
    let app = start().await?;
    for visit in 1..3 {
        let res = app
            .get("/extracted/visitor")
            .header("x-visitor", "ada")
            .await?;
        res.assert_text(&format!("ada {visit}"));
    }
    let res = app.get("/extracted/visitor").await?;
    res.assert_status(401);
    assert!(res.text().contains("who are you?"), "{res}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_resolver_takes_data_of_its_own_type() -> Tested {
    let app = start().await?;
    let res = app
        .post("/extracted/both")
        .header("x-visitor", "ada")
        .header("content-type", "text/plain")
        .body("text")
        .await?;
    res.assert_status(201).assert_text("text 42 ada");
    // The error of a resolver is answered as that of a handler is.
    app.get("/extracted/none").await?.assert_status(503);
    app.close().await?;
    Ok(())
}
