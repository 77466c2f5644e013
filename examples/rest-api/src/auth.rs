//! Who may do what: everybody reads, whoever has the API key changes the bookshelf.

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

/// What somebody may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Change the bookshelf: who has the API key.
    Editor,
}

/// The route is for everybody.
pub(crate) const PUBLIC: Decision = Decision::flag("public").group("access").required();
/// The route is for these roles.
pub(crate) const ROLES: Decision<&[Role]> = Decision::new("roles").group("access").required();

/// Enforces what is decided of a route. It stands in front of all of them: a route nobody has decided anything
/// of does not compile.
///
/// Roles are shown by the key: `authorization: Bearer <key>`.
#[injectable]
pub(crate) struct AccessGuard {
    settings: Arc<Settings>,
}

impl AccessGuard {
    /// The role of whoever sent a request.
    fn role(&self, ctx: &HttpContext) -> Result<Role, HttpError> {
        match ctx.header("authorization").and_then(bearer) {
            Some(key) if self.settings.api_key.matches(key) => Ok(Role::Editor),
            Some(_) => Err(unauthorized("the API key is not valid")),
            None => Err(unauthorized("an API key is required")),
        }
    }
}

impl Guard for AccessGuard {
    const ENFORCES: &'static [&'static dyn AnyDecision] = &[&PUBLIC, &ROLES];

    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        if PUBLIC.is_set(ctx) {
            return Ok(());
        }
        let allowed = ROLES.get(ctx).copied().unwrap_or_default();
        if allowed.contains(&self.role(ctx)?) {
            Ok(())
        } else {
            Err(HttpError::forbidden("the API key is for something else"))
        }
    }
}

impl OnStart for AccessGuard {
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
