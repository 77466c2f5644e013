//! The observable behaviour of the run time, with hand-written graphs in place of generated ones.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test itself"
)]

mod application;
mod clock;
mod closures;
mod containers;
mod creations;
mod definitions;
mod errors;
mod glue;
mod hooks;
mod lazies;
mod load;
mod logs;
mod overrides;
mod panics;
mod plugins;
mod precedence;
mod scopes;
mod signals;
mod starts;
mod stops;
mod support;
mod validation;
mod why;
