//! The analysis behind Znight: sources in, a graph and diagnostics out.
//!
//! [`compile`] reads the module tree of one target, finds what our attributes mark, binds every
//! injection and validates the whole. It is a pure function of its inputs: no environment, no clock,
//! no file system beyond [`Sources`]; the same text gives the same bytes.
//!
//! The phases, each a module: [`source`] and [`facts`] read one file at a time, [`resolve`] walks
//! modules and names, [`analyse`] finds providers and controllers, [`bind`] binds injections,
//! [`validate`] checks the graph, [`emit`] prints the result. No phase stops early: each returns what
//! it could compute and reports the rest.
#![forbid(unsafe_code)]

pub mod analyse;
pub mod bind;
pub mod cfg;
pub mod coerce;
pub mod diagnostic;
mod driver;
pub mod emit;
pub mod extension;
pub mod facts;
mod libraries;
pub mod model;
pub mod packages;
pub mod resolve;
pub mod settings;
mod shared;
pub mod source;
pub mod validate;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use znight_contract::codes::Severity;
use znight_syntax::record::{self, Mocks};

use crate::{
    cfg::Cfg,
    diagnostic::{Conditional, Diagnostic},
    extension::Extensions,
    facts::{Cache, Files, ItemKind},
    resolve::Externs,
    settings::Settings,
    source::Sources,
};

/// What to analyse.
#[derive(Debug, Clone)]
pub struct Options {
    /// The crate's name.
    pub crate_name: String,
    /// The binary's name; none for a library.
    pub binary: Option<String>,
    /// The root file, relative to the package.
    pub root: PathBuf,
    /// What is switched on.
    pub cfg: Cfg,
    /// The names of other crates.
    pub externs: Externs,
    /// Whether some package of the build may be a provider library, so that [`Sources::packages`] has to
    /// be asked.
    pub libraries: bool,
    /// What the package asks for.
    pub settings: Settings,
    /// What is wrong with the package itself: `graph!()` raises it.
    pub problems: Vec<Diagnostic>,
    /// What brings attributes besides the compiler's own.
    pub extensions: Extensions,
    /// Root files of other targets of the package, whose bodies may name providers: only read where the
    /// settings ask what is unused.
    pub others: Vec<PathBuf>,
    /// Who sees the mocks of the package.
    pub mocks: Mocks,
    /// Whether the graph says where providers stand.
    pub source_locations: bool,
    /// Whether syntax errors are reported: without rustc nobody else does.
    pub check: bool,
    /// The version that goes into the graph.
    pub compiler: String,
}

impl Options {
    /// A library of that name whose root file is at a path below the package, with nothing switched on
    /// and no other crates.
    pub fn new(crate_name: &str, root: impl Into<PathBuf>) -> Self {
        Self {
            crate_name: crate_name.to_owned(),
            binary: None,
            root: root.into(),
            cfg: Cfg::new(),
            externs: Externs {
                facade: packages::FACADE.to_owned(),
                ..Externs::default()
            },
            libraries: false,
            settings: Settings::default(),
            problems: Vec::new(),
            extensions: Extensions::default(),
            others: Vec::new(),
            mocks: Mocks::default(),
            source_locations: true,
            check: false,
            compiler: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// What a target is to the build pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It says `graph!()`: everything it needs must be there.
    Application,
    /// It says `library!()`: what is missing or ambiguous is for applications to decide.
    Library,
}

impl Role {
    /// What a crate says it is, found by the names of our macros. With both it is an application: rustc
    /// refuses the second marker.
    pub(crate) fn of<'a>(items: impl Iterator<Item = &'a ItemKind>, facade: &str) -> Option<Self> {
        let mut found = None;
        for item in items {
            if let ItemKind::MacroCall(call) = item {
                if call.is_ours("graph", facade) {
                    return Some(Self::Application);
                }
                if call.is_ours("library", facade) {
                    found = Some(Self::Library);
                }
            }
        }
        found
    }
}

/// What came out.
#[derive(Debug)]
pub struct Output {
    /// The generated code: `pub fn graph()` and what it needs.
    pub graph: String,
    /// What goes into the target's directory besides: file names and texts.
    pub records: BTreeMap<String, String>,
    /// What is wrong, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What may be wrong besides, which rustc decides; by place. It takes no part in [`ok`](Self::ok).
    pub conditional: Vec<Conditional>,
    /// Every path the result depends on.
    pub watch: BTreeSet<PathBuf>,
    /// What the target is: none when it says neither `graph!()` nor `library!()`.
    pub role: Option<Role>,
    /// Warnings without an attribute to sit on, as complete messages.
    pub warnings: Vec<String>,
    /// How many providers there are.
    pub providers: usize,
    /// How many files had to be parsed.
    pub parsed: usize,
}

impl Output {
    /// Whether nothing is wrong.
    pub fn ok(&self) -> bool {
        self.diagnostics
            .iter()
            .all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

/// Analyses one target.
pub fn compile(options: &Options, sources: &dyn Sources) -> Output {
    compile_with(options, sources, &Cache::default()).0
}

/// Analyses one target with what an earlier analysis kept of its files, and says what to keep.
///
/// The output is that of [`compile`], whatever is in the cache.
pub fn compile_with(options: &Options, sources: &dyn Sources, cache: &Cache) -> (Output, Cache) {
    let files = Files::new(sources, cache, &options.extensions);
    let output = driver::analyse(options, &files);
    (output, files.into_cache())
}

/// Compiles one target again and again, and parses only what has changed.
///
/// ```
/// use znight_compiler::{Compiler, Options, source::Memory};
///
/// let mut compiler = Compiler::new(Options::new("shop", "src/lib.rs"));
/// let sources = Memory::new().file("src/lib.rs", "mod users; znight::graph!();");
/// let sources = sources.file("src/users.rs", "pub struct Users;");
/// assert_eq!(compiler.compile(&sources).parsed, 2);
/// let sources = sources.file("src/users.rs", "pub struct Users; pub struct User;");
/// assert_eq!(compiler.compile(&sources).parsed, 1);
/// ```
#[derive(Debug)]
pub struct Compiler {
    options: Options,
    cache: Cache,
}

impl Compiler {
    /// A compiler that knows nothing yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            cache: Cache::default(),
        }
    }

    /// What it compiles.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Compiles the target as its sources are now. The output is that of [`compile`].
    pub fn compile(&mut self, sources: &dyn Sources) -> Output {
        let (output, cache) = compile_with(&self.options, sources, &self.cache);
        self.cache = cache;
        output
    }
}

/// What [`generate`] found.
#[derive(Debug)]
pub struct Generated {
    /// The output of the compilation.
    pub output: Output,
    /// The files that are missing or out of date, by their names, with what belongs into them; none when
    /// something is wrong. The graph is `graph.rs`.
    pub stale: BTreeMap<String, String>,
}

/// Compiles one target and says which of the files of an earlier build are out of date.
///
/// `existing` gives the text of a file, none where there is none. Nothing is written: a tool that writes
/// writes what is `stale`, one that checks fails when something is.
pub fn generate(
    options: &Options,
    sources: &dyn Sources,
    existing: &dyn Fn(&str) -> Option<String>,
) -> Generated {
    let output = compile(options, sources);
    let mut stale = BTreeMap::new();
    if output.ok() {
        let graph = (record::GRAPH_FILE, &output.graph);
        let records = output.records.iter();
        for (name, text) in records
            .map(|(name, text)| (name.as_str(), text))
            .chain([graph])
        {
            if existing(name).as_ref() != Some(text) {
                stale.insert(name.to_owned(), text.clone());
            }
        }
    }
    Generated { output, stale }
}
