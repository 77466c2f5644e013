//! Znight from outside: packages built by the real Cargo.

mod beds;
mod decisions;
mod editors;
mod glue;
mod libraries;
mod readme;
mod rebuilds;
mod targets;
mod ui;
mod validators;
