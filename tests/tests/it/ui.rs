//! What the compiler says of real packages: place, marked text and message.
//!
//! Every page of `tests/ui` is a package; all are checked by one Cargo command. With `UPDATE=1` the
//! golden answers are written. A page whose title says so may hold errors of rustc's own.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::PathBuf};

use znight_tests::{Message, Packages, Page, checkout, messages, printed};

#[test]
fn every_page_is_answered_on_its_tokens() {
    let pages = pages();
    let names: Vec<&str> = pages.keys().map(String::as_str).collect();
    let packages = Packages::workspace(&names);
    for (name, (_, page)) in &pages {
        packages.package(name, &[]);
        for (path, text) in &page.files {
            let text = text.replace("{checkout}", &checkout().display().to_string());
            packages.write(&format!("{name}/{path}"), &text);
        }
        if page.files.iter().any(|(path, _)| path == "no-build.rs") {
            packages.remove(&format!("{name}/build.rs"));
            packages.remove(&format!("{name}/no-build.rs"));
        }
    }
    let output = packages.cargo(
        "",
        &[
            "check",
            "--workspace",
            "--all-targets",
            "--keep-going",
            "--message-format=json",
        ],
    );
    let all = messages(&output);
    assert!(!all.is_empty(), "{}", printed(&output));
    let mut failures = String::new();
    for (name, (path, page)) in &pages {
        let found: Vec<&Message> = all
            .iter()
            .filter(|message| message.package == *name)
            .collect();
        if !page.golden.contains("rustc's own") {
            for message in found
                .iter()
                .filter(|message| message.level == "error" && !message.is_ours())
            {
                let _ = writeln!(failures, "{name}: not ours: {}", message.render());
            }
        }
        let mut rendered = String::new();
        if page.golden.contains("rustc's own") {
            rendered.push_str("(with errors that are rustc's own)\n");
        }
        for message in found {
            let _ = writeln!(rendered, "{}", message.render());
        }
        if rendered.is_empty() {
            rendered.push_str("nothing\n");
        }
        page.compare(path, &rendered, &mut failures);
    }
    assert!(failures.is_empty(), "{failures}");
}

fn pages() -> BTreeMap<String, (PathBuf, Page)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(checkout().join("tests/ui")).expect("pages") {
        let path = entry.expect("a page").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("a page");
        found.insert(name, (path, Page::read(&text)));
    }
    found
}
