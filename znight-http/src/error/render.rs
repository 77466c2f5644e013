//! The reply to errors in a form of the application's own.

use std::fmt;

use super::HttpError;
use crate::{HttpContext, Reply};

type Render = dyn Fn(&HttpContext, &HttpError) -> Option<Reply> + Send + Sync;

/// What makes replies of errors, instead of the usual body.
pub(crate) struct ErrorRenderer(Box<Render>);

impl ErrorRenderer {
    pub(crate) fn new(
        render: impl Fn(&HttpContext, &HttpError) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(render))
    }

    /// The reply; `None` for the usual one.
    pub(crate) fn render(&self, context: &HttpContext, error: &HttpError) -> Option<Reply> {
        (self.0)(context, error)
    }
}

impl fmt::Debug for ErrorRenderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrorRenderer(..)")
    }
}
