//! The dependency graph an application is built from: plain data in a `static`.

use std::{
    any::{Any, TypeId},
    fmt,
};

use znight_contract::{METADATA_VERSION, ScopeKind};

use crate::provider::Provider;

/// The dependency graph of an application, computed by `cargo build`.
///
/// `znight::graph!()` defines `pub fn graph() -> Graph` at the root of the crate. A graph is plain
/// `'static` data, copied freely.
///
/// ```
/// use znight_core::Graph;
///
/// let graph = Graph::empty(); // of an application without providers
/// assert_eq!(graph.package(), "");
/// ```
#[derive(Clone, Copy)]
pub struct Graph(&'static GraphData);

impl Graph {
    /// The graph in the generated file.
    #[doc(hidden)]
    pub const fn __new(data: &'static GraphData) -> Self {
        Self(data)
    }

    /// [`Graph::__new`] as generated code spells it.
    #[doc(hidden)]
    pub const fn new(data: &'static GraphData) -> Self {
        Self(data)
    }

    /// A graph without providers: everything is supplied at run time.
    pub const fn empty() -> Self {
        static EMPTY: GraphData = GraphData {
            version: METADATA_VERSION,
            compiler: env!("CARGO_PKG_VERSION"),
            package: "",
            providers: &[],
            order: &[],
            bindings: &[],
            externals: &[],
            sections: &[],
        };
        Self(&EMPTY)
    }

    /// The package the graph was computed for.
    pub const fn package(self) -> &'static str {
        self.0.package
    }

    /// The section an extension added, by its type.
    pub fn section<S: Section>(self) -> Option<&'static S> {
        self.0
            .sections
            .iter()
            .find_map(|section| section.as_any().downcast_ref())
    }

    /// The providers the sections make entry points of: controllers, consumers, jobs. Indices in
    /// the graph, each once, ascending.
    pub fn roots(self) -> Vec<u32> {
        let mut roots: Vec<u32> = self.0.sections.iter().flat_map(|s| s.roots()).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// What the graph holds.
    #[doc(hidden)]
    pub const fn data(self) -> &'static GraphData {
        self.0
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("package", &self.0.package)
            .field("providers", &self.0.providers.len())
            .field("externals", &self.0.externals.len())
            .field("sections", &self.0.sections)
            .finish()
    }
}

/// What one extension (HTTP, messaging, ..) added to the graph.
pub trait Section: Any + Send + Sync + fmt::Debug {
    /// The name of the extension, for messages.
    fn name(&self) -> &'static str;

    /// The section as itself, to be found by type.
    fn as_any(&self) -> &dyn Any;

    /// The providers the section makes entry points of, as indices in the graph.
    fn roots(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// Where something is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    /// The file, relative to the package.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The content of a [`Graph`].
#[derive(Debug)]
pub struct GraphData {
    /// The format: [`METADATA_VERSION`], else ZNIGHT018.
    pub version: u32,
    /// The version of the compiler that wrote it.
    pub compiler: &'static str,
    /// The package it was computed for.
    pub package: &'static str,
    /// Every provider; an index in this table names one.
    pub providers: &'static [Entry],
    /// Every provider, dependencies first.
    pub order: &'static [u32],
    /// Which provider answers for a trait.
    pub bindings: &'static [Binding],
    /// What plugins supply.
    pub externals: &'static [External],
    /// What the extensions added.
    pub sections: &'static [&'static dyn Section],
}

/// One provider of the graph.
#[derive(Debug)]
pub struct Entry {
    /// Its path: `shop::users::UserService`.
    pub token: &'static str,
    /// Its short name, for messages.
    pub display: &'static str,
    /// What its attribute knows of it.
    pub provider: Provider,
    /// How long an instance lives.
    pub scope: ScopeKind,
    /// Its qualifier.
    pub name: Option<&'static str>,
    /// Whether it is preferred among several candidates.
    pub primary: bool,
    /// What it is injected with, in the order its glue asks for it.
    pub deps: &'static [Dep],
    /// What must exist besides: same closure, order and scope rules, not passed to its glue.
    pub uses: &'static [u32],
    /// What is asked for by its glue when it is needed: same closure, no order and no scope rule.
    pub asks: &'static [u32],
    /// Where it is declared.
    pub source: Option<Source>,
}

/// One dependency of a provider. Numbers are provider indices unless said otherwise.
#[derive(Debug, Clone, Copy)]
pub enum Dep {
    /// Required.
    One(u32),
    /// Optional and bound: absent only when the provider provides nothing.
    Optional(u32),
    /// All of them, ordered by token.
    Many(&'static [u32]),
    /// Resolved when asked for.
    Lazy(u32),
    /// Resolved when asked for, and optional.
    OptionalLazy(u32),
    /// Optional and bound to nothing: looked up by type among what is supplied at run time.
    Unbound,
    /// An index in the externals.
    External(u32),
    /// An index in the externals, resolved when asked for.
    LazyExternal(u32),
    /// The interceptors of its methods, each [`One`](Self::One) or [`External`](Self::External).
    Interceptors(&'static [Dep]),
}

/// The provider that is *the* one for a trait: the only one, or the primary one.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The provider.
    pub provider: u32,
    /// Its coercion, an index in [`Provider::coerce`].
    pub coercion: u16,
}

/// A type that plugins or the builder supply.
#[derive(Debug, Clone, Copy)]
pub struct External {
    /// The type.
    pub type_id: fn() -> TypeId,
    /// Its short name, for messages.
    pub display: &'static str,
    /// The plugin expected to supply it.
    pub provided_by: &'static str,
    /// Whether it is one value (singleton) or seeded into each scope (request).
    pub scope: ScopeKind,
}
