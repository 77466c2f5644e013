//! A request of a test.

use std::{
    fmt::{self, Display},
    net::SocketAddr,
    pin::Pin,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Uri,
    header::{ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, COOKIE, HOST},
};
use serde::Serialize;
use serde_json::Value;
use znight_core::{BoxError, Error, ErrorCode, capability::PeerAddress};

use crate::{Form, TestApp, TestEvents, TestResponse, TestStream, cookie, exchange::Sent};

/// A request that is put together; `.await` sends it and reads the reply to its end, [`stream`](Self::stream)
/// and [`events`](Self::events) give the reply while it comes.
///
/// A panic of the handler, and of a body that is a stream, goes on in the test, unless the application
/// was built to [answer panics](crate::TestAppBuilder::answer_panics).
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
    cookies: Vec<String>,
    body: Bytes,
    peer: Option<PeerAddress>,
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
            cookies: Vec::new(),
            body: Bytes::new(),
            peer: None,
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

    /// Adds `authorization: Basic ..`. A user's name with a colon cannot be sent that way.
    pub fn basic_auth(mut self, user: &str, password: &str) -> Self {
        if user.contains(':') {
            self.refuse(format!(
                "the user {user:?} has a colon, which ends the name"
            ));
            return self;
        }
        let credentials = BASE64_STANDARD.encode(format!("{user}:{password}"));
        self.header(AUTHORIZATION, format!("Basic {credentials}"))
    }

    /// Adds a cookie. All of them are sent in one header, after those of
    /// [`header`](Self::header). A value is sent as it is: encode what a cookie cannot have.
    pub fn cookie(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let value = value.as_ref();
        match cookie::problem(name, value) {
            None => self.cookies.push(format!("{name}={value}")),
            Some(problem) => self.refuse(format!("the cookie {name:?} cannot be sent: {problem}")),
        }
        self
    }

    /// Says which event was the last one received, as a browser does that has lost its connection to
    /// an event stream.
    pub fn last_event_id(self, id: &str) -> Self {
        self.header("last-event-id", id)
    }

    /// Sends a value as JSON.
    pub fn json<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => self.typed(HeaderValue::from_static("application/json"), body),
            Err(error) => self.fail("the value does not serialize as JSON", error),
        }
        self
    }

    /// Sends a value as a form: a struct or a map of scalars, and of lists of scalars, which are
    /// sent as one pair for each item; or a list of pairs, in its order: `&[("tag", "a"), ("tag", "b")]`.
    pub fn form<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        match pairs(value) {
            Ok(pairs) => {
                let mut form = form_urlencoded::Serializer::new(String::new());
                form.extend_pairs(pairs);
                let content_type = HeaderValue::from_static("application/x-www-form-urlencoded");
                self.typed(content_type, form.finish());
            }
            Err(error) => self.fail("the value does not serialize as a form", error),
        }
        self
    }

    /// Sends a form with files.
    pub fn multipart(mut self, form: &Form) -> Self {
        let (content_type, body) = form.encode();
        match HeaderValue::try_from(content_type) {
            Ok(content_type) => self.typed(content_type, body),
            Err(error) => self.fail("the form has no valid boundary", error),
        }
        self
    }

    /// Sends text, as `text/plain; charset=utf-8`.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        let content_type = HeaderValue::from_static("text/plain; charset=utf-8");
        self.typed(content_type, text.into());
        self
    }

    /// Sends bytes, as `application/octet-stream`.
    pub fn bytes(mut self, bytes: impl Into<Bytes>) -> Self {
        let content_type = HeaderValue::from_static("application/octet-stream");
        self.typed(content_type, bytes);
        self
    }

    /// Sends bytes without saying what they are; name their type with [`header`](Self::header).
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the body, and its type unless the test has named one.
    fn typed(&mut self, content_type: HeaderValue, body: impl Into<Bytes>) {
        self.headers.entry(CONTENT_TYPE).or_insert(content_type);
        self.body = body.into();
    }

    fn fail(&mut self, what: impl Into<String>, error: impl Into<BoxError>) {
        if self.error.is_none() {
            let error = Error::new(ErrorCode::InvalidAttribute, what).with_source(error);
            self.error = Some(error);
        }
    }

    fn refuse(&mut self, what: impl Into<String>) {
        if self.error.is_none() {
            self.error = Some(Error::new(ErrorCode::InvalidAttribute, what));
        }
    }

    /// The request, and how messages show it.
    fn finish(mut self) -> Result<(&'a TestApp, Request<Bytes>, Sent), Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if !self.cookies.is_empty() {
            let sent = self.headers.get_all(COOKIE).into_iter();
            let sent: Vec<&[u8]> = sent
                .map(HeaderValue::as_bytes)
                .chain(self.cookies.iter().map(String::as_bytes))
                .collect();
            let all = HeaderValue::from_bytes(&sent.join(&b"; "[..]))
                .expect("invariant: every cookie was checked");
            self.headers.insert(COOKIE, all);
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
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        let sent = Sent::of(&request);
        Ok((self.app, request, sent))
    }

    async fn send(self) -> Result<TestResponse, Error> {
        let (app, request, sent) = self.finish()?;
        let response = app.pipeline()?.handle(request).await;
        TestResponse::new(sent, response, app.panics)
    }

    /// Sends the request from this address, for what depends on it: an access list, trusted proxies. Without
    /// it the address is unknown; where proxies are trusted, it is that of this machine.
    pub fn from_address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.peer = Some(PeerAddress(address.into()));
        self
    }

    /// Sends the request and gives the reply as soon as its head is there, its body to be read piece
    /// by piece.
    ///
    /// ```no_run
    /// # async fn test(app: znight_testing::TestApp) -> Result<(), znight_core::Error> {
    /// let mut export = app.get("/users.csv").stream().await?;
    /// assert_eq!(export.status(), 200);
    /// assert_eq!(export.next_text().await.transpose()?.as_deref(), Some("id,name\n"));
    /// drop(export); // the client has gone
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What is wrong with the request; ZNIGHT001 when no plugin answers requests.
    pub async fn stream(self) -> Result<TestStream, Error> {
        let (app, request, sent) = self.finish()?;
        let response = app.pipeline()?.stream(request).await;
        Ok(TestStream::new(sent, response, app.panics))
    }

    /// Sends the request as a browser opens an event stream, and gives the events as they come.
    ///
    /// ```no_run
    /// # async fn test(app: znight_testing::TestApp) -> Result<(), znight_core::Error> {
    /// let mut prices = app.get("/prices").last_event_id("41").events().await?;
    /// let event = prices.next().await.expect("an event")?;
    /// assert_eq!((event.id(), event.name(), event.data()), ("42", "price", "1.5"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`stream`](Self::stream); ZNIGHT005, showing the exchange, when the reply is no event stream:
    /// its status is not 200 or its type not `text/event-stream`.
    pub async fn events(mut self) -> Result<TestEvents, Error> {
        let defaults = [(ACCEPT, "text/event-stream"), (CACHE_CONTROL, "no-store")];
        for (name, value) in defaults {
            let value = HeaderValue::from_static(value);
            self.headers.entry(name).or_insert(value);
        }
        TestEvents::open(self.stream().await?)
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

const NO_FORM: &str = "a form is a struct, a map or a list of pairs";

/// `("name", value)`, as `serde_json` has it.
fn pair(value: Value) -> Result<(String, Value), BoxError> {
    let Value::Array(parts) = value else {
        return Err(NO_FORM.into());
    };
    match <[Value; 2]>::try_from(parts) {
        Ok([Value::String(name), value]) => Ok((name, value)),
        _ => Err(NO_FORM.into()),
    }
}

/// The pairs of a form.
fn pairs<T: Serialize + ?Sized>(value: &T) -> Result<Vec<(String, String)>, BoxError> {
    let fields: Vec<(String, Value)> = match serde_json::to_value(value)? {
        Value::Object(fields) => fields.into_iter().collect(),
        Value::Array(list) => list.into_iter().map(pair).collect::<Result<_, _>>()?,
        _ => return Err(NO_FORM.into()),
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
