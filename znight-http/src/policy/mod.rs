//! What every reply gets and every request is seen through, computed once when the application boots:
//! the request id, CORS, security headers, trusted proxies.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CONTENT_TYPE, Entry},
};

use crate::{
    HttpContext,
    context::Transport,
    options::Settings,
    reply::{Media, USUAL_HEADERS},
};

pub(crate) mod cors;
mod proxies;
mod security;

pub use cors::Cors;
pub(crate) use cors::{CorsPolicy, Origin};
pub(crate) use proxies::{Forwarded, Proxies};
pub use proxies::{Protocol, TrustedProxies};
pub use security::{Hsts, SecurityHeaders};

/// What is wrong with the options, all of it.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<String>);

impl Problems {
    pub(crate) fn add(&mut self, problem: String) {
        self.0.push(problem);
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn texts(&self) -> &[String] {
        &self.0
    }
}

/// The policies of the options, made once.
#[derive(Debug)]
pub(crate) struct Policies {
    /// Where a request id is taken from and echoed.
    pub(crate) request_id: Option<HeaderName>,
    pub(crate) cors: Option<CorsPolicy>,
    proxies: Option<Proxies>,
    /// Added where they are absent.
    fixed: Vec<(HeaderName, HeaderValue)>,
    /// All the headers of a reply that sets none itself, by its type. Copying a map is cheaper than
    /// filling one.
    templates: [HeaderMap; Media::ALL.len()],
}

impl Policies {
    /// The policies, as far as the options are right.
    pub(crate) fn new(settings: &Settings, problems: &mut Problems) -> Self {
        let request_id = settings.request_id_header.as_ref().and_then(|name| {
            let read = HeaderName::try_from(name).ok();
            if read.is_none() {
                problems.add(format!(
                    "the request id header, `{name}`, is not the name of one"
                ));
            }
            read
        });
        let mut policies = Self {
            cors: settings
                .cors
                .as_ref()
                .map(|cors| cors.resolve(request_id.as_ref(), problems)),
            request_id,
            proxies: settings
                .trust_proxy
                .as_ref()
                .map(|trusted| trusted.resolve(problems)),
            fixed: settings.security_headers.resolve(problems),
            templates: Default::default(),
        };
        policies.templates = Media::ALL.map(|media| {
            let mut headers = HeaderMap::with_capacity(USUAL_HEADERS);
            if let Some(value) = media.value() {
                headers.insert(CONTENT_TYPE, value);
            }
            // Replaced in each copy.
            policies.add_id(&mut headers, || HeaderValue::from_static(""));
            policies.add_fixed(&mut headers);
            headers
        });
        policies
    }

    /// The address and the protocol of a client, where proxies may tell. Boxed: few have any.
    #[inline]
    pub(crate) fn forwarded(
        &self,
        transport: &Transport,
        headers: &HeaderMap,
    ) -> Option<Box<Forwarded>> {
        let proxies = self.proxies.as_ref()?;
        Some(Box::new(proxies.forwarded(transport, headers)))
    }

    /// The headers of a reply that sets none itself.
    #[inline]
    pub(crate) fn usual(&self, media: Media, id: impl FnOnce() -> HeaderValue) -> HeaderMap {
        let mut headers = self.templates[media as usize].clone();
        if let Some(name) = &self.request_id
            && let Some(value) = headers.get_mut(name)
        {
            *value = id();
        }
        headers
    }

    /// Adds to the headers of a reply what is absent.
    pub(crate) fn apply(&self, context: &HttpContext, headers: &mut HeaderMap) {
        self.add_id(headers, || context.request_id().to_header());
        if let Some(cors) = &self.cors {
            cors.apply(context, headers);
        }
        self.add_fixed(headers);
    }

    fn add_id(&self, headers: &mut HeaderMap, id: impl FnOnce() -> HeaderValue) {
        if let Some(name) = &self.request_id
            && let Entry::Vacant(vacant) = headers.entry(name)
        {
            vacant.insert(id());
        }
    }

    fn add_fixed(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.fixed {
            if let Entry::Vacant(vacant) = headers.entry(name) {
                vacant.insert(value.clone());
            }
        }
    }
}
