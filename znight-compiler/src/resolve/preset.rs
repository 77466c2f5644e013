//! Attributes that another crate hands on: `pub use znight::controller;` in a crate of one's own.

use super::{
    follow::{Follower, Key, Target},
    foreign,
};
use crate::{facts::ItemKind, packages::FACADE};

/// Crates that hand on what others hand on, beyond this, are a loop.
const MOST: usize = 16;

impl Follower<'_> {
    /// The path under which one of our attributes is known, followed from the path of another crate that
    /// hands it on; none when it leads to something else. `owns` tells ours by their paths.
    pub(crate) fn attribute(
        &self,
        package: usize,
        path: &str,
        owns: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let names: Vec<&str> = path.split("::").collect();
        self.in_crate(package, &names, owns, 0)
    }

    fn in_crate(
        &self,
        package: usize,
        path: &[&str],
        owns: &dyn Fn(&str) -> bool,
        depth: usize,
    ) -> Option<String> {
        let (first, rest) = path.split_first()?;
        let found = self.packages().dependency(package, first)?;
        let (name, _) = self.packages().list[found].library.as_ref()?;
        let name = if foreign::FAMILY.contains(&name.as_str()) {
            FACADE
        } else {
            name
        };
        let known = [&[name], rest].concat().join("::");
        if owns(&known) {
            return Some(known);
        }
        let (last, modules) = rest.split_last()?;
        match self.walk_from(found, modules)? {
            Target::Module(key) => self.in_module(&key, last, owns, depth + 1),
            _ => None,
        }
    }

    fn in_module(
        &self,
        key: &Key,
        name: &str,
        owns: &dyn Fn(&str) -> bool,
        depth: usize,
    ) -> Option<String> {
        if depth > MOST {
            return None;
        }
        let module = self.module(key)?;
        let uses = module.items().iter().filter_map(|item| match &item.kind {
            ItemKind::Use(uses) => Some(uses),
            _ => None,
        });
        for fact in uses.flatten() {
            let mut path: Vec<&str> = fact.path.iter().map(String::as_str).collect();
            if fact.glob {
                path.push(name);
            } else if fact.alias.as_deref() != Some(name) {
                continue;
            }
            let (last, before) = path.split_last()?;
            let inside = matches!(before.first(), Some(&("crate" | "self" | "super")));
            let found = if inside {
                match self.walk_in(key, before)? {
                    Target::Module(key) => self.in_module(&key, last, owns, depth + 1),
                    _ => None,
                }
            } else {
                self.in_crate(key.0, &path, owns, depth + 1)
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
