//! `cargo xtask tidy`: rules of the repository that no compiler checks.
//!
//! Each rule is a function from plain data to findings, one file for each subject.

mod boundaries;
mod documents;
mod goldens;
mod sources;

use std::path::{Path, PathBuf};

use znight_contract::codes;

use crate::{codegen, output::say, workspace::Workspace};

/// One violation: where, what, and what to do.
type Finding = String;

/// A file of the repository with its text.
#[derive(Debug, Clone)]
struct Text {
    /// Relative to the root.
    path: PathBuf,
    text: String,
}

#[cfg(test)]
impl Text {
    /// A file for a test.
    fn of(path: &str, text: &str) -> Self {
        Self {
            path: path.into(),
            text: text.to_owned(),
        }
    }
}

/// `cargo xtask tidy`
pub(crate) fn command() -> Result<(), String> {
    let workspace = Workspace::load()?;
    let findings = check(&workspace);
    if findings.is_empty() {
        say("tidy: nothing to complain about");
        return Ok(());
    }
    Err(format!(
        "tidy: {} findings\n  {}",
        findings.len(),
        findings.join("\n  ")
    ))
}

fn check(workspace: &Workspace) -> Vec<Finding> {
    let files = workspace.files();
    let texts: Vec<Text> = files
        .iter()
        .filter_map(|path| {
            Some(Text {
                path: path.clone(),
                text: workspace.text(path)?,
            })
        })
        .collect();
    let read = |path: &Path| {
        texts
            .iter()
            .find(|text| text.path == path)
            .map_or("", |text| text.text.as_str())
    };
    let packages = &workspace.packages;
    let pages: Vec<PathBuf> = codes::ALL.iter().map(codegen::page_path).collect();

    let mut findings = Vec::new();
    findings.extend(boundaries::check(packages));
    for package in packages {
        let manifest = package.directory.join("Cargo.toml");
        findings.extend(sources::inherits_lints(&manifest, read(&manifest)));
        for root in &package.roots {
            findings.extend(sources::forbids_unsafe(root, read(root)));
        }
    }
    findings.extend(sources::self_named(&files));
    for text in &texts {
        findings.extend(sources::words(text));
        findings.extend(sources::home_paths(text));
    }
    findings.extend(documents::names_every_crate(
        read(Path::new("ARCHITECTURE.md")),
        packages,
    ));
    let sources: Vec<&Text> = texts
        .iter()
        .filter(|text| has_extension(&text.path, "rs") && !text.path.starts_with("xtask"))
        .collect();
    findings.extend(documents::names_what_exists(
        read(Path::new("ARCHITECTURE.md")),
        &sources,
        packages,
    ));
    findings.extend(documents::pages(&pages, &files));
    for text in texts.iter().filter(|text| has_extension(&text.path, "md")) {
        findings.extend(documents::links(text, &files));
    }
    findings.extend(goldens::snapshots(&texts));
    findings.extend(goldens::outputs(&files));
    findings
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Whether a text holds a name, not as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}
