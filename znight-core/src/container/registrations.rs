//! What is supplied at run time, until the container is initialised.

use std::{any::TypeId, sync::Arc};

use znight_contract::{ErrorCode, ScopeKind};

use super::slot::Factory;
use crate::{definition::Parts, error::Error, graph::Graph, names, provider::Handle};

/// Who supplies something: of several for one type, the highest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    BuiltIn,
    /// The builder of the application.
    Application,
    Plugin,
    Override,
}

/// Which provider of a type an override stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Which {
    /// The one there is, or the primary one.
    Any,
    Named(String),
    /// The one with this token, or with this display name when no other has it.
    Token(String),
}

/// What is supplied.
pub(crate) enum Supply {
    Value(Handle),
    Factory(Factory),
    Definition(Box<Parts>),
    /// Nothing yet: a plugin says that it will be there, for so long.
    Expected(ScopeKind),
}

/// One thing supplied at run time.
pub(crate) struct Registration {
    pub(crate) level: Level,
    pub(crate) type_id: TypeId,
    pub(crate) type_name: &'static str,
    /// Which of several providers is replaced.
    pub(crate) which: Which,
    /// The plugin, when its name is known.
    pub(crate) plugin: Option<&'static str>,
    pub(crate) supply: Supply,
}

impl Registration {
    pub(crate) fn value<T: ?Sized + Send + Sync + 'static>(
        level: Level,
        plugin: Option<&'static str>,
        value: Arc<T>,
    ) -> Self {
        Self {
            level,
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            which: Which::Any,
            plugin,
            supply: Supply::Value(Handle::new(value)),
        }
    }

    /// Who supplies it, for messages.
    fn supplier(&self) -> String {
        match (self.level, self.plugin) {
            (Level::BuiltIn, _) => "the framework".to_owned(),
            (Level::Application, _) => "the builder of the application".to_owned(),
            (Level::Plugin, None) => "a plugin".to_owned(),
            (Level::Plugin, Some(name)) => format!("the plugin {name}"),
            (Level::Override, _) => "an override".to_owned(),
        }
    }

    pub(crate) fn display(&self) -> String {
        names::short(self.type_name)
    }

    /// The name of a definition that stands beside others of its type; one that replaces whatever
    /// there is needs none.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match &self.supply {
            Supply::Definition(parts) if self.level != Level::Override => parts.name,
            _ => None,
        }
    }
}

/// Everything supplied so far.
#[derive(Default)]
pub(crate) struct Registrations(Vec<Registration>);

impl Registrations {
    /// Adds one.
    ///
    /// What somebody has overridden already is not supplied any more: the new one is ignored.
    ///
    /// # Errors
    /// ZNIGHT004: a second one of its level for the same type, except that a later override
    /// replaces an earlier one; a plugin's for what the graph provides.
    pub(crate) fn add(&mut self, graph: Graph, new: Registration) -> Result<(), Error> {
        let overridden = |old: &Registration| {
            old.level == Level::Override && old.type_id == new.type_id && old.which == Which::Any
        };
        if new.level != Level::Override && self.0.iter().any(overridden) {
            return Ok(());
        }
        let rival = self.0.iter_mut().find(|old| {
            old.level == new.level
                && old.type_id == new.type_id
                && old.which == new.which
                && old.name() == new.name()
        });
        if let Some(rival) = rival {
            if new.level != Level::Override {
                return Err(Error::new(
                    ErrorCode::DuplicateProvider,
                    format!(
                        "{} is supplied by {} and by {}",
                        new.display(),
                        rival.supplier(),
                        new.supplier()
                    ),
                )
                .with_hint("supply it once, or replace it with `override_value`"));
            }
            *rival = new;
            return Ok(());
        }
        if new.level == Level::Plugin
            && let Some(place) = provided_by_graph(graph, new.type_id)
        {
            return Err(Error::new(
                ErrorCode::DuplicateProvider,
                format!(
                    "{} supplies {}, which {place} provides",
                    new.supplier(),
                    new.display()
                ),
            )
            .with_hint("replace a provider of the application with `override_value`"));
        }
        self.0.push(new);
        Ok(())
    }

    /// Everything, in the order of precedence: each may replace what came before.
    pub(crate) fn into_ascending(self) -> Vec<Registration> {
        let mut all = self.0;
        all.sort_by_key(|registration| registration.level); // stable
        all
    }
}

/// The provider of the graph that answers for a type, described.
fn provided_by_graph(graph: Graph, type_id: TypeId) -> Option<String> {
    let data = graph.data();
    let exact = data
        .providers
        .iter()
        .find(|entry| (entry.provider.type_id)() == type_id);
    let bound = || {
        data.bindings.iter().find_map(|binding| {
            let entry = data.providers.get(binding.provider as usize)?;
            let coerce = entry.provider.coerce.get(usize::from(binding.coercion))?;
            ((coerce.to)() == type_id).then_some(entry)
        })
    };
    let entry = exact.or_else(bound)?;
    Some(match entry.source {
        Some(source) => format!("{} ({source})", entry.display),
        None => entry.display.to_owned(),
    })
}
