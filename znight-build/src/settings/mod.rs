//! The settings under `[package.metadata.znight]` of `Cargo.toml`.
//!
//! ```toml
//! [package.metadata.znight]
//! allow = ["ZNIGHT009"]               # warnings that are not given
//! deny = ["ZNIGHT019"]                # warnings that are errors
//! strict-validation = true            # input that nothing validates is an error
//! report-unused = true                # providers nothing needs are warned of
//! prune = true                        # providers nothing needs are left out
//! source-locations = "always"         # "dev" (the default), "always" or "never"
//! libraries = ["billing"]             # dependencies whose providers belong to the application
//! externals = [                       # what plugins of the application supply
//!     "acme::Clock",
//!     { type = "acme::Tenant", scope = "request", plugin = "TenantPlugin", optional = true },
//! ]
//! # In a package that brings plugins: what they supply, and attributes that stand for interceptors.
//! provides = [{ type = "acme::Mailer", plugin = "AcmePlugin", scope = "singleton" }]
//! interceptors = [{ attribute = "acme::timed", interceptor = "acme::TimedInterceptor" }]
//! ```

mod entries;
mod reader;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use znight_compiler::{
    diagnostic::{self, Diagnostic},
    settings::{Settings, SourceLocations},
};
use znight_contract::{ErrorCode, codes, codes::Severity};

use self::reader::Reader;

/// What is wrong with a setting: a diagnostic that points into `Cargo.toml`.
pub type Problem = Diagnostic;

/// The name of the file problems point into.
pub const FILE: &str = "Cargo.toml";

const KEYS: [&str; 10] = [
    "allow",
    "deny",
    "strict-validation",
    "report-unused",
    "prune",
    "source-locations",
    "libraries",
    "externals",
    "provides",
    "interceptors",
];

/// Reads the settings in the text of a `Cargo.toml`, and says everything that is wrong with them.
///
/// What cannot be read is left out, and the rest counts. Problems are sorted by place.
pub fn read(text: &str) -> (Settings, Vec<Problem>) {
    let mut reader = Reader::new(text);
    let mut settings = Settings::default();
    match DeTable::parse(text) {
        Ok(manifest) => {
            let manifest = manifest.get_ref();
            let found = manifest
                .get("package")
                .and_then(|package| package.get_ref().get("metadata"))
                .and_then(|metadata| metadata.get_ref().get("znight"));
            if let Some(found) = found {
                settings = table(&mut reader, found, manifest);
            }
        }
        Err(error) => {
            let end = text.len();
            reader.problem(
                error.span().unwrap_or(end..end),
                format!("{FILE} cannot be read: {}", error.message()),
            );
        }
    }
    let mut problems = reader.problems;
    diagnostic::sort(&mut problems);
    (settings, problems)
}

fn table(
    reader: &mut Reader<'_>,
    found: &Spanned<DeValue<'_>>,
    manifest: &DeTable<'_>,
) -> Settings {
    let mut settings = Settings::default();
    let Some(table) = found.get_ref().as_table() else {
        reader.wrong_type(found, "package.metadata.znight", "a table");
        return settings;
    };
    reader.known_keys(table, "setting", &KEYS);
    let (mut allow, mut deny) = (BTreeMap::new(), BTreeMap::new());
    for (key, value) in table {
        match &**key.get_ref() {
            "allow" => allow = allowed(reader, value),
            "deny" => deny = code_list(reader, value, "deny"),
            "strict-validation" => {
                settings.strict_validation = reader.switch(value, "strict-validation");
            }
            "report-unused" => settings.report_unused = reader.switch(value, "report-unused"),
            "prune" => settings.prune = reader.switch(value, "prune"),
            "source-locations" => settings.source_locations = source_locations(reader, value),
            "libraries" => settings.libraries = entries::libraries(reader, value, manifest),
            "externals" => settings.externals = entries::externals(reader, value),
            "provides" => settings.provides = entries::provides(reader, value),
            "interceptors" => settings.interceptors = entries::interceptors(reader, value),
            _ => {}
        }
    }
    // Nobody can tell which of the two is meant, so neither counts.
    let both: Vec<ErrorCode> = allow
        .keys()
        .filter(|code| deny.contains_key(code))
        .copied()
        .collect();
    for code in both {
        if let (Some(allowed), Some(denied)) = (allow.remove(&code), deny.remove(&code)) {
            reader.problem(denied, format!("`{code}` is both allowed and denied"));
            reader.related(allowed, "allowed here");
        }
    }
    settings.allow = allow.into_keys().collect();
    settings.deny = deny.into_keys().collect();
    settings
}

/// Codes, each with the place it is written at.
type Codes = BTreeMap<ErrorCode, Range<usize>>;

fn allowed(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Codes {
    let mut codes = code_list(reader, value, "allow");
    codes.retain(|code, span| {
        let warns = code.entry().severity == Severity::Warning;
        if !warns {
            reader.problem(
                span.clone(),
                format!("`{code}` is an error, and only warnings can be allowed"),
            );
        }
        warns
    });
    codes
}

fn code_list(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>, key: &str) -> Codes {
    let mut found = Codes::new();
    for (text, span) in reader.texts(value, key) {
        if let Some(code) = ErrorCode::parse(text) {
            found.insert(code, span);
            continue;
        }
        reader.problem(span, format!("there is no code `{text}`"));
        let names: Vec<String> = codes::ALL
            .iter()
            .map(|entry| entry.code.to_string())
            .collect();
        match znight_contract::suggest::closest(text, names.iter().map(String::as_str)) {
            Some(close) => reader.hint(format!("did you mean `{close}`?")),
            None => reader.hint("a code is written as in `ZNIGHT009`"),
        }
    }
    found
}

fn source_locations(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> SourceLocations {
    reader
        .word(
            value,
            "source-locations",
            &SourceLocations::ALL.map(SourceLocations::as_str),
        )
        .and_then(SourceLocations::parse)
        .unwrap_or_default()
}
