//! Functions whose parameters are injected.

use crate::{
    __private::BoxFuture,
    inject::{Deps, DynDep, Injected},
    provider::{IntoMade, Made},
};

/// A function that makes a `T` from what is injected; see [`Definition`](crate::Definition).
///
/// Implemented for functions and closures with up to twelve parameters. `Args` is the tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a constructor of `{T}`",
    label = "not a constructor of `{T}`",
    note = "a constructor is a `Fn` that is `Send + Sync + 'static` and returns `{T}`, `Arc<{T}>`, or an `Option` or `Result` of one",
    note = "its parameters are `Arc<T>`, `Option<Arc<T>>`, `Vec<Arc<T>>`, `Lazy<T>` or `Option<Lazy<T>>`; a closure spells their types out"
)]
pub trait Constructor<T: ?Sized, Args>: Send + Sync + 'static {
    #[doc(hidden)]
    fn dependencies(&self) -> Vec<DynDep>;
    #[doc(hidden)]
    fn construct(&self, deps: &mut Deps<'_>) -> Made;
}

/// An async function that makes a `T` from what is injected; see
/// [`Definition::new_async`](crate::Definition::new_async).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an async constructor of `{T}`",
    label = "not an async constructor of `{T}`",
    note = "an async constructor is a `Fn` whose future is `Send + 'static` and gives `{T}`, `Arc<{T}>`, or an `Option` or `Result` of one",
    note = "its parameters are `Arc<T>`, `Option<Arc<T>>`, `Vec<Arc<T>>`, `Lazy<T>` or `Option<Lazy<T>>`; a closure spells their types out"
)]
pub trait AsyncConstructor<T: ?Sized, Args>: Send + Sync + 'static {
    #[doc(hidden)]
    fn dependencies(&self) -> Vec<DynDep>;
    #[doc(hidden)]
    fn construct<'a>(&self, deps: Deps<'a>) -> BoxFuture<'a, Made>;
}

macro_rules! constructors {
    ($($arg:ident)*) => {
        impl<T, Call, Output, $($arg),*> Constructor<T, ($($arg,)*)> for Call
        where
            T: ?Sized,
            Call: Fn($($arg),*) -> Output + Send + Sync + 'static,
            Output: IntoMade<T>,
            $($arg: Injected),*
        {
            fn dependencies(&self) -> Vec<DynDep> {
                vec![$(DynDep::of::<$arg>(None)),*]
            }

            #[allow(clippy::unused_self, unused_variables, reason = "without parameters")]
            fn construct(&self, deps: &mut Deps<'_>) -> Made {
                self($(deps.next::<$arg>()),*).into_made()
            }
        }

        impl<T, Call, Running, $($arg),*> AsyncConstructor<T, ($($arg,)*)> for Call
        where
            T: ?Sized,
            Call: Fn($($arg),*) -> Running + Send + Sync + 'static,
            Running: Future<Output: IntoMade<T>> + Send + 'static,
            $($arg: Injected),*
        {
            fn dependencies(&self) -> Vec<DynDep> {
                vec![$(DynDep::of::<$arg>(None)),*]
            }

            #[allow(unused_mut, unused_variables, reason = "without parameters")]
            fn construct<'a>(&self, mut deps: Deps<'a>) -> BoxFuture<'a, Made> {
                let running = self($(deps.next::<$arg>()),*);
                Box::pin(async move { running.await.into_made() })
            }
        }
    };
}

constructors!();
constructors!(A);
constructors!(A B);
constructors!(A B C);
constructors!(A B C D);
constructors!(A B C D E);
constructors!(A B C D E F);
constructors!(A B C D E F G);
constructors!(A B C D E F G H);
constructors!(A B C D E F G H I);
constructors!(A B C D E F G H I J);
constructors!(A B C D E F G H I J K);
constructors!(A B C D E F G H I J K L);
