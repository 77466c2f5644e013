//! The values of arguments that must be known: names, scopes, paths.

use znight_contract::ScopeKind;
use znight_syntax::check::{self, Finding, Rule};

use super::injections::Reader;
use crate::{
    extension::value_by_rule,
    facts::{ArgumentFact, PlaceFact, ProviderArgsFact},
    model::{Occurrence, Sink},
    resolve::{Resolver, Scope, Value},
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
        match value_by_rule(self.resolver, &self.scope, argument, rule) {
            Ok(value) => return Some(value),
            Err(Some(finding)) => self.finding(argument.place, finding, sink),
            Err(None) => {}
        }
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
