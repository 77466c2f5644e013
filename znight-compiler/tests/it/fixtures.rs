//! Every mistake the compiler knows, and every rule it follows, as pages: the source, what is said of it, and
//! why.
//!
//! A page holds files in blocks headed `rust src/lib.rs` and one block `text` with all diagnostics.
//! A line a diagnostic points at ends in `//~ ZNIGHT001`. With `UPDATE=1` the text blocks are written.
//!
//! A page may hold several cases, each an application of its own under a heading `## `. Their answers show what
//! each provider gets as well, a line each: `Service: One(Repo), Unbound`. `graph!()` is added where no file
//! has it.

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use znight_compiler::{
    Options, Output,
    cfg::World,
    compile, diagnostic,
    diagnostic::{Diagnostic, Worlds},
    resolve::Externs,
    settings::Settings,
    source::Memory,
};
use znight_contract::{ErrorCode, codes};
use znight_tests::Page;

use crate::support::{PRELUDE, options};

/// Codes no page raises: those of the running application, of settings and of tools.
const AT_RUN_TIME: &[&str] = &[
    "ZNIGHT013",
    "ZNIGHT015",
    "ZNIGHT016",
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
        let name = path.file_name().expect("a name").to_string_lossy();
        let mut answered = String::new();
        let cases = Page::cases(&text);
        let is_alone = cases.len() == 1;
        for (title, text) in cases {
            if title.is_empty() && !is_alone {
                // What stands above the cases.
                answered.push_str(&text);
                continue;
            }
            let case = Case::read(&name, &title, &text);
            let output = case.compile();
            raised.extend(
                output
                    .diagnostics
                    .iter()
                    .map(|diagnostic| diagnostic.code.to_string()),
            );
            case.check_markers(&output, &mut failures);
            let mut found = render(&output);
            found.push_str(&conditional(&output));
            if !is_alone {
                found.push_str(&bindings(&output));
            }
            if found != case.page.golden && env::var_os("UPDATE").is_none() {
                let _ = writeln!(
                    failures,
                    "{}: expected\n{}\nfound\n{found}",
                    case.name, case.page.golden
                );
            }
            answered.push_str(&case.page.answered(&found));
            answered.push('\n');
        }
        let answered = format!("{}\n", answered.trim_end());
        if env::var_os("UPDATE").is_some() && answered != text {
            fs::write(&path, answered).expect("the page is written");
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

#[test]
fn cases_have_names_of_their_own() {
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a page");
        let mut seen = BTreeSet::new();
        for (title, _) in Page::cases(&text) {
            assert!(
                seen.insert(title.clone()),
                "{}: two cases are called `{title}`",
                path.display()
            );
        }
    }
}

/// One application of a page.
struct Case {
    /// Page and case, for messages.
    name: String,
    page: Page,
}

impl Case {
    fn read(page: &str, title: &str, text: &str) -> Self {
        let name = if title.is_empty() {
            page.to_owned()
        } else {
            format!("{page}, \"{title}\"")
        };
        let mut page = Page::read(text);
        let has_root = page
            .files
            .iter()
            .any(|(_, text)| text.contains("graph!") || text.contains("library!"));
        // Every file knows the prelude, on its first line: inner attributes stand before it.
        for (name, text) in &mut page.files {
            let attributes = text.split_inclusive('\n');
            let after: usize = attributes
                .take_while(|line| line.starts_with("#!["))
                .map(str::len)
                .sum();
            if Path::new(name)
                .extension()
                .is_some_and(|ending| ending == "rs")
            {
                text.insert_str(after, &PRELUDE.replace('\n', " "));
            }
            if name == "src/lib.rs" && !has_root {
                text.insert_str(after, "znight::graph!(); ");
            }
        }
        Self { name, page }
    }

    fn compile(&self) -> Output {
        let files = &self.page.files;
        let manifest = files.iter().find(|(name, _)| name == "Cargo.toml");
        let asks = |setting: &str| manifest.is_some_and(|(_, text)| text.contains(setting));
        let plain = options();
        let options = Options {
            settings: Settings {
                report_unused: asks("report-unused = true"),
                strict_validation: asks("strict-validation = true"),
                allow: asks("allow = [\"ZNIGHT017\"]")
                    .then_some(ErrorCode::UnvalidatedInput)
                    .into_iter()
                    .collect(),
                deny: asks("deny = [\"ZNIGHT017\"]")
                    .then_some(ErrorCode::UnvalidatedInput)
                    .into_iter()
                    .collect(),
                ..Settings::default()
            },
            externs: Externs {
                rooted_uses: asks("edition = \"2015\""),
                ..plain.externs
            },
            // Pages of ZNIGHT022 show what `znight check` says.
            check: self.name.starts_with("022_"),
            ..plain
        };
        let sources = files.iter().fold(Memory::new(), |sources, (name, text)| {
            sources.file(name, text)
        });
        compile(&options, &sources)
    }

    fn check_markers(&self, output: &Output, failures: &mut String) {
        let mut expected = BTreeSet::new();
        for (file, text) in &self.page.files {
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
                "{}: marked {expected:?}\nreported {found:?}\n{}",
                self.name,
                render(output)
            );
        }
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

fn render(output: &Output) -> String {
    output.diagnostics.iter().map(shown).collect()
}

/// What rustc decides, each with the macro that does.
fn conditional(output: &Output) -> String {
    let found = output.conditional.iter();
    let lines: Vec<String> = found
        .map(|found| format!("{}: {}", found.only, shown(&found.diagnostic)))
        .collect();
    lines.concat()
}

fn shown(found: &Diagnostic) -> String {
    let place = &found.place.location;
    let message = diagnostic::message(found);
    // The last line names the page of the code, in every diagnostic alike.
    let message = message
        .rsplit_once("\n  = docs:")
        .map_or(message.as_str(), |(before, _)| before);
    let tests = if found.worlds == Worlds::Only(World::Test) {
        "in tests, "
    } else {
        ""
    };
    format!(
        "{tests}{}:{}:{}: {}: {message}\n",
        place.file, place.line, place.column, found.severity
    )
}

/// What each provider gets, in both worlds where they differ.
fn bindings(output: &Output) -> String {
    let graphs: Vec<&str> = output.graph.split("z::GraphData {").skip(1).collect();
    if graphs.is_empty() && !output.ok() {
        return String::new();
    }
    if !output.graph.contains("cfg(test)") {
        return graphs
            .first()
            .map_or_else(|| "no graph\n".to_owned(), |graph| providers(graph));
    }
    let (production, test) = output.graph.split_once("#[cfg(test)]").expect("two graphs");
    let of = |graph: &str| {
        let found = graph.split_once("z::GraphData {");
        found.map_or_else(|| "no graph\n".to_owned(), |(_, graph)| providers(graph))
    };
    format!("[production]\n{}[tests]\n{}", of(production), of(test))
}

/// A line for each provider of a graph, in order.
fn providers(graph: &str) -> String {
    let (entries, after) = graph.split_once("order:").expect("the order of creation");
    let entries: Vec<&str> = entries.split("z::Entry {").skip(1).collect();
    let field = |entry: &str, name: &str| {
        let (_, after) = entry.split_once(&format!(" {name}: ")).expect("a field");
        let line = after.lines().next().unwrap_or_default();
        line.trim_end_matches(',').to_owned()
    };
    let unquoted = |entry: &str, name: &str| {
        let (_, after) = entry.split_once(&format!(" {name}: \"")).expect("a text");
        let (text, _) = after.split_once('"').expect("its end");
        text.to_owned()
    };
    let displays: Vec<String> = entries
        .iter()
        .map(|entry| unquoted(entry, "display"))
        .collect();
    let names: Vec<String> = entries
        .iter()
        .zip(&displays)
        .map(|(entry, display)| {
            let is_alone = displays.iter().filter(|other| *other == display).count() == 1;
            if is_alone {
                display.clone()
            } else {
                unquoted(entry, "token")
            }
        })
        .collect();
    let externals: Vec<String> = after
        .split("z::External {")
        .skip(1)
        .map(|external| unquoted(external, "display"))
        .collect();
    let mut out = String::new();
    for (entry, name) in entries.iter().zip(&names) {
        let deps = named(&field(entry, "deps"), &names, &externals);
        let uses = named(&field(entry, "uses"), &names, &externals);
        let deps = if deps.is_empty() {
            deps
        } else {
            format!(": {deps}")
        };
        let uses = if uses.is_empty() {
            uses
        } else {
            format!(", with {uses}")
        };
        let _ = writeln!(out, "{name}{deps}{uses}");
    }
    out
}

/// A list of dependencies with names for numbers.
fn named(list: &str, names: &[String], externals: &[String]) -> String {
    let list = list
        .trim_start_matches("&[")
        .strip_suffix(']')
        .unwrap_or(list);
    let list = list
        .replace("z::Dep::", "")
        .replace("(&[", "(")
        .replace("])", ")");
    let mut out = String::new();
    for part in list.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        let Ok(number) = digits.parse::<usize>() else {
            out.push_str(part);
            continue;
        };
        let of = if out.ends_with("External(") {
            externals
        } else {
            names
        };
        out.push_str(&of[number]);
        out.push_str(&part[digits.len()..]);
    }
    out
}
