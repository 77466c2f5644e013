//! How the application starts.

use crate::fakes;

#[tokio::test]
async fn a_database_that_cannot_be_opened_keeps_the_service_from_starting() {
    let error = fakes::builder()
        .start()
        .await
        .expect_err("no such directory");
    let report = error.report().to_string();
    assert!(report.contains("Database::pool"), "{report}");
    assert!(report.contains("unable to open database file"), "{report}");
}

#[tokio::test]
async fn with_both_stores_replaced_no_database_is_opened() -> znight::Result {
    let app = fakes::app(&[], &[]).await;
    app.close().await?;
    Ok(())
}
