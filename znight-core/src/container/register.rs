//! Supplying values and providers, until `init`.

use std::{
    any::TypeId,
    sync::{Arc, PoisonError},
};

use znight_contract::ErrorCode;

use super::{
    Container,
    registrations::{Level, Registration, Supply},
};
use crate::{
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
        self.add_provider::<T>(Level::Application, None)
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
        self.add_provider::<T>(Level::Plugin, None)
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
            qualifier: Some(name.to_owned()),
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
            qualifier: None,
            plugin: None,
            supply: Supply::Factory(Box::new(move |container| {
                factory(container).map(Handle::new)
            })),
        })
    }

    pub(crate) fn register_value_by<T: ?Sized + Send + Sync + 'static>(
        &self,
        plugin: &'static str,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration::value(Level::Plugin, Some(plugin), value))
    }

    pub(crate) fn register_by<T: Provided>(&self, plugin: &'static str) -> Result<(), Error> {
        self.add_provider::<T>(Level::Plugin, Some(plugin))
    }

    pub(crate) fn built_in<T: ?Sized + Send + Sync + 'static>(
        &self,
        value: Arc<T>,
    ) -> Result<(), Error> {
        self.add(Registration::value(Level::BuiltIn, None, value))
    }

    fn add_provider<T: Provided>(
        &self,
        level: Level,
        plugin: Option<&'static str>,
    ) -> Result<(), Error> {
        self.add(Registration {
            level,
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            qualifier: None,
            plugin,
            supply: Supply::Provider(Box::new((T::P, T::META))),
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
