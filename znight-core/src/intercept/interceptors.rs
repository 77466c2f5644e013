//! The interceptors of one instance.

use std::{any::TypeId, fmt, sync::Arc};

use crate::{
    inject::{Deps, InjectKind, Injected},
    provider::Handle,
};

/// The interceptors of the methods of one instance: a field of every type that has methods with
/// `#[intercept(..)]`.
///
/// The container fills it. An instance that is built by hand has [`Interceptors::default`], and its
/// methods are simply not intercepted; [`with`](Self::with) puts some in, for a test about them.
///
/// ```
/// use std::sync::Arc;
/// use znight_core::Interceptors;
///
/// struct Timing;
///
/// assert!(Interceptors::default().is_empty());
/// assert!(!Interceptors::default().with(Arc::new(Timing)).is_empty());
/// ```
#[derive(Clone, Default)]
pub struct Interceptors(Option<Arc<[Handle]>>);

impl Interceptors {
    pub(crate) fn of(handles: Vec<Handle>) -> Self {
        Self((!handles.is_empty()).then(|| handles.into()))
    }

    /// The same and one more, in place of an earlier one of its type.
    #[must_use]
    pub fn with<I: Send + Sync + 'static>(self, interceptor: Arc<I>) -> Self {
        let known = self.0.iter().flat_map(|known| known.iter());
        let mut handles: Vec<Handle> = known
            .filter(|handle| handle.get_ref::<I>().is_none())
            .map(Handle::share)
            .collect();
        handles.push(Handle::new(interceptor));
        Self::of(handles)
    }

    /// Whether nothing is intercepted.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn find<I: Send + Sync + 'static>(&self) -> Option<&I> {
        let handles = self.0.as_deref()?;
        let found = handles.iter().find_map(Handle::get_ref::<I>);
        found.map(|interceptor| &**interceptor)
    }
}

impl Injected for Interceptors {
    const KIND: InjectKind = InjectKind::Interceptors;

    fn type_id() -> TypeId {
        TypeId::of::<Self>()
    }

    fn type_name() -> &'static str {
        std::any::type_name::<Self>()
    }

    fn take(deps: &mut Deps<'_>) -> Self {
        deps.interceptors()
    }
}

impl fmt::Debug for Interceptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.as_ref().map_or(0, |handles| handles.len());
        f.debug_tuple("Interceptors").field(&count).finish()
    }
}
