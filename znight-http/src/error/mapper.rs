//! Replies registered for error types of others.

use std::{error::Error as StdError, fmt};

use super::HttpError;

type Map = dyn Fn(&(dyn StdError + 'static)) -> Option<HttpError> + Send + Sync;

/// The registered mappers, tried in order.
#[derive(Default)]
pub(crate) struct ErrorMappers(Vec<Box<Map>>);

impl ErrorMappers {
    /// Registers `map` for errors of type `E`.
    pub(crate) fn add<E, F>(&mut self, map: F)
    where
        E: StdError + 'static,
        F: Fn(&E) -> HttpError + Send + Sync + 'static,
    {
        self.0
            .push(Box::new(move |error| error.downcast_ref::<E>().map(&map)));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The reply to an error: another one when nobody chose it and a mapper knows its type.
    pub(crate) fn apply(&self, error: HttpError) -> HttpError {
        if self.0.is_empty() || !error.is_unexpected() {
            return error;
        }
        let mapped = error
            .source()
            .and_then(|source| self.0.iter().find_map(|map| map(source)));
        match mapped {
            Some(mut mapped) => {
                mapped.inherit_source(error);
                mapped
            }
            None => error,
        }
    }
}

impl fmt::Debug for ErrorMappers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErrorMappers({})", self.0.len())
    }
}
