//! What Znight itself and its plugins supply.

use znight_contract::ScopeKind;

/// A value that no provider of the application makes, but Znight itself or a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct External {
    /// The type, by its canonical path.
    pub path: &'static str,
    /// Who supplies it.
    pub provided_by: &'static str,
    /// How long it lives.
    pub scope: ScopeKind,
}

/// The values Znight and its plugins supply, by path.
pub const EXTERNALS: &[External] = &[
    External::new("znight::ApplicationHandle", "Znight", ScopeKind::Singleton),
    External::new("znight::Container", "Znight", ScopeKind::Singleton),
    External::new("znight::Hooks", "Znight", ScopeKind::Singleton),
    External::new("znight::HttpContext", "HttpPlugin", ScopeKind::Request),
    External::new("znight::RequestId", "HttpPlugin", ScopeKind::Request),
];

impl External {
    const fn new(path: &'static str, provided_by: &'static str, scope: ScopeKind) -> Self {
        Self {
            path,
            provided_by,
            scope,
        }
    }
}
