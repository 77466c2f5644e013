//! Documents that name things which must exist.

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use super::{Finding, Text, has_word};
use crate::workspace::Package;

/// The table of crates in `ARCHITECTURE.md` has a row for every member of the workspace and no other.
///
/// The table starts with "| crate |", a row with "| `name`". Members in a folder of the root (`examples/`) may share the row of
/// the folder. Crates the text mentions elsewhere must exist as well.
pub(super) fn names_every_crate(architecture: &str, packages: &[Package]) -> Vec<Finding> {
    let rows: BTreeSet<&str> = architecture
        .lines()
        .skip_while(|line| !line.starts_with("| crate |"))
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let names: BTreeSet<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let folders: BTreeSet<String> = packages.iter().filter_map(folder).collect();
    let mut findings = Vec::new();
    for package in packages {
        let named = rows.contains(package.name.as_str())
            || folder(package).is_some_and(|folder| rows.contains(folder.as_str()));
        if !named {
            findings.push(format!(
                "ARCHITECTURE.md: the table of crates has no row for `{}`",
                package.name
            ));
        }
    }
    let mentioned = architecture
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.starts_with("znight-"));
    for name in rows
        .iter()
        .copied()
        .chain(mentioned)
        .collect::<BTreeSet<_>>()
    {
        if !names.contains(name) && !folders.contains(name) {
            findings.push(format!("ARCHITECTURE.md: there is no crate `{name}`"));
        }
    }
    findings
}

/// `examples/` of a package in `examples/rest-api`; none of one that sits at the top.
fn folder(package: &Package) -> Option<String> {
    let mut parts = package.directory.iter();
    let first = parts.next()?.to_str()?;
    parts.next().map(|_| format!("{first}/"))
}

/// What the map of the code names in code font exists in the code.
///
/// Looked at are names and paths of names, of which the last counts: `Lazy`, `Scope::wrap`, `get::<T>()`.
/// Packages are names as well.
pub(super) fn names_what_exists(
    architecture: &str,
    sources: &[&Text],
    packages: &[Package],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(architecture.lines()) {
        fenced ^= line.starts_with("```");
        if fenced || line.starts_with("```") {
            continue;
        }
        // Between the first and the second backtick, between the third and the fourth, ..
        for span in line.split('`').skip(1).step_by(2) {
            let Some(name) = last_name(span) else {
                continue;
            };
            let exists = packages.iter().any(|package| package.name == name)
                || sources.iter().any(|source| has_word(&source.text, name));
            if !exists {
                findings.push(format!(
                    "ARCHITECTURE.md:{number}: nothing is named `{name}` in the code"
                ));
            }
        }
    }
    findings
}

/// The last name of a path of Rust names; none when a span is something else, such as a file.
fn last_name(span: &str) -> Option<&str> {
    let path = span
        .strip_suffix("()")
        .unwrap_or(span)
        .trim_end_matches('!');
    let path = path.split("::<").next()?;
    let name = path.rsplit("::").next()?;
    let plain = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
    };
    (plain(path) && !name.is_empty()).then_some(name)
}

/// Every code has its page, and no page is left of a code that is gone.
pub(super) fn pages(pages: &[PathBuf], files: &[PathBuf]) -> Vec<Finding> {
    let missing = pages
        .iter()
        .filter(|page| !files.contains(page))
        .map(|page| format!("{}: missing, run `cargo xtask codegen`", page.display()));
    let gone = files
        .iter()
        .filter(|file| {
            file.starts_with("docs/errors")
                && file
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("znight"))
        })
        .filter(|file| !pages.contains(file))
        .map(|file| {
            format!(
                "{}: no such code, run `cargo xtask codegen`",
                file.display()
            )
        });
    missing.chain(gone).collect()
}

/// Links of a Markdown file to other files of the repository lead somewhere.
pub(super) fn links(file: &Text, files: &[PathBuf]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(file.text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for target in targets(line) {
            let target = target.split('#').next().unwrap_or("");
            if target.is_empty() || target.contains(':') || target.starts_with('/') {
                continue;
            }
            let below = file.path.parent().unwrap_or(Path::new(""));
            let path = normalise(&below.join(target));
            let exists = files.iter().any(|known| known.starts_with(&path));
            if !exists {
                findings.push(format!(
                    "{}:{number}: the link to `{target}` leads nowhere",
                    file.path.display()
                ));
            }
        }
    }
    findings
}

/// The targets of `[text](target)` in a line, outside of code spans.
fn targets(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut in_code = false;
    while let Some(at) = rest.find(['`', ']']) {
        if rest[at..].starts_with('`') {
            in_code = !in_code;
            rest = &rest[at + 1..];
            continue;
        }
        rest = &rest[at + 1..];
        if let Some(open) = rest.strip_prefix('(')
            && let Some(end) = open.find(')')
            && !in_code
        {
            found.push(&open[..end]);
            rest = &open[end + 1..];
        }
    }
    found
}

fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, directory: &str) -> Package {
        Package {
            name: name.to_owned(),
            directory: directory.into(),
            ..Package::default()
        }
    }

    #[test]
    fn the_map_names_the_crates_that_exist() {
        let packages = [
            package("znight-core", "znight-core"),
            package("rest-api", "examples/rest-api"),
        ];
        let sound = "| crate | role |\n| --- | --- |\n| `znight-core` | run time |\n| `examples/` | examples |\n";
        assert!(names_every_crate(sound, &packages).is_empty());
        assert_eq!(
            names_every_crate(
                "| crate |\n| `znight-cli` | tool |\n\n| `x` |\nand znight-gone too\n",
                &packages
            ),
            [
                "ARCHITECTURE.md: the table of crates has no row for `znight-core`",
                "ARCHITECTURE.md: the table of crates has no row for `rest-api`",
                "ARCHITECTURE.md: there is no crate `znight-cli`",
                "ARCHITECTURE.md: there is no crate `znight-gone`",
            ]
        );
    }

    #[test]
    fn the_map_names_what_exists() {
        let source = Text::of(
            "a/src/lib.rs",
            "pub struct Lazy; impl Scope { pub fn wrap() {} }",
        );
        let map = "`tools`, `Lazy`, `Scope::wrap`, `wrap::<T>()`, `ui/*.md` and\n`Gone` and `Lazy::gone()`\n```text\n`No`\n```\n";
        assert_eq!(
            names_what_exists(map, &[&source], &[package("tools", "tools")]),
            [
                "ARCHITECTURE.md:2: nothing is named `Gone` in the code",
                "ARCHITECTURE.md:2: nothing is named `gone` in the code",
            ]
        );
    }

    #[test]
    fn pages_and_codes_are_one_to_one() {
        let wanted = ["docs/errors/znight001.md", "docs/errors/znight002.md"].map(PathBuf::from);
        let present = [
            "docs/errors/README.md",
            "docs/errors/znight001.md",
            "docs/errors/znight009.md",
        ]
        .map(PathBuf::from);
        assert_eq!(
            pages(&wanted, &present),
            [
                "docs/errors/znight002.md: missing, run `cargo xtask codegen`",
                "docs/errors/znight009.md: no such code, run `cargo xtask codegen`",
            ]
        );
    }

    #[test]
    fn links_lead_to_files() {
        let text = "[a](errors/README.md#x) [b](../LICENSE) [c](https://x.y) [d](#z) [e](gone.md)\n\
                    `#[get](not a link)` and [f](errors/)\n```text\n[g](code)\n```\n";
        let file = Text::of("docs/README.md", text);
        let files = ["docs/errors/README.md", "LICENSE"].map(PathBuf::from);
        assert_eq!(
            links(&file, &files),
            ["docs/README.md:1: the link to `gone.md` leads nowhere"]
        );
    }
}
