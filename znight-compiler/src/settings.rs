//! What a package asks of the analysis: `[package.metadata.znight]` of its `Cargo.toml`, as data.

use std::{collections::BTreeSet, fmt};

use znight_contract::{ErrorCode, ScopeKind, codes::Severity};

use crate::model::Report;

/// The settings of a package. The default is what counts where nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Warnings that are not given, by `allow`.
    pub allow: BTreeSet<ErrorCode>,
    /// Warnings that are errors, by `deny`. None of them is allowed as well.
    pub deny: BTreeSet<ErrorCode>,
    /// Whether input that nothing validates is an error, by `strict-validation`.
    pub strict_validation: bool,
    /// Whether to warn of providers nothing needs, by `report-unused`.
    pub report_unused: bool,
    /// Whether to leave providers nothing needs out of the graph, by `prune`.
    pub prune: bool,
    /// When the graph says where providers stand, by `source-locations`.
    pub source_locations: SourceLocations,
    /// Dependencies whose providers belong to the application, by `libraries`: the names by which code
    /// knows the crates.
    pub libraries: Vec<String>,
    /// What plugins of the application supply, by `externals`.
    pub externals: Vec<Supplied>,
    /// What plugins of this package supply to applications, by `provides`.
    pub provides: Vec<Supplied>,
    /// Attributes of this package that stand for interceptors, by `interceptors`.
    pub interceptors: Vec<InterceptorAttribute>,
}

impl Settings {
    /// Leaves out the warnings that are allowed, and makes errors of those that are denied.
    pub(crate) fn apply(&self, reports: &mut Vec<Report>) {
        reports.retain_mut(|report| self.admits(report));
    }

    /// Whether a report is given, once its severity is what is asked for.
    pub(crate) fn admits(&self, report: &mut Report) -> bool {
        let code = report.code;
        if report.severity == Severity::Warning {
            // What is allowed by name is meant, whatever the other setting says of all.
            let strict = self.strict_validation && code == ErrorCode::UnvalidatedInput;
            if self.deny.contains(&code) || (strict && !self.allow.contains(&code)) {
                report.severity = Severity::Error;
            }
        }
        report.severity != Severity::Warning || !self.allow.contains(&code)
    }
}

/// A type or trait whose value a plugin supplies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplied {
    /// Its path from the name of the crate on: `acme::Mailer`.
    pub path: String,
    /// The plugin, for messages.
    pub plugin: Option<String>,
    /// How long a value lives.
    pub scope: ScopeKind,
    /// Whether the plugin may leave it out.
    pub optional: bool,
}

impl Supplied {
    /// A singleton of an unnamed plugin, always there.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            plugin: None,
            scope: ScopeKind::default(),
            optional: false,
        }
    }
}

/// An attribute that stands for an interceptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterceptorAttribute {
    /// The path of the attribute: `acme::timed`.
    pub attribute: String,
    /// The path of the interceptor: `acme::TimedInterceptor`.
    pub interceptor: String,
}

/// When the graph says where in the sources its providers stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceLocations {
    /// In builds without optimisation. The default.
    #[default]
    Dev,
    /// In every build.
    Always,
    /// In no build.
    Never,
}

impl SourceLocations {
    /// Every choice, in the order messages list them.
    pub const ALL: [Self; 3] = [Self::Dev, Self::Always, Self::Never];

    /// The word written in `source-locations = ".."`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// Reads the word written in `source-locations = ".."`; `None` for any other word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

impl fmt::Display for SourceLocations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
