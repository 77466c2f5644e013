//! What an import leads to, whatever it is: a type, a value, a macro.
//!
//! The analysis itself asks for types and values one at a time. Tools that check it against sources at large
//! ask here whether a `use` leads anywhere.

use std::collections::BTreeSet;

use super::{Found, ModuleId, Resolver, names::Seen, values::FoundValue};
use crate::facts::{ItemKind, PathExpr, UseFact};

/// What an import leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// A module, type or trait of the program.
    Type,
    /// A function, const, static or variant of the program.
    Value,
    /// A macro of the program.
    Macro,
    /// Something of another crate, or of the language.
    Foreign,
    /// Several globs bring different things of that name.
    Ambiguous,
    /// It may exist where the analysis cannot look, which is in this module if one is known.
    Unknown(Option<ModuleId>),
    /// Nothing has that name.
    Missing,
}

/// The macros that are being looked up: a loop of imports ends where it closes.
type Open = BTreeSet<(ModuleId, String)>;

impl Resolver<'_> {
    /// What an import of a module leads to. Of a type and a value of one name it is the type.
    pub fn imported(&self, module: ModuleId, fact: &UseFact) -> Imported {
        let names: Vec<&str> = fact.path.iter().map(String::as_str).collect();
        let found = self.path_in(module, &names, fact.absolute, true, &mut Seen::new());
        match found {
            Found::Module(_) | Found::Item(_) => return Imported::Type,
            Found::Foreign(_) | Found::Primitive(_) => return Imported::Foreign,
            Found::Ambiguous => return Imported::Ambiguous,
            Found::Missing | Found::Unknown => {}
        }
        let Some((last, before)) = names.split_last() else {
            // `use ::*` of the edition 2015.
            return Imported::Type;
        };
        let holder = self.holder(module, before, fact.absolute);
        let of_enum = matches!(&holder, Found::Item(item)
            if matches!(self.program.items[*item].fact.kind, ItemKind::Other(_)));
        if of_enum {
            return Imported::Value;
        }
        let Found::Module(target) = holder else {
            let is_alone = before.is_empty() && self.has_macro(last);
            return match found {
                _ if is_alone => Imported::Macro,
                Found::Missing => Imported::Missing,
                _ => Imported::Unknown(self.stuck(module, before, fact.absolute)),
            };
        };
        match self.value_in(target, last, module, &mut BTreeSet::new()) {
            FoundValue::Foreign(_) => return Imported::Foreign,
            FoundValue::Missing | FoundValue::Unknown => {}
            FoundValue::Ambiguous => return Imported::Ambiguous,
            _ => return Imported::Value,
        }
        if self.macro_in(target, last, &mut Open::new()) {
            Imported::Macro
        } else if found == Found::Missing {
            Imported::Missing
        } else {
            Imported::Unknown(Some(target))
        }
    }

    /// What stands before the last name of an import.
    pub(super) fn holder(&self, module: ModuleId, before: &[&str], absolute: bool) -> Found {
        if before.is_empty() {
            let krate = self.program.crate_of(module);
            let rooted = krate.externs.rooted_uses;
            return Found::Module(if rooted { krate.root } else { module });
        }
        self.path_in(module, before, absolute, true, &mut Seen::new())
    }

    /// The module behind which a path cannot be followed.
    fn stuck(&self, module: ModuleId, path: &[&str], absolute: bool) -> Option<ModuleId> {
        (0..path.len()).rev().find_map(|length| {
            match self.holder(module, &path[..length], absolute) {
                Found::Module(found) => Some(found),
                _ => None,
            }
        })
    }

    /// Whether a macro can be reached as a name of a module: it stands in it, is imported there, or is
    /// exported to the root.
    fn macro_in(&self, module: ModuleId, name: &str, open: &mut Open) -> bool {
        if !open.insert((module, name.to_owned())) {
            return false;
        }
        let data = &self.program.modules[module];
        let is_declared = |id: &usize| {
            let item = &self.program.items[*id];
            item.live.within(self.world) && matches!(item.fact.kind, ItemKind::MacroRules)
        };
        let is_root = self.program.crate_of(module).root == module;
        if data
            .by_name
            .get(name)
            .into_iter()
            .flatten()
            .any(is_declared)
            || is_root && self.has_macro(name)
        {
            return true;
        }
        self.uses(module).flat_map(|(_, uses)| uses).any(|fact| {
            let names: Vec<&str> = fact.path.iter().map(String::as_str).collect();
            let (last, holder) = if fact.glob {
                (
                    name,
                    self.path_in(module, &names, fact.absolute, true, &mut Seen::new()),
                )
            } else if fact.alias.as_deref() == Some(name)
                && let Some((last, before)) = names.split_last()
            {
                // What is in scope by the order of the text needs no path.
                if before.is_empty() && self.has_macro(last) {
                    return true;
                }
                (*last, self.holder(module, before, fact.absolute))
            } else {
                return false;
            };
            matches!(holder, Found::Module(target) if self.macro_in(target, last, open))
        })
    }

    /// Whether the program defines a macro of that name anywhere. Which text can see it is rustc's to say.
    fn has_macro(&self, name: &str) -> bool {
        self.program.items.iter().any(|item| {
            item.live.within(self.world)
                && matches!(item.fact.kind, ItemKind::MacroRules)
                && item.fact.name.as_deref() == Some(name)
        })
    }

    /// Whether a path leads to a type or trait, in this program or another; none where the analysis cannot
    /// look.
    pub fn leads(&self, module: ModuleId, path: &PathExpr) -> Option<bool> {
        match self.path(module, &path.names(), path.absolute) {
            Found::Module(_) | Found::Item(_) | Found::Foreign(_) | Found::Primitive(_) => {
                Some(true)
            }
            Found::Missing => Some(false),
            Found::Ambiguous | Found::Unknown => None,
        }
    }
}
