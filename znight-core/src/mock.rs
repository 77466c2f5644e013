//! Mocks of traits: which trait has one, and how the glue of a provider finds out.

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Weak},
};

use crate::{
    container::Lazy,
    inject::{DynDep, Injected},
    provider::Handle,
};

/// A `dyn Trait` of which there is a mock.
///
/// `#[mockable]` on a trait implements it. Where that cannot write the mock, `mockall::mock!` and
/// an implementation by hand do the same, in the crate of the trait:
///
/// ```
/// use std::sync::Arc;
/// # use znight_core::__private::Mockable;
/// # /*
/// use znight_testing::Mockable;
/// # */
///
/// trait Clock: Send + Sync {
///     fn now(&self) -> u64;
/// }
///
/// # #[derive(Default)] struct MockClock;
/// # impl Clock for MockClock { fn now(&self) -> u64 { 0 } }
/// // `MockClock` comes from `mockall::mock!`
/// impl Mockable for dyn Clock {
///     type Mock = MockClock;
///
///     fn share(mock: MockClock) -> Arc<Self> {
///         Arc::new(mock)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no mock",
    label = "the trait has no mock here",
    note = "mark the trait: `#[mockable]`, above `#[async_trait]` where it has that",
    note = "mocks exist in the unit tests of the trait's crate; for `tests/` and other crates, turn on its feature \
            `testing`: `shop = {{ path = \".\", features = [\"testing\"] }}` in `[dev-dependencies]`",
    note = "for a trait that is not yours, write `mockall::mock! {{ .. }}` and pass the mock to `provide_value`"
)]
pub trait Mockable: Send + Sync + 'static {
    /// The mock. A default one fails the test when a method is called.
    type Mock: Default;

    /// The mock as the trait object, once what it expects is set.
    fn share(mock: Self::Mock) -> Arc<Self>;
}

/// A value given away, and how many still have it.
pub struct Watched {
    /// The value.
    pub handle: Handle,
    /// Who has it.
    pub watch: Watch,
}

impl Watched {
    /// Keeps an eye on a value.
    pub fn new<T: ?Sized + Send + Sync + 'static>(value: Arc<T>) -> Self {
        let watch = Watch::new(&value);
        Self {
            handle: Handle::new(value),
            watch,
        }
    }

    /// A mock of `T` that expects nothing.
    pub fn mock<T: ?Sized + Mockable>() -> Self {
        Self::new(T::share(T::Mock::default()))
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watched").field(&self.watch).finish()
    }
}

/// Tells how many own a value, without being one of them.
pub struct Watch(Box<dyn Fn() -> usize + Send + Sync>);

impl Watch {
    /// Watches a value.
    pub fn new<T: ?Sized + Send + Sync + 'static>(value: &Arc<T>) -> Self {
        let value = Arc::downgrade(value);
        Self(Box::new(move || Weak::strong_count(&value)))
    }

    /// How many own it now.
    pub fn owners(&self) -> usize {
        (self.0)()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("owners", &self.owners())
            .finish()
    }
}

/// One dependency of a provider as it is written, for tests that fill it by its type.
#[derive(Debug, Clone, Copy)]
pub struct Injection {
    /// Its form, type and name.
    pub dep: DynDep,
    /// Makes a mock of its trait, where there is one.
    pub mock: Option<fn() -> Watched>,
    /// Whether it is the `self` of a `#[provides]` method, which nobody wrote as a dependency.
    pub host: bool,
}

impl Injection {
    const fn new(dep: DynDep, mock: Option<fn() -> Watched>) -> Self {
        Self {
            dep,
            mock,
            host: false,
        }
    }

    /// A dependency by value.
    pub const fn value<T: 'static>() -> Self {
        Self::new(DynDep::value::<T>(None), None)
    }

    /// The same with a qualifier.
    #[must_use]
    pub const fn named(mut self, name: Option<&'static str>) -> Self {
        self.dep.name = name;
        self
    }

    /// The same as the `self` of a method.
    #[must_use]
    pub const fn host(mut self) -> Self {
        self.host = true;
        self
    }
}

/// Answers what an injected position of type `D` asks for, and whether it has a mock: its own
/// constant, which exists only with the mock, wins over that of [`NoMock`].
#[derive(Debug)]
pub struct Asked<D>(PhantomData<D>);

/// The answer "no mock" of [`Asked`].
pub trait NoMock {
    /// The position.
    const INJECTION: Injection;
}

impl<D: Injected> NoMock for Asked<D> {
    const INJECTION: Injection = Injection::new(DynDep::of::<D>(None), None);
}

macro_rules! asked {
    ($($form:ty),*) => {$(
        impl<T: ?Sized + Mockable> Asked<$form> {
            /// The position, with the mock of its trait.
            pub const INJECTION: Injection =
                Injection::new(DynDep::of::<$form>(None), Some(Watched::mock::<T>));
        }
    )*};
}

asked!(
    Arc<T>,
    Option<Arc<T>>,
    Vec<Arc<T>>,
    Lazy<T>,
    Option<Lazy<T>>
);
