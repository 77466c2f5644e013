//! Paths by which an item of another crate can be named.

use std::collections::{BTreeSet, VecDeque};

use super::{CrateId, Found, ItemId, ModuleId, Resolver};
use crate::facts::{ItemKind, Visibility};

impl Resolver<'_> {
    /// A path by which an item can be named from a module, if there is one: `crate::..` in its own
    /// crate, else the shortest public one.
    pub fn nameable(&self, item: ItemId, from: ModuleId) -> Option<String> {
        let program = self.program;
        let krate = program.modules[program.items[item].module].krate;
        if program.modules[from].krate == krate {
            return program.visible_path(item, from);
        }
        let prefix = program.crates[krate].marker.strip_suffix("::__Znight")?;
        // The marker is told from the crate being built: no other crate knows it by that path.
        (program.modules[from].krate == 0)
            .then(|| self.public_path(krate, item))
            .flatten()
            .map(|path| format!("{prefix}::{path}"))
    }

    /// The shortest path of public names from the root of a crate to an item.
    fn public_path(&self, krate: CrateId, item: ItemId) -> Option<String> {
        let program = self.program;
        let root = program.crates[krate].root;
        let mut seen: BTreeSet<ModuleId> = BTreeSet::from([root]);
        let mut queue: VecDeque<(ModuleId, String)> = VecDeque::from([(root, String::new())]);
        while let Some((module, prefix)) = queue.pop_front() {
            let mut names: BTreeSet<String> = BTreeSet::new();
            let mut globs: Vec<ModuleId> = Vec::new();
            for &id in &program.modules[module].items {
                let found = &program.items[id];
                if found.fact.visibility != Visibility::Public || !found.live.within(self.world) {
                    continue;
                }
                match &found.fact.kind {
                    ItemKind::Use(uses) => {
                        for fact in uses {
                            if let Some(alias) = &fact.alias {
                                names.insert(alias.clone());
                            } else if fact.glob {
                                let path: Vec<&str> =
                                    fact.path.iter().map(String::as_str).collect();
                                if let Found::Module(target) =
                                    self.path(module, &path, fact.absolute)
                                {
                                    globs.push(target);
                                }
                            }
                        }
                    }
                    _ => names.extend(found.fact.name.clone()),
                }
            }
            for target in globs {
                if seen.insert(target) {
                    queue.push_front((target, prefix.clone()));
                }
            }
            for name in names {
                match self.path(module, &[&name], false) {
                    Found::Item(found) if found == item => return Some(format!("{prefix}{name}")),
                    Found::Module(inner)
                        if program.modules[inner].krate == krate && seen.insert(inner) =>
                    {
                        queue.push_back((inner, format!("{prefix}{name}::")));
                    }
                    _ => {}
                }
            }
        }
        None
    }
}
