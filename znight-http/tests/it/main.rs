//! The HTTP plugin, driven in memory and over sockets, with glue as the macros print it.
#![allow(
    clippy::needless_borrow,
    reason = "the glue chooses methods by the number of references"
)]
#![allow(
    clippy::unused_async,
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "handlers have the shape handlers have, not the one their bodies need"
)]
#![allow(clippy::unwrap_used, reason = "in the helpers of tests, as in tests")]

mod arguments;
mod bodies;
mod boot;
mod cors;
mod decisions;
mod errors;
mod guards;
#[cfg(feature = "axum")]
mod layers;
mod lazy_bodies;
mod pipeline;
mod plugin_routes;
mod policies;
mod replies;
mod routing;
mod server;
mod streams;
mod support;
#[cfg(feature = "tls")]
mod tls;
#[cfg(all(feature = "garde", feature = "validator"))]
mod validation;
