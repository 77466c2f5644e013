//! Test applications, the clock of a test, requests and replies.
#![allow(
    clippy::unused_async,
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "handlers have the shape handlers have, not the one their bodies need"
)]

mod bed;
mod clock;
mod lifecycle;
mod panics;
mod requests;
mod responses;
mod sockets;
mod streams;
mod support;
