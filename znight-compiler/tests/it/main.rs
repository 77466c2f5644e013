//! The compiler on whole applications in memory.

mod determinism;
mod extensions;
mod fixtures;
mod foreign;
mod generated;
mod glue;
mod libraries;
mod names;
mod rendering;
mod settings;
mod support;
mod worlds;
