//! What several inputs have in common: rules, and what is answered when only the stores can tell.

use serde_json::json;
use znight::{Issue, http::StatusCode, prelude::*};

/// The rule of a text: 1 to `LONGEST` characters, the space around it not counted.
pub(crate) fn text<const LONGEST: usize>(text: &str, _: &impl Sized) -> garde::Result {
    if (1..=LONGEST).contains(&text.trim().chars().count()) {
        Ok(())
    } else {
        Err(garde::Error::new(format!(
            "expected 1 to {LONGEST} characters"
        )))
    }
}

/// An input whose mistake shows when it is stored: answered like one that breaks a rule.
#[derive(Debug, thiserror::Error)]
#[error("the body is not valid")]
pub(crate) struct Invalid(Issue);

impl Invalid {
    /// A mistake in a field.
    pub(crate) fn field(path: &str, message: &str) -> Self {
        Self(Issue::new(path, message))
    }
}

impl ErrorReply for Invalid {
    fn status(&self) -> StatusCode {
        StatusCode::BAD_REQUEST
    }

    fn details(&self) -> Option<serde_json::Value> {
        Some(json!([self.0]))
    }
}
