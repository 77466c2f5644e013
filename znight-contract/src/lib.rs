//! What Znight's build time and run time agree on.
//!
//! The attribute macros, the compiler behind `build.rs` and the running application read the same
//! texts (route paths, scopes, qualifiers) and reason about the same graph. Each such rule lives
//! here, once: a pure function from text to value, with errors that carry byte ranges. The crate
//! has no dependencies and no features, so that it is never on anybody's critical path.
//!
//! - [`codes`]: the catalogue of `ZNIGHTxxx` codes.
//! - [`decision`]: the keys and groups of route decisions.
//! - [`path`]: route paths (`/users/{id}`, `/files/{*rest}`).
//! - [`graph`]: creation order and cycles.
//! - [`scope`]: how long an instance lives.
//! - [`size`]: sizes in bytes (`10mb`).
//! - [`fingerprint`]: the hash with which both passes of the compiler recognise an item.
//! - [`suggest`]: "did you mean".
//! - [`display`]: short names of types and tokens for messages.
#![forbid(unsafe_code)]

pub mod codes;
pub mod decision;
pub mod display;
pub mod fingerprint;
pub mod graph;
pub mod path;
pub mod scope;
pub mod size;
pub mod suggest;

pub use codes::ErrorCode;
pub use scope::ScopeKind;

/// The format of the generated graph. A runtime refuses a graph of another format (ZNIGHT018).
pub const METADATA_VERSION: u32 = 1;

/// The release line all Znight crates of one application must share: `major.minor` before 1.0,
/// `major` from 1.0 on (ZNIGHT018 otherwise).
pub const RELEASE_LINE: &str = "0.1";
