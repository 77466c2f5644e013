//! Supplying values and providers, until `init`.

use std::{
    any::TypeId,
    sync::{Arc, PoisonError},
};

use znight_contract::{ErrorCode, ScopeKind};

use super::{
    Container,
    registrations::{Level, Registration, Supply, Which},
};
use crate::{
    definition::Definition,
    error::{BoxError, Error},
    provider::{Handle, Provided},
};

/// Of several suppliers of one type the highest wins: `override_*`, then plugins (`register*`),
/// then the builder (`provide*`), then the graph. All of these end with [`init`](Container::init):
/// ZNIGHT016 afterwards.
impl Container {
    /// Supplies a value as the builder of an application does: for an external, or in place of
    /// what the graph provides. `T` may be a `dyn Trait`.
    ///
    /// Values are not disposed by the container.
    ///
    /// # Errors
    /// ZNIGHT004 when `T` was supplied by the builder before, ZNIGHT016 after `init`.
    pub fn provide_value<T: ?Sized + Send + Sync + 'static>(
        &self,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration::value(Level::Application, None, value))
    }

    /// Supplies a provider as the builder of an application does.
    ///
    /// # Errors
    /// As [`provide_value`](Self::provide_value).
    pub fn provide<T: Provided>(&self) -> Result<(), Error> {
        self.provide_definition(Definition::<T>::provided())
    }

    /// Supplies what a definition makes as the builder of an application does.
    ///
    /// # Errors
    /// As [`provide_value`](Self::provide_value). What is wrong with the definition is found by
    /// `init`.
    pub fn provide_definition<T: ?Sized + Send + Sync + 'static>(
        &self,
        definition: Definition<T>,
    ) -> Result<(), Error> {
        self.define::<T, T>(Level::Application, None, Which::Any, definition)
    }

    /// Supplies a value as a plugin does.
    ///
    /// # Errors
    /// ZNIGHT004 when the graph provides `T` or a plugin supplied it, ZNIGHT016 after `init`.
    pub fn register_value<T: ?Sized + Send + Sync + 'static>(
        &self,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration::value(Level::Plugin, None, value))
    }

    /// Supplies a provider as a plugin does.
    ///
    /// # Errors
    /// As [`register_value`](Self::register_value).
    pub fn register<T: Provided>(&self) -> Result<(), Error> {
        self.register_definition(Definition::<T>::provided())
    }

    /// Supplies what a definition makes as a plugin does.
    ///
    /// # Errors
    /// As [`register_value`](Self::register_value). What is wrong with the definition is found by
    /// `init`.
    pub fn register_definition<T: ?Sized + Send + Sync + 'static>(
        &self,
        definition: Definition<T>,
    ) -> Result<(), Error> {
        self.define::<T, T>(Level::Plugin, None, Which::Any, definition)
    }

    /// Says that a `T` will be there without supplying it: with [`ScopeKind::Request`], that whoever
    /// opens a scope seeds it.
    ///
    /// Whoever asks for it outside of a scope, or in one without it, is told so (ZNIGHT013); a
    /// singleton that is injected with it is ZNIGHT003.
    ///
    /// # Errors
    /// As [`register_value`](Self::register_value).
    pub fn register_external<T: ?Sized + Send + Sync + 'static>(
        &self,
        scope: ScopeKind,
    ) -> Result<(), Error> {
        self.expect::<T>(None, scope)
    }

    /// Hands out `value` for `T` whoever else provides it.
    ///
    /// For a `dyn Trait`, only what is handed out for that trait changes: who injects the concrete
    /// type of its provider still gets the provider. What only that one needed is not created.
    /// A later override of a type replaces an earlier one.
    ///
    /// # Errors
    /// ZNIGHT016 after `init`. That several providers answer for `T` (ZNIGHT008) is found by `init`.
    pub fn override_value<T: ?Sized + Send + Sync + 'static>(
        &self,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration::value(Level::Override, None, value))
    }

    /// Hands out `value` for `T` where the provider named `name` was meant.
    ///
    /// # Errors
    /// As [`override_value`](Self::override_value); `init` finds that nothing has that name.
    pub fn override_named<T: ?Sized + Send + Sync + 'static>(
        &self,
        name: &str,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration {
            which: Which::Named(name.to_owned()),
            ..Registration::value(Level::Override, None, value)
        })
    }

    /// Hands out what `factory` makes for `T`, for as long as what it stands for would live: once,
    /// once for each request, or each time. The container it is given creates what it asks for.
    ///
    /// # Errors
    /// As [`override_value`](Self::override_value). An error of the factory is ZNIGHT015.
    pub fn override_factory<T, F>(&self, factory: F) -> Result<(), Error>
    where
        T: ?Sized + Send + Sync + 'static,
        F: Fn(&Self) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    {
        self.add(Registration {
            level: Level::Override,
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            which: Which::Any,
            plugin: None,
            supply: Supply::Factory(Box::new(move |container| {
                factory(container).map(Handle::new)
            })),
        })
    }

    /// Hands out `value` for `T` where the provider with a token was meant: `shop::users::PgUsers`,
    /// or the display name `PgUsers` when no other has it.
    ///
    /// # Errors
    /// As [`override_value`](Self::override_value); `init` finds that nothing has that token.
    pub fn override_token<T: ?Sized + Send + Sync + 'static>(
        &self,
        token: &str,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration {
            which: Which::Token(token.to_owned()),
            ..Registration::value(Level::Override, None, value)
        })
    }

    /// Hands out what a definition makes for `T`: of `T` itself, or of a type whose definition is
    /// [handed out](Definition::handed_out_as) as `T`.
    ///
    /// # Errors
    /// As [`override_value`](Self::override_value). What is wrong with the definition is found by
    /// `init`.
    pub fn override_definition<T, D>(&self, definition: Definition<D>) -> Result<(), Error>
    where
        T: ?Sized + Send + Sync + 'static,
        D: ?Sized + Send + Sync + 'static,
    {
        self.define::<T, D>(Level::Override, None, Which::Any, definition)
    }

    /// Hands out a provider of a test for `T`, which it names in `as(..)`: see [`Provided`].
    ///
    /// # Errors
    /// As [`override_definition`](Self::override_definition).
    pub fn override_provider<T, P>(&self) -> Result<(), Error>
    where
        T: ?Sized + Send + Sync + 'static,
        P: Provided,
    {
        self.override_definition::<T, P>(Definition::provided())
    }

    pub(crate) fn register_value_by<T: ?Sized + Send + Sync + 'static>(
        &self,
        plugin: &'static str,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration::value(Level::Plugin, Some(plugin), value))
    }

    pub(crate) fn register_definition_by<T: ?Sized + Send + Sync + 'static>(
        &self,
        plugin: &'static str,
        definition: Definition<T>,
    ) -> Result<(), Error> {
        self.define::<T, T>(Level::Plugin, Some(plugin), Which::Any, definition)
    }

    pub(crate) fn expect<T: ?Sized + Send + Sync + 'static>(
        &self,
        plugin: Option<&'static str>,
        scope: ScopeKind,
    ) -> Result<(), Error> {
        self.add(Registration {
            level: Level::Plugin,
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            which: Which::Any,
            plugin,
            supply: Supply::Expected(scope),
        })
    }

    pub(crate) fn built_in<T: ?Sized + Send + Sync + 'static>(
        &self,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration::value(Level::BuiltIn, None, value))
    }

    fn define<T, D>(
        &self,
        level: Level,
        plugin: Option<&'static str>,
        which: Which,
        definition: Definition<D>,
    ) -> Result<(), Error>
    where
        T: ?Sized + 'static,
        D: ?Sized + Send + Sync + 'static,
    {
        self.add(Registration {
            level,
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            which,
            plugin,
            supply: Supply::Definition(Box::new(definition.into_parts())),
        })
    }

    fn add(&self, registration: Registration) -> Result<(), Error> {
        let inner = self.inner()?;
        let mut pending = inner.pending.lock().unwrap_or_else(PoisonError::into_inner);
        match pending.as_mut() {
            Some(pending) => pending.add(inner.graph, registration),
            None => Err(Error::new(
                ErrorCode::ContainerSealed,
                format!(
                    "{} comes too late: the container has been initialised",
                    registration.display()
                ),
            )
            .with_hint("supply it to the builder, or in the `register` hook of a plugin")),
        }
    }
}
