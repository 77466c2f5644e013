//! HTTP: `#[controller]` impls and their routes.

use std::collections::{BTreeMap, BTreeSet};

use syn::ext::IdentExt as _;
use znight_contract::{ErrorCode, ScopeKind, path::RoutePath};
use znight_syntax::{
    Problems,
    attr::{PathArg, Values},
    check::{self, RoutePart, Takes},
    item,
};

use super::{
    Analysis, AttributeSpec, CompilerExtension, Generation, Item, ItemSource, Node, Reading,
    Section, Validation,
    decisions::{self, DecideFact},
    extension_item,
    inputs::{self, Handler, InputFact},
    texts::{self, TextFact},
    validators,
};
use crate::{
    analyse::Application,
    cfg::Condition,
    facts::{
        ArgumentFact, PlaceFact, TypeExpr,
        flat::{Flat as _, flat},
    },
    model::At,
};

/// The extension of `znight-http`.
#[derive(Debug)]
pub(crate) struct Http;

/// What a `#[controller]` item says.
#[derive(Debug)]
struct ControllerFact {
    /// Its path; `/` without it.
    path: Option<ArgumentFact>,
    /// The scope of the type, where it is given here.
    scope: Option<ArgumentFact>,
    /// Its guards and interceptors and those of its routes.
    uses: Vec<(TypeExpr, PlaceFact)>,
    /// The types of parameters with `#[extract]`.
    extracts: Vec<(TypeExpr, PlaceFact)>,
    /// What its routes are decided to be.
    decisions: Vec<DecideFact>,
    /// Its routes, in order; none when its own path is wrong.
    routes: Vec<RouteFact>,
}

/// One route as it is written.
#[derive(Debug)]
struct RouteFact {
    /// The HTTP method on the wire, `ALL` for every one.
    method: String,
    /// The path below the controller's; `/` without it.
    path: Option<ArgumentFact>,
    /// The method that handles it.
    handler: String,
    /// Where to point at.
    place: PlaceFact,
    /// What its parameters take of the path, each with where to point at.
    takes: Vec<(Takes, PlaceFact)>,
    /// What it is decided to be.
    decisions: Vec<DecideFact>,
    /// Its `#[cfg(..)]` conditions.
    conditions: Vec<Condition>,
    /// What it reads of the request with fields of its own.
    inputs: Vec<InputFact>,
    /// What it reads of texts.
    texts: Vec<TextFact>,
}

flat!(struct ControllerFact { path, scope, uses, extracts, decisions, routes });
flat!(struct RouteFact { method, path, handler, place, takes, decisions, conditions, inputs, texts });
flat!(
    enum Takes {
        Named(a),
        Bare(a, b),
        All,
        Nothing,
    }
);

/// A route in one program.
#[derive(Debug)]
struct Route {
    /// The HTTP method on the wire, `ALL` for every one.
    method: String,
    /// The whole path.
    path: RoutePath,
    /// The method that handles it, with its type: `UserController::list`.
    handler: String,
    /// Where to point at.
    at: At,
    /// What it is decided to be.
    decisions: decisions::OfRoute,
}

impl CompilerExtension for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn attributes(&self) -> Vec<AttributeSpec> {
        // What it may stand on is said by the reader that the macro shares.
        vec![AttributeSpec::new("znight::controller", &[])]
    }

    fn read(&self, source: &ItemSource<'_>, problems: &mut Problems) -> Option<Reading> {
        let parsed = item::Controller::read(
            source.args(),
            source.tokens().clone(),
            &Values::default(),
            problems,
        )?;
        let fact = controller(source, &parsed);
        let paths = fact.routes.iter().filter_map(|route| route.path.as_ref());
        let of_routes = fact.routes.iter().flat_map(|route| &route.decisions);
        let decided = fact.decisions.iter().chain(of_routes);
        Some(Reading {
            arguments: fact
                .path
                .iter()
                .chain(&fact.scope)
                .chain(paths)
                .cloned()
                .collect(),
            types: fact
                .uses
                .iter()
                .chain(&fact.extracts)
                .map(|(ty, _)| ty.clone())
                .chain(decided.map(DecideFact::path))
                .collect(),
            data: fact.to_bytes(),
        })
    }

    fn analyse(&self, item: &Item<'_>, cx: &mut Analysis<'_, '_>) {
        let Some(fact) = ControllerFact::from_bytes(item.data()) else {
            return;
        };
        let scope = fact.scope.as_ref().map(|scope| {
            // One that cannot be told is taken for the one that fits everywhere.
            let kind = cx.argument(item, scope, &check::SCOPE);
            (kind.unwrap_or(ScopeKind::Transient), item.at(scope.place))
        });
        cx.register_as(item, scope);
        cx.root(item);
        for (ty, place) in &fact.uses {
            cx.need(item, ty, item.at(*place), false);
            cx.store(decisions::Used::new(item, ty, *place));
        }
        for (ty, place) in &fact.extracts {
            cx.need_resolver(item, ty, item.at(*place));
        }
        for route in routes(item, &fact, cx) {
            cx.store(route);
        }
    }

    fn validate(&self, cx: &mut Validation<'_, '_>) {
        let mut taken: BTreeMap<(&str, String), &Route> = BTreeMap::new();
        let mut twice: Vec<(&Route, &Route)> = Vec::new();
        let app = cx.app;
        for route in app.extensions[cx.number]
            .stored
            .iter()
            .filter_map(|kept| kept.downcast_ref::<Route>())
        {
            match taken.get(&(route.method.as_str(), route.path.shape())) {
                Some(earlier) => twice.push((earlier, route)),
                None => {
                    taken.insert((&route.method, route.path.shape()), route);
                }
            }
        }
        for (earlier, route) in twice {
            let (method, path) = (&route.method, &route.path);
            let place = cx.show(earlier.at);
            cx.error(
                ErrorCode::InvalidRoute,
                route.at,
                format!(
                    "`{method} {path}` is served twice: by {} and by {}",
                    earlier.handler, route.handler
                ),
                vec![format!(
                    "the other route is at {place}: change one of the paths"
                )],
            )
            .also("the other route", earlier.at);
        }
        let routes = app.extensions[cx.number].stored.iter();
        let routes = routes.filter_map(|kept| kept.downcast_ref::<Route>());
        let routes: Vec<decisions::Decided<'_>> = routes
            .map(|route| decisions::Decided {
                name: format!("`{} {}` ({})", route.method, route.path, route.handler),
                at: route.at,
                decisions: &route.decisions,
            })
            .collect();
        decisions::validate(&routes, cx);
        let handlers = handlers(cx.app, cx.number);
        texts::validate(cx, &handlers);
        inputs::validate(cx, &handlers);
        validators::validate(cx, &handlers);
    }

    fn generate(&self, cx: &Generation<'_, '_>) -> Option<Section> {
        let names = inputs::names(cx, &handlers(cx.app, cx.number));
        let controllers: Vec<Node> = cx
            .items()
            .filter(|item| cx.provider_of(item).is_some())
            .map(|item| {
                let inputs = names.inputs_of(&item);
                Node::record(
                    "znight::__private::http::ControllerEntry",
                    [
                        ("provider", cx.provider(&item)),
                        (
                            "def",
                            cx.glue(&item, "znight::__private::http::Controller", "C"),
                        ),
                        ("inputs", inputs),
                    ],
                )
            })
            .collect();
        let guards: Vec<Node> = decisions::guards(cx).collect();
        let routes = cx.stored::<Route>().map(|route| &route.decisions);
        let decisions = decisions::defined(cx, routes);
        if controllers.is_empty() && guards.is_empty() && decisions.is_empty() {
            return None;
        }
        let ty = "znight::__private::http::HttpSection";
        Some(Section::new(
            ty,
            Node::record(
                ty,
                [
                    ("controllers", Node::list(controllers)),
                    ("guards", Node::list(guards)),
                    ("decisions", Node::list(decisions)),
                    ("types", names.types()),
                ],
            ),
        ))
    }
}

/// The handlers that exist in this program, with what they read.
fn handlers<'a>(app: &Application<'a>, extension: usize) -> Vec<Handler<'a>> {
    let mut found: Vec<Handler<'a>> = Vec::new();
    for (number, _) in &app.extensions[extension].items {
        let Some(item) = extension_item(app.resolver, app.occurrences, *number) else {
            continue;
        };
        let Some(fact) = ControllerFact::from_bytes(item.data()) else {
            continue;
        };
        let mut seen = BTreeSet::new();
        let live = fact.routes.into_iter().filter(|route| {
            // A method with two verbs is one handler.
            item.is_live(&route.conditions) && seen.insert(route.handler.clone())
        });
        found.extend(live.map(|route| Handler {
            item,
            name: route.handler,
            inputs: route.inputs,
            texts: route.texts,
        }));
    }
    found
}

/// The routes of a controller that exist in this program and whose paths can be told.
fn routes(item: &Item<'_>, fact: &ControllerFact, cx: &mut Analysis<'_, '_>) -> Vec<Route> {
    let path = |written: Option<&ArgumentFact>, cx: &mut Analysis<'_, '_>| match written {
        Some(path) => cx.argument(item, path, &check::PATH),
        None => Some(RoutePath::root()),
    };
    let Some(base) = path(fact.path.as_ref(), cx) else {
        return Vec::new();
    };
    let inherited = decisions::take(item, &fact.decisions, cx);
    let is_literal =
        |path: &Option<ArgumentFact>| path.as_ref().is_none_or(|path| path.key.is_none());
    let mut found = Vec::new();
    for route in fact
        .routes
        .iter()
        .filter(|route| item.is_live(&route.conditions))
    {
        let decisions = decisions::of_route(item, &inherited, &route.decisions, cx);
        let Some(own) = path(route.path.as_ref(), cx) else {
            continue;
        };
        // What is known by literals has been checked where it stands.
        if !(is_literal(&fact.path) && is_literal(&route.path)) {
            let takes: Vec<Takes> = route.takes.iter().map(|(takes, _)| takes.clone()).collect();
            for (part, finding) in check::route(&base, &own, &route.handler, &takes) {
                let place = match part {
                    RoutePart::Path => route.place,
                    RoutePart::Param(index) => route.takes[index].1,
                };
                cx.finding(item.at(place), finding);
            }
        }
        if let Ok(path) = base.join(&own) {
            found.push(Route {
                method: route.method.clone(),
                path,
                handler: format!("{}::{}", item.display(), route.handler),
                at: item.at(route.place),
                decisions,
            });
        }
    }
    found
}

fn controller(source: &ItemSource<'_>, parsed: &item::Controller) -> ControllerFact {
    let around =
        std::iter::once(&parsed.around).chain(parsed.routes.iter().map(|route| &route.around));
    let mut uses: Vec<(TypeExpr, PlaceFact)> = Vec::new();
    for written in around.flat_map(|around| around.guards.iter().chain(&around.interceptors)) {
        let place = source.place(written);
        // A method with two verbs reads its guards twice.
        if !uses.iter().any(|(_, earlier)| *earlier == place) {
            uses.push((source.ty(written), place));
        }
    }
    let mut extracts: Vec<(TypeExpr, PlaceFact)> = Vec::new();
    for param in parsed.routes.iter().flat_map(|route| &route.params) {
        let place = source.place(&param.ty);
        if matches!(param.source, item::ParamSource::Extract { .. })
            && !extracts.iter().any(|(_, earlier)| *earlier == place)
        {
            extracts.push((source.ty(&param.ty), place));
        }
    }
    let path = |path: &PathArg| path.argument().map(|path| source.argument(&path.written));
    ControllerFact {
        path: path(&parsed.path),
        scope: parsed
            .scope
            .as_ref()
            .map(|scope| source.argument(&scope.written)),
        uses,
        extracts,
        decisions: decisions::facts(source, &parsed.around),
        routes: parsed
            .routes
            .iter()
            // Without the path they stand below, nothing can be said of them.
            .filter(|_| !matches!(parsed.path, PathArg::Wrong))
            .map(|route| RouteFact {
                method: route.verb.method(),
                path: path(&route.path),
                handler: route.handler.unraw().to_string(),
                place: source.place(&route.place()),
                takes: route
                    .params
                    .iter()
                    .map(|param| (param.takes(), source.place(&param.place())))
                    .collect(),
                decisions: decisions::facts(source, &route.around),
                conditions: source.conditions(&route.cfgs),
                inputs: inputs::read(source, route),
                texts: texts::read(source, route),
            })
            .collect(),
    }
}
