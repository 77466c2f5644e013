//! Macros that hand on their tokens where a validator is switched off.
//!
//! The build pass cannot know which features this crate is built with: Cargo decides that for the whole
//! build. What it has to say about them goes through these.

/// Hands its tokens on where the feature `garde` is off.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "garde"))]
macro_rules! __without_garde {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// Hands its tokens on where the feature `garde` is off.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "garde")]
macro_rules! __without_garde {
    ($($tokens:tt)*) => {};
}

/// Hands its tokens on where the feature `validator` is off.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "validator"))]
macro_rules! __without_validator {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// Hands its tokens on where the feature `validator` is off.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "validator")]
macro_rules! __without_validator {
    ($($tokens:tt)*) => {};
}

/// Hands its tokens on where both features are off.
#[doc(hidden)]
#[macro_export]
#[cfg(not(any(feature = "garde", feature = "validator")))]
macro_rules! __without_validation {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// Hands its tokens on where both features are off.
#[doc(hidden)]
#[macro_export]
#[cfg(any(feature = "garde", feature = "validator"))]
macro_rules! __without_validation {
    ($($tokens:tt)*) => {};
}
