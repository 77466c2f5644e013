//! Route decisions: that every route has those it must have, and one of each group.
//!
//! A decision is a const, read where it is defined. What cannot be read (a const a macro makes, a key that is
//! computed) is unknown: it may be of any group, and nothing is said of the routes that have it.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, ExprPath};
use znight_contract::{ErrorCode, codes::Severity, decision::DecisionDef};
use znight_syntax::item::controller::Around;

use super::{Analysis, Generation, Item, ItemSource, Node, Validation};
use crate::{
    analyse::Application,
    diagnostic::{Diagnostic, Location, Place, Related, Worlds},
    emit,
    facts::{ItemKind, PathExpr, PlaceFact, TypeExpr, ValueExpr, flat::flat},
    model::{At, Origin, Provider, Report},
    resolve::{ConstSource, Found, Resolver, Scope, Substitution, TraitRef, Ty, unify},
    shared::Libraries,
};

/// The trait of guards.
const GUARD: &str = "znight::Guard";
/// What makes a decision with a value.
const NEW: &str = "znight::Decision::new";
/// What makes a decision without one.
const FLAG: &str = "znight::Decision::flag";
/// The const of a guard that lists what it enforces.
const ENFORCES: &str = "ENFORCES";
/// Consts of consts beyond this are a loop.
const MAX_DEPTH: usize = 16;

/// One `#[decide(..)]` as it is written.
#[derive(Debug)]
pub(super) struct DecideFact {
    /// The const.
    decision: PathExpr,
    /// Where it is named.
    place: PlaceFact,
}

flat!(struct DecideFact { decision, place });

impl DecideFact {
    /// The path of the const, for those who look which crates an item names.
    pub(super) fn path(&self) -> TypeExpr {
        TypeExpr::Path(self.decision.clone())
    }
}

/// The decisions of a controller or a route as data.
pub(super) fn facts(source: &ItemSource<'_>, around: &Around) -> Vec<DecideFact> {
    around
        .decisions
        .iter()
        .filter_map(|decide| {
            let path = Expr::Path(ExprPath {
                attrs: Vec::new(),
                qself: None,
                path: decide.decision.clone(),
            });
            match source.value(&path) {
                ValueExpr::Path(decision) => Some(DecideFact {
                    decision,
                    place: source.place(decide),
                }),
                _ => None,
            }
        })
        .collect()
}

/// A decision that is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Defined {
    key: String,
    group: String,
    required: bool,
    /// The name of its const.
    name: String,
    /// Whether it has no value.
    flag: bool,
    /// Where it is defined; none in another crate.
    location: Option<Location>,
}

impl Defined {
    fn def(&self) -> DecisionDef<'_> {
        DecisionDef {
            key: &self.key,
            group: &self.group,
            required: self.required,
        }
    }

    /// The decision that a const is; none where that cannot be told.
    fn read(resolver: &Resolver<'_>, source: &ConstSource, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut methods = Vec::new();
        let mut at = &source.value;
        let mut read = loop {
            at = match at {
                ValueExpr::Method(receiver, name, arguments) => {
                    methods.push((name.as_str(), arguments));
                    receiver
                }
                ValueExpr::Call(path, arguments) => {
                    let callee = resolver.callee_in(path, source)?;
                    let flag = callee == FLAG;
                    if !flag && callee != NEW {
                        return None;
                    }
                    let key = resolver.text_in(arguments.first()?, source)?;
                    break Self {
                        group: key.clone(),
                        key,
                        required: false,
                        name: String::new(),
                        flag,
                        location: None,
                    };
                }
                // Another name of a decision.
                ValueExpr::Path(path) => {
                    break Self::read(resolver, &resolver.const_in(path, source)?, depth + 1)?;
                }
                _ => return None,
            };
        };
        for (method, arguments) in methods.into_iter().rev() {
            match (method, &arguments[..]) {
                ("group", [group]) => read.group = resolver.text_in(group, source)?,
                ("required", []) => read.required = true,
                _ => return None,
            }
        }
        read.name.clone_from(&source.name);
        read.location.clone_from(&source.location);
        Some(read)
    }

    /// The attribute that takes it.
    fn attribute(&self) -> String {
        let value = if self.flag { "" } else { " = .." };
        format!("`#[decide({}{value})]`", self.name)
    }

    /// Its name with its place, where that is known.
    fn placed(&self) -> String {
        match &self.location {
            Some(at) => format!("`{}` ({}:{})", self.name, at.file, at.line),
            None => format!("`{}`", self.name),
        }
    }
}

/// A decision that a controller or a route takes.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    /// None where it cannot be told.
    defined: Option<Defined>,
    at: At,
}

/// The decisions of a route.
#[derive(Debug)]
pub(super) struct OfRoute {
    own: Vec<Taken>,
    /// Those of its controller.
    inherited: Vec<Taken>,
    /// The name of the controller, and where that stands.
    controller: (String, At),
}

/// A type that a controller uses around its routes: a guard, perhaps.
#[derive(Debug)]
pub(super) struct Used {
    ty: Ty,
    at: At,
}

impl Used {
    /// A type written in an item.
    pub(super) fn new(item: &Item<'_>, ty: &TypeExpr, place: PlaceFact) -> Self {
        Self {
            ty: item.resolve(ty),
            at: item.at(place),
        }
    }
}

/// The decisions that attributes take at one place, which have one of each group.
pub(super) fn take(item: &Item<'_>, facts: &[DecideFact], cx: &mut Analysis<'_, '_>) -> Vec<Taken> {
    let mut taken: Vec<Taken> = Vec::new();
    for fact in facts {
        let source = cx.resolver.const_source(&fact.decision, &item.scope());
        let defined = source.and_then(|source| Defined::read(cx.resolver, &source, 0));
        let at = item.at(fact.place);
        let earlier = defined.as_ref().and_then(|defined| {
            taken.iter().find_map(|earlier| {
                let other = earlier.defined.as_ref()?;
                (other.group == defined.group).then_some((defined, other, earlier.at))
            })
        });
        if let Some((defined, other, first)) = earlier {
            let (message, hint) = if defined.key == other.key {
                (
                    format!("the decision {:?} is taken twice here", defined.key),
                    "remove one of them",
                )
            } else {
                (
                    format!(
                        "`{}` and `{}` are decisions of one group, {:?}",
                        other.name, defined.name, defined.group
                    ),
                    "they are alternatives: keep one of them",
                )
            };
            // A method with two verbs is met twice.
            let said = |report: &Report| report.at == at && report.message == message;
            if !cx.sink.0.iter().any(said) {
                cx.misuse(at, message, vec![hint.to_owned()])
                    .also("the first one", first);
            }
        }
        taken.push(Taken { defined, at });
    }
    taken
}

/// The decisions of a route below those of its controller.
pub(super) fn of_route(
    item: &Item<'_>,
    inherited: &[Taken],
    facts: &[DecideFact],
    cx: &mut Analysis<'_, '_>,
) -> OfRoute {
    OfRoute {
        own: take(item, facts, cx),
        inherited: inherited.to_vec(),
        controller: (item.display(), item.type_at()),
    }
}

/// A route, for messages about it.
pub(super) struct Decided<'a> {
    /// How it is called.
    pub(super) name: String,
    pub(super) at: At,
    pub(super) decisions: &'a OfRoute,
}

/// A decision the build has seen.
struct Seen {
    defined: Defined,
    /// Where it is taken, or where a guard that enforces it is used; none where it is only defined.
    at: Option<At>,
}

/// Checks that decisions agree with one another, and that no route lacks one.
pub(super) fn validate(routes: &[Decided<'_>], cx: &mut Validation<'_, '_>) {
    let taken = routes
        .iter()
        .flat_map(|route| route.decisions.inherited.iter().chain(&route.decisions.own));
    let mut seen = seen(cx.app.resolver, taken);
    let used: Vec<(Ty, At)> = cx
        .stored::<Used>()
        .map(|used| (used.ty.clone(), used.at))
        .collect();
    // A guard that stands in front of nothing requires nothing. It may know what there is to take.
    let (placed, elsewhere): (Vec<Seen>, Vec<Seen>) = enforced(cx.app.resolver, &used)
        .into_iter()
        .partition(|found| found.at.is_some());
    seen.extend(placed);
    let seen = in_order(seen);
    let elsewhere = in_order(elsewhere);
    let unclear = contradictions(&seen, cx);
    let mut required: BTreeMap<&str, Vec<&Defined>> = BTreeMap::new();
    for found in &seen {
        if found.defined.required && !unclear.contains(&found.defined.group) {
            required.entry(&found.defined.group).or_default();
        }
    }
    for found in seen.iter().chain(&elsewhere) {
        if let Some(of_group) = required.get_mut(found.defined.group.as_str())
            && !of_group.iter().any(|other| other.key == found.defined.key)
        {
            of_group.push(&found.defined);
        }
    }
    for route in routes {
        let OfRoute {
            own,
            inherited,
            controller,
        } = route.decisions;
        let all = || own.iter().chain(inherited);
        if all().any(|taken| taken.defined.is_none()) {
            continue;
        }
        let decided: BTreeSet<&str> = all()
            .filter_map(|taken| Some(taken.defined.as_ref()?.group.as_str()))
            .collect();
        for (group, of_group) in &required {
            if !decided.contains(group) {
                missing(route, controller, group, of_group, cx);
            }
        }
    }
}

/// ZNIGHT023: a route without a decision of a group.
fn missing(
    route: &Decided<'_>,
    (controller, controller_at): &(String, At),
    group: &str,
    of_group: &[&Defined],
    cx: &mut Validation<'_, '_>,
) {
    let mut attributes: Vec<String> = of_group.iter().map(|found| found.attribute()).collect();
    attributes.sort();
    let by = of_group.iter().find(|found| found.required);
    let mut hints = vec![format!(
        "add {} to the route or to {controller}",
        attributes.join(" or ")
    )];
    hints.extend(by.map(|by| format!("the group is required by {}", by.placed())));
    let report = cx.error(
        ErrorCode::MissingDecision,
        route.at,
        format!(
            "{} has no decision of the required group {group:?}",
            route.name
        ),
        hints,
    );
    if let Some(location) = by.and_then(|by| by.location.clone()) {
        report.also_in(format!("the group {group:?} is required here"), location);
    }
    report.also("the controller", *controller_at);
}

/// The decisions that the program defines, and those that are taken.
fn seen<'t>(resolver: &Resolver<'_>, taken: impl Iterator<Item = &'t Taken>) -> Vec<Seen> {
    let sources = resolver.consts(may_be_decision);
    let defined = sources.iter().filter_map(|source| {
        Some(Seen {
            defined: Defined::read(resolver, source, 0)?,
            at: None,
        })
    });
    let mut seen: Vec<Seen> = defined.collect();
    seen.extend(taken.filter_map(|taken| {
        Some(Seen {
            defined: taken.defined.clone()?,
            at: Some(taken.at),
        })
    }));
    seen
}

/// Whether a value looks like that of a decision: most consts do not have to be looked at.
fn may_be_decision(value: &ValueExpr) -> bool {
    match value {
        ValueExpr::Call(path, _) => matches!(path.last(), "new" | "flag"),
        ValueExpr::Method(receiver, ..) => may_be_decision(receiver),
        _ => false,
    }
}

/// The decisions that guards enforce, as far as that can be read, with where a guard is used, if it is among
/// these types.
fn enforced(resolver: &Resolver<'_>, used: &[(Ty, At)]) -> Vec<Seen> {
    let mut found = Vec::new();
    let guard = Found::Foreign(GUARD.to_owned());
    for item in &resolver.program.items {
        let ItemKind::Impl(fact) = &item.fact.kind else {
            continue;
        };
        let cfg = &resolver.program.crate_of(item.module).cfg;
        let enforces = fact.consts.iter().find(|member| {
            member.name == ENFORCES && cfg.allows(&member.conditions, resolver.world)
        });
        let Some(enforces) = enforces.filter(|_| item.live.within(resolver.world)) else {
            continue;
        };
        let mut scope = Scope::module(item.module).with_params(&fact.generics);
        let of_guard = resolver
            .trait_ref(&fact.path, &scope)
            .is_some_and(|implemented| implemented.path == guard);
        if !of_guard {
            continue;
        }
        let self_ty = resolver.ty(&fact.self_ty, &scope);
        let at = used
            .iter()
            .find_map(|(ty, at)| unify(&self_ty, ty, &mut Substitution::new()).then_some(*at));
        scope.self_ty = Some(Box::new(self_ty));
        let mut list = &enforces.is.value;
        while let ValueExpr::Ref(inner) = list {
            list = inner;
        }
        let ValueExpr::List(entries) = list else {
            continue;
        };
        for entry in entries {
            let mut entry = entry;
            while let ValueExpr::Ref(inner) = entry {
                entry = inner;
            }
            let ValueExpr::Path(path) = entry else {
                continue;
            };
            let source = resolver.const_source(path, &scope);
            let defined = source.and_then(|source| Defined::read(resolver, &source, 0));
            found.extend(defined.map(|defined| Seen { defined, at }));
        }
    }
    found
}

/// Each decision once: those of other crates first, then by where they are defined.
fn in_order(mut seen: Vec<Seen>) -> Vec<Seen> {
    seen.sort_by(|a, b| {
        let key = |seen: &Seen| (seen.defined.location.clone(), seen.defined.key.clone());
        key(a).cmp(&key(b))
    });
    let mut kept: Vec<Seen> = Vec::new();
    for found in seen {
        if !kept.iter().any(|known| known.defined == found.defined) {
            kept.push(found);
        }
    }
    kept
}

/// ZNIGHT005: decisions with wrong names, and decisions that contradict one another; the groups these are of.
fn contradictions(seen: &[Seen], cx: &mut Validation<'_, '_>) -> BTreeSet<String> {
    let mut unclear = BTreeSet::new();
    // Those that stand: what contradicts one of them is said once, and compared with no other.
    let mut sound: Vec<&Defined> = Vec::new();
    for found in seen {
        let defined = &found.defined;
        if let Err(flaw) = defined.def().check() {
            unclear.insert(defined.group.clone());
            let message = format!("`{}`: {}", defined.name, flaw.message());
            report(found, message, Vec::new(), None, cx);
            continue;
        }
        let clash = sound
            .iter()
            .find_map(|other| Some((defined.def().clash(other.def())?, *other)));
        if let Some((clash, other)) = clash {
            unclear.extend([defined.group.clone(), other.group.clone()]);
            let message = format!(
                "`{}` is the decision {}, and `{}` is {}",
                defined.name,
                defined.def(),
                other.name,
                other.def()
            );
            let hints = vec![
                clash.hint().to_owned(),
                format!("the other one is {}", other.placed()),
            ];
            report(found, message, hints, other.location.clone(), cx);
        } else {
            sound.push(defined);
        }
    }
    unclear
}

/// Reports a decision where it is defined, which no attribute stands at, or else where it is named.
fn report(
    found: &Seen,
    message: String,
    hints: Vec<String>,
    other: Option<Location>,
    cx: &mut Validation<'_, '_>,
) {
    const OTHER: &str = "the other decision";
    match (&found.defined.location, found.at) {
        (Some(location), _) => cx.loose.push(Diagnostic {
            code: ErrorCode::InvalidAttribute,
            severity: Severity::Error,
            message,
            hints,
            place: Place::elsewhere(location.clone()),
            related: other
                .map(|place| Related {
                    message: OTHER.to_owned(),
                    place,
                })
                .into_iter()
                .collect(),
            worlds: Worlds::Both,
        }),
        (None, Some(at)) => {
            let report = cx.misuse(at, message, hints);
            if let Some(other) = other {
                report.also_in(OTHER, other);
            }
        }
        // Everything seen is one or the other.
        (None, None) => {}
    }
}

/// Whether a provider is a guard, as far as text tells.
pub(crate) fn is_guard(app: &Application<'_>, provider: &Provider) -> bool {
    let guard = TraitRef {
        path: Found::Foreign(GUARD.to_owned()),
        args: Vec::new(),
        bindings: Vec::new(),
    };
    matches!(provider.ty, Ty::Local(..))
        && app.traits.implementation(&provider.ty, &guard).is_some()
}

/// Whether the glue of a provider says that it is a guard: that of a library is what its own build wrote.
pub(crate) fn has_glue(app: &Application<'_>, shared: &Libraries, provider: &Provider) -> bool {
    if matches!(provider.origin, Origin::Host(_)) {
        return false;
    }
    match shared.get(&provider.origin) {
        Some(written) => written.guard,
        None => is_guard(app, provider),
    }
}

/// The guards of the graph.
pub(super) fn guards(cx: &Generation<'_, '_>) -> impl Iterator<Item = Node> {
    let providers = cx.app.providers.iter();
    providers
        .filter(|provider| has_glue(cx.app, cx.shared, provider))
        .map(|provider| {
            Node::glue(
                emit::marker(cx.app, provider),
                "znight::__private::http::GuardOf",
                emit::provider_id(emit::token(cx.shared, provider)),
                "G",
            )
        })
}

/// The decisions the program defines or takes, for the check at start.
pub(super) fn defined<'t>(
    cx: &Generation<'_, '_>,
    routes: impl Iterator<Item = &'t OfRoute>,
) -> Vec<Node> {
    let taken = routes.flat_map(|route| route.inherited.iter().chain(&route.own));
    let seen = seen(cx.app.resolver, taken);
    let defs: BTreeSet<DecisionDef<'_>> = seen.iter().map(|found| found.defined.def()).collect();
    let nodes = defs.into_iter().map(|def| {
        Node::record(
            "znight::__private::http::DecisionDef",
            [
                ("key", Node::text(def.key)),
                ("group", Node::text(def.group)),
                ("required", Node::bool(def.required)),
            ],
        )
    });
    nodes.collect()
}
