//! Recorded outputs whose test is gone.

use std::path::PathBuf;

use super::{Finding, Text, has_extension, has_word};

/// insta snapshots without a test, and new ones nobody has accepted.
///
/// A snapshot names its source file in its header; its file name ends in the test's name, or in the
/// name given to the assertion.
pub(super) fn snapshots(texts: &[Text]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for snapshot in texts {
        let path = snapshot.path.display();
        let name = snapshot
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if name.ends_with(".snap.new") || name.ends_with(".pending-snap") {
            findings.push(format!("{path}: accept or remove this new snapshot"));
        }
        let Some(name) = name.strip_suffix(".snap") else {
            continue;
        };
        let source = header(&snapshot.text, "source").unwrap_or_default();
        let Some(test) = texts
            .iter()
            .find(|text| !source.is_empty() && text.path.ends_with(source))
        else {
            findings.push(format!("{path}: its source file `{source}` does not exist"));
            continue;
        };
        let input = header(&snapshot.text, "input_file");
        if let Some(input) = input
            && !texts.iter().any(|text| text.path.ends_with(input))
        {
            findings.push(format!("{path}: its input file `{input}` does not exist"));
        }
        let wanted = test_name(name);
        if !has_word(&test.text, wanted) {
            findings.push(format!("{path}: `{source}` has no test `{wanted}`"));
        }
    }
    findings
}

/// Expected outputs without the input that makes them: `x.stderr` needs `x.rs`, a folder `x` or a
/// package beside it.
pub(super) fn outputs(files: &[PathBuf]) -> Vec<Finding> {
    files
        .iter()
        .filter(|path| {
            ["stderr", "stdout", "golden"]
                .iter()
                .any(|extension| has_extension(path, extension))
        })
        .filter(|path| {
            let source = path.with_extension("rs");
            let folder = path.with_extension("");
            let package = path.with_file_name("Cargo.toml");
            !files
                .iter()
                .any(|file| *file == source || *file == package || file.starts_with(&folder))
        })
        .map(|path| format!("{}: what makes this output is gone", path.display()))
        .collect()
}

/// The value of a line `key: value` in the header of a snapshot.
fn header<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.strip_prefix("---\n")?
        .lines()
        .take_while(|line| *line != "---")
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
        .map(|value| value.trim_matches('"'))
}

/// `name` of `crate__module__name@input-2`.
fn test_name(file: &str) -> &str {
    let name = file.split('@').next().unwrap_or(file);
    let name = name.rsplit("__").next().unwrap_or(name);
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match digits.strip_suffix('-') {
        Some(stem) if digits.len() < name.len() => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_belongs_to_a_test() {
        let snapshot = |name: &str, source: &str| {
            Text::of(
                &format!("a/src/snapshots/{name}.snap"),
                &format!("---\nsource: {source}\nexpression: out\n---\ntext\n"),
            )
        };
        let texts = [
            Text::of("a/src/render.rs", "#[test]\nfn a_cycle_is_drawn() {}\n"),
            snapshot("a__render__tests__a_cycle_is_drawn", "a/src/render.rs"),
            snapshot("a__render__tests__a_cycle_is_drawn-2", "a/src/render.rs"),
            snapshot("a__render__tests__a_cycle", "a/src/render.rs"),
            snapshot("a__gone__x", "a/src/gone.rs"),
            Text::of("a/src/snapshots/x.snap.new", ""),
        ];
        assert_eq!(
            snapshots(&texts),
            [
                "a/src/snapshots/a__render__tests__a_cycle.snap: `a/src/render.rs` has no test `a_cycle`",
                "a/src/snapshots/a__gone__x.snap: its source file `a/src/gone.rs` does not exist",
                "a/src/snapshots/x.snap.new: accept or remove this new snapshot",
            ]
        );
    }

    #[test]
    fn an_output_has_its_input_beside_it() {
        let files = [
            "ui/a.rs",
            "ui/a.stderr",
            "ui/b.stderr",
            "app/Cargo.toml",
            "app/expected.stderr",
        ]
        .map(PathBuf::from);
        assert_eq!(
            outputs(&files),
            ["ui/b.stderr: what makes this output is gone"]
        );
    }

    #[test]
    fn the_name_of_the_test_is_the_last_part() {
        assert_eq!(test_name("a__b__the_name@file.rs"), "the_name");
        assert_eq!(test_name("a__b__v2"), "v2");
        assert_eq!(test_name("a__b__name-12"), "name");
    }
}
