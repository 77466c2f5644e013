//! `cargo xtask test`: everything a change must pass.
//!
//! Every step runs, even after one failed, so that one run shows all there is to repair.

use std::{
    ffi::OsString,
    path::PathBuf,
    process::{Command, Stdio},
    time::Instant,
};

use crate::{
    codegen,
    output::{say, seconds},
    tidy,
    workspace::cargo,
};

/// One step.
struct Step {
    /// Its name on the command line.
    name: &'static str,
    /// Whether `--quick` runs it.
    quick: bool,
    run: fn() -> Result<(), String>,
}

/// The steps, in order.
const STEPS: &[Step] = &[
    Step {
        name: "services",
        quick: true,
        run: services,
    },
    Step {
        name: "fmt",
        quick: true,
        run: fmt,
    },
    Step {
        name: "clippy",
        quick: true,
        run: clippy,
    },
    Step {
        name: "unit",
        quick: true,
        run: unit,
    },
    Step {
        name: "doctest",
        quick: false,
        run: doctest,
    },
    Step {
        name: "rustdoc",
        quick: false,
        run: rustdoc,
    },
    Step {
        name: "shuttle",
        quick: false,
        run: shuttle,
    },
    Step {
        name: "fuzz",
        quick: false,
        run: fuzz,
    },
    Step {
        name: "codegen",
        quick: false,
        run: || codegen::command(codegen::Mode::Check),
    },
    Step {
        name: "tidy",
        quick: false,
        run: tidy::command,
    },
];

/// `cargo xtask test [--quick] [STEP..]`
pub(crate) fn command(args: &[&str]) -> Result<(), String> {
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for step in select(args)? {
        say(&format!("==> {}", step.name));
        let start = Instant::now();
        let result = (step.run)();
        let time = seconds(start.elapsed());
        if let Err(problem) = &result {
            say(problem);
            failed.push(step.name);
        }
        let word = if result.is_ok() { "ok" } else { "FAILED" };
        lines.push(format!("  {:<9} {word:<6} {time:>7}", step.name));
        say(&format!("<== {}: {word} in {time}\n", step.name));
    }
    say(&lines.join("\n"));
    if failed.is_empty() {
        say("every step passed");
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join(", ")))
    }
}

fn select(args: &[&str]) -> Result<Vec<&'static Step>, String> {
    let quick = args.contains(&"--quick");
    let names: Vec<&str> = args
        .iter()
        .copied()
        .filter(|arg| *arg != "--quick")
        .collect();
    if let Some(unknown) = names
        .iter()
        .find(|name| STEPS.iter().all(|step| step.name != **name))
    {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(format!(
            "there is no step `{unknown}`; the steps are {}",
            known.join(", ")
        ));
    }
    Ok(STEPS
        .iter()
        .filter(|step| !quick || step.quick)
        .filter(|step| names.is_empty() || names.contains(&step.name))
        .collect())
}

/// Starts what tests talk to. Nothing so far: the databases of the examples are embedded.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a step may fail; this one has nothing to start yet"
)]
fn services() -> Result<(), String> {
    say("no service is needed");
    Ok(())
}

fn fmt() -> Result<(), String> {
    run(task(&["fmt", "--all", "--check"]))
}

fn clippy() -> Result<(), String> {
    let flags = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--keep-going",
    ];
    let mut clippy = task(&flags);
    clippy.args(["--", "-D", "warnings"]);
    run(clippy)?;
    // What is tested has every feature; what most applications have is a crate with few.
    let mut clippy = task(&[
        "clippy",
        "-p",
        "znight-http",
        "--all-targets",
        "--keep-going",
    ]);
    clippy.args(["--", "-D", "warnings"]);
    run(clippy)
}

/// Unit tests, integration tests, and with them the fixtures under `tests/`.
fn unit() -> Result<(), String> {
    let nextest = task(&["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if nextest {
        run(task(&[
            "nextest",
            "run",
            "--workspace",
            "--all-features",
            "--no-fail-fast",
        ]))
    } else {
        run(task(&[
            "test",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--no-fail-fast",
        ]))
    }
}

fn doctest() -> Result<(), String> {
    run(task(&[
        "test",
        "--workspace",
        "--doc",
        "--all-features",
        "--no-fail-fast",
    ]))
}

fn rustdoc() -> Result<(), String> {
    let mut doc = task(&[
        "doc",
        "--workspace",
        "--all-features",
        "--no-deps",
        "--keep-going",
    ]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    run(doc)
}

/// The tests of what threads share, with the locks of `shuttle`. They are built apart: the flag counts for
/// every crate.
fn shuttle() -> Result<(), String> {
    let mut task = task(&["test", "-p", "znight-core", "--test", "shuttle"]);
    let shared = target_directory(|name| std::env::var_os(name))
        .or_else(|| std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from))
        .unwrap_or_else(|| PathBuf::from("target"));
    task.env("CARGO_TARGET_DIR", shared.join("shuttle"))
        .env("RUSTFLAGS", "--cfg shuttle");
    run(task)
}

/// The fuzz targets are a workspace of their own: they need flags to run, and none to be checked.
fn fuzz() -> Result<(), String> {
    run(task(&["check", "--manifest-path", "fuzz/Cargo.toml"]))
}

fn task(args: &[&str]) -> Command {
    let mut task = cargo();
    task.args(args).stdin(Stdio::null());
    let target = target_directory(|name| std::env::var_os(name));
    if let Some(directory) = target {
        task.env("CARGO_TARGET_DIR", directory);
    }
    task
}

/// Where to build when nobody said so: on a build server, outside of the checkout, where the next
/// run finds it.
fn target_directory(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if var("CARGO_TARGET_DIR").is_some() || var("CI")? != "true" {
        return None;
    }
    let cache = match var("XDG_CACHE_HOME") {
        Some(cache) => PathBuf::from(cache),
        None => PathBuf::from(var("HOME")?).join(".cache"),
    };
    Some(cache.join("znight-target"))
}

fn run(mut command: Command) -> Result<(), String> {
    let words: Vec<_> = command
        .get_args()
        .map(|arg| arg.to_string_lossy())
        .collect();
    let line = format!("cargo {}", words.join(" "));
    say(&line);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed: {status}")),
        Err(error) => Err(format!("cannot run `{line}`: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(args: &[&str]) -> Result<Vec<&'static str>, String> {
        Ok(select(args)?.iter().map(|step| step.name).collect())
    }

    #[test]
    fn steps_are_selected_by_name_and_by_speed() {
        assert_eq!(names(&[]).map(|steps| steps.len()), Ok(STEPS.len()));
        assert_eq!(names(&["tidy", "fmt"]), Ok(vec!["fmt", "tidy"]));
        assert_eq!(
            names(&["--quick"]),
            Ok(vec!["services", "fmt", "clippy", "unit"])
        );
        assert!(names(&["lint"]).is_err_and(|text| text.contains("no step `lint`")));
    }

    #[test]
    fn a_build_server_builds_outside_of_the_checkout() {
        let directory = |vars: &[(&str, &str)]| {
            target_directory(|name| {
                vars.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(directory(&[("HOME", "/h")]), None);
        assert_eq!(
            directory(&[("HOME", "/h"), ("CI", "true")]),
            Some("/h/.cache/znight-target".into())
        );
        assert_eq!(
            directory(&[("HOME", "/h"), ("CI", "true"), ("XDG_CACHE_HOME", "/c")]),
            Some("/c/znight-target".into())
        );
        assert_eq!(
            directory(&[("HOME", "/h"), ("CI", "true"), ("CARGO_TARGET_DIR", "/t")]),
            None
        );
    }
}
