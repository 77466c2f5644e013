//! The request as the glue of a handler sees it.

use std::sync::Arc;

use bytes::Bytes;

use crate::HttpContext;

/// A request whose body has been read, when its route wants it.
#[derive(Debug)]
pub struct Rq {
    context: Arc<HttpContext>,
}

impl Rq {
    pub(crate) fn new(context: Arc<HttpContext>) -> Self {
        Self { context }
    }

    /// The context.
    pub fn context(&self) -> &HttpContext {
        &self.context
    }

    pub(crate) fn shared(&self) -> &Arc<HttpContext> {
        &self.context
    }

    pub(crate) fn body(&self) -> &Bytes {
        self.context.body().bytes()
    }
}
