//! What a path means in a module.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use super::{Externs, FileId, ItemId, ModuleId, Program, foreign};
use crate::{
    cfg::World,
    facts::{ItemKind, UseFact},
};

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Found {
    /// A module of the program.
    Module(ModuleId),
    /// A type, trait or alias of the program.
    Item(ItemId),
    /// Something of another crate, by its canonical path.
    Foreign(String),
    /// A primitive type.
    Primitive(&'static str),
    /// Several globs bring different things of that name.
    Ambiguous,
    /// Nothing has that name: rustc says so as well.
    Missing,
    /// It may exist where the analysis cannot look: a macro's output, another crate's glob.
    Unknown,
}

/// Resolves names in one world of a program.
///
/// Explicit names shadow globs, globs shadow the preludes, and the answer never depends on the order
/// of files or items: every glob is asked, and loops among them are cut where they close.
#[derive(Debug)]
pub struct Resolver<'a> {
    /// The program.
    pub program: &'a Program,
    /// The world whose items exist.
    pub world: World,
    /// Whether each crate sees itself alone, as its own build pass does.
    alone: bool,
    memo: RefCell<BTreeMap<(ModuleId, String), Found>>,
}

type Seen = BTreeSet<(ModuleId, String)>;

impl<'a> Resolver<'a> {
    /// A resolver for one world.
    pub fn new(program: &'a Program, world: World) -> Self {
        Self {
            program,
            world,
            alone: false,
            memo: RefCell::default(),
        }
    }

    /// A resolver to which every library is what its own build pass sees: without the sources of others,
    /// and without the crate being built.
    pub(crate) fn of_libraries_alone(program: &'a Program) -> Self {
        Self {
            alone: true,
            ..Self::new(program, World::Production)
        }
    }

    /// Whether each crate sees itself alone.
    pub(crate) fn is_alone(&self) -> bool {
        self.alone
    }

    /// Whether the items of a file matter here.
    pub(crate) fn sees(&self, file: FileId) -> bool {
        !self.alone || !self.program.is_own(file)
    }

    /// The name of the facade crate in the package that is built.
    pub fn facade(&self) -> &'a str {
        &self.program.crates[0].externs.facade
    }

    /// The names of other crates, as the crate of a module knows them.
    fn externs(&self, module: ModuleId) -> &'a Externs {
        &self.program.crate_of(module).externs
    }

    /// What a path written in a module means.
    pub fn path(&self, module: ModuleId, segments: &[&str], absolute: bool) -> Found {
        self.path_in(module, segments, absolute, false, &mut Seen::new())
    }

    fn path_in(
        &self,
        module: ModuleId,
        segments: &[&str],
        absolute: bool,
        in_use: bool,
        seen: &mut Seen,
    ) -> Found {
        let Some((first, rest)) = segments.split_first() else {
            return Found::Missing;
        };
        let externs = self.externs(module);
        let root = self.program.crate_of(module).root;
        let start = match *first {
            "crate" => Found::Module(root),
            "self" => Found::Module(module),
            "super" => match self.program.modules[module].parent {
                Some(parent) => Found::Module(parent),
                None => return Found::Missing,
            },
            name if absolute && !externs.rooted_uses => self.external_crate(module, name),
            name if in_use && externs.rooted_uses => match self.lookup(root, name, root, seen) {
                Found::Missing => self.external_crate(module, name),
                found => found,
            },
            name => self.lexical(module, name, seen),
        };
        let mut at = start;
        let mut rest = rest;
        // `super::super`: each step goes one module up.
        while let (Found::Module(current), Some(&"super")) = (&at, rest.first()) {
            match self.program.modules[*current].parent {
                Some(parent) => at = Found::Module(parent),
                None => return Found::Missing,
            }
            rest = &rest[1..];
        }
        for segment in rest {
            at = match at {
                Found::Module(inner) => self.lookup(inner, segment, module, seen),
                Found::Foreign(path) => {
                    let mut path: Vec<String> = path.split("::").map(str::to_owned).collect();
                    path.push((*segment).to_owned());
                    Found::Foreign(foreign::canonical(&path, &externs.facade))
                }
                other @ (Found::Ambiguous | Found::Missing | Found::Unknown) => return other,
                // An associated type or a variant: not a type of its own to inject.
                Found::Item(_) | Found::Primitive(_) => return Found::Unknown,
            };
        }
        at
    }

    /// What a `use` leads to.
    fn import(&self, module: ModuleId, fact: &UseFact, seen: &mut Seen) -> Found {
        let names: Vec<&str> = fact.path.iter().map(String::as_str).collect();
        self.path_in(module, &names, fact.absolute, true, seen)
    }

    /// A name alone, as code in the module means it.
    fn lexical(&self, module: ModuleId, name: &str, seen: &mut Seen) -> Found {
        let found = self.lookup(module, name, module, seen);
        if !matches!(found, Found::Missing | Found::Unknown) {
            return found;
        }
        let external = self.external_crate(module, name);
        if external != Found::Missing {
            return external;
        }
        if let Some(path) = foreign::std_prelude(name) {
            return Found::Foreign(path.to_owned());
        }
        if let Some(primitive) = foreign::primitive(name) {
            return Found::Primitive(primitive);
        }
        found
    }

    fn external_crate(&self, module: ModuleId, name: &str) -> Found {
        let externs = self.externs(module);
        if let Some(krate) = externs.loaded.get(name).filter(|_| !self.alone) {
            return Found::Module(self.program.crates[*krate].root);
        }
        let known = name == externs.facade
            || externs.crates.contains(name)
            || foreign::SYSROOT.contains(&name);
        if known {
            let shared = externs.known.get(name).filter(|_| !self.alone);
            let name = shared.map_or(name, String::as_str);
            Found::Foreign(foreign::canonical(&[name.to_owned()], &externs.facade))
        } else {
            Found::Missing
        }
    }

    /// A name in a module, as far as it is visible from `from`.
    fn lookup(&self, module: ModuleId, name: &str, from: ModuleId, seen: &mut Seen) -> Found {
        let memo_key = (module == from).then(|| (module, name.to_owned()));
        if let Some(key) = &memo_key
            && let Some(found) = self.memo.borrow().get(key)
        {
            return found.clone();
        }
        if !seen.insert((module, name.to_owned())) {
            return Found::Missing;
        }
        let outermost = seen.len() == 1;
        let found = self.lookup_fresh(module, name, from, seen);
        seen.remove(&(module, name.to_owned()));
        // An answer found while a loop was being cut may be incomplete for others.
        if outermost && let Some(key) = memo_key {
            self.memo.borrow_mut().insert(key, found.clone());
        }
        found
    }

    fn lookup_fresh(&self, module: ModuleId, name: &str, from: ModuleId, seen: &mut Seen) -> Found {
        let data = &self.program.modules[module];
        for &id in data.by_name.get(name).into_iter().flatten() {
            let item = &self.program.items[id];
            if !item.live.within(self.world)
                || !self.program.visible(&item.fact.visibility, module, from)
            {
                continue;
            }
            match &item.fact.kind {
                ItemKind::Module(_) => {
                    let children = data.children.get(name).into_iter().flatten();
                    let live = children
                        .copied()
                        .find(|child| self.program.modules[*child].live.within(self.world));
                    return live.map_or(Found::Unknown, Found::Module);
                }
                ItemKind::Struct(_)
                | ItemKind::Other(_)
                | ItemKind::Alias(..)
                | ItemKind::Trait(_) => {
                    return Found::Item(id);
                }
                ItemKind::ExternCrate(name) => return self.external_crate(module, name),
                _ => {}
            }
        }
        let mut globs = BTreeSet::new();
        let mut unknown = false;
        for &id in &data.items {
            let item = &self.program.items[id];
            if !item.live.within(self.world) {
                continue;
            }
            match &item.fact.kind {
                ItemKind::Use(uses)
                    if self.program.visible(&item.fact.visibility, module, from) =>
                {
                    for fact in uses {
                        if fact.alias.as_deref() == Some(name) {
                            match self.import(module, fact, seen) {
                                // The name may be imported from another namespace.
                                Found::Missing => {}
                                found => return found,
                            }
                        } else if fact.glob {
                            self.glob(module, fact, name, &mut globs, &mut unknown, seen);
                        }
                    }
                }
                ItemKind::MacroCall(_) => unknown = true,
                _ => {}
            }
        }
        match globs.len() {
            0 if unknown => Found::Unknown,
            0 => Found::Missing,
            1 => globs.pop_first().expect("invariant: one"),
            _ => Found::Ambiguous,
        }
    }

    fn glob(
        &self,
        module: ModuleId,
        fact: &UseFact,
        name: &str,
        globs: &mut BTreeSet<Found>,
        unknown: &mut bool,
        seen: &mut Seen,
    ) {
        match self.import(module, fact, seen) {
            Found::Module(target) => match self.lookup(target, name, module, seen) {
                Found::Missing => {}
                Found::Unknown => *unknown = true,
                found => {
                    globs.insert(found);
                }
            },
            Found::Foreign(path)
                if path == "znight::prelude" && foreign::FACADE_PRELUDE.contains(&name) =>
            {
                globs.insert(Found::Foreign(format!("znight::{name}")));
            }
            Found::Foreign(path) if path.starts_with("std::prelude") => {}
            Found::Foreign(_) | Found::Unknown => *unknown = true,
            _ => {}
        }
    }

    /// The only foreign glob of a module that could bring a name nobody else has: `use sqlx::*`.
    pub fn foreign_glob(&self, module: ModuleId) -> Option<String> {
        let mut found = BTreeSet::new();
        for &id in &self.program.modules[module].items {
            let item = &self.program.items[id];
            if let ItemKind::Use(uses) = &item.fact.kind
                && item.live.within(self.world)
            {
                for fact in uses.iter().filter(|fact| fact.glob) {
                    if let Found::Foreign(path) = self.import(module, fact, &mut Seen::new())
                        && path != "znight::prelude"
                    {
                        found.insert(path);
                    }
                }
            }
        }
        if found.len() == 1 {
            found.pop_first()
        } else {
            None
        }
    }
}
