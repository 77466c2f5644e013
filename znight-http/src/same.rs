//! Types that are found to be one.

use std::any::Any;

/// A value as a `U`, when that is what it is. Where both types are known the compiler leaves one branch.
#[inline]
pub(crate) fn same<T: 'static, U: 'static>(value: T) -> Result<U, T> {
    let mut slot = Some(value);
    let found = (&mut slot as &mut dyn Any)
        .downcast_mut::<Option<U>>()
        .and_then(Option::take);
    match (found, slot) {
        (Some(found), _) => Ok(found),
        (None, Some(value)) => Err(value),
        (None, None) => unreachable!("it was taken by nobody"),
    }
}
