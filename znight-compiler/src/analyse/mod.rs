//! From annotated items to providers, and to what extensions make of theirs.

mod arguments;
mod injections;
mod intercepted;
mod occurrences;
mod providers;
mod traits;

pub(crate) use arguments::texts;
pub(crate) use injections::{factory_of, wanted};
pub(crate) use intercepted::intercepted;
pub use occurrences::occurrences;
pub use providers::{Application, build};
pub(crate) use providers::{FAILURE_HINT, failed, failure};
pub use traits::{Implementation, Traits};
