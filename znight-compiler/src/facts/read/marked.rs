//! What the attributes of ours say, read once and kept without a token.

use proc_macro2::{Span as TokenSpan, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, Type, ext::IdentExt as _};
use znight_syntax::{
    Problem, Problems,
    attr::{Argument, ProviderArgs},
    item,
    problem::ends,
    symbol::Outer,
    tokens::{Flat, flatten},
};

use super::{
    Names, extension,
    reading::{conditions, ty, value},
    span,
};
use crate::facts::{
    ArgumentFact, DeclaredFact, FactoryFact, HooksFact, InjectionFact, Marked, MethodFact, Named,
    Parsed, PlaceFact, ProblemFact, ProviderArgsFact, ProviderFact, Region,
};

/// An attribute on its item, as tokens.
pub(super) struct Source<'a> {
    /// Its position among the attributes of the item.
    pub(super) attribute: usize,
    /// The path it is taken for.
    pub(super) path: &'a str,
    /// Its arguments.
    pub(super) args: &'a TokenStream,
    /// The item, its attributes included.
    pub(super) tokens: &'a TokenStream,
    /// Where the item starts.
    pub(super) start: TokenSpan,
    /// Where it is named.
    pub(super) name: TokenSpan,
}

impl Source<'_> {
    /// What the attribute says.
    pub(super) fn read(&self, item: &Item, names: &Names) -> Marked {
        let mut problems = Problems::new();
        let (args, tokens) = (self.args.clone(), self.tokens.clone());
        let (flat_args, flat_body) = (flatten(args.clone()), flatten(tokens.clone()));
        let places = Places::new(&flat_args, &flat_body, self.name);
        let parsed = match Outer::ALL
            .into_iter()
            .find(|outer| outer.path() == self.path)
        {
            Some(Outer::Injectable) => item::Provider::read(args, tokens, &mut problems)
                .map(|parsed| Parsed::Injectable(Box::new(provider(&parsed, &places)))),
            Some(Outer::Factory) => item::Factory::read(&args, tokens, &mut problems)
                .map(|parsed| Parsed::Factory(factory(&parsed, &places))),
            _ => extension::read(self, item, &places, names, &mut problems).map(Parsed::Extension),
        };
        Marked {
            attribute: self.attribute,
            path: self.path.to_owned(),
            args: flat_args.fingerprint,
            body: flat_body.fingerprint,
            line: u32::try_from(self.start.start().line).unwrap_or(u32::MAX),
            name: places.name,
            parsed: parsed.unwrap_or(Parsed::Nothing),
            names_test: names_test(self.tokens.clone()),
            problems: problems
                .into_vec()
                .into_iter()
                .map(|problem| self::problem(problem, &places))
                .collect(),
        }
    }
}

/// Whether a `cfg` or `cfg_attr` among these tokens names `test`.
fn names_test(tokens: TokenStream) -> bool {
    fn mentions(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|tree| match tree {
            TokenTree::Ident(word) => word == "test",
            TokenTree::Group(group) => mentions(group.stream()),
            _ => false,
        })
    }
    let mut conditional = false;
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => {
                if conditional && mentions(group.stream()) || names_test(group.stream()) {
                    return true;
                }
                conditional = false;
            }
            TokenTree::Ident(word) => conditional = word == "cfg" || word == "cfg_attr",
            _ => conditional = false,
        }
    }
    false
}

/// Finds places by the numbers of their tokens.
#[derive(Debug)]
pub(crate) struct Places {
    args: Vec<Position>,
    body: Vec<Position>,
    name: PlaceFact,
}

/// Line and column.
type Position = (usize, usize);

impl Places {
    pub(crate) fn new(args: &Flat, body: &Flat, name: TokenSpan) -> Self {
        let positions = |flat: &Flat| -> Vec<Position> {
            flat.tokens
                .iter()
                .map(|token| position(token.start))
                .collect()
        };
        let (args, body) = (positions(args), positions(body));
        let number = body
            .iter()
            .position(|found| *found == position(name))
            .unwrap_or_default();
        let number = u32::try_from(number).unwrap_or_default();
        Self {
            args,
            body,
            name: PlaceFact {
                region: Region::Item,
                first: number,
                last: number,
                span: span(name, name),
            },
        }
    }

    /// The place of a node.
    pub(crate) fn of(&self, node: &impl ToTokens) -> PlaceFact {
        let (first, last) = ends(node);
        self.between(first, last)
    }

    fn between(&self, first: TokenSpan, last: TokenSpan) -> PlaceFact {
        // Without a token of its own (an empty argument list, say) the item is named.
        self.find(first, last).unwrap_or(self.name)
    }

    /// The place from one token to another; none when the first is no part of the item or the arguments.
    pub(crate) fn find(&self, first: TokenSpan, last: TokenSpan) -> Option<PlaceFact> {
        let from = position(first);
        let to = position(last).max(from);
        let find = |positions: &[Position]| {
            let first = positions.binary_search(&from).ok()?;
            let count = positions[first..].partition_point(|found| *found <= to);
            Some((
                u32::try_from(first).ok()?,
                u32::try_from(first + count.max(1) - 1).ok()?,
            ))
        };
        let in_item = find(&self.body).map(|found| (Region::Item, found));
        let (region, (from, to)) =
            in_item.or_else(|| find(&self.args).map(|found| (Region::Args, found)))?;
        Some(PlaceFact {
            region,
            first: from,
            last: to,
            span: span(first, last),
        })
    }
}

fn position(span: TokenSpan) -> Position {
    let start = span.start();
    (start.line, start.column)
}

fn problem(problem: Problem, places: &Places) -> ProblemFact {
    ProblemFact {
        code: problem.code,
        severity: problem.severity,
        message: problem.message,
        hints: problem.hints,
        place: places.between(problem.first, problem.last),
    }
}

fn provider(parsed: &item::Provider, places: &Places) -> ProviderFact {
    ProviderFact {
        self_ty: ty(&parsed.self_ty),
        self_at: places.of(&parsed.self_ty),
        args: provider_args(&parsed.args, places),
        injections: parsed
            .injections()
            .into_iter()
            .map(|injection| self::injection(injection, places))
            .collect(),
        asyncness: match &parsed.construct {
            item::Construct::Call { asyncness, .. } => asyncness.as_ref().map(|at| places.of(at)),
            item::Construct::Literal { .. } => None,
        },
    }
}

fn argument<T>(argument: &Argument<T>, places: &Places) -> ArgumentFact {
    ArgumentFact {
        value: value(&argument.written),
        key: argument.key(),
        place: places.of(argument),
    }
}

fn provider_args(args: &ProviderArgs, places: &Places) -> ProviderArgsFact {
    ProviderArgsFact {
        scope: args.scope.as_ref().map(|scope| argument(scope, places)),
        name: args.name.as_ref().map(|name| argument(name, places)),
        primary: args.primary,
        declared: args
            .declared
            .iter()
            .map(|declared| self::declared(&declared.ty, places))
            .collect(),
    }
}

fn declared(written: &Type, places: &Places) -> DeclaredFact {
    DeclaredFact {
        ty: ty(written),
        place: places.of(written),
    }
}

fn injection(injection: &item::Injection, places: &Places) -> InjectionFact {
    InjectionFact {
        label: injection
            .ident
            .as_ref()
            .map(|ident| ident.unraw().to_string()),
        ty: ty(&injection.ty),
        place: places.of(&injection.ty),
        qualifier: injection
            .qualifier
            .as_ref()
            .map(|name| argument(name, places)),
        conditions: conditions(&injection.cfgs),
    }
}

fn factory(parsed: &item::Factory, places: &Places) -> FactoryFact {
    FactoryFact {
        self_ty: ty(&parsed.self_ty),
        self_at: places.of(&parsed.self_ty),
        methods: parsed
            .methods
            .iter()
            .map(|method| MethodFact {
                name: Named {
                    text: method.name.unraw().to_string(),
                    place: places.of(&method.name),
                },
                args: provider_args(&method.args.provider, places),
                clone: method.args.clone,
                hooks: HooksFact {
                    dispose: method.args.dispose.is_some(),
                    on_start: method.args.on_start.is_some(),
                },
                asyncness: method.asyncness.as_ref().map(|at| places.of(at)),
                receiver: method.receiver,
                params: method
                    .params
                    .iter()
                    .map(|injection| self::injection(injection, places))
                    .collect(),
                provided: ty(&method.provided),
                provided_at: places.of(&method.provided),
                conditions: conditions(&method.cfgs),
            })
            .collect(),
    }
}
