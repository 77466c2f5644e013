//! What is known of one provider: its type, how it is made, what else it is handed out as.

use std::{
    any::{Any, TypeId},
    fmt,
    sync::Arc,
};

use znight_contract::ScopeKind;

use crate::{
    __private::BoxFuture,
    error::BoxError,
    graph::Source,
    inject::{Deps, DynDep},
    lifecycle::Lifecycle,
    mock::Injection,
};

/// One `Arc<T>` with its type forgotten; `T` may be a `dyn Trait`.
pub struct Handle(Box<dyn Shared>);

/// An `Arc<T>`, whatever `T` is.
trait Shared: Any + Send + Sync {
    /// Another owner.
    fn share(&self) -> Box<dyn Shared>;
}

impl<T: ?Sized + Send + Sync + 'static> Shared for Arc<T> {
    fn share(&self) -> Box<dyn Shared> {
        Box::new(Self::clone(self))
    }
}

impl Handle {
    /// Forgets the type of `value`.
    pub fn new<T: ?Sized + Send + Sync + 'static>(value: Arc<T>) -> Self {
        Self(Box::new(value))
    }

    /// Another owner of the value.
    ///
    /// # Panics
    /// When the value is no `T`: the generated code and the container disagree.
    pub fn arc<T: ?Sized + Send + Sync + 'static>(&self) -> Arc<T> {
        match self.get_ref::<T>() {
            Some(arc) => Arc::clone(arc),
            None => mismatch::<T>(),
        }
    }

    /// The value, when it is a `T`.
    pub fn get_ref<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&Arc<T>> {
        let value: &dyn Any = &*self.0;
        value.downcast_ref()
    }

    /// Another handle on the value.
    pub(crate) fn share(&self) -> Self {
        Self(self.0.share())
    }

    /// Gives the ownership back.
    pub(crate) fn into_arc<T: ?Sized + Send + Sync + 'static>(self) -> Arc<T> {
        let value: Box<dyn Any> = self.0;
        match value.downcast::<Arc<T>>() {
            Ok(arc) => *arc,
            Err(_) => mismatch::<T>(),
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle(..)")
    }
}

/// Generated code asked for a type the container did not keep.
pub(crate) fn mismatch<T: ?Sized>() -> ! {
    panic!(
        "internal error of znight: no handle for `{}`; please report it",
        std::any::type_name::<T>()
    )
}

/// What a constructor came to: a handle, nothing (a `#[provides]` method returned `None`), or the
/// error it returned.
pub type Made = Result<Option<Handle>, BoxError>;

/// The function that makes an instance.
#[derive(Debug, Clone, Copy)]
pub enum Make {
    /// Makes it at once.
    Plain(fn(&mut Deps<'_>) -> Made),
    /// Makes it in a future; singletons only.
    Async(for<'a> fn(Deps<'a>) -> BoxFuture<'a, Made>),
}

/// One trait a provider is handed out as.
#[derive(Debug, Clone, Copy)]
pub struct Coerce {
    /// The type id of the `dyn Trait`.
    pub to: fn() -> TypeId,
    /// Its name, for messages.
    pub name: fn() -> &'static str,
    /// From a handle on the concrete value to one on the trait object.
    pub apply: fn(&Handle) -> Handle,
}

/// What the attribute beside a provider knows of it.
#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// The provided type.
    pub type_id: fn() -> TypeId,
    /// Its name, for messages.
    pub type_name: fn() -> &'static str,
    /// How an instance is made.
    pub make: Make,
    /// The traits it is handed out as.
    pub coerce: &'static [Coerce],
    /// The hooks its type implements.
    pub lifecycle: Lifecycle,
    /// A fresh `Arc` around a clone, for `#[provides(clone)]` values injected by value.
    pub clone: Option<fn(&Handle) -> Handle>,
    /// What it is injected with, as it is written; empty where the glue was compiled without mocks.
    pub injected: &'static [Injection],
}

impl Provider {
    /// The same with what it is injected with.
    #[must_use]
    pub const fn injected_with(mut self, injected: &'static [Injection]) -> Self {
        self.injected = injected;
        self
    }
}

/// The glue of one provider of an analysed crate, found by its id.
#[diagnostic::on_unimplemented(
    message = "the graph has a provider that `{Self}` was built without",
    label = "it is in the sources of that crate, and was switched off when the crate was built",
    note = "features are those that `cargo metadata` resolves for the whole workspace: build the packages that want \
            different features of a library together (`cargo build --workspace`), or give them the same",
    note = "a `cfg` that a build script sets is told to `znight_build::Compiler::cfg`"
)]
pub trait Provide<const ID: u64> {
    /// What the attribute knows of the provider.
    const P: Provider;
}

/// A provider outside of the crate's graph: a fake in a test, an example.
///
/// `#[injectable]` implements it for items the build does not analyse. Such a provider enters an
/// application through [`ApplicationBuilder::provide`](crate::ApplicationBuilder::provide).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a provider that can be passed at run time",
    note = "only `#[injectable]` types of a test or an example are; what the application's own \
            crate declares is in its graph already"
)]
pub trait Provided: Send + Sync + 'static {
    #[doc(hidden)]
    const P: Provider;
    #[doc(hidden)]
    const META: ProviderMeta;
}

/// What the graph would say of a provider, for one that is not in it.
#[derive(Debug, Clone, Copy)]
pub struct ProviderMeta {
    /// Its path: `shop::users::UserService`.
    pub token: &'static str,
    /// Its short name, for messages.
    pub display: &'static str,
    /// How long an instance lives.
    pub scope: ScopeKind,
    /// Its qualifier.
    pub name: Option<&'static str>,
    /// Whether it is preferred among several candidates.
    pub primary: bool,
    /// What it is injected with, in the order its glue asks for it.
    pub deps: &'static [DynDep],
    /// Where it is declared.
    pub source: Option<Source>,
}

/// The type id of `T` as a function, for constants.
pub fn type_id_of<T: ?Sized + 'static>() -> TypeId {
    TypeId::of::<T>()
}

/// A provider of `T` without a clone function.
pub const fn provider<T: ?Sized + 'static>(
    make: Make,
    coerce: &'static [Coerce],
    lifecycle: Lifecycle,
) -> Provider {
    Provider {
        type_id: type_id_of::<T>,
        type_name: std::any::type_name::<T>,
        make,
        coerce,
        lifecycle,
        clone: None,
        injected: &[],
    }
}

/// The coercion to `T`, a `dyn Trait`.
pub const fn coercion<T: ?Sized + 'static>(apply: fn(&Handle) -> Handle) -> Coerce {
    Coerce {
        to: type_id_of::<T>,
        name: std::any::type_name::<T>,
        apply,
    }
}

/// A fresh `Arc` around a clone of the value.
pub fn clone_value<T: Clone + Send + Sync + 'static>(handle: &Handle) -> Handle {
    Handle::new(Arc::new(T::clone(&handle.arc::<T>())))
}

/// What a constructor of `T` may return: `T`, `Option<T>`, `Result<T, E>`, `Result<Option<T>, E>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a constructor of `{T}` may return",
    label = "expected `{T}`, an `Option` or a `Result` of it",
    note = "the error of a `Result` must convert into `Box<dyn Error + Send + Sync>`"
)]
pub trait IntoMade<T: ?Sized> {
    /// The handle, nothing, or the error.
    fn into_made(self) -> Made;
}

impl<T: Send + Sync + 'static> IntoMade<T> for T {
    fn into_made(self) -> Made {
        Ok(Some(Handle::new(Arc::new(self))))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> IntoMade<T> for Option<T> {
    fn into_made(self) -> Made {
        Ok(self.map(|value| Handle::new(Arc::new(value))))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static, E: Into<BoxError>> IntoMade<T> for Result<T, E> {
    fn into_made(self) -> Made {
        self.map(|value| Some(Handle::new(Arc::new(value))))
            .map_err(Into::into)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static, E: Into<BoxError>> IntoMade<T> for Result<Option<T>, E> {
    fn into_made(self) -> Made {
        self.map(|value| value.map(|value| Handle::new(Arc::new(value))))
            .map_err(Into::into)
    }
}

/// What is shared already, a trait object among others, is handed out as it is.
#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> IntoMade<T> for Arc<T> {
    fn into_made(self) -> Made {
        Ok(Some(Handle::new(self)))
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> IntoMade<T> for Option<Arc<T>> {
    fn into_made(self) -> Made {
        Ok(self.map(Handle::new))
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static, E: Into<BoxError>> IntoMade<T> for Result<Arc<T>, E> {
    fn into_made(self) -> Made {
        self.map(|value| Some(Handle::new(value)))
            .map_err(Into::into)
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static, E: Into<BoxError>> IntoMade<T>
    for Result<Option<Arc<T>>, E>
{
    fn into_made(self) -> Made {
        self.map(|value| value.map(Handle::new)).map_err(Into::into)
    }
}

/// Turns what a constructor of `T` returned into a handle.
pub fn made<T: ?Sized, R: IntoMade<T>>(value: R) -> Made {
    value.into_made()
}
