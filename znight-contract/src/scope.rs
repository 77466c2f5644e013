//! How long an instance lives.

use std::fmt;

/// The scope of a provider: how long one instance lives and who shares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ScopeKind {
    /// One instance for the application. The default.
    #[default]
    Singleton,
    /// One instance for each request scope, disposed when the scope ends.
    Request,
    /// A new instance for every injection and every `get()`, owned by whoever asked.
    Transient,
}

impl ScopeKind {
    /// Every scope, in the order messages list them.
    pub const ALL: [Self; 3] = [Self::Singleton, Self::Request, Self::Transient];

    /// The word written in `scope = ".."`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Singleton => "singleton",
            Self::Request => "request",
            Self::Transient => "transient",
        }
    }

    /// Reads the word written in `scope = ".."`; `None` for any other word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

impl fmt::Display for ScopeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::ScopeKind;

    #[test]
    fn every_scope_reads_back_from_its_word() {
        for scope in ScopeKind::ALL {
            assert_eq!(ScopeKind::parse(scope.as_str()), Some(scope));
        }
        assert_eq!(ScopeKind::parse("Singleton"), None);
    }
}
