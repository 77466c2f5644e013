//! The attributes in every kind of target.

use znight_tests::{Packages, printed};

const LIB: &str = r#"//! ```
//! use znight::prelude::*;
//!
//! #[injectable(name = "doc")]
//! struct Documented;
//!
//! // In a doctest a provider stands for itself.
//! fn provided<T: znight::Provided>() {}
//! provided::<Documented>();
//! let _ = kinds::graph();
//! ```
use std::sync::Arc;
use znight::prelude::*;

pub trait Clock: Send + Sync {
    fn now(&self) -> u64;
}

#[injectable]
struct System;

impl Clock for System {
    fn now(&self) -> u64 { 1 }
}

#[injectable]
pub struct Service { clock: Arc<dyn Clock> }

#[controller("/time")]
impl Service {
    #[get]
    async fn time(&self) -> String { self.clock.now().to_string() }
}

znight::graph!();

#[cfg(test)]
mod tests {
    use super::*;

    #[injectable(primary)]
    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> u64 { 42 }
    }

    #[tokio::test]
    async fn the_test_graph_holds_what_only_tests_provide() {
        let app = Application::builder(crate::graph()).build().await.unwrap();
        assert_eq!(app.container().get::<dyn Clock>().unwrap().now(), 42);
    }
}
"#;

const OUTSIDE: &str = r#"
use std::sync::Arc;
use znight::prelude::*;

#[injectable]
struct Greeting { clock: Arc<dyn kinds::Clock> }

#[injectable]
struct Hello { greeting: Arc<Greeting> }

#[controller("/hello")]
impl Hello {
    #[get("/{name}")]
    async fn hello(&self, name: String) -> String { format!("hello {name} at {}", self.greeting.clock.now()) }
}

async fn run() -> znight::Result {
    let app = znight_testing::TestApp::builder(kinds::graph())
        .plugin(HttpPlugin::default().controller::<Hello>())
        .provide::<Greeting>()
        .provide::<Hello>()
        .start()
        .await?;
    let response = app.get("/hello/Ada").await?;
    assert_eq!(response.text(), "hello Ada at 1");
    let response = app.get("/time").await?;
    assert_eq!(response.text(), "1");
    app.close().await?;
    println!("hello");
    Ok(())
}
"#;

#[test]
fn tests_examples_benches_and_doctests_use_the_attributes() {
    let packages = Packages::workspace(&["kinds"]);
    let main =
        format!("{OUTSIDE}\n#[tokio::main]\nasync fn main() -> znight::Result {{ run().await }}\n");
    let test = format!(
        "{OUTSIDE}\n#[tokio::test]\nasync fn works() -> znight::Result {{ run().await }}\n"
    );
    packages.package(
        "kinds",
        &[
            ("src/lib.rs", LIB),
            ("tests/kinds.rs", &test),
            ("examples/kinds.rs", &main),
            ("benches/timing.rs", &main),
        ],
    );
    let manifest = format!(
        "{}\n[[bench]]\nname = \"timing\"\nharness = false\n",
        znight_tests::manifest("kinds")
    );
    packages.write("kinds/Cargo.toml", &manifest);
    for arguments in [
        &["test"] as &[&str],
        &["run", "--example", "kinds"],
        &["bench", "--profile", "dev"],
    ] {
        let output = packages.cargo("kinds", arguments);
        let text = printed(&output);
        assert!(output.status.success(), "{arguments:?}\n{text}");
        match arguments[0] {
            "test" => {
                for name in [
                    "the_test_graph_holds_what_only_tests_provide ... ok",
                    "works ... ok",
                    "1 passed",
                ] {
                    assert!(text.contains(name), "{name}\n{text}");
                }
                assert!(
                    text.contains("src/lib.rs - (line 1) ... ok"),
                    "the doctest:\n{text}"
                );
            }
            _ => assert!(text.contains("hello\n"), "{text}"),
        }
    }
}

const LINTED: &str = r#"//! A small application, documented and linted as strictly as clippy can.
#![deny(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::cargo_common_metadata)]
#![deny(missing_docs, missing_debug_implementations)]
#![expect(clippy::cargo_common_metadata, reason = "a package made for a test")]

use std::sync::Arc;

use znight::prelude::*;

mod hidden {
    use znight::prelude::*;

    #[derive(Debug)]
    #[injectable]
    pub struct Words {
        #[inject("word")]
        word: String,
    }

    impl super::Speech for Words {
        fn word(&self) -> &str {
            &self.word
        }
    }

    #[derive(Debug)]
    pub struct Settings;

    #[factory]
    impl Settings {
        #[provides(name = "word", clone)]
        fn word() -> String {
            "hello".to_owned()
        }
    }
}

trait Speech: Send + Sync + std::fmt::Debug {
    fn word(&self) -> &str;
}

/// Answers.
#[derive(Debug)]
#[injectable]
pub struct Hello {
    speech: Arc<dyn Speech>,
    all: Vec<Arc<dyn Speech>>,
}

#[controller("/hello")]
impl Hello {
    #[get("/{name}")]
    async fn hello(&self, name: String, context: &HttpContext) -> Result<String, HttpError> {
        std::future::ready(()).await;
        Ok(format!("{} {name} {} {}", self.speech.word(), context.path(), self.all.len()))
    }

    #[get]
    fn word(&self, #[query(default = 1)] times: usize) -> String {
        self.speech.word().repeat(times)
    }
}

znight::graph!();
"#;

#[test]
fn clippy_has_nothing_to_say_of_what_is_generated() {
    let packages = Packages::workspace(&["linted"]);
    packages.package("linted", &[("src/lib.rs", LINTED)]);
    let output = packages.cargo("linted", &["clippy"]);
    let text = printed(&output);
    assert!(
        output.status.success() && !text.contains("warning"),
        "{text}"
    );
}

/// A derive whose name says that it makes impls alone, and that makes a type.
const MAKER: &str = r##"
use proc_macro::TokenStream;
#[proc_macro_derive(Validate)]
pub fn validate(_: TokenStream) -> TokenStream {
    "#[derive(Default)] pub struct FooBuilder;".parse().unwrap()
}
"##;

const ASKS: &str = "use std::sync::Arc;\nuse znight::prelude::*;\n\n#[derive(maker::Validate)]\npub struct Foo;\n\n\
    #[injectable]\npub struct Service {\n    pub builder: Arc<FooBuilder>,\n}\n\nznight::graph!();\n";

#[test]
fn an_application_that_only_rustc_understands_is_not_built_without_its_graph() {
    let packages = Packages::workspace(&["maker", "asks"]);
    packages.write(
        "maker/Cargo.toml",
        "[package]\nname = \"maker\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\nproc-macro = true\n",
    );
    packages.write("maker/src/lib.rs", MAKER);
    packages.package("asks", &[("src/lib.rs", ASKS)]);
    let manifest = znight_tests::manifest("asks").replace(
        "[dependencies]\n",
        "[dependencies]\nmaker = { path = \"../maker\" }\n",
    );
    packages.write("asks/Cargo.toml", &manifest);
    let output = packages.cargo("asks", &["build", "--lib"]);
    let said = printed(&output);
    assert!(!output.status.success(), "{said}");
    let expected = "ZNIGHT010: what is asked for at src/lib.rs:9 cannot be followed";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn types_that_are_nested_deeply_are_read() {
    const DEPTH: usize = 300;
    let deep = format!("{}u8{}", "Option<".repeat(DEPTH), ">".repeat(DEPTH));
    let text = format!(
        "use znight::prelude::*;\n\npub type Deep = {deep};\n\n#[injectable]\npub struct Service;\n\nznight::graph!();\n"
    );
    let packages = Packages::workspace(&["deep"]);
    packages.package("deep", &[("src/lib.rs", &text)]);
    let output = packages.cargo("deep", &["check", "--lib"]);
    assert!(output.status.success(), "{}", printed(&output));
}
