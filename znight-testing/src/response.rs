//! The response to a request of a test.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use znight_core::{Error, ErrorCode};

use crate::request::Sent;

/// A response, its body read to the end.
///
/// The assertions panic with the whole exchange, request and response, which `Display` shows too.
#[derive(Debug)]
pub struct TestResponse {
    sent: Sent,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl TestResponse {
    pub(crate) fn new(sent: Sent, response: Response<Bytes>) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            sent,
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    /// The status, comparable with a number: `assert_eq!(res.status(), 404)`.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The first header of a name, when it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// The body as text; what is no UTF-8 in it is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// The body read as JSON.
    ///
    /// # Errors
    /// When it is no JSON, or no `T`. The message shows the exchange.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| {
            Error::new(
                ErrorCode::InvalidAttribute,
                format!("the body is no {}\n{self}", std::any::type_name::<T>()),
            )
            .with_source(error)
        })
    }

    /// Asserts the status.
    ///
    /// # Panics
    /// When it is another one.
    #[track_caller]
    pub fn assert_status(&self, expected: u16) -> &Self {
        assert!(
            self.status == expected,
            "expected status {expected}, got {}\n{self}",
            self.status.as_u16()
        );
        self
    }

    /// Asserts a header, compared with the first of its name.
    ///
    /// # Panics
    /// When it is absent or another one.
    #[track_caller]
    pub fn assert_header(&self, name: &str, expected: &str) -> &Self {
        let actual = self.header(name);
        assert!(
            actual == Some(expected),
            "expected {name}: {expected}, got {actual:?}\n{self}"
        );
        self
    }

    /// Asserts the text of the body.
    ///
    /// # Panics
    /// When it is another one.
    #[track_caller]
    pub fn assert_text(&self, expected: &str) -> &Self {
        assert!(
            self.text() == expected,
            "expected the body {expected:?}\n{self}"
        );
        self
    }

    /// Asserts the body, compared as JSON: `res.assert_json(&json!({ "id": 7 }))`.
    ///
    /// # Panics
    /// When it is another one, or no JSON.
    #[track_caller]
    pub fn assert_json(&self, expected: &Value) -> &Self {
        let actual: Option<Value> = serde_json::from_slice(&self.body).ok();
        assert!(
            actual.as_ref() == Some(expected),
            "expected the body {expected:#}\n{self}"
        );
        self
    }
}

impl fmt::Display for TestResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n> {}", self.sent.line)?;
        part(f, '>', &self.sent.headers, &self.sent.body)?;
        let reason = self.status.canonical_reason().unwrap_or_default();
        writeln!(f, "\n< {} {reason}", self.status.as_u16())?;
        part(f, '<', &self.headers, &self.body)
    }
}

fn part(f: &mut fmt::Formatter<'_>, mark: char, headers: &HeaderMap, body: &Bytes) -> fmt::Result {
    for (name, value) in headers {
        writeln!(
            f,
            "{mark} {name}: {}",
            String::from_utf8_lossy(value.as_bytes())
        )?;
    }
    if !body.is_empty() {
        writeln!(f, "{mark}")?;
    }
    for line in String::from_utf8_lossy(body).lines() {
        writeln!(f, "{mark} {line}")?;
    }
    Ok(())
}
