//! What the server answers, byte for byte, and what it survives.
//!
//! The cases are data, in `cases/`: bytes sent and bytes received. They hold on the built-in server, on the
//! routes mounted into a router of axum, and in memory. `UPDATE=1` writes what is received into them; read
//! what it wrote.
#![allow(
    clippy::needless_borrow,
    reason = "the glue chooses methods by the number of references"
)]
#![allow(
    clippy::unused_async,
    clippy::unused_self,
    reason = "handlers have the shape handlers have, not the one their bodies need"
)]
#![allow(clippy::unwrap_used, reason = "in the helpers of tests, as in tests")]

mod abuse;
mod app;
mod case;
mod check;
mod http2;
mod noise;
mod requirements;
mod suite;
mod text;
mod wire;

#[path = "../it/support/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "shared with the other tests, which use more of it"
)]
mod support;
