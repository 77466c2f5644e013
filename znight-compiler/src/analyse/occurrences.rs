//! Finds the items under our attributes.

use std::rc::Rc;

use znight_syntax::symbol::Outer;

use crate::{
    cfg::World,
    facts::{Files, Marked, Names},
    model::Occurrence,
    resolve::{Found, ItemId, Live, Program, Resolver},
};

/// Every annotated item of a program, in the order of its files; the resolvers are those of both worlds,
/// production first.
pub fn occurrences(resolvers: &[Resolver<'_>; 2], files: &Files<'_>) -> Vec<Occurrence> {
    let program = resolvers[0].program;
    let mut found = Vec::new();
    for (id, item) in program.items.iter().enumerate() {
        let cfg = &program.crate_of(item.module).cfg;
        for (index, attribute) in item.fact.attributes.iter().enumerate() {
            let live = Live {
                production: item.live.production
                    && cfg.allows(&attribute.conditions, World::Production),
                test: item.live.test && cfg.allows(&attribute.conditions, World::Test),
            };
            let resolver = &resolvers[usize::from(!live.production)];
            let Some(outer) = meaning(resolver, item.module, &attribute.path) else {
                continue;
            };
            let known = item
                .fact
                .marked
                .iter()
                .find(|marked| marked.attribute == index && marked.outer == outer);
            let marked = match known {
                Some(marked) => Some(Rc::clone(marked)),
                None => again(program, files, id, index, outer),
            };
            found.extend(marked.map(|marked| Occurrence {
                item: id,
                file: item.file,
                outer,
                live,
                marked,
            }));
        }
    }
    found
}

/// Which attribute of ours a path means, if any.
fn meaning(resolver: &Resolver<'_>, module: usize, path: &[String]) -> Option<Outer> {
    let last = path.last()?;
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match resolver.path(module, &names, false) {
        Found::Foreign(found) => Outer::parse(found.strip_prefix("znight::")?),
        // A name that cannot be followed is taken by its word: rustc knows better if it is not ours.
        Found::Missing | Found::Unknown if path.len() == 1 => Outer::parse(last),
        _ => None,
    }
}

/// What an attribute says that nobody could take for ours by its name: it was imported under another
/// one in another file.
fn again(
    program: &Program,
    files: &Files<'_>,
    item: ItemId,
    attribute: usize,
    outer: Outer,
) -> Option<Rc<Marked>> {
    let found = &program.items[item];
    let name = found.fact.attributes[attribute].path.last()?;
    let names = Names::default().with(name, outer);
    let facts = files.read_again(&program.files[found.file].path, &names)?;
    facts.marked_at(found.fact.name_at, attribute)
}
