//! Walks the module tree from a target's root file.

use std::path::{Path, PathBuf};

use super::{Crate, CrateId, Externs, File, FileId, Item, ItemId, Live, Module, ModuleId, Program};
use crate::{
    cfg::{Cfg, Condition, World},
    facts::{FileFacts, Files, ItemFact, ItemKind, Visibility},
    source::normalize,
};

/// Nesting beyond this is a loop of `#[path]` attributes.
const MAX_DEPTH: usize = 128;

/// A crate to read.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// Everything but its root module, which follows from its root file.
    pub(crate) krate: Crate,
    /// Its root file.
    pub(crate) root: &'a Path,
}

/// Reads a target: its root file and every file its modules lead to.
pub fn load(name: &str, root: &Path, cfg: &Cfg, externs: &Externs, files: &Files<'_>) -> Program {
    let mut program = Program::default();
    let krate = Crate {
        name: name.to_owned(),
        label: name.to_owned(),
        shown: String::new(),
        directory: PathBuf::new(),
        marker: "__Znight".to_owned(),
        root: 0,
        externs: externs.clone(),
        cfg: cfg.clone(),
    };
    add_crate(&mut program, Source { krate, root }, files);
    program
}

/// Reads one crate into a program.
pub(crate) fn add_crate(program: &mut Program, source: Source<'_>, files: &Files<'_>) {
    let Source { mut krate, root } = source;
    let number = program.crates.len();
    let cfg = krate.cfg.clone();
    krate.root = program.modules.len();
    let name = krate.name.clone();
    program.crates.push(krate);
    let root = normalize(root);
    let directory = parent(&root);
    let around = Around {
        live: Live::EVERYWHERE,
        off: None,
        depth: 0,
    };
    program.watch.insert(root.clone());
    let Some(facts) = files.facts(&root) else {
        program.incomplete = true;
        return;
    };
    let mut walk = Walk {
        program,
        krate: number,
        cfg: &cfg,
        files,
    };
    walk.file(
        None,
        name,
        Visibility::Public,
        root,
        facts,
        &Place::root(&directory),
        &around,
    );
}

struct Walk<'a, 's> {
    program: &'a mut Program,
    krate: CrateId,
    cfg: &'a Cfg,
    files: &'a Files<'s>,
}

/// Where child modules of a module are looked for.
struct Place {
    /// The directory of `mod name;`.
    children: PathBuf,
    /// The directory `#[path]` is relative to.
    paths: PathBuf,
}

impl Place {
    /// Of a root file, a `mod.rs`, or a file named by `#[path]`.
    fn root(directory: &Path) -> Self {
        Self {
            children: directory.to_owned(),
            paths: directory.to_owned(),
        }
    }
}

/// What holds around an item: the conditions of the modules it stands in.
struct Around {
    live: Live,
    off: Option<Condition>,
    depth: usize,
}

impl Around {
    /// A library is never built for its own tests when an application uses it.
    fn inside(&self, cfg: &Cfg, conditions: &[Condition], is_library: bool) -> Self {
        let test = if is_library {
            World::Production
        } else {
            World::Test
        };
        Self {
            live: Live {
                production: self.live.production && cfg.allows(conditions, World::Production),
                test: self.live.test && cfg.allows(conditions, test),
            },
            off: self
                .off
                .clone()
                .or_else(|| cfg.culprit(conditions, World::Production).cloned()),
            depth: self.depth + 1,
        }
    }
}

impl Walk<'_, '_> {
    /// Adds a file, and says what holds around its items.
    fn enter(
        &mut self,
        path: PathBuf,
        facts: FileFacts,
        around: &Around,
    ) -> (FileId, Around, Vec<ItemFact>) {
        let around = around.inside(self.cfg, &facts.conditions, self.krate != 0);
        // A broken file that is switched off breaks nothing.
        self.program.incomplete |=
            facts.broken.is_some() && (around.live.production || around.live.test);
        let file = self.program.files.len();
        self.program.files.push(File {
            path,
            krate: self.krate,
            broken: facts.broken,
        });
        (file, around, facts.items)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what a `mod` line says, and its file"
    )]
    fn file(
        &mut self,
        parent: Option<ModuleId>,
        name: String,
        visibility: Visibility,
        path: PathBuf,
        facts: FileFacts,
        place: &Place,
        around: &Around,
    ) {
        let (file, around, items) = self.enter(path, facts, around);
        self.module(parent, name, visibility, file, items, place, &around);
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one call site each for files and inline modules"
    )]
    fn module(
        &mut self,
        parent: Option<ModuleId>,
        name: String,
        visibility: Visibility,
        file: FileId,
        items: Vec<ItemFact>,
        place: &Place,
        around: &Around,
    ) {
        let id = self.program.modules.len();
        if let Some(parent) = parent {
            self.program.modules[parent]
                .children
                .entry(name.clone())
                .or_default()
                .push(id);
        }
        self.program.modules.push(Module {
            krate: self.krate,
            parent,
            name,
            file,
            visibility,
            live: around.live,
            items: Vec::new(),
            by_name: std::collections::BTreeMap::new(),
            children: std::collections::BTreeMap::new(),
        });
        for fact in items {
            self.item(id, file, fact, place, around);
        }
    }

    fn item(
        &mut self,
        module: ModuleId,
        file: FileId,
        mut fact: ItemFact,
        place: &Place,
        around: &Around,
    ) {
        let inside = around.inside(self.cfg, &fact.conditions, self.krate != 0);
        let mut child = None;
        if let (ItemKind::Module(declared), Some(name)) = (&mut fact.kind, &fact.name) {
            child = Some((
                name.clone(),
                fact.visibility.clone(),
                declared.inline.take(),
                std::mem::take(&mut declared.paths),
            ));
        }
        let id = self.program.items.len();
        let owner = &mut self.program.modules[module];
        owner.items.push(id);
        if let Some(name) = &fact.name {
            owner.by_name.entry(name.clone()).or_default().push(id);
        }
        self.program.items.push(Item {
            fact,
            module,
            file,
            live: inside.live,
            off: inside.off.clone(),
        });
        let Some((name, visibility, inline, paths)) = child else {
            self.include(module, file, id, &inside);
            return;
        };
        let world = if inside.live.production {
            World::Production
        } else {
            World::Test
        };
        let path = paths
            .into_iter()
            .find(|(_, conditions)| self.cfg.allows(conditions, world))
            .map(|(path, _)| path);
        if let Some(items) = inline {
            let directory = match path {
                Some(path) => normalize(&place.paths.join(path)),
                None => place.children.join(&name),
            };
            self.module(
                Some(module),
                name,
                visibility,
                file,
                items,
                &Place::root(&directory),
                &inside,
            );
        } else {
            self.child(module, name, visibility, path.as_deref(), place, &inside);
        }
    }

    /// Reads the items of `include!("file")` into the module it stands in.
    fn include(&mut self, module: ModuleId, file: FileId, item: ItemId, around: &Around) {
        let ItemKind::MacroCall(call) = &self.program.items[item].fact.kind else {
            return;
        };
        let Some(name) = &call.include else { return };
        let path = normalize(&parent(&self.program.files[file].path).join(name));
        self.program.watch.insert(path.clone());
        let found = self.files.facts(&path).filter(|_| around.depth < MAX_DEPTH);
        let Some(facts) = found else {
            // rustc says that the file is missing; what it would hold is unknown.
            self.program.incomplete |= around.live.production || around.live.test;
            return;
        };
        let place = Place::root(&parent(&path));
        let (file, around, items) = self.enter(path, facts, around);
        for fact in items {
            self.item(module, file, fact, &place, &around);
        }
    }

    fn child(
        &mut self,
        parent: ModuleId,
        name: String,
        visibility: Visibility,
        path: Option<&str>,
        place: &Place,
        around: &Around,
    ) {
        let candidates = match path {
            Some(path) => vec![(normalize(&place.paths.join(path)), true)],
            None => vec![
                (place.children.join(format!("{name}.rs")), false),
                (place.children.join(&name).join("mod.rs"), true),
            ],
        };
        let found = candidates
            .iter()
            .filter(|_| around.depth < MAX_DEPTH)
            .find_map(|(candidate, is_root)| {
                Some((self.files.facts(candidate)?, candidate.clone(), *is_root))
            });
        let Some((facts, file, is_root)) = found else {
            // Only then are both watched: Cargo reruns a build script for ever for a missing file.
            self.program
                .watch
                .extend(candidates.into_iter().map(|(candidate, _)| candidate));
            // rustc says that the file is missing; what it would hold is unknown.
            self.program.incomplete |= around.live.production || around.live.test;
            return;
        };
        self.program.watch.insert(file.clone());
        let directory = self::parent(&file);
        let place = if is_root {
            Place::root(&directory)
        } else {
            Place {
                children: directory.join(&name),
                paths: directory,
            }
        };
        self.file(Some(parent), name, visibility, file, facts, &place, around);
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}
