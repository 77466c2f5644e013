//! The analysis of a build script: 500 providers in 500 files of about 57 lines.
//!
//! Cargo builds build scripts unoptimised, so both ways are measured: this binary in its own
//! profile, and once more in the one of development, as a child.
#![forbid(unsafe_code)]

use std::{
    cell::Cell,
    env, fs, io,
    panic::resume_unwind,
    path::Path,
    process::{Command, ExitCode},
    thread,
};

use proc_macro2::TokenStream;
use znight_benches::{
    generate::{Files, Flavor, Shape, lines},
    measure::{in_turns, once},
    print::{Unit, figure, note},
};
use znight_compiler::{
    Options, Output, Role,
    cfg::Cfg,
    compile, compile_with,
    facts::{self, Cache, Files as FactFiles, Names},
    resolve::{self, Externs},
    source::{Disk, Sources, blank::blank_bodies},
};

/// What the child is told, so that it has no child of its own.
const ALONE: &str = "alone";

fn main() -> ExitCode {
    let optimised = !cfg!(debug_assertions);
    if let Err(error) = measure(optimised) {
        note(&format!("analysis: {error}"));
        return ExitCode::FAILURE;
    }
    if !optimised || env::args().nth(1).as_deref() == Some(ALONE) {
        return ExitCode::SUCCESS;
    }
    let child = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet", "--package", env!("CARGO_PKG_NAME")])
        .args(["--bin", env!("CARGO_BIN_NAME"), "--", ALONE])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    match child {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => {
            note("analysis: the unoptimised run failed");
            ExitCode::FAILURE
        }
    }
}

/// Targets: 100 ms cold and 25 ms with one file changed when optimised (goals 60 and 10 ms); 450 ms and
/// 80 ms unoptimised (goals 300 and 50 ms).
///
/// Files are read from a directory, as a build script does, and come from the cache of the operating
/// system. With one file changed, the facts of the others come from bytes an earlier analysis left, and
/// the bytes for the next one are made: all that a build script does but for reading and writing them.
fn measure(optimised: bool) -> io::Result<()> {
    let profile = if optimised {
        "optimised"
    } else {
        "unoptimised"
    };
    let rounds = if optimised { 21 } else { 7 };
    let shape = Shape::ANALYSIS;
    let files = shape.sources(Flavor::Znight);
    let package = tempfile::tempdir()?;
    for (path, text) in &files {
        let path = package.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    let sources = Below(package.path());
    let options = options();
    let (output, cache) = compile_with(&options, &sources, &Cache::default());
    if !sound(&output, shape) {
        return Err(io::Error::other("the generated application is not sound"));
    }
    note(&format!(
        "analysis: {} files, {} lines; the graph has {} kB, the records have {} kB",
        files.len(),
        lines(&files),
        output.graph.len() / 1000,
        output.records.values().map(String::len).sum::<usize>() / 1000,
    ));

    let kept = cache.to_bytes();
    note(&format!("analysis: {} kB are kept", kept.len() / 1000));
    let edits = Cell::new(0);
    let [cold, changed, read, blank, lex, facts, load] = in_turns(
        rounds,
        [
            &mut || apart(|| compile(&options, &sources)),
            &mut || {
                edits.set(edits.get() + 1);
                let (path, text) = shape.edited(Flavor::Znight, 250, edits.get());
                // Failing to write it would show as no change, which costs the same.
                let _ = fs::write(package.path().join(path), text);
                apart(|| {
                    let (output, cache) =
                        compile_with(&options, &sources, &Cache::from_bytes(&kept));
                    (output, cache.to_bytes())
                })
            },
            &mut || apart(|| each_text(&files, |path, _| sources.read(path).map(|t| t.len()))),
            &mut || apart(|| each_text(&files, |_, text| blank_bodies(text))),
            &mut || {
                let blank: Vec<String> = files.values().map(|text| blank_bodies(text)).collect();
                apart(|| {
                    blank
                        .iter()
                        .filter_map(|text| text.parse::<TokenStream>().ok())
                        .count()
                })
            },
            &mut || apart(|| each_text(&files, |_, text| facts::read(text, &Names::default()))),
            &mut || {
                let cfg = Cfg::new();
                apart(|| {
                    let cache = Cache::default();
                    let files = FactFiles::new(&sources, &cache, &options.extensions);
                    resolve::load(
                        "shop",
                        Path::new("src/lib.rs"),
                        &cfg,
                        &options.externs,
                        &files,
                    )
                })
            },
        ],
    );
    let name = |what: &str| format!("analysis/{profile}, {what}");
    figure(&name("cold"), &cold, Unit::Ms, None);
    figure(
        &name("one file changed"),
        &changed,
        Unit::Ms,
        Some(("cold", &cold)),
    );
    let whole = Some(("cold", &cold));
    figure(&name("part: reading files"), &read, Unit::Ms, whole);
    figure(&name("part: blanking bodies"), &blank, Unit::Ms, whole);
    figure(&name("part: tokens"), &lex, Unit::Ms, whole);
    let parse = facts.minus(&blank).minus(&lex);
    figure(&name("part: parsing, facts"), &parse, Unit::Ms, whole);
    let rest = cold.minus(&load);
    figure(&name("part: names to graph"), &rest, Unit::Ms, whole);
    Ok(())
}

/// How long it takes in a thread of its own: `proc_macro2` keeps every text a thread has parsed and
/// looks all of them through, and a build script starts with none.
fn apart<R>(work: impl FnOnce() -> R + Send) -> f64 {
    let measured = thread::scope(|scope| scope.spawn(|| once(work).0).join());
    measured.unwrap_or_else(|panic| resume_unwind(panic))
}

fn each_text<R>(files: &Files, mut work: impl FnMut(&Path, &str) -> R) -> Vec<R> {
    files
        .iter()
        .map(|(path, text)| work(Path::new(path), text))
        .collect()
}

fn sound(output: &Output, shape: Shape) -> bool {
    output.diagnostics.is_empty()
        && output.role == Some(Role::Application)
        && output.providers == shape.providers
}

fn options() -> Options {
    Options {
        cfg: Cfg::new().name("unix").pair("target_os", "linux"),
        externs: Externs {
            facade: "znight".to_owned(),
            crates: ["serde", "tokio"].map(str::to_owned).into(),
            ..Externs::default()
        },
        ..Options::new("shop", "src/lib.rs")
    }
}

/// The files of a package, by paths relative to it.
#[derive(Debug)]
struct Below<'a>(&'a Path);

impl Sources for Below<'_> {
    fn read(&self, path: &Path) -> Option<String> {
        Disk.read(&self.0.join(path))
    }
}
