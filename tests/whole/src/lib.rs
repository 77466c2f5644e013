//! An application that uses everything the attributes offer, to be tested from outside.
#![forbid(unsafe_code)]
#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    clippy::unused_self,
    reason = "factories and handlers have the forms that are tested, whatever they do"
)]

mod checked;
mod constants;
mod decided;
pub mod desk;
mod extracted;
pub mod intercepted;
pub mod journal;
mod process;
pub mod shop;
mod uploads;
mod web;

pub use constants::Bell;
pub use web::{Outer, Recorder};

znight::graph!();
