//! The compiler on whole applications in memory.

mod classes;
mod determinism;
mod extensions;
mod fixtures;
mod foreign;
mod generated;
mod glue;
mod libraries;
mod names;
mod probe;
mod rendering;
mod settings;
mod shapes;
mod support;
mod worlds;
