//! Requests and replies as messages show them.

use std::{
    fmt::{self, Display, Write as _},
    panic::resume_unwind,
};

use bytes::Bytes;
use http::{Extensions, HeaderMap, Request, StatusCode, header::CONTENT_TYPE};
use znight_core::{
    BoxError, Error, ErrorCode,
    capability::{BodyError, Panic},
};

/// How much of a body is shown, in bytes.
const SHOWN: usize = 4096;

/// A request as messages show it.
#[derive(Debug)]
pub(crate) struct Sent {
    line: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Sent {
    pub(crate) fn of(request: &Request<Bytes>) -> Self {
        Self {
            line: format!("{} {}", request.method(), request.uri()),
            headers: request.headers().clone(),
            body: request.body().clone(),
        }
    }
}

/// The head of a reply, and the request it answers.
#[derive(Debug)]
pub(crate) struct Head {
    sent: Sent,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

impl Head {
    pub(crate) fn new(sent: Sent, status: StatusCode, headers: HeaderMap) -> Self {
        Self {
            sent,
            status,
            headers,
        }
    }

    /// The first header of a name, when it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Asserts the status.
    #[track_caller]
    pub(crate) fn assert_status(&self, expected: u16, exchange: &dyn Display) {
        assert!(
            self.status == expected,
            "expected status {expected}, got {}\n{exchange}",
            self.status.as_u16()
        );
    }

    /// Writes the request and what came back, as far as it is known.
    pub(crate) fn exchange(&self, f: &mut fmt::Formatter<'_>, body: &[u8]) -> fmt::Result {
        writeln!(f, "\n> {}", self.sent.line)?;
        part(f, '>', &self.sent.headers, &self.sent.body)?;
        let reason = self.status.canonical_reason().unwrap_or_default();
        writeln!(f, "\n< {} {reason}", self.status.as_u16())?;
        part(f, '<', &self.headers, body)
    }
}

fn part(f: &mut fmt::Formatter<'_>, mark: char, headers: &HeaderMap, body: &[u8]) -> fmt::Result {
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        writeln!(f, "{mark} {name}: {value}")?;
    }
    if body.is_empty() {
        return Ok(());
    }
    writeln!(f, "{mark}")?;
    for line in shown(headers, body).lines() {
        writeln!(f, "{mark} {line}")?;
    }
    Ok(())
}

/// A body: text up to a length, anything else in words.
fn shown(headers: &HeaderMap, body: &[u8]) -> String {
    let Some(text) = text(body) else {
        let content_type = headers.get(CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        return match content_type {
            Some(content_type) => {
                format!("({} bytes of {content_type}, no text)", body.len())
            }
            None => format!("({} bytes, no text)", body.len()),
        };
    };
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let cut = (0..=SHOWN).rev().find(|at| text.is_char_boundary(*at));
    let cut = cut.unwrap_or_default();
    let mut shown = text[..cut].to_owned();
    let _ = write!(shown, "\n(.. and {} bytes more)", text.len() - cut);
    shown
}

/// A body that can be shown as it is.
fn text(body: &[u8]) -> Option<&str> {
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    str::from_utf8(body)
        .ok()
        .filter(|text| !text.contains(control))
}

/// What becomes of panics of the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Panics {
    /// They go on in the test.
    GoOn,
    /// They are answered, as in production.
    Answered,
}

impl Panics {
    /// Looks at what is told with a reply: a panic goes on, and a body that was cut short is an error.
    pub(crate) fn check(self, told: &Extensions, exchange: &dyn Display) -> Result<(), Error> {
        if let Some(panic) = told.get::<Panic>() {
            self.meet(panic);
        }
        match told.get::<BodyError>() {
            Some(error) => Err(cut_short(error.clone(), exchange)),
            None => Ok(()),
        }
    }

    /// The error of a body that is read piece by piece, unless it is a panic that goes on.
    pub(crate) fn error(self, error: BoxError, exchange: &dyn Display) -> Error {
        if let Some(panic) = error.downcast_ref::<Panic>() {
            self.meet(panic);
        }
        cut_short(error, exchange)
    }

    fn meet(self, panic: &Panic) {
        if self == Self::GoOn
            && let Some(payload) = panic.take()
        {
            resume_unwind(payload);
        }
    }
}

fn cut_short(error: impl Into<BoxError>, exchange: &dyn Display) -> Error {
    Error::new(
        ErrorCode::LifecycleFailed,
        format!("the reply was cut short\n{exchange}"),
    )
    .with_source(error)
}
