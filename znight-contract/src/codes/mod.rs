//! The catalogue of `ZNIGHTxxx` codes.
//!
//! A code names one kind of problem for ever: it is never reused and never changes meaning. The
//! macros, the compiler, the container and the plugins all refer to this table, and the error
//! pages of the book are written from it. `ZNIGHT001` to `ZNIGHT029` belong to the core, the
//! compiler and HTTP, messaging, configuration and observability; from `ZNIGHT030` on each crate
//! owns a block of ten. Third parties get no code.

use std::fmt;

mod core;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The build or the start goes on.
    Warning,
    /// The build or the start fails.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// What the catalogue says of one code.
#[derive(Debug)]
pub struct Entry {
    /// The code.
    pub code: ErrorCode,
    /// What it means, in a few words.
    pub title: &'static str,
    /// How bad it is unless an option says otherwise.
    pub severity: Severity,
    /// The release that introduced it.
    pub since: &'static str,
    /// The page: what happened and why, an example that raises it, how to fix it. Markdown.
    pub page: &'static str,
}

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $severity:ident, $page:expr;)*) => {
        /// The code of a problem, such as `ZNIGHT001`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = $title] $name = $number,)*
        }

        /// Every code, in order.
        pub static ALL: &[Entry] = &[$(Entry {
            code: ErrorCode::$name,
            title: $title,
            severity: Severity::$severity,
            since: "0.1.0",
            page: $page,
        },)*];
    };
}

codes! {
    MissingProvider = 1, "Missing provider", Error, core::MISSING_PROVIDER;
    CircularDependency = 2, "Circular dependency", Error, core::CIRCULAR_DEPENDENCY;
    ScopeMismatch = 3, "Scope mismatch", Error, core::SCOPE_MISMATCH;
    DuplicateProvider = 4, "Duplicate provider", Error, core::DUPLICATE_PROVIDER;
    InvalidAttribute = 5, "Invalid attribute usage", Error, core::INVALID_ATTRIBUTE;
    InvalidRoute = 7, "Invalid route", Error, core::INVALID_ROUTE;
    AmbiguousInjection = 8, "Ambiguous injection", Error, core::AMBIGUOUS_INJECTION;
    InvalidLifecycle = 9, "Lifecycle hook that is never called", Warning, core::INVALID_LIFECYCLE;
    UnresolvableInjection = 10, "Unresolvable injection type", Error, core::UNRESOLVABLE_INJECTION;
    OutsideRequestScope = 13, "Request-scoped provider outside of a request scope", Error, core::OUTSIDE_REQUEST_SCOPE;
    AsyncNonSingleton = 14, "Async factory on a non-singleton provider", Error, core::ASYNC_NON_SINGLETON;
    InstantiationFailed = 15, "Provider instantiation failed", Error, core::INSTANTIATION_FAILED;
    ContainerSealed = 16, "Container sealed", Error, core::CONTAINER_SEALED;
    UnvalidatedInput = 17, "Unvalidated input", Warning, core::UNVALIDATED_INPUT;
    VersionMismatch = 18, "Version mismatch", Error, core::VERSION_MISMATCH;
    UnusedProvider = 19, "Unused provider", Warning, core::UNUSED_PROVIDER;
    Reserved = 20, "Reserved", Error, core::RESERVED;
    LifecycleFailed = 21, "Lifecycle hook or shutdown step failed or timed out", Error, core::LIFECYCLE_FAILED;
    SyntaxError = 22, "Syntax error in a source file", Error, core::SYNTAX_ERROR;
    MissingDecision = 23, "Missing route decision", Error, core::MISSING_DECISION;
}

impl ErrorCode {
    /// What the catalogue says of this code.
    pub fn entry(self) -> &'static Entry {
        ALL.iter()
            .find(|entry| entry.code == self)
            .expect("invariant: the table holds every code")
    }

    /// The code written `ZNIGHT001`; `None` when there is no such code.
    pub fn parse(text: &str) -> Option<Self> {
        ALL.iter()
            .map(|entry| entry.code)
            .find(|code| code.to_string() == text)
    }

    /// What it means, in a few words.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// The name of its page and anchor: `znight001`.
    pub fn anchor(self) -> String {
        self.to_string().to_lowercase()
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ZNIGHT{:03}", *self as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, ErrorCode};

    #[test]
    fn the_table_is_sorted_and_every_code_reads_back() {
        assert!(ALL.windows(2).all(|pair| pair[0].code < pair[1].code));
        for entry in ALL {
            assert_eq!(ErrorCode::parse(&entry.code.to_string()), Some(entry.code));
        }
        assert_eq!(ErrorCode::parse("ZNIGHT999"), None);
        assert_eq!(ErrorCode::MissingProvider.to_string(), "ZNIGHT001");
    }

    #[test]
    fn every_page_has_an_example_and_a_way_out() {
        for entry in ALL {
            assert!(entry.page.contains("```"), "{}: no example", entry.code);
            assert!(
                entry.page.contains("## How to fix it"),
                "{}: no way out",
                entry.code
            );
            assert!(!entry.title.ends_with('.'), "{}", entry.code);
        }
    }
}
