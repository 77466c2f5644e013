//! Znight from outside: packages built by the real Cargo.

mod rebuilds;
mod targets;
mod ui;
