//! Files written from the error catalogue of `znight-contract`, and from a table of arities.
//!
//! - `docs/errors/znightNNN.md`: one page for each code;
//! - `docs/errors/README.md`: the table of codes;
//! - `znight/src/errors.md`: all of it as one page of the API documentation;
//! - `znight-http/src/handler/arities.rs`: see [`arities`].

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use znight_contract::codes::{self, Entry};

use crate::{arities, output::say, workspace::Workspace};

/// The directory of the pages.
const PAGES: &str = "docs/errors";
const MARK: &str =
    "<!-- Written by `cargo xtask codegen` from the catalogue in znight-contract. -->";

/// The mark of a generated source file.
pub(crate) const MARK_COMMENT: &str = "Written by `cargo xtask codegen`; do not edit.";

/// What to do with a stale file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Write it.
    Write,
    /// Report it.
    Check,
}

/// `cargo xtask codegen [--check]`
pub(crate) fn command(mode: Mode) -> Result<(), String> {
    let workspace = Workspace::load()?;
    let mut files = files(codes::ALL);
    files.insert(arities::PATH.into(), arities::text());
    let stale = run(&workspace.root, &files, mode)?;
    match mode {
        Mode::Check if stale.is_empty() => say("codegen: every generated file is current"),
        Mode::Check => {
            return Err(format!(
                "codegen: stale files, run `cargo xtask codegen`:\n  {}",
                stale.join("\n  ")
            ));
        }
        Mode::Write => say(&format!("codegen: {} files changed", stale.len())),
    }
    Ok(())
}

/// The paths below `root` whose content is not the wanted one, pages of codes that are gone
/// included. [`Mode::Write`] makes them right.
fn run(root: &Path, files: &BTreeMap<PathBuf, String>, mode: Mode) -> Result<Vec<String>, String> {
    let mut stale = Vec::new();
    for (path, text) in files {
        let full = root.join(path);
        if fs::read_to_string(&full).is_ok_and(|present| present == *text) {
            continue;
        }
        stale.push(path.display().to_string());
        if mode == Mode::Write {
            let directory = full.parent().unwrap_or(root);
            fs::create_dir_all(directory)
                .and_then(|()| fs::write(&full, text))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
    }
    let present = fs::read_dir(root.join(PAGES))
        .into_iter()
        .flatten()
        .flatten();
    for entry in present {
        let path = Path::new(PAGES).join(entry.file_name());
        if files.contains_key(&path) {
            continue;
        }
        stale.push(path.display().to_string());
        if mode == Mode::Write {
            fs::remove_file(entry.path())
                .map_err(|error| format!("cannot remove {}: {error}", path.display()))?;
        }
    }
    Ok(stale)
}

fn files(entries: &[Entry]) -> BTreeMap<PathBuf, String> {
    let mut files: BTreeMap<PathBuf, String> = entries
        .iter()
        .map(|entry| (page_path(entry), page(entry)))
        .collect();
    files.insert(Path::new(PAGES).join("README.md"), index(entries));
    files.insert(PathBuf::from("znight/src/errors.md"), rustdoc(entries));
    files
}

/// Where the page of a code is.
pub(crate) fn page_path(entry: &Entry) -> PathBuf {
    Path::new(PAGES).join(format!("{}.md", entry.code.anchor()))
}

fn page(entry: &Entry) -> String {
    format!(
        "{MARK}\n\n# {}: {}\n\n{}\n\n{}\n",
        entry.code,
        entry.title,
        facts(entry),
        entry.page.trim()
    )
}

fn facts(entry: &Entry) -> String {
    format!("Severity: {}. Since: {}.", entry.severity, entry.since)
}

fn index(entries: &[Entry]) -> String {
    let mut out = format!(
        "{MARK}\n\n# Error codes\n\n\
         A code names one kind of problem for ever: it is never reused, and its meaning does not change.\n\n"
    );
    table(&mut out, entries, |entry| {
        format!("{}.md", entry.code.anchor())
    });
    out
}

fn table(out: &mut String, entries: &[Entry], link: impl Fn(&Entry) -> String) {
    out.push_str("| code | what it means | severity | since |\n| --- | --- | --- | --- |\n");
    for entry in entries {
        let _ = writeln!(
            out,
            "| [{}]({}) | {} | {} | {} |",
            entry.code,
            link(entry),
            entry.title,
            entry.severity,
            entry.since
        );
    }
}

fn rustdoc(entries: &[Entry]) -> String {
    let mut out = format!(
        "What each `ZNIGHTxxx` code means, and how to get rid of it.\n\n{MARK}\n\n\
         The code stands first in the message of an error, whether `cargo build` reports it or the start of an\n\
         application. A code names one kind of problem for ever.\n\n"
    );
    table(&mut out, entries, |entry| {
        format!("#{}", entry.code.anchor())
    });
    for entry in entries {
        let _ = write!(
            out,
            "\n<a id=\"{}\"></a>\n\n## {}: {}\n\n{}\n\n{}\n",
            entry.code.anchor(),
            entry.code,
            entry.title,
            facts(entry),
            below_heading(entry.page.trim())
        );
    }
    out
}

/// A page fitted below a heading of the second level: its own headings one level deeper, and its
/// fragments of Rust marked as text, because rustdoc would compile them as tests otherwise.
fn below_heading(page: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in page.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        let line = match fence {
            Some(open) => {
                if ticks.len() >= open.len() && line.len() == ticks.len() {
                    fence = None;
                }
                line.to_owned()
            }
            None if ticks.len() >= 3 => {
                fence = Some(ticks);
                let language = &line[ticks.len()..];
                if language.is_empty() || language.starts_with("rust") {
                    format!("{ticks}text")
                } else {
                    line.to_owned()
                }
            }
            None if line.starts_with('#') => format!("#{line}"),
            None => line.to_owned(),
        };
        lines.push(line);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use znight_contract::{ErrorCode, codes::Severity};

    use super::*;

    fn entry(page: &'static str) -> Entry {
        Entry {
            code: ErrorCode::MissingProvider,
            title: "Missing provider",
            severity: Severity::Error,
            since: "0.1.0",
            page,
        }
    }

    #[test]
    fn rustdoc_compiles_no_fragment_and_headings_move_down() {
        let page = "Text.\n\n```rust\n#[injectable]\n# hidden\n```\n\n```toml\n# a comment\n```\n\n```\nbare\n```\n\n## How to fix it\n";
        assert_eq!(
            below_heading(page),
            "Text.\n\n```text\n#[injectable]\n# hidden\n```\n\n```toml\n# a comment\n```\n\n```text\nbare\n```\n\n### How to fix it"
        );
    }

    #[test]
    fn the_anchor_stands_before_the_heading() {
        let text = rustdoc(&[entry("Text.\n")]);
        assert!(
            text.contains("\n<a id=\"znight001\"></a>\n\n## ZNIGHT001: Missing provider\n"),
            "{text}"
        );
        assert!(text.contains("| [ZNIGHT001](#znight001) | Missing provider | error | 0.1.0 |"));
    }

    #[test]
    fn stale_files_are_reported_then_written() {
        let root = tempfile::tempdir().expect("a directory");
        let gone = root.path().join("docs/errors/znight999.md");
        fs::create_dir_all(root.path().join(PAGES)).expect("a directory");
        fs::write(&gone, "").expect("a file");
        let wanted = files(&[entry("Text.\n")]);

        let all = [
            "docs/errors/README.md",
            "docs/errors/znight001.md",
            "znight/src/errors.md",
            "docs/errors/znight999.md",
        ];
        assert_eq!(
            run(root.path(), &wanted, Mode::Check).as_deref(),
            Ok(&all.map(str::to_owned)[..])
        );
        assert!(gone.exists());
        assert!(run(root.path(), &wanted, Mode::Write).is_ok());
        assert!(!gone.exists());
        assert_eq!(run(root.path(), &wanted, Mode::Check), Ok(Vec::new()));
    }
}
