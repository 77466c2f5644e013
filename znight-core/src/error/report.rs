//! An error with everything that is known about it.

use std::{error::Error as StdError, fmt};

use super::Error;

/// The whole story of an [`Error`], one fact a line; see [`Error::report`].
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    error: &'a Error,
}

impl<'a> Report<'a> {
    pub(super) fn new(error: &'a Error) -> Self {
        Self { error }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.error, 0)
    }
}

fn write(f: &mut fmt::Formatter<'_>, error: &Error, depth: usize) -> fmt::Result {
    write!(f, "{}: ", error.code())?;
    text(f, error.message(), depth)?;
    if let Some(failed) = error.instantiation() {
        line(f, depth, "token", failed.token())?;
    }
    if let Some(place) = error.place() {
        line(f, depth, "at", &place.to_string())?;
    }
    if let Some(failed) = error.instantiation()
        && failed.path().len() > 1
    {
        line(f, depth, "dependency path", &failed.path().join(" -> "))?;
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        // A cause with a code has facts of its own.
        if let Some(error) = error.downcast_ref::<Error>() {
            nested(f, depth, "cause", error)?;
            break;
        }
        line(f, depth, "cause", &error.to_string())?;
        cause = StdError::source(error);
    }
    for error in error.errors() {
        nested(f, depth, "-", error)?;
    }
    for hint in error.hints() {
        line(f, depth, "hint", hint)?;
    }
    for error in error.suppressed() {
        nested(f, depth, "while cleaning up", error)?;
    }
    Ok(())
}

/// One fact, indented below the message it belongs to.
fn line(f: &mut fmt::Formatter<'_>, depth: usize, label: &str, value: &str) -> fmt::Result {
    write!(f, "\n{:1$}{label}: ", "", 2 * (depth + 1))?;
    text(f, value, depth + 1)
}

fn nested(f: &mut fmt::Formatter<'_>, depth: usize, label: &str, error: &Error) -> fmt::Result {
    let colon = if label == "-" { "" } else { ":" };
    write!(f, "\n{:1$}{label}{colon} ", "", 2 * (depth + 1))?;
    write(f, error, depth + 1)
}

/// Text whose further lines are indented like its first.
fn text(f: &mut fmt::Formatter<'_>, text: &str, depth: usize) -> fmt::Result {
    for (number, part) in text.lines().enumerate() {
        if number > 0 {
            write!(f, "\n{:1$}", "", 2 * (depth + 1))?;
        }
        f.write_str(part)?;
    }
    Ok(())
}
