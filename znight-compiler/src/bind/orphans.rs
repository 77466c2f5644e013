//! Files that lie beside the application's modules without being one.

use std::{collections::BTreeSet, path::Path};

use crate::{
    facts::{self, ItemKind, Names},
    resolve::Program,
    source::{self, Sources},
};

/// Root files of other targets: no `mod` is missing for them.
const ROOTS: &[&str] = &["lib.rs", "main.rs", "build.rs"];
/// At most this many files are read: this is a hint, not a search.
const MOST: usize = 256;

/// Where a trait of this name is implemented in a file no `mod` leads to, as hints.
///
/// A forgotten `mod` line is the most likely reason why an implementation is not found.
pub(super) fn implementing(program: &Program, sources: &dyn Sources, name: &str) -> Vec<String> {
    let known: BTreeSet<&Path> = program
        .files
        .iter()
        .map(|file| file.path.as_path())
        .collect();
    // Those of a library are for its own build to look at.
    let own = program.files.iter().filter(|file| file.krate == 0);
    let directories: BTreeSet<&Path> = own.filter_map(|file| file.path.parent()).collect();
    let orphans = directories
        .into_iter()
        .filter(|directory| !directory.ends_with("bin"))
        .flat_map(|directory| sources.beside(directory))
        .filter(|path| !known.contains(path.as_path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| !ROOTS.iter().any(|root| name == *root))
        })
        .take(MOST);
    let mut hints = Vec::new();
    for path in orphans {
        let Some(text) = sources.read(&path).filter(|text| text.contains(name)) else {
            continue;
        };
        for item in facts::read(&text, &Names::default()).items {
            let ItemKind::Impl(found) = item.kind else {
                continue;
            };
            let fits = found.path.last() == name;
            let (Some(ty), Some(stem)) = (found.self_ty.last(), path.file_stem()) else {
                continue;
            };
            if fits {
                hints.push(format!(
                    "{ty} ({}) implements {name}, but no module leads to that file: declare it, `mod {};`",
                    source::display(&path),
                    stem.to_string_lossy(),
                ));
            }
        }
    }
    hints
}
