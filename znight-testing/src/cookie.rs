//! Cookies a reply sets.

use http::{HeaderMap, HeaderValue, header::SET_COOKIE};

/// A cookie a reply sets, as a browser reads its `set-cookie` header (RFC 6265, section 5.2).
///
/// Nothing is decoded: the value is as it was sent, quotes and percent signs included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCookie {
    name: String,
    value: String,
    path: Option<String>,
    domain: Option<String>,
    max_age: Option<i64>,
    expires: Option<String>,
    same_site: Option<String>,
    http_only: bool,
    secure: bool,
    partitioned: bool,
}

impl TestCookie {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The paths it is sent for; `None` when the attribute is absent or not absolute.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The domain it is sent to, in lower case and without a leading dot.
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// How many seconds it lives. Zero or less removes it.
    pub fn max_age(&self) -> Option<i64> {
        self.max_age
    }

    /// When it ends, as it was sent.
    pub fn expires(&self) -> Option<&str> {
        self.expires.as_deref()
    }

    /// `Strict`, `Lax` or `None`, as it was sent.
    pub fn same_site(&self) -> Option<&str> {
        self.same_site.as_deref()
    }

    /// Whether scripts cannot read it.
    pub fn is_http_only(&self) -> bool {
        self.http_only
    }

    /// Whether it is sent over secure connections only.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Whether it is kept apart for each site that embeds the page.
    pub fn is_partitioned(&self) -> bool {
        self.partitioned
    }

    /// Reads one header; `None` when it sets no cookie.
    fn read(header: &HeaderValue) -> Option<Self> {
        let header = String::from_utf8_lossy(header.as_bytes());
        let mut parts = header.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let name = name.trim();
        if name.is_empty() {
            return None;
        }
        let mut cookie = Self {
            name: name.to_owned(),
            value: value.trim().to_owned(),
            path: None,
            domain: None,
            max_age: None,
            expires: None,
            same_site: None,
            http_only: false,
            secure: false,
            partitioned: false,
        };
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            cookie.attribute(name.trim(), value.trim());
        }
        Some(cookie)
    }

    fn attribute(&mut self, name: &str, value: &str) {
        match name.to_ascii_lowercase().as_str() {
            "path" => self.path = value.starts_with('/').then(|| value.to_owned()),
            "domain" if !value.is_empty() => {
                let value = value.strip_prefix('.').unwrap_or(value);
                self.domain = Some(value.to_ascii_lowercase());
            }
            "max-age" => {
                let digits = value.strip_prefix('-').unwrap_or(value);
                if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    // More than can be counted is the most that can.
                    let end = if value.starts_with('-') {
                        i64::MIN
                    } else {
                        i64::MAX
                    };
                    self.max_age = Some(value.parse().unwrap_or(end));
                }
            }
            "expires" => self.expires = Some(value.to_owned()),
            "samesite" => self.same_site = Some(value.to_owned()),
            "httponly" => self.http_only = true,
            "secure" => self.secure = true,
            "partitioned" => self.partitioned = true,
            _ => {}
        }
    }
}

/// The cookies a reply sets, in the order of their headers.
pub(crate) fn cookies(headers: &HeaderMap) -> Vec<TestCookie> {
    let headers = headers.get_all(SET_COOKIE);
    headers.into_iter().filter_map(TestCookie::read).collect()
}

/// What is wrong with a cookie of a request: it would be read as something else.
pub(crate) fn problem(name: &str, value: &str) -> Option<&'static str> {
    let in_name = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
    let in_value = |byte: u8| (byte.is_ascii_graphic() || byte == b' ') && byte != b';';
    if name.is_empty() || !name.bytes().all(in_name) {
        Some("its name is no token")
    } else if !value.bytes().all(in_value) || value.trim() != value {
        Some("its value has characters a cookie cannot have")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header::SET_COOKIE};

    use super::{TestCookie, cookies, problem};

    fn read(header: &'static str) -> Option<TestCookie> {
        TestCookie::read(&HeaderValue::from_static(header))
    }

    #[test]
    fn attributes_are_read_as_browsers_read_them() {
        let cookie = read(
            "sid = \"a=b\" ; PATH=/shop; Domain=.Example.COM; max-age=60; \
             Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax;HttpOnly; secure; Partitioned; x=y",
        )
        .expect("a cookie");
        assert_eq!((cookie.name(), cookie.value()), ("sid", "\"a=b\""));
        assert_eq!(cookie.path(), Some("/shop"));
        assert_eq!(cookie.domain(), Some("example.com"));
        assert_eq!(cookie.max_age(), Some(60));
        assert_eq!(cookie.expires(), Some("Wed, 21 Oct 2026 07:28:00 GMT"));
        assert_eq!(cookie.same_site(), Some("Lax"));
        assert!(cookie.is_http_only() && cookie.is_secure() && cookie.is_partitioned());
    }

    #[test]
    fn what_is_absent_or_wrong_is_left_out_and_the_last_of_a_name_counts() {
        let cookie = read("a=; Path=/x; Path=y; Domain=; Max-Age=1s; Max-Age=-").expect("a cookie");
        assert_eq!((cookie.name(), cookie.value()), ("a", ""));
        assert_eq!(cookie.path(), None);
        assert_eq!(cookie.domain(), None);
        assert_eq!(cookie.max_age(), None);
        assert_eq!((cookie.expires(), cookie.same_site()), (None, None));
        assert!(!cookie.is_http_only() && !cookie.is_secure() && !cookie.is_partitioned());
        for (header, age) in [
            ("a=b; max-age=0", 0),
            ("a=b; max-age=-1", -1),
            ("a=b; max-age=99999999999999999999", i64::MAX),
            ("a=b; max-age=-99999999999999999999", i64::MIN),
        ] {
            assert_eq!(read(header).and_then(|cookie| cookie.max_age()), Some(age));
        }
        assert_eq!(read("no pair"), None);
        assert_eq!(read("=value"), None);
    }

    #[test]
    fn every_header_that_sets_a_cookie_counts() {
        let mut headers = HeaderMap::new();
        for header in ["a=1", "nothing", "b=2; Path=/", "a=3"] {
            headers.append(SET_COOKIE, HeaderValue::from_static(header));
        }
        let cookies = cookies(&headers);
        let pairs: Vec<_> = cookies.iter().map(|c| (c.name(), c.value())).collect();
        assert_eq!(pairs, [("a", "1"), ("b", "2"), ("a", "3")]);
    }

    #[test]
    fn cookies_that_would_be_read_as_something_else_are_refused() {
        assert_eq!(problem("sid", "a=b c"), None);
        assert_eq!(problem("sid", ""), None);
        for (name, value) in [
            ("", "x"),
            ("a b", "x"),
            ("a=b", "x"),
            ("a;", "x"),
            ("ä", "x"),
        ] {
            assert_eq!(problem(name, value), Some("its name is no token"), "{name}");
        }
        for value in ["a;b", "a\nb", " a", "ä"] {
            let problem = problem("sid", value);
            assert_eq!(
                problem,
                Some("its value has characters a cookie cannot have")
            );
        }
    }
}
