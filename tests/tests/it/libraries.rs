//! Libraries of providers, wherever Cargo has them from.

use std::{fs, path::PathBuf};

use znight_tests::{BUILD_SCRIPT, Packages, checkout, printed};

/// The library of the example that the tests build.
const LIBRARY: &str = "monorepo-accounts";

/// A service of the example, under a name of its own (tests share a target directory), and where its
/// library is.
struct Service {
    packages: Packages,
    name: &'static str,
    library: PathBuf,
}

impl Service {
    /// With the library beside it.
    fn beside(name: &'static str) -> Self {
        let packages = Packages::workspace(&[name, LIBRARY]);
        packages.write(
            &format!("{LIBRARY}/Cargo.toml"),
            &znight_tests::manifest(LIBRARY),
        );
        Self::new(packages, name, LIBRARY, &format!("path = \"../{LIBRARY}\""))
    }

    /// With the library from a registry, as `cargo vendor` leaves it: in a directory that stands in for the
    /// registry.
    fn vendored(name: &'static str) -> Self {
        let packages = Packages::workspace(&[name]);
        packages.write(
            ".cargo/config.toml",
            "[registries.house]\nindex = \"sparse+https://house.invalid/index/\"\n\n\
             [source.house-index]\nregistry = \"sparse+https://house.invalid/index/\"\nreplace-with = \"vendored\"\n\n\
             [source.vendored]\ndirectory = \"vendor\"\n",
        );
        let checkout = checkout().display().to_string();
        let workspace = packages.read("Cargo.toml");
        packages.write(
            "Cargo.toml",
            &format!(
                "{workspace}\n[patch.crates-io]\nznight = {{ path = \"{checkout}/znight\" }}\n\
                 znight-build = {{ path = \"{checkout}/znight-build\" }}\n"
            ),
        );
        let library = format!("vendor/{LIBRARY}");
        packages.write(
            &format!("{library}/Cargo.toml"),
            &format!(
                "[package]\nname = \"{LIBRARY}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                 [dependencies]\nznight = \"0.1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\n\
                 [build-dependencies]\nznight-build = \"0.1\"\n"
            ),
        );
        packages.write(
            &format!("{library}/.cargo-checksum.json"),
            "{\"files\":{},\"package\":null}",
        );
        Self::new(
            packages,
            name,
            &library,
            "version = \"0.1\", registry = \"house\"",
        )
    }

    fn new(packages: Packages, name: &'static str, library: &str, dependency: &str) -> Self {
        packages.package(name, &[]);
        let accounts = format!("package = \"{LIBRARY}\", {dependency}");
        packages.depend(
            name,
            &[("accounts", &accounts), ("serde_json", "version = \"1\"")],
        );
        let service = Self {
            library: packages.path().join(library),
            packages,
            name,
        };
        service.copy("directory", name);
        service.copy("accounts", library);
        service
    }

    /// Copies the sources and tests of a part of the example.
    fn copy(&self, part: &str, below: &str) {
        self.packages
            .write(&format!("{below}/build.rs"), BUILD_SCRIPT);
        let from = checkout().join("examples/monorepo").join(part);
        for directory in ["src", "tests"] {
            for entry in fs::read_dir(from.join(directory)).into_iter().flatten() {
                let path = entry.expect("a file").path();
                let name = path.file_name().expect("a name").to_string_lossy();
                // The recorded graph is that of the package under its own name.
                if name.contains("golden") {
                    continue;
                }
                let text = fs::read_to_string(&path).expect("a source file");
                let text = text.replace("monorepo_directory", self.name);
                self.packages
                    .write(&format!("{below}/{directory}/{name}"), &text);
            }
        }
    }

    /// Replaces something in a file of the library.
    #[track_caller]
    fn change(&self, path: &str, from: &str, to: &str) {
        let path = self.library.join(path);
        let text = fs::read_to_string(&path).expect("a source file");
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).expect("a source file");
    }

    #[track_caller]
    fn cargo(&self, arguments: &[&str]) -> String {
        let output = self.packages.cargo(self.name, arguments);
        let text = printed(&output);
        assert!(output.status.success(), "{text}");
        text
    }

    #[track_caller]
    fn fails(&self) -> String {
        let output = self.packages.cargo(self.name, &["check"]);
        assert!(!output.status.success(), "{}", printed(&output));
        printed(&output)
    }

    fn graph(&self) -> String {
        self.packages.newest_graph(self.name)
    }
}

#[test]
fn a_library_from_a_registry_gives_the_graph_of_one_beside_the_service() {
    let graph = |service: &Service| {
        let text = service.cargo(&["test"]);
        assert!(
            text.contains("accounts_come_from_the_library ... ok"),
            "{text}"
        );
        service.graph()
    };
    let beside = graph(&Service::beside("sourced"));
    assert!(
        beside.contains("monorepo_accounts::memory::Stores::store"),
        "{beside}"
    );
    let vendored = graph(&Service::vendored("sourced"));
    assert_ne!(vendored, beside);
    assert_eq!(
        vendored,
        beside.replace("\"../monorepo-accounts/", "\"monorepo-accounts-0.1.0/")
    );
}

#[test]
fn what_a_library_from_a_registry_misses_is_said_at_the_graph() {
    let service = Service::vendored("missing");
    service.change(
        "src/memory.rs",
        "    #[provides]\n",
        "    #[provides(name = \"kept\")]\n",
    );
    service.change(
        "src/lib.rs",
        "    store:",
        "    #[inject(\"given\")]\n    store:",
    );
    let text = service.fails();
    for expected in [
        "error: ZNIGHT001: no provider for `dyn AccountStore` named \"given\", required by Accounts\n",
        "--> monorepo-accounts-0.1.0/src/lib.rs:",
        "    #[inject(\"given\")]\n",
        "= hint: the only name is \"kept\"\n",
        "  --> missing/src/lib.rs:",
        "znight::graph!();\n",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn a_change_in_a_library_beside_reaches_the_service() {
    let service = Service::beside("changing");
    service.cargo(&["check"]);
    let text = service.cargo(&["check", "-v"]);
    assert!(
        !text.contains("Running"),
        "the second build found something to do:\n{text}"
    );
    service.change(
        "src/memory.rs",
        "    #[provides]\n",
        "    #[provides(name = \"kept\")]\n",
    );
    service.cargo(&["check"]);
    assert!(service.graph().contains("Some(\"kept\")"));
    // A file that was not there before.
    fs::write(
        service.library.join("src/more.rs"),
        "#[znight::injectable]\npub(crate) struct More;\n",
    )
    .expect("a source file");
    service.change("src/lib.rs", "mod memory;", "mod memory;\nmod more;");
    service.cargo(&["check"]);
    assert!(service.graph().contains("monorepo_accounts::more::More"));
    // And a mistake, until it is mended.
    service.change(
        "src/more.rs",
        "struct More;",
        "struct More { gone: std::sync::Arc<Gone> }\nstruct Gone;",
    );
    let text = service.fails();
    assert!(
        text.contains("ZNIGHT001: no provider for `Gone`, required by More"),
        "{text}"
    );
    assert!(
        text.contains("--> ../monorepo-accounts/src/more.rs:2:"),
        "{text}"
    );
    service.change(
        "src/more.rs",
        "struct Gone;",
        "#[znight::injectable]\nstruct Gone;",
    );
    service.cargo(&["check"]);
    let text = service.cargo(&["check", "-v"]);
    assert!(!text.contains("Running"), "{text}");
}

#[test]
fn the_features_of_a_library_are_those_of_the_whole_workspace() {
    let packages = Packages::workspace(&["wanting", "plain", "featured"]);
    packages.package(
        "featured",
        &[(
            "src/lib.rs",
            "#[cfg(feature = \"extra\")]\n#[znight::injectable]\npub struct Extra;\n#[znight::injectable]\npub struct Always;\nznight::library!();\n",
        )],
    );
    packages.write(
        "featured/Cargo.toml",
        &format!(
            "{}\n[features]\nextra = []\n",
            packages.read("featured/Cargo.toml")
        ),
    );
    let main = "znight::graph!();\nfn main() { println!(\"{:?}\", graph()); }\n";
    for (name, how) in [
        ("wanting", "path = \"../featured\", features = [\"extra\"]"),
        ("plain", "path = \"../featured\""),
    ] {
        packages.package(name, &[("src/main.rs", main)]);
        packages.depend(name, &[("featured", how)]);
    }
    let output = packages.cargo("", &["check", "--workspace"]);
    assert!(output.status.success(), "{}", printed(&output));
    let output = packages.cargo("wanting", &["run"]);
    assert!(output.status.success(), "{}", printed(&output));
    // By itself a package is built with fewer features than `cargo metadata` tells its build script.
    let output = packages.cargo("plain", &["check"]);
    let text = printed(&output);
    for expected in [
        "the graph has a provider that `featured::__Znight` was built without",
        "build the packages that want different features of a library together (`cargo build --workspace`)",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn a_dependency_that_becomes_a_library_is_noticed() {
    let packages = Packages::workspace(&["asking", "becoming"]);
    packages.package("asking", &[("src/lib.rs", "znight::graph!();\n")]);
    packages.depend("asking", &[("becoming", "path = \"../becoming\"")]);
    let manifest = "[package]\nname = \"becoming\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    packages.write("becoming/Cargo.toml", manifest);
    packages.write("becoming/src/lib.rs", "//! Nothing yet.\n");
    let graph = || {
        let output = packages.cargo("asking", &["check"]);
        assert!(output.status.success(), "{}", printed(&output));
        packages.newest_graph("asking")
    };
    assert!(!graph().contains("becoming"));
    // It uses the framework, and is no library.
    packages.package("becoming", &[]);
    assert!(!graph().contains("becoming"));
    packages.write(
        "becoming/src/lib.rs",
        "#[znight::injectable]\npub struct One;\nznight::library!();\n",
    );
    assert!(graph().contains("becoming::One"));
    packages.write("becoming/src/lib.rs", "//! Nothing again.\n");
    assert!(!graph().contains("becoming"));
}
