//! What the attributes of ours say, read once and kept without a token.

use proc_macro2::{Span as TokenSpan, TokenStream};
use quote::ToTokens;
use syn::{Attribute, Meta, Type, ext::IdentExt as _};
use znight_syntax::{
    Problem, Problems,
    attr::{Argument, PathArg, ProviderArgs, Values},
    item,
    problem::ends,
    symbol::Outer,
    tokens::{Flat, flatten},
};

use super::{
    span,
    written::{ty, value},
};
use crate::{
    cfg::Condition,
    facts::{
        ArgumentFact, ControllerFact, DeclaredFact, FactoryFact, HooksFact, InjectionFact, Marked,
        MethodFact, Named, Parsed, PlaceFact, ProblemFact, ProviderArgsFact, ProviderFact, Region,
        RouteFact,
    },
};

/// Reads what one attribute says of its item.
pub(super) fn read(
    attribute: usize,
    outer: Outer,
    args: TokenStream,
    tokens: TokenStream,
    start: TokenSpan,
    name: TokenSpan,
) -> Marked {
    let mut problems = Problems::new();
    let (flat_args, flat_body) = (flatten(args.clone()), flatten(tokens.clone()));
    let places = Places::new(&flat_args, &flat_body, name);
    let parsed = match outer {
        Outer::Injectable => item::Provider::read(args, tokens, &mut problems)
            .map(|parsed| Parsed::Injectable(provider(&parsed, &places))),
        Outer::Factory => item::Factory::read(&args, tokens, &mut problems)
            .map(|parsed| Parsed::Factory(factory(&parsed, &places))),
        Outer::Controller => {
            item::Controller::read(&args, tokens, &Values::default(), &mut problems)
                .map(|parsed| Parsed::Controller(controller(&parsed, &places)))
        }
    };
    Marked {
        attribute,
        outer,
        args: flat_args.fingerprint,
        body: flat_body.fingerprint,
        line: u32::try_from(start.start().line).unwrap_or(u32::MAX),
        name: places.name,
        parsed: parsed.unwrap_or(Parsed::Nothing),
        problems: problems
            .into_vec()
            .into_iter()
            .map(|problem| self::problem(problem, &places))
            .collect(),
    }
}

/// Finds places by the numbers of their tokens.
struct Places {
    args: Vec<Position>,
    body: Vec<Position>,
    name: PlaceFact,
}

/// Line and column.
type Position = (usize, usize);

impl Places {
    fn new(args: &Flat, body: &Flat, name: TokenSpan) -> Self {
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
    fn of(&self, node: &impl ToTokens) -> PlaceFact {
        let (first, last) = ends(node);
        self.between(first, last)
    }

    fn between(&self, first: TokenSpan, last: TokenSpan) -> PlaceFact {
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
        let found = in_item.or_else(|| find(&self.args).map(|found| (Region::Args, found)));
        match found {
            Some((region, (from, to))) => PlaceFact {
                region,
                first: from,
                last: to,
                span: span(first, last),
            },
            // Without a token of its own (an empty argument list, say) the item is named.
            None => self.name,
        }
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

fn conditions(cfgs: &[Attribute]) -> Vec<Condition> {
    cfgs.iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::List(list) => Some(Condition::read(list.tokens.clone())),
            _ => None,
        })
        .collect()
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

fn controller(parsed: &item::Controller, places: &Places) -> ControllerFact {
    let around =
        std::iter::once(&parsed.around).chain(parsed.routes.iter().map(|route| &route.around));
    let mut uses: Vec<DeclaredFact> = Vec::new();
    for written in around.flat_map(|around| around.guards.iter().chain(&around.interceptors)) {
        let found = declared(written, places);
        // A method with two verbs reads its guards twice.
        if !uses.iter().any(|earlier| earlier.place == found.place) {
            uses.push(found);
        }
    }
    ControllerFact {
        self_ty: ty(&parsed.self_ty),
        self_at: places.of(&parsed.self_ty),
        path: parsed.path.argument().map(|path| argument(path, places)),
        scope: parsed.scope.as_ref().map(|scope| argument(scope, places)),
        uses,
        routes: parsed
            .routes
            .iter()
            // Without the path they stand below, nothing can be said of them.
            .filter(|_| !matches!(parsed.path, PathArg::Wrong))
            .map(|route| RouteFact {
                method: route.verb.method(),
                path: route.path.argument().map(|path| argument(path, places)),
                handler: route.handler.unraw().to_string(),
                place: places.of(&route.place()),
                takes: route
                    .params
                    .iter()
                    .map(|param| (param.takes(), places.of(&param.place())))
                    .collect(),
                conditions: conditions(&route.cfgs),
            })
            .collect(),
    }
}
