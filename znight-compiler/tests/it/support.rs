//! Applications in memory.

use std::path::PathBuf;

use znight_compiler::{Options, Output, cfg::Cfg, compile, resolve::Externs, source::Memory};

/// What every file of a test application starts with.
pub(crate) const PRELUDE: &str = "use std::sync::Arc;\nuse znight::prelude::*;\n";

/// The options of a library named `shop` on Linux with the feature `sql`.
pub(crate) fn options() -> Options {
    Options {
        crate_name: "shop".to_owned(),
        binary: None,
        root: PathBuf::from("src/lib.rs"),
        cfg: Cfg::new()
            .name("unix")
            .pair("target_os", "linux")
            .feature("sql"),
        externs: Externs {
            facade: "znight".to_owned(),
            crates: ["sqlx", "other"].map(str::to_owned).into(),
            ..Externs::default()
        },
        libraries: false,
        settings: znight_compiler::settings::Settings::default(),
        problems: Vec::new(),
        extensions: znight_compiler::extension::Extensions::default(),
        others: Vec::new(),
        source_locations: true,
        check: false,
        compiler: "0.1.0".to_owned(),
    }
}

/// Compiles an application of several files.
pub(crate) fn app(files: &[(&str, &str)]) -> Output {
    let sources = files.iter().fold(Memory::new(), |sources, (path, text)| {
        sources.file(*path, *text)
    });
    compile(&options(), &sources)
}

/// Compiles an application of one file, the prelude added.
pub(crate) fn one(text: &str) -> Output {
    app(&[(
        "src/lib.rs",
        &format!("{PRELUDE}{text}\nznight::graph!();\n"),
    )])
}

/// The codes that were reported, each with the text it stands at.
pub(crate) fn codes(output: &Output) -> Vec<String> {
    output
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.to_string())
        .collect()
}

/// Expects no diagnostics.
#[track_caller]
pub(crate) fn sound(output: &Output) {
    let messages: Vec<String> = output
        .diagnostics
        .iter()
        .map(|diagnostic| {
            format!(
                "{}:{}: {}",
                diagnostic.place.location.file, diagnostic.place.location.line, diagnostic.message
            )
        })
        .collect();
    assert!(messages.is_empty(), "{messages:#?}");
    assert!(
        !output.graph.contains("Graph::empty()"),
        "no graph:\n{}",
        output.graph
    );
}

/// The lines of the graph that mention a text, trimmed.
pub(crate) fn lines<'a>(output: &'a Output, text: &str) -> Vec<&'a str> {
    output
        .graph
        .lines()
        .map(str::trim)
        .filter(|line| line.contains(text))
        .collect()
}

/// The dependencies printed for a provider.
#[track_caller]
pub(crate) fn deps(output: &Output, display: &str) -> String {
    let entry = output
        .graph
        .split("z::Entry {")
        .find(|entry| entry.contains(&format!("display: \"{display}\"")))
        .unwrap_or_else(|| panic!("no provider {display}:\n{}", output.graph));
    let line = entry
        .lines()
        .find(|line| line.trim().starts_with("deps:"))
        .expect("a list of dependencies");
    line.trim()
        .trim_start_matches("deps: &")
        .trim_end_matches(',')
        .replace("z::Dep::", "")
}
