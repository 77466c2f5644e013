//! What becomes known of an operation once: its error, its context.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use crate::error::BoxError;

/// The error of an operation; the first one stays.
#[derive(Default)]
pub(super) struct Failure(OnceLock<Arc<BoxError>>);

impl Failure {
    pub(super) fn set(&self, error: Arc<BoxError>) {
        // A second error is about the handling of the first.
        let _ = self.0.set(error);
    }

    pub(super) fn get(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.0.get().map(|error| &***error)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

/// What the producer hands to the operation, of a type that core does not know.
#[derive(Clone, Default)]
pub(super) struct Context(Option<Arc<dyn Any + Send + Sync>>);

impl Context {
    pub(super) fn of<T: Any + Send + Sync>(context: Arc<T>) -> Self {
        Self(Some(context))
    }

    pub(super) fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Context(..)"
        } else {
            "Context"
        })
    }
}
