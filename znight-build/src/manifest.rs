//! `Cargo.toml`: targets, dependencies, and the name of the facade.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use toml::{Table, Value};
use znight_compiler::resolve::Externs;
use znight_syntax::record::{Exist, Mocks};

/// What the analysis needs of a package's manifest.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The targets that may say `graph!()`: the library first, then binaries by name.
    pub(crate) targets: Vec<Target>,
    /// The names of other crates.
    pub(crate) externs: Externs,
    /// The files the result depends on.
    pub(crate) files: Vec<PathBuf>,
    /// The manifest of the workspace, where that is another one.
    pub(crate) workspace: Option<PathBuf>,
    /// What the package depends on for its tests.
    pub(crate) testing: Testing,
}

/// What a package depends on for its tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Testing {
    /// `znight-testing`.
    pub(crate) beds: bool,
    /// `mockall`, in `[dependencies]` or `[dev-dependencies]`.
    pub(crate) mockall: bool,
    /// `mockall` in `[dependencies]`, optional or not.
    pub(crate) mockall_outside_tests: bool,
}

impl Testing {
    /// Who sees the mocks of the package with these features, separated by commas.
    pub(crate) fn mocks(self, features: &str) -> Mocks {
        if features.split(',').any(|feature| feature == "testing") {
            Mocks {
                exist: Exist::Everywhere,
                beds: true,
                mockall: self.mockall_outside_tests,
            }
        } else {
            Mocks {
                exist: Exist::Tests,
                beds: self.beds,
                mockall: self.mockall,
            }
        }
    }
}

/// A library or binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The crate's name.
    pub(crate) crate_name: String,
    /// The binary's name; none for the library.
    pub(crate) binary: Option<String>,
    /// The root file, relative to the package.
    pub(crate) root: PathBuf,
}

const FACADE: &str = "znight";

impl Manifest {
    /// Reads the manifest of the package in a directory.
    pub(crate) fn read(package: &Path) -> Result<Self, String> {
        let path = package.join("Cargo.toml");
        let table = load(&path)?;
        let workspace = workspace(package, &table);
        let mut files = vec![PathBuf::from("Cargo.toml")];
        let inherited = match &workspace {
            Some((path, table)) if *path != package.join("Cargo.toml") => {
                files.push(path.clone());
                dependencies_of(table)
            }
            Some((_, table)) => dependencies_of(table),
            None => Table::new(),
        };
        let name = table
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(Value::as_str)
            .ok_or_else(|| format!("{} has no package name", path.display()))?;
        let edition = table
            .get("package")
            .and_then(|package| package.get("edition"))
            .and_then(Value::as_str);
        let workspace = workspace
            .map(|(path, _)| path)
            .filter(|path| *path != package.join("Cargo.toml"));
        Ok(Self {
            workspace,
            targets: targets(package, &table, name),
            testing: testing(&table, &inherited),
            externs: externs(&table, &inherited, edition == Some("2015")),
            files,
        })
    }
}

fn load(path: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    text.parse()
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The manifest of the workspace a package belongs to.
fn workspace(package: &Path, table: &Table) -> Option<(PathBuf, Table)> {
    if table.contains_key("workspace") {
        return Some((package.join("Cargo.toml"), table.clone()));
    }
    let named = table
        .get("package")
        .and_then(|package| package.get("workspace"))
        .and_then(Value::as_str);
    if let Some(named) = named {
        let path = package.join(named).join("Cargo.toml");
        return load(&path).ok().map(|table| (path, table));
    }
    package.ancestors().skip(1).find_map(|directory| {
        let path = directory.join("Cargo.toml");
        let table = load(&path).ok()?;
        table.contains_key("workspace").then_some((path, table))
    })
}

fn dependencies_of(workspace: &Table) -> Table {
    workspace
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Value::as_table)
        .cloned()
        .unwrap_or_default()
}

/// The library, then the binaries: declared, and found where Cargo looks.
fn targets(package: &Path, table: &Table, name: &str) -> Vec<Target> {
    let crate_name = |name: &str| name.replace('-', "_");
    let field =
        |target: &Value, field: &str| target.get(field).and_then(Value::as_str).map(str::to_owned);
    let mut found = Vec::new();
    let library = table.get("lib");
    let root = library
        .and_then(|library| field(library, "path"))
        .unwrap_or_else(|| "src/lib.rs".to_owned());
    if package.join(&root).is_file() {
        let name = library
            .and_then(|library| field(library, "name"))
            .unwrap_or_else(|| name.to_owned());
        found.push(Target {
            crate_name: crate_name(&name),
            binary: None,
            root: root.into(),
        });
    }
    let mut binaries: Vec<(String, PathBuf)> = Vec::new();
    for declared in table
        .get("bin")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let Some(name) = field(declared, "name") else {
            continue;
        };
        let candidates = [
            field(declared, "path"),
            Some(format!("src/bin/{name}.rs")),
            Some(format!("src/bin/{name}/main.rs")),
            Some("src/main.rs".to_owned()),
        ];
        if let Some(root) = candidates
            .into_iter()
            .flatten()
            .find(|root| package.join(root).is_file())
        {
            binaries.push((name, root.into()));
        }
    }
    let mut discovered = vec![(name.to_owned(), PathBuf::from("src/main.rs"))];
    for entry in fs::read_dir(package.join("src/bin"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let file = entry.file_name().to_string_lossy().into_owned();
        match file.strip_suffix(".rs") {
            Some(name) => discovered.push((name.to_owned(), format!("src/bin/{file}").into())),
            None => discovered.push((file.clone(), format!("src/bin/{file}/main.rs").into())),
        }
    }
    discovered.sort();
    for (name, root) in discovered {
        if package.join(&root).is_file() && !binaries.iter().any(|(_, known)| *known == root) {
            binaries.push((name, root));
        }
    }
    binaries.sort();
    found.extend(binaries.into_iter().map(|(name, root)| Target {
        crate_name: crate_name(&name),
        binary: Some(name),
        root,
    }));
    found
}

/// What a package depends on by itself, on any platform.
fn dependencies<'a>(table: &'a Table, sections: &[&str]) -> Vec<(&'a str, &'a Value)> {
    let platforms = table.get("target").and_then(Value::as_table);
    let platforms = platforms
        .into_iter()
        .flat_map(Table::values)
        .filter_map(Value::as_table);
    let mut found = Vec::new();
    for table in std::iter::once(table).chain(platforms) {
        for section in sections {
            let section = table.get(*section).and_then(Value::as_table);
            let entries = section.into_iter().flatten();
            found.extend(entries.map(|(key, value)| (key.as_str(), value)));
        }
    }
    found
}

/// The package a dependency names, where its manifest or that of the workspace gives another name.
fn package_of<'a>(key: &str, value: &'a Value, inherited: &'a Table) -> Option<&'a str> {
    value.get("package").and_then(Value::as_str).or_else(|| {
        let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
        inherited
            .get(key)
            .filter(|_| inherits)?
            .get("package")?
            .as_str()
    })
}

fn testing(table: &Table, inherited: &Table) -> Testing {
    let has = |sections: &[&str], wanted: &str| {
        dependencies(table, sections)
            .into_iter()
            .any(|(key, value)| package_of(key, value, inherited).unwrap_or(key) == wanted)
    };
    let any = ["dependencies", "dev-dependencies"];
    Testing {
        beds: has(&any, "znight-testing"),
        mockall: has(&any, "mockall"),
        mockall_outside_tests: has(&["dependencies"], "mockall"),
    }
}

/// The names under which other crates are known.
fn externs(table: &Table, inherited: &Table, rooted_uses: bool) -> Externs {
    let mut crates = BTreeSet::new();
    let mut renamed = BTreeMap::new();
    let mut facade = None;
    for (key, value) in dependencies(table, &["dependencies", "dev-dependencies"]) {
        let name = key.replace('-', "_");
        let package = package_of(key, value, inherited);
        if package.unwrap_or(key) == FACADE && facade.is_none() {
            facade = Some(name);
        } else {
            if let Some(own) = package.map(|package| package.replace('-', "_"))
                && own != name
            {
                renamed.insert(name.clone(), own);
            }
            crates.insert(name);
        }
    }
    Externs {
        facade: facade.unwrap_or_else(|| FACADE.to_owned()),
        crates,
        renamed,
        rooted_uses,
        ..Externs::default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use znight_syntax::record::{Exist, Mocks};

    use super::Manifest;

    fn package(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, text).expect("a file");
        }
        directory
    }

    #[test]
    fn the_facade_may_be_renamed_anywhere() {
        for manifest in [
            "[package]\nname = \"a\"\n[dependencies]\nzn = { package = \"znight\", version = \"1\" }",
            "[package]\nname = \"a\"\n[dependencies.zn]\npackage = \"znight\"",
            "[package]\nname = \"a\"\n[target.'cfg(unix)'.dependencies]\nzn = { package = \"znight\", path = \"..\" }",
            "[package]\nname = \"a\"\n[workspace.dependencies]\nzn = { package = \"znight\" }\n[dependencies]\nzn.workspace = true",
        ] {
            let directory = package(&[("Cargo.toml", manifest)]);
            let read = Manifest::read(directory.path()).expect(manifest);
            assert_eq!(read.externs.facade, "zn", "{manifest}");
        }
        let member = package(&[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"m\"]\n[workspace.dependencies]\nzn = { package = \"znight\" }",
            ),
            (
                "m/Cargo.toml",
                "[package]\nname = \"m\"\n[dependencies]\nzn = { workspace = true, features = [] }\nserde-json = \"1\"",
            ),
        ]);
        let read = Manifest::read(&member.path().join("m")).expect("member");
        assert_eq!(read.externs.facade, "zn");
        assert!(read.externs.crates.contains("serde_json"));
        assert_eq!(read.files.len(), 2);
    }

    #[test]
    fn targets_are_those_cargo_finds() {
        let directory = package(&[
            (
                "Cargo.toml",
                "[package]\nname = \"my-app\"\n[lib]\nname = \"app\"\n[[bin]]\nname = \"tool\"\npath = \"tools/t.rs\"",
            ),
            ("src/lib.rs", ""),
            ("src/main.rs", ""),
            ("src/bin/one.rs", ""),
            ("src/bin/two/main.rs", ""),
            ("tools/t.rs", ""),
        ]);
        let read = Manifest::read(directory.path()).expect("manifest");
        let names: Vec<(String, Option<String>, String)> = read
            .targets
            .into_iter()
            .map(|target| {
                (
                    target.crate_name,
                    target.binary,
                    target.root.display().to_string(),
                )
            })
            .collect();
        let bin = |name: &str, root: &str| {
            (
                name.replace('-', "_"),
                Some(name.to_owned()),
                root.to_owned(),
            )
        };
        assert_eq!(
            names,
            [
                ("app".to_owned(), None, "src/lib.rs".to_owned()),
                bin("my-app", "src/main.rs"),
                bin("one", "src/bin/one.rs"),
                bin("tool", "tools/t.rs"),
                bin("two", "src/bin/two/main.rs"),
            ]
        );
    }

    #[test]
    fn mocks_exist_in_unit_tests_and_with_the_feature_everywhere() {
        let testing = |manifest: &str| {
            let directory = package(&[("Cargo.toml", manifest)]);
            Manifest::read(directory.path()).expect(manifest).testing
        };
        let mocks = |exist, beds, mockall| Mocks {
            exist,
            beds,
            mockall,
        };
        let bare = testing("[package]\nname = \"a\"");
        assert_eq!(bare.mocks(""), mocks(Exist::Tests, false, false));
        assert_eq!(
            bare.mocks("x,testing"),
            mocks(Exist::Everywhere, true, false)
        );
        let dev = testing(
            "[package]\nname = \"a\"\n[dev-dependencies]\nmockall = \"1\"\nznight-testing = \"1\"",
        );
        assert_eq!(dev.mocks("x"), mocks(Exist::Tests, true, true));
        assert_eq!(dev.mocks("testing"), mocks(Exist::Everywhere, true, false));
        let optional = testing(
            "[package]\nname = \"a\"\n[target.'cfg(unix)'.dependencies]\nmockall = { version = \"1\", optional = true }\n\
             [dev-dependencies]\ntools = { package = \"znight-testing\", version = \"1\" }",
        );
        assert_eq!(
            optional.mocks("testing"),
            mocks(Exist::Everywhere, true, true)
        );
        assert!(optional.mocks("").beds);
    }

    #[test]
    fn an_unreadable_manifest_is_said() {
        let directory = package(&[("Cargo.toml", "[package")]);
        assert!(
            Manifest::read(directory.path())
                .expect_err("unreadable")
                .contains("cannot read")
        );
    }
}
