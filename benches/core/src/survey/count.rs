//! What the analysis makes of a crate, in numbers.

use std::collections::{BTreeMap, BTreeSet};

use znight_compiler::{
    cfg::World,
    extension::Extensions,
    facts::{Cache, Files, ItemKind, PathExpr, TypeExpr, UseFact},
    resolve::{self, Imported, Item, ModuleId, Program, Resolver},
    source::Sources,
};

use super::{blank, packages::Package};
use crate::measure::once;

/// The numbers of one crate.
#[derive(Debug, Default)]
pub struct Counts {
    /// Files that were read.
    pub files: usize,
    /// Their lines.
    pub lines: usize,
    /// Modules.
    pub modules: usize,
    /// Files that could not be parsed.
    pub broken: usize,
    /// `mod` and `include!` whose file was not found, in a program where it must be.
    pub lost: usize,
    /// Names that `use` brings in, by what became of them.
    pub uses: BTreeMap<Kind, usize>,
    /// Paths of traits and types that impls are of.
    pub impls: Followed,
    /// Seconds for reading and parsing the files.
    pub facts: f64,
    /// Seconds for the names of all imports and impls.
    pub names: f64,
    /// One line for each thing that was not found.
    pub notes: Vec<String>,
    /// The macros behind which names are unknown, and how many.
    pub macros: BTreeMap<String, usize>,
}

/// Paths, by what became of them.
#[derive(Debug, Default)]
pub struct Followed {
    /// Those that lead somewhere.
    pub found: usize,
    /// Those the analysis cannot follow.
    pub unknown: usize,
    /// Those that lead nowhere.
    pub missing: usize,
}

/// What became of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Something of the crate.
    Own,
    /// Something of another crate.
    Foreign,
    /// Hidden behind a macro.
    Unknown,
    /// Several globs bring it.
    Ambiguous,
    /// Under a condition that cannot be told, or one of tests with dependencies and features that are not on.
    Doubtful,
    /// Nothing.
    Missing,
}

/// Looks at a crate.
pub fn count(package: &Package, sources: &dyn Sources) -> Counts {
    let cache = Cache::default();
    let files = Files::new(sources, &cache, &Extensions::default());
    let load = || {
        resolve::load(
            &package.library,
            &package.root,
            &package.cfg,
            &package.externs,
            &files,
        )
    };
    let (facts, program) = once(load);
    let mut counts = Counts {
        files: program.files.len(),
        modules: program.modules.len(),
        facts,
        ..Counts::default()
    };
    for file in &program.files {
        let text = sources.read(&file.path).unwrap_or_default();
        counts.lines += text.lines().count();
        if let Some(broken) = &file.broken {
            counts.broken += 1;
            counts.notes.push(format!(
                "{}:{}: {}",
                file.path.display(),
                broken.span.line,
                broken.message
            ));
        }
        if let Err(problem) = blank::agrees(&text) {
            counts.broken += 1;
            counts
                .notes
                .push(format!("{}: {problem}", file.path.display()));
        }
    }
    let known: BTreeSet<_> = program.files.iter().map(|file| &file.path).collect();
    let lost: Vec<String> = program
        .watch
        .iter()
        .filter(|path| !known.contains(path))
        .map(|path| format!("no file: {}", path.display()))
        .collect();
    counts.lost = usize::from(program.incomplete && counts.broken == 0) * lost.len();
    counts.notes.extend(lost);
    for world in World::BOTH {
        let (names, ()) = once(|| names(&program, &Resolver::new(&program, world), &mut counts));
        counts.names += names;
    }
    counts
}

fn names(program: &Program, resolver: &Resolver<'_>, counts: &mut Counts) {
    for item in &program.items {
        // What both worlds have is counted once.
        let counted = item.live.within(resolver.world)
            && (resolver.world == World::Production || !item.live.production);
        if !counted {
            continue;
        }
        match &item.fact.kind {
            ItemKind::Use(uses) => {
                for fact in uses {
                    let found = resolver.imported(item.module, fact);
                    let mut kind = kind(&found);
                    if kind == Kind::Missing && is_doubtful(program, item, resolver.world) {
                        kind = Kind::Doubtful;
                    }
                    *counts.uses.entry(kind).or_default() += 1;
                    if let Imported::Unknown(module) = found {
                        behind(program, module, counts);
                    }
                    if !matches!(kind, Kind::Own | Kind::Foreign) {
                        let place = program.file_name(item.file);
                        let line = item.fact.name_at.line;
                        counts
                            .notes
                            .push(format!("{kind:?}: use {} ({place}:{line})", written(fact)));
                    }
                }
            }
            ItemKind::Impl(fact) => {
                let params: Vec<&str> = fact
                    .generics
                    .iter()
                    .map(|param| param.name.as_str())
                    .collect();
                let place = format!(
                    "{}:{}",
                    program.file_name(item.file),
                    item.fact.name_at.line
                );
                follow(&fact.path, &params, item.module, resolver, &place, counts);
                if let TypeExpr::Path(path) = &fact.self_ty {
                    follow(path, &params, item.module, resolver, &place, counts);
                }
            }
            _ => {}
        }
    }
}

fn follow(
    path: &PathExpr,
    params: &[&str],
    module: ModuleId,
    resolver: &Resolver<'_>,
    place: &str,
    counts: &mut Counts,
) {
    let names = path.names();
    if names.first().is_some_and(|first| params.contains(first)) {
        return;
    }
    match resolver.leads(module, path) {
        Some(true) => counts.impls.found += 1,
        Some(false) => {
            counts.impls.missing += 1;
            counts.notes.push(format!("Missing: impl {path} ({place})"));
        }
        None => {
            counts.impls.unknown += 1;
            counts.notes.push(format!("Unknown: impl {path} ({place})"));
        }
    }
}

/// Whether it is not certain that an item is there. What a published package has in its tests it may lack the
/// dependencies for: Cargo leaves out those that lead back to it.
fn is_doubtful(program: &Program, item: &Item, world: World) -> bool {
    let cfg = &program.crate_of(item.module).cfg;
    let mut conditions = item.fact.conditions.clone();
    let mut at = item.module;
    while let Some(parent) = program.modules[at].parent {
        let declared = program.modules[parent]
            .by_name
            .get(&program.modules[at].name);
        for id in declared.into_iter().flatten() {
            conditions.extend_from_slice(&program.items[*id].fact.conditions);
        }
        at = parent;
    }
    world == World::Test || cfg.holds(&conditions, world) != Some(true)
}

/// The macros of a module behind which a name may stand.
fn behind(program: &Program, module: Option<ModuleId>, counts: &mut Counts) {
    let calls = module.into_iter().flat_map(|module| {
        program.modules[module].items.iter().filter_map(|item| {
            match &program.items[*item].fact.kind {
                ItemKind::MacroCall(call) => Some(format!("{}!", call.path.join("::"))),
                _ => None,
            }
        })
    });
    let calls: BTreeSet<String> = calls.collect();
    for call in calls {
        *counts.macros.entry(call).or_default() += 1;
    }
}

fn kind(found: &Imported) -> Kind {
    match found {
        Imported::Type | Imported::Value | Imported::Macro => Kind::Own,
        Imported::Foreign => Kind::Foreign,
        Imported::Ambiguous => Kind::Ambiguous,
        Imported::Unknown(_) => Kind::Unknown,
        Imported::Missing => Kind::Missing,
    }
}

fn written(fact: &UseFact) -> String {
    let start = if fact.absolute { "::" } else { "" };
    let end = if fact.glob { "::*" } else { "" };
    format!("{start}{}{end}", fact.path.join("::"))
}
