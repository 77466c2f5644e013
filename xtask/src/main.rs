//! The chores of this repository, as `cargo xtask <command>`.
//!
//! - `test`: everything a change must pass; continuous integration runs the same ([`test`](mod@test)).
//! - `tidy`: rules of the repository that no compiler checks ([`tidy`]).
//! - `codegen`: files written from the error catalogue ([`codegen`]).
//! - `bench`: the benchmarks, in one table ([`bench`](mod@bench)).
#![forbid(unsafe_code)]

mod arities;
mod bench;
mod codegen;
mod output;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use crate::output::say;

const USAGE: &str = "\
cargo xtask test [--quick] [STEP..]   run every check, or the named steps
cargo xtask tidy                      check the rules of the repository
cargo xtask codegen [--check]         write the generated files, or say which are stale
cargo xtask bench [NAME..]            run the benchmarks, or those whose name contains NAME";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.split_first() {
        Some((&"test", rest)) => test::command(rest),
        Some((&"tidy", [])) => tidy::command(),
        Some((&"codegen", [])) => codegen::command(codegen::Mode::Write),
        Some((&"codegen", ["--check"])) => codegen::command(codegen::Mode::Check),
        Some((&"bench", rest)) => bench::command(rest),
        Some((&("help" | "--help" | "-h"), _)) | None => {
            say(USAGE);
            Ok(())
        }
        Some(_) => Err(format!(
            "there is no command `{}`\n\n{USAGE}",
            args.join(" ")
        )),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            say(&problem);
            ExitCode::FAILURE
        }
    }
}
