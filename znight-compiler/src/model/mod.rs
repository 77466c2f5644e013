//! The application as the analysis sees it: providers, controllers, what they ask for.

use proc_macro2::Span;
use znight_contract::{ErrorCode, ScopeKind, codes::Severity};
use znight_syntax::{Problem, item, symbol::Outer, tokens::Flat};

use crate::{
    diagnostic::{Diagnostic, Place, Region, Tokens, Worlds},
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
    pub problems: Vec<Report>,
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
    pub at: At,
    /// What it asks for, in order.
    pub injections: Vec<Injection>,
    /// Types that must be providers besides: guards and interceptors.
    pub uses: Vec<(Ty, At)>,
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

/// Tokens of an annotated item, by their spans: a [`Place`] in the making, free until it is needed.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// The annotated item, by its number.
    pub occurrence: usize,
    /// The first token.
    pub first: Span,
    /// The last token.
    pub last: Span,
}

impl At {
    /// `src/users/service.rs:12`
    pub fn show(self, program: &Program, occurrences: &[Occurrence]) -> String {
        let file = &program.files[occurrences[self.occurrence].file];
        format!(
            "{}:{}",
            source::display(&file.path),
            self.first.start().line
        )
    }

    /// The place, with the numbers of its tokens.
    pub fn place(self, program: &Program, occurrences: &[Occurrence]) -> Place {
        let occurrence = &occurrences[self.occurrence];
        let (first, last) = (
            self.first.start(),
            self.last.start().max(self.first.start()),
        );
        let find = |flat: &Flat| {
            let start = |index: usize| flat.tokens[index].start.start();
            let from = (0..flat.tokens.len()).find(|index| start(*index) == first)?;
            let to = (from..flat.tokens.len())
                .take_while(|index| start(*index) <= last)
                .last()?;
            Some((from, to))
        };
        let in_item = find(&occurrence.body).map(|found| (Region::Item, found));
        let found = in_item.or_else(|| find(&occurrence.args).map(|found| (Region::Args, found)));
        // Without a token of its own (an empty argument list, say) the item is named.
        let name = program.items[occurrence.item].fact.name_at;
        let (start, end, region, (first, last)) = match found {
            Some((region, tokens)) => (self.first, self.last, region, tokens),
            None => (name, name, Region::Item, token_at(&occurrence.body, name)),
        };
        // Where the last token stands before the first, the first is meant alone.
        let end = if end.start() < start.start() {
            start.end()
        } else {
            end.end()
        };
        let start = start.start();
        Place {
            tokens: Some(Tokens {
                occurrence: self.occurrence,
                region,
                first,
                last,
            }),
            file: source::display(&program.files[occurrence.file].path),
            line: start.line,
            column: start.column + 1,
            end_line: end.line,
            end_column: end.column + 1,
        }
    }
}

/// The token that starts where a span does, as a run of one; the first one if there is none.
fn token_at(flat: &Flat, span: Span) -> (usize, usize) {
    let index = flat
        .tokens
        .iter()
        .position(|token| token.start.start() == span.start())
        .unwrap_or_default();
    (index, index)
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
}

impl Report {
    /// A problem found in an item alone.
    pub fn local(occurrence: usize, problem: &Problem) -> Self {
        Self {
            code: problem.code,
            severity: problem.severity,
            message: problem.message.clone(),
            hints: problem.hints.clone(),
            at: At {
                occurrence,
                first: problem.first,
                last: problem.last,
            },
        }
    }

    /// The diagnostic, its place found.
    pub fn locate(self, program: &Program, occurrences: &[Occurrence]) -> Diagnostic {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            message: self.message,
            hints: self.hints,
            place: self.at.place(program, occurrences),
            related: Vec::new(),
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
    ) {
        self.push(code, Severity::Error, at, message, hints);
    }

    /// Reports a warning.
    pub fn warning(
        &mut self,
        code: ErrorCode,
        at: At,
        message: impl Into<String>,
        hints: Vec<String>,
    ) {
        self.push(code, Severity::Warning, at, message, hints);
    }

    fn push(
        &mut self,
        code: ErrorCode,
        severity: Severity,
        at: At,
        message: impl Into<String>,
        hints: Vec<String>,
    ) {
        self.0.push(Report {
            code,
            severity,
            message: message.into(),
            hints,
            at,
        });
    }
}
