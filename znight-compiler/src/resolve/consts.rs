//! Consts as they are written, in the program or in another crate whose sources can be read.

use std::collections::BTreeSet;

use super::{
    CrateId, FileId, ItemId, Resolver, Scope, Value,
    follow::{Follower, Key, Target},
    foreign,
    values::FoundValue,
};
use crate::{
    diagnostic::Location,
    facts::{ItemKind, PathExpr, UseFact, ValueExpr},
    packages::FACADE,
    source::Span,
};

/// A const.
#[derive(Debug, Clone)]
pub(crate) struct ConstSource {
    /// Its name.
    pub(crate) name: String,
    /// Its value as written.
    pub(crate) value: ValueExpr,
    /// Where its name stands; none in another crate.
    pub(crate) location: Option<Location>,
    at: Where,
}

/// Where names in a const are looked up.
#[derive(Debug, Clone)]
enum Where {
    /// A module of the program.
    Here(Scope),
    /// A module of another crate, followed from a crate of the program.
    Elsewhere(Key),
}

/// The modules of other crates a const has been looked for in: each is looked into once.
type Seen = BTreeSet<Key>;

impl Resolver<'_> {
    /// The const that a path written in the program means; none where that cannot be told.
    pub(crate) fn const_source(&self, path: &PathExpr, scope: &Scope) -> Option<ConstSource> {
        match self.value_path(path, scope) {
            FoundValue::Item(item) => self.const_of_item(item),
            FoundValue::Member(item, index) => self.const_of_impl(item, index),
            FoundValue::Foreign(found) => {
                let krate = self.program.modules[scope.module].krate;
                self.const_elsewhere(krate, &found)
            }
            _ => None,
        }
    }

    /// The consts of the program whose values look like that, those of impls among them, in its order.
    pub(crate) fn consts(&self, looks: fn(&ValueExpr) -> bool) -> Vec<ConstSource> {
        let mut found = Vec::new();
        for (id, item) in self.program.items.iter().enumerate() {
            if !item.live.within(self.world) {
                continue;
            }
            match &item.fact.kind {
                ItemKind::Const(fact) if looks(&fact.value) => {
                    found.extend(self.const_of_item(id));
                }
                ItemKind::Inherent(fact) => {
                    let cfg = &self.program.crate_of(item.module).cfg;
                    for (index, member) in fact.consts.iter().enumerate() {
                        if looks(&member.is.value) && cfg.allows(&member.conditions, self.world) {
                            found.extend(self.const_of_impl(id, index));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The const a path means that is written in the value of another one.
    pub(crate) fn const_in(&self, path: &PathExpr, source: &ConstSource) -> Option<ConstSource> {
        match &source.at {
            Where::Here(scope) => self.const_source(path, scope),
            Where::Elsewhere(key) => {
                self.followed()?
                    .follower()
                    .const_at(key, path, &mut Seen::new())
            }
        }
    }

    /// The path of the function of another crate that is called in the value of a const.
    pub(crate) fn callee_in(&self, path: &PathExpr, source: &ConstSource) -> Option<String> {
        match &source.at {
            Where::Here(scope) => match self.value_path(path, scope) {
                FoundValue::Foreign(found) => Some(found),
                _ => None,
            },
            Where::Elsewhere(key) => self.followed()?.follower().callee(key, path),
        }
    }

    /// The text that an expression in the value of a const stands for.
    pub(crate) fn text_in(&self, value: &ValueExpr, source: &ConstSource) -> Option<String> {
        match (&source.at, value) {
            (Where::Here(scope), value) => match self.evaluate(value, scope).ok()? {
                Value::Text(text) => Some(text),
                _ => None,
            },
            (Where::Elsewhere(_), ValueExpr::Str(text)) => Some(text.clone()),
            (Where::Elsewhere(key), ValueExpr::Path(path)) => {
                let follower = self.followed()?.follower();
                match follower.const_at(key, path, &mut Seen::new())?.value {
                    ValueExpr::Str(text) => Some(text),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn const_of_item(&self, id: ItemId) -> Option<ConstSource> {
        let item = &self.program.items[id];
        let ItemKind::Const(fact) = &item.fact.kind else {
            return None;
        };
        Some(ConstSource {
            name: item.fact.name.clone()?,
            value: fact.value.clone(),
            location: Some(self.location(item.file, item.fact.name_at)),
            at: Where::Here(Scope::module(item.module)),
        })
    }

    fn const_of_impl(&self, id: ItemId, index: usize) -> Option<ConstSource> {
        let item = &self.program.items[id];
        let ItemKind::Inherent(fact) = &item.fact.kind else {
            return None;
        };
        let member = fact.consts.get(index)?;
        let mut scope = Scope::module(item.module);
        scope.self_ty = Some(Box::new(self.ty(&fact.self_ty, &scope)));
        Some(ConstSource {
            name: format!(
                "{}::{}",
                fact.self_ty.last().unwrap_or_default(),
                member.name
            ),
            value: member.is.value.clone(),
            location: Some(self.location(item.file, member.name_at)),
            at: Where::Here(scope),
        })
    }

    fn location(&self, file: FileId, span: Span) -> Location {
        Location::new(self.program.file_name(file), span)
    }

    fn const_elsewhere(&self, krate: CrateId, path: &str) -> Option<ConstSource> {
        let following = self.followed()?;
        let names: Vec<&str> = path.split("::").collect();
        let (last, before) = names.split_last()?;
        let (first, modules) = before.split_first()?;
        // The crate is named as the package that uses it knows it.
        let package = following
            .packages()
            .dependency(following.package(krate), first)?;
        match following.follower().walk_from(package, modules)? {
            Target::Module(key) => following
                .follower()
                .const_named(&key, last, &mut Seen::new()),
            _ => None,
        }
    }
}

impl Follower<'_> {
    /// The const a path means in a module of another crate.
    fn const_at(&self, key: &Key, path: &PathExpr, seen: &mut Seen) -> Option<ConstSource> {
        let names = path.names();
        let (last, before) = names.split_last()?;
        if before.is_empty() {
            return self.const_named(key, last, seen);
        }
        match self.walk_in(key, before)? {
            Target::Module(key) => self.const_named(&key, last, seen),
            _ => None,
        }
    }

    /// A const that a module of another crate declares or hands on.
    fn const_named(&self, key: &Key, name: &str, seen: &mut Seen) -> Option<ConstSource> {
        if !seen.insert(key.clone()) {
            return None;
        }
        let module = self.module(key)?;
        for item in module.items() {
            if let ItemKind::Const(fact) = &item.kind
                && item.name.as_deref() == Some(name)
            {
                return Some(ConstSource {
                    name: name.to_owned(),
                    value: fact.value.clone(),
                    location: None,
                    at: Where::Elsewhere(key.clone()),
                });
            }
        }
        let uses = module.items().iter().filter_map(|item| match &item.kind {
            ItemKind::Use(uses) => Some(uses),
            _ => None,
        });
        let mut behind = |fact: &UseFact| {
            let mut path: Vec<&str> = fact.path.iter().map(String::as_str).collect();
            if fact.glob {
                path.push(name);
            }
            let path = PathExpr {
                absolute: fact.absolute,
                ..PathExpr::of(&path)
            };
            (path.segments.len() > 1).then(|| self.const_at(key, &path, seen))?
        };
        let named = |fact: &&UseFact| fact.alias.as_deref() == Some(name);
        let uses: Vec<&UseFact> = uses.flatten().collect();
        let (globs, names): (Vec<&UseFact>, Vec<&UseFact>) =
            uses.into_iter().partition(|fact| fact.glob);
        let named = names.into_iter().filter(named);
        named.chain(globs).find_map(&mut behind)
    }

    /// The path of a known function that is called in a module of another crate.
    fn callee(&self, key: &Key, path: &PathExpr) -> Option<String> {
        let names = path.names();
        let (last, before) = names.split_last()?;
        let holder = match self.walk_in(key, before) {
            Some(Target::Known(holder)) => holder,
            None => self.of_prelude(key, before)?,
            Some(_) => return None,
        };
        Some(format!("{holder}::{last}"))
    }

    /// What a name means that the prelude of the facade brings in.
    fn of_prelude(&self, key: &Key, names: &[&str]) -> Option<String> {
        let [name] = names else { return None };
        let module = self.module(key)?;
        let uses = module.items().iter().filter_map(|item| match &item.kind {
            ItemKind::Use(uses) => Some(uses),
            _ => None,
        });
        let brings = uses.flatten().any(|fact| {
            let path: Vec<&str> = fact.path.iter().map(String::as_str).collect();
            fact.glob
                && matches!(self.walk_in(key, &path), Some(Target::Known(path)) if path == foreign::PRELUDE)
        });
        let known = foreign::FACADE_PRELUDE.contains(name);
        (brings && known).then(|| format!("{FACADE}::{name}"))
    }
}
