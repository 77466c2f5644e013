//! What a path means where a value stands: consts, associated consts, variants.
//!
//! Values have names of their own: a type and a const of one name live side by side. All but the last
//! segment of a path is looked up among the types.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, ItemId, ModuleId, Resolver, Scope, Ty, foreign, globs::Step};
use crate::facts::{ConstFact, ItemKind, MemberFact, PathExpr, TypeExpr};

/// The values that are being looked up: a loop of imports ends where it closes.
pub(super) type Open = BTreeSet<(ModuleId, String)>;

/// What a path to a value means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FoundValue {
    /// A const, static or function of the program, or a struct without fields.
    Item(ItemId),
    /// A const of an inherent impl, by its position there.
    Member(ItemId, usize),
    /// A variant of an enum of the program.
    Variant(ItemId, String),
    /// Something of a primitive type: `u8::MAX`.
    Primitive(&'static str, String),
    /// Something of another crate, by its path.
    Foreign(String),
    /// A type has it from elsewhere than its inherent impls: from a trait, say.
    Inherited(Ty),
    /// Several globs or impls have it.
    Ambiguous,
    /// Nothing has that name: rustc says so as well.
    Missing,
    /// It may exist where the analysis cannot look.
    Unknown,
}

impl Resolver<'_> {
    /// What a path to a value means at a place.
    pub(super) fn value_path(&self, path: &PathExpr, scope: &Scope) -> FoundValue {
        let names = path.names();
        let Some((last, before)) = names.split_last() else {
            return FoundValue::Missing;
        };
        match before {
            [] => self.value_in(scope.module, last, scope.module, &mut Open::new()),
            ["Self"] => match &scope.self_ty {
                Some(ty) => self.value_of(ty, last),
                None => FoundValue::Unknown,
            },
            _ => match self.path(scope.module, before, path.absolute) {
                Found::Module(module) => {
                    self.value_in(module, last, scope.module, &mut Open::new())
                }
                Found::Item(_) | Found::Primitive(_) => {
                    // By way of the type, which sees through aliases.
                    let ty = TypeExpr::Path(PathExpr {
                        absolute: path.absolute,
                        segments: path.segments[..before.len()].to_vec(),
                    });
                    self.value_of(&self.ty(&ty, scope), last)
                }
                found => unfollowed(found, last),
            },
        }
    }

    /// The const a path means, with where it stands; the meaning of the path when it is no const.
    pub(super) fn const_at(&self, found: &FoundValue) -> Option<(&ConstFact, Scope)> {
        let fact = |item: ItemId| &self.program.items[item].fact.kind;
        match found {
            FoundValue::Item(item) => match fact(*item) {
                ItemKind::Const(found) => {
                    Some((found, Scope::module(self.program.items[*item].module)))
                }
                _ => None,
            },
            FoundValue::Member(item, index) => match fact(*item) {
                ItemKind::Inherent(found) => {
                    let mut scope = Scope::module(self.program.items[*item].module);
                    scope.self_ty = Some(Box::new(self.ty(&found.self_ty, &scope)));
                    Some((&found.consts[*index].is, scope))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `src/users/mod.rs:3` of what a path means, where that stands in the program.
    pub(super) fn value_place(&self, found: &FoundValue) -> Option<String> {
        match found {
            FoundValue::Item(item) => Some(self.program.place(*item)),
            FoundValue::Member(item, index) => {
                let holder = &self.program.items[*item];
                let ItemKind::Inherent(fact) = &holder.fact.kind else {
                    return None;
                };
                let file = self.program.file_name(holder.file);
                Some(format!("{file}:{}", fact.consts[*index].name_at.line))
            }
            _ => None,
        }
    }

    /// A value of a module, as far as it is visible from `from`.
    pub(super) fn value_in(
        &self,
        module: ModuleId,
        name: &str,
        from: ModuleId,
        seen: &mut Open,
    ) -> FoundValue {
        // Loops of imports are cut where they close.
        if !seen.insert((module, name.to_owned())) {
            return FoundValue::Missing;
        }
        let found = self.value_fresh(module, name, from, seen);
        seen.remove(&(module, name.to_owned()));
        found
    }

    fn value_fresh(
        &self,
        module: ModuleId,
        name: &str,
        from: ModuleId,
        seen: &mut Open,
    ) -> FoundValue {
        if let Some(found) = self.explicit_value(module, name, from, seen) {
            return found;
        }
        let mut globs = Vec::new();
        let mut unknown = false;
        self.each_glob(module, from, &mut |step| {
            let found = match step {
                Step::Opaque => FoundValue::Unknown,
                Step::Module(target, viewer) => {
                    match self.explicit_value(target, name, viewer, seen) {
                        Some(found) => found,
                        None => return true,
                    }
                }
                // Preludes hold no consts.
                Step::Other(Found::Foreign(path), _) if foreign::is_prelude(path) => {
                    FoundValue::Missing
                }
                Step::Other(holder, viewer) => {
                    self.value_behind(holder.clone(), name, viewer, seen)
                }
            };
            match found {
                FoundValue::Missing => {}
                // What another crate's glob brings, or an enum's, cannot be told.
                FoundValue::Unknown | FoundValue::Foreign(_) | FoundValue::Variant(..) => {
                    unknown = true;
                }
                found => globs.push(found),
            }
            false
        });
        globs.sort();
        globs.dedup();
        match globs.len() {
            0 if unknown => FoundValue::Unknown,
            0 => FoundValue::Missing,
            1 => globs.remove(0),
            _ => FoundValue::Ambiguous,
        }
    }

    /// A value that a module declares or imports by name.
    fn explicit_value(
        &self,
        module: ModuleId,
        name: &str,
        from: ModuleId,
        seen: &mut Open,
    ) -> Option<FoundValue> {
        let data = &self.program.modules[module];
        let live = |id: &ItemId| {
            let item = &self.program.items[*id];
            item.live.within(self.world)
                && self.program.visible(&item.fact.visibility, module, from)
        };
        let declared = data.by_name.get(name).into_iter().flatten();
        let is_value = |id: &ItemId| match &self.program.items[*id].fact.kind {
            ItemKind::Const(_) | ItemKind::Static | ItemKind::Function => true,
            ItemKind::Struct(fact) => fact.unit,
            _ => false,
        };
        if let Some(id) = declared.copied().filter(live).find(is_value) {
            return Some(FoundValue::Item(id));
        }
        for (id, uses) in self.uses(module) {
            if !live(&id) {
                continue;
            }
            for fact in uses
                .iter()
                .filter(|fact| fact.alias.as_deref() == Some(name))
            {
                let names: Vec<&str> = fact.path.iter().map(String::as_str).collect();
                let Some((last, before)) = names.split_last() else {
                    continue;
                };
                let holder = self.holder(module, before, fact.absolute);
                match self.value_behind(holder, last, module, seen) {
                    // The name may be imported from another namespace.
                    FoundValue::Missing => {}
                    found => return Some(found),
                }
            }
        }
        None
    }

    /// A value by its name behind what an import leads to.
    fn value_behind(
        &self,
        holder: Found,
        name: &str,
        from: ModuleId,
        seen: &mut Open,
    ) -> FoundValue {
        match holder {
            Found::Module(target) => self.value_in(target, name, from, seen),
            // Associated consts cannot be imported: it is a variant.
            Found::Item(item)
                if matches!(self.program.items[item].fact.kind, ItemKind::Other(_)) =>
            {
                FoundValue::Variant(item, name.to_owned())
            }
            Found::Item(_) | Found::Primitive(_) => FoundValue::Missing,
            found => unfollowed(found, name),
        }
    }

    /// A value by its name behind a type.
    fn value_of(&self, ty: &Ty, name: &str) -> FoundValue {
        match ty {
            Ty::Local(item, _) => self.member(*item, name).unwrap_or_else(|| {
                // The variants are not read: what is no const is one.
                if matches!(self.program.items[*item].fact.kind, ItemKind::Other(_)) {
                    FoundValue::Variant(*item, name.to_owned())
                } else {
                    FoundValue::Inherited(ty.clone())
                }
            }),
            Ty::Foreign(path, _) => FoundValue::Foreign(format!("{path}::{name}")),
            Ty::Primitive(primitive) => FoundValue::Primitive(primitive, name.to_owned()),
            Ty::Missing(_) => FoundValue::Missing,
            _ => FoundValue::Unknown,
        }
    }

    /// A const of the inherent impls of a type.
    fn member(&self, item: ItemId, name: &str) -> Option<FoundValue> {
        let mut found = None;
        for holder in self.inherent().get(&item).into_iter().flatten() {
            let ItemKind::Inherent(fact) = &self.program.items[*holder].fact.kind else {
                continue;
            };
            let cfg = &self
                .program
                .crate_of(self.program.items[*holder].module)
                .cfg;
            let is = |member: &MemberFact| {
                member.name == name && cfg.allows(&member.conditions, self.world)
            };
            if let Some(index) = fact.consts.iter().position(is) {
                let earlier = found.replace(FoundValue::Member(*holder, index));
                if earlier.is_some() {
                    return Some(FoundValue::Ambiguous);
                }
            }
        }
        found
    }

    /// The inherent impls, by the types they are of.
    pub(crate) fn inherent(&self) -> &BTreeMap<ItemId, Vec<ItemId>> {
        self.inherent.get_or_init(|| {
            let mut found: BTreeMap<ItemId, Vec<ItemId>> = BTreeMap::new();
            for (id, item) in self.program.items.iter().enumerate() {
                if let ItemKind::Inherent(fact) = &item.fact.kind
                    && item.live.within(self.world)
                    && let Ty::Local(ty, _) = self.ty(&fact.self_ty, &Scope::module(item.module))
                {
                    found.entry(ty).or_default().push(id);
                }
            }
            found
        })
    }
}

/// What a name means behind something that is not looked into.
fn unfollowed(found: Found, name: &str) -> FoundValue {
    match found {
        Found::Foreign(path) => FoundValue::Foreign(format!("{path}::{name}")),
        Found::Missing => FoundValue::Missing,
        Found::Ambiguous => FoundValue::Ambiguous,
        Found::Module(_) | Found::Item(_) | Found::Primitive(_) | Found::Unknown => {
            FoundValue::Unknown
        }
    }
}
