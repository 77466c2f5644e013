//! The attribute models of Znight, on syn: names, options, checks.
//!
//! The attribute macros and the compiler behind `build.rs` read the same attributes with this
//! crate, so that they can never disagree. Nothing here looks beyond one item: what needs the
//! whole application is the compiler's.
//!
//! - [`symbol`]: the names of attributes and which of them stand inside an item.
//! - [`tokens`]: the view of an item's tokens that both passes share: fingerprints, places, and
//!   blanking of function bodies.
//! - [`problem`]: what is wrong with an item, collected rather than returned.
//! - [`record`]: what the build pass records for the macros.
//! - [`attr`]: the arguments of one attribute.
//! - [`check`]: rules about the values of arguments.
//! - [`expand`]: what attribute macros expand to.
//! - [`item`]: a whole item: a provider, a factory, a controller.
#![forbid(unsafe_code)]

pub mod attr;
pub mod check;
pub mod expand;
pub mod item;
pub mod problem;
pub mod record;
pub mod symbol;
pub mod tokens;

pub use problem::{Problem, Problems};
