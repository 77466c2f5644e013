//! The compiler on whole applications in memory.

mod broken;
mod determinism;
mod edits;
mod fixtures;
mod foreign;
mod generated;
mod imports;
mod incremental;
mod names;
mod realistic;
mod rendering;
mod settings;
mod support;
mod worlds;
