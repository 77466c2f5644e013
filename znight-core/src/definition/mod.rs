//! Providers that are written out in code, for what no attribute stands on.

mod constructor;
mod parts;

use std::{fmt, marker::PhantomData, panic::Location, sync::Arc};

use znight_contract::{ErrorCode, ScopeKind, display};

pub use self::constructor::{AsyncConstructor, Constructor};
use self::parts::DefinedCoerce;
pub(crate) use self::parts::{
    AsyncClosure, AsyncMake, Coercions, Creation, Hook, Hooks, Parts, PlainClosure,
};
use crate::{
    __private::BoxFuture,
    error::{Error, Result},
    graph::Source,
    inject::{DynDep, InjectKind},
    lifecycle::{Dispose, HookOutput, OnReady, OnStart, OnStop, Probe},
    names,
    provider::{Handle, Provided, clone_value},
};

/// A provider of `T` that is written out in code: how it is made, what it is injected with, how long
/// it lives.
///
/// Attributes are the usual way to declare a provider. A definition is for what they do not reach: a
/// plugin that supplies a type of another crate, an override with dependencies of its own, a container
/// that is put together by hand in a test. What the build checks for attributes is checked for
/// definitions when the container is initialised.
///
/// The constructor is a function or a closure whose parameters are what may be injected (`Arc<T>`,
/// `Option<Arc<T>>`, `Vec<Arc<T>>`, `Lazy<T>`, `Option<Lazy<T>>`, `Interceptors`), twelve of them at most. It returns
/// `T`, `Arc<T>`, an `Option` of these (nothing is provided when `None`), or a `Result` of any of them.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), znight_core::Error> {
/// use std::sync::Arc;
/// use znight_core::{Container, Definition, Graph};
///
/// trait Greeter: Send + Sync {
///     fn greet(&self) -> String;
/// }
/// struct Settings { name: String }
/// struct English { settings: Arc<Settings> }
/// impl Greeter for English {
///     fn greet(&self) -> String {
///         format!("hello {}", self.settings.name)
///     }
/// }
///
/// let container = Container::new(Graph::empty())?;
/// container.provide_value(Arc::new(Settings { name: "ada".to_owned() }))?;
/// container.provide_definition(
///     Definition::<English>::new(|settings: Arc<Settings>| English { settings })
///         .handed_out_as::<dyn Greeter>(|english| english),
/// )?;
/// container.init().await?;
/// assert_eq!(container.get::<dyn Greeter>()?.greet(), "hello ada");
/// # Ok(())
/// # }
/// ```
#[must_use = "a definition does nothing until it is given to a container"]
pub struct Definition<T: ?Sized> {
    parts: Parts,
    of: PhantomData<fn() -> Box<T>>,
}

impl<T: ?Sized + Send + Sync + 'static> Definition<T> {
    /// A singleton that a function makes.
    #[track_caller]
    pub fn new<Args>(constructor: impl Constructor<T, Args>) -> Self {
        let deps = constructor.dependencies();
        Self::bare(
            Creation::Plain(Box::new(move |deps| constructor.construct(deps))),
            deps,
        )
    }

    /// A singleton that an async function makes. It runs when the container is initialised, at the
    /// same time as others that do not need it.
    #[track_caller]
    pub fn new_async<Args>(constructor: impl AsyncConstructor<T, Args>) -> Self {
        let deps = constructor.dependencies();
        Self::bare(
            Creation::Async(Box::new(move |deps| constructor.construct(deps))),
            deps,
        )
    }

    #[track_caller]
    fn bare(creation: Creation, deps: Vec<DynDep>) -> Self {
        let at = Location::caller();
        let type_name = std::any::type_name::<T>();
        let source = Source {
            file: at.file(),
            line: at.line(),
        };
        Self {
            parts: Parts {
                type_id: std::any::TypeId::of::<T>(),
                token: type_name.into(),
                display: names::short(type_name).into(),
                source: Some(source),
                ..Parts::new(creation, deps.into())
            },
            of: PhantomData,
        }
    }

    /// How long an instance lives: as long as the application (singleton) unless set.
    pub fn scope(mut self, scope: ScopeKind) -> Self {
        self.parts.scope = scope;
        self
    }

    /// Its qualifier, for `#[inject("name")]` and [`Container::get_named`](crate::Container::get_named).
    pub fn name(mut self, name: &'static str) -> Self {
        self.parts.name = Some(name);
        self
    }

    /// Prefers it among several candidates.
    pub fn primary(mut self) -> Self {
        self.parts.primary = true;
        self
    }

    /// Its token, such as `acme::Clock`: the path of the type unless set. Messages show the last
    /// segment.
    pub fn token(mut self, token: &'static str) -> Self {
        self.parts.token = token.into();
        self.parts.display = display::short(token).into();
        self
    }

    /// Injects the parameter with this position, from 0, with the provider of a name.
    ///
    /// # Errors
    /// ZNIGHT005, which the container reports, when the constructor has no such parameter.
    pub fn inject_named(mut self, position: usize, name: &'static str) -> Self {
        let deps = self.parts.deps.to_mut();
        let count = deps.len();
        match deps.get_mut(position) {
            Some(dep) => dep.name = Some(name),
            None => self.parts.problems.push(
                Error::new(
                    ErrorCode::InvalidAttribute,
                    format!(
                        "the constructor of {} has {count} parameters, and {name:?} is asked for as number {position}",
                        self.parts.display
                    ),
                )
                .with_hint("positions begin with 0")
                .with_place(self.parts.source),
            ),
        }
        self
    }

    /// Hands it out as a trait as well.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use znight_core::Definition;
    /// # trait Greeter: Send + Sync {}
    /// # struct English;
    /// # impl Greeter for English {}
    /// let definition =
    ///     Definition::<English>::new(|| English).handed_out_as::<dyn Greeter>(|english| english);
    /// ```
    pub fn handed_out_as<U: ?Sized + Send + Sync + 'static>(
        mut self,
        coerce: impl Fn(Arc<T>) -> Arc<U> + Send + Sync + 'static,
    ) -> Self {
        self.parts.add_coercion(DefinedCoerce {
            to: std::any::TypeId::of::<U>(),
            apply: Box::new(move |handle| Handle::new(coerce(handle.arc::<T>()))),
        });
        self
    }

    /// Puts an interceptor into the `Interceptors` that the constructor takes. For attributes the build finds
    /// out which there are; for a definition somebody has to say it.
    ///
    /// ```
    /// # use znight_core::{Definition, Interceptors, Returned, SyncInvocation, SyncMethodInterceptor};
    /// # struct Timing;
    /// # impl SyncMethodInterceptor for Timing {
    /// #     type Options = ();
    /// #     fn intercept(&self, call: &mut SyncInvocation<'_>, _: &()) -> Returned { call.proceed() }
    /// # }
    /// struct Mailer { interceptors: Interceptors }
    ///
    /// let mailer = Definition::<Mailer>::new(|interceptors: Interceptors| Mailer { interceptors })
    ///     .intercepted_by::<Timing>();
    /// ```
    ///
    /// # Errors
    /// ZNIGHT005, which the container reports, when the constructor takes no `Interceptors`.
    pub fn intercepted_by<I: Send + Sync + 'static>(mut self) -> Self {
        let takes = |dep: &DynDep| dep.kind == InjectKind::Interceptors;
        if self.parts.deps.iter().any(takes) {
            self.parts.interceptors.push(DynDep::of::<Arc<I>>(None));
        } else {
            self.parts.problems.push(
                Error::new(
                    ErrorCode::InvalidAttribute,
                    format!(
                        "{} is to be intercepted by {}, and its constructor takes no interceptors",
                        self.parts.display,
                        names::of::<I>()
                    ),
                )
                .with_hint("give the constructor a parameter `interceptors: Interceptors`, and the type a field of that name")
                .with_place(self.parts.source),
            );
        }
        self
    }

    /// Releases it with a function, in the reverse order of creation: see [`Dispose`].
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use znight_core::Definition;
    /// struct Pool;
    /// impl Pool {
    ///     async fn close(&self) {}
    /// }
    /// let definition = Definition::<Pool>::new(|| Pool).dispose_with(|pool| async move { pool.close().await });
    /// ```
    pub fn dispose_with<F, R>(mut self, dispose: F) -> Self
    where
        F: Fn(Arc<T>) -> R + Send + Sync + 'static,
        R: Future<Output: HookOutput> + Send + 'static,
    {
        self.parts.hooks.dispose = Some(hook(dispose));
        self
    }

    pub(crate) fn into_parts(self) -> Parts {
        self.parts
    }
}

impl<T: Provided> Definition<T> {
    /// What an attribute says of a type outside of every graph: a fake in a test, a provider of a
    /// plugin.
    pub fn provided() -> Self {
        let (provider, meta) = (T::P, T::META);
        Self {
            parts: Parts {
                type_id: (provider.type_id)(),
                coerce: Coercions::Glue(provider.coerce),
                hooks: Hooks::of_glue(provider.lifecycle),
                clone: provider.clone,
                token: meta.token.into(),
                display: meta.display.into(),
                scope: meta.scope,
                name: meta.name,
                primary: meta.primary,
                source: meta.source,
                ..Parts::new(Creation::Glue(provider.make), meta.deps.into())
            },
            of: PhantomData,
        }
    }
}

impl<T: Send + Sync + 'static> Definition<T> {
    /// Calls its [`OnStart`] when the application starts.
    pub fn on_start(mut self) -> Self
    where
        T: OnStart,
    {
        self.parts.hooks.on_start = Probe::<T>::ON_START.map(Hook::Glue);
        self
    }

    /// Calls its [`OnReady`] when everything has started.
    pub fn on_ready(mut self) -> Self
    where
        T: OnReady,
    {
        self.parts.hooks.on_ready = Probe::<T>::ON_READY.map(Hook::Glue);
        self
    }

    /// Calls its [`OnStop`] when the application stops.
    pub fn on_stop(mut self) -> Self
    where
        T: OnStop,
    {
        self.parts.hooks.on_stop = Probe::<T>::ON_STOP.map(Hook::Glue);
        self
    }

    /// Calls its [`Dispose`] at the end.
    pub fn dispose(mut self) -> Self
    where
        T: Dispose,
    {
        self.parts.hooks.dispose = Probe::<T>::DISPOSE.map(Hook::Glue);
        self
    }

    /// Lets it be injected by value, as a clone.
    pub fn cloned(mut self) -> Self
    where
        T: Clone,
    {
        self.parts.clone = Some(clone_value::<T>);
        self
    }
}

impl<T: ?Sized> fmt::Debug for Definition<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("token", &self.parts.token)
            .field("scope", &self.parts.scope)
            .field("name", &self.parts.name)
            .finish_non_exhaustive()
    }
}

fn hook<T, F, R>(call: F) -> Hook
where
    T: ?Sized + Send + Sync + 'static,
    F: Fn(Arc<T>) -> R + Send + Sync + 'static,
    R: Future<Output: HookOutput> + Send + 'static,
{
    Hook::Defined(Arc::new(move |handle| {
        let running = call(handle.arc::<T>());
        let hook: BoxFuture<'static, Result> = Box::pin(async move { running.await.into_result() });
        hook
    }))
}
