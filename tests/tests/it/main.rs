//! Znight from outside: packages built by the real Cargo.

mod editors;
mod libraries;
mod readme;
mod rebuilds;
mod targets;
mod ui;
