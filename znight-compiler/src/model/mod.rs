//! The application as the analysis sees it: providers, controllers, what they ask for.

use std::ops::Range;

use proc_macro2::Span;
use znight_contract::{ScopeKind, codes::Severity};
use znight_syntax::{Problem, item, symbol::Outer, tokens::Flat};

use crate::{
    diagnostic::{Diagnostic, Place, Region, Worlds},
    resolve::{FileId, ItemId, Live, ModuleId, Program, Ty},
    source,
};

/// An annotated item: one attribute of ours on one item.
#[derive(Debug)]
pub struct Occurrence {
    /// The item.
    pub item: ItemId,
    /// Its file.
    pub file: FileId,
    /// The attribute.
    pub outer: Outer,
    /// The tokens of the attribute's arguments.
    pub args: Flat,
    /// The tokens of the item.
    pub body: Flat,
    /// Whether it exists in each world.
    pub live: Live,
    /// What the attribute says.
    pub parsed: Parsed,
    /// What is wrong with the item by itself.
    pub problems: Vec<Diagnostic>,
}

/// What an attribute says; none when the item cannot be used at all.
#[derive(Debug)]
pub enum Parsed {
    /// `#[injectable]`
    Injectable(item::Provider),
    /// `#[factory]`
    Factory(item::Factory),
    /// `#[controller]`
    Controller(item::Controller),
    /// Its problems say why.
    Nothing,
}

/// How a provider is made: which glue the macros write for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The `#[injectable]` item of this occurrence.
    Injectable(usize),
    /// A method of the factory of this occurrence.
    Method(usize, usize),
    /// The unit struct of a controller or factory, registered by it.
    Host(usize),
}

impl Origin {
    /// The occurrence whose macro writes the glue.
    pub fn occurrence(self) -> usize {
        match self {
            Self::Injectable(occurrence) | Self::Method(occurrence, _) | Self::Host(occurrence) => {
                occurrence
            }
        }
    }
}

/// A provider in one world.
#[derive(Debug)]
pub struct Provider {
    /// Its identity.
    pub token: String,
    /// Its name in messages.
    pub display: String,
    /// The type it provides.
    pub ty: Ty,
    /// How it is made.
    pub origin: Origin,
    /// The module its glue stands in.
    pub module: ModuleId,
    /// How long an instance lives.
    pub scope: ScopeKind,
    /// Its qualifier.
    pub name: Option<String>,
    /// Preferred among several candidates.
    pub primary: bool,
    /// May be injected by value, as a clone.
    pub clone: bool,
    /// Traits it is declared to implement, with the text they were written as.
    pub declared: Vec<(Ty, String)>,
    /// Where it is named.
    pub at: Place,
    /// What it asks for, in order.
    pub injections: Vec<Injection>,
    /// Types that must be providers besides: guards and interceptors.
    pub uses: Vec<(Ty, Place)>,
}

/// One injected field or parameter.
#[derive(Debug)]
pub struct Injection {
    /// What is asked for.
    pub want: Want,
    /// The qualifier.
    pub qualifier: Option<String>,
    /// The field or parameter's name, for messages.
    pub label: String,
    /// The type as written, for messages.
    pub written: String,
    /// Where the type stands.
    pub at: Place,
    /// Where the qualifier stands.
    pub qualifier_at: Option<Place>,
}

/// What an injection asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// `Arc<T>`
    One(Ty),
    /// `Option<Arc<T>>`
    Optional(Ty),
    /// `Vec<Arc<T>>`
    Many(Ty),
    /// `Lazy<T>`
    Lazy(Ty),
    /// `Option<Lazy<T>>`
    OptionalLazy(Ty),
    /// `T`
    Value(Ty),
    /// Nothing that could be injected; already reported, or rustc's to report.
    Nothing,
}

impl Want {
    /// The type asked for.
    pub fn target(&self) -> Option<&Ty> {
        match self {
            Self::One(ty)
            | Self::Optional(ty)
            | Self::Many(ty)
            | Self::Lazy(ty)
            | Self::OptionalLazy(ty)
            | Self::Value(ty) => Some(ty),
            Self::Nothing => None,
        }
    }
}

/// What an injection is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// A provider, by its number.
    Provider(usize),
    /// All of them.
    Many(Vec<usize>),
    /// Supplied by a plugin, by its number in the list of externals.
    External(usize),
    /// Optional, and nothing fits.
    Unbound,
    /// Wrong; already reported.
    Failed,
}

/// A controller in one world.
#[derive(Debug)]
pub struct ControllerEntry {
    /// Its occurrence.
    pub occurrence: usize,
    /// The provider of its type.
    pub provider: usize,
    /// Its identity.
    pub token: String,
}

impl Occurrence {
    /// The place of a run of tokens given by spans of either region.
    pub fn place(&self, program: &Program, number: usize, first: Span, last: Span) -> Place {
        let bytes = first.byte_range().start..last.byte_range().end.max(first.byte_range().end);
        let found = Self::find(&self.body, &bytes)
            .map(|at| (Region::Item, at))
            .or_else(|| Self::find(&self.args, &bytes).map(|at| (Region::Args, at)));
        // Without a token of its own (an empty argument list, say) the item is named.
        let name = &program.items[self.item].fact.name_bytes;
        let (region, (first, last), start) = match found {
            Some((region, at)) => (region, at, bytes.start),
            None => (
                Region::Item,
                Self::find(&self.body, name).unwrap_or((0, 0)),
                name.start,
            ),
        };
        let file = &program.files[self.file];
        Place {
            occurrence: number,
            region,
            first,
            last,
            file: source::display(&file.path),
            line: file.line(start),
            column: file.column(start),
        }
    }

    /// The place of the item's name.
    pub fn named(&self, program: &Program, number: usize) -> Place {
        let name = &program.items[self.item].fact.name_bytes;
        let file = &program.files[self.file];
        let (first, last) = Self::find(&self.body, name).unwrap_or((0, 0));
        Place {
            occurrence: number,
            region: Region::Item,
            first,
            last,
            file: source::display(&file.path),
            line: file.line(name.start),
            column: file.column(name.start),
        }
    }

    fn find(flat: &Flat, bytes: &Range<usize>) -> Option<(usize, usize)> {
        let starts = |index: usize| flat.tokens[index].start.byte_range().start;
        let first = (0..flat.tokens.len()).find(|index| starts(*index) == bytes.start)?;
        let last = (first..flat.tokens.len())
            .take_while(|index| starts(*index) < bytes.end)
            .last()?;
        Some((first, last))
    }

    /// A problem found in the item alone, as a diagnostic.
    pub fn local(&self, program: &Program, number: usize, problem: &Problem) -> Diagnostic {
        Diagnostic {
            code: problem.code,
            severity: problem.severity,
            message: problem.message.clone(),
            hints: problem.hints.clone(),
            place: self.place(program, number, problem.first, problem.last),
            worlds: Worlds::Both,
        }
    }
}

/// Collects the diagnostics of one world.
#[derive(Debug, Default)]
pub struct Sink(pub Vec<Diagnostic>);

impl Sink {
    /// Reports an error.
    pub fn error(
        &mut self,
        code: znight_contract::ErrorCode,
        place: &Place,
        message: impl Into<String>,
        hints: Vec<String>,
    ) {
        self.0.push(Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            hints,
            place: place.clone(),
            worlds: Worlds::Both,
        });
    }
}
