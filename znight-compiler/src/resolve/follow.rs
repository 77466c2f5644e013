//! Other crates, as far as a name has to be followed into them.
//!
//! `sqlx::SqlitePool` and `sqlx::Pool<sqlx::Sqlite>` are one type, declared in a third crate. To know
//! that, the files on the way to the declaration are read, and no others. What stands behind a macro is
//! not found: the path as it was written stays the identity then.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{CrateId, Program, Ty, foreign, types::substitution};
use crate::{
    cfg::{Cfg, World},
    facts::{
        ArgumentExpr, Files, GenericFact, ItemFact, ItemKind, PathExpr, TypeExpr, UseFact,
        Visibility,
    },
    packages::{self, FACADE, Packages},
    source::normalize,
};

/// A module of another crate: its package, and the names that lead to it from the root.
pub(super) type Key = (usize, Vec<String>);

/// Reads other crates on demand.
#[derive(Debug)]
pub struct Follower<'a> {
    files: &'a Files<'a>,
    packages: Rc<Packages>,
    target: &'a Cfg,
    modules: RefCell<BTreeMap<Key, Option<Rc<Module>>>>,
}

/// What stands in a module of another crate.
#[derive(Debug)]
pub(super) struct Module {
    items: Vec<ItemFact>,
    /// The directory of its child modules.
    children: PathBuf,
    /// The directory `#[path]` is relative to.
    paths: PathBuf,
}

impl Module {
    /// What stands in it.
    pub(super) fn items(&self) -> &[ItemFact] {
        &self.items
    }
}

/// What a name of another crate means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Module(Key),
    /// An item of a module, by its position.
    Item(Key, usize),
    /// Something that is not followed further: of the standard library, or of the facade.
    Known(String),
}

/// Names that are being looked up: a loop of imports ends where it closes.
type Seen = BTreeSet<(Key, String)>;

/// Aliases of aliases beyond this are a loop.
const MAX_ALIASES: usize = 32;

impl<'a> Follower<'a> {
    /// A follower of names into these packages.
    pub fn new(files: &'a Files<'a>, packages: Rc<Packages>, target: &'a Cfg) -> Self {
        Self {
            files,
            packages,
            target,
            modules: RefCell::default(),
        }
    }

    /// The type a path of a package means, declared path and defaults of arguments filled in; none when
    /// it cannot be followed.
    pub fn ty(&self, package: usize, path: &str, args: Vec<Ty>) -> Option<Ty> {
        let target = self.target(package, path)?;
        self.apply(&target, args, 0)
    }

    /// The path a trait is declared under, and what it says of itself; none when it cannot be followed.
    pub fn declared(&self, package: usize, path: &str) -> Option<String> {
        match self.target(package, path)? {
            Target::Module(_) => None,
            Target::Known(path) => Some(path),
            Target::Item(key, item) => Some(self.name(&key, item)),
        }
    }

    /// The packages of the build.
    pub(super) fn packages(&self) -> &Packages {
        &self.packages
    }

    /// What names lead to from the root of a package.
    pub(super) fn walk_from(&self, package: usize, names: &[&str]) -> Option<Target> {
        let root = Target::Module((package, Vec::new()));
        self.walk(root, names, &mut Seen::new())
    }

    /// What a path means in a module.
    pub(super) fn walk_in(&self, key: &Key, names: &[&str]) -> Option<Target> {
        self.path(key, names, false, &mut Seen::new())
    }

    /// The package that declares what a path means.
    fn declaring(&self, package: usize, path: &str) -> Option<usize> {
        match self.target(package, path)? {
            Target::Item((package, _), _) => Some(package),
            _ => None,
        }
    }

    /// The package that a crate of the program is built from, by its directory.
    pub fn package_of(&self, directory: &Path) -> usize {
        self.packages
            .list
            .iter()
            .position(|package| package.directory == directory)
            .unwrap_or(self.packages.own)
    }

    fn target(&self, package: usize, path: &str) -> Option<Target> {
        let names: Vec<&str> = path.split("::").collect();
        let (first, rest) = names.split_first()?;
        let start = self.external(package, first)?;
        self.walk(start, rest, &mut Seen::new())
    }

    /// A crate, as a package knows it.
    fn external(&self, package: usize, name: &str) -> Option<Target> {
        if foreign::SYSROOT.contains(&name) {
            return Some(Target::Known("std".to_owned()));
        }
        let found = self.packages.dependency(package, name)?;
        let name = self.packages.list[found].name.replace('-', "_");
        if name == FACADE || foreign::FAMILY.contains(&name.as_str()) {
            return Some(Target::Known(FACADE.to_owned()));
        }
        Some(Target::Module((found, Vec::new())))
    }

    fn walk(&self, start: Target, names: &[&str], seen: &mut Seen) -> Option<Target> {
        let mut at = start;
        for name in names {
            at = match at {
                Target::Module(key) => self.lookup(&key, name, seen)?,
                Target::Known(path) => {
                    let path = [path, (*name).to_owned()].join("::");
                    let names: Vec<String> = path.split("::").map(str::to_owned).collect();
                    Target::Known(foreign::canonical(&names, FACADE))
                }
                // A variant, an associated type.
                Target::Item(..) => return None,
            };
        }
        Some(at)
    }

    /// What a path written in a module means.
    fn path(&self, key: &Key, path: &[&str], absolute: bool, seen: &mut Seen) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let mut rest = rest;
        let start = match *first {
            "crate" => Target::Module((key.0, Vec::new())),
            "self" => Target::Module(key.clone()),
            "super" => {
                let mut at = key.clone();
                at.1.pop()?;
                while let Some((&"super", further)) = rest.split_first() {
                    at.1.pop()?;
                    rest = further;
                }
                Target::Module(at)
            }
            name if absolute => self.external(key.0, name)?,
            name => self
                .lookup(key, name, seen)
                .or_else(|| self.external(key.0, name))
                .or_else(|| {
                    foreign::std_prelude(name).map(|path| Target::Known(path.to_owned()))
                })?,
        };
        self.walk(start, rest, seen)
    }

    fn lookup(&self, key: &Key, name: &str, seen: &mut Seen) -> Option<Target> {
        if !seen.insert((key.clone(), name.to_owned())) {
            return None;
        }
        let found = self.lookup_fresh(key, name, seen);
        seen.remove(&(key.clone(), name.to_owned()));
        found
    }

    fn lookup_fresh(&self, key: &Key, name: &str, seen: &mut Seen) -> Option<Target> {
        let module = self.module(key)?;
        for (index, item) in module.items.iter().enumerate() {
            if item.name.as_deref() != Some(name) {
                continue;
            }
            match &item.kind {
                ItemKind::Module(_) => {
                    let mut child = key.clone();
                    child.1.push(name.to_owned());
                    return Some(Target::Module(child));
                }
                ItemKind::Struct(_)
                | ItemKind::Other(_)
                | ItemKind::Alias(..)
                | ItemKind::Trait(_) => return Some(Target::Item(key.clone(), index)),
                ItemKind::ExternCrate(found) if found == "self" => {
                    return Some(Target::Module((key.0, Vec::new())));
                }
                ItemKind::ExternCrate(found) => return self.external(key.0, found),
                _ => {}
            }
        }
        let uses = |glob: bool| {
            let items = module.items.iter();
            items
                .flat_map(move |item| match &item.kind {
                    ItemKind::Use(uses) => uses.as_slice(),
                    _ => &[],
                })
                .filter(move |fact| fact.glob == glob)
        };
        let import = |fact: &UseFact, seen: &mut Seen| {
            let path: Vec<&str> = fact.path.iter().map(String::as_str).collect();
            self.path(key, &path, fact.absolute, seen)
        };
        for fact in uses(false) {
            if fact.alias.as_deref() == Some(name)
                && let Some(found) = import(fact, seen)
            {
                return Some(found);
            }
        }
        let mut found: BTreeSet<Target> = BTreeSet::new();
        for fact in uses(true) {
            if let Some(Target::Module(target)) = import(fact, seen) {
                found.extend(self.lookup(&target, name, seen));
            }
        }
        match found.len() {
            1 => found.pop_first(),
            _ => None,
        }
    }

    /// What a target means as a type, with these arguments.
    fn apply(&self, target: &Target, mut args: Vec<Ty>, depth: usize) -> Option<Ty> {
        if depth > MAX_ALIASES {
            return None;
        }
        match target {
            Target::Module(_) => None,
            Target::Known(path) => Some(Ty::Foreign(path.clone(), args)),
            Target::Item(key, item) => {
                let module = self.module(key)?;
                match &module.items[*item].kind {
                    ItemKind::Alias(generics, ty) => {
                        self.fill(key, generics, &mut args, depth)?;
                        let ty = self.lower(key, ty, generics, depth + 1)?;
                        Some(ty.substitute(&substitution(generics, &args)))
                    }
                    ItemKind::Struct(fact) | ItemKind::Other(fact) => {
                        self.fill(key, &fact.generics, &mut args, depth)?;
                        Some(Ty::Foreign(self.name(key, *item), args))
                    }
                    _ => None,
                }
            }
        }
    }

    /// Adds the defaults of arguments that were not given.
    fn fill(
        &self,
        key: &Key,
        generics: &[GenericFact],
        args: &mut Vec<Ty>,
        depth: usize,
    ) -> Option<()> {
        while let Some(generic) = generics.get(args.len()) {
            let Some(default) = &generic.default else {
                return Some(());
            };
            let default = self.lower(key, default, generics, depth + 1)?;
            args.push(default.substitute(&substitution(generics, args)));
        }
        Some(())
    }

    /// A type written in another crate.
    fn lower(
        &self,
        key: &Key,
        ty: &TypeExpr,
        generics: &[GenericFact],
        depth: usize,
    ) -> Option<Ty> {
        let all = |types: &[TypeExpr]| -> Option<Vec<Ty>> {
            types
                .iter()
                .map(|ty| self.lower(key, ty, generics, depth))
                .collect()
        };
        let one = |ty: &TypeExpr| self.lower(key, ty, generics, depth).map(Box::new);
        Some(match ty {
            TypeExpr::Path(path) => {
                if let Some(only) = path.ident()
                    && generics.iter().any(|generic| generic.name == only)
                {
                    return Some(Ty::Param(only.to_owned()));
                }
                let args = self.arguments(key, path, generics, depth)?;
                match self.path(key, &path.names(), path.absolute, &mut Seen::new()) {
                    Some(target) => return self.apply(&target, args, depth + 1),
                    None => Ty::Primitive(foreign::primitive(path.ident()?)?),
                }
            }
            TypeExpr::Tuple(parts) => Ty::Tuple(all(parts)?),
            TypeExpr::Slice(inner) => Ty::Slice(one(inner)?, None),
            TypeExpr::Array(inner, length) => Ty::Slice(one(inner)?, Some(length.to_string())),
            TypeExpr::Function(inputs, output) => Ty::Function(all(inputs)?, one(output)?),
            TypeExpr::Pointer(..)
            | TypeExpr::Projection(..)
            | TypeExpr::Dyn(_)
            | TypeExpr::Other(_) => return None,
        })
    }

    fn arguments(
        &self,
        key: &Key,
        path: &PathExpr,
        generics: &[GenericFact],
        depth: usize,
    ) -> Option<Vec<Ty>> {
        let last = path.segments.last()?;
        last.args
            .iter()
            .map(|argument| match argument {
                ArgumentExpr::Type(ty) => self.lower(key, ty, generics, depth),
                ArgumentExpr::Const(value) => Some(Ty::Const(value.to_string())),
                ArgumentExpr::Assoc(..) | ArgumentExpr::Call(..) => None,
            })
            .collect()
    }

    /// The path an item is declared under: its crate, with the version where there are several of that
    /// name, its modules, its name.
    fn name(&self, key: &Key, item: usize) -> String {
        let package = &self.packages.list[key.0];
        let name = |package: &packages::Package| {
            package
                .library
                .as_ref()
                .map_or_else(|| package.name.clone(), |(name, _)| name.clone())
        };
        let own = name(package);
        let twins = self.packages.list.iter().filter(|other| name(other) == own);
        let mut path = vec![if twins.count() > 1 {
            format!("{own}@{}", package.version)
        } else {
            own
        }];
        path.extend(key.1.iter().cloned());
        let module = self.module(key);
        path.extend(module.and_then(|module| module.items[item].name.clone()));
        path.join("::")
    }

    /// A module, read when it is first asked for.
    pub(super) fn module(&self, key: &Key) -> Option<Rc<Module>> {
        if let Some(known) = self.modules.borrow().get(key) {
            return known.clone();
        }
        let found = self.load(key);
        let mut modules = self.modules.borrow_mut();
        modules
            .entry(key.clone())
            .or_insert_with(|| found.map(Rc::new))
            .clone()
    }

    fn load(&self, key: &Key) -> Option<Module> {
        let package = &self.packages.list[key.0];
        let cfg = packages::cfg_of(package, self.target);
        let Some((name, parent)) = key.1.split_last() else {
            let (_, root) = package.library.as_ref()?;
            let directory = root.parent()?.to_owned();
            let items = self.files.facts(root)?.items;
            return Some(self.enter(key, items, &cfg, directory.clone(), directory));
        };
        let parent = self.module(&(key.0, parent.to_vec()))?;
        // An inline module would be known by now.
        let declared = parent.items.iter().find_map(|item| match &item.kind {
            ItemKind::Module(fact) if item.name.as_ref() == Some(name) => Some(fact),
            _ => None,
        })?;
        let path = declared
            .paths
            .iter()
            .find(|(_, conditions)| cfg.allows(conditions, World::Production));
        let candidates = match path {
            Some((path, _)) => vec![(normalize(&parent.paths.join(path)), true)],
            None => vec![
                (parent.children.join(format!("{name}.rs")), false),
                (parent.children.join(name).join("mod.rs"), true),
            ],
        };
        let (file, items, is_root) = candidates.into_iter().find_map(|(file, is_root)| {
            let facts = self.files.facts(&file)?;
            Some((file, facts.items, is_root))
        })?;
        let directory = file.parent()?.to_owned();
        let children = if is_root {
            directory.clone()
        } else {
            directory.join(name)
        };
        Some(self.enter(key, items, &cfg, children, directory))
    }

    /// Keeps what exists of a file's items, and its inline modules as modules.
    fn enter(
        &self,
        key: &Key,
        items: Vec<ItemFact>,
        cfg: &Cfg,
        children: PathBuf,
        paths: PathBuf,
    ) -> Module {
        let mut kept = Vec::new();
        let mut open: Vec<ItemFact> = items;
        open.reverse();
        while let Some(mut item) = open.pop() {
            if !cfg.allows(&item.conditions, World::Production) {
                continue;
            }
            match &mut item.kind {
                // `cfg_rt! { .. }`: such macros put a condition on what they hold.
                ItemKind::MacroCall(call) => {
                    open.extend(std::mem::take(&mut call.items).into_iter().rev());
                }
                ItemKind::Module(fact) => {
                    if let (Some(items), Some(name)) = (fact.inline.take(), &item.name) {
                        let mut child = key.clone();
                        child.1.push(name.clone());
                        let directory = children.join(name);
                        let module = self.enter(&child, items, cfg, directory.clone(), directory);
                        self.modules
                            .borrow_mut()
                            .entry(child)
                            .or_insert_with(|| Some(Rc::new(module)));
                    }
                }
                _ => {}
            }
            kept.push(item);
        }
        // What is public comes first where a name stands for several things.
        kept.sort_by_key(|item| item.visibility != Visibility::Public);
        Module {
            items: kept,
            children,
            paths,
        }
    }
}

/// Follows the names that take part in bindings, and remembers how they are written.
#[derive(Debug)]
pub struct Following<'a> {
    follower: Follower<'a>,
    /// The package of each crate of the program.
    crates: Vec<usize>,
    /// The crates to look into, as each crate of the program knows them: `(0, "sqlx")`.
    names: BTreeSet<(CrateId, String)>,
    /// How each crate writes what is declared elsewhere.
    written: RefCell<BTreeMap<(CrateId, String), String>>,
}

impl<'a> Following<'a> {
    /// Follows names into the crates that these paths lead through and to: `(0, "sqlx::SqlitePool")`.
    pub fn new(
        follower: Follower<'a>,
        program: &Program,
        paths: &BTreeSet<(CrateId, String)>,
    ) -> Self {
        let crates: Vec<usize> = program
            .crates
            .iter()
            .map(|krate| follower.package_of(&krate.directory))
            .collect();
        let mut names: BTreeSet<(CrateId, String)> = BTreeSet::new();
        let mut declaring: BTreeSet<usize> = BTreeSet::new();
        for (krate, path) in paths {
            let first = path.split("::").next().unwrap_or_default();
            names.insert((*krate, first.to_owned()));
            declaring.extend(follower.declaring(crates[*krate], path));
        }
        for (krate, package) in crates.iter().enumerate() {
            let dependencies = follower.packages.list.get(*package);
            for (name, target) in dependencies
                .into_iter()
                .flat_map(|package| &package.dependencies)
            {
                if declaring.contains(target) {
                    names.insert((krate, name.clone()));
                }
            }
        }
        Self {
            follower,
            crates,
            names,
            written: RefCell::default(),
        }
    }

    /// The packages of the build.
    pub fn packages(&self) -> &Packages {
        &self.follower.packages
    }

    /// What reads other crates.
    pub(super) fn follower(&self) -> &Follower<'a> {
        &self.follower
    }

    /// The package of a crate of the program.
    pub(super) fn package(&self, krate: CrateId) -> usize {
        self.crates[krate]
    }

    fn is_followed(&self, krate: CrateId, path: &str) -> bool {
        let first = path.split("::").next().unwrap_or_default();
        self.names.contains(&(krate, first.to_owned()))
    }

    pub(super) fn ty(&self, krate: CrateId, path: &str, args: &[Ty]) -> Option<Ty> {
        if !self.is_followed(krate, path) {
            return None;
        }
        let found = self.follower.ty(self.crates[krate], path, args.to_vec())?;
        // Only what is not an alias is written by the path that was followed.
        if let Ty::Foreign(declared, found_args) = &found
            && found_args.len() >= args.len()
            && found_args[..args.len()] == *args
            && self.follower.declared(self.crates[krate], path).as_ref() == Some(declared)
        {
            self.remember(krate, declared, path);
        }
        Some(found)
    }

    pub(super) fn declared(&self, krate: CrateId, path: &str) -> Option<String> {
        if !self.is_followed(krate, path) {
            return None;
        }
        let found = self.follower.declared(self.crates[krate], path)?;
        self.remember(krate, &found, path);
        Some(found)
    }

    /// The shortest of the paths by which a crate writes something.
    fn remember(&self, krate: CrateId, declared: &str, path: &str) {
        let mut written = self.written.borrow_mut();
        let known = written
            .entry((krate, declared.to_owned()))
            .or_insert_with(|| path.to_owned());
        if (path.len(), path) < (known.len(), known.as_str()) {
            path.clone_into(known);
        }
    }

    pub(super) fn written(&self, krate: CrateId, declared: &str) -> Option<String> {
        self.written
            .borrow()
            .get(&(krate, declared.to_owned()))
            .cloned()
    }
}
