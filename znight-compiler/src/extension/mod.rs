//! Extensions: features that bring attributes of their own.
//!
//! The compiler itself knows `#[injectable]` and `#[factory]`. Everything else (controllers, consumers,
//! jobs, the attributes of a third party) comes from an extension: it says which attributes it owns,
//! reads what they say, registers the types they stand on, adds what these need to the graph, checks
//! the whole, and adds a section to the generated code. HTTP is one, by this trait and nothing else.
//!
//! An extension is called in this order, everything but [`read`](CompilerExtension::read) once for each
//! program (what users run, and the unit tests where these differ):
//!
//! 1. [`read`](CompilerExtension::read) for each item, by itself; what it returns is kept with the facts
//!    of the file until the file changes.
//! 2. [`analyse`](CompilerExtension::analyse) for each item, in the order of their types' paths.
//! 3. [`validate`](CompilerExtension::validate) once everything is bound.
//! 4. [`generate`](CompilerExtension::generate) when nothing is wrong.
//!
//! An extension that panics is reported as ZNIGHT018 by its name, and the rest goes on.
//!
//! ```
//! use znight_compiler::extension::{
//!     Analysis, AttributeSpec, CompilerExtension, Generation, Item, Node, Section, Target,
//! };
//!
//! /// `#[acme::job]` on an `impl`.
//! #[derive(Debug)]
//! struct Jobs;
//!
//! impl CompilerExtension for Jobs {
//!     fn name(&self) -> &'static str {
//!         "acme-jobs"
//!     }
//!
//!     fn attributes(&self) -> Vec<AttributeSpec> {
//!         vec![AttributeSpec::new("acme::job", &[Target::Impl])]
//!     }
//!
//!     fn analyse(&self, item: &Item<'_>, cx: &mut Analysis<'_, '_>) {
//!         cx.register(item);
//!     }
//!
//!     fn generate(&self, cx: &Generation<'_, '_>) -> Option<Section> {
//!         let jobs = cx.items().map(|item| {
//!             Node::record("acme::Entry", [
//!                 ("provider", cx.provider(&item)),
//!                 ("job", cx.glue(&item, "acme::Job", "JOB")),
//!             ])
//!         });
//!         let value = Node::record("acme::Jobs", [("entries", Node::list(jobs))]);
//!         Some(Section::new("acme::Jobs", value))
//!     }
//! }
//! # let _ = Jobs;
//! ```

pub mod class;
mod contexts;
pub(crate) mod decisions;
mod http;
mod inputs;
mod item;
mod node;
mod phases;
pub mod shape;
mod texts;
mod validators;

use std::{
    any::Any,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

pub use self::{
    class::Class,
    contexts::{Analysis, Binding, Definition, Generation, Provider, Request, Validation},
    item::{Argument, Item, ItemSource, Reading},
    node::{Node, Section},
    shape::Shapes,
};
pub(crate) use self::{
    contexts::{
        ConditionalReport, Generated, Host, State, host_id, item as extension_item, unknown,
        value_by_rule,
    },
    http::Http,
    node::Printer,
    phases::{Found, conflicts, generate, validate},
};
use znight_syntax::Problems;

/// A feature of the compiler. See the [module](self).
///
/// Implementations keep no state between calls: what one call finds out for a later one is
/// [stored](Analysis::store).
pub trait CompilerExtension: fmt::Debug + Send + Sync {
    /// Its name, in messages; unique among the extensions of a build.
    fn name(&self) -> &'static str;

    /// Its version: facts that another one has read are read again.
    fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// The attributes it owns.
    fn attributes(&self) -> Vec<AttributeSpec>;

    /// Reads one item under one of its attributes, without looking at anything else.
    ///
    /// It is a function of the item's tokens alone: the result is kept and returned again while the
    /// file stays as it is. The default keeps the values of the attribute's arguments.
    fn read(&self, item: &ItemSource<'_>, problems: &mut Problems) -> Option<Reading> {
        let _ = problems;
        Some(item.reading())
    }

    /// Looks at one item with all names known.
    fn analyse(&self, item: &Item<'_>, cx: &mut Analysis<'_, '_>);

    /// Checks the whole, once everything is bound.
    fn validate(&self, cx: &mut Validation<'_, '_>) {
        let _ = cx;
    }

    /// What goes into the graph; nothing when the application does not use the extension.
    fn generate(&self, cx: &Generation<'_, '_>) -> Option<Section> {
        let _ = cx;
        None
    }
}

/// An attribute of an extension.
#[derive(Debug, Clone)]
pub struct AttributeSpec {
    /// Its path: the name of the crate that exports it, and its own: `acme::job`.
    pub path: String,
    /// What it may stand on.
    pub targets: Vec<Target>,
    /// Its arguments; none when [`CompilerExtension::read`] reads them itself.
    pub arguments: Option<Vec<ArgumentSpec>>,
}

/// An argument of an attribute.
#[derive(Debug, Clone)]
pub struct ArgumentSpec {
    /// Its name, `name = ..`; none for one told by its place.
    pub name: Option<String>,
    /// What it may be.
    pub kind: ArgumentKind,
    /// Whether it must be there.
    pub required: bool,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A value the build can tell: a literal, or an expression of constants.
    Static,
    /// Any expression: it is evaluated where it can be, and left to rustc where not.
    Value,
}

/// What an attribute may stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A struct.
    Struct,
    /// An enum.
    Enum,
    /// The `impl` of a type itself.
    Impl,
    /// The `impl` of a trait.
    TraitImpl,
    /// A trait.
    Trait,
    /// A function.
    Function,
}

impl Target {
    /// As it is named in messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Struct => "a struct",
            Self::Enum => "an enum",
            Self::Impl => "the `impl` of a type",
            Self::TraitImpl => "the `impl` of a trait",
            Self::Trait => "a trait",
            Self::Function => "a function",
        }
    }
}

impl AttributeSpec {
    /// An attribute whose arguments its extension reads itself.
    pub fn new(path: &str, targets: &[Target]) -> Self {
        Self {
            path: path.to_owned(),
            targets: targets.to_vec(),
            arguments: None,
        }
    }

    /// The same with arguments that the compiler reads.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = ArgumentSpec>) -> Self {
        self.arguments = Some(arguments.into_iter().collect());
        self
    }

    /// Its own name, the last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }
}

impl ArgumentSpec {
    /// An argument told by its place.
    pub fn positional(kind: ArgumentKind) -> Self {
        Self {
            name: None,
            kind,
            required: true,
        }
    }

    /// An argument told by its name, which may be left out.
    pub fn named(name: &str, kind: ArgumentKind) -> Self {
        Self {
            name: Some(name.to_owned()),
            kind,
            required: false,
        }
    }

    /// The same, which may be left out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

/// The extensions of a build: those of Znight first.
#[derive(Debug, Clone)]
pub struct Extensions(Vec<Arc<dyn CompilerExtension>>);

/// Those of Znight.
impl Default for Extensions {
    fn default() -> Self {
        Self(vec![Arc::new(Http)])
    }
}

impl Extensions {
    /// Adds one.
    #[must_use]
    pub fn with(mut self, extension: Arc<dyn CompilerExtension>) -> Self {
        self.0.push(extension);
        self
    }

    /// The extensions, in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn CompilerExtension> {
        self.0.iter().map(|extension| &**extension)
    }

    /// The extension of that number.
    pub(crate) fn get(&self, number: usize) -> &dyn CompilerExtension {
        &*self.0[number]
    }

    /// Who owns an attribute, by its path: the number of the extension, and what it says of it.
    pub(crate) fn owner(&self, path: &str) -> Option<(usize, AttributeSpec)> {
        self.iter().enumerate().find_map(|(number, extension)| {
            let specs = attempt(|| extension.attributes()).unwrap_or_default();
            let spec = specs.into_iter().find(|spec| spec.path == path)?;
            Some((number, spec))
        })
    }

    /// What tells these extensions from others: facts they have read are good for them alone.
    pub(crate) fn key(&self) -> String {
        let names = self.iter().map(|extension| {
            attempt(|| format!("{} {}", extension.name(), extension.version())).unwrap_or_default()
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

/// Calls code of an extension; the message when it panics.
pub(crate) fn attempt<R>(call: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}
