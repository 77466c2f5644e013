//! Applications in memory.

use std::path::PathBuf;

use znight_compiler::{
    Options, Output,
    cfg::Cfg,
    compile,
    packages::{Package, Packages},
    resolve::Externs,
    source::Memory,
};

/// What every file of a test application starts with.
pub(crate) const PRELUDE: &str = "use std::sync::Arc;\nuse znight::prelude::*;\n";

/// The options of a library named `shop` on Linux with the feature `sql`.
pub(crate) fn options() -> Options {
    Options {
        cfg: Cfg::new()
            .name("unix")
            .pair("target_os", "linux")
            .feature("sql"),
        externs: Externs {
            facade: "znight".to_owned(),
            crates: ["sqlx", "other", "garde", "validator"]
                .map(str::to_owned)
                .into(),
            ..Externs::default()
        },
        ..Options::new("shop", "src/lib.rs")
    }
}

/// Compiles an application of several files.
pub(crate) fn app(files: &[(&str, &str)]) -> Output {
    let sources = files.iter().fold(Memory::new(), |sources, (path, text)| {
        sources.file(*path, *text)
    });
    compile(&options(), &sources)
}

/// Compiles an application of one file, the prelude added.
pub(crate) fn one(text: &str) -> Output {
    app(&[(
        "src/lib.rs",
        &format!("{PRELUDE}{text}\nznight::graph!();\n"),
    )])
}

/// The codes that were reported, each with the text it stands at.
pub(crate) fn codes(output: &Output) -> Vec<String> {
    output
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.to_string())
        .collect()
}

/// Expects no diagnostics.
#[track_caller]
pub(crate) fn sound(output: &Output) {
    let messages: Vec<String> = output
        .diagnostics
        .iter()
        .map(|diagnostic| {
            format!(
                "{}:{}: {}",
                diagnostic.place.location.file, diagnostic.place.location.line, diagnostic.message
            )
        })
        .collect();
    assert!(messages.is_empty(), "{messages:#?}");
    assert!(!stands_in(output), "no graph:\n{}", output.graph);
}

/// The lines of the graph that mention a text, trimmed.
pub(crate) fn lines<'a>(output: &'a Output, text: &str) -> Vec<&'a str> {
    output
        .graph
        .lines()
        .map(str::trim)
        .filter(|line| line.contains(text))
        .collect()
}

/// The dependencies printed for a provider.
#[track_caller]
pub(crate) fn deps(output: &Output, display: &str) -> String {
    let entry = output
        .graph
        .split("z::Entry {")
        .find(|entry| entry.contains(&format!("display: \"{display}\"")))
        .unwrap_or_else(|| panic!("no provider {display}:\n{}", output.graph));
    let line = entry
        .lines()
        .find(|line| line.trim().starts_with("deps:"))
        .expect("a list of dependencies");
    line.trim()
        .trim_start_matches("deps: &")
        .trim_end_matches(',')
        .replace("z::Dep::", "")
}

/// Packages in memory: an application or library that is built, and those it can reach.
///
/// A key names a package: `acme-auth` lies in the user's directories, `acme-auth@1.2.0` in Cargo's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Build {
    packages: Vec<Package>,
    files: Vec<(PathBuf, String)>,
}

impl Build {
    /// Only the framework.
    pub(crate) fn new() -> Self {
        Self::default().package("znight@0.1.0", &[], "")
    }

    /// A package of one file, the prelude added, with its dependencies besides `znight`: a key, or a name
    /// and a key as `auth=acme-auth`.
    pub(crate) fn package(mut self, key: &str, dependencies: &[&str], text: &str) -> Self {
        let (name, version) = key.split_once('@').unwrap_or((key, "0.1.0"));
        let directory = if key.contains('@') {
            PathBuf::from(format!("/registry/{name}-{version}"))
        } else {
            PathBuf::from(format!("/house/{name}"))
        };
        let framework = if name == "znight" {
            None
        } else {
            Some(("znight".to_owned(), 0))
        };
        let named = dependencies.iter().map(|dependency| {
            let (alias, key) = dependency
                .split_once('=')
                .unwrap_or((dependency, dependency));
            let (alias, _) = alias.split_once('@').unwrap_or((alias, ""));
            (alias.replace('-', "_"), self.number(key))
        });
        let mut dependencies: Vec<(String, usize)> = framework.into_iter().chain(named).collect();
        // The last one counts: a dependency on another version of the framework takes its place.
        dependencies.reverse();
        dependencies.sort_by(|a, b| a.0.cmp(&b.0));
        dependencies.dedup_by(|a, b| a.0 == b.0);
        let root = directory.join("src/lib.rs");
        self.packages.push(Package {
            name: name.to_owned(),
            version: version.to_owned(),
            directory,
            is_path: !key.contains('@'),
            library: Some((name.replace('-', "_"), root.clone())),
            rooted_uses: false,
            features: Vec::new(),
            provides: Vec::new(),
            interceptors: Vec::new(),
            dependencies,
        });
        self.files.push((root, format!("{PRELUDE}{text}\n")));
        self
    }

    /// A library, the line that makes it one added.
    pub(crate) fn library(self, key: &str, dependencies: &[&str], text: &str) -> Self {
        self.package(key, dependencies, &format!("{text}\nznight::library!();"))
    }

    /// The application `shop`.
    pub(crate) fn shop(self, dependencies: &[&str], text: &str) -> Self {
        self.package("shop", dependencies, &format!("{text}\nznight::graph!();"))
    }

    /// Another file of the package added last.
    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        let directory = &self.packages.last().expect("a package").directory;
        let path = directory.join(path);
        self.files.push((path, format!("{PRELUDE}{text}\n")));
        self
    }

    /// A feature that is switched on in the package added last.
    pub(crate) fn feature(mut self, feature: &str) -> Self {
        let package = self.packages.last_mut().expect("a package");
        package.features.push(feature.to_owned());
        self
    }

    fn number(&self, key: &str) -> usize {
        let (name, version) = key.split_once('@').unwrap_or((key, "0.1.0"));
        self.packages
            .iter()
            .position(|package| package.name == name && package.version == version)
            .unwrap_or_else(|| panic!("no package {key}"))
    }

    /// Compiles the application `shop`.
    pub(crate) fn compile(&self) -> Output {
        self.compile_package("shop")
    }

    /// Compiles one of the packages, as its own build script does.
    pub(crate) fn compile_package(&self, key: &str) -> Output {
        self.compile_with(key, true)
    }

    /// Compiles a package where Cargo cannot be asked for packages, as in a registry.
    pub(crate) fn compile_unasked(&self, key: &str) -> Output {
        self.compile_with(key, false)
    }

    fn compile_with(&self, key: &str, asks: bool) -> Output {
        let own = self.number(key);
        let package = &self.packages[own];
        let packages = Packages {
            list: self.packages.clone(),
            own,
        };
        let mut sources = Memory::new();
        for (path, text) in &self.files {
            // A build script knows its own files by paths relative to the package.
            let path = path.strip_prefix(&package.directory).unwrap_or(path);
            sources = sources.file(path, text);
        }
        let cfg = package.features.iter().fold(
            Cfg::new().name("unix").pair("target_os", "linux"),
            |cfg, feature| cfg.feature(feature),
        );
        let options = Options {
            crate_name: package.name.replace('-', "_"),
            cfg,
            externs: packages.externs(own),
            libraries: true,
            ..options()
        };
        if asks {
            sources = sources.packages(packages);
        }
        compile(&options, &sources)
    }
}

/// What is said at `graph!()`, as complete messages.
pub(crate) fn problems(output: &Output) -> Vec<String> {
    let text = &output.records[znight_syntax::record::TARGET_FILE];
    let target = znight_syntax::record::Target::read(text);
    target.expect("the record of the target").problems
}

/// Whether something stands in for the graph, in one world at least.
pub(crate) fn stands_in(output: &Output) -> bool {
    output.graph.contains("Graph::empty()") || output.graph.contains("const { panic!(")
}
