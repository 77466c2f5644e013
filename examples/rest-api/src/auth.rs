//! Who may change the bookshelf: whoever has the API key.

use std::{fmt, sync::Arc};

use subtle::ConstantTimeEq as _;
use znight::prelude::*;

use crate::Settings;

/// The key of a service whose environment names none.
const DEVELOPMENT_KEY: &str = "development-key";

/// A key that lets its owner change the bookshelf. `Debug` does not show it.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// This key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key everybody knows, for development.
    pub fn development() -> Self {
        Self::new(DEVELOPMENT_KEY)
    }

    /// Whether it is the key everybody knows.
    pub fn is_development(&self) -> bool {
        self.0 == DEVELOPMENT_KEY
    }

    /// Whether this is the key. The time it takes tells nothing but the length.
    pub fn matches(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// Lets requests pass that carry the key: `authorization: Bearer <key>`.
#[injectable]
pub(crate) struct ApiKeyGuard {
    settings: Arc<Settings>,
}

impl Guard for ApiKeyGuard {
    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        match ctx.header("authorization").and_then(bearer) {
            Some(key) if self.settings.api_key.matches(key) => Ok(()),
            Some(_) => Err(unauthorized("the API key is not valid")),
            None => Err(unauthorized("an API key is required")),
        }
    }
}

impl OnStart for ApiKeyGuard {
    async fn on_start(&self) -> znight::Result {
        if self.settings.api_key.is_development() {
            tracing::warn!(
                "BOOKSHELF_API_KEY is not set: `{DEVELOPMENT_KEY}` may change the bookshelf"
            );
        }
        Ok(())
    }
}

fn unauthorized(message: &'static str) -> HttpError {
    HttpError::unauthorized(message).header("www-authenticate", "Bearer")
}

/// The token of an `authorization` header. The name of a scheme has no case.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_start())
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, bearer};

    #[test]
    fn a_key_matches_itself_only() {
        let key = ApiKey::new("secret");
        assert!(key.matches("secret"));
        for other in ["", "secre", "secret ", "Secret"] {
            assert!(!key.matches(other), "{other:?}");
        }
    }

    #[test]
    fn the_token_follows_the_scheme() {
        assert_eq!(bearer("Bearer a"), Some("a"));
        assert_eq!(bearer("bearer  a"), Some("a"));
        assert_eq!(bearer("Basic a"), None);
        assert_eq!(bearer("Bearer"), None);
    }
}
