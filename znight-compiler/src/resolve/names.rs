//! What a path means in a module.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use super::{
    CrateId, Externs, FileId, Following, ItemId, ModuleId, Program, Ty, foreign,
    globs::{self, Sources, Step, is_unknown_behind},
};
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
/// of files or items. Where globs lead is found out first, all of it, in rounds that each build on the one
/// before: a glob may lead to what another one brings.
#[derive(Debug)]
pub struct Resolver<'a> {
    /// The program.
    pub program: &'a Program,
    /// The world whose items exist.
    pub world: World,
    /// Who asks, where each library sees itself alone, as its own build pass does.
    alone: Option<Role>,
    pub(super) memo: Rc<Memo>,
    following: Option<&'a Following<'a>>,
    pub(super) inherent: OnceCell<BTreeMap<ItemId, Vec<ItemId>>>,
    /// What reads files whole, where something may ask for what facts leave out.
    whole: Option<&'a Whole<'a>>,
}

/// What names were found to mean, by module.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// What brings names in.
    pub(super) sources: Vec<Sources>,
    /// Where the globs of each module lead, with the import each stands in.
    pub(super) globs: RefCell<Vec<Vec<(ItemId, Found)>>>,
    /// Names as what stands in a module, seen from inside.
    pub(super) members: RefCell<Vec<Names>>,
    /// Names that globs bring into a module, as far as another one sees them.
    pub(super) handed_on: RefCell<BTreeMap<(ModuleId, ModuleId), Names>>,
    /// Names as code in a module means them.
    pub(super) lexical: RefCell<Vec<Names>>,
}

type Names = BTreeMap<String, Found>;

impl Memo {
    fn new(program: &Program, world: World) -> Self {
        Self {
            sources: globs::sources(program, world),
            globs: RefCell::new(vec![Vec::new(); program.modules.len()]),
            ..Self::default()
        }
    }

    /// Begins to remember, anew.
    pub(super) fn clear(&self, modules: usize) {
        self.members.replace(vec![Names::new(); modules]);
        self.lexical.replace(vec![Names::new(); modules]);
        self.handed_on.take();
    }
}

/// What is known of a name in a module.
fn known(memo: &RefCell<Vec<Names>>, module: ModuleId, name: &str) -> Option<Found> {
    memo.borrow().get(module)?.get(name).cloned()
}

fn keep(memo: &RefCell<Vec<Names>>, module: ModuleId, name: &str, found: &Found) {
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
        Self::of(program, world, None)
    }

    fn of(program: &'a Program, world: World, alone: Option<Role>) -> Self {
        let resolver = Self {
            program,
            world,
            alone,
            memo: Rc::new(Memo::new(program, world)),
            following: None,
            inherent: OnceCell::new(),
            whole: None,
        };
        resolver.settle();
        resolver
    }

    /// A resolver to which every library is what its own build pass sees, wherever Cargo has it from: without
    /// the sources of others, and without an application around it.
    pub(crate) fn alone(program: &'a Program, role: Role) -> Self {
        Self::of(program, World::Production, Some(role))
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
            name if (absolute || in_use) && externs.rooted_uses => {
                match self.lookup(root, name, root, seen) {
                    found @ (Found::Missing | Found::Unknown) => {
                        match self.external_crate(module, name) {
                            Found::Missing => found,
                            external => external,
                        }
                    }
                    found => found,
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
    pub(super) fn import(&self, module: ModuleId, fact: &UseFact, seen: &mut Seen) -> Found {
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

    /// A crate by the name that paths know it by: what the root says with `extern crate a as b;` comes before
    /// what Cargo says.
    fn external_crate(&self, module: ModuleId, name: &str) -> Found {
        let krate = self.program.modules[module].krate;
        let root = &self.program.modules[self.program.crates[krate].root];
        for &id in root.by_name.get(name).into_iter().flatten() {
            let item = &self.program.items[id];
            if let ItemKind::ExternCrate(declared) = &item.fact.kind
                && item.live.within(self.world)
            {
                return self.declared_crate(krate, declared);
            }
        }
        let externs = &self.program.crates[krate].externs;
        let known = name == externs.facade
            || externs.crates.contains(name)
            || externs.loaded.contains_key(name)
            || foreign::SYSROOT.contains(&name);
        if known {
            self.declared_crate(krate, name)
        } else {
            Found::Missing
        }
    }

    /// What `extern crate` means by a name. That there is such a crate is rustc's to say: `proc_macro` and its
    /// kin are no dependencies.
    fn declared_crate(&self, krate: CrateId, name: &str) -> Found {
        let of = &self.program.crates[krate];
        if name == "self" {
            return Found::Module(of.root);
        }
        let loaded = of.externs.loaded.get(name);
        match loaded.filter(|_| self.alone.is_none()) {
            Some(loaded) => Found::Module(self.program.crates[*loaded].root),
            None => Found::Foreign(foreign::canonical(&[name.to_owned()], &of.externs.facade)),
        }
    }

    /// A name in a module, as far as it is visible from `from`.
    fn lookup(&self, module: ModuleId, name: &str, from: ModuleId, seen: &mut Seen) -> Found {
        let is_own = module == from;
        let found = if is_own {
            known(&self.memo.members, module, name)
        } else {
            let handed_on = self.memo.handed_on.borrow();
            handed_on
                .get(&(module, from))
                .and_then(|names| names.get(name))
                .cloned()
        };
        if let Some(found) = found {
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
        let ((found, is_brought), is_whole) = seen.whole(|seen| {
            seen.names.push((module, name.to_owned()));
            let found = match self.explicit(module, name, from, seen) {
                Some(found) => (found, false),
                None => (self.brought(module, name, from, seen), true),
            };
            seen.names.pop();
            found
        });
        if is_whole && is_own {
            keep(&self.memo.members, module, name, &found);
        } else if is_whole && is_brought && self.has_globs(module) {
            let mut handed_on = self.memo.handed_on.borrow_mut();
            let names = handed_on.entry((module, from)).or_default();
            names.insert(name.to_owned(), found.clone());
        }
        found
    }

    /// What globs bring into a module by a name.
    fn brought(&self, module: ModuleId, name: &str, from: ModuleId, seen: &mut Seen) -> Found {
        let mut globs = BTreeSet::new();
        let mut unknown = false;
        self.each_glob(module, from, &mut |step| {
            match step {
                Step::Opaque => unknown = true,
                Step::Module(target, viewer) => match self.explicit(target, name, viewer, seen) {
                    Some(Found::Unknown) => unknown = true,
                    Some(found) => {
                        globs.insert(found);
                    }
                    None => return true,
                },
                Step::Other(found, _) => unknown |= is_unknown_behind(found, name, &mut globs),
            }
            false
        });
        match globs.len() {
            0 if unknown => Found::Unknown,
            0 => Found::Missing,
            1 => globs.pop_first().expect("invariant: one"),
            _ => Found::Ambiguous,
        }
    }

    /// What a name means that a module declares or imports by name, as far as it is visible from `from`.
    fn explicit(
        &self,
        module: ModuleId,
        name: &str,
        from: ModuleId,
        seen: &mut Seen,
    ) -> Option<Found> {
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
                    return Some(live.map_or(Found::Unknown, Found::Module));
                }
                ItemKind::Struct(_)
                | ItemKind::Other(_)
                | ItemKind::Alias(..)
                | ItemKind::Trait(_) => {
                    return Some(Found::Item(id));
                }
                ItemKind::ExternCrate(name) => return Some(self.declared_crate(data.krate, name)),
                _ => {}
            }
        }
        for (id, uses) in self.uses(module) {
            let visibility = &self.program.items[id].fact.visibility;
            let named = |fact: &&UseFact| fact.alias.as_deref() == Some(name);
            for fact in uses.iter().filter(named) {
                if !self.program.visible(visibility, module, from) {
                    continue;
                }
                match self.import(module, fact, seen) {
                    // The name may be imported from another namespace.
                    Found::Missing => {}
                    found => return Some(found),
                }
            }
        }
        None
    }
}
