//! What may stand in an injected position, and how the glue of a provider receives it.

mod deps;

use std::{any::TypeId, sync::Arc};

use crate::container::Lazy;

pub use deps::Deps;

/// The form of an injected position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InjectKind {
    /// `Arc<T>`.
    One,
    /// `Option<Arc<T>>`.
    Optional,
    /// `Vec<Arc<T>>`.
    Many,
    /// `Lazy<T>`.
    Lazy,
    /// `Option<Lazy<T>>`.
    OptionalLazy,
    /// `T`.
    Value,
    /// `Interceptors`.
    Interceptors,
}

/// What may stand in an injected position: `Arc<T>`, `Option<Arc<T>>`, `Vec<Arc<T>>`, `Lazy<T>`,
/// `Option<Lazy<T>>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected",
    label = "not an injectable form",
    note = "write `Arc<T>`, `Option<Arc<T>>`, `Vec<Arc<T>>`, `Lazy<T>` or `Option<Lazy<T>>`, where \
            `T` may be a `dyn Trait` whose super-traits include `Send + Sync`"
)]
pub trait Injected: Sized {
    /// The form.
    const KIND: InjectKind;
    /// The type id of `T`.
    fn type_id() -> TypeId;
    /// The name of `T`, for messages.
    fn type_name() -> &'static str;
    /// Takes the next dependency.
    #[doc(hidden)]
    fn take(deps: &mut Deps<'_>) -> Self;
}

macro_rules! injected {
    ($form:ty, $kind:ident, $take:ident) => {
        impl<T: ?Sized + Send + Sync + 'static> Injected for $form {
            const KIND: InjectKind = InjectKind::$kind;

            fn type_id() -> TypeId {
                TypeId::of::<T>()
            }

            fn type_name() -> &'static str {
                std::any::type_name::<T>()
            }

            fn take(deps: &mut Deps<'_>) -> Self {
                deps.$take()
            }
        }
    };
}

injected!(Arc<T>, One, one);
injected!(Option<Arc<T>>, Optional, optional);
injected!(Vec<Arc<T>>, Many, many);
injected!(Lazy<T>, Lazy, lazy);
injected!(Option<Lazy<T>>, OptionalLazy, optional_lazy);

/// A dependency of a provider outside of the graph, resolved by type when the application boots.
#[derive(Debug, Clone, Copy)]
pub struct DynDep {
    /// The form.
    pub kind: InjectKind,
    /// The type.
    pub type_id: fn() -> TypeId,
    /// Its name, for messages.
    pub type_name: fn() -> &'static str,
    /// The qualifier asked for.
    pub name: Option<&'static str>,
}

impl DynDep {
    /// A dependency of the form `D`.
    pub const fn of<D: Injected>(name: Option<&'static str>) -> Self {
        Self {
            kind: D::KIND,
            type_id: <D as Injected>::type_id,
            type_name: <D as Injected>::type_name,
            name,
        }
    }

    /// A dependency by value.
    pub const fn value<T: 'static>(name: Option<&'static str>) -> Self {
        Self {
            kind: InjectKind::Value,
            type_id: crate::provider::type_id_of::<T>,
            type_name: std::any::type_name::<T>,
            name,
        }
    }
}
