//! What a path means in a module.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use super::{Externs, FileId, Following, ItemId, ModuleId, Program, Ty, foreign};
use crate::{
    Role,
    cfg::World,
    facts::{ItemKind, PathExpr, UseFact, Whole, WholeItem},
    packages::FACADE,
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
    /// Who asks, where each library sees itself alone, as its own build pass does.
    alone: Option<Role>,
    memo: Rc<Memo>,
    following: Option<&'a Following<'a>>,
    pub(super) inherent: OnceCell<BTreeMap<ItemId, Vec<ItemId>>>,
    /// What reads files whole, where something may ask for what facts leave out.
    whole: Option<&'a Whole<'a>>,
}

/// What names were found to mean, by module.
#[derive(Debug, Default)]
struct Memo {
    /// Names as what stands in a module.
    members: RefCell<Vec<BTreeMap<String, Found>>>,
    /// Names as code in a module means them.
    lexical: RefCell<Vec<BTreeMap<String, Found>>>,
}

impl Memo {
    fn new(modules: usize) -> Self {
        let empty = || RefCell::new(vec![BTreeMap::new(); modules]);
        Self {
            members: empty(),
            lexical: empty(),
        }
    }
}

/// What is known of a name in a module.
fn known(
    memo: &RefCell<Vec<BTreeMap<String, Found>>>,
    module: ModuleId,
    name: &str,
) -> Option<Found> {
    memo.borrow().get(module)?.get(name).cloned()
}

fn keep(memo: &RefCell<Vec<BTreeMap<String, Found>>>, module: ModuleId, name: &str, found: &Found) {
    if let Some(names) = memo.borrow_mut().get_mut(module) {
        names.insert(name.to_owned(), found.clone());
    }
}

/// The names that are being looked up, outermost first: a loop of imports ends where it closes.
#[derive(Debug)]
pub(super) struct Seen {
    names: Vec<(ModuleId, String)>,
    /// The outermost name a loop was cut at since the innermost one was begun: answers inside that loop
    /// may be incomplete for others.
    cut: usize,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self {
            names: Vec::new(),
            cut: usize::MAX,
        }
    }

    /// Finds something out; and whether the answer is complete, whoever asks.
    fn whole<R>(&mut self, find: impl FnOnce(&mut Self) -> R) -> (R, bool) {
        let depth = self.names.len();
        let before = std::mem::replace(&mut self.cut, usize::MAX);
        let found = find(self);
        let is_whole = self.cut >= depth;
        self.cut = if is_whole {
            before
        } else {
            self.cut.min(before)
        };
        (found, is_whole)
    }
}

impl<'a> Resolver<'a> {
    /// A resolver for one world.
    pub fn new(program: &'a Program, world: World) -> Self {
        Self {
            program,
            world,
            alone: None,
            memo: Rc::new(Memo::new(program.modules.len())),
            following: None,
            inherent: OnceCell::new(),
            whole: None,
        }
    }

    /// A resolver to which every library is what its own build pass sees, wherever Cargo has it from: without
    /// the sources of others, and without an application around it.
    pub(crate) fn alone(program: &'a Program, role: Role) -> Self {
        Self {
            alone: Some(role),
            ..Self::new(program, World::Production)
        }
    }

    /// Whether the items of a file matter here.
    pub(crate) fn sees(&self, file: FileId) -> bool {
        self.alone != Some(Role::Application) || !self.program.is_own(file)
    }

    /// The same with names followed into other crates. What it has found already it knows.
    #[must_use]
    pub fn following(&self, following: Option<&'a Following<'a>>) -> Self {
        Self {
            program: self.program,
            world: self.world,
            alone: self.alone,
            memo: Rc::clone(&self.memo),
            following,
            inherent: OnceCell::new(),
            whole: self.whole,
        }
    }

    /// The same with files read whole where that is asked for.
    #[must_use]
    pub fn reading(mut self, whole: &'a Whole<'a>) -> Self {
        self.whole = Some(whole);
        self
    }

    /// An item with what its facts leave out; none when its file cannot be read.
    pub(crate) fn whole(&self, item: ItemId) -> Option<WholeItem> {
        let found = &self.program.items[item];
        let path = &self.program.files[found.file].path;
        self.whole?.item(path, found.fact.name_at)
    }

    /// What follows names into other crates, if something does.
    pub fn followed(&self) -> Option<&'a Following<'a>> {
        self.following
    }

    /// A path of another crate with that crate's own name, where the package gave it another one.
    pub fn unrenamed(&self, module: ModuleId, path: String) -> String {
        let (first, rest) = path.split_once("::").unwrap_or((&path, ""));
        match self.externs(module).renamed.get(first) {
            Some(name) => format!("{name}::{rest}"),
            None => path,
        }
    }

    /// The type that a path of another crate means, as it is declared.
    pub(super) fn foreign_ty(&self, module: ModuleId, path: String, args: Vec<Ty>) -> Ty {
        let krate = self.program.modules[module].krate;
        let followed = self
            .following
            .and_then(|following| following.ty(krate, &path, &args));
        followed.unwrap_or(Ty::Foreign(path, args))
    }

    /// The trait that a path of another crate means, as it is declared.
    pub(super) fn foreign_trait(&self, module: ModuleId, path: String) -> String {
        let krate = self.program.modules[module].krate;
        let followed = self
            .following
            .and_then(|following| following.declared(krate, &path));
        followed.unwrap_or(path)
    }

    /// The path of another crate that a path means; none for what is known without looking.
    pub fn foreign(&self, module: ModuleId, path: &PathExpr) -> Option<String> {
        let found = match self.path(module, &path.names(), path.absolute) {
            Found::Foreign(found) => found,
            Found::Unknown if path.segments.len() == 1 => {
                format!("{}::{}", self.foreign_glob(module)?, path.last())
            }
            _ => return None,
        };
        let first = found.split("::").next().unwrap_or_default();
        let known = foreign::SYSROOT.contains(&first) || first == FACADE;
        (!known).then_some(found)
    }

    /// How a crate's own code can write the path of a foreign item, if it knows the crate.
    pub fn foreign_path(&self, module: ModuleId, declared: &str) -> Option<String> {
        let krate = self.program.modules[module].krate;
        let written = self
            .following
            .and_then(|following| following.written(krate, declared));
        let first = declared.split("::").next().unwrap_or_default();
        let externs = self.externs(module);
        let is_known = self.alone.is_some()
            || first == FACADE
            || foreign::SYSROOT.contains(&first)
            || externs.crates.contains(first);
        written.or_else(|| is_known.then(|| declared.to_owned()))
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

    pub(super) fn path_in(
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
            name if externs.rooted_uses && (in_use || absolute) => {
                let found = self.lookup(root, name, root, seen);
                let external = match found {
                    // A glob that cannot be followed is less likely to bring a name than a crate has it.
                    Found::Missing | Found::Unknown => self.external_crate(module, name),
                    _ => Found::Missing,
                };
                if external == Found::Missing {
                    found
                } else {
                    external
                }
            }
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
        if let Some(found) = known(&self.memo.lexical, module, name) {
            return found;
        }
        let (found, is_whole) = seen.whole(|seen| self.lexical_fresh(module, name, seen));
        if is_whole {
            keep(&self.memo.lexical, module, name, &found);
        }
        found
    }

    fn lexical_fresh(&self, module: ModuleId, name: &str, seen: &mut Seen) -> Found {
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
        if let Some(krate) = externs.loaded.get(name).filter(|_| self.alone.is_none()) {
            return Found::Module(self.program.crates[*krate].root);
        }
        let known = name == externs.facade
            || externs.crates.contains(name)
            || foreign::SYSROOT.contains(&name);
        if known {
            Found::Foreign(foreign::canonical(&[name.to_owned()], &externs.facade))
        } else {
            Found::Missing
        }
    }

    /// A name in a module, as far as it is visible from `from`.
    fn lookup(&self, module: ModuleId, name: &str, from: ModuleId, seen: &mut Seen) -> Found {
        if module == from
            && let Some(found) = known(&self.memo.members, module, name)
        {
            return found;
        }
        let open = seen
            .names
            .iter()
            .position(|(known, of)| *known == module && of == name);
        if let Some(depth) = open {
            seen.cut = seen.cut.min(depth);
            return Found::Missing;
        }
        let (found, is_whole) = seen.whole(|seen| {
            seen.names.push((module, name.to_owned()));
            let found = self.lookup_fresh(module, name, from, seen);
            seen.names.pop();
            found
        });
        if is_whole && module == from {
            keep(&self.memo.members, module, name, &found);
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
                // `extern crate self as shop;`
                ItemKind::ExternCrate(name) if name == "self" => {
                    return Found::Module(self.program.crate_of(module).root);
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
                ItemKind::MacroCall(call) => {
                    unknown |= !call.is_known(&self.externs(module).facade);
                }
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
