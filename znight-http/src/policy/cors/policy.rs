//! What is decided about a request, and what its reply says.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use futures_util::FutureExt as _;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS,
        ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS,
        ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
        ALLOW, AUTHORIZATION, Entry, ORIGIN, VARY,
    },
    request::Parts,
};

use super::{AsyncPredicate, Predicate};
use crate::{
    HttpContext, HttpError,
    reply::{Outcome, Reply},
};

/// [`Cors`](super::Cors), read.
pub(crate) struct CorsPolicy {
    /// `*` is among the origins.
    pub(super) any: bool,
    pub(super) exact: Vec<Box<str>>,
    #[cfg(feature = "regex")]
    pub(super) patterns: Vec<regex::Regex>,
    pub(super) predicates: Vec<Arc<Predicate>>,
    pub(super) async_predicates: Vec<Arc<AsyncPredicate>>,
    pub(super) credentials: bool,
    pub(super) methods: Option<HeaderValue>,
    pub(super) allow_headers: Option<AllowHeaders>,
    pub(super) expose: Option<HeaderValue>,
    pub(super) max_age: HeaderValue,
}

/// The headers pages may send.
pub(super) struct AllowHeaders {
    /// `*` is among them.
    pub(super) any: bool,
    pub(super) names: HeaderValue,
}

/// What was decided about the origin of a request, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Origin {
    /// None was sent, or CORS is off.
    #[default]
    None,
    Allowed,
    Denied,
}

impl CorsPolicy {
    pub(super) fn new(max_age: HeaderValue) -> Self {
        Self {
            any: false,
            exact: Vec::new(),
            #[cfg(feature = "regex")]
            patterns: Vec::new(),
            predicates: Vec::new(),
            async_predicates: Vec::new(),
            credentials: false,
            methods: None,
            allow_headers: None,
            expose: None,
            max_age,
        }
    }

    /// Whether a request asks what a page may do, rather than doing it.
    pub(crate) fn is_preflight(parts: &Parts) -> bool {
        parts.method == Method::OPTIONS
            && parts.headers.contains_key(ORIGIN)
            && parts.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    }

    /// Decides about the origin of a request; `None` where a function is to be waited for.
    pub(crate) fn decide(&self, headers: &HeaderMap) -> Option<Origin> {
        let mut sent = headers.get_all(ORIGIN).iter();
        let Some(origin) = sent.next() else {
            return Some(Origin::None);
        };
        // A browser sends one, of visible ASCII.
        let (Ok(origin), None) = (origin.to_str(), sent.next()) else {
            return Some(Origin::Denied);
        };
        if self.any || self.allows(origin) {
            return Some(Origin::Allowed);
        }
        self.async_predicates.is_empty().then_some(Origin::Denied)
    }

    /// Asks the functions that have to be waited for.
    pub(crate) async fn decide_later(&self, headers: &HeaderMap) -> Origin {
        let sent = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
        let Some(origin) = sent else {
            return Origin::None;
        };
        for allows in &self.async_predicates {
            let answer = AssertUnwindSafe(async { allows(origin.to_owned()).await });
            match answer.catch_unwind().await {
                Ok(Ok(true)) => return Origin::Allowed,
                Ok(Ok(false)) => {}
                Ok(Err(error)) => failed(&crate::error::chain(error.to_string(), error.source())),
                Err(_) => failed("it panicked"),
            }
        }
        Origin::Denied
    }

    fn allows(&self, origin: &str) -> bool {
        if self.exact.iter().any(|exact| **exact == *origin) {
            return true;
        }
        #[cfg(feature = "regex")]
        if self.patterns.iter().any(|pattern| pattern.is_match(origin)) {
            return true;
        }
        self.predicates.iter().any(|allows| {
            let answer = catch_unwind(AssertUnwindSafe(|| allows(origin)));
            answer.unwrap_or_else(|_| {
                failed("it panicked");
                false
            })
        })
    }

    /// The answer to a preflight of a path that allows these methods.
    pub(crate) fn preflight(&self, context: &HttpContext, allow: &HeaderValue) -> Outcome {
        if context.origin() != Origin::Allowed {
            return Err(HttpError::forbidden("CORS origin not allowed"));
        }
        let mut reply = Reply::empty().with_status(StatusCode::NO_CONTENT);
        let mut set = |name: HeaderName, value: HeaderValue| reply.set_header(name, value);
        if let Some(origin) = self.allowed_origin(context) {
            set(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        }
        if self.credentials {
            set(
                ACCESS_CONTROL_ALLOW_CREDENTIALS,
                HeaderValue::from_static("true"),
            );
        }
        let methods = self.methods.as_ref().unwrap_or(allow);
        set(ACCESS_CONTROL_ALLOW_METHODS, methods.clone());
        if let Some(names) = self.allowed_headers(context.headers()) {
            set(ACCESS_CONTROL_ALLOW_HEADERS, names);
        }
        set(ACCESS_CONTROL_MAX_AGE, self.max_age.clone());
        set(ALLOW, allow.clone());
        set(
            VARY,
            HeaderValue::from_static(
                "origin, access-control-request-method, access-control-request-headers",
            ),
        );
        Ok(reply)
    }

    fn allowed_origin(&self, context: &HttpContext) -> Option<HeaderValue> {
        if self.any {
            return Some(HeaderValue::from_static("*"));
        }
        context.headers().get(ORIGIN).cloned()
    }

    /// The headers a page may send that asks for some.
    fn allowed_headers(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let asked = headers.get(ACCESS_CONTROL_REQUEST_HEADERS);
        let tokens = || {
            let text = asked.and_then(|asked| asked.to_str().ok()).unwrap_or("");
            text.split(',').map(str::trim)
        };
        match &self.allow_headers {
            None => asked
                .filter(|_| tokens().all(|token| HeaderName::try_from(token).is_ok()))
                .cloned(),
            Some(AllowHeaders { any: true, names })
                if tokens().any(is_authorization)
                    && !names
                        .to_str()
                        .unwrap_or("")
                        .split(", ")
                        .any(is_authorization) =>
            {
                let mut names = names.as_bytes().to_vec();
                names.extend_from_slice(b", authorization");
                HeaderValue::from_bytes(&names).ok()
            }
            Some(AllowHeaders { names, .. }) => Some(names.clone()),
        }
    }

    /// Adds to the headers of a reply that answers no preflight.
    pub(crate) fn apply(&self, context: &HttpContext, headers: &mut HeaderMap) {
        if context.is_preflight() {
            return;
        }
        let mut add = |name: HeaderName, value: Option<HeaderValue>| {
            if let (Some(value), Entry::Vacant(vacant)) = (value, headers.entry(name)) {
                vacant.insert(value);
            }
        };
        if self.any || context.origin() == Origin::Allowed {
            add(ACCESS_CONTROL_ALLOW_ORIGIN, self.allowed_origin(context));
            let credentials = self.credentials.then(|| HeaderValue::from_static("true"));
            add(ACCESS_CONTROL_ALLOW_CREDENTIALS, credentials);
            add(ACCESS_CONTROL_EXPOSE_HEADERS, self.expose.clone());
        }
        if !self.any {
            vary_by_origin(headers);
        }
    }
}

fn is_authorization(name: &str) -> bool {
    name.eq_ignore_ascii_case(AUTHORIZATION.as_str())
}

/// Merges `origin` into `vary`: what was answered depends on it.
fn vary_by_origin(headers: &mut HeaderMap) {
    let known = headers.get_all(VARY).iter().any(|value| {
        value.as_bytes().split(|byte| *byte == b',').any(|token| {
            let token = token.trim_ascii();
            token == b"*" || token.eq_ignore_ascii_case(b"origin")
        })
    });
    if known {
        return;
    }
    let merged = match headers.get(VARY) {
        Some(value) if !value.is_empty() => {
            let mut merged = value.as_bytes().to_vec();
            merged.extend_from_slice(b", origin");
            HeaderValue::from_bytes(&merged).ok()
        }
        _ => Some(HeaderValue::from_static("origin")),
    };
    let (Some(merged), entry) = (merged, headers.entry(VARY)) else {
        return;
    };
    match entry {
        Entry::Vacant(vacant) => {
            vacant.insert(merged);
        }
        // The first of several lines; the others stay.
        Entry::Occupied(mut occupied) => *occupied.get_mut() = merged,
    }
}

fn failed(error: &str) {
    tracing::error!(
        target: "znight::http",
        error,
        "the function that decides about origins failed: the origin is denied"
    );
}

impl std::fmt::Debug for CorsPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CorsPolicy")
            .field("any", &self.any)
            .field("exact", &self.exact)
            .finish_non_exhaustive()
    }
}
