//! Applications whose providers come from several crates.

use crate::support::{Build, codes, deps, lines, problems, sound, stands_in};

/// A library with a trait, its implementation and a provider that asks for it.
const AUTH: &str = "pub trait Clock: Send + Sync {}
    #[injectable] struct System; impl Clock for System {}
    #[injectable] pub struct Jwt { clock: Arc<dyn Clock> }";

/// The only problem of the crate that is built, as a complete message.
#[track_caller]
fn problem(build: &Build) -> String {
    let output = build.compile();
    let problems = problems(&output);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(stands_in(&output));
    problems[0].clone()
}

#[test]
fn a_library_takes_part_with_its_private_types() {
    let output = Build::new()
        .library("acme-auth", &[], AUTH)
        .shop(&["acme-auth"], "#[injectable] struct Login { jwt: Arc<acme_auth::Jwt>, clock: Arc<dyn acme_auth::Clock> }")
        .compile();
    sound(&output);
    assert_eq!(output.providers, 3);
    assert_eq!(deps(&output, "Login"), "[One(0), One(1)]");
    assert_eq!(lines(&output, "<::acme_auth::__Znight as").len(), 2);
    assert_eq!(lines(&output, "file: \"../acme-auth/src/lib.rs\"").len(), 2);
}

#[test]
fn a_library_of_a_library_is_reached_through_it() {
    let build = Build::new()
        .library("acme-auth", &[], AUTH)
        .library(
            "acme-store",
            &["acme-auth"],
            "use acme_auth::Jwt; #[injectable] pub struct Store { jwt: Arc<Jwt> }",
        )
        .shop(
            &["acme-store"],
            "#[injectable] struct Orders { store: Arc<acme_store::Store> }",
        );
    let output = build.compile();
    sound(&output);
    assert_eq!(output.providers, 4);
    assert_eq!(
        lines(
            &output,
            "<::acme_store::__znight_libraries::acme_auth::__Znight as"
        )
        .len(),
        2
    );
    let store = build.compile_package("acme-store");
    assert!(
        store.graph.contains("pub use ::acme_auth;"),
        "{}",
        store.graph
    );
}

#[test]
fn a_dependency_that_a_library_does_not_name_is_not_handed_on() {
    let output = Build::new()
        .library("acme-auth", &[], AUTH)
        .library(
            "acme-store",
            &["acme-auth"],
            "#[injectable] pub struct Store;",
        )
        .shop(&["acme-store"], "")
        .compile();
    sound(&output);
    assert_eq!(output.providers, 1);
}

#[test]
fn crates_without_the_line_are_no_libraries() {
    let output = Build::new()
        .package(
            "acme-auth",
            &[],
            "// not a library!()\n#[injectable] pub struct Jwt;",
        )
        .package(
            "acme-app",
            &[],
            "#[injectable] pub struct Main; znight::graph!();",
        )
        .shop(&["acme-auth", "acme-app"], "#[injectable] struct Login;")
        .compile();
    sound(&output);
    assert_eq!(output.providers, 1);
}

#[test]
fn a_library_is_known_by_the_name_its_user_gives_it() {
    let output = Build::new()
        .library("acme-auth", &[], AUTH)
        .library(
            "acme-store",
            &["login=acme-auth"],
            "#[injectable] pub struct Store { jwt: Arc<login::Jwt> }",
        )
        .shop(
            &["store=acme-store"],
            "#[injectable] struct Orders { store: Arc<store::Store> }",
        )
        .compile();
    sound(&output);
    assert_eq!(lines(&output, "<::store::__Znight as").len(), 1);
    assert_eq!(
        lines(&output, "<::store::__znight_libraries::login::__Znight as").len(),
        2
    );
    assert_eq!(lines(&output, "token: \"acme_auth::Jwt\"").len(), 1);
}

#[test]
fn the_features_of_a_library_decide_what_it_has() {
    let text = "#[cfg(feature = \"redis\")] #[injectable] pub struct Redis;
        #[cfg(not(feature = \"redis\"))] #[injectable] pub struct Memory;";
    let plain = Build::new().library("cache", &[], text);
    // The application's own feature of that name is not the library's.
    let output = plain.shop(&["cache"], "").feature("redis").compile();
    sound(&output);
    assert_eq!(lines(&output, "token: \"cache::").len(), 1);
    assert!(output.graph.contains("cache::Memory"));
    let with = Build::new().library("cache", &[], text).feature("redis");
    let output = with.shop(&["cache"], "").compile();
    sound(&output);
    assert_eq!(lines(&output, "token: \"cache::").len(), 1);
    assert!(output.graph.contains("cache::Redis"));
}

#[test]
fn what_a_library_has_for_its_own_tests_is_off_in_the_tests_of_others() {
    let output = Build::new()
        .library("acme-auth", &[], "pub trait Clock: Send + Sync {} #[injectable] struct System; impl Clock for System {}
            #[cfg(test)] mod tests { use super::*; #[injectable] struct Fixed; impl Clock for Fixed {} }")
        .shop(&["acme-auth"], "#[injectable] struct Login { clocks: Vec<Arc<dyn acme_auth::Clock>> }
            #[cfg(test)] mod tests { use super::*; #[injectable] struct Later; impl acme_auth::Clock for Later {} }")
        .compile();
    sound(&output);
    let (production, test) = output.graph.split_once("#[cfg(test)]").expect("two graphs");
    assert!(!output.graph.contains("Fixed"));
    assert!(!production.contains("Later"));
    assert!(test.contains("shop::tests::Later"));
}

#[test]
fn what_a_library_misses_is_for_the_application_to_provide() {
    let build = Build::new()
        .library("acme-auth", &[], "pub trait Clock: Send + Sync {}\n#[injectable] pub struct Jwt { clock: Arc<dyn Clock> }")
        .shop(&["acme-auth"], "");
    assert_eq!(build.compile_package("acme-auth").diagnostics, []);
    let message = problem(&build);
    assert!(
        message.starts_with("ZNIGHT001: no provider for `dyn Clock`, required by Jwt\n"),
        "{message}"
    );
    assert!(
        message.contains("--> ../acme-auth/src/lib.rs:4:"),
        "{message}"
    );
    assert!(
        message.contains("#[injectable] pub struct Jwt { clock: Arc<dyn Clock> }"),
        "{message}"
    );
    assert!(message.contains("^^^"), "{message}");
    // With one, the library has what it needs.
    let build = Build::new()
        .library("acme-auth", &[], "pub trait Clock: Send + Sync {}\n#[injectable] pub struct Jwt { clock: Arc<dyn Clock> }")
        .shop(&["acme-auth"], "#[injectable] struct System; impl acme_auth::Clock for System {}");
    let output = build.compile();
    sound(&output);
    assert_eq!(deps(&output, "Jwt"), "[One(1)]");
}

#[test]
fn a_hint_for_a_library_says_who_can_write_what_is_missing() {
    let build = Build::new()
        .library("acme-auth", &[], "pub trait Clock: Send + Sync {}\npub struct Key;\n#[injectable] pub struct Jwt { clock: Arc<dyn Clock>, key: Arc<Key> }")
        .shop(&["acme-auth"], "");
    let output = build.compile();
    let messages = problems(&output).join("\n");
    assert!(
        messages.contains(
            "hint: implement acme_auth::Clock on a type of this crate and mark it `#[injectable]`"
        ),
        "{messages}"
    );
    assert!(messages.contains("hint: provide it from a factory of this crate: `struct Factory; #[factory] impl Factory { #[provides] fn key() -> acme_auth::Key { todo!() } }`"), "{messages}");
}

#[test]
fn which_of_several_a_library_gets_is_for_the_application_to_say() {
    let text = "pub trait Clock: Send + Sync {}
        #[injectable] struct Wall; impl Clock for Wall {} #[injectable] struct Stop; impl Clock for Stop {}
        #[injectable] pub struct Jwt { clock: Arc<dyn Clock> }";
    let build = Build::new()
        .library("acme-auth", &[], text)
        .shop(&["acme-auth"], "");
    assert_eq!(build.compile_package("acme-auth").diagnostics, []);
    let message = problem(&build);
    assert!(
        message.starts_with("ZNIGHT008: 2 providers fit `dyn Clock`, and Jwt asks for one"),
        "{message}"
    );
    let output = Build::new()
        .library("acme-auth", &[], text)
        .shop(
            &["acme-auth"],
            "#[injectable(primary)] struct Mine; impl acme_auth::Clock for Mine {}",
        )
        .compile();
    sound(&output);
    assert_eq!(deps(&output, "Jwt"), "[One(3)]");
}

#[test]
fn a_guard_of_a_library_may_have_its_provider_in_the_application() {
    let build = Build::new()
        .library("acme-auth", &[], "pub struct Key; #[injectable] pub struct Keys;
            #[async_trait] impl Guard for Key {}
            #[controller(\"/keys\")] #[guard(Key)] impl Keys { #[get] async fn list(&self) -> String { String::new() } }")
        .shop(&["acme-auth"], "struct Made; #[factory] impl Made { #[provides] fn key() -> acme_auth::Key { acme_auth::Key } }");
    assert_eq!(build.compile_package("acme-auth").diagnostics, []);
    let output = build.compile();
    sound(&output);
    assert_eq!(
        lines(&output, "<::acme_auth::__Znight as z::http::Controller<").len(),
        1
    );
    let entry = lines(&output, "uses: &[1]");
    assert_eq!(entry.len(), 1, "{}", output.graph);
}

#[test]
fn two_providers_of_one_type_are_a_mistake_of_the_library() {
    let build = Build::new()
        .library("acme-auth", &[], "pub struct Key; struct Made;
            #[factory] impl Made { #[provides] fn a() -> Key { Key } #[provides] fn b() -> Key { Key } }
            #[injectable] pub struct Jwt { key: Arc<Key> }");
    assert_eq!(codes(&build.compile_package("acme-auth")), ["ZNIGHT004"]);
}

#[test]
fn wrong_attributes_are_said_by_the_library_alone() {
    let build = Build::new()
        .library(
            "acme-auth",
            &[],
            "#[injectable(scop = \"request\")] pub struct Jwt;",
        )
        .shop(
            &["acme-auth"],
            "#[injectable] struct Login { jwt: Arc<acme_auth::Jwt> }",
        );
    assert_eq!(codes(&build.compile_package("acme-auth")), ["ZNIGHT005"]);
    assert_eq!(build.compile().diagnostics, []);
    assert_eq!(problems(&build.compile()), [""; 0]);
}

#[test]
fn a_circle_through_the_application_is_said_there() {
    let build = Build::new()
        .library("acme-auth", &[], "pub trait Users: Send + Sync {}\n#[injectable] pub struct Jwt { users: Arc<dyn Users> }")
        .shop(&["acme-auth"], "#[injectable] struct PgUsers { jwt: Arc<acme_auth::Jwt> } impl acme_auth::Users for PgUsers {}");
    assert_eq!(build.compile_package("acme-auth").diagnostics, []);
    let message = problem(&build);
    assert!(
        message.starts_with("ZNIGHT002: circular dependency: Jwt -> PgUsers -> Jwt"),
        "{message}"
    );
    assert!(
        message.contains("Jwt needs PgUsers by `users` (../acme-auth/src/lib.rs:4)"),
        "{message}"
    );
    assert!(
        message.contains("PgUsers needs Jwt by `jwt` (src/lib.rs:3)"),
        "{message}"
    );
}

#[test]
fn a_circle_inside_a_library_is_said_by_it() {
    let build = Build::new().library(
        "acme-auth",
        &[],
        "#[injectable] pub struct A { b: Arc<B> } #[injectable] pub struct B { a: Arc<A> }",
    );
    assert_eq!(codes(&build.compile_package("acme-auth")), ["ZNIGHT002"]);
}

#[test]
fn scopes_are_compared_across_crates() {
    let build = Build::new()
        .library("acme-auth", &[], "pub trait User: Send + Sync {}\n#[injectable] pub struct Jwt { user: Arc<dyn User> }")
        .shop(&["acme-auth"], "#[injectable(scope = \"request\")] struct Current; impl acme_auth::User for Current {}");
    assert_eq!(build.compile_package("acme-auth").diagnostics, []);
    let message = problem(&build);
    assert!(
        message.starts_with(
            "ZNIGHT003: singleton Jwt depends on Current, which belongs to one request"
        ),
        "{message}"
    );
}

#[test]
fn a_library_for_another_release_is_refused() {
    let build = Build::new()
        .package("znight@0.2.0", &[], "")
        .library(
            "acme-auth",
            &["znight@0.2.0"],
            "#[injectable] pub struct Jwt;",
        )
        .shop(&["acme-auth"], "");
    let message = problem(&build);
    assert!(
        message.starts_with("ZNIGHT018: acme-auth 0.1.0 is built with znight 0.2.0, and this package with znight 0.1.0"),
        "{message}"
    );
    assert!(message.contains("cargo tree --invert znight"), "{message}");
}

#[test]
fn a_library_that_would_have_it_is_named() {
    let build = Build::new()
        .library("acme-base", &[], "pub trait Users: Send + Sync {} pub struct Pool;")
        .library("acme-store", &["acme-base"], "pub mod pg;")
        .file("src/pg.rs", "use acme_base::{Pool, Users};\n#[injectable]\npub struct PgUsers;\nimpl Users for PgUsers {}\npub struct Made;\n#[factory] impl Made { #[provides] fn pool() -> Pool { Pool } }")
        .shop(&["acme-base"], "use acme_base::{Pool, Users}; #[injectable] struct Login { users: Arc<dyn Users>, pool: Arc<Pool> } struct Own; #[injectable] struct Other { own: Arc<Own> }");
    let output = build.compile();
    let hints: Vec<&str> = output
        .diagnostics
        .iter()
        .map(|found| found.hints[0].as_str())
        .collect();
    assert_eq!(
        hints,
        [
            "PgUsers (../acme-store/src/pg.rs:5) of the library acme-store implements Users: add acme-store to `[dependencies]` in Cargo.toml",
            "`Made::pool` (../acme-store/src/pg.rs:8) of the library acme-store provides Pool: add acme-store to `[dependencies]` in Cargo.toml",
            "Own (src/lib.rs:3) is not a provider: add `#[injectable]`",
        ]
    );
}

#[test]
fn an_impl_whose_bounds_cannot_be_seen_has_to_be_declared() {
    let library = "pub trait Shows: Send + Sync {} pub struct Keeps<T>(T); impl<T: std::fmt::Debug> Shows for Keeps<T> {}
        #[injectable{as}] impl Keeps<other::Thing> { #[inject] pub fn new() -> Self { new() } }";
    let shop = "#[injectable] struct Login { shows: Arc<dyn acme_auth::Shows> }";
    let build = |declared: &str| {
        Build::new()
            .package("other", &[], "pub struct Thing;")
            .library("acme-auth", &["other"], &library.replace("{as}", declared))
            .shop(&["acme-auth"], shop)
            .compile()
    };
    let output = build("");
    assert_eq!(codes(&output), ["ZNIGHT001"]);
    assert_eq!(
        output.diagnostics[0].hints,
        [
            "Keeps<Thing> (../acme-auth/src/lib.rs:4) implements Shows under bounds that are not seen to hold: if they do, declare `as(dyn Shows)` in its attribute"
        ]
    );
    sound(&build("(as(dyn Shows))"));
}

#[test]
fn a_module_with_the_name_of_a_crate_is_not_handed_on_as_one() {
    let build = Build::new()
        .library("config", &[], "#[injectable] pub struct Config;")
        .library("acme-base", &[], "#[injectable] pub struct Base;")
        .library(
            "acme-store",
            &["config", "acme-base"],
            "pub mod config { pub struct Mine; } use config::Mine; use ::acme_base::Base;
            #[injectable] pub struct Store { base: Arc<Base> }",
        )
        .shop(&["acme-store"], "");
    let library = build.compile_package("acme-store");
    assert!(!library.graph.contains("::config;"), "{}", library.graph);
    assert!(library.graph.contains("::acme_base;"), "{}", library.graph);
    let output = build.compile();
    sound(&output);
    assert_eq!(output.providers, 2);
}
