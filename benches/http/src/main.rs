//! The server the HTTP benchmark measures beside its peers: `bench-http PORT [bare|full]`.
//!
//! `bare` has the defaults off, `full` has them on. It listens on 127.0.0.1 and uses as many worker
//! threads as `BENCH_THREADS` says, else as there are cores.
#![forbid(unsafe_code)]
#![expect(clippy::unused_async, reason = "handlers have the shape handlers have")]

mod api;
mod contract;

use std::process::ExitCode;

use znight::prelude::*;

znight::graph!();

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let port = args.next().and_then(|port| port.parse().ok());
    let (Some(port), variant) = (port, args.next()) else {
        return ExitCode::from(2);
    };
    let options = HttpOptions::new().host("127.0.0.1").port(port);
    let options = match variant.as_deref() {
        Some("full") => options,
        _ => options.without_request_id_header().security_headers(false),
    };
    let threads = std::env::var("BENCH_THREADS")
        .ok()
        .and_then(|threads| threads.parse().ok())
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(
            Application::builder(graph())
                .plugin(HttpPlugin::new(options))
                .run(),
        ),
        Err(_) => ExitCode::FAILURE,
    }
}
