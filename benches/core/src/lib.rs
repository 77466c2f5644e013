//! What the benchmarks of this package share: how figures are taken and printed, and the
//! application that is generated for some of them.
//!
//! Every figure answers a target of the project; the comment where it is taken says which. None of
//! them relies on a quiet machine: candidates are measured in turns, round after round, and what is
//! printed is the median with the quartiles beside it.
#![forbid(unsafe_code)]

pub mod generate;
pub mod measure;
pub mod print;
pub mod survey;
