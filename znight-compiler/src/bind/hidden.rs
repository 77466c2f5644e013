//! Provider libraries that the application could use and does not depend on.

use crate::{
    analyse::Application,
    cfg::Cfg,
    extension::Extensions,
    facts::{Cache, Files, ItemKind, Parsed},
    resolve::{Externs, Hidden, ItemId, Program, Ty, load},
    source,
};

/// At most this many libraries are read: this is a hint, not a search.
const MOST: usize = 32;

/// Where such a library would provide what is asked for, by its name, as hints.
pub(super) fn providing(app: &Application<'_>, target: &Ty) -> Vec<String> {
    let program = app.program();
    let (name, is_trait) = match target {
        Ty::Dyn(object, _) => (object.display(program), true),
        // A type of this crate cannot be in a library it does not know.
        Ty::Local(item, _) if program.is_own(program.items[*item].file) => return Vec::new(),
        other => (other.display(program), false),
    };
    let name = name.split('<').next().unwrap_or_default();
    let cache = Cache::default();
    let files = Files::new(app.sources, &cache, &Extensions::default());
    let mut hints = Vec::new();
    for library in program.hidden.iter().take(MOST) {
        let externs = Externs {
            facade: app.resolver.facade().to_owned(),
            ..Externs::default()
        };
        let read = load("library", &library.root, &Cfg::new(), &externs, &files);
        let found = if is_trait {
            implementation(&read, library, name)
        } else {
            provider(&read, library, name)
        };
        let package = &library.package;
        hints.extend(
            found.map(|what| format!("{what}: add {package} to `[dependencies]` in Cargo.toml")),
        );
    }
    hints
}

/// An annotated type that implements a trait of this name.
fn implementation(read: &Program, library: &Hidden, name: &str) -> Option<String> {
    let package = &library.package;
    let from_factory = || {
        let (place, method) = provided(read, library, name)?;
        Some(format!(
            "`{method}` ({place}) of the library {package} provides {name}"
        ))
    };
    read.items
        .iter()
        .find_map(|item| {
            let ItemKind::Impl(fact) = &item.fact.kind else {
                return None;
            };
            let ty = fact.self_ty.last().filter(|_| fact.path.last() == name)?;
            let place = place(read, library, injectable(read, ty)?);
            Some(format!(
                "{ty} ({place}) of the library {package} implements {name}"
            ))
        })
        .or_else(from_factory)
}

/// An annotated type of this name, or what provides one.
fn provider(read: &Program, library: &Hidden, name: &str) -> Option<String> {
    let package = &library.package;
    if let Some(item) = injectable(read, name) {
        let place = place(read, library, item);
        return Some(format!("the library {package} provides {name} ({place})"));
    }
    let (place, method) = provided(read, library, name)?;
    Some(format!(
        "`{method}` ({place}) of the library {package} provides {name}"
    ))
}

/// The annotated item that makes a type of this name a provider.
fn injectable(read: &Program, name: &str) -> Option<ItemId> {
    read.items.iter().position(|item| {
        item.fact.marked.iter().any(|marked| match &marked.parsed {
            Parsed::Injectable(parsed) => parsed.self_ty.last() == Some(name),
            _ => false,
        })
    })
}

/// The method of a factory that provides a type or trait of this name.
fn provided(read: &Program, library: &Hidden, name: &str) -> Option<(String, String)> {
    read.items.iter().enumerate().find_map(|(id, item)| {
        item.fact.marked.iter().find_map(|marked| {
            let Parsed::Factory(factory) = &marked.parsed else {
                return None;
            };
            let method = factory.methods.iter().find(|method| {
                let provided = method.provided.to_string();
                let written = provided.trim_start_matches("dyn ").split('<').next();
                written.and_then(|path| path.rsplit("::").next()) == Some(name)
            })?;
            let owner = factory.self_ty.last().unwrap_or_default();
            Some((
                place(read, library, id),
                format!("{owner}::{}", method.name.text),
            ))
        })
    })
}

fn place(read: &Program, library: &Hidden, item: ItemId) -> String {
    let found = &read.items[item];
    let path = &read.files[found.file].path;
    let below = path.strip_prefix(&library.directory).unwrap_or(path);
    format!(
        "{}{}:{}",
        library.shown,
        source::display(below),
        found.fact.name_at.line
    )
}
