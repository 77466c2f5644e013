//! What is known of names from other crates.

/// The prelude of the facade.
pub(crate) const PRELUDE: &str = "znight::prelude";

/// Whether what this module of another crate holds is known.
pub(super) fn is_prelude(path: &str) -> bool {
    path == PRELUDE || path.starts_with("std::prelude")
}

/// Names the prelude of the facade brings in; a test compares them with the facade's sources.
pub(crate) const FACADE_PRELUDE: &[&str] = &[
    "AnyDecision",
    "Application",
    "Container",
    "Decision",
    "Dispose",
    "ErrorReply",
    "FromContext",
    "FromParam",
    "Guard",
    "HttpContext",
    "HttpError",
    "HttpOptions",
    "HttpPlugin",
    "HttpResponse",
    "Interceptor",
    "Interceptors",
    "Lazy",
    "Next",
    "OnReady",
    "OnStart",
    "OnStop",
    "Plugin",
    "PluginContext",
    "RequestId",
    "ResultExt",
    "Scope",
    "async_trait",
    "controller",
    "factory",
    "injectable",
    "intercept",
    "mockable",
];

/// Types the standard prelude brings in, with where they are declared.
const STD_PRELUDE: &[(&str, &str)] = &[
    ("Option", "std::option::Option"),
    ("Result", "std::result::Result"),
    ("Vec", "std::vec::Vec"),
    ("String", "std::string::String"),
    ("Box", "std::boxed::Box"),
    ("Send", "std::marker::Send"),
    ("Sync", "std::marker::Sync"),
    ("Sized", "std::marker::Sized"),
    ("Copy", "std::marker::Copy"),
    ("Unpin", "std::marker::Unpin"),
    ("Clone", "std::clone::Clone"),
    ("Default", "std::default::Default"),
    ("Drop", "std::ops::Drop"),
    ("Fn", "std::ops::Fn"),
    ("FnMut", "std::ops::FnMut"),
    ("FnOnce", "std::ops::FnOnce"),
    ("From", "std::convert::From"),
    ("Into", "std::convert::Into"),
    ("AsRef", "std::convert::AsRef"),
    ("AsMut", "std::convert::AsMut"),
    ("TryFrom", "std::convert::TryFrom"),
    ("TryInto", "std::convert::TryInto"),
    ("AsyncFn", "std::ops::AsyncFn"),
    ("AsyncFnMut", "std::ops::AsyncFnMut"),
    ("AsyncFnOnce", "std::ops::AsyncFnOnce"),
    ("Iterator", "std::iter::Iterator"),
    ("DoubleEndedIterator", "std::iter::DoubleEndedIterator"),
    ("ExactSizeIterator", "std::iter::ExactSizeIterator"),
    ("IntoIterator", "std::iter::IntoIterator"),
    ("Extend", "std::iter::Extend"),
    ("FromIterator", "std::iter::FromIterator"),
    ("Future", "std::future::Future"),
    ("IntoFuture", "std::future::IntoFuture"),
    ("ToString", "std::string::ToString"),
    ("ToOwned", "std::borrow::ToOwned"),
    ("PartialEq", "std::cmp::PartialEq"),
    ("Eq", "std::cmp::Eq"),
    ("PartialOrd", "std::cmp::PartialOrd"),
    ("Ord", "std::cmp::Ord"),
];

/// Modules of `std::collections` whose types are re-exported beside them.
const COLLECTIONS: &[&str] = &[
    "binary_heap",
    "btree_map",
    "btree_set",
    "hash_map",
    "hash_set",
    "linked_list",
    "vec_deque",
];

/// The primitive types.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
    "i128", "isize", "f32", "f64",
];

/// The crates whose items the facade hands on.
pub(crate) const FAMILY: &[&str] = &["znight_core", "znight_http", "znight_macros"];

/// Crates that are there without being a dependency.
pub(super) const SYSROOT: &[&str] = &["std", "core", "alloc"];

/// The declaring path of a name of the standard prelude.
pub(super) fn std_prelude(name: &str) -> Option<&'static str> {
    STD_PRELUDE
        .iter()
        .find(|(short, _)| *short == name)
        .map(|(_, path)| *path)
}

/// The primitive type of that name.
pub(super) fn primitive(name: &str) -> Option<&'static str> {
    PRIMITIVES
        .iter()
        .copied()
        .find(|primitive| *primitive == name)
}

/// One spelling for the paths of one foreign item.
///
/// `core` and `alloc` are seen through `std`, and the facade's own re-exports through its root:
/// `znight::prelude::Lazy` is `znight::Lazy`.
pub fn canonical(segments: &[String], facade: &str) -> String {
    let mut segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if let Some(first) = segments.first_mut() {
        match *first {
            "core" | "alloc" => *first = "std",
            name if name == facade || FAMILY.contains(&name) => *first = "znight",
            _ => {}
        }
    }
    if segments.first() == Some(&"znight")
        && segments.get(1) == Some(&"prelude")
        && segments.len() > 2
    {
        segments.remove(1);
    }
    // Collections stand in modules of their own and beside them.
    if let ["std", "collections", module, _] = segments[..]
        && COLLECTIONS.contains(&module)
    {
        segments.remove(2);
    }
    if let ["std", "prelude", .., last] = segments[..]
        && let Some(path) = std_prelude(last)
    {
        return path.to_owned();
    }
    segments.join("::")
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn re_exports_of_known_crates_have_one_spelling() {
        for (path, expected) in [
            ("alloc::sync::Arc", "std::sync::Arc"),
            ("core::option::Option", "std::option::Option"),
            ("zn::prelude::Lazy", "znight::Lazy"),
            ("znight_core::Lazy", "znight::Lazy"),
            ("std::prelude::v1::Vec", "std::vec::Vec"),
            ("sqlx::Pool", "sqlx::Pool"),
            (
                "std::collections::hash_map::HashMap",
                "std::collections::HashMap",
            ),
            ("std::collections::hash_map", "std::collections::hash_map"),
        ] {
            let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
            assert_eq!(canonical(&segments, "zn"), expected, "{path}");
        }
    }

    #[test]
    fn the_prelude_is_that_of_the_facade() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../znight/src/lib.rs");
        let file =
            syn::parse_file(&std::fs::read_to_string(path).expect("the facade")).expect("Rust");
        let prelude = file.items.into_iter().find_map(|item| match item {
            syn::Item::Mod(item) if item.ident == "prelude" => item.content,
            _ => None,
        });
        let mut names = Vec::new();
        for item in prelude.expect("a prelude").1 {
            let syn::Item::Use(item) = item else { continue };
            collect(&item.tree, &mut names);
        }
        names.sort();
        assert_eq!(names, super::FACADE_PRELUDE);
    }

    fn collect(tree: &syn::UseTree, names: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(step) => collect(&step.tree, names),
            syn::UseTree::Name(name) => names.push(name.ident.to_string()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| collect(tree, names)),
            _ => {}
        }
    }
}
