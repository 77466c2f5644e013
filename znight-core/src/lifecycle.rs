//! The hooks a provider may implement, and how the glue finds out which it does.

use std::marker::PhantomData;

use crate::{
    __private::BoxFuture,
    error::{BoxError, Result},
    provider::Handle,
};

macro_rules! hook_trait {
    ($(#[$docs:meta])* $name:ident, $method:ident) => {
        $(#[$docs])*
        pub trait $name: Send + Sync + 'static {
            /// Runs the hook. An error, or a panic, is reported as ZNIGHT021 naming the provider.
            fn $method(&self) -> impl Future<Output = Result> + Send;
        }
    };
}

hook_trait! {
    /// Work to do when the application starts: after every provider was created, dependencies first.
    ///
    /// Called once for each singleton that exists when the application starts, before anything is
    /// served. A failure stops the application again.
    ///
    /// ```
    /// use znight_core::{OnStart, Result};
    ///
    /// struct Cache;
    ///
    /// impl OnStart for Cache {
    ///     async fn on_start(&self) -> Result {
    ///         Ok(()) // warm up
    ///     }
    /// }
    /// ```
    OnStart, on_start
}

hook_trait! {
    /// Work to do once every provider and plugin has started.
    OnReady, on_ready
}

hook_trait! {
    /// Work to do when the application stops, dependents first.
    ///
    /// Called only when the start of the provider had run. To release what a constructor acquired,
    /// implement [`Dispose`], or `Drop` when nothing has to be awaited.
    OnStop, on_stop
}

hook_trait! {
    /// Releases what the provider holds, asynchronously.
    ///
    /// Always called, dependents first: when the application stops, when its start fails, and at
    /// the end of a request for a request-scoped provider. Not called for transients, which belong
    /// to whoever asked for them, nor for values that were registered ready-made.
    Dispose, dispose
}

/// A hook of a provider whose type is forgotten.
pub type HookFn = for<'a> fn(&'a Handle) -> BoxFuture<'a, Result<(), BoxError>>;

/// The hooks of one provider.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lifecycle {
    /// [`OnStart`].
    pub on_start: Option<HookFn>,
    /// [`OnReady`].
    pub on_ready: Option<HookFn>,
    /// [`OnStop`].
    pub on_stop: Option<HookFn>,
    /// [`Dispose`].
    pub dispose: Option<HookFn>,
}

impl Lifecycle {
    /// No hooks.
    pub const NONE: Self = Self {
        on_start: None,
        on_ready: None,
        on_stop: None,
        dispose: None,
    };
}

/// Answers which hooks `T` implements: its own constants, which exist only with the trait, win
/// over those of [`NoLifecycle`].
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

/// The answer "none" of a [`Probe`].
pub trait NoLifecycle {
    /// No [`OnStart`].
    const ON_START: Option<HookFn> = None;
    /// No [`OnReady`].
    const ON_READY: Option<HookFn> = None;
    /// No [`OnStop`].
    const ON_STOP: Option<HookFn> = None;
    /// No [`Dispose`].
    const DISPOSE: Option<HookFn> = None;
}

impl<T> NoLifecycle for Probe<T> {}

macro_rules! probe {
    ($hook:ident, $method:ident, $constant:ident) => {
        impl<T: $hook> Probe<T> {
            /// The hook of `T`.
            pub const $constant: Option<HookFn> = {
                fn call<T: $hook>(handle: &Handle) -> BoxFuture<'_, Result<(), BoxError>> {
                    match handle.get_ref::<T>() {
                        Some(value) => Box::pin(value.$method()),
                        None => crate::provider::mismatch::<T>(),
                    }
                }
                Some(call::<T>)
            };
        }
    };
}

probe!(OnStart, on_start, ON_START);
probe!(OnReady, on_ready, ON_READY);
probe!(OnStop, on_stop, ON_STOP);
probe!(Dispose, dispose, DISPOSE);

/// What a function named by `dispose = path` or `on_start = path` may give: nothing, or a `Result`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a hook may return",
    note = "a hook gives `()` or a `Result<(), E>` whose error converts into `Box<dyn Error + Send + Sync>`"
)]
pub trait HookOutput {
    /// The outcome of the hook.
    fn into_result(self) -> Result<(), BoxError>;
}

impl HookOutput for () {
    fn into_result(self) -> Result<(), BoxError> {
        Ok(())
    }
}

impl<E: Into<BoxError>> HookOutput for Result<(), E> {
    fn into_result(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}

/// The outcome of a hook, whatever it returns.
pub fn hook_output(output: impl HookOutput) -> Result<(), BoxError> {
    output.into_result()
}
