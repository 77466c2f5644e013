//! The roots of the crates, and for axum everything that is wired by hand.

use std::fmt::Write as _;

use super::{Files, Flavor, Shape, controller, provider};

/// Adds the roots.
pub(super) fn add(shape: Shape, flavor: Flavor, files: &mut Files) {
    let mut library = "//! A warehouse of parts.\n\n".to_owned();
    for area in 0..shape.providers.div_ceil(provider::AREA) {
        let _ = writeln!(library, "pub mod area{area:02};");
    }
    if shape.controllers > 0 {
        library.push_str("pub mod web;\n");
    }
    let main = match flavor {
        Flavor::Znight => {
            library.push_str("\nznight::graph!();\n");
            ZNIGHT_MAIN
        }
        Flavor::Axum => {
            library.push_str("pub mod error;\nmod wiring;\n\npub use wiring::router;\n");
            files.insert("src/error.rs".to_owned(), AXUM_ERROR.to_owned());
            files.insert("src/wiring.rs".to_owned(), by_hand(shape));
            AXUM_MAIN
        }
    };
    files.insert("src/lib.rs".to_owned(), library);
    if shape.controllers > 0 {
        files.insert("src/main.rs".to_owned(), main.to_owned());
    }
}

fn by_hand(shape: Shape) -> String {
    let mut out = "//! Every part with what it is made of.\n\n\
                   use std::sync::Arc;\n\nuse axum::Router;\n\n"
        .to_owned();
    for area in 0..shape.providers.div_ceil(provider::AREA) {
        let _ = writeln!(out, "use crate::area{area:02};");
    }
    out.push_str("use crate::web;\n\n/// All routes.\npub fn router() -> Router {\n");
    for number in 0..shape.providers {
        let arguments = clones(&provider::dependencies(number));
        let _ = writeln!(
            out,
            "    let part{number:03} = Arc::new(area{:02}::Part{number:03}Service::new({arguments}));",
            number / provider::AREA
        );
    }
    out.push_str("    Router::new()\n");
    for number in 0..shape.controllers {
        let arguments = clones(&controller::dependencies(number, shape.providers));
        let _ = writeln!(
            out,
            "        .merge(web::items{number:03}::router(Arc::new(\
             web::items{number:03}::Items{number:03}::new({arguments}))))"
        );
    }
    out.push_str("}\n");
    out
}

fn clones(dependencies: &[provider::Dependency]) -> String {
    dependencies
        .iter()
        .map(|dependency| format!("part{:03}.clone()", dependency.number))
        .collect::<Vec<_>>()
        .join(", ")
}

const ZNIGHT_MAIN: &str = r#"//! Serves the warehouse on a port.

use std::process::ExitCode;

use znight::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok());
    let options = HttpOptions::new().host("127.0.0.1").port(port.unwrap_or(3000));
    Application::builder(warehouse::graph())
        .plugin(HttpPlugin::new(options))
        .run()
        .await
}
"#;

const AXUM_MAIN: &str = r#"//! Serves the warehouse on a port.

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.unwrap_or(3000))).await?;
    axum::serve(listener, warehouse::router()).await
}
"#;

const AXUM_ERROR: &str = r"//! What clients are told when something is wrong.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;

/// An error with a status.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    message: &'static str,
}

impl ApiError {
    /// 404
    pub fn not_found(message: &'static str) -> Self {
        Self { status: StatusCode::NOT_FOUND, message }
    }

    /// 400
    pub fn bad_request(message: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message }
    }
}

#[derive(Serialize)]
struct Body {
    error: &'static str,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(Body { error: self.message })).into_response()
    }
}
";
