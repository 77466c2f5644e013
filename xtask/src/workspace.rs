//! What Cargo says of the workspace, and the files of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// The packages of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The directory of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Its members, by name.
    pub(crate) packages: Vec<Package>,
}

/// A member of the workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its description.
    pub(crate) description: Option<String>,
    /// Whether it may be published.
    pub(crate) published: bool,
    /// Its directory, relative to the root.
    pub(crate) directory: PathBuf,
    /// Its direct dependencies.
    pub(crate) dependencies: Vec<Dependency>,
    /// The names of its features.
    pub(crate) features: Vec<String>,
    /// The root files of its libraries and binaries, relative to the workspace.
    pub(crate) roots: Vec<PathBuf>,
    /// The names of its binaries.
    pub(crate) binaries: Vec<String>,
    /// `[package.metadata.xtask] bench = true`.
    pub(crate) bench: bool,
    /// Its binaries that are run only when they are asked for: `bench-by-name = [".."]`.
    pub(crate) bench_by_name: Vec<String>,
}

/// A direct dependency.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dependency {
    /// The package's name, whatever it is renamed to.
    pub(crate) name: String,
    /// Needed by tests, examples and benchmarks only.
    pub(crate) dev: bool,
    /// Compiled with a feature only.
    pub(crate) optional: bool,
}

impl Workspace {
    /// Asks Cargo.
    pub(crate) fn load() -> Result<Self, String> {
        let output = cargo()
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
        if !output.status.success() {
            return Err("cargo metadata failed".to_owned());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("cannot read the answer of cargo metadata: {error}"))?;
        Self::read(&metadata)
            .ok_or_else(|| "cargo metadata answered in a format unknown here".to_owned())
    }

    fn read(metadata: &Value) -> Option<Self> {
        let root = PathBuf::from(metadata["workspace_root"].as_str()?);
        let mut packages = metadata["packages"]
            .as_array()?
            .iter()
            .map(|package| Package::read(package, &root))
            .collect::<Option<Vec<_>>>()?;
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        Some(Self { root, packages })
    }

    /// The text of a file, by its path relative to the root.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    /// Every file of the repository, relative to the root and sorted; no build output.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        walk(&self.root, Path::new(""), &mut files);
        files.sort();
        files
    }
}

impl Package {
    fn read(package: &Value, root: &Path) -> Option<Self> {
        let below = |path: &str| {
            let path = Path::new(path);
            path.strip_prefix(root).unwrap_or(path).to_owned()
        };
        let directory = below(package["manifest_path"].as_str()?)
            .parent()?
            .to_owned();
        let mut roots = Vec::new();
        let mut binaries = Vec::new();
        for target in package["targets"].as_array()? {
            let kinds: Vec<&str> = target["kind"]
                .as_array()?
                .iter()
                .filter_map(Value::as_str)
                .collect();
            if kinds.contains(&"bin") {
                binaries.push(target["name"].as_str()?.to_owned());
            }
            if kinds
                .iter()
                .any(|kind| matches!(*kind, "bin" | "lib" | "proc-macro"))
            {
                roots.push(below(target["src_path"].as_str()?));
            }
        }
        Some(Self {
            name: package["name"].as_str()?.to_owned(),
            version: package["version"].as_str()?.to_owned(),
            description: package["description"].as_str().map(str::to_owned),
            // No list of registries means any; an empty one means none.
            published: package["publish"]
                .as_array()
                .is_none_or(|registries| !registries.is_empty()),
            directory,
            dependencies: package["dependencies"]
                .as_array()?
                .iter()
                .map(|dependency| {
                    Some(Dependency {
                        name: dependency["name"].as_str()?.to_owned(),
                        dev: dependency["kind"].as_str() == Some("dev"),
                        optional: dependency["optional"].as_bool()?,
                    })
                })
                .collect::<Option<_>>()?,
            features: package["features"].as_object()?.keys().cloned().collect(),
            roots,
            binaries,
            bench: package["metadata"]["xtask"]["bench"].as_bool() == Some(true),
            bench_by_name: package["metadata"]["xtask"]["bench-by-name"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
        })
    }
}

/// Cargo itself, the one that runs us.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn walk(root: &Path, below: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(root.join(below)) else {
        return;
    };
    for entry in entries.flatten() {
        let path = below.join(entry.file_name());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_file() {
            files.push(path);
        } else if kind.is_dir() {
            let full = root.join(&path);
            // Cargo marks its output directories, wherever they are.
            let output = entry.file_name() == "target" || full.join("CACHEDIR.TAG").exists();
            if entry.file_name() != ".git" && !output {
                walk(root, &path, files);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_cargo_is_read() {
        let metadata = serde_json::json!({
            "workspace_root": "/w",
            "packages": [{
                "name": "a", "version": "0.1.0", "description": null, "publish": [],
                "manifest_path": "/w/crates/a/Cargo.toml",
                "metadata": {"xtask": {"bench": true, "bench-by-name": ["b"]}},
                "features": {"x": []},
                "dependencies": [
                    {"name": "syn", "kind": null, "optional": true},
                    {"name": "insta", "kind": "dev", "optional": false},
                ],
                "targets": [
                    {"name": "a", "kind": ["lib"], "src_path": "/w/crates/a/src/lib.rs"},
                    {"name": "b", "kind": ["bin"], "src_path": "/w/crates/a/src/main.rs"},
                    {"name": "it", "kind": ["test"], "src_path": "/w/crates/a/tests/it.rs"},
                ],
            }],
        });
        let workspace = Workspace::read(&metadata).expect("a workspace");
        let package = &workspace.packages[0];
        assert_eq!(package.directory, Path::new("crates/a"));
        assert_eq!(
            package.roots,
            [
                Path::new("crates/a/src/lib.rs"),
                Path::new("crates/a/src/main.rs")
            ]
        );
        assert_eq!(package.binaries, ["b"]);
        assert_eq!(package.features, ["x"]);
        assert!(package.bench && !package.published);
        assert_eq!(package.bench_by_name, ["b"]);
        assert!(package.dependencies[0].optional && !package.dependencies[0].dev);
        assert!(package.dependencies[1].dev);
    }

    #[test]
    fn build_output_is_no_part_of_the_repository() {
        let root = tempfile::tempdir().expect("a directory");
        for file in [
            "src/lib.rs",
            "target/a.rs",
            "out/CACHEDIR.TAG",
            "out/b.rs",
            ".ci/run",
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, "").expect("a file");
        }
        let workspace = Workspace {
            root: root.path().to_owned(),
            packages: Vec::new(),
        };
        assert_eq!(
            workspace.files(),
            [Path::new(".ci/run"), Path::new("src/lib.rs")]
        );
    }
}
