//! The application as the analysis sees it: providers, controllers, what they ask for.

use std::rc::Rc;

use znight_contract::{ErrorCode, ScopeKind, codes::Severity};

use crate::{
    diagnostic::{Diagnostic, Location, Place, Related, Tokens, Worlds},
    facts::{Marked, PlaceFact, ProblemFact},
    resolve::{FileId, ItemId, Live, ModuleId, Program, Ty},
};

/// An annotated item: one attribute of ours on one item.
#[derive(Debug)]
pub struct Occurrence {
    /// The item.
    pub item: ItemId,
    /// Its file.
    pub file: FileId,
    /// The path of the attribute: `znight::injectable`.
    pub attribute: String,
    /// Whether it exists in each world.
    pub live: Live,
    /// What the attribute says.
    pub marked: Rc<Marked>,
}

impl Occurrence {
    /// The name of the attribute: `injectable`.
    pub fn attribute_name(&self) -> &str {
        self.attribute
            .rsplit("::")
            .next()
            .unwrap_or(&self.attribute)
    }
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
    /// Whether it has a qualifier that cannot be told.
    pub name_unknown: bool,
    /// Preferred among several candidates.
    pub primary: bool,
    /// May be injected by value, as a clone.
    pub clone: bool,
    /// Traits it is declared to implement, with the text they were written as.
    pub declared: Vec<(Ty, String)>,
    /// Where it is named.
    pub at: At,
    /// What it asks for, in order.
    pub injections: Vec<Injection>,
    /// Types that must be providers besides: guards and interceptors.
    pub uses: Vec<Use>,
    /// What extensions ask the container for on its behalf.
    pub requests: Vec<Injection>,
    /// The interceptors of its methods.
    pub intercepted: Vec<Injection>,
}

/// A type that must be a provider besides those that are injected.
#[derive(Debug)]
pub struct Use {
    /// The type.
    pub ty: Ty,
    /// Where it is named.
    pub at: At,
    /// Whether it is resolved when asked for.
    pub lazy: bool,
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
    /// Where the type stands.
    pub at: At,
    /// Where the qualifier stands.
    pub qualifier_at: Option<At>,
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
    /// `Interceptors`: those of the provider's methods.
    Interceptors,
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
            Self::Interceptors | Self::Nothing => None,
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
    /// The interceptors of the provider's methods, which are bound by themselves.
    Interceptors,
    /// Wrong; already reported.
    Failed,
}

/// Tokens of an annotated item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// The annotated item, by its number.
    pub occurrence: usize,
    /// Which of its tokens.
    pub place: PlaceFact,
}

impl At {
    /// The range of the file.
    pub fn location(self, program: &Program, occurrences: &[Occurrence]) -> Location {
        let file = program.file_name(occurrences[self.occurrence].file);
        Location::new(file, self.place.span)
    }

    /// `src/users/service.rs:12`
    pub fn show(self, program: &Program, occurrences: &[Occurrence]) -> String {
        format!(
            "{}:{}",
            program.file_name(occurrences[self.occurrence].file),
            self.place.span.line
        )
    }
}

/// One problem, on its tokens.
#[derive(Debug, Clone)]
pub struct Report {
    /// Its code.
    pub code: ErrorCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hints: Vec<String>,
    /// Where.
    pub at: At,
    /// Other places that have a part in it.
    pub related: Vec<(String, Spot)>,
}

/// A place that has a part in a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    /// Tokens of an annotated item.
    Item(At),
    /// A range of a file.
    File(Location),
}

impl Report {
    /// Shows another place that has a part in it.
    pub fn also(&mut self, message: impl Into<String>, at: At) -> &mut Self {
        self.related.push((message.into(), Spot::Item(at)));
        self
    }

    /// The same for a place outside of annotated items.
    pub fn also_in(&mut self, message: impl Into<String>, location: Location) -> &mut Self {
        self.related.push((message.into(), Spot::File(location)));
        self
    }

    /// A problem found in an item alone.
    pub fn local(occurrence: usize, problem: &ProblemFact) -> Self {
        Self {
            code: problem.code,
            severity: problem.severity,
            message: problem.message.clone(),
            hints: problem.hints.clone(),
            at: At {
                occurrence,
                place: problem.place,
            },
            related: Vec::new(),
        }
    }

    /// The diagnostic, its place found.
    pub fn locate(self, program: &Program, occurrences: &[Occurrence]) -> Diagnostic {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            message: self.message,
            hints: self.hints,
            place: Place {
                tokens: Some(Tokens {
                    occurrence: self.at.occurrence,
                    place: self.at.place,
                }),
                location: self.at.location(program, occurrences),
            },
            related: self
                .related
                .into_iter()
                .map(|(message, spot)| Related {
                    message,
                    place: match spot {
                        Spot::Item(at) => at.location(program, occurrences),
                        Spot::File(location) => location,
                    },
                })
                .collect(),
            worlds: Worlds::Both,
        }
    }
}

/// Collects the problems of one world.
#[derive(Debug, Default)]
pub struct Sink(pub Vec<Report>);

impl Sink {
    /// Reports an error.
    pub fn error(
        &mut self,
        code: ErrorCode,
        at: At,
        message: impl Into<String>,
        hints: Vec<String>,
    ) -> &mut Report {
        self.push(code, Severity::Error, at, message, hints)
    }

    /// Reports a warning.
    pub fn warning(
        &mut self,
        code: ErrorCode,
        at: At,
        message: impl Into<String>,
        hints: Vec<String>,
    ) -> &mut Report {
        self.push(code, Severity::Warning, at, message, hints)
    }

    fn push(
        &mut self,
        code: ErrorCode,
        severity: Severity,
        at: At,
        message: impl Into<String>,
        hints: Vec<String>,
    ) -> &mut Report {
        self.0.push(Report {
            code,
            severity,
            message: message.into(),
            hints,
            at,
            related: Vec::new(),
        });
        self.0.last_mut().expect("invariant: just pushed")
    }
}
