//! From annotated items to providers and controllers.

mod arguments;
mod injections;
mod occurrences;
mod providers;
mod traits;

pub(crate) use arguments::texts;
pub use occurrences::occurrences;
pub use providers::{Application, build};
pub use traits::{Implementation, Traits};
