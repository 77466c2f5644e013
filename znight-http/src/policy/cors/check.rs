//! From the options to the policy, with everything that is wrong.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, Uri};

use super::{
    Allowed, Cors,
    policy::{AllowHeaders, CorsPolicy},
};
use crate::policy::Problems;

const LONGEST_AGE: Duration = Duration::from_secs(86_400);

impl Cors {
    /// The policy, as far as it is right.
    pub(in crate::policy) fn resolve(
        &self,
        request_id: Option<&HeaderName>,
        problems: &mut Problems,
    ) -> CorsPolicy {
        let mut policy = CorsPolicy::new(HeaderValue::from(self.max_age.as_secs()));
        if self.origins.is_empty() {
            problems
                .add("cors: no origin is allowed: name one, or leave the option out".to_owned());
        }
        for origin in &self.origins {
            match origin {
                Allowed::Text(text) if text == "*" => policy.any = true,
                Allowed::Text(text) => match origin_of(text) {
                    Ok(()) => policy.exact.push(text.as_str().into()),
                    Err(why) => problems.add(format!("cors: the origin `{text}` {why}")),
                },
                #[cfg(feature = "regex")]
                Allowed::Pattern(pattern) => match anchored(pattern) {
                    Ok(pattern) => policy.patterns.push(pattern),
                    Err(why) => problems.add(format!("cors: the pattern `{pattern}` {why}")),
                },
                Allowed::If(allows) => policy.predicates.push(allows.clone()),
                Allowed::IfAsync(allows) => policy.async_predicates.push(allows.clone()),
            }
        }
        policy.credentials = self.credentials;
        if self.credentials && policy.any {
            problems.add(
                "cors: `*` allows no credentials: name the origins that may send them".to_owned(),
            );
        }
        let star = |list: &Option<Vec<String>>| {
            list.as_ref()
                .is_some_and(|list| list.iter().any(|one| one == "*"))
        };
        let lists = [
            ("methods", &self.methods),
            ("allow_headers", &self.allow_headers),
            ("expose_headers", &self.expose_headers),
        ];
        for (name, list) in lists {
            if self.credentials && star(list) {
                problems.add(format!(
                    "cors: `*` in {name} has no meaning with credentials, where browsers take it literally: list them"
                ));
            }
        }
        policy.methods = joined("methods", self.methods.as_deref(), problems, |name| {
            name == "*" || Method::from_bytes(name.as_bytes()).is_ok()
        });
        let is_header = |name: &str| name == "*" || HeaderName::try_from(name).is_ok();
        let listed = joined(
            "allow_headers",
            self.allow_headers.as_deref(),
            problems,
            is_header,
        );
        policy.allow_headers = listed.map(|names| AllowHeaders {
            any: star(&self.allow_headers),
            names,
        });
        policy.expose = match &self.expose_headers {
            Some(names) => joined("expose_headers", Some(names), problems, is_header),
            None => request_id.and_then(|name| HeaderValue::from_str(name.as_str()).ok()),
        };
        if self.max_age > LONGEST_AGE || self.max_age.subsec_nanos() != 0 {
            problems.add(format!(
                "cors: max_age is {:?}, which is not a whole number of seconds up to a day",
                self.max_age
            ));
        }
        policy
    }
}

/// `a, b`; none for no list and for an empty one.
fn joined(
    what: &str,
    names: Option<&[String]>,
    problems: &mut Problems,
    valid: impl Fn(&str) -> bool,
) -> Option<HeaderValue> {
    let names = names?;
    let wrong = names.iter().filter(|name| !valid(name));
    for name in wrong {
        let kind = if what == "methods" {
            "a method"
        } else {
            "the name of a header"
        };
        problems.add(format!("cors: `{name}` in {what} is not {kind}"));
    }
    HeaderValue::from_str(&names.join(", "))
        .ok()
        .filter(|value| !value.is_empty())
}

/// Whether a text is an origin as browsers send it.
fn origin_of(text: &str) -> Result<(), String> {
    if text == "null" {
        return Err(
            "is what every sandboxed page and local file sends: it cannot be allowed".to_owned(),
        );
    }
    let expected = |why: &str| {
        Err(format!(
            "{why}: an origin is written like `https://app.example.com`"
        ))
    };
    let Ok(uri) = text.parse::<Uri>() else {
        return expected("cannot be read");
    };
    let (Some(scheme @ ("http" | "https")), Some(authority)) = (uri.scheme_str(), uri.authority())
    else {
        return expected("does not start with http:// or https://");
    };
    let origin = format!("{scheme}://{authority}");
    if text != origin {
        return match text.strip_prefix(&*origin) {
            Some(path) if !path.is_empty() => {
                Err(format!("has `{path}` behind the host: write `{origin}`"))
            }
            _ => expected("is not written in lower case"),
        };
    }
    let host = authority.host();
    let named =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
    let addressed = host.starts_with('[') && host.ends_with(']');
    if authority.as_str().contains('@') {
        return expected("names a user");
    }
    if host.is_empty()
        || !(addressed || host.bytes().all(named))
        || text.bytes().any(|byte| byte.is_ascii_uppercase())
    {
        return expected("has a host browsers do not send so (lower case, punycode)");
    }
    let usual = if scheme == "http" { ":80" } else { ":443" };
    match authority.as_str().strip_prefix(host) {
        Some("") => Ok(()),
        Some(port) if port == usual => Err(format!(
            "has the usual port, which browsers leave out: write `{scheme}://{host}`"
        )),
        Some(_) if authority.port_u16().is_some() => Ok(()),
        _ => expected("has no port behind its colon"),
    }
}

/// A pattern that matches whole origins only.
#[cfg(feature = "regex")]
fn anchored(pattern: &str) -> Result<regex::Regex, String> {
    use regex_syntax::hir::Look;
    let hir = regex_syntax::parse(pattern).map_err(|_| "is no regular expression".to_owned())?;
    let properties = hir.properties();
    let whole = properties.look_set_prefix().contains(Look::Start)
        && properties.look_set_suffix().contains(Look::End);
    if !whole {
        return Err("does not begin with `^` and end with `$` in every alternative: it would allow origins that only contain what it matches".to_owned());
    }
    regex::Regex::new(pattern).map_err(|_| "is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Cors, Problems};

    fn problems(cors: &Cors) -> Vec<String> {
        let mut problems = Problems::default();
        cors.resolve(None, &mut problems);
        problems.texts().to_vec()
    }

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        for origin in [
            "https://app.example.com",
            "http://localhost:3000",
            "http://127.0.0.1:8080",
            "https://[::1]:8443",
            "https://xn--bcher-kva.example",
            "*",
        ] {
            assert_eq!(
                problems(&Cors::new().origin(origin)),
                Vec::<String>::new(),
                "{origin}"
            );
        }
        for origin in [
            "https://app.example.com/",
            "https://app.example.com/path",
            "https://app.example.com?x",
            "https://App.example.com",
            "HTTPS://app.example.com",
            "https://app.example.com:443",
            "http://app.example.com:80",
            "https://app.example.com:",
            "https://user@app.example.com",
            "ftp://app.example.com",
            "app.example.com",
            "https://b\u{fc}cher.example",
            "https://*.example.com",
            "null",
            "",
        ] {
            assert_eq!(problems(&Cors::new().origin(origin)).len(), 1, "{origin}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_all_at_once() {
        let cors = Cors::any()
            .origin("https://app.example.com/")
            .credentials(true)
            .methods(["GET", "*", "a b"])
            .allow_headers(["*", "x y"])
            .expose_headers(["*"])
            .max_age(Duration::from_millis(1500));
        assert_eq!(
            problems(&cors),
            [
                "cors: the origin `https://app.example.com/` has `/` behind the host: write `https://app.example.com`",
                "cors: `*` allows no credentials: name the origins that may send them",
                "cors: `*` in methods has no meaning with credentials, where browsers take it literally: list them",
                "cors: `*` in allow_headers has no meaning with credentials, where browsers take it literally: list them",
                "cors: `*` in expose_headers has no meaning with credentials, where browsers take it literally: list them",
                "cors: `a b` in methods is not a method",
                "cors: `x y` in allow_headers is not the name of a header",
                "cors: max_age is 1.5s, which is not a whole number of seconds up to a day",
            ]
        );
        assert_eq!(problems(&Cors::new()).len(), 1);
        let longest = Cors::any().max_age(Duration::from_secs(86_400));
        assert!(problems(&longest).is_empty());
        assert_eq!(
            problems(&longest.max_age(Duration::from_secs(86_401))).len(),
            1
        );
    }

    #[cfg(feature = "regex")]
    #[test]
    fn a_pattern_matches_whole_origins_only() {
        for pattern in [
            r"^https://[a-z0-9-]+\.example\.com$",
            r"^(?:https://a\.example|https://b\.example)$",
            r"^https://a$|^https://b$",
        ] {
            assert_eq!(
                problems(&Cors::new().origin_pattern(pattern)),
                Vec::<String>::new(),
                "{pattern}"
            );
        }
        for pattern in [
            r"https://a\.example",
            r"^https://a\.example",
            r"https://a\.example$",
            r"^https://a$|https://b$",
            r"^https://a|https://b$",
            r"(?m)^https://a$",
            r"(",
        ] {
            assert_eq!(
                problems(&Cors::new().origin_pattern(pattern)).len(),
                1,
                "{pattern}"
            );
        }
    }
}
