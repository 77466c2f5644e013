//! Saying what a bed gives to its provider.

use std::{any::TypeId, fmt, marker::PhantomData, sync::Arc};

use znight_core::{
    __private::{
        Handle, Mockable, Watch, Watched,
        assembly::{self, Defined},
        clone_value, short_name,
    },
    BoxError, Container, Definition, Error, Graph, Provided,
};

use super::{
    TestBed,
    planner::{Bed, Planner, abandon},
    supply::{Level, Origin, Real, Supply, Target},
};

/// Whether the methods of what a bed makes for real are intercepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aop {
    /// No method is intercepted, and no interceptor is made.
    #[default]
    Off,
    /// Interceptors are made by their own constructors, and injected by the rules of the bed.
    Real,
}

/// What a test gives to a bed; see [`TestBed`].
///
/// Of several for one dependency, an `override_*` wins, then what was provided or mocked, then
/// [`real`](Self::real), then a mock of the bed's own. What is mocked, overridden or made real has to
/// be injected somewhere in the bed, so that a test does not prepare what nobody uses; what is provided
/// may be of no use, so that tests can share a function that provides.
///
/// A name is part of the dependency: what is given without one is not injected where
/// `#[inject("name")]` asks for one.
#[must_use = "a bed is made by `.build()`"]
pub struct TestBedBuilder<T: ?Sized> {
    graph: Graph,
    target: Target,
    supplies: Vec<Supply>,
    reals: Vec<Real>,
    aop: Aop,
    of: PhantomData<fn() -> Arc<T>>,
}

impl<T: ?Sized + Send + Sync + 'static> TestBedBuilder<T> {
    pub(super) fn new(graph: Graph, target: Target) -> Self {
        Self {
            graph,
            target,
            supplies: Vec::new(),
            reals: Vec::new(),
            aop: Aop::default(),
            of: PhantomData,
        }
    }

    fn give(mut self, supply: Supply) -> Self {
        let rival = self.supplies.iter_mut().find(|old| {
            supply.level == Level::Override
                && old.level == Level::Override
                && old.has_key_of(&supply)
        });
        match rival {
            Some(rival) => *rival = supply,
            None => self.supplies.push(supply),
        }
        self
    }

    /// Prepares the mock of a trait: the closure says what it expects.
    ///
    /// A trait that is only injected as `Option<..>` or `Vec<..>` is mocked when this says so. A mock that
    /// needs no preparing is given without this.
    pub fn mock<M: ?Sized + Mockable>(self, prepare: impl FnOnce(&mut M::Mock)) -> Self {
        self.mocked::<M>(None, prepare)
    }

    /// Prepares the mock of a trait where it is injected by this name.
    pub fn mock_named<M: ?Sized + Mockable>(
        self,
        name: impl Into<String>,
        prepare: impl FnOnce(&mut M::Mock),
    ) -> Self {
        self.mocked::<M>(Some(name.into()), prepare)
    }

    fn mocked<M: ?Sized + Mockable>(
        self,
        name: Option<String>,
        prepare: impl FnOnce(&mut M::Mock),
    ) -> Self {
        let mut mock = M::Mock::default();
        prepare(&mut mock);
        let mock = Watched::new(M::share(mock));
        self.give(Supply::mock::<M>(name, mock))
    }

    /// Gives a value. Given several times for one trait, the values are the members of a `Vec<..>`.
    pub fn provide_value<V: ?Sized + Send + Sync + 'static>(self, value: Arc<V>) -> Self {
        self.value(Level::Provided, None, value)
    }

    /// Gives a value where it is injected by this name.
    pub fn provide_named<V: ?Sized + Send + Sync + 'static>(
        self,
        name: impl Into<String>,
        value: Arc<V>,
    ) -> Self {
        self.value(Level::Provided, Some(name.into()), value)
    }

    /// Gives a value that may be injected by value: each position gets a clone. It is needed for a
    /// transient; the value of a `#[provides(clone)]` method may be given with any other method too.
    pub fn provide_clone<V: Clone + Send + Sync + 'static>(self, value: V) -> Self {
        self.cloned(None, value)
    }

    /// [`provide_clone`](Self::provide_clone) where it is injected by this name.
    pub fn provide_clone_named<V: Clone + Send + Sync + 'static>(
        self,
        name: impl Into<String>,
        value: V,
    ) -> Self {
        self.cloned(Some(name.into()), value)
    }

    fn cloned<V: Clone + Send + Sync + 'static>(self, name: Option<String>, value: V) -> Self {
        let origin = Origin::Value(Some(Handle::new(Arc::new(value))));
        self.give(Supply {
            clone: Some(clone_value::<V>),
            ..Supply::of::<V>(Level::Provided, name, origin)
        })
    }

    /// Gives what a function makes, for as long as what it stands for would live: once, once for a
    /// request, or each time. The container it is given is that of the bed.
    pub fn provide_factory<V, F>(self, factory: F) -> Self
    where
        V: ?Sized + Send + Sync + 'static,
        F: Fn(&Container) -> Result<Arc<V>, BoxError> + Send + Sync + 'static,
    {
        self.factory(Level::Provided, factory)
    }

    /// Gives a provider of the test itself, an `#[injectable]` fake, which is injected by the rules of
    /// the bed.
    pub fn provide<P: Provided>(self) -> Self {
        self.give(Supply::defined::<P>(
            Level::Provided,
            Defined::provided::<P>(),
        ))
    }

    /// Gives what a definition makes. Its dependencies are injected by the rules of the bed, and so is the
    /// dependency on it: by its type or a trait it is handed out as, and by its name.
    pub fn provide_definition<V: ?Sized + Send + Sync + 'static>(
        self,
        definition: Definition<V>,
    ) -> Self {
        self.define::<V, V>(Level::Provided, definition)
    }

    /// Gives a value instead of whatever else was given for `V`. A later one replaces an earlier one.
    pub fn override_value<V: ?Sized + Send + Sync + 'static>(self, value: Arc<V>) -> Self {
        self.value(Level::Override, None, value)
    }

    /// [`override_value`](Self::override_value) where it is injected by this name.
    pub fn override_named<V: ?Sized + Send + Sync + 'static>(
        self,
        name: impl Into<String>,
        value: Arc<V>,
    ) -> Self {
        self.value(Level::Override, Some(name.into()), value)
    }

    /// [`provide_factory`](Self::provide_factory) instead of whatever else was given for `V`.
    pub fn override_factory<V, F>(self, factory: F) -> Self
    where
        V: ?Sized + Send + Sync + 'static,
        F: Fn(&Container) -> Result<Arc<V>, BoxError> + Send + Sync + 'static,
    {
        self.factory(Level::Override, factory)
    }

    /// Gives what a definition makes instead of whatever else was given for `V`: a definition of `V`, or of
    /// a type that is handed out as `V`.
    pub fn override_definition<V, D>(self, definition: Definition<D>) -> Self
    where
        V: ?Sized + Send + Sync + 'static,
        D: ?Sized + Send + Sync + 'static,
    {
        self.define::<V, D>(Level::Override, definition)
    }

    fn define<V, D>(self, level: Level, definition: Definition<D>) -> Self
    where
        V: ?Sized + Send + Sync + 'static,
        D: ?Sized + Send + Sync + 'static,
    {
        self.give(Supply::defined::<V>(level, Defined::new(definition)))
    }

    fn value<V: ?Sized + Send + Sync + 'static>(
        self,
        level: Level,
        name: Option<String>,
        value: Arc<V>,
    ) -> Self {
        let origin = Origin::Value(Some(Handle::new(value)));
        self.give(Supply::of::<V>(level, name, origin))
    }

    fn factory<V, F>(self, level: Level, factory: F) -> Self
    where
        V: ?Sized + Send + Sync + 'static,
        F: Fn(&Container) -> Result<Arc<V>, BoxError> + Send + Sync + 'static,
    {
        let origin = Origin::Factory(Arc::new(move |container| {
            factory(container).map(Handle::new)
        }));
        self.give(Supply::of::<V>(level, None, origin))
    }

    /// Has a dependency made by its real constructor. What that is injected with follows the rules of
    /// the bed: other parts are real when they are named as well.
    ///
    /// For a `dyn Trait` this means every provider of the trait.
    pub fn real<V: ?Sized + 'static>(self) -> Self {
        self.made_real::<V>(None)
    }

    /// Has the dependency of this name made by its real constructor.
    pub fn real_named<V: ?Sized + 'static>(self, name: impl Into<String>) -> Self {
        self.made_real::<V>(Some(name.into()))
    }

    fn made_real<V: ?Sized + 'static>(mut self, name: Option<String>) -> Self {
        self.reals.push(Real {
            type_id: TypeId::of::<V>(),
            type_name: std::any::type_name::<V>(),
            name,
        });
        self
    }

    /// Says whether the methods of what is made for real are intercepted; they are not unless this says so.
    pub fn aop(mut self, aop: Aop) -> Self {
        self.aop = aop;
        self
    }

    /// Makes the provider; an async constructor is awaited.
    ///
    /// # Errors
    /// ZNIGHT001 with every dependency the bed has nothing for, each with why and what to do, and with
    /// what was mocked, overridden or made real for nobody; ZNIGHT001 or 008 when the graph does not
    /// have the provider, or has several; ZNIGHT015 when its constructor fails. After an error no mock
    /// is verified: the error is what the test has to show.
    pub async fn build(self) -> Result<TestBed<T>, Error> {
        let Self {
            graph,
            target,
            supplies,
            reals,
            aop,
            ..
        } = self;
        let type_name = std::any::type_name::<T>();
        let planner = Planner::new(graph, supplies, reals, aop)?;
        let Bed {
            assembly,
            part,
            mocks,
        } = planner.plan(target, TypeId::of::<T>(), type_name)?;
        let container = match assembly.create(part).await {
            Ok(container) => container,
            Err((container, error)) => return Err(abandon(container, error)),
        };
        let mut open = container.open_scope();
        let made = open
            .enter(|| assembly::instance::<T>(&container, part))
            .and_then(|instance| Ok((instance, open.handle()?)));
        match made {
            Ok((instance, scope)) => Ok(TestBed {
                target: Watch::new(&instance),
                instance,
                scope,
                _open: open,
                container,
                name: short_name(type_name),
                mocks,
            }),
            Err(error) => Err(abandon((open, container), error)),
        }
    }
}

impl<T: ?Sized> fmt::Debug for TestBedBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestBedBuilder")
            .field("of", &short_name(std::any::type_name::<T>()))
            .field("given", &self.supplies)
            .field("real", &self.reals)
            .finish_non_exhaustive()
    }
}
