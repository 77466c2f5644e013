//! The values of arguments that must be known: names, scopes, paths.

use znight_contract::{ScopeKind, path::RoutePath};
use znight_syntax::check::{self, Finding, RoutePart, Rule};

use super::injections::Reader;
use crate::{
    facts::{ArgumentFact, ControllerFact, PlaceFact, ProviderArgsFact},
    model::{Occurrence, RouteEntry, Sink},
    resolve::{Refusal, Resolver, Scope, Value},
};

/// What the arguments of a provider come to.
#[derive(Debug)]
pub(super) struct ProviderArgs {
    /// How long an instance lives.
    pub(super) scope: ScopeKind,
    /// The qualifier.
    pub(super) name: Option<String>,
    /// Whether there is a qualifier nobody can tell.
    pub(super) name_unknown: bool,
    /// Whether all could be evaluated.
    pub(super) complete: bool,
}

impl Reader<'_> {
    /// The value of an argument; none when it cannot be told or breaks its rule, which has been reported.
    pub(super) fn argument<T>(
        &self,
        argument: &ArgumentFact,
        rule: &Rule<T>,
        sink: &mut Sink,
    ) -> Option<T> {
        let finding = match self.resolver.evaluate(&argument.value, &self.scope) {
            Ok(Value::Text(text)) => match (rule.check)(&text) {
                Ok(value) => return Some(value),
                Err(finding) => self.with_origin(argument, finding),
            },
            Ok(other) => {
                self.with_origin(argument, check::not_a_string(rule.what, &other.describe()))
            }
            Err(Refusal { reason: None, .. }) => return None,
            Err(Refusal {
                reason: Some(reason),
                inside,
            }) => {
                let inside = inside
                    .map(|(name, place)| format!(" (in `{name}`, {place})"))
                    .unwrap_or_default();
                let message = format!("{} cannot be evaluated: {reason}{inside}", rule.what);
                check::unknown(message, rule.example)
            }
        };
        self.finding(argument.place, finding, sink);
        None
    }

    /// What the arguments of a provider come to.
    ///
    /// A scope nobody can tell is taken for "transient", the one that fits wherever it is injected.
    pub(super) fn provider_args(
        &self,
        args: &ProviderArgsFact,
        asyncness: Option<PlaceFact>,
        sink: &mut Sink,
    ) -> ProviderArgs {
        let scope = self.scope_of(args.scope.as_ref(), sink);
        // What is known by a literal has been checked where it stands.
        let evaluated = args.scope.as_ref().is_some_and(|scope| scope.key.is_some());
        if let (Some(scope), Some(place), true) = (scope, asyncness, evaluated)
            && let Some(finding) = check::asyncness(scope)
        {
            self.finding(place, finding, sink);
        }
        let name = args
            .name
            .as_ref()
            .map(|name| self.argument(name, &check::PROVIDER_NAME, sink));
        ProviderArgs {
            scope: scope.unwrap_or(ScopeKind::Transient),
            complete: scope.is_some() && name != Some(None),
            name_unknown: name == Some(None),
            name: name.flatten(),
        }
    }

    /// A scope, which is that of singletons without an argument; none when it cannot be told.
    pub(super) fn scope_of(
        &self,
        scope: Option<&ArgumentFact>,
        sink: &mut Sink,
    ) -> Option<ScopeKind> {
        match scope {
            Some(scope) => self.argument(scope, &check::SCOPE, sink),
            None => Some(ScopeKind::Singleton),
        }
    }

    /// The routes of a controller that exist in this world, and whether all of them could be told.
    pub(super) fn routes(
        &self,
        controller: &ControllerFact,
        sink: &mut Sink,
    ) -> (Vec<RouteEntry>, bool) {
        let mut entries = Vec::new();
        let Some(base) = self.path(controller.path.as_ref(), sink) else {
            return (entries, false);
        };
        let mut complete = true;
        let is_literal =
            |path: &Option<ArgumentFact>| path.as_ref().is_none_or(|path| path.key.is_none());
        for route in &controller.routes {
            if !self.is_live(&route.conditions) {
                continue;
            }
            let Some(path) = self.path(route.path.as_ref(), sink) else {
                complete = false;
                continue;
            };
            // What is known by literals has been checked where it stands.
            if !(is_literal(&controller.path) && is_literal(&route.path)) {
                let takes: Vec<_> = route.takes.iter().map(|(takes, _)| takes.clone()).collect();
                for (part, finding) in check::route(&base, &path, &route.handler, &takes) {
                    let place = match part {
                        RoutePart::Path => route.place,
                        RoutePart::Param(index) => route.takes[index].1,
                    };
                    self.finding(place, finding, sink);
                }
            }
            if let Ok(path) = base.join(&path) {
                entries.push(RouteEntry {
                    method: route.method.clone(),
                    path,
                    handler: route.handler.clone(),
                    at: self.at(route.place),
                });
            }
        }
        (entries, complete)
    }

    fn path(&self, path: Option<&ArgumentFact>, sink: &mut Sink) -> Option<RoutePath> {
        match path {
            Some(path) => self.argument(path, &check::PATH, sink),
            None => Some(RoutePath::root()),
        }
    }

    /// Adds where the value comes from: the argument only names it.
    fn with_origin(&self, argument: &ArgumentFact, finding: Finding) -> Finding {
        match self.resolver.value_given_at(&argument.value, &self.scope) {
            Some(place) => finding.hint(format!("its value is given at {place}")),
            None => finding,
        }
    }

    fn finding(&self, place: PlaceFact, finding: Finding, sink: &mut Sink) {
        sink.error(finding.code, self.at(place), finding.message, finding.hints);
    }
}

/// The texts of an item's arguments that are no literals, by their keys, as far as they have one.
pub(crate) fn texts(resolver: &Resolver<'_>, occurrence: &Occurrence) -> Vec<(u64, String)> {
    let parsed = &occurrence.marked.parsed;
    let arguments = parsed.arguments();
    if arguments.iter().all(|argument| argument.key.is_none()) {
        return Vec::new();
    }
    let mut scope = Scope::module(resolver.program.items[occurrence.item].module);
    if let Some(self_ty) = parsed.self_ty() {
        scope.self_ty = Some(Box::new(resolver.ty(self_ty, &scope)));
    }
    let mut found: Vec<(u64, String)> = arguments
        .into_iter()
        .filter_map(|argument| {
            let key = argument.key?;
            match resolver.evaluate(&argument.value, &scope) {
                Ok(Value::Text(text)) => Some((key, text)),
                _ => None,
            }
        })
        .collect();
    found.sort();
    found.dedup();
    found
}
