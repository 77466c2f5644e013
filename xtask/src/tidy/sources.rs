//! What every source file, manifest and crate root has or has not.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{Finding, Text, has_extension};

/// What no Rust file holds outside of string literals.
const WORDS: &[(&str, &str)] = &[
    ("todo!(", "finish it, or leave it out"),
    ("unimplemented!(", "finish it, or leave it out"),
    ("dbg!(", "it is for the desk of its author"),
    (
        "#[ignore",
        "a test that does not run proves nothing: repair or remove it",
    ),
    (
        "FIXME",
        "repair it, or write down in an issue what is wrong",
    ),
];

/// Where somebody's own files are: such a path works on one machine only. Written in two halves, so
/// that this file passes.
const HOMES: &[&str] = &[
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
];

/// `[lints] workspace = true`
pub(super) fn inherits_lints(manifest: &Path, text: &str) -> Option<Finding> {
    let mut section = "";
    let inherits = text.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            section = line;
        }
        let line = line.replace(' ', "");
        (section == "[lints]" && line == "workspace=true")
            || (section.is_empty() && line == "lints.workspace=true")
    });
    (!inherits).then(|| {
        format!(
            "{}: add `[lints]` with `workspace = true`",
            manifest.display()
        )
    })
}

/// `#![forbid(unsafe_code)]` in the root of a crate.
pub(super) fn forbids_unsafe(root: &Path, text: &str) -> Option<Finding> {
    let forbids = text
        .lines()
        .any(|line| line.trim() == "#![forbid(unsafe_code)]");
    (!forbids).then(|| format!("{}: add `#![forbid(unsafe_code)]`", root.display()))
}

/// No `name.rs` beside `name/`: the file of a folder is its `mod.rs`.
pub(super) fn self_named(files: &[PathBuf]) -> Vec<Finding> {
    let folders: BTreeSet<&Path> = files
        .iter()
        .filter(|path| has_extension(path, "rs"))
        .filter_map(|path| path.parent())
        .flat_map(Path::ancestors)
        .collect();
    files
        .iter()
        .filter(|path| has_extension(path, "rs"))
        .filter(|path| path.iter().any(|part| part == "src"))
        .filter(|path| folders.contains(path.with_extension("").as_path()))
        .map(|path| {
            let folder = path.with_extension("");
            format!(
                "{}: move it to {}",
                path.display(),
                folder.join("mod.rs").display()
            )
        })
        .collect()
}

/// No unfinished work in Rust files.
pub(super) fn words(file: &Text) -> Vec<Finding> {
    if !has_extension(&file.path, "rs") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        for (word, why) in WORDS {
            if line
                .match_indices(word)
                .any(|(at, _)| !in_string(&line[..at]))
            {
                findings.push(format!("{}:{number}: `{word}`: {why}", file.path.display()));
            }
        }
    }
    findings
}

/// Whether a line is inside a string literal after this beginning.
fn in_string(beginning: &str) -> bool {
    let plain = beginning
        .replace("\\\\", "")
        .replace("\\\"", "")
        .replace("'\"'", "");
    plain.matches('"').count() % 2 == 1
}

/// No absolute path of somebody's own machine, in any text.
pub(super) fn home_paths(file: &Text) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        for home in HOMES {
            // After a letter or a dot it is the middle of a longer path or of an address.
            let absolute = line.match_indices(home).any(|(at, _)| {
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || ".-_~$}/".contains(c))
            });
            if absolute {
                findings.push(format!(
                    "{}:{number}: a path below `{home}` exists on one machine only",
                    file.path.display()
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_are_inherited_in_either_spelling() {
        let manifest = Path::new("a/Cargo.toml");
        assert_eq!(
            inherits_lints(manifest, "[package]\n[lints]\nworkspace = true\n"),
            None
        );
        assert_eq!(inherits_lints(manifest, "lints.workspace = true\n"), None);
        assert!(inherits_lints(manifest, "[dependencies]\nworkspace = true\n").is_some());
        assert!(inherits_lints(manifest, "").is_some());
    }

    #[test]
    fn a_root_forbids_unsafe_code() {
        let root = Path::new("a/src/lib.rs");
        assert_eq!(
            forbids_unsafe(root, "//! Doc.\n#![forbid(unsafe_code)]\n"),
            None
        );
        assert!(forbids_unsafe(root, "//! #![forbid(unsafe_code)]\n").is_some());
    }

    #[test]
    fn the_file_of_a_folder_is_its_mod() {
        let files = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            self_named(&files(&["a/src/x.rs", "a/src/x/y.rs"])),
            ["a/src/x.rs: move it to a/src/x/mod.rs"]
        );
        let sound = [
            "a/src/x.rs",
            "a/src/z/mod.rs",
            "a/tests/it.rs",
            "a/tests/it/b.rs",
        ];
        assert!(self_named(&files(&sound)).is_empty());
    }

    #[test]
    fn unfinished_work_is_found() {
        let text = format!("fn a() {{\n    {})\n}}\n", WORDS[0].0);
        assert_eq!(words(&Text::of("a/src/lib.rs", &text)).len(), 1);
        let quoted = format!("let a = \"\\\"{})\";\n", WORDS[0].0);
        assert!(
            words(&Text::of("a/src/lib.rs", &quoted)).is_empty(),
            "{quoted}"
        );
        assert!(words(&Text::of("a/notes.md", &text)).is_empty());
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        let found = |line: &str| !home_paths(&Text::of("a.md", line)).is_empty();
        let home = HOMES[0];
        assert!(found(&format!("see `{home}x`")));
        assert!(found(&format!("{home}x")));
        assert!(!found(&format!("https://example.com{home}x")));
        assert!(!found(&format!("$HOME{home}x")));
    }
}
