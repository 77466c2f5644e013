//! The provider libraries of an application, analysed from their sources.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use znight_contract::{ErrorCode, codes::Severity};

use crate::{
    Options, Role,
    diagnostic::{Diagnostic, Location, Place, Worlds},
    facts::Files,
    packages::{self, Package, Packages},
    resolve::{Crate, Hidden, Program, Source, add_crate},
    source::{self, Span},
};

/// Reads every library the target can reach into its program, each once, nearest first.
///
/// A library is reached through libraries only: no other crate hands on the marker its glue hangs on, and
/// a library hands on the crates that its sources name.
pub(crate) fn load(
    program: &mut Program,
    packages: &Packages,
    options: &Options,
    files: &Files<'_>,
    problems: &mut Vec<Diagnostic>,
) {
    let libraries: BTreeSet<usize> = (0..packages.list.len())
        .filter(|package| *package != packages.own && is_library(packages, *package, files))
        .collect();
    // Any of the user's that knows the framework may become one, or cease to be.
    let near = packages
        .list
        .iter()
        .enumerate()
        .filter(|(number, package)| {
            package.is_path && *number != packages.own && packages.facade_of(*number).is_some()
        });
    let roots = near.filter_map(|(_, package)| Some(package.library.as_ref()?.1.clone()));
    program.watch.extend(roots);
    // The package of each crate, the crate being built first.
    let mut loaded: Vec<usize> = vec![packages.own];
    let mut prefixes: Vec<String> = vec![String::new()];
    let mut next = 0;
    while next < loaded.len() {
        let mut dependencies = packages.list[loaded[next]].dependencies.clone();
        dependencies.sort();
        let named = program.named_crates(next);
        for (name, target) in dependencies {
            if !libraries.contains(&target)
                || loaded.contains(&target)
                || next > 0 && !named.contains(&name)
            {
                continue;
            }
            let prefix = if next == 0 {
                format!("::{name}")
            } else {
                format!("{}::__znight_libraries::{name}", prefixes[next])
            };
            skew(packages, target, problems);
            add(program, packages, target, &prefix, options, files);
            loaded.push(target);
            prefixes.push(prefix);
        }
        next += 1;
    }
    for (krate, package) in loaded.iter().enumerate() {
        let twin = loaded.iter().any(|other| {
            other != package && library_name(packages, *other) == library_name(packages, *package)
        });
        if twin && krate > 0 {
            let version = &packages.list[*package].version;
            let found = &mut program.crates[krate];
            found.label = format!("{}@{version}", found.name);
        }
        let externs = &mut program.crates[krate].externs;
        for (name, target) in &packages.list[*package].dependencies {
            if let Some(krate) = loaded.iter().position(|known| known == target) {
                externs.loaded.insert(name.clone(), krate);
            }
        }
    }
    program.hidden = libraries
        .into_iter()
        .filter(|package| !loaded.contains(package))
        .filter_map(|package| {
            let package = &packages.list[package];
            let (_, root) = package.library.as_ref()?;
            Some(Hidden {
                package: package.name.clone(),
                directory: package.directory.clone(),
                shown: shown(packages, package),
                root: root.clone(),
            })
        })
        .collect();
}

/// Whether a package says `library!()`.
fn is_library(packages: &Packages, package: usize, files: &Files<'_>) -> bool {
    let Some(facade) = packages.facade_of(package) else {
        return false;
    };
    packages.list[package]
        .library
        .as_ref()
        .is_some_and(|(_, root)| {
            let text = files.sources().read(root);
            // Most are told by their text, and the rest by what the text says.
            text.is_some_and(|text| text.contains("library!"))
                && files.facts(root).is_some_and(|facts| {
                    let kinds = facts.items.iter().map(|item| &item.kind);
                    Role::of(kinds, facade) == Some(Role::Library)
                })
        })
}

fn library_name(packages: &Packages, package: usize) -> Option<&str> {
    let (name, _) = packages.list[package].library.as_ref()?;
    Some(name)
}

fn add(
    program: &mut Program,
    packages: &Packages,
    number: usize,
    prefix: &str,
    options: &Options,
    files: &Files<'_>,
) {
    let package = &packages.list[number];
    let Some((name, root)) = &package.library else {
        return;
    };
    let krate = Crate {
        name: name.clone(),
        label: name.clone(),
        shown: shown(packages, package),
        directory: package.directory.clone(),
        marker: format!("{prefix}::__Znight"),
        root: 0,
        externs: packages.externs(number),
        cfg: packages::cfg_of(package, &options.cfg),
    };
    add_crate(program, Source { krate, root }, files);
}

/// What the files of a package are shown below: its directory as seen from the package that is built,
/// or its name and version where Cargo keeps it.
fn shown(packages: &Packages, package: &Package) -> String {
    let relative = packages.own().filter(|_| package.is_path).map(|own| {
        let common = own
            .directory
            .components()
            .zip(package.directory.components())
            .take_while(|(a, b)| a == b)
            .count();
        let up = own.directory.components().count() - common;
        let down: PathBuf = package.directory.components().skip(common).collect();
        format!("{}{}/", "../".repeat(up), source::display(&down))
    });
    relative.unwrap_or_else(|| format!("{}-{}/", package.name, package.version))
}

/// ZNIGHT018: a library that was built for another release has other types behind the same names.
fn skew(packages: &Packages, library: usize, problems: &mut Vec<Diagnostic>) {
    let facade = |package: usize| {
        let name = packages.facade_of(package)?;
        packages.dependency(package, name)
    };
    let (Some(own), Some(other)) = (facade(packages.own), facade(library)) else {
        return;
    };
    if own == other {
        return;
    }
    let version = |package: usize| packages.list[package].version.as_str();
    let package = &packages.list[library];
    problems.push(Diagnostic {
        code: ErrorCode::VersionMismatch,
        severity: Severity::Error,
        message: format!(
            "{} {} is built with znight {}, and this package with znight {}",
            package.name,
            package.version,
            version(other),
            version(own),
        ),
        hints: vec![
            format!(
                "use a version of {} that is built with znight {}",
                package.name,
                version(own)
            ),
            format!("or use znight {} in this package", version(other)),
            "see who asks for what: `cargo tree --invert znight`".to_owned(),
        ],
        place: Place::elsewhere(Location::new(
            source::display(Path::new("Cargo.toml")),
            Span::new((1, 1), (1, 1)),
        )),
        related: Vec::new(),
        worlds: Worlds::Both,
    });
}
