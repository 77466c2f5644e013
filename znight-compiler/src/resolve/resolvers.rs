//! Which providers compute the parameters of a type.

use super::{Found, Resolver, Scope, Substitution, Ty, unify};
use crate::{facts::ItemKind, packages::FACADE};

impl Resolver<'_> {
    /// The types that impls of `ResolvedBy` name for a type.
    pub(crate) fn resolvers_of(&self, wanted: &Ty) -> Vec<Ty> {
        let by = Found::Foreign(format!("{FACADE}::ResolvedBy"));
        let mut found = Vec::new();
        for item in &self.program.items {
            let ItemKind::Impl(fact) = &item.fact.kind else {
                continue;
            };
            let named = fact.path.segments.last().is_some_and(|last| {
                // Whatever it is imported as, it has one argument.
                last.args.len() == 1
            });
            if !named || !item.live.within(self.world) {
                continue;
            }
            let scope = Scope::module(item.module).with_params(&fact.generics);
            let Some(implemented) = self.trait_ref(&fact.path, &scope) else {
                continue;
            };
            if implemented.path != by {
                continue;
            }
            let self_ty = self.ty(&fact.self_ty, &scope);
            let mut with = Substitution::new();
            if unify(&self_ty, wanted, &mut with) {
                found.extend(implemented.args.into_iter().map(|ty| ty.substitute(&with)));
            }
        }
        found
    }
}
