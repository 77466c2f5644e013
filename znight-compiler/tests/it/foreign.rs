//! Types of other crates, followed to where they are declared.

use std::path::PathBuf;

use znight_compiler::{
    Output, compile,
    packages::{Package, Packages},
    source::Memory,
};

use crate::support::{PRELUDE, codes, deps, options, sound};

fn package(name: &str, version: &str, dependencies: &[(&str, usize)]) -> Package {
    let directory = PathBuf::from(format!("/registry/{name}-{version}"));
    Package {
        name: name.to_owned(),
        version: version.to_owned(),
        library: Some((name.replace('-', "_"), directory.join("src/lib.rs"))),
        directory,
        dependencies: dependencies
            .iter()
            .map(|(name, package)| ((*name).to_owned(), *package))
            .collect(),
        ..Package::default()
    }
}

/// An application that knows `sqlx`, `sqlite` and two versions of `client`.
fn app(text: &str) -> Output {
    let packages = Packages {
        own: 0,
        list: vec![
            package(
                "shop",
                "0.1.0",
                &[
                    ("sqlx", 1),
                    ("core_of_sqlx", 2),
                    ("old", 4),
                    ("new", 5),
                    ("preset", 6),
                ],
            ),
            package("sqlx", "0.9.0", &[("sqlx_core", 2), ("sqlx_sqlite", 3)]),
            package("sqlx-core", "0.9.0", &[]),
            package("sqlx-sqlite", "0.9.0", &[("sqlx_core", 2)]),
            package("client", "1.0.0", &[]),
            package("client", "2.0.0", &[]),
            package("preset", "1.0.0", &[("zn", 7)]),
            package("znight", "0.1.0", &[]),
        ],
    };
    let sources = [
        ("/registry/sqlx-0.9.0/src/lib.rs", "pub use sqlx_core::pool::Pool; #[cfg(feature = \"x\")] mod absent; pub use sqlx_sqlite::*; pub use sqlx_core::Shared; pub use sqlx_core::Executor;"),
        ("/registry/sqlx-core-0.9.0/src/lib.rs", "pub mod pool; pub use std::sync::Arc as Shared; mod private { pub trait Executor: Send + Sync {} } pub use private::Executor; cfg_rt! { pub mod rt { pub struct Handle<T = u8>(T); } }"),
        ("/registry/sqlx-core-0.9.0/src/pool/mod.rs", "mod inner; pub use self::inner::Pool; pub struct Options<T, E = String>(T, E);"),
        ("/registry/sqlx-core-0.9.0/src/pool/inner.rs", "pub struct Pool<DB>(DB);"),
        ("/registry/sqlx-sqlite-0.9.0/src/lib.rs", "pub struct Sqlite; pub type SqlitePool = sqlx_core::pool::Pool<Sqlite>;"),
        ("/registry/client-1.0.0/src/lib.rs", "pub struct Client;"),
        ("/registry/client-2.0.0/src/lib.rs", "pub struct Client;"),
        ("/registry/preset-1.0.0/src/lib.rs", "pub mod web; mod inner { pub use zn::factory; } pub use inner::factory; pub use crate::inner::*; pub fn controller() {}"),
        ("/registry/preset-1.0.0/src/web.rs", "pub use zn::{controller, prelude::*}; pub use zn::injectable;"),
    ]
    .into_iter()
    .fold(Memory::new().packages(packages), |sources, (path, text)| sources.file(path, text));
    let mut options = options();
    options.externs.crates = ["sqlx", "core_of_sqlx", "old", "new", "preset"]
        .map(str::to_owned)
        .into();
    compile(
        &options,
        &sources.file(
            "src/lib.rs",
            format!("{PRELUDE}{text}\nznight::graph!();\n"),
        ),
    )
}

#[test]
fn an_alias_and_what_it_stands_for_are_one_type() {
    let output = app("use sqlx::SqlitePool;
        struct Db; #[factory] impl Db { #[provides] fn pool() -> SqlitePool { panic!() } }
        #[injectable] struct A { a: Arc<sqlx::Pool<sqlx::Sqlite>>, b: Arc<core_of_sqlx::pool::Pool<sqlx::Sqlite>> }");
    sound(&output);
    assert_eq!(deps(&output, "A"), "[One(1), One(1)]");
    assert!(output.graph.contains("Db::pool"), "{}", output.graph);
}

#[test]
fn a_re_exported_type_of_the_standard_library_is_itself() {
    let output = app("#[injectable] struct A; #[injectable] struct B { a: sqlx::Shared<A> }");
    sound(&output);
    assert_eq!(deps(&output, "B"), "[One(0)]");
}

#[test]
fn defaults_of_type_arguments_are_filled_in() {
    let output = app("struct Db; #[factory] impl Db {
            #[provides] fn options() -> core_of_sqlx::pool::Options<u8> { panic!() }
            #[provides] fn handle() -> core_of_sqlx::rt::Handle { panic!() } }
        #[injectable] struct A { a: Arc<core_of_sqlx::pool::Options<u8, String>>, b: Arc<core_of_sqlx::rt::Handle<u8>> }");
    sound(&output);
}

#[test]
fn a_trait_is_the_one_it_is_declared_as_and_written_as_the_crate_knows_it() {
    let output = app(
        "#[injectable] struct A; impl core_of_sqlx::Executor for A {}
        #[injectable] struct B { a: Arc<dyn sqlx::Executor> }",
    );
    sound(&output);
    assert_eq!(deps(&output, "B"), "[One(0)]");
    let record = output
        .records
        .values()
        .find(|record| record.contains("coercion"))
        .expect("a coercion");
    assert!(
        record.contains("dyn core_of_sqlx::Executor") || record.contains("dyn ::sqlx::Executor"),
        "{record}"
    );
}

#[test]
fn two_versions_of_one_crate_are_two_types() {
    let output = app(
        "struct Web; #[factory] impl Web { #[provides] fn client() -> old::Client { panic!() } }
        #[injectable] struct A { a: Arc<new::Client> }",
    );
    assert_eq!(codes(&output), ["ZNIGHT001"]);
    let hints = output.diagnostics[0].hints.join(" ");
    assert!(hints.contains("client@1.0.0::Client"), "{hints}");
    assert!(hints.contains("client@2.0.0::Client"), "{hints}");
}

#[test]
fn what_cannot_be_followed_keeps_the_path_it_is_written_as() {
    let output = app("struct Db; #[factory] impl Db { #[provides] fn odd() -> sqlx::made::by::Macro { panic!() } }
        #[injectable] struct A { a: Arc<sqlx::made::by::Macro>, }");
    sound(&output);
}

#[test]
fn an_attribute_that_another_crate_hands_on_is_ours() {
    let output = app("use preset::web::injectable;
        #[injectable] struct A;
        struct B; #[preset::web::controller(\"/b\")] impl B {}
        struct C; #[preset::factory] impl C { #[provides] fn text() -> std::num::NonZeroU8 { panic!() } }
        #[preset::controller] struct D;");
    sound(&output);
    assert_eq!(output.providers, 3);
    assert!(output.graph.contains("C::text"), "{}", output.graph);
}
