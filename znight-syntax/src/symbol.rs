//! The names of attributes, and which of them stand inside an item.

/// An attribute that is a macro of its own and stands on an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outer {
    /// `#[injectable]` on a struct or on an `impl` with a constructor.
    Injectable,
    /// `#[factory]` on an `impl` with `#[provides]` methods.
    Factory,
    /// `#[controller]` on an `impl` with route handlers.
    Controller,
}

impl Outer {
    /// Every such attribute.
    pub const ALL: [Self; 3] = [Self::Injectable, Self::Factory, Self::Controller];

    /// The name under which the facade exports it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Injectable => "injectable",
            Self::Factory => "factory",
            Self::Controller => "controller",
        }
    }

    /// Its path, by which the compiler and the records know it.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Injectable => "znight::injectable",
            Self::Factory => "znight::factory",
            Self::Controller => "znight::controller",
        }
    }

    /// The attribute of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outer| outer.as_str() == name)
    }
}

/// Names read by an outer attribute from the attributes of the item itself, below it.
pub const ON_ITEM: &[&str] = &["guard", "interceptor", "body_limit", "decide"];

/// Names read inside the item: on fields, methods and parameters. They vanish at expansion.
pub const INSIDE: &[&str] = &[
    "inject",
    "init",
    "constructor",
    "provides",
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "head",
    "options",
    "all",
    "param",
    "query",
    "body",
    "headers",
    "extract",
    "status",
    "header",
    "guard",
    "interceptor",
    "body_limit",
    "decide",
];

/// The attributes of route handlers, with the HTTP method each stands for.
pub const VERBS: &[(&str, &str)] = &[
    ("get", "Get"),
    ("post", "Post"),
    ("put", "Put"),
    ("patch", "Patch"),
    ("delete", "Delete"),
    ("head", "Head"),
    ("options", "Options"),
    ("all", "All"),
];

/// Whether an attribute of that name is ours when it stands inside an item of this kind.
///
/// `#[header]` of a foreign macro on a field of an injectable struct is not ours to take.
pub fn is_inside(outer: Outer, name: &str) -> bool {
    match outer {
        Outer::Injectable => matches!(name, "inject" | "init" | "constructor"),
        Outer::Factory => matches!(name, "provides" | "inject"),
        Outer::Controller => {
            INSIDE.contains(&name)
                && !matches!(name, "inject" | "init" | "constructor" | "provides")
        }
    }
}
