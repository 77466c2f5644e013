//! The analysis on sources that nobody wrote for it: the crates in Cargo's registry.

pub mod blank;
pub mod count;
pub mod packages;
pub mod unwrapped;
