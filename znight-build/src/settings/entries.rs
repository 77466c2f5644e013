//! The entries of lists: libraries, what plugins supply, attributes for interceptors.

use std::{collections::BTreeSet, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use znight_compiler::settings::{InterceptorAttribute, Supplied};
use znight_contract::{ScopeKind, suggest};

use super::reader::{Reader, Seen};

/// Dependencies of the package, by the names code knows them by.
pub(super) fn libraries(
    reader: &mut Reader<'_>,
    value: &Spanned<DeValue<'_>>,
    manifest: &DeTable<'_>,
) -> Vec<String> {
    let known = dependencies(manifest);
    let mut found = Vec::new();
    // Cargo treats `-` and `_` alike in the names of crates.
    let mut seen = Seen::default();
    for (text, span) in reader.texts(value, "libraries") {
        let name = text.replace('-', "_");
        if known.iter().any(|known| known.replace('-', "_") == name) {
            if seen.first_time(reader, &name, span) {
                found.push(name);
            }
            continue;
        }
        reader.problem(
            span,
            format!("`{text}` is not a dependency of this package"),
        );
        match suggest::closest(text, known.iter().map(String::as_str)) {
            Some(close) => reader.hint(format!("did you mean `{close}`?")),
            None => reader.hint(
                "name it as it stands under `[dependencies]`; only what the application is built with has providers for it",
            ),
        }
    }
    found
}

/// The keys under `[dependencies]`, also those of single platforms.
fn dependencies(manifest: &DeTable<'_>) -> BTreeSet<String> {
    let own = manifest.get("dependencies");
    let of_targets = manifest
        .get("target")
        .and_then(|target| target.get_ref().as_table())
        .into_iter()
        .flat_map(DeTable::values)
        .filter_map(|target| target.get_ref().get("dependencies"));
    own.into_iter()
        .chain(of_targets)
        .filter_map(|table| table.get_ref().as_table())
        .flat_map(DeTable::keys)
        .map(|key| key.get_ref().clone().into_owned())
        .collect()
}

/// What plugins of the application supply: paths, or tables where there is more to say.
pub(super) fn externals(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<Supplied> {
    let mut seen = Seen::default();
    let mut found = Vec::new();
    for entry in reader.list(value, "externals") {
        let supplied = match entry.get_ref() {
            DeValue::String(text) => path(reader, text, entry.span()).map(Supplied::new),
            DeValue::Table(table) => supplied(reader, table, &entry.span(), false),
            _ => {
                reader.wrong_type(entry, "an entry of externals", "a string or a table");
                None
            }
        };
        found.extend(supplied.filter(|found| seen.first_time(reader, &found.path, entry.span())));
    }
    found
}

/// What plugins of this package supply.
pub(super) fn provides(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<Supplied> {
    let mut seen = Seen::default();
    let mut found = Vec::new();
    for (table, span) in tables(reader, value, "provides", PROVIDES) {
        let supplied = supplied(reader, table, &span, true);
        found.extend(supplied.filter(|found| seen.first_time(reader, &found.path, span)));
    }
    found
}

/// Attributes of this package that stand for interceptors.
pub(super) fn interceptors(
    reader: &mut Reader<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Vec<InterceptorAttribute> {
    let mut seen = Seen::default();
    let mut found = Vec::new();
    for (table, span) in tables(reader, value, "interceptors", INTERCEPTORS) {
        let before = reader.problems.len();
        reader.known_keys(table, "key", &["attribute", "interceptor"]);
        let attribute = required_path(reader, table, "attribute", &span, INTERCEPTORS);
        let interceptor = required_path(reader, table, "interceptor", &span, INTERCEPTORS);
        if let (Some(attribute), Some(interceptor)) = (attribute, interceptor)
            && reader.problems.len() == before
            && seen.first_time(reader, &attribute, span)
        {
            found.push(InterceptorAttribute {
                attribute,
                interceptor,
            });
        }
    }
    found
}

/// How entries look, for hints.
const PROVIDES: &str = "{ type = \"acme::Mailer\", plugin = \"AcmePlugin\" }";
const INTERCEPTORS: &str =
    "{ attribute = \"acme::timed\", interceptor = \"acme::TimedInterceptor\" }";

/// The entries of a list that are tables, as all have to be.
fn tables<'v, 'i>(
    reader: &mut Reader<'_>,
    value: &'v Spanned<DeValue<'i>>,
    key: &str,
    example: &str,
) -> Vec<(&'v DeTable<'i>, Range<usize>)> {
    let mut found = Vec::new();
    for entry in reader.list(value, key) {
        if let Some(table) = entry.get_ref().as_table() {
            found.push((table, entry.span()));
        } else {
            reader.wrong_type(entry, &format!("an entry of {key}"), "a table");
            reader.hint(format!("write it as in `{example}`"));
        }
    }
    found
}

/// A type a plugin supplies. Nothing is returned when anything is wrong with it.
fn supplied(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    span: &Range<usize>,
    of_this_package: bool,
) -> Option<Supplied> {
    let before = reader.problems.len();
    reader.known_keys(table, "key", &["type", "plugin", "scope", "optional"]);
    let path = required_path(reader, table, "type", span, PROVIDES);
    let named = table.get("plugin");
    if named.is_none() && of_this_package {
        missing(reader, "plugin", span, PROVIDES);
    }
    let plugin = named.and_then(|value| plugin(reader, value));
    let scope = table.get("scope").and_then(|value| {
        let words = ScopeKind::ALL.map(ScopeKind::as_str);
        reader
            .word(value, "scope", &words)
            .and_then(ScopeKind::parse)
    });
    let optional = table
        .get("optional")
        .is_some_and(|value| reader.switch(value, "optional"));
    let path = path.filter(|_| reader.problems.len() == before)?;
    Some(Supplied {
        path,
        plugin,
        scope: scope.unwrap_or_default(),
        optional,
    })
}

fn plugin(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let Some(text) = value.get_ref().as_str() else {
        reader.wrong_type(value, "plugin", "a string");
        return None;
    };
    if text.split("::").all(is_identifier) {
        return Some(text.to_owned());
    }
    reader.problem(
        value.span(),
        format!("`{text}` is not the name of a plugin"),
    );
    reader.hint("name its type, as in `AcmePlugin`");
    None
}

fn missing(reader: &mut Reader<'_>, key: &str, span: &Range<usize>, example: &str) {
    reader.problem(span.clone(), format!("`{key}` is missing"));
    reader.hint(format!("write the entry as in `{example}`"));
}

fn required_path(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    span: &Range<usize>,
    example: &str,
) -> Option<String> {
    let Some(value) = table.get(key) else {
        missing(reader, key, span, example);
        return None;
    };
    let Some(text) = value.get_ref().as_str() else {
        reader.wrong_type(value, key, "a string");
        return None;
    };
    path(reader, text, value.span())
}

/// The path of an item from the name of its crate on.
fn path(reader: &mut Reader<'_>, text: &str, span: Range<usize>) -> Option<String> {
    let parts: Vec<&str> = text.split("::").collect();
    let relative = matches!(parts[0], "crate" | "self" | "super" | "Self");
    if parts.len() > 1 && !relative && parts.iter().copied().all(is_identifier) {
        return Some(text.to_owned());
    }
    reader.problem(span, format!("`{text}` is not a full path"));
    let (bare, arguments) = text
        .split_once('<')
        .map_or((text, false), |(bare, _)| (bare, true));
    let bare = bare
        .trim()
        .trim_start_matches("dyn ")
        .trim_start_matches("::");
    let fixed = bare.replace('-', "_");
    if arguments {
        reader
            .hint("a type with arguments cannot be named here: supply a type of its own around it");
    } else if relative {
        reader.hint("write the name of this package's crate in front");
    } else if fixed != text && fixed.contains("::") && fixed.split("::").all(is_identifier) {
        reader.hint(format!("write `{fixed}`"));
    } else {
        reader.hint("start with the name of the crate, as in `acme::Clock`");
    }
    None
}

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}
