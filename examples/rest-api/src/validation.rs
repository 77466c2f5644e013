//! What is wrong with an input, field by field.

use serde::Serialize;
use znight::{http::StatusCode, prelude::*};

/// An input with mistakes: 400, and what is wrong where in the details.
#[derive(Debug, thiserror::Error)]
#[error("the request is not valid")]
pub(crate) struct Invalid(Vec<Problem>);

/// One mistake, in the form the framework reports those of a body's shape.
#[derive(Debug, PartialEq, Serialize)]
struct Problem {
    path: &'static str,
    message: String,
}

impl Invalid {
    /// One mistake.
    pub(crate) fn field(path: &'static str, message: impl Into<String>) -> Self {
        let mut checks = Checks::default();
        checks.problem(path, message);
        checks.into()
    }
}

impl ErrorReply for Invalid {
    fn status(&self) -> StatusCode {
        StatusCode::BAD_REQUEST
    }

    fn details(&self) -> Option<serde_json::Value> {
        serde_json::to_value(&self.0).ok()
    }
}

/// Collects mistakes, so that a client learns all of them at once.
#[derive(Debug, Default)]
pub(crate) struct Checks(Vec<Problem>);

impl Checks {
    /// Notes a mistake.
    pub(crate) fn problem(&mut self, path: &'static str, message: impl Into<String>) {
        let message = message.into();
        self.0.push(Problem { path, message });
    }

    /// The value, or `None` when its mistake was noted.
    pub(crate) fn accept<T, E: ToString>(
        &mut self,
        path: &'static str,
        value: Result<T, E>,
    ) -> Option<T> {
        value
            .map_err(|error| self.problem(path, error.to_string()))
            .ok()
    }

    /// A text without the space around it, of 1 to `longest` characters.
    pub(crate) fn text(
        &mut self,
        path: &'static str,
        text: &str,
        longest: usize,
    ) -> Option<String> {
        let text = text.trim();
        let fits = (1..=longest).contains(&text.chars().count());
        let text = fits
            .then(|| text.to_owned())
            .ok_or_else(|| format!("expected 1 to {longest} characters"));
        self.accept(path, text)
    }

    /// A number in a range.
    pub(crate) fn number<T: Copy + PartialOrd + std::fmt::Display>(
        &mut self,
        path: &'static str,
        number: T,
        least: T,
        most: T,
    ) -> Option<T> {
        let number = if (least..=most).contains(&number) {
            Ok(number)
        } else {
            Err(format!("expected a number from {least} to {most}"))
        };
        self.accept(path, number)
    }
}

impl From<Checks> for Invalid {
    fn from(checks: Checks) -> Self {
        Self(checks.0)
    }
}
