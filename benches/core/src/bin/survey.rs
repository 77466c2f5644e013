//! The analysis on crates nobody here wrote: does every `mod` and every `use` lead somewhere?
//!
//! What is not found is listed with `survey -- list`. Words besides that choose crates by name.
#![forbid(unsafe_code)]

use std::{env, panic::resume_unwind, process::ExitCode, thread};

use znight_benches::{
    print::note,
    survey::{
        count::{Counts, Kind, count},
        packages::{self, Package},
        unwrapped::Unwrapped,
    },
};

/// What asks for the list.
const LIST: &str = "list";

/// Bytes.
const STACK: usize = 64 << 20;

/// Crates that many know, and that use much of the language.
const CRATES: &[&str] = &[
    "axum",
    "axum-core",
    "futures-util",
    "generic-array",
    "h2",
    "hashbrown",
    "http",
    "hyper",
    "hyper-util",
    "libc",
    "mio",
    "num-traits",
    "proc-macro2",
    "proptest",
    "rand",
    "regex",
    "regex-automata",
    "regex-syntax",
    "rustix",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "sqlx",
    "sqlx-core",
    "sqlx-postgres",
    "syn",
    "thiserror",
    "tokio",
    "tokio-util",
    "toml",
    "tower",
    "tower-http",
    "tracing",
    "tracing-subscriber",
    "typenum",
    "url",
    "winnow",
    "zerovec",
];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let listed = words.iter().any(|word| word == LIST);
    let chosen: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| *word != LIST)
        .collect();
    let packages = match packages::from_registry() {
        Ok(packages) => packages,
        Err(problem) => {
            note(&format!("survey: {problem}"));
            return ExitCode::FAILURE;
        }
    };
    note(&row(&HEAD.map(str::to_owned)));
    let mut all_found = true;
    for package in packages
        .iter()
        .filter(|package| wanted(&package.name, &chosen))
    {
        let (counts, calls) = apart(package);
        note(&row(&cells(package, &counts, calls)));
        if listed {
            counts
                .notes
                .iter()
                .for_each(|line| note(&format!("    {line}")));
        }
        all_found &= sound(&counts);
    }
    if all_found {
        ExitCode::SUCCESS
    } else {
        note("survey: something was not found: `-- list` says what");
        ExitCode::FAILURE
    }
}

fn wanted(name: &str, chosen: &[&str]) -> bool {
    if chosen.is_empty() {
        CRATES.contains(&name)
    } else {
        chosen.contains(&"all") || chosen.contains(&name)
    }
}

/// In a thread of its own: `proc_macro2` keeps every text a thread has parsed.
fn apart(package: &Package) -> (Counts, usize) {
    let counted = thread::scope(|scope| {
        let work = || {
            let sources = Unwrapped::new(&package.root);
            let counts = count(package, &sources);
            (counts, sources.calls())
        };
        // Types that are nested deeply take a deep stack to parse.
        let thread = thread::Builder::new().stack_size(STACK);
        thread
            .spawn_scoped(scope, work)
            .map(thread::ScopedJoinHandle::join)
    });
    let counted = counted.expect("invariant: threads can be made");
    counted.unwrap_or_else(|panic| resume_unwind(panic))
}

fn sound(counts: &Counts) -> bool {
    let missing = counts.uses.get(&Kind::Missing).copied().unwrap_or_default();
    counts.broken == 0 && counts.lost == 0 && missing == 0 && counts.impls.missing == 0
}

const HEAD: [&str; 16] = [
    "crate",
    "files",
    "lines",
    "modules",
    "broken",
    "lost",
    "own",
    "foreign",
    "unknown",
    "ambiguous",
    "doubtful",
    "missing",
    "impls",
    "unknown/missing",
    "facts, names",
    "unknown behind",
];

fn cells(package: &Package, counts: &Counts, calls: usize) -> [String; 16] {
    let uses = |kind: Kind| {
        counts
            .uses
            .get(&kind)
            .copied()
            .unwrap_or_default()
            .to_string()
    };
    let lines = u32::try_from(counts.lines.max(1)).unwrap_or(u32::MAX);
    // Milliseconds for a thousand lines.
    let each = |seconds: f64| seconds * 1e6 / f64::from(lines);
    let mut behind: Vec<String> = counts
        .macros
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    if calls > 0 {
        behind.push(format!("({calls} cfg_..! replaced)"));
    }
    [
        format!("{} {}", package.name, package.version),
        counts.files.to_string(),
        counts.lines.to_string(),
        counts.modules.to_string(),
        counts.broken.to_string(),
        counts.lost.to_string(),
        uses(Kind::Own),
        uses(Kind::Foreign),
        uses(Kind::Unknown),
        uses(Kind::Ambiguous),
        uses(Kind::Doubtful),
        uses(Kind::Missing),
        counts.impls.found.to_string(),
        format!("{}/{}", counts.impls.unknown, counts.impls.missing),
        format!("{:.2} + {:.2}", each(counts.facts), each(counts.names)),
        behind.join(", "),
    ]
}

fn row(cells: &[String]) -> String {
    let widths = [26, 6, 7, 8, 7, 5, 6, 8, 8, 10, 9, 8, 6, 16, 14, 0];
    let padded: Vec<String> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| format!("{cell:width$}"))
        .collect();
    padded.concat().trim_end().to_owned()
}
