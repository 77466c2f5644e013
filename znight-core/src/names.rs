//! Names of types for messages.

use std::borrow::Cow;

use znight_contract::display;

/// The short name of a type, from what `type_name` says: `dyn Users`, `Repository<User>`.
pub fn short(type_name: &str) -> String {
    // Types declared in a function of a test: their path has parts nobody wrote.
    let written = if type_name.contains("{{closure}}::") {
        Cow::Owned(type_name.replace("{{closure}}::", ""))
    } else {
        Cow::Borrowed(type_name)
    };
    display::short(&written)
}

/// The short name of `T`.
pub(crate) fn of<T: ?Sized>() -> String {
    short(std::any::type_name::<T>())
}
