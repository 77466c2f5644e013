//! Dependencies that are resolved when they are asked for.

use std::{
    fmt,
    sync::{Arc, Weak},
};

use super::{Inner, resolve::disposed, slot::SlotId};
use crate::error::Error;

/// A dependency that is resolved when it is asked for, in the request scope of the moment.
///
/// It breaks circles, and lets a singleton use what belongs to a request. It does not keep the
/// container alive.
///
/// ```
/// use std::sync::Arc;
/// use znight_core::{Error, Lazy};
///
/// struct CurrentUser { name: &'static str }
///
/// struct Audit { user: Lazy<CurrentUser> }
///
/// impl Audit {
///     fn author(&self) -> Result<&'static str, Error> {
///         Ok(self.user.get()?.name)
///     }
/// }
///
/// // In a test without a container:
/// let audit = Audit { user: Lazy::from_value(Arc::new(CurrentUser { name: "ada" })) };
/// assert_eq!(audit.author()?, "ada");
/// # Ok::<(), Error>(())
/// ```
pub struct Lazy<T: ?Sized> {
    from: From<T>,
}

enum From<T: ?Sized> {
    Container(Weak<Inner>, SlotId),
    Value(Arc<T>),
}

impl<T: ?Sized + Send + Sync + 'static> Lazy<T> {
    pub(crate) fn new(container: Weak<Inner>, slot: SlotId) -> Self {
        Self {
            from: From::Container(container, slot),
        }
    }

    /// One that always gives this value, to build something by hand.
    pub fn from_value(value: Arc<T>) -> Self {
        Self {
            from: From::Value(value),
        }
    }

    /// The dependency, created now if it does not exist yet.
    ///
    /// # Errors
    /// ZNIGHT013 for a request-scoped one outside of a request, ZNIGHT002 when called from a
    /// constructor of something it is needed for, ZNIGHT015 when its constructor fails,
    /// ZNIGHT001 when its provider provides nothing.
    pub fn get(&self) -> Result<Arc<T>, Error> {
        match &self.from {
            From::Value(value) => Ok(Arc::clone(value)),
            From::Container(container, slot) => {
                let container = container.upgrade().ok_or_else(disposed)?;
                match container.resolve(*slot)? {
                    Some(held) => Ok(held.arc()),
                    None => Err(container.provides_nothing(*slot)),
                }
            }
        }
    }
}

impl<T: ?Sized> Clone for Lazy<T> {
    fn clone(&self) -> Self {
        Self {
            from: match &self.from {
                From::Container(container, slot) => From::Container(Weak::clone(container), *slot),
                From::Value(value) => From::Value(Arc::clone(value)),
            },
        }
    }
}

impl<T: ?Sized> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = crate::names::of::<T>();
        write!(f, "Lazy<{name}>")
    }
}
