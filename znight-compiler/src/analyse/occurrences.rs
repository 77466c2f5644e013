//! Finds the items under our attributes.

use std::rc::Rc;

use crate::{
    cfg::World,
    facts::{Files, Marked},
    model::Occurrence,
    resolve::{Follower, Found, ItemId, Live, Program, Resolver},
};

/// Every annotated item of a program, in the order of its files. The resolver of tests is asked for what
/// production does not have.
pub fn occurrences<'r, 'a: 'r>(
    production: &'r Resolver<'a>,
    tests: impl Fn() -> &'r Resolver<'a>,
    files: &Files<'_>,
) -> Vec<Occurrence> {
    let program = production.program;
    let mut found = Vec::new();
    for (id, item) in program.items.iter().enumerate() {
        let cfg = &program.crate_of(item.module).cfg;
        for (index, attribute) in item.fact.attributes.iter().enumerate() {
            let live = Live {
                production: item.live.production
                    && cfg.allows(&attribute.conditions, World::Production),
                test: item.live.test && cfg.allows(&attribute.conditions, World::Test),
            };
            let resolver = if live.production { production } else { tests() };
            let Some(path) = meaning(resolver, files, item.module, &attribute.path) else {
                continue;
            };
            let known = item
                .fact
                .marked
                .iter()
                .find(|marked| marked.attribute == index && marked.path == path);
            let marked = match known {
                Some(marked) => Some(Rc::clone(marked)),
                None => again(program, files, id, index, &path),
            };
            found.extend(marked.map(|marked| Occurrence {
                item: id,
                file: item.file,
                attribute: path,
                live,
                marked,
            }));
        }
    }
    found
}

/// The path of the attribute of ours that a path means, if any.
fn meaning(
    resolver: &Resolver<'_>,
    files: &Files<'_>,
    module: usize,
    path: &[String],
) -> Option<String> {
    let ours = files.names();
    let last = path.last()?;
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match resolver.path(module, &names, false) {
        Found::Foreign(found) => {
            let own = resolver.unrenamed(module, found.clone());
            if ours.owns(&own) {
                return Some(own);
            }
            // Another crate may hand it on under its own name.
            (!ours.taken_for(last).is_empty())
                .then(|| handed_on(resolver, files, module, &found))
                .flatten()
        }
        // A name that cannot be followed is taken by its word: rustc knows better if it is not ours.
        Found::Missing | Found::Unknown if path.len() == 1 => ours.taken_for(last).first().cloned(),
        _ => None,
    }
}

/// The path of the attribute of ours that a crate hands on under another path.
fn handed_on(
    resolver: &Resolver<'_>,
    files: &Files<'_>,
    module: usize,
    path: &str,
) -> Option<String> {
    let packages = files.sources().packages()?;
    let krate = resolver.program.crate_of(module);
    let follower = Follower::new(files, packages, &krate.cfg);
    let package = follower.package_of(&krate.directory);
    follower.attribute(package, path, &|path| files.names().owns(path))
}

/// What an attribute says that nobody could take for ours by its name: it was imported under another
/// one in another file.
fn again(
    program: &Program,
    files: &Files<'_>,
    item: ItemId,
    attribute: usize,
    path: &str,
) -> Option<Rc<Marked>> {
    let found = &program.items[item];
    let name = found.fact.attributes[attribute].path.last()?;
    let names = files.names().clone().with(name, path);
    let facts = files.read_again(&program.files[found.file].path, &names)?;
    facts.marked_at(found.fact.name_at, attribute, path)
}
