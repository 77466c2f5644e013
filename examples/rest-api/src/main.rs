//! Serves the bookshelf.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use rest_api::Settings;
use znight::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    let http = HttpPlugin::with(|container| {
        let settings = container.get::<Settings>()?;
        Ok(rest_api::http_options(&settings)
            .host("127.0.0.1")
            .port(settings.port))
    });
    Application::builder(rest_api::graph())
        .plugin(http)
        .run()
        .await
}
