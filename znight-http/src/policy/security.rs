//! The headers that tell browsers what a reply may do.

use http::{
    HeaderName, HeaderValue,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
        X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};

use super::Problems;

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// A year: the least that lists of preloaded sites ask for.
const YEAR: u64 = 31_536_000;

/// Headers that every reply gets unless it sets them itself, for
/// [`HttpOptions::security_headers`](crate::HttpOptions::security_headers).
///
/// | header | unless changed |
/// | --- | --- |
/// | `content-security-policy` | `default-src 'none'; frame-ancestors 'none'` |
/// | `x-frame-options` | `DENY` |
/// | `x-content-type-options` | `nosniff` |
/// | `referrer-policy` | `no-referrer` |
/// | `strict-transport-security` | none |
/// | `cross-origin-resource-policy` | none |
/// | `cache-control` | none |
///
/// They are the right ones for a service that answers JSON. A route that answers a page for browsers
/// sets a `content-security-policy` of its own.
///
/// ```
/// use znight_http::{Hsts, HttpOptions, SecurityHeaders};
///
/// HttpOptions::new()
///     .security_headers(SecurityHeaders::new().hsts(Hsts::new()).cache_control("no-store"));
/// HttpOptions::new().security_headers(false); // none
/// ```
///
/// A value that is none of those the header knows is ZNIGHT005 when the application boots.
#[derive(Debug, Clone)]
#[must_use]
pub struct SecurityHeaders {
    content_security_policy: Option<String>,
    frame_options: Option<String>,
    no_sniff: bool,
    referrer_policy: Option<String>,
    hsts: Option<Hsts>,
    cross_origin_resource_policy: Option<String>,
    cache_control: Option<String>,
}

impl SecurityHeaders {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            content_security_policy: Some("default-src 'none'; frame-ancestors 'none'".to_owned()),
            frame_options: Some("DENY".to_owned()),
            no_sniff: true,
            referrer_policy: Some("no-referrer".to_owned()),
            ..Self::none()
        }
    }

    /// None of them, to choose each.
    pub fn none() -> Self {
        Self {
            content_security_policy: None,
            frame_options: None,
            no_sniff: false,
            referrer_policy: None,
            hsts: None,
            cross_origin_resource_policy: None,
            cache_control: None,
        }
    }

    /// `content-security-policy`; `None` leaves it out.
    pub fn content_security_policy<'a>(mut self, policy: impl Into<Option<&'a str>>) -> Self {
        self.content_security_policy = policy.into().map(str::to_owned);
        self
    }

    /// `x-frame-options`: `DENY` or `SAMEORIGIN`; `None` leaves it out.
    pub fn frame_options<'a>(mut self, options: impl Into<Option<&'a str>>) -> Self {
        self.frame_options = options.into().map(str::to_owned);
        self
    }

    /// Whether `x-content-type-options: nosniff` is sent.
    pub fn no_sniff(mut self, on: bool) -> Self {
        self.no_sniff = on;
        self
    }

    /// `referrer-policy`: one of the standard tokens, or a list of them; `None` leaves it out.
    pub fn referrer_policy<'a>(mut self, policy: impl Into<Option<&'a str>>) -> Self {
        self.referrer_policy = policy.into().map(str::to_owned);
        self
    }

    /// `strict-transport-security`: browsers use https alone from then on. Only for services that are
    /// reached by https.
    pub fn hsts(mut self, hsts: impl Into<Option<Hsts>>) -> Self {
        self.hsts = hsts.into();
        self
    }

    /// `cross-origin-resource-policy`: `same-origin`, `same-site` or `cross-origin`; `None` leaves it
    /// out.
    pub fn cross_origin_resource_policy<'a>(mut self, policy: impl Into<Option<&'a str>>) -> Self {
        self.cross_origin_resource_policy = policy.into().map(str::to_owned);
        self
    }

    /// `cache-control`, such as `no-store`; `None` leaves it out.
    pub fn cache_control<'a>(mut self, directives: impl Into<Option<&'a str>>) -> Self {
        self.cache_control = directives.into().map(str::to_owned);
        self
    }

    /// The headers, and what is wrong with them.
    pub(super) fn resolve(&self, problems: &mut Problems) -> Vec<(HeaderName, HeaderValue)> {
        let one_of = |known: &'static [&'static str]| {
            move |value: &str| {
                if known.contains(&value) {
                    return Ok(());
                }
                Err(format!("is none of {}", known.join(", ")))
            }
        };
        let mut headers = Vec::new();
        let mut add = |name: HeaderName,
                       value: Option<&str>,
                       check: &dyn Fn(&str) -> Result<(), String>| {
            let Some(value) = value else { return };
            let checked = check(value).and_then(|()| {
                HeaderValue::try_from(value)
                    .ok()
                    .filter(|_| !value.trim().is_empty())
                    .ok_or_else(|| "cannot be sent".to_owned())
            });
            match checked {
                Ok(value) => headers.push((name, value)),
                Err(why) => problems.add(format!("the security header `{name}`, `{value}`, {why}")),
            }
        };
        let any = |_: &str| Ok(());
        let csp = self.content_security_policy.as_deref();
        add(CONTENT_SECURITY_POLICY, csp, &any);
        let frame = self.frame_options.as_deref();
        add(X_FRAME_OPTIONS, frame, &one_of(&["DENY", "SAMEORIGIN"]));
        let sniff = self.no_sniff.then_some("nosniff");
        add(X_CONTENT_TYPE_OPTIONS, sniff, &any);
        let referrer = self.referrer_policy.as_deref();
        add(REFERRER_POLICY, referrer, &referrer_policy);
        let hsts = self.hsts.as_ref().map(Hsts::text);
        let hsts_check = |_: &str| self.hsts.as_ref().map_or(Ok(()), Hsts::check);
        add(STRICT_TRANSPORT_SECURITY, hsts.as_deref(), &hsts_check);
        let corp = self.cross_origin_resource_policy.as_deref();
        let corp_check = one_of(&["same-origin", "same-site", "cross-origin"]);
        add(CROSS_ORIGIN_RESOURCE_POLICY, corp, &corp_check);
        let cache = self.cache_control.as_deref();
        add(CACHE_CONTROL, cache, &any);
        headers
    }
}

impl Default for SecurityHeaders {
    fn default() -> Self {
        Self::new()
    }
}

impl From<bool> for SecurityHeaders {
    /// The defaults, or none.
    fn from(on: bool) -> Self {
        if on { Self::new() } else { Self::none() }
    }
}

fn referrer_policy(value: &str) -> Result<(), String> {
    const KNOWN: [&str; 8] = [
        "no-referrer",
        "no-referrer-when-downgrade",
        "origin",
        "origin-when-cross-origin",
        "same-origin",
        "strict-origin",
        "strict-origin-when-cross-origin",
        "unsafe-url",
    ];
    match value
        .split(',')
        .map(str::trim)
        .find(|token| !KNOWN.contains(token))
    {
        None => Ok(()),
        Some(token) => Err(match znight_contract::suggest::closest(token, KNOWN) {
            Some(closest) => format!("is no referrer policy: did you mean `{closest}`?"),
            None => format!("is no referrer policy: there are {}", KNOWN.join(", ")),
        }),
    }
}

/// What `strict-transport-security` says, for [`SecurityHeaders::hsts`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Hsts {
    max_age: u64,
    include_subdomains: bool,
    preload: bool,
}

impl Hsts {
    /// A year, subdomains included.
    pub fn new() -> Self {
        Self {
            max_age: YEAR,
            include_subdomains: true,
            preload: false,
        }
    }

    /// How long browsers keep to https, in seconds.
    pub fn max_age(mut self, seconds: u64) -> Self {
        self.max_age = seconds;
        self
    }

    /// Whether it holds for the subdomains as well.
    pub fn include_subdomains(mut self, on: bool) -> Self {
        self.include_subdomains = on;
        self
    }

    /// Whether browsers may list the site as one that is never reached without https. It takes a year at
    /// least, and the subdomains.
    pub fn preload(mut self, on: bool) -> Self {
        self.preload = on;
        self
    }

    fn text(&self) -> String {
        let mut text = format!("max-age={}", self.max_age);
        if self.include_subdomains {
            text.push_str("; includeSubDomains");
        }
        if self.preload {
            text.push_str("; preload");
        }
        text
    }

    fn check(&self) -> Result<(), String> {
        if self.preload && !(self.include_subdomains && self.max_age >= YEAR) {
            return Err(format!(
                "cannot be preloaded: that takes the subdomains, and a max-age of {YEAR} seconds or more"
            ));
        }
        Ok(())
    }
}

impl Default for Hsts {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Hsts, Problems, SecurityHeaders};

    fn sent(headers: &SecurityHeaders) -> Vec<String> {
        let mut problems = Problems::default();
        let sent = headers.resolve(&mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        sent.into_iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect()
    }

    fn refused(headers: &SecurityHeaders) -> String {
        let mut problems = Problems::default();
        headers.resolve(&mut problems);
        problems.texts().join("\n")
    }

    #[test]
    fn the_defaults_are_sent_in_order() {
        assert_eq!(
            sent(&SecurityHeaders::new()),
            [
                "content-security-policy: default-src 'none'; frame-ancestors 'none'",
                "x-frame-options: DENY",
                "x-content-type-options: nosniff",
                "referrer-policy: no-referrer",
            ]
        );
        assert!(sent(&SecurityHeaders::from(false)).is_empty());
    }

    #[test]
    fn options_change_one_header_each() {
        let headers = SecurityHeaders::none()
            .hsts(Hsts::new())
            .cross_origin_resource_policy("same-site")
            .cache_control("no-store");
        assert_eq!(
            sent(&headers),
            [
                "strict-transport-security: max-age=31536000; includeSubDomains",
                "cross-origin-resource-policy: same-site",
                "cache-control: no-store",
            ]
        );
        let plain = Hsts::new().max_age(60).include_subdomains(false);
        let headers = SecurityHeaders::none().hsts(plain);
        assert_eq!(sent(&headers), ["strict-transport-security: max-age=60"]);
        let headers = SecurityHeaders::none().hsts(Hsts::new().preload(true));
        assert_eq!(
            sent(&headers),
            ["strict-transport-security: max-age=31536000; includeSubDomains; preload"]
        );
    }

    #[test]
    fn what_a_header_does_not_know_is_refused() {
        let headers = SecurityHeaders::new()
            .frame_options("ALLOW")
            .referrer_policy("no-referer")
            .content_security_policy("a\nb")
            .cross_origin_resource_policy("any")
            .cache_control(" ")
            .hsts(Hsts::new().max_age(60).preload(true));
        assert_eq!(
            refused(&headers),
            "the security header `content-security-policy`, `a\nb`, cannot be sent\n\
             the security header `x-frame-options`, `ALLOW`, is none of DENY, SAMEORIGIN\n\
             the security header `referrer-policy`, `no-referer`, is no referrer policy: did you mean \
             `no-referrer`?\n\
             the security header `strict-transport-security`, `max-age=60; includeSubDomains; \
             preload`, cannot be preloaded: that takes the subdomains, and a max-age of 31536000 \
             seconds or more\n\
             the security header `cross-origin-resource-policy`, `any`, is none of same-origin, \
             same-site, cross-origin\n\
             the security header `cache-control`, ` `, cannot be sent"
        );
    }
}
