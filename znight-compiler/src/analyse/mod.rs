//! From annotated items to providers and controllers.

mod injections;
mod occurrences;
mod providers;
mod traits;

pub use occurrences::occurrences;
pub use providers::{Application, build};
pub use traits::{Implementation, Traits};
