//! The build pass, with the extension of the jobs.

fn main() {
    znight_build::Compiler::new()
        .extension(acme_jobs_compiler::Jobs)
        .compile();
}
