//! The glue that libraries write, and what applications take it to be.

use crate::support::{Build, codes, deps, lines, sound};

/// A library with a trait, its implementation and a provider that asks for it.
const AUTH: &str = "pub trait Clock: Send + Sync {}
    #[injectable] struct System; impl Clock for System {}
    #[injectable] pub struct Jwt { clock: Arc<dyn Clock> }";

/// The ids of the glue a package writes, as its records say.
fn ids(build: &Build, key: &str) -> Vec<String> {
    glue(build, key).into_iter().map(|(id, _)| id).collect()
}

/// The glue a package writes: the id of each provider and its coercions, in order.
fn glue(build: &Build, key: &str) -> Vec<(String, Vec<String>)> {
    let output = build.compile_package(key);
    assert_eq!(output.diagnostics, [], "{key}");
    let mut found = Vec::new();
    for (name, text) in &output.records {
        if name == znight_syntax::record::TARGET_FILE {
            continue;
        }
        for item in znight_syntax::record::Item::read_all(text).expect("records") {
            for provider in item.providers {
                let objects = provider
                    .coercions
                    .iter()
                    .map(|coercion| coercion.ty.clone());
                found.push((literal(provider.id), objects.collect()));
            }
        }
    }
    found
}

/// `0x0123_4567_89ab_cdef`, as the graph has it.
fn literal(id: u64) -> String {
    let digits = format!("{id:016x}");
    let groups: Vec<&str> = (0..4).map(|group| &digits[group * 4..][..4]).collect();
    format!("0x{}", groups.join("_"))
}

/// Expects the graph of `shop` to know the glue of a library as the library writes it: each provider that
/// is bound to traits, with the coercions that it is bound by.
#[track_caller]
fn agrees(build: &Build, key: &str, crate_name: &str) {
    let output = build.compile();
    sound(&output);
    for (id, objects) in glue(build, key) {
        let entry = output.graph.split("z::Entry {").position(|entry| {
            entry.contains(&format!("{crate_name}::__Znight as z::Provide<{id}>>::P"))
        });
        let Some(entry) = entry else {
            panic!("no provider {id} ({objects:?}) in\n{}", output.graph);
        };
        let number = entry - 1;
        let bound: Vec<usize> = output
            .graph
            .split("z::Binding { provider: ")
            .skip(1)
            .filter_map(|binding| {
                let (provider, rest) = binding.split_once(", coercion: ")?;
                let (coercion, _) = rest.split_once(' ')?;
                (provider == number.to_string()).then(|| coercion.parse().expect("a number"))
            })
            .collect();
        // Nothing else provides these traits: each of its coercions is bound, at its own position.
        let expected: Vec<usize> = (0..objects.len()).collect();
        assert_eq!(bound, expected, "{id} {objects:?}\n{}", output.graph);
    }
}

#[test]
fn a_type_of_a_library_with_a_trait_of_the_application_is_added_by_its_graph() {
    let output = Build::new()
        .library("acme-auth", &[], AUTH)
        .shop(
            &["acme-auth"],
            "trait Signs: Send + Sync {} impl Signs for acme_auth::Jwt {}
            #[injectable] struct Login { signs: Arc<dyn Signs> }",
        )
        .compile();
    sound(&output);
    assert_eq!(deps(&output, "Login"), "[One(0)]");
    let added = lines(&output, "z::coercion::<dyn Signs>");
    assert_eq!(
        added,
        ["z::coercion::<dyn Signs>(|h| z::Handle::new::<dyn Signs>(h.arc::<::acme_auth::Jwt>())),"]
    );
}

#[test]
fn a_private_type_with_a_trait_of_a_third_crate_needs_a_declaration() {
    let base = "pub trait Users: Send + Sync {}";
    let build = Build::new()
        .library("acme-base", &[], base)
        .library(
            "acme-store",
            &["acme-base"],
            "use acme_base::Users;\n#[injectable] struct PgUsers; impl Users for PgUsers {}",
        )
        .shop(
            &["acme-store", "acme-base"],
            "#[injectable] struct Login { users: Arc<dyn acme_base::Users> }",
        );
    let output = build.compile();
    assert_eq!(codes(&output), ["ZNIGHT005"]);
    let found = &output.diagnostics[0];
    assert_eq!(found.message, "PgUsers cannot be handed out as `dyn Users`");
    assert_eq!(
        found.hints,
        [
            "declare it in the library acme_store, which can name both: `#[injectable(as(dyn Users))]` (../acme-store/src/lib.rs:4)",
            "or make PgUsers public: this crate cannot name it, so it cannot do so either",
        ]
    );
    // With the declaration the library writes it.
    let output = Build::new()
        .library("acme-base", &[], base)
        .library("acme-store", &["acme-base"], "use acme_base::Users;\n#[injectable(as(dyn Users))] struct PgUsers; impl Users for PgUsers {}")
        .shop(&["acme-store", "acme-base"], "#[injectable] struct Login { users: Arc<dyn acme_base::Users> }")
        .compile();
    sound(&output);
    assert!(!output.graph.contains("z::coercion"), "{}", output.graph);
}

#[test]
fn a_public_type_with_a_trait_of_a_third_crate_needs_none() {
    let output = Build::new()
        .library("acme-base", &[], "pub trait Users: Send + Sync {}")
        .library("acme-store", &["acme-base"], "pub mod pg { use super::*; use acme_base::Users; #[injectable] pub struct PgUsers; impl Users for PgUsers {} }")
        .shop(&["acme-store", "acme-base"], "#[injectable] struct Login { users: Arc<dyn acme_base::Users> }")
        .compile();
    sound(&output);
    assert_eq!(
        lines(&output, "z::coercion"),
        [
            "z::coercion::<dyn ::acme_base::Users>(|h| z::Handle::new::<dyn ::acme_base::Users>(h.arc::<::acme_store::pg::PgUsers>())),"
        ]
    );
}

#[test]
fn two_versions_of_a_library_live_side_by_side() {
    let build = Build::new()
        .library("acme-auth@1.2.0", &[], "#[injectable] pub struct Jwt;")
        .library("acme-auth@2.0.0", &[], "#[injectable] pub struct Jwt;")
        .library(
            "acme-store",
            &["acme-auth@1.2.0"],
            "#[injectable] pub struct Store { jwt: Arc<acme_auth::Jwt> }",
        )
        .shop(
            &["acme-auth@2.0.0", "acme-store"],
            "#[injectable] struct Login { jwt: Arc<acme_auth::Jwt> }",
        );
    let output = build.compile();
    sound(&output);
    assert_eq!(deps(&output, "Store"), "[One(0)]");
    assert_eq!(deps(&output, "Login"), "[One(1)]");
    assert_eq!(lines(&output, "token: \"acme_auth@1.2.0::Jwt\"").len(), 1);
    assert_eq!(lines(&output, "token: \"acme_auth@2.0.0::Jwt\"").len(), 1);
    for (key, prefix) in [
        (
            "acme-auth@1.2.0",
            "::acme_store::__znight_libraries::acme_auth",
        ),
        ("acme-auth@2.0.0", "::acme_auth"),
    ] {
        let id = &ids(&build, key)[0];
        let entry = format!("<{prefix}::__Znight as z::Provide<{id}>>::P");
        assert_eq!(lines(&output, &entry).len(), 1, "{entry}\n{}", output.graph);
    }
}

#[test]
fn the_glue_of_a_library_is_known_position_by_position() {
    let build = Build::new()
        .library("acme-base", &[], "mod inner { pub struct Event; pub trait Base {} pub struct Odd; impl super::Marks for Odd {} }
            pub use inner::{Base, Event, Odd as Aodd}; pub trait Marks {}")
        .library("acme-auth", &["b=acme-base"], "use b::Event as Happened;
            pub trait Zero: Send + Sync {} pub trait Handles<E>: Send + Sync {} pub trait Any2<T>: Send + Sync {} pub trait Whole: b::Base {}
            pub trait Typed: Send + Sync { type Id; } pub trait Marked: Send + Sync {}
            pub mod events { #[derive(Clone)] pub struct Event; }
            #[injectable] pub struct One;
            impl Zero for One {} impl Handles<Happened> for One {} impl Handles<events::Event> for One {} impl Whole for One {}
            impl Typed for One { type Id = u8; } impl b::Base for One {}
            pub struct Wrap<T>(std::marker::PhantomData<T>);
            #[injectable] impl Wrap<Happened> { #[inject] pub fn new() -> Self { w() } }
            #[injectable] impl Wrap<b::Aodd> { #[inject] pub fn new() -> Self { w() } }
            impl<T: b::Marks> Marked for Wrap<T> {} impl<T> Any2<T> for Wrap<T> {}
            mod elsewhere { use super::*; impl Handles<b::Aodd> for One {} impl Handles<u8> for One {} }")
        .shop(&["acme-auth"], "");
    let found: Vec<Vec<String>> = glue(&build, "acme-auth")
        .into_iter()
        .map(|(_, objects)| objects)
        .collect();
    assert_eq!(
        found,
        [
            vec![
                "dyn Handles<events::Event>",
                "dyn Handles<::b::Aodd>",
                "dyn Handles<Happened>",
                "dyn Handles<u8>",
                "dyn Zero",
            ],
            vec!["dyn Any2<::b::Event>"],
            vec!["dyn Any2<::b::Aodd>"],
        ]
    );
    agrees(&build, "acme-auth", "acme_auth");
}

#[test]
fn declared_and_implemented_objects_keep_their_order() {
    let build = Build::new()
        .library("acme-base", &[], "pub trait Users: Send + Sync {} pub trait Seen {}")
        .library("acme-store", &["acme-base"], "use acme_base::{Seen, Users};
            pub trait Zed: Send + Sync {} pub trait Able: Send + Sync {}
            #[injectable(as(dyn Users, dyn Seen + Send + Sync))] struct Pg;
            impl Users for Pg {} impl Seen for Pg {} impl Zed for Pg {} impl Able for Pg {}
            struct Made; #[factory] impl Made { #[provides(as(dyn Able))] fn other() -> Other { Other } }
            pub struct Other; impl Able for Other {}")
        .shop(&["acme-store", "acme-base"], "#[injectable] struct Login { users: Arc<dyn acme_base::Users> }");
    let found = glue(&build, "acme-store");
    let users = &found[0].1;
    assert_eq!(users.len(), 5, "{users:?}");
    let output = build.compile();
    sound(&output);
    // Of two that are `Able` none is bound.
    let bound: Vec<&str> = output
        .graph
        .lines()
        .filter(|line| line.contains("z::Binding"))
        .collect();
    assert_eq!(bound.len(), 4, "{bound:?} {users:?}");
}

#[test]
fn a_crate_is_one_thing_whatever_each_calls_it() {
    let build = |version: &str| {
        Build::new()
            .package("pools@1.0.0", &[], "pub struct Pool;")
            .package("pools@2.0.0", &[], "pub struct Pool;")
            .library("acme-db", &["pg=pools@1.0.0"], "struct Made; #[factory] impl Made { #[provides] fn pool() -> pg::Pool { pg::Pool } }
                pub struct Keeps<T>(T); #[injectable] impl Keeps<pg::Pool> { #[inject] pub fn new() -> Self { new() } }")
            .shop(&["acme-db", &format!("sql=pools@{version}")], "use acme_db::Keeps; trait Kept: Send + Sync {} impl Kept for Keeps<sql::Pool> {}
                #[injectable] struct Login { pool: Arc<sql::Pool>, kept: Arc<dyn Kept> }")
            .compile()
    };
    let output = build("1.0.0");
    sound(&output);
    assert_eq!(
        lines(&output, "z::coercion"),
        ["z::coercion::<dyn Kept>(|h| z::Handle::new::<dyn Kept>(h.arc::<Keeps<::sql::Pool>>())),"]
    );
    // Another version is another type.
    let output = build("2.0.0");
    assert_eq!(codes(&output), ["ZNIGHT001", "ZNIGHT001"]);
}

#[test]
fn a_trait_that_the_root_of_the_application_cannot_name_is_said_to_be_one() {
    let output = Build::new()
        .library("acme-auth", &[], AUTH)
        .shop(&["acme-auth"], "mod inner { mod deep { pub(super) trait Signs: Send + Sync {} impl Signs for acme_auth::Jwt {} }
            #[znight::injectable] struct Login { signs: std::sync::Arc<dyn deep::Signs> } }")
        .compile();
    assert_eq!(codes(&output), ["ZNIGHT005"]);
    assert_eq!(
        output.diagnostics[0].hints,
        [
            "the graph stands at the root of this crate, and cannot name Signs from there: make it `pub(crate)`, and the modules around it (src/lib.rs:3)"
        ]
    );
}

#[test]
fn a_type_of_a_crate_that_the_application_does_not_know_is_said_to_be_one() {
    let build = |dependencies: &[&str]| {
        Build::new()
            .package("pools", &[], "pub struct Pool;")
            .library("acme-db", &["pg=pools"], "pub struct Keeps<T>(T); #[injectable] impl Keeps<pg::Pool> { #[inject] pub fn new() -> Self { new() } }")
            .shop(dependencies, "trait Kept: Send + Sync {} impl<T: Send + Sync> Kept for acme_db::Keeps<T> {}
                #[injectable] struct Login { kept: Arc<dyn Kept> }")
            .compile()
    };
    sound(&build(&["acme-db", "pools"]));
    let output = build(&["acme-db"]);
    assert_eq!(codes(&output), ["ZNIGHT005"]);
    assert_eq!(
        output.diagnostics[0].hints,
        [
            "the graph stands in this crate, which cannot name Keeps<Pool>: make it public in acme_db, or add the crates it is made of to `[dependencies]`"
        ]
    );
}

#[test]
fn the_glue_of_a_library_is_the_same_where_cargo_cannot_be_asked() {
    let build = Build::new()
        .package("other", &[], "mod deep { pub struct Thing; } pub use deep::Thing;")
        .library("acme-db", &["o=other"], "pub struct Keeps<T>(T); pub trait Kept<T>: Send + Sync {} impl<T: Send + Sync> Kept<T> for Keeps<T> {}
            #[injectable] impl Keeps<o::Thing> { #[inject] pub fn new() -> Self { new() } }")
        .shop(&["acme-db", "other"], "#[injectable] struct Login { kept: Arc<dyn acme_db::Kept<other::Thing>> }");
    let (asked, unasked) = (
        build.compile_package("acme-db"),
        build.compile_unasked("acme-db"),
    );
    assert_eq!(asked.records, unasked.records);
    assert_eq!(asked.graph, unasked.graph);
    agrees(&build, "acme-db", "acme_db");
}
