//! CORS: which pages of other origins may read what the service answers.

use std::{fmt, sync::Arc, time::Duration};

use znight_core::__private::BoxFuture;

use crate::BoxError;

mod check;
mod policy;

pub(crate) use policy::{CorsPolicy, Origin};

/// Which pages of other origins may use the service from a browser, for
/// [`HttpOptions::cors`](crate::HttpOptions::cors).
///
/// ```
/// use std::time::Duration;
/// use znight_http::{Cors, HttpOptions};
///
/// HttpOptions::new().cors(
///     Cors::new()
///         .origin("https://app.example.com")
///         .origin_if(|origin| origin.ends_with(".preview.example.com"))
///         .credentials(true)
///         .max_age(Duration::from_secs(3600)),
/// );
/// ```
///
/// Preflights are answered before routing and guards, so that none meets a 401. Every other reply to an
/// origin that is allowed, errors included, gets `access-control-allow-origin`. A request of another
/// origin is served like any: CORS decides what a page may read, it is no access control.
///
/// What is wrong with it is ZNIGHT005 when the application boots: an origin with a path, a wildcard with
/// credentials, and the like.
#[derive(Debug, Clone)]
#[must_use]
pub struct Cors {
    origins: Vec<Allowed>,
    credentials: bool,
    methods: Option<Vec<String>>,
    allow_headers: Option<Vec<String>>,
    expose_headers: Option<Vec<String>>,
    max_age: Duration,
}

type Predicate = dyn Fn(&str) -> bool + Send + Sync;
type AsyncPredicate = dyn Fn(String) -> BoxFuture<'static, Result<bool, BoxError>> + Send + Sync;

/// One way for an origin to be allowed.
#[derive(Clone)]
enum Allowed {
    Text(String),
    #[cfg(feature = "regex")]
    Pattern(String),
    If(Arc<Predicate>),
    IfAsync(Arc<AsyncPredicate>),
}

impl fmt::Debug for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => fmt::Debug::fmt(text, f),
            #[cfg(feature = "regex")]
            Self::Pattern(pattern) => write!(f, "/{pattern}/"),
            Self::If(_) | Self::IfAsync(_) => f.write_str("(a function)"),
        }
    }
}

impl Cors {
    /// No origin yet: at least one is to be added.
    pub fn new() -> Self {
        Self {
            origins: Vec::new(),
            credentials: false,
            methods: None,
            allow_headers: None,
            expose_headers: None,
            max_age: Duration::from_secs(600),
        }
    }

    /// Every origin: `access-control-allow-origin: *`, whoever asks.
    pub fn any() -> Self {
        Self::new().origin("*")
    }

    /// Allows one origin, written as browsers send it (`https://app.example.com`, without a path), or
    /// `*` for all.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(Allowed::Text(origin.into()));
        self
    }

    /// Allows several origins: see [`origin`](Self::origin).
    pub fn origins<O: Into<String>>(self, origins: impl IntoIterator<Item = O>) -> Self {
        origins.into_iter().fold(self, Self::origin)
    }

    /// Allows the origins a regular expression matches. It is anchored with `^` and `$` around every
    /// alternative, so that no origin is allowed for a part of its name; that is checked at boot.
    #[cfg(feature = "regex")]
    pub fn origin_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.origins.push(Allowed::Pattern(pattern.into()));
        self
    }

    /// Allows the origins a function says yes to.
    pub fn origin_if(mut self, allows: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.origins.push(Allowed::If(Arc::new(allows)));
        self
    }

    /// Allows the origins an asynchronous function says yes to, after all other ways. An error denies,
    /// and is logged.
    ///
    /// ```
    /// # use znight_http::Cors;
    /// # async fn is_known(_: &str) -> Result<bool, std::io::Error> { Ok(true) }
    /// Cors::new().origin_if_async(|origin| async move { is_known(&origin).await });
    /// ```
    pub fn origin_if_async<F, Fut, E>(mut self, allows: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<bool, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let allows = Arc::new(move |origin: String| {
            let answer = allows(origin);
            let answer = async move { answer.await.map_err(Into::into) };
            Box::pin(answer) as BoxFuture<'static, Result<bool, BoxError>>
        });
        self.origins.push(Allowed::IfAsync(allows));
        self
    }

    /// Whether pages may send cookies and other credentials. Not with `*`. Default: `false`.
    pub fn credentials(mut self, allow: bool) -> Self {
        self.credentials = allow;
        self
    }

    /// The methods pages may use. Default: those the path has routes for.
    pub fn methods<M: Into<String>>(mut self, methods: impl IntoIterator<Item = M>) -> Self {
        self.methods = Some(methods.into_iter().map(Into::into).collect());
        self
    }

    /// The headers pages may send; `*` for any, which never covers `authorization`: browsers are told that
    /// one by name when they ask. Default: those the browser asks for.
    pub fn allow_headers<H: Into<String>>(mut self, names: impl IntoIterator<Item = H>) -> Self {
        self.allow_headers = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The headers of replies pages may read. Default: that of the request id.
    pub fn expose_headers<H: Into<String>>(mut self, names: impl IntoIterator<Item = H>) -> Self {
        self.expose_headers = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// How long browsers keep the answer to a preflight: whole seconds, a day at most. Default: 600 s.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }
}

impl Default for Cors {
    fn default() -> Self {
        Self::new()
    }
}
