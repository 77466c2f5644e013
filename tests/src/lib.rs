//! Packages made for a test and built by the real Cargo.
//!
//! They stand outside of the workspace, depend on its crates by path, share one target directory (so
//! that dependencies are compiled once) and use the workspace's `Cargo.lock`, offline.
#![forbid(unsafe_code)]

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Mutex, MutexGuard, PoisonError},
};

mod messages;
mod pages;

pub use messages::{Message, messages};
pub use pages::Page;

/// The checkout.
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default()
}

/// The target directory all made packages share: beside that of the workspace, for the next run.
fn target() -> PathBuf {
    let outer =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from);
    let outer = if outer.is_absolute() {
        outer
    } else {
        checkout().join(outer)
    };
    outer.join("made-packages")
}

/// A manifest for a package that depends on Znight by path.
pub fn manifest(name: &str) -> String {
    let checkout = checkout().display().to_string();
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n\
         znight = {{ path = \"{checkout}/znight\" }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n\
         thiserror = \"2\"\n\
         tokio = {{ version = \"1\", features = [\"rt-multi-thread\", \"macros\"] }}\n\n\
         [dev-dependencies]\n\
         znight-testing = {{ path = \"{checkout}/znight-testing\" }}\n\n\
         [build-dependencies]\n\
         znight-build = {{ path = \"{checkout}/znight-build\" }}\n"
    )
}

/// The build script every package has.
pub const BUILD_SCRIPT: &str = "fn main() {\n    znight_build::compile();\n}\n";

/// A directory with packages.
#[derive(Debug)]
pub struct Packages {
    directory: tempfile::TempDir,
    target: PathBuf,
}

/// Cargo locks a target directory; one command at a time keeps tests from waiting inside it.
static CARGO: Mutex<()> = Mutex::new(());

impl Packages {
    /// A workspace with these members.
    ///
    /// # Panics
    /// When the directory cannot be written.
    pub fn workspace(members: &[&str]) -> Self {
        let packages = Self::alone();
        let members: Vec<String> = members
            .iter()
            .map(|member| format!("\"{member}\""))
            .collect();
        packages.write(
            "Cargo.toml",
            &format!(
                "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[profile.dev]\ndebug = false\n",
                members.join(", ")
            ),
        );
        packages
    }

    /// A directory that is a package of its own, or will be.
    ///
    /// # Panics
    /// When the directory cannot be written.
    pub fn alone() -> Self {
        let directory = tempfile::Builder::new()
            .prefix("znight-test-")
            .tempdir()
            .expect("a directory");
        let packages = Self {
            directory,
            target: target(),
        };
        let lock = fs::read_to_string(checkout().join("Cargo.lock")).expect("the lock file");
        packages.write("Cargo.lock", &lock);
        packages
    }

    /// Where the packages are.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The target directory they share.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes a file, directories included.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("a directory");
        }
        fs::write(&path, text).expect("a file");
    }

    /// The text of a file.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).expect("a file")
    }

    /// Writes a package: its manifest, its build script and these files.
    pub fn package(&self, name: &str, files: &[(&str, &str)]) {
        self.write(&format!("{name}/Cargo.toml"), &manifest(name));
        self.write(&format!("{name}/build.rs"), BUILD_SCRIPT);
        for (path, text) in files {
            self.write(&format!("{name}/{path}"), text);
        }
    }

    /// The graph of a package's library that was generated last.
    ///
    /// # Panics
    /// When there is none.
    pub fn newest_graph(&self, name: &str) -> String {
        let build = self.target().join("debug/build");
        let mut found: Vec<_> = fs::read_dir(build)
            .expect("build directories")
            .flatten()
            .filter(|entry| {
                let directory = entry.file_name();
                let directory = directory.to_string_lossy();
                // The name is followed by a hash.
                directory.rsplit_once('-').is_some_and(|(of, _)| of == name)
            })
            .map(|entry| entry.path().join("out/znight/lib/graph.rs"))
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        found.sort();
        let (_, newest) = found.last().expect("a graph");
        fs::read_to_string(newest).expect("a graph")
    }

    /// Adds dependencies to a package: what each is called and how its manifest asks for it.
    ///
    /// # Panics
    /// When there is no such package.
    pub fn depend(&self, name: &str, dependencies: &[(&str, &str)]) {
        let path = format!("{name}/Cargo.toml");
        let mut lines = String::from("[dependencies]\n");
        for (name, how) in dependencies {
            let _ = writeln!(lines, "{name} = {{ {how} }}");
        }
        let manifest = self.read(&path);
        self.write(&path, &manifest.replacen("[dependencies]\n", &lines, 1));
    }

    /// Removes a file.
    ///
    /// # Panics
    /// When it is not there.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.path().join(path)).expect("a file to remove");
    }

    /// Runs Cargo in a directory below.
    ///
    /// # Panics
    /// When Cargo cannot be started.
    pub fn cargo(&self, below: &str, arguments: &[&str]) -> Output {
        let _turn = turn();
        self.command(below, arguments)
            .output()
            .expect("cargo starts")
    }

    /// A Cargo command in a directory below, not yet started.
    pub fn command(&self, below: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(self.path().join(below))
            .args(arguments)
            .arg("--offline")
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_TERM_COLOR", "never")
            // What the outer Cargo set for this test is not meant for the inner one.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("OUT_DIR");
        command
    }
}

fn turn() -> MutexGuard<'static, ()> {
    CARGO.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything a command printed, for the message of a failed test.
pub fn printed(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
