//! Where a macro is expanded, and what the build pass recorded of that place.
//!
//! Nothing is kept between calls: a host like rust-analyzer keeps the process for days.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

use crate::record::{self, Exist, Item, Mocks, Target};
use znight_contract::RELEASE_LINE;

/// What is known of the place of a macro call.
#[derive(Debug)]
pub enum Place {
    /// A file of an analysed target: its items are recorded, and what is not was not seen.
    Analysed(Target, Vec<Item>),
    /// The target is analysed, but the host does not tell positions: only what is recorded of an
    /// equal item may be said.
    Unplaced(Target, Vec<Item>),
    /// A test, an example, a doctest, a further binary: nothing is recorded of it.
    Elsewhere {
        /// The path of the facade crate.
        facade: String,
        /// Who sees the mocks of the package.
        mocks: Mocks,
    },
}

impl Place {
    /// Who sees the mocks of the package.
    pub fn mocks(&self) -> Mocks {
        match self {
            Self::Analysed(target, _) | Self::Unplaced(target, _) => target.mocks,
            Self::Elsewhere { mocks, .. } => *mocks,
        }
    }

    /// The path of the facade crate as this package knows it.
    pub fn facade(&self) -> &str {
        match self {
            Self::Analysed(target, _) | Self::Unplaced(target, _) => &target.facade,
            Self::Elsewhere { facade, .. } => facade,
        }
    }
}

/// What a macro can see of its surroundings; a value, so that tests can make one up.
#[derive(Debug, Default, Clone)]
pub struct Host {
    /// Where the build pass wrote: `OUT_DIR`.
    pub out: Option<PathBuf>,
    /// The package: `CARGO_MANIFEST_DIR`.
    pub package: Option<PathBuf>,
    /// The crate being compiled: `CARGO_CRATE_NAME`.
    pub crate_name: Option<String>,
    /// The binary being compiled: `CARGO_BIN_NAME`.
    pub binary: Option<String>,
}

impl Host {
    /// The host of this call.
    pub fn current() -> Self {
        Self {
            out: env::var_os("OUT_DIR").map(PathBuf::from),
            package: env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from),
            crate_name: env::var("CARGO_CRATE_NAME").ok(),
            binary: env::var("CARGO_BIN_NAME").ok(),
        }
    }

    /// The directory with the records of the target being compiled, if it is analysed.
    pub fn target(&self) -> Option<(PathBuf, Target)> {
        let root = self.out.as_ref()?.join(record::DIRECTORY);
        let read = |directory: PathBuf| {
            let text = fs::read_to_string(directory.join(record::TARGET_FILE)).ok()?;
            Some((directory, Target::read(&text)?))
        };
        let own = read(root.join(record::target_directory(self.binary.as_deref())));
        let found = own.or_else(|| {
            // A host that does not name binaries: the only analysed target is meant.
            let others = targets(&root);
            match (&self.binary, &others[..]) {
                (None, [only]) => read(only.clone()),
                _ => None,
            }
        })?;
        let same_crate = self
            .crate_name
            .as_ref()
            .is_none_or(|name| *name == found.1.crate_name);
        same_crate.then_some(found)
    }

    /// What is recorded of the place of a call in this file.
    pub fn place(&self, file: Option<&Path>) -> Place {
        let Some((directory, target)) = self.target() else {
            return self.elsewhere();
        };
        let Some(file) = file.and_then(|file| self.relative(file)) else {
            let items = all_items(&directory);
            return Place::Unplaced(target, items);
        };
        // Every analysed file has a record, if only an empty one.
        let Ok(text) = fs::read_to_string(directory.join(record::file_name(&file))) else {
            return Place::Elsewhere {
                facade: target.facade,
                mocks: outside(target.mocks),
            };
        };
        let items = Item::read_all(&text).unwrap_or_default();
        Place::Analysed(target, items)
    }

    /// Asks for the build script to run again: the records are older than the source.
    pub fn rerun(&self) {
        let Some(out) = &self.out else { return };
        let file = out.join(record::DIRECTORY).join(record::RERUN_FILE);
        if let Ok(file) = fs::OpenOptions::new().write(true).open(file) {
            // When it fails, the message of the caller still says what to do.
            let _ = file.set_modified(std::time::SystemTime::now());
        }
    }

    /// Whether a build script of ours ran for this package at all.
    pub fn has_build_pass(&self) -> bool {
        self.out
            .as_ref()
            .is_some_and(|out| out.join(record::DIRECTORY).is_dir())
    }

    fn elsewhere(&self) -> Place {
        let recorded = self.out.as_ref().and_then(|out| {
            targets(&out.join(record::DIRECTORY))
                .into_iter()
                .find_map(|directory| {
                    let text = fs::read_to_string(directory.join(record::TARGET_FILE)).ok()?;
                    Target::read(&text)
                })
        });
        match recorded {
            Some(target) => Place::Elsewhere {
                facade: target.facade,
                mocks: outside(target.mocks),
            },
            None => Place::Elsewhere {
                facade: "::znight".to_owned(),
                mocks: Mocks::default(),
            },
        }
    }

    /// A file's path relative to the package, with `/`, as the build pass records it.
    fn relative(&self, file: &Path) -> Option<String> {
        if file.as_os_str().is_empty() {
            return None;
        }
        let package = self.package.as_ref()?;
        let absolute = env::current_dir().unwrap_or_default().join(file);
        let by_text = between(&normalize(package), &normalize(&absolute));
        let exists = |relative: &str| package.join(relative).is_file();
        match by_text {
            Some(relative) if exists(&relative) => Some(relative),
            // Reached through a link: compare what the paths stand for.
            _ => between(
                &fs::canonicalize(package).ok()?,
                &fs::canonicalize(absolute).ok()?,
            ),
        }
    }
}

/// The mocks of tests and examples of a package: its feature is about its own crates.
fn outside(mocks: Mocks) -> Mocks {
    Mocks {
        exist: Exist::Tests,
        ..mocks
    }
}

/// Whether the records were written by a build pass of this release line.
pub fn is_current(target: &Target) -> bool {
    target.release == RELEASE_LINE
}

fn targets(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(root)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(record::TARGET_FILE).is_file())
        .collect();
    found.sort();
    found
}

fn all_items(directory: &Path) -> Vec<Item> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "idx"))
        .collect();
    files.sort();
    files
        .iter()
        .filter_map(|file| Item::read_all(&fs::read_to_string(file).ok()?))
        .flatten()
        .collect()
}

/// The path from a directory to a file, with `/` and `..`.
fn between(from: &Path, to: &Path) -> Option<String> {
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return None;
    }
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let down = to[common..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Host, Place, between};

    #[test]
    fn without_a_build_pass_everything_is_elsewhere() {
        let host = Host::default();
        assert!(!host.has_build_pass());
        assert!(
            matches!(host.place(None), Place::Elsewhere { facade, .. } if facade == "::znight")
        );
        let empty = Host {
            out: Some(std::env::temp_dir().join("znight-no-such-directory")),
            ..Host::default()
        };
        assert!(matches!(
            empty.place(Some(Path::new("src/lib.rs"))),
            Place::Elsewhere { .. }
        ));
        empty.rerun();
    }

    #[test]
    fn paths_are_told_from_the_package() {
        let path = |from: &str, to: &str| between(Path::new(from), Path::new(to));
        assert_eq!(
            path("/a/b", "/a/b/src/lib.rs").as_deref(),
            Some("src/lib.rs")
        );
        assert_eq!(path("/a/b", "/a/c/x.rs").as_deref(), Some("../c/x.rs"));
    }
}
