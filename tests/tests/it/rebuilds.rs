//! When the build runs again, and when it does not.

use znight_tests::{Packages, printed};

const SERVICE: &str = "use std::sync::Arc;\nuse znight::prelude::*;\n#[injectable]\npub struct Service { pub repo: Arc<crate::repo::Repo> }\n";
const REPO: &str = "use znight::prelude::*;\n#[injectable]\npub struct Repo;\n";
const LIB: &str = "pub mod repo;\npub mod service;\nznight::graph!();\n";

/// A package of its own name: tests share a target directory.
fn shop(name: &str) -> Packages {
    let packages = Packages::workspace(&[name]);
    let main = format!("fn main() {{ println!(\"{{:?}}\", {name}::graph()); }}\n");
    packages.package(
        name,
        &[
            ("src/lib.rs", LIB),
            ("src/repo.rs", REPO),
            ("src/service.rs", SERVICE),
            ("src/main.rs", &main),
        ],
    );
    packages
}

#[track_caller]
fn check(packages: &Packages) -> String {
    let output = packages.cargo("", &["check", "-v"]);
    let text = printed(&output);
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn touching_the_binary_leaves_the_library_fresh() {
    let packages = shop("touched");
    check(&packages);
    packages.write(
        "touched/src/main.rs",
        "fn main() { println!(\"again {:?}\", touched::graph()); }\n",
    );
    let text = check(&packages);
    assert!(
        !text.contains("build-script-build`"),
        "the build script ran again:\n{text}"
    );
    assert!(
        text.lines()
            .filter(|line| line.contains("--crate-name touched"))
            .all(|line| line.contains("src/main.rs")),
        "{text}"
    );
    assert!(
        text.contains("--crate-name touched"),
        "the binary was not checked again:\n{text}"
    );
    // And a second look finds everything fresh.
    let text = check(&packages);
    assert!(!text.contains("Running"), "{text}");
}

#[test]
fn a_module_saved_before_its_file_recovers_when_the_file_appears() {
    let packages = shop("later");
    check(&packages);
    packages.write(
        "later/src/lib.rs",
        "pub mod repo;\npub mod service;\npub mod later;\nznight::graph!();\n",
    );
    let output = packages.cargo("", &["check"]);
    assert!(!output.status.success());
    assert!(
        !printed(&output).contains("ZNIGHT"),
        "only rustc speaks: {}",
        printed(&output)
    );
    packages.write(
        "later/src/later.rs",
        "#[znight::injectable]\npub struct Later;\n",
    );
    check(&packages);
    assert!(
        packages
            .newest_graph("later")
            .contains("later::later::Later")
    );
}

#[test]
fn a_mistake_in_one_file_shows_up_at_and_leaves_an_unchanged_file() {
    let packages = shop("mended");
    check(&packages);
    packages.write("mended/src/repo.rs", "pub struct Repo;\n");
    let output = packages.cargo("", &["check"]);
    let text = printed(&output);
    assert!(
        text.contains("ZNIGHT001: no provider for `Repo`, required by Service"),
        "{text}"
    );
    assert!(text.contains("src/service.rs:4:"), "{text}");
    packages.write("mended/src/repo.rs", REPO);
    check(&packages);
}

#[test]
fn building_twice_and_elsewhere_gives_the_same_bytes() {
    let packages = shop("twice");
    check(&packages);
    let first = packages.newest_graph("twice");
    // From inside the package, after everything was touched.
    for (file, text) in [
        ("src/lib.rs", LIB),
        ("src/repo.rs", REPO),
        ("src/service.rs", SERVICE),
    ] {
        packages.write(&format!("twice/{file}"), text);
    }
    let output = packages.cargo("twice/src", &["check"]);
    assert!(output.status.success(), "{}", printed(&output));
    assert_eq!(first, packages.newest_graph("twice"));
    // The same package in another directory.
    let elsewhere = shop("twice");
    check(&elsewhere);
    assert_eq!(first, elsewhere.newest_graph("twice"));
    let directory = packages.path().display().to_string();
    assert!(!first.contains(&directory), "a machine path in the graph");
}

#[test]
fn a_graph_added_to_an_unwatched_binary_is_noticed() {
    let packages = shop("added");
    check(&packages);
    packages.write(
        "added/src/main.rs",
        "znight::graph!();\nfn main() { println!(\"{:?}\", graph()); }\n",
    );
    let output = packages.cargo("", &["check"]);
    let text = printed(&output);
    assert!(
        text.contains("the build has not seen this `graph!()` yet"),
        "{text}"
    );
    check(&packages);
    // And once it is gone, its records are too.
    packages.write("added/src/main.rs", "fn main() {}\n");
    check(&packages);
}

#[test]
fn a_graph_added_to_a_package_without_one_is_seen_at_once() {
    let packages = shop("first");
    packages.write("first/src/lib.rs", "pub mod repo;\npub mod service;\n");
    packages.write("first/src/main.rs", "fn main() {}\n");
    check(&packages);
    packages.write("first/src/lib.rs", LIB);
    check(&packages);
    assert!(
        packages
            .newest_graph("first")
            .contains("first::service::Service")
    );
}
