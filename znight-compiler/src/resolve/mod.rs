//! From files to a tree of modules, and from names to what they mean.

mod consts;
mod evaluate;
mod follow;
mod foreign;
mod globs;
mod imports;
mod makers;
mod names;
mod number;
mod preset;
mod public;
mod resolvers;
mod tree;
mod types;
mod values;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

pub(crate) use consts::ConstSource;
pub use evaluate::{Refusal, Value};
pub use follow::{Follower, Following};
pub use foreign::canonical;
pub use imports::Imported;
pub(crate) use makers::may_make_names;
pub use names::{Found, Resolver};
pub use number::IntType;
pub use tree::load;
pub(crate) use tree::{Source, add_crate};
pub(crate) use types::unify_trait;
pub use types::{Scope, Substitution, TraitRef, Ty, unify};

use crate::{
    cfg::{Cfg, Condition, World},
    facts::{ItemFact, ItemKind, PathExpr, SyntaxFact, Visibility},
    source,
};

/// A file of the program.
pub type FileId = usize;
/// A crate of the program; 0 is the one being built.
pub type CrateId = usize;
/// A module of the program; 0 is the root of the crate being built.
pub type ModuleId = usize;
/// An item of the program, in the order the files are walked.
pub type ItemId = usize;

/// Where the program's names come from besides its own sources.
#[derive(Debug, Clone, Default)]
pub struct Externs {
    /// The name under which the package knows the facade crate: `znight`, or what it was renamed to.
    pub facade: String,
    /// The names of the package's other dependencies.
    pub crates: BTreeSet<String>,
    /// The own names of those that the package knows by another one.
    pub renamed: BTreeMap<String, String>,
    /// Those whose sources are part of the program.
    pub loaded: BTreeMap<String, CrateId>,
    /// Whether paths in `use` start at the crate root (edition 2015).
    pub rooted_uses: bool,
}

/// The module tree of one target, with everything declared in it.
#[derive(Debug, Default)]
pub struct Program {
    /// Its crates: the one being built, then the libraries whose sources are analysed with it.
    pub crates: Vec<Crate>,
    /// Its files, in the order they were reached.
    pub files: Vec<File>,
    /// Its modules, parents before children.
    pub modules: Vec<Module>,
    /// Its items.
    pub items: Vec<Item>,
    /// Every path the result depends on, files that do not exist yet included.
    pub watch: BTreeSet<PathBuf>,
    /// Whether a file could not be parsed or found.
    pub incomplete: bool,
    /// Provider libraries of the workspace or the build that the target does not reach.
    pub hidden: Vec<Hidden>,
}

/// A provider library that the target does not reach.
#[derive(Debug)]
pub struct Hidden {
    /// The name of its package.
    pub package: String,
    /// The directory of its package.
    pub directory: PathBuf,
    /// What its files are shown below.
    pub shown: String,
    /// Its root file.
    pub root: PathBuf,
}

/// A crate.
#[derive(Debug)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// The first segment of its tokens: its name, with its version where several are loaded.
    pub label: String,
    /// What its files are shown below; empty for the crate being built.
    pub shown: String,
    /// The directory of its package; files are shown relative to it.
    pub directory: PathBuf,
    /// The path of the marker its glue hangs on, from the crate being built.
    pub marker: String,
    /// Its root module.
    pub root: ModuleId,
    /// The names of other crates in it.
    pub externs: Externs,
    /// What is switched on in it.
    pub cfg: Cfg,
}

/// A source file.
#[derive(Debug)]
pub struct File {
    /// Its path, as it is read.
    pub path: PathBuf,
    /// The crate it belongs to.
    pub krate: CrateId,
    /// Why it could not be parsed, if so.
    pub broken: Option<SyntaxFact>,
}

/// A module.
#[derive(Debug)]
pub struct Module {
    /// The crate it belongs to.
    pub krate: CrateId,
    /// The module around it; none for the root.
    pub parent: Option<ModuleId>,
    /// Its name; the crate's name for the root.
    pub name: String,
    /// The file its items stand in.
    pub file: FileId,
    /// Who may name it.
    pub visibility: Visibility,
    /// Whether it exists in each world.
    pub live: Live,
    /// Its items, in order.
    pub items: Vec<ItemId>,
    /// The items by name: several where `cfg` chooses.
    pub by_name: BTreeMap<String, Vec<ItemId>>,
    /// The child modules by name.
    pub children: BTreeMap<String, Vec<ModuleId>>,
}

/// An item and where it stands.
#[derive(Debug)]
pub struct Item {
    /// What it says.
    pub fact: ItemFact,
    /// The module it stands in.
    pub module: ModuleId,
    /// The file it stands in.
    pub file: FileId,
    /// Whether it exists in each world.
    pub live: Live,
    /// The condition that switches it off, its own or that of a module around it.
    pub off: Option<Condition>,
}

/// Whether something exists in each world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    /// In what users run.
    pub production: bool,
    /// In unit tests.
    pub test: bool,
}

impl Live {
    /// In both.
    pub const EVERYWHERE: Self = Self {
        production: true,
        test: true,
    };

    /// Whether it exists in this world.
    pub fn within(self, world: World) -> bool {
        match world {
            World::Production => self.production,
            World::Test => self.test,
        }
    }

    /// Whether the worlds disagree.
    pub fn differs(self) -> bool {
        self.production != self.test
    }
}

impl Program {
    /// The full path of a module: `shop::users`.
    pub fn module_path(&self, module: ModuleId) -> String {
        let found = &self.modules[module];
        match found.parent {
            Some(parent) => format!("{}::{}", self.module_path(parent), found.name),
            None => self.crates[found.krate].label.clone(),
        }
    }

    /// The full path of a named item: `shop::users::UserService`.
    pub fn item_path(&self, item: ItemId) -> String {
        let found = &self.items[item];
        format!(
            "{}::{}",
            self.module_path(found.module),
            found.fact.name.as_deref().unwrap_or("_")
        )
    }

    /// The name of an item.
    pub fn item_name(&self, item: ItemId) -> &str {
        self.items[item].fact.name.as_deref().unwrap_or("_")
    }

    /// `src/users/service.rs:12` of an item's name.
    pub fn place(&self, item: ItemId) -> String {
        let found = &self.items[item];
        format!("{}:{}", self.file_name(found.file), found.fact.name_at.line)
    }

    /// The path of a file in messages.
    pub fn file_name(&self, file: FileId) -> String {
        let File { path, krate, .. } = &self.files[file];
        let krate = &self.crates[*krate];
        let below = path.strip_prefix(&krate.directory).unwrap_or(path);
        format!("{}{}", krate.shown, source::display(below))
    }

    /// Whether a file belongs to the crate being built.
    pub fn is_own(&self, file: FileId) -> bool {
        self.files[file].krate == 0
    }

    /// The crate a module belongs to.
    pub fn crate_of(&self, module: ModuleId) -> &Crate {
        &self.crates[self.modules[module].krate]
    }

    /// The other crates that the sources of a crate name, in its imports and where types matter to us.
    pub fn named_crates(&self, krate: CrateId) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = BTreeSet::new();
        for item in &self.items {
            if self.modules[item.module].krate != krate || !item.live.production {
                continue;
            }
            // A module may have the name of a crate, even of one that is not switched on.
            let here = &self.modules[item.module].by_name;
            let is_crate = |name: &String, absolute: bool| absolute || !here.contains_key(name);
            let mut add = |path: &PathExpr| {
                let first = path.segments.first().map(|first| &first.name);
                found.extend(first.filter(|name| is_crate(name, path.absolute)).cloned());
            };
            match &item.fact.kind {
                ItemKind::Use(uses) => {
                    found.extend(uses.iter().filter_map(|fact| {
                        let first = fact.path.first();
                        first.filter(|name| is_crate(name, fact.absolute)).cloned()
                    }));
                    continue;
                }
                ItemKind::Impl(fact) => {
                    add(&fact.path);
                    fact.path.each_argument(&mut add);
                    fact.self_ty.each_path(&mut add);
                }
                _ => {}
            }
            for marked in &item.fact.marked {
                marked.parsed.each_type(&mut |ty| ty.each_path(&mut add));
            }
        }
        let externs = &self.crates[krate].externs;
        found.retain(|name| externs.crates.contains(name));
        found
    }

    /// Whether `module` is `ancestor` or stands below it.
    pub fn is_within(&self, module: ModuleId, ancestor: ModuleId) -> bool {
        let mut at = Some(module);
        while let Some(current) = at {
            if current == ancestor {
                return true;
            }
            at = self.modules[current].parent;
        }
        false
    }

    /// Whether something declared in `owner` with this visibility may be named from `from`.
    pub fn visible(&self, visibility: &Visibility, owner: ModuleId, from: ModuleId) -> bool {
        match visibility {
            Visibility::Public => true,
            Visibility::Crate => self.modules[from].krate == self.modules[owner].krate,
            Visibility::Private => self.is_within(from, owner),
            Visibility::Super => self.is_within(from, self.modules[owner].parent.unwrap_or(owner)),
            Visibility::In(path) => {
                // `in` paths name an ancestor: count from the root or upwards.
                let krate = self.crate_of(owner);
                let rooted =
                    krate.externs.rooted_uses || path.first().is_some_and(|first| first == "crate");
                let mut at = if rooted { krate.root } else { owner };
                for step in path {
                    match step.as_str() {
                        "crate" => {}
                        "self" => at = owner,
                        "super" if at == krate.root && rooted => {
                            at = self.modules[owner].parent.unwrap_or(owner);
                        }
                        "super" => at = self.modules[at].parent.unwrap_or(at),
                        name => {
                            let children = self.modules[at].children.get(name).into_iter();
                            let around = children
                                .flatten()
                                .find(|child| self.is_within(owner, **child));
                            match around {
                                Some(child) => at = *child,
                                None => return false,
                            }
                        }
                    }
                }
                self.is_within(from, at)
            }
        }
    }

    /// The `crate::..` path by which an item can be named from a module of its crate, if it can.
    pub fn visible_path(&self, item: ItemId, from: ModuleId) -> Option<String> {
        let found = &self.items[item];
        if self.modules[found.module].krate != self.modules[from].krate {
            return None;
        }
        if !self.visible(&found.fact.visibility, found.module, from) {
            return None;
        }
        let mut segments = vec![found.fact.name.clone()?];
        let mut at = found.module;
        while let Some(parent) = self.modules[at].parent {
            if !self.visible(&self.modules[at].visibility, parent, from) {
                return None;
            }
            segments.push(self.modules[at].name.clone());
            at = parent;
        }
        segments.push("crate".to_owned());
        segments.reverse();
        Some(segments.join("::"))
    }
}
