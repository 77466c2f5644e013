//! The compiler on whole applications in memory.

mod broken;
mod classes;
mod decisions;
mod determinism;
mod edits;
mod extensions;
mod fixtures;
mod foreign;
mod generated;
mod glue;
mod imports;
mod incremental;
mod inputs;
mod libraries;
mod names;
mod probe;
mod realistic;
mod rendering;
mod settings;
mod shapes;
mod support;
mod worlds;
