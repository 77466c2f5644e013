//! The analysis behind Znight.
#![forbid(unsafe_code)]
pub mod cfg;
pub mod facts;
pub mod resolve;
pub mod source;
