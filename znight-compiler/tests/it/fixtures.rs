//! Every mistake the compiler knows, as a page: the source, what is said of it, and why.
//!
//! A page holds files in blocks headed `rust src/lib.rs` and one block `text` with all diagnostics.
//! A line a diagnostic points at ends in `//~ ZNIGHT001`. With `UPDATE=1` the text blocks are written.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use znight_compiler::{Options, Output, compile, diagnostic, settings::Settings, source::Memory};
use znight_contract::codes;
use znight_tests::Page;

use crate::support::{PRELUDE, options};

/// Codes no page raises: those of the running application, of settings and of tools.
const AT_RUN_TIME: &[&str] = &[
    "ZNIGHT013",
    "ZNIGHT015",
    "ZNIGHT016",
    "ZNIGHT017",
    "ZNIGHT018",
    "ZNIGHT020",
    "ZNIGHT021",
];

#[test]
fn every_page_is_answered_as_written() {
    let mut failures = String::new();
    let mut raised = BTreeSet::new();
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a page");
        let mut page = Page::read(&text);
        // Every file knows the prelude, on its first line.
        let sources = page
            .files
            .iter_mut()
            .filter(|(name, _)| name != "Cargo.toml");
        for (_, text) in sources {
            text.insert_str(0, &PRELUDE.replace('\n', " "));
        }
        let manifest = page.files.iter().find(|(name, _)| name == "Cargo.toml");
        let asks = |setting: &str| manifest.is_some_and(|(_, text)| text.contains(setting));
        let options = Options {
            settings: Settings {
                report_unused: asks("report-unused = true"),
                ..Settings::default()
            },
            // Pages of ZNIGHT022 show what `znight check` says.
            check: path.to_string_lossy().contains("022_"),
            ..options()
        };
        let sources = page
            .files
            .iter()
            .fold(Memory::new(), |sources, (name, text)| {
                sources.file(name, text)
            });
        let output = compile(&options, &sources);
        raised.extend(
            output
                .diagnostics
                .iter()
                .map(|diagnostic| diagnostic.code.to_string()),
        );
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        check_markers(&name, &page, &output, &mut failures);
        let rendered = render(&output);
        page.compare(&path, &rendered, &mut failures);
    }
    assert!(failures.is_empty(), "{failures}");
    for entry in codes::ALL {
        let code = entry.code.to_string();
        assert!(
            raised.contains(&code) || AT_RUN_TIME.contains(&code.as_str()),
            "no page raises {code}: add one to tests/fixtures"
        );
    }
}

fn pages() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found: Vec<PathBuf> = fs::read_dir(directory)
        .expect("pages")
        .map(|entry| entry.expect("a page").path())
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

fn check_markers(name: &str, page: &Page, output: &Output, failures: &mut String) {
    let mut expected = BTreeSet::new();
    for (file, text) in &page.files {
        for (index, line) in text.lines().enumerate() {
            if let Some((_, codes)) = line.split_once("//~") {
                expected.extend(
                    codes
                        .split_whitespace()
                        .map(|code| (file.clone(), index + 1, code.to_owned())),
                );
            }
        }
    }
    let found: BTreeSet<(String, usize, String)> = output
        .diagnostics
        .iter()
        .map(|diagnostic| {
            (
                diagnostic.place.location.file.clone(),
                diagnostic.place.location.line,
                diagnostic.code.to_string(),
            )
        })
        .collect();
    if expected != found {
        let _ = writeln!(
            failures,
            "{name}: marked {expected:?}\nreported {found:?}\n{}",
            render(output)
        );
    }
}

fn render(output: &Output) -> String {
    let mut out = String::new();
    for found in &output.diagnostics {
        let place = &found.place.location;
        let message = diagnostic::message(found);
        // The last line names the page of the code, in every diagnostic alike.
        let message = message
            .rsplit_once("\n  = docs:")
            .map_or(message.as_str(), |(before, _)| before);
        let _ = writeln!(
            out,
            "{}:{}:{}: {}: {message}",
            place.file, place.line, place.column, found.severity
        );
    }
    out
}
