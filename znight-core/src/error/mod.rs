//! The error of the framework.

mod instantiation;
mod report;

use std::{error::Error as StdError, fmt, sync::Arc};

use znight_contract::ErrorCode;

use crate::graph::Source;

pub use instantiation::InstantiationError;
pub use report::Report;

/// Any error that may cross threads: what hooks, constructors and handlers return.
pub type BoxError = Box<dyn StdError + Send + Sync + 'static>;

/// What hooks return: `Ok(())`, or any error.
pub type Result<T = (), E = BoxError> = std::result::Result<T, E>;

/// A failure of the framework: a code, a message, and what led to it.
///
/// One word wide and cheap to clone. `Display` is this level only, as in
/// `ZNIGHT015: failed to create PgUsers`; [`source`](StdError::source) is its cause, and
/// [`report`](Self::report) the whole story, which `Debug` prints as well.
///
/// ```
/// use znight_core::{Error, ErrorCode};
///
/// let error = Error::new(ErrorCode::ContainerSealed, "the container has been initialised")
///     .with_hint("register values before `init()`");
/// assert_eq!(error.to_string(), "ZNIGHT016: the container has been initialised");
/// assert_eq!(error.hints(), ["register values before `init()`"]);
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    code: ErrorCode,
    message: String,
    hints: Vec<String>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
    errors: Vec<Error>,
    suppressed: Vec<Error>,
    instantiation: Option<InstantiationError>,
    place: Option<Source>,
}

impl Error {
    /// An error of the framework or of a plugin of the first party: codes are listed in
    /// [`ErrorCode`], third parties return errors of their own.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            code,
            message: message.into(),
            hints: Vec::new(),
            source: None,
            errors: Vec::new(),
            suppressed: Vec::new(),
            instantiation: None,
            place: None,
        }))
    }

    /// Several problems as one error: the only one as it is, otherwise an error of the first one's
    /// code which holds all of them.
    ///
    /// `None` when there is no problem. `subject` opens the message: `the dependency graph` gives
    /// "the dependency graph has 3 problems".
    pub fn all(subject: &str, mut errors: Vec<Self>) -> Option<Self> {
        if errors.len() < 2 {
            return errors.pop();
        }
        let message = format!("{subject} has {} problems", errors.len());
        Some(Self::new(errors[0].code(), message).with_errors(errors))
    }

    /// ZNIGHT021 for the steps of something that failed, all of which were attempted. `None` when
    /// none did.
    pub(crate) fn steps(what: &str, errors: Vec<Self>) -> Option<Self> {
        let message = match errors.len() {
            0 => return None,
            1 => format!("{what} failed in one step"),
            count => format!("{what} failed in {count} steps"),
        };
        Some(Self::new(ErrorCode::LifecycleFailed, message).with_errors(errors))
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        self.edit(|inner| inner.hints.push(hint))
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_source(self, source: impl Into<BoxError>) -> Self {
        let source: Arc<dyn StdError + Send + Sync> = Arc::from(source.into());
        self.edit(|inner| inner.source = Some(source))
    }

    /// Sets the errors this one sums up.
    #[must_use]
    pub fn with_errors(self, errors: Vec<Self>) -> Self {
        self.edit(|inner| inner.errors = errors)
    }

    /// Adds failures of the clean-up that followed this error.
    #[must_use]
    pub fn with_suppressed(self, errors: impl IntoIterator<Item = Self>) -> Self {
        let mut errors = errors.into_iter().peekable();
        if errors.peek().is_none() {
            return self;
        }
        self.edit(|inner| inner.suppressed.extend(errors))
    }

    /// Sets the place in the sources it is about.
    #[must_use]
    pub fn with_place(self, place: Option<Source>) -> Self {
        self.edit(|inner| inner.place = place)
    }

    pub(crate) fn with_instantiation(self, failed: InstantiationError) -> Self {
        self.edit(|inner| inner.instantiation = Some(failed))
    }

    /// The framework error inside `error`, or a new one around it.
    ///
    /// What already has a code passes through unchanged: a ZNIGHT006 of a plugin's hook stays one.
    pub fn wrap(error: BoxError, around: impl FnOnce(BoxError) -> Self) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => around(error),
        }
    }

    fn edit(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The code, such as `ZNIGHT015`.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The message without its code.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub fn hints(&self) -> &[String] {
        &self.0.hints
    }

    /// Failures of the clean-up that followed this error.
    pub fn suppressed(&self) -> &[Self] {
        &self.0.suppressed
    }

    /// The errors this one sums up, as when several steps of a shutdown fail.
    pub fn errors(&self) -> &[Self] {
        &self.0.errors
    }

    /// Which provider could not be created, and how the application came to need it: of a ZNIGHT015 of
    /// the container.
    pub fn instantiation(&self) -> Option<&InstantiationError> {
        self.0.instantiation.as_ref()
    }

    /// The place in the sources it is about.
    pub fn place(&self) -> Option<Source> {
        self.0.place
    }

    /// Everything that is known, on several lines: message, dependency path, place, causes, hints,
    /// the errors summed up and those of the clean-up.
    pub fn report(&self) -> Report<'_> {
        Report::new(self)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `fn main() -> Result<(), Error>` and failing tests print errors with `Debug`.
        fmt::Display::fmt(&self.report(), f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}
