//! The compiler on whole applications in memory.

mod determinism;
mod fixtures;
mod generated;
mod glue;
mod libraries;
mod names;
mod rendering;
mod support;
mod worlds;
