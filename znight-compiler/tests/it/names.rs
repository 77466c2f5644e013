//! Names: modules, imports, globs, re-exports, aliases.

use crate::support::{PRELUDE, app, codes, deps, one, sound, stands_in};

/// An application whose `a::Thing` is injected by whatever the root imports.
#[track_caller]
fn imported(import: &str, name: &str) {
    let output = app(&[
        (
            "src/lib.rs",
            &format!(
                "{PRELUDE}mod a;\n{import}\n#[injectable] struct User {{ thing: Arc<{name}> }}\nznight::graph!();"
            ),
        ),
        (
            "src/a/mod.rs",
            "use znight::injectable; pub mod deep; pub use self::deep::Deep as Renamed; #[injectable] pub struct Thing;",
        ),
        (
            "src/a/deep.rs",
            "use znight::injectable; #[injectable] pub struct Deep; pub use super::Thing as Up;",
        ),
    ]);
    sound(&output);
    let wanted = if name.contains("Deep") || name.contains("Renamed") {
        "a::deep::Deep"
    } else {
        "a::Thing"
    };
    let number = output
        .graph
        .lines()
        .filter(|line| line.contains("token:"))
        .position(|line| line.contains(wanted));
    assert_eq!(
        deps(&output, "User"),
        format!("[One({})]", number.expect("a provider")),
        "{import}"
    );
}

#[test]
fn every_way_to_reach_a_name() {
    for (import, name) in [
        ("use a::Thing;", "Thing"),
        ("use crate::a::Thing;", "Thing"),
        ("use self::a::{Thing as Other};", "Other"),
        ("use a::*;", "Thing"),
        ("use a::{deep::*};", "Up"),
        ("use a::{self};", "a::Thing"),
        ("use a::{self as z};", "z::Thing"),
        ("", "a::Thing"),
        ("", "crate::a::Thing"),
        ("", "self::a::Thing"),
        ("use a::Renamed;", "Renamed"),
        ("use a::deep::Deep;", "Deep"),
        ("", "a::deep::Deep"),
        ("use a::deep::Up as r#type;", "r#type"),
        ("type Short = a::Thing;", "Short"),
        ("type Long<T> = T;", "Long<a::Thing>"),
        ("mod m { pub use crate::a::*; } use m::*;", "Thing"),
        ("use a as b; use b::Thing;", "Thing"),
        (
            "mod inner { pub use super::a::Thing; } pub use inner::Thing;",
            "Thing",
        ),
    ] {
        imported(import, name);
    }
}

#[test]
fn explicit_names_shadow_globs_and_globs_shadow_the_preludes() {
    let output = one(
        "mod a { use znight::injectable; #[injectable] pub struct Thing; } use a::*; #[injectable] struct Thing; #[injectable] struct User { thing: Arc<Thing> }",
    );
    sound(&output);
    assert!(
        output.graph.contains("\"shop::Thing\"") && output.graph.contains("\"shop::a::Thing\"")
    );
    assert_eq!(deps(&output, "User"), "[One(0)]");
    let output = one(
        "mod a { use znight::injectable; #[injectable] pub struct Vec; } use a::*; #[injectable] struct User { thing: Arc<Vec> }",
    );
    sound(&output);
}

#[test]
fn two_globs_with_one_name_are_wrong_only_when_it_is_used() {
    let modules = "mod a { pub struct X; } mod b { pub struct X; } use a::*; use b::*;";
    sound(&one(&format!("{modules} #[injectable] struct User;")));
    assert_eq!(
        codes(&one(&format!(
            "{modules} #[injectable] struct User {{ x: Arc<X> }}"
        ))),
        ["ZNIGHT010"]
    );
}

#[test]
fn loops_of_globs_end() {
    let output = one(
        "mod a { pub use super::b::*; use znight::injectable; #[injectable] pub struct X; } mod b { pub use super::a::*; } use b::*; #[injectable] struct User { x: Arc<X> }",
    );
    sound(&output);
}

#[test]
fn attributes_are_known_by_what_they_mean() {
    // Renamed, by path, through a re-export of the application's own.
    for (import, attribute) in [
        ("use znight::injectable as service;", "#[service]"),
        ("", "#[znight::injectable]"),
        (
            "mod kit { pub use znight::injectable as component; } use kit::component;",
            "#[component]",
        ),
        ("", "#[cfg_attr(all(), injectable)]"),
        ("", "#[cfg_attr(feature = \"sql\", injectable)]"),
    ] {
        let output = one(&format!(
            "{import} {attribute} struct A; #[injectable] struct B {{ a: Arc<A> }}"
        ));
        sound(&output);
    }
    // Another crate's attribute of that name is not ours.
    let output = one(
        "mod m { use other::injectable; #[injectable] pub struct A; } #[injectable] struct B { a: Arc<m::A> }",
    );
    assert_eq!(codes(&output), ["ZNIGHT001"]);
}

#[test]
fn modules_in_every_form() {
    let provider = "use znight::injectable; #[injectable] pub struct Found;";
    for (root, files) in [
        ("mod a;", vec![("src/a.rs", provider)]),
        ("mod a;", vec![("src/a/mod.rs", provider)]),
        ("mod a { pub mod b; }", vec![("src/a/b.rs", provider)]),
        (
            "mod a;",
            vec![("src/a.rs", "pub mod b;"), ("src/a/b.rs", provider)],
        ),
        (
            "mod a;",
            vec![("src/a/mod.rs", "pub mod b;"), ("src/a/b/mod.rs", provider)],
        ),
        (
            "#[path = \"x/y.rs\"] mod a;",
            vec![("src/x/y.rs", "pub mod b;"), ("src/x/b.rs", provider)],
        ),
        (
            "#[path = \"../shared/y.rs\"] mod a;",
            vec![("shared/y.rs", provider)],
        ),
        (
            "#[path = \"x\"] mod a { pub mod b; }",
            vec![("src/x/b.rs", provider)],
        ),
        (
            "mod a { #[path = \"y.rs\"] pub mod b; }",
            vec![("src/a/y.rs", provider)],
        ),
        (
            "mod a;",
            vec![
                ("src/a.rs", "mod inner { #[path = \"y.rs\"] pub mod b; }"),
                ("src/a/inner/y.rs", provider),
            ],
        ),
        (
            "#[cfg_attr(unix, path = \"u.rs\")] #[cfg_attr(windows, path = \"w.rs\")] mod a;",
            vec![("src/u.rs", provider)],
        ),
        ("mod r#type;", vec![("src/type.rs", provider)]),
    ] {
        let text = format!("{root}\nznight::graph!();");
        let mut all = vec![("src/lib.rs", text.as_str())];
        all.extend(files);
        let output = app(&all);
        assert!(output.diagnostics.is_empty(), "{root}");
        assert!(
            output.graph.contains("display: \"Found\""),
            "{root}\n{}",
            output.graph
        );
    }
}

#[test]
fn a_file_that_no_module_leads_to_is_not_code() {
    let output = app(&[
        ("src/lib.rs", "znight::graph!();"),
        (
            "src/orphan.rs",
            "#[injectable] struct A { b: Arc<Missing> }",
        ),
    ]);
    sound(&output);
    assert!(!output.graph.contains("orphan"));
}

#[test]
fn a_module_without_a_file_is_watched_in_both_places() {
    let output = app(&[("src/lib.rs", "mod later; znight::graph!();")]);
    let watched: Vec<String> = output
        .watch
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(watched, ["src/later/mod.rs", "src/later.rs", "src/lib.rs"]);
    // Once there, only the file that counts is: Cargo reruns for ever for a missing one.
    let output = app(&[
        ("src/lib.rs", "mod later; znight::graph!();"),
        ("src/later.rs", ""),
    ]);
    let watched: Vec<String> = output
        .watch
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(watched, ["src/later.rs", "src/lib.rs"]);
}

#[test]
fn what_an_unreadable_file_may_hold_is_unknown_not_missing() {
    let output = app(&[
        (
            "src/lib.rs",
            &format!(
                "{PRELUDE}mod a;\n#[injectable] struct User {{ thing: Arc<a::Thing> }}\nznight::graph!();"
            ),
        ),
        ("src/a.rs", "struct {"),
    ]);
    assert!(
        output.diagnostics.is_empty(),
        "rustc says that the file is broken"
    );
    assert!(stands_in(&output));
}

#[test]
fn types_are_equal_by_what_they_mean() {
    for (declared, asked) in [
        ("std::sync::Arc<Pool>", "Arc<Pool>"),
        ("Arc<self::Pool>", "::std::sync::Arc<crate::Pool>"),
        ("Arc<Pool>", "std::sync::Arc<(Pool)>"),
    ] {
        let output = one(&format!(
            "#[injectable] struct Pool; #[injectable] struct A {{ p: {declared} }} #[injectable] struct B {{ p: {asked} }}"
        ));
        sound(&output);
        assert_eq!(deps(&output, "A"), deps(&output, "B"));
    }
}

#[test]
fn generic_arguments_and_their_defaults_tell_types_apart() {
    let types =
        "struct User; struct Order; struct Repo<T, K = u64>(std::marker::PhantomData<(T, K)>);
        struct F; #[factory] impl F {
            #[provides] fn users() -> Repo<User> { todo() }
            #[provides] fn orders() -> Repo<Order, u32> { todo() }
        }";
    let output = one(&format!(
        "{types} #[injectable] struct A {{ a: Arc<Repo<User, u64>>, b: Arc<Repo<Order, u32>> }}"
    ));
    sound(&output);
    let output = one(&format!(
        "{types} #[injectable] struct A {{ a: Arc<Repo<Order>> }}"
    ));
    assert_eq!(codes(&output), ["ZNIGHT001"]);
}
