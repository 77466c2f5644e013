//! Which route answers a request.
//!
//! One [`Tree`] for each method, over the raw path.

use std::sync::Arc;

use http::{HeaderValue, Method, Uri};

use crate::{definition::Verb, options::TrailingSlash};

mod build;
mod params;
mod route;
mod tree;

pub(crate) use build::build;
pub(crate) use params::Params;
pub(crate) use route::{ControllerSource, Placed, Route};
pub use route::{RouteInfo, RouteSummary};
use tree::Tree;

/// The routes of an application.
#[derive(Debug)]
pub(crate) struct Router {
    trees: [Tree<Arc<Route>>; Verb::SERVED.len()],
    routes: Vec<Arc<Route>>,
    trailing_slash: TrailingSlash,
    prefix: String,
}

/// What is to be done about a request.
#[derive(Debug)]
pub(crate) enum Matched {
    /// A route answers it.
    Route(Arc<Route>),
    /// A browser asks what a page may do with a path; these methods are allowed on it, if it has a
    /// route.
    Preflight(Option<HeaderValue>),
    /// `OPTIONS` of a path that has routes: these methods are allowed.
    Options(HeaderValue),
    /// The path has routes for these methods only.
    MethodNotAllowed(HeaderValue),
    /// The path without its trailing slash has a route.
    Redirect(HeaderValue),
    /// No route has this path.
    NotFound,
    /// The path is not well percent-encoded.
    Malformed,
    /// The request does not say which host it is for.
    BadHost,
    /// What is asked for is no path: a host and a port, or `*` where it means nothing.
    BadTarget,
    /// The request has more headers than it may have.
    TooManyHeaders,
}

impl Router {
    /// Every route, in the order of declaration.
    pub(crate) fn routes(&self) -> &[Arc<Route>] {
        &self.routes
    }

    /// What every path starts with.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Finds what answers a request.
    #[inline]
    pub(crate) fn find(&self, method: &Method, uri: &Uri) -> (Matched, Params) {
        let path = uri.path();
        if let Some(verb) = Verb::of(method)
            && let Some((route, params)) = self.trees[verb.index()].at(path)
        {
            let route = Matched::Route(Arc::clone(route));
            if params.is_empty() {
                return (route, Params::none());
            }
            return match Params::of(path, &params) {
                Some(params) => (route, params),
                None => (Matched::Malformed, Params::none()),
            };
        }
        self.miss(method, uri)
    }

    /// A request no route of its method answers.
    #[cold]
    fn miss(&self, method: &Method, uri: &Uri) -> (Matched, Params) {
        let path = uri.path();
        if !path.starts_with('/') {
            let matched = if path == "*" && *method == Method::OPTIONS {
                Matched::Options(allow(|verb| self.serves(verb)))
            } else {
                Matched::BadTarget
            };
            return (matched, Params::none());
        }
        if !path.is_ascii() {
            return (Matched::Malformed, Params::none());
        }
        let (shown, served) = self.served(path);
        let verb = Verb::of(method).filter(|verb| served[verb.index()]);
        if let Some(verb) = verb
            && let Some((route, params)) = self.trees[verb.index()].at(shown)
        {
            if self.trailing_slash == TrailingSlash::Redirect {
                return (redirect(shown, uri.query()), Params::none());
            }
            return match Params::of(path, &params) {
                Some(params) => (Matched::Route(Arc::clone(route)), params),
                None => (Matched::Malformed, Params::none()),
            };
        }
        let matched = if !served.contains(&true) {
            Matched::NotFound
        } else if *method == Method::OPTIONS {
            Matched::Options(allow(|verb| served[verb.index()]))
        } else {
            Matched::MethodNotAllowed(allow(|verb| served[verb.index()]))
        };
        (matched, Params::none())
    }

    /// The methods a path has routes for; `None` for a path without.
    #[cold]
    pub(crate) fn allowed(&self, path: &str) -> Option<HeaderValue> {
        let (_, served) = self.served(path);
        served
            .contains(&true)
            .then(|| allow(|verb| served[verb.index()]))
    }

    /// Which methods have a route for a path, or for what the trailing-slash policy makes of it.
    fn served<'p>(&self, path: &'p str) -> (&'p str, [bool; Verb::SERVED.len()]) {
        let of = |path: &str| self.trees.each_ref().map(|tree| tree.at(path).is_some());
        let served = of(path);
        if served.contains(&true) || self.trailing_slash == TrailingSlash::Strict {
            return (path, served);
        }
        match path.strip_suffix('/').filter(|path| !path.is_empty()) {
            Some(shorter) => (shorter, of(shorter)),
            None => (path, served),
        }
    }

    fn serves(&self, verb: Verb) -> bool {
        self.routes.iter().any(|route| match route.info().method {
            Verb::All => true,
            Verb::Get => matches!(verb, Verb::Get | Verb::Head),
            method => method == verb,
        })
    }
}

/// The value of `allow`: the methods served, and `OPTIONS`, which always is.
fn allow(known: impl Fn(Verb) -> bool) -> HeaderValue {
    let methods: Vec<&str> = Verb::SERVED
        .into_iter()
        .filter(|verb| *verb == Verb::Options || known(*verb))
        .map(Verb::as_str)
        .collect();
    HeaderValue::try_from(methods.join(", ")).expect("invariant: the names of methods are tokens")
}

/// A redirect to a path of the same origin: `//host` and `/\host` would leave it.
fn redirect(path: &str, query: Option<&str>) -> Matched {
    let mut location = String::with_capacity(path.len() + 1);
    location.push('/');
    for c in path.trim_start_matches('/').chars() {
        if c == '\\' || c == ' ' || c.is_control() || !c.is_ascii() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                location.push_str(percent_encoding::percent_encode_byte(byte));
            }
        } else {
            location.push(c);
        }
    }
    if let Some(query) = query {
        location.push('?');
        location.push_str(query);
    }
    match HeaderValue::try_from(location) {
        Ok(location) => Matched::Redirect(location),
        Err(_) => Matched::NotFound,
    }
}

impl Verb {
    /// Its tree. `All` has none of its own.
    fn index(self) -> usize {
        match self {
            Self::Get | Self::All => 0,
            Self::Head => 1,
            Self::Post => 2,
            Self::Put => 3,
            Self::Patch => 4,
            Self::Delete => 5,
            Self::Options => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Matched, redirect};

    #[test]
    fn a_redirect_stays_on_its_origin() {
        for (path, expected) in [
            ("/a", "/a"),
            ("//evil.com", "/evil.com"),
            ("/\\evil.com", "/%5Cevil.com"),
        ] {
            match redirect(path, None) {
                Matched::Redirect(location) => assert_eq!(location, expected),
                other => panic!("{other:?}"),
            }
        }
    }
}
