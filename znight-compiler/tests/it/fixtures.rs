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

use znight_compiler::{Output, diagnostic};
use znight_contract::codes;

use crate::support::{PRELUDE, app};

/// Codes that only the running application raises.
const AT_RUN_TIME: &[&str] = &[
    "ZNIGHT013",
    "ZNIGHT015",
    "ZNIGHT016",
    "ZNIGHT018",
    "ZNIGHT021",
];

#[test]
fn every_page_is_answered_as_written() {
    let mut failures = String::new();
    let mut raised = BTreeSet::new();
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a page");
        let page = Page::read(&text);
        let output = app(&page
            .files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect::<Vec<_>>());
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
        if rendered != page.golden {
            if std::env::var_os("UPDATE").is_some() {
                fs::write(&path, Page::with_golden(&text, &rendered)).expect("the page is written");
            } else {
                let _ = writeln!(
                    failures,
                    "{name}: expected\n{}\nfound\n{rendered}",
                    page.golden
                );
            }
        }
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

struct Page {
    files: Vec<(String, String)>,
    golden: String,
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self {
            files: Vec::new(),
            golden: String::new(),
        };
        let mut block: Option<(String, String)> = None;
        for line in text.lines() {
            match (&mut block, line.strip_prefix("```")) {
                (None, Some(head)) => {
                    let file = head
                        .strip_prefix("rust ")
                        .unwrap_or_default()
                        .trim()
                        .to_owned();
                    // The root declares the graph, every file knows the prelude.
                    let start = if head.starts_with("rust") {
                        PRELUDE.replace('\n', " ")
                    } else {
                        String::new()
                    };
                    block = Some((file, start));
                }
                (Some(_), Some(_)) => {
                    let (file, text) = block.take().expect("an open block");
                    if file.is_empty() {
                        page.golden = text;
                    } else {
                        page.files.push((file, text));
                    }
                }
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => {}
            }
        }
        page
    }

    fn with_golden(text: &str, golden: &str) -> String {
        let source = text.split("```text\n").next().unwrap_or(text).trim_end();
        format!("{source}\n\n```text\n{golden}```\n")
    }
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
                diagnostic.place.file.clone(),
                diagnostic.place.line,
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
        let place = &found.place;
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
