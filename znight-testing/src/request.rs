//! A request of a test.

use std::{
    fmt::{self, Display},
    pin::Pin,
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Uri,
    header::{AUTHORIZATION, CONTENT_TYPE, HOST},
};
use serde::Serialize;
use serde_json::Value;
use znight_core::{BoxError, Error, ErrorCode};

use crate::{TestApp, TestResponse};

/// A request that is put together; `.await` sends it.
///
/// What is wrong with a part of it (a header that is none, a value that does not serialize) is
/// the error of the `.await`.
///
/// ```no_run
/// # async fn test(app: znight_testing::TestApp) -> Result<(), znight_core::Error> {
/// # use serde_json::json;
/// let res = app
///     .post("/users")
///     .query("dry_run", true)
///     .bearer("secret")
///     .json(&json!({ "name": "ada" }))
///     .await?;
/// res.assert_status(201);
/// # Ok(())
/// # }
/// ```
#[must_use = "a request is sent by `.await`"]
pub struct TestRequest<'a> {
    app: &'a TestApp,
    method: Method,
    target: String,
    headers: HeaderMap,
    body: Bytes,
    /// The first thing that is wrong with it.
    error: Option<Error>,
}

impl<'a> TestRequest<'a> {
    pub(crate) fn new(app: &'a TestApp, method: Method, target: &str) -> Self {
        Self {
            app,
            method,
            target: target.to_owned(),
            headers: HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost"))]),
            body: Bytes::new(),
            error: None,
        }
    }

    /// Adds a header. Several of one name are all sent, except that the default `host` and
    /// `content-type` are replaced.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<[u8]>) -> Self {
        let (name, value) = (name.as_ref(), value.as_ref());
        match (HeaderName::try_from(name), HeaderValue::from_bytes(value)) {
            (Ok(name), Ok(value)) if name == HOST || name == CONTENT_TYPE => {
                self.headers.insert(name, value);
            }
            (Ok(name), Ok(value)) => {
                self.headers.append(name, value);
            }
            (Err(error), _) => self.fail(format!("{name:?} is no header name"), error),
            (_, Err(error)) => self.fail(format!("the value of the header {name} is none"), error),
        }
        self
    }

    /// Adds a parameter to the query, encoded. Several of one name are all sent.
    pub fn query(mut self, name: &str, value: impl Display) -> Self {
        let mut pair = form_urlencoded::Serializer::new(String::new());
        pair.append_pair(name, &value.to_string());
        self.target
            .push(if self.target.contains('?') { '&' } else { '?' });
        self.target.push_str(&pair.finish());
        self
    }

    /// Adds `authorization: Bearer ..`.
    pub fn bearer(self, token: &str) -> Self {
        self.header(AUTHORIZATION, format!("Bearer {token}"))
    }

    /// Sends a value as JSON.
    pub fn json<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => self.typed("application/json", body),
            Err(error) => self.fail("the value does not serialize as JSON", error),
        }
        self
    }

    /// Sends a value as a form: a struct or a map of scalars, and of lists of scalars, which are
    /// sent as one pair for each item.
    pub fn form<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        match pairs(value) {
            Ok(pairs) => {
                let mut form = form_urlencoded::Serializer::new(String::new());
                form.extend_pairs(pairs);
                self.typed("application/x-www-form-urlencoded", form.finish());
            }
            Err(error) => self.fail("the value does not serialize as a form", error),
        }
        self
    }

    /// Sends bytes as they are. Name their type with [`header`](Self::header).
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    fn typed(&mut self, content_type: &'static str, body: impl Into<Bytes>) {
        self.headers
            .entry(CONTENT_TYPE)
            .or_insert(HeaderValue::from_static(content_type));
        self.body = body.into();
    }

    fn fail(&mut self, what: impl Into<String>, error: impl Into<BoxError>) {
        if self.error.is_none() {
            let error = Error::new(ErrorCode::InvalidAttribute, what).with_source(error);
            self.error = Some(error);
        }
    }

    async fn send(self) -> Result<TestResponse, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let uri = Uri::try_from(&self.target).map_err(|error| {
            Error::new(
                ErrorCode::InvalidAttribute,
                format!("{:?} is no request target", self.target),
            )
            .with_source(error)
        })?;
        let mut request = Request::new(self.body);
        *request.method_mut() = self.method;
        *request.uri_mut() = uri;
        *request.headers_mut() = self.headers;
        let sent = Sent::of(&request);
        let response = self.app.pipeline()?.handle(request).await;
        Ok(TestResponse::new(sent, response))
    }
}

impl<'a> IntoFuture for TestRequest<'a> {
    type Output = Result<TestResponse, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl fmt::Debug for TestRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestRequest")
            .field("method", &self.method)
            .field("target", &self.target)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// A request as messages show it.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Sent {
    fn of(request: &Request<Bytes>) -> Self {
        Self {
            line: format!("{} {}", request.method(), request.uri()),
            headers: request.headers().clone(),
            body: request.body().clone(),
        }
    }
}

/// The pairs of a form.
fn pairs<T: Serialize + ?Sized>(value: &T) -> Result<Vec<(String, String)>, BoxError> {
    let Value::Object(fields) = serde_json::to_value(value)? else {
        return Err("a form is a struct or a map".into());
    };
    let mut pairs = Vec::new();
    for (name, value) in fields {
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        for value in values {
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text,
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                Value::Array(_) | Value::Object(_) => {
                    return Err(format!("`{name}` is nested, which a form cannot be").into());
                }
            };
            pairs.push((name.clone(), text));
        }
    }
    Ok(pairs)
}
