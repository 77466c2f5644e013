//! What the analysis leaves behind: the generated graph and the records for the macros.

mod file;
mod graph;
pub(crate) mod literal;
mod records;

pub(crate) use file::file;
pub use graph::{Plan, graph, left_to_rustc, library, stand_in};
pub(crate) use graph::{marker, provider_id, token};
pub(crate) use records::records;
pub(crate) use records::{Glue, about, coercions, key};
