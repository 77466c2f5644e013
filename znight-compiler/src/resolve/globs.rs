//! Where globs lead, and what they bring.
//!
//! A glob may lead to what another one brings, and modules may import one another. Followed name by name that
//! takes exponential time, so it is found out once for each world, before any name is asked for.

use std::collections::BTreeSet;

use super::{Found, ItemId, ModuleId, Program, Resolver, foreign, makers, names::Seen};
use crate::{
    cfg::World,
    facts::{ItemKind, UseFact},
};

/// Where a module has names from besides its items.
#[derive(Debug, Default, Clone)]
pub(super) struct Sources {
    /// Its imports, in order.
    pub(super) uses: Vec<ItemId>,
    /// Whether something in it may make names that the analysis cannot see.
    pub(super) opaque: bool,
}

/// Globs that lead to what globs bring beyond this are a loop.
const MAX_ROUNDS: usize = 32;

/// What a walk along globs comes to.
pub(super) enum Step<'a> {
    /// A module in which something may make names that the analysis cannot see.
    Opaque,
    /// A module, and the one that sees it: whether to go on behind it is for the walker to say.
    Module(ModuleId, ModuleId),
    /// Something else, and the module with the glob.
    Other(&'a Found, ModuleId),
}

/// What brings names into each module.
pub(super) fn sources(program: &Program, world: World) -> Vec<Sources> {
    let mut sources = vec![Sources::default(); program.modules.len()];
    for (id, item) in program.items.iter().enumerate() {
        if !item.live.within(world) {
            continue;
        }
        let of_module = &mut sources[item.module];
        if matches!(item.fact.kind, ItemKind::Use(_)) {
            of_module.uses.push(id);
        }
        let facade = &program.crate_of(item.module).externs.facade;
        of_module.opaque = of_module.opaque || makers::may_make_names(&item.fact, facade);
    }
    sources
}

impl Resolver<'_> {
    /// Finds out where globs lead.
    pub(super) fn settle(&self) {
        let modules = self.program.modules.len();
        for number in 0..MAX_ROUNDS {
            let round: Vec<Vec<(ItemId, Found)>> =
                (0..modules).map(|module| self.round_of(module)).collect();
            if *self.memo.globs.borrow() == round {
                break;
            }
            // What other crates bring is nothing that a glob found without it starts with.
            let mut found = round.iter().flatten();
            let is_last = number == 0 && found.all(|(_, found)| matches!(found, Found::Foreign(_)));
            self.memo.globs.replace(round);
            self.memo.clear(modules);
            if is_last {
                return;
            }
        }
        if self.memo.members.borrow().is_empty() {
            self.memo.clear(modules);
        }
    }

    /// Where the globs of a module lead, as far as can be told in this round.
    fn round_of(&self, module: ModuleId) -> Vec<(ItemId, Found)> {
        let mut found = Vec::new();
        for (id, uses) in self.uses(module) {
            for fact in uses.iter().filter(|fact| fact.glob) {
                found.push((id, self.import(module, fact, &mut Seen::new())));
            }
        }
        found
    }

    /// Whether a module has globs at all.
    pub(super) fn has_globs(&self, module: ModuleId) -> bool {
        !self.memo.globs.borrow()[module].is_empty()
    }

    /// Walks along the globs of a module, as far as it is visible from `from`. Each module is come to once for
    /// each that sees it: modules that import one another would be on every way between them else.
    pub(super) fn each_glob(
        &self,
        module: ModuleId,
        from: ModuleId,
        visit: &mut dyn FnMut(Step<'_>) -> bool,
    ) {
        let globs = self.memo.globs.borrow();
        // Most modules have no globs that lead to modules: nothing is set up for those.
        let mut seen = BTreeSet::new();
        let mut open = Vec::new();
        let mut next = Some((module, from));
        while let Some((at, viewer)) = next {
            if self.is_opaque(at) {
                visit(Step::Opaque);
            }
            for (id, found) in &globs[at] {
                let visibility = &self.program.items[*id].fact.visibility;
                if !self.program.visible(visibility, at, viewer) {
                    continue;
                }
                match found {
                    Found::Module(target) => {
                        if seen.insert((*target, at)) && visit(Step::Module(*target, at)) {
                            open.push((*target, at));
                        }
                    }
                    found => {
                        visit(Step::Other(found, at));
                    }
                }
            }
            next = open.pop();
        }
    }

    /// The only foreign glob of a module that could bring a name nobody else has: `use sqlx::*`.
    pub fn foreign_glob(&self, module: ModuleId) -> Option<String> {
        let mut found = BTreeSet::new();
        for (_, target) in &self.memo.globs.borrow()[module] {
            if let Found::Foreign(path) = target
                && path != foreign::PRELUDE
            {
                found.insert(path.clone());
            }
        }
        if found.len() == 1 {
            found.pop_first()
        } else {
            None
        }
    }
}

impl<'a> Resolver<'a> {
    /// The imports of a module.
    pub(super) fn uses(&self, module: ModuleId) -> impl Iterator<Item = (ItemId, &'a [UseFact])> {
        let program = self.program;
        let uses = self.memo.sources[module].uses.iter();
        uses.filter_map(move |id| match &program.items[*id].fact.kind {
            ItemKind::Use(uses) => Some((*id, uses.as_slice())),
            _ => None,
        })
    }

    /// Whether something in a module may make names that the analysis cannot see.
    pub(super) fn is_opaque(&self, module: ModuleId) -> bool {
        self.memo.sources[module].opaque
    }
}

/// What a glob of something other than a module of the program brings; whether that cannot be told.
pub(super) fn is_unknown_behind(holder: &Found, name: &str, globs: &mut BTreeSet<Found>) -> bool {
    match holder {
        Found::Foreign(path) => {
            // What the facade's prelude holds is known, all of it.
            if path == foreign::PRELUDE && foreign::FACADE_PRELUDE.contains(&name) {
                globs.insert(Found::Foreign(format!("znight::{name}")));
            }
            !foreign::is_prelude(path)
        }
        Found::Unknown => true,
        // The variants of an enum are no types.
        Found::Module(_)
        | Found::Item(_)
        | Found::Primitive(_)
        | Found::Ambiguous
        | Found::Missing => false,
    }
}
