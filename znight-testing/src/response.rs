//! The response to a request of a test.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use znight_core::{Error, ErrorCode};

use crate::{
    TestCookie, cookie,
    exchange::{Head, Panics, Sent},
};

/// A response, its body read to the end.
///
/// The assertions panic with the whole exchange, request and response, which `Display` shows too. Of
/// long texts the first 4 KiB are shown.
#[derive(Debug)]
pub struct TestResponse {
    head: Head,
    body: Bytes,
}

impl TestResponse {
    /// The response, unless it was cut short.
    pub(crate) fn new(
        sent: Sent,
        response: Response<Bytes>,
        panics: Panics,
    ) -> Result<Self, Error> {
        let (parts, body) = response.into_parts();
        let response = Self {
            head: Head::new(sent, parts.status, parts.headers),
            body,
        };
        panics.check(&parts.extensions, &response)?;
        Ok(response)
    }

    /// The status, comparable with a number: `assert_eq!(res.status(), 404)`.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The first header of a name, when it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    /// The cookies it sets, in the order of their headers.
    pub fn cookies(&self) -> Vec<TestCookie> {
        cookie::cookies(&self.head.headers)
    }

    /// The cookie of a name it sets: the last one when there are several, which is the one a browser
    /// keeps.
    pub fn cookie(&self, name: &str) -> Option<TestCookie> {
        let mut cookies = self.cookies();
        cookies.retain(|cookie| cookie.name() == name);
        cookies.pop()
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
        self.head.assert_status(expected, self);
        self
    }

    /// Asserts that the request succeeded: a status from 200 to 299.
    ///
    /// # Panics
    /// When it is another one.
    #[track_caller]
    pub fn assert_ok(&self) -> &Self {
        self.assert_class(self.head.status.is_success(), "2xx")
    }

    /// Asserts a redirection: a status from 300 to 399.
    ///
    /// # Panics
    /// When it is another one.
    #[track_caller]
    pub fn assert_redirect(&self) -> &Self {
        self.assert_class(self.head.status.is_redirection(), "3xx")
    }

    /// Asserts that the client is told a mistake of its own: a status from 400 to 499.
    ///
    /// # Panics
    /// When it is another one.
    #[track_caller]
    pub fn assert_client_error(&self) -> &Self {
        self.assert_class(self.head.status.is_client_error(), "4xx")
    }

    /// Asserts that the server failed: a status from 500 to 599.
    ///
    /// # Panics
    /// When it is another one.
    #[track_caller]
    pub fn assert_server_error(&self) -> &Self {
        self.assert_class(self.head.status.is_server_error(), "5xx")
    }

    #[track_caller]
    fn assert_class(&self, holds: bool, class: &str) -> &Self {
        let status = self.head.status.as_u16();
        assert!(holds, "expected a status of {class}, got {status}\n{self}");
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

    /// Asserts that a header is absent.
    ///
    /// # Panics
    /// When it is there.
    #[track_caller]
    pub fn assert_no_header(&self, name: &str) -> &Self {
        let actual = self.head.headers.get(name);
        assert!(
            actual.is_none(),
            "expected no {name}, got {actual:?}\n{self}"
        );
        self
    }

    /// Asserts the value of a cookie the response sets.
    ///
    /// # Panics
    /// When it is absent or another one.
    #[track_caller]
    pub fn assert_cookie(&self, name: &str, expected: &str) -> &Self {
        let cookie = self.cookie(name);
        let actual = cookie.as_ref().map(TestCookie::value);
        assert!(
            actual == Some(expected),
            "expected the cookie {name}={expected}, got {actual:?}\n{self}"
        );
        self
    }

    /// Asserts that the response sets no cookie of a name.
    ///
    /// # Panics
    /// When it sets one, to whatever value.
    #[track_caller]
    pub fn assert_no_cookie(&self, name: &str) -> &Self {
        let cookie = self.cookie(name);
        assert!(
            cookie.is_none(),
            "expected no cookie {name}, got {cookie:?}\n{self}"
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

    /// Asserts that the text of the body has this in it.
    ///
    /// # Panics
    /// When it has not.
    #[track_caller]
    pub fn assert_text_contains(&self, part: &str) -> &Self {
        assert!(
            self.text().contains(part),
            "expected {part:?} in the body\n{self}"
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

    /// Asserts a part of the body, named by a JSON pointer (RFC 6901):
    /// `res.assert_json_at("/users/0/name", "ada")`. The empty pointer is the whole.
    ///
    /// # Panics
    /// When it is another one or absent, or the body is no JSON.
    #[track_caller]
    pub fn assert_json_at(&self, pointer: &str, expected: impl Into<Value>) -> &Self {
        let expected = expected.into();
        let Ok(body) = serde_json::from_slice::<Value>(&self.body) else {
            panic!("expected {expected} at {pointer:?}, and the body is no JSON\n{self}");
        };
        match body.pointer(pointer) {
            Some(actual) if *actual == expected => self,
            Some(actual) => panic!("expected {expected} at {pointer:?}, got {actual}\n{self}"),
            None => panic!("expected {expected} at {pointer:?}, where nothing is\n{self}"),
        }
    }
}

impl fmt::Display for TestResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head.exchange(f, &self.body)
    }
}
