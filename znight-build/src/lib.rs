//! The build script entry of Znight.
//!
//! ```no_run
//! // build.rs
//! fn main() {
//!     znight_build::compile();
//! }
//! ```
//!
//! [`compile`] analyses the library of the package (or its binary, when that is where `graph!()` or
//! `library!()` stands), writes the dependency graph and what is wrong into `OUT_DIR`, and tells Cargo which files to
//! watch. It does not fail for mistakes in your code: the attributes raise those as compiler errors on
//! the exact tokens, all at once.
#![forbid(unsafe_code)]
#![expect(
    clippy::needless_doctest_main,
    reason = "a build script is its main function"
)]

mod cargo;
mod manifest;
mod output;
mod packages;
pub mod settings;

use std::{
    cell::OnceCell,
    collections::BTreeSet,
    panic::resume_unwind,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    thread,
};

use znight_compiler::{
    Options, Output, Role,
    extension::{CompilerExtension, Extensions},
    facts::Cache,
    packages::Packages,
    settings::SourceLocations,
    source::{Disk, Sources as _},
};
use znight_syntax::record;

use crate::{cargo::Cargo, manifest::Manifest, packages::Question};

/// Analyses the package this build script belongs to.
///
/// Nothing is printed for a sound application. Problems of the script itself (an unreadable
/// `Cargo.toml`, an `OUT_DIR` that cannot be written) fail the build with a `cargo::error` line.
pub fn compile() {
    Compiler::new().compile();
}

/// The build pass with settings.
///
/// ```no_run
/// fn main() {
///     // A `cfg` your own script sets for the crate:
///     println!("cargo::rustc-cfg=has_gpu");
///     znight_build::Compiler::new().cfg("has_gpu").compile();
/// }
/// ```
#[derive(Debug, Default)]
pub struct Compiler {
    cfgs: Vec<String>,
    extensions: Extensions,
}

impl Compiler {
    /// The default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells of a `cfg` name that this build script switches on with `cargo::rustc-cfg`.
    ///
    /// Without it, items under a name Cargo does not know are taken to be present.
    #[must_use]
    pub fn cfg(mut self, name: impl Into<String>) -> Self {
        self.cfgs.push(name.into());
        self
    }

    /// Adds a feature that brings attributes of its own: see
    /// [`CompilerExtension`].
    ///
    /// ```no_run
    /// # use znight_compiler::extension::{Analysis, AttributeSpec, CompilerExtension, Item};
    /// # #[derive(Debug)] struct Jobs;
    /// # impl CompilerExtension for Jobs {
    /// #     fn name(&self) -> &'static str { "jobs" }
    /// #     fn attributes(&self) -> Vec<AttributeSpec> { Vec::new() }
    /// #     fn analyse(&self, _: &Item<'_>, _: &mut Analysis<'_, '_>) {}
    /// # }
    /// fn main() {
    ///     znight_build::Compiler::new().extension(Jobs).compile();
    /// }
    /// ```
    #[must_use]
    pub fn extension(mut self, extension: impl CompilerExtension + 'static) -> Self {
        self.extensions = self.extensions.with(Arc::new(extension));
        self
    }

    /// Runs the pass; see [`compile`].
    pub fn compile(self) {
        let pass = move || Cargo::from_env().and_then(|cargo| self.run(&cargo));
        let result = match thread::Builder::new().stack_size(STACK).spawn(pass) {
            Ok(pass) => pass.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(problem) => Err(format!("no thread can be started: {problem}")),
        };
        match result {
            Ok(watch) => cargo::watch(&watch),
            Err(problem) => cargo::fail(&problem),
        }
    }

    fn run(&self, cargo: &Cargo) -> Result<BTreeSet<PathBuf>, String> {
        let manifest = Manifest::read(&cargo.package)?;
        let cfg = self
            .cfgs
            .iter()
            .fold(cargo.cfg.clone(), |cfg, name| cfg.own_name(name));
        let root = cargo.out.join(record::DIRECTORY);
        let kept_packages = root.join("packages");
        let sources = Below {
            package: &cargo.package,
            question: Question {
                package: &cargo.package,
                workspace: manifest.workspace.as_deref(),
                kept: &kept_packages,
                features: &cargo.features,
                target: &cargo.target,
            },
            packages: OnceCell::new(),
        };
        let text = sources.read(Path::new(settings::FILE)).unwrap_or_default();
        let (settings, problems) = settings::read(&text);
        let libraries = sources.question.may_have_libraries();
        let mut watch: BTreeSet<PathBuf> = manifest.files.iter().cloned().collect();
        let mut kept = BTreeSet::new();
        let mut applications = false;
        for target in &manifest.targets {
            // `graph!()` and `library!()` stand in the root file: the marker they define has to.
            let mentions = sources
                .read(&target.root)
                .is_some_and(|text| text.contains("graph!") || text.contains("library!"));
            if !mentions {
                continue;
            }
            let options = Options {
                crate_name: target.crate_name.clone(),
                binary: target.binary.clone(),
                root: target.root.clone(),
                cfg: cfg.clone(),
                externs: manifest.externs.clone(),
                libraries,
                settings: settings.clone(),
                problems: problems.clone(),
                extensions: self.extensions.clone(),
                others: manifest
                    .targets
                    .iter()
                    .filter(|other| *other != target)
                    .map(|other| other.root.clone())
                    .collect(),
                mocks: manifest.testing.mocks(&cargo.features),
                source_locations: match settings.source_locations {
                    SourceLocations::Always => true,
                    SourceLocations::Dev => cargo.unoptimised,
                    SourceLocations::Never => false,
                },
                check: false,
                compiler: env!("CARGO_PKG_VERSION").to_owned(),
            };
            let directory = record::target_directory(target.binary.as_deref());
            let facts = root.join(format!("{directory}.facts"));
            let cache = Cache::from_bytes(&output::kept(&facts));
            let (output, cache) = znight_compiler::compile_with(&options, &sources, &cache);
            if output.role.is_none() {
                continue;
            }
            output
                .warnings
                .iter()
                .for_each(|warning| cargo::warn(warning));
            output::keep(&facts, &cache.to_bytes())?;
            write(&root.join(&directory), &output)?;
            watch.extend(output.watch);
            applications |= output.role == Some(Role::Application);
            kept.insert(directory);
        }
        if kept.is_empty() {
            // A `graph!()` may appear in any of them.
            watch.extend(manifest.targets.iter().map(|target| target.root.clone()));
        }
        if let Some(Err(problem)) = sources.packages.get() {
            cargo::warn(&format!(
                "Znight sees no provider libraries and no sources of other crates: {problem}"
            ));
        }
        // A dependency may become a library, or come to use one. A file that is not there would make Cargo
        // run the script for ever.
        let lock = sources.question.lock();
        if applications && lock.is_file() {
            watch.insert(lock);
        }
        output::finish(&root, &kept)?;
        watch.insert(root.join(record::RERUN_FILE));
        Ok(watch)
    }
}

/// The stack of the pass, in bytes. Types and expressions that are nested deeply take a deep one to parse, and
/// more of it without optimisation: what rustc can read is to be read.
const STACK: usize = 64 << 20;

/// The files of a package, by paths relative to it, and those of others by their own.
#[derive(Debug)]
struct Below<'a> {
    package: &'a Path,
    question: Question<'a>,
    packages: OnceCell<Result<Rc<Packages>, String>>,
}

impl znight_compiler::source::Sources for Below<'_> {
    fn read(&self, path: &Path) -> Option<String> {
        Disk.read(&self.package.join(path))
    }

    fn beside(&self, directory: &Path) -> Vec<PathBuf> {
        let found = Disk.beside(&self.package.join(directory));
        let relative = |path: PathBuf| Some(directory.join(path.file_name()?));
        found.into_iter().filter_map(relative).collect()
    }

    fn packages(&self) -> Option<Rc<Packages>> {
        let answer = self
            .packages
            .get_or_init(|| self.question.ask().map(Rc::new));
        answer.as_ref().ok().cloned()
    }
}

fn write(directory: &Path, output: &Output) -> Result<(), String> {
    output::sync(directory, &output.records, &output.graph)
}
