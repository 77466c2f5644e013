//! Which types a validator is derived or written for, and whether its feature of the run time is on.

use std::collections::BTreeMap;

use znight_contract::{ErrorCode, RELEASE_LINE, codes::Severity};

use super::{
    Validation,
    class::declaration,
    contexts::ConditionalReport,
    inputs::{Handler, allow_hint, declared, with_schema},
};
use crate::{
    facts::{ItemKind, PathExpr, ValueExpr},
    model::Report,
    resolve::{Found, ItemId, ModuleId, Resolver, Scope, Ty},
};

/// The derives and traits of both validators are named so.
const VALIDATE: &str = "Validate";

/// The types of a program that a validator is derived or written for.
pub(super) struct Validated<'a> {
    resolver: &'a Resolver<'a>,
    /// The traits of impls by hand, each with the module it is named in.
    by_hand: BTreeMap<ItemId, Vec<(ModuleId, &'a PathExpr)>>,
}

/// What checks a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checker {
    Garde,
    Validator,
    /// One of them, or both.
    Either,
}

impl<'a> Validated<'a> {
    pub(super) fn new(resolver: &'a Resolver<'a>) -> Self {
        let mut by_hand: BTreeMap<ItemId, Vec<(ModuleId, &PathExpr)>> = BTreeMap::new();
        for item in &resolver.program.items {
            let ItemKind::Impl(fact) = &item.fact.kind else {
                continue;
            };
            if fact.path.last() != VALIDATE || !item.live.within(resolver.world) {
                continue;
            }
            let scope = Scope::module(item.module).with_params(&fact.generics);
            if let Ty::Local(of, _) = resolver.ty(&fact.self_ty, &scope) {
                let impls = by_hand.entry(of).or_default();
                impls.push((item.module, &fact.path));
            }
        }
        Self { resolver, by_hand }
    }

    /// Whether a type seems to have a validator: a derive behind a condition counts.
    pub(super) fn has(&self, item: ItemId) -> bool {
        let derived = match &self.resolver.program.items[item].fact.kind {
            ItemKind::Struct(fact) | ItemKind::Other(fact) => {
                fact.derives.iter().any(|derive| derive == VALIDATE)
            }
            _ => false,
        };
        derived || self.by_hand.contains_key(&item)
    }

    /// What checks a type, and whether that is derived; none where nothing does, as far as can be seen.
    pub(super) fn of(&self, item: ItemId) -> Option<(Checker, bool)> {
        if !self.has(item) {
            return None;
        }
        let module = self.resolver.program.items[item].module;
        let Some(class) = declaration(self.resolver, item) else {
            return Some((Checker::Either, true));
        };
        // Derives that a condition switches off are not among these.
        let derives = class
            .attributes
            .iter()
            .filter(|attribute| attribute.path == "derive")
            .flat_map(|attribute| &attribute.arguments)
            .filter_map(|argument| match &argument.written {
                ValueExpr::Path(path) if path.last() == VALIDATE => Some((module, path)),
                _ => None,
            });
        let derives: Vec<(ModuleId, &PathExpr)> = derives.collect();
        let impls = self.by_hand.get(&item).into_iter().flatten();
        let all = derives.iter().chain(impls);
        let mut checkers = all.map(|(module, path)| self.checker(*module, path));
        let first = checkers.next()?;
        let checker = if checkers.all(|other| other == first) {
            first
        } else {
            Checker::Either
        };
        Some((checker, !derives.is_empty()))
    }

    /// The validator that a path of a derive or a trait belongs to.
    fn checker(&self, module: ModuleId, path: &PathExpr) -> Checker {
        let found = self.resolver.path(module, &path.names(), path.absolute);
        let Found::Foreign(found) = found else {
            return Checker::Either;
        };
        match found.split("::").next() {
            Some("garde" | "garde_derive") => Checker::Garde,
            Some("validator" | "validator_derive") => Checker::Validator,
            _ => Checker::Either,
        }
    }
}

impl Checker {
    /// The macro of the run time that hands on what is only so without the feature.
    fn without(self) -> &'static str {
        match self {
            Self::Garde => "http::without_garde",
            Self::Validator => "http::without_validator",
            Self::Either => "http::without_validation",
        }
    }

    /// The trait, as it stands in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Garde => "garde::Validate",
            Self::Validator => "validator::Validate",
            Self::Either => VALIDATE,
        }
    }

    /// Why it does nothing.
    fn off(self) -> &'static str {
        match self {
            Self::Garde => "the feature `garde` of znight is off",
            Self::Validator => "the feature `validator` of znight is off",
            Self::Either => "neither the feature `garde` nor `validator` of znight is on",
        }
    }

    /// How to switch it on.
    fn switch(self) -> String {
        let line = |feature: &str| {
            format!("`znight = {{ version = \"{RELEASE_LINE}\", features = [\"{feature}\"] }}`")
        };
        match self {
            Self::Garde => format!("switch it on in Cargo.toml: {}", line("garde")),
            Self::Validator => format!("switch it on in Cargo.toml: {}", line("validator")),
            Self::Either => format!(
                "switch on that of its validator in Cargo.toml: {}, or `\"validator\"`",
                line("garde")
            ),
        }
    }
}

/// ZNIGHT017: input that has a validator, which does nothing where its feature is off. Only the run time
/// knows which features it has.
pub(super) fn validate(cx: &mut Validation<'_, '_>, handlers: &[Handler<'_>]) {
    let validated = Validated::new(cx.app.resolver);
    for handler in handlers {
        let item = &handler.item;
        // A library's own build says what is wrong with its items.
        if !item.program().is_own(item.occurrence.file) {
            continue;
        }
        for input in &handler.inputs {
            let ty = item.resolve(&input.ty);
            let Some((of, _)) = declared(&ty) else {
                continue;
            };
            let Some((checker, is_derived)) = validated.of(of) else {
                continue;
            };
            let name = item.program().item_name(of);
            let has = if is_derived { "derives" } else { "implements" };
            let mut hints = vec![checker.switch()];
            hints.extend(
                input
                    .what
                    .as_deref()
                    .map(|what| format!("or name what checks it: `#[{}]`", with_schema(what))),
            );
            hints.push(allow_hint("where handlers validate by themselves"));
            cx.conditional.push(ConditionalReport {
                report: Report {
                    code: ErrorCode::UnvalidatedInput,
                    severity: Severity::Warning,
                    message: format!(
                        "`{}` takes {name}, which {has} `{}`, and {}: nothing validates it",
                        handler.name,
                        checker.name(),
                        checker.off()
                    ),
                    hints,
                    at: item.at(input.place),
                    related: Vec::new(),
                },
                only: checker.without(),
            });
        }
    }
}
