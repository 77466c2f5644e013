//! Macros that may make names.
//!
//! What a macro makes cannot be seen: a name that nothing else explains is unknown in its module, not missing.
//! Most of those that stand on items of applications make impls and nothing else, and some are known to.

use znight_syntax::symbol::{ON_ITEM, Outer};

use crate::facts::{AttributeFact, ItemFact, ItemKind, MacroFact};

/// Derives that make impls alone.
const DERIVES: &[&str] = &[
    "Args",
    "AsRef",
    "Clone",
    "Copy",
    "Debug",
    "Decode",
    "Default",
    "Deref",
    "DerefMut",
    "Deserialize",
    "Display",
    "Encode",
    "Eq",
    "Error",
    "ErrorReply",
    "From",
    "FromRow",
    "Hash",
    "Into",
    "IntoParams",
    "JsonSchema",
    "Ord",
    "Parser",
    "PartialEq",
    "PartialOrd",
    "Serialize",
    "Subcommand",
    "ToSchema",
    "Type",
    "Validate",
    "ValueEnum",
    "Zeroize",
    "ZeroizeOnDrop",
];

/// Attributes that make no types, and those that belong to derives.
const ATTRIBUTES: &[&str] = &[
    "arg",
    "as_ref",
    "async_trait",
    "clap",
    "command",
    "default",
    "display",
    "error",
    "from",
    "garde",
    "group",
    "instrument",
    "into_params",
    "main",
    "schema",
    "schemars",
    "serde_as",
    "sqlx",
    "test",
    "validate",
    "zeroize",
];

/// Macros of the standard library that make no types.
const CALLS: &[&str] = &["compile_error", "global_asm", "thread_local"];

/// Whether an item may stand for more names than its own.
pub(crate) fn may_make_names(item: &ItemFact, facade: &str) -> bool {
    let by_kind = match &item.kind {
        ItemKind::MacroCall(call) => !is_known(call, facade),
        ItemKind::Struct(fact) | ItemKind::Other(fact) => {
            let is_known = |derive: &String| DERIVES.contains(&derive.as_str());
            !fact.derives.iter().all(is_known)
        }
        _ => false,
    };
    by_kind || item.attributes.iter().any(may_make)
}

/// What ours make is known, and what is included stands beside the call.
fn is_known(call: &MacroFact, facade: &str) -> bool {
    let last = call.path.last().map_or("", String::as_str);
    call.include.is_some() || CALLS.contains(&last) || call.is_root(facade)
}

fn may_make(attribute: &AttributeFact) -> bool {
    let last = attribute.path.last().map_or("", String::as_str);
    Outer::parse(last).is_none() && !ON_ITEM.contains(&last) && !ATTRIBUTES.contains(&last)
}
