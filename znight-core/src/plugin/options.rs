//! The options of a plugin.

use std::{
    fmt, mem,
    sync::{Mutex, PoisonError},
};

use znight_contract::ErrorCode;

use crate::{
    container::Container,
    error::{Error, Result},
};

/// Options of a plugin: a value, or what a function makes of the container, such as of the
/// configuration.
///
/// A plugin takes them in [`on_bootstrap`](crate::Plugin::on_bootstrap), when the container is ready.
///
/// ```
/// use std::time::Duration;
/// use znight_core::{Container, Plugin, PluginContext, PluginOptions, Result};
///
/// pub struct HeartbeatOptions { pub every: Duration }
///
/// pub struct HeartbeatPlugin { options: PluginOptions<HeartbeatOptions> }
///
/// impl HeartbeatPlugin {
///     pub fn new(options: HeartbeatOptions) -> Self {
///         Self { options: PluginOptions::value(options) }
///     }
///
///     pub fn with(options: impl Fn(&Container) -> Result<HeartbeatOptions> + Send + Sync + 'static) -> Self {
///         Self { options: PluginOptions::with(options) }
///     }
/// }
///
/// impl Plugin for HeartbeatPlugin {
///     fn name(&self) -> &'static str {
///         "heartbeat"
///     }
///
///     async fn on_bootstrap(&self, context: &PluginContext) -> Result {
///         let HeartbeatOptions { every } = self.options.take(context.container())?;
///         assert!(every > Duration::ZERO);
///         Ok(())
///     }
/// }
/// # struct Beats { seconds: u64 }
/// HeartbeatPlugin::with(|container| {
///     let every = Duration::from_secs(container.get::<Beats>()?.seconds);
///     Ok(HeartbeatOptions { every })
/// });
/// ```
pub struct PluginOptions<O>(Mutex<State<O>>);

type FromContainer<O> = Box<dyn Fn(&Container) -> Result<O> + Send + Sync>;

enum State<O> {
    Value(O),
    With(FromContainer<O>),
    Taken,
}

impl<O> PluginOptions<O> {
    /// Options that are known.
    pub fn value(options: O) -> Self {
        Self(Mutex::new(State::Value(options)))
    }

    /// Options that depend on the application.
    pub fn with(options: impl Fn(&Container) -> Result<O> + Send + Sync + 'static) -> Self {
        Self(Mutex::new(State::With(Box::new(options))))
    }

    /// Looks at options that are known before there is a container, for
    /// [`init_roots`](crate::Plugin::init_roots). `None` for those that depend on it.
    pub fn known<R>(&self, look: impl FnOnce(&O) -> R) -> Option<R> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Value(options) => Some(look(options)),
            State::With(_) | State::Taken => None,
        }
    }

    /// The options, made now if they depend on the application.
    ///
    /// # Errors
    /// What the function returned; ZNIGHT021 the second time.
    pub fn take(&self, container: &Container) -> Result<O> {
        let state = mem::replace(
            &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner),
            State::Taken,
        );
        match state {
            State::Value(options) => Ok(options),
            State::With(options) => options(container),
            State::Taken => Err(Error::new(
                ErrorCode::LifecycleFailed,
                "the options of a plugin are taken once: it has been part of an application that booted",
            )
            .into()),
        }
    }
}

impl<O: Default> Default for PluginOptions<O> {
    fn default() -> Self {
        Self::value(O::default())
    }
}

impl<O> From<O> for PluginOptions<O> {
    fn from(options: O) -> Self {
        Self::value(options)
    }
}

impl<O> fmt::Debug for PluginOptions<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f.write_str(match &*state {
            State::Value(_) => "PluginOptions::value(..)",
            State::With(_) => "PluginOptions::with(..)",
            State::Taken => "PluginOptions(taken)",
        })
    }
}
