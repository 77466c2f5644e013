//! The only way sources come in.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    rc::Rc,
};

use crate::packages::Packages;

pub mod blank;

/// A stretch of a file: lines and columns in characters, from 1; the end is behind the last character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The line it starts in.
    pub line: u32,
    /// The column it starts at.
    pub column: u32,
    /// The line it ends in.
    pub end_line: u32,
    /// The column behind it.
    pub end_column: u32,
}

impl Span {
    /// From one place to another, each a line and a column.
    pub fn new(start: (usize, usize), end: (usize, usize)) -> Self {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            line: number(start.0),
            column: number(start.1),
            end_line: number(end.0),
            end_column: number(end.1),
        }
    }
}

/// Where source files are read from.
///
/// The analysis itself touches no file system: the build script passes the real one, tests pass a
/// map.
pub trait Sources: std::fmt::Debug {
    /// The text of a file; `None` when there is none or it is not UTF-8.
    fn read(&self, path: &Path) -> Option<String>;

    /// The Rust files in a directory, sorted; none when that cannot be told. Only asked when
    /// something is missing.
    fn beside(&self, directory: &Path) -> Vec<PathBuf> {
        let _ = directory;
        Vec::new()
    }

    /// The packages of the build, when they can be told. Only asked when another package matters.
    fn packages(&self) -> Option<Rc<Packages>> {
        None
    }
}

/// The files on disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Sources for Disk {
    fn read(&self, path: &Path) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }

    fn beside(&self, directory: &Path) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = std::fs::read_dir(directory)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .collect();
        found.sort();
        found
    }
}

/// Files in memory, for tests and tools.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, String>,
    packages: Option<Rc<Packages>>,
}

impl Memory {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        self.files.insert(path.into(), text.into());
        self
    }

    /// Says which packages there are.
    #[must_use]
    pub fn packages(mut self, packages: Packages) -> Self {
        self.packages = Some(Rc::new(packages));
        self
    }
}

impl Sources for Memory {
    fn read(&self, path: &Path) -> Option<String> {
        self.files.get(&normalize(path)).cloned()
    }

    fn beside(&self, directory: &Path) -> Vec<PathBuf> {
        let directory = normalize(directory);
        self.files
            .keys()
            .filter(|path| path.parent() == Some(&directory))
            .cloned()
            .collect()
    }

    fn packages(&self) -> Option<Rc<Packages>> {
        self.packages.clone()
    }
}

/// A path without `.` and `..`, resolved by its text alone.
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if matches!(out.components().next_back(), Some(Component::Normal(_))) {
                    out.pop();
                } else {
                    out.push("..");
                }
            }
            other => out.push(other),
        }
    }
    out
}

/// A path with `/` between its parts on every system, for messages and generated code.
pub fn display(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}
