//! The compiler on whole applications in memory.

mod determinism;
mod fixtures;
mod foreign;
mod generated;
mod imports;
mod names;
mod rendering;
mod settings;
mod support;
mod worlds;
