//! Serves the directory.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use znight::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    Application::builder(monorepo_directory::graph())
        .plugin(HttpPlugin::new(
            HttpOptions::new().host("127.0.0.1").port(3000),
        ))
        .run()
        .await
}
