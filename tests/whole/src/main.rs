//! The application as a process of its own, for tests of starts and stops.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use znight::{HttpOptions, HttpPlugin, prelude::Application};

#[tokio::main]
async fn main() -> ExitCode {
    let options = HttpOptions::new().host("127.0.0.1").port(0);
    Application::builder(whole::graph())
        .plugin(HttpPlugin::new(options))
        .run()
        .await
}
