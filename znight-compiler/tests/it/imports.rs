//! Names that come from afar: other crates, macros, globs of globs; and what code in between may hide.

use std::fmt::Write as _;

use znight_compiler::{compile, source::Memory};

use crate::support::{codes, deps, one, options, sound, stands_in};

#[test]
fn a_crate_is_known_by_the_name_its_root_gives_it() {
    for (root, thing) in [
        ("extern crate self as me;", "me::a::Thing"),
        ("extern crate self as me;", "::me::a::Thing"),
        (
            "extern crate self as me; use me::a as b;",
            "super::b::Thing",
        ),
    ] {
        sound(&one(&format!(
            "{root} mod a {{ use znight::injectable; #[injectable] pub struct Thing; }}
            mod b2 {{ use std::sync::Arc; use znight::injectable; #[injectable] struct User {{ thing: Arc<{thing}> }} }}"
        )));
    }
    let output = one(
        "extern crate sqlx as db; struct F; #[factory] impl F { #[provides] fn pool() -> sqlx::Pool { todo() } }
        mod b { use std::sync::Arc; use znight::injectable; #[injectable] struct User { pool: Arc<db::Pool> } }",
    );
    sound(&output);
}

#[test]
fn paths_of_the_edition_2015_start_at_the_root() {
    let mut options = options();
    options.externs.rooted_uses = true;
    let text = "extern crate znight; some_macro!();
        mod a { use znight::injectable; #[injectable] pub struct Thing; }
        mod b {
            use std::sync::Arc; use znight::injectable; use a::Thing;
            #[injectable] struct User { thing: Arc<Thing>, same: Arc<::a::Thing>, std: ::std::sync::Arc<::a::Thing> }
        }
        znight::graph!();";
    sound(&compile(&options, &Memory::new().file("src/lib.rs", text)));
}

#[test]
fn what_is_visible_in_a_module_is_by_whatever_it_is_called() {
    for path in ["crate::r#type", "super", "self", "crate::r#type::inner"] {
        sound(&one(&format!(
            "mod r#type {{
                mod inner {{
                    pub(in {path}) mod things {{ use znight::injectable; #[injectable] pub struct Thing; }}
                    mod user {{
                        use std::sync::Arc; use znight::injectable; use super::*;
                        #[injectable] struct User {{ thing: Arc<things::Thing> }}
                    }}
                }}
            }}"
        )));
    }
}

#[test]
fn a_name_that_a_macro_may_have_made_is_unknown_not_missing() {
    for maker in [
        "#[derive(Builder)] struct Foo;",
        "#[derive(Debug, Clone, kit::Builder)] struct Foo;",
        "#[mocked] trait Foo {}",
        "kit::make! { FooBuilder }",
        "macro FooBuilder() {}",
        "mod m { #[derive(Builder)] pub struct Foo; } use m::*;",
    ] {
        let output = one(&format!(
            "{maker} #[injectable] struct S {{ b: Arc<FooBuilder> }}"
        ));
        assert_eq!(codes(&output), ["ZNIGHT010"], "{maker}");
    }
}

#[test]
fn a_name_that_nothing_can_have_made_is_for_rustc_to_report() {
    for beside in [
        "",
        "#[derive(Debug, Clone, Serialize, FromRow)] #[serde(default)] struct Foo;",
        "thread_local! { static A: u8 = 1; }",
        "#[async_trait] trait Foo {}",
        "macro_rules! foo { () => {} }",
    ] {
        let output = one(&format!(
            "{beside} #[injectable] struct S {{ b: Arc<FooBuilder> }}"
        ));
        assert!(output.diagnostics.is_empty(), "{beside}");
        // Should rustc find it after all, the build still fails.
        assert!(stands_in(&output), "{beside}");
        let expected = "ZNIGHT010: what is asked for at src/lib.rs:";
        assert!(output.graph.contains(expected), "{beside}");
    }
}

#[test]
fn a_glob_may_lead_to_what_another_one_brings() {
    let output = one(
        "mod a { pub mod b { pub use self::c::*; pub mod c { pub mod d { use znight::injectable; #[injectable] pub struct Thing; } } } }
        use d::*; use b::*; use a::*; #[injectable] struct User { thing: Arc<Thing> }",
    );
    sound(&output);
}

#[test]
fn modules_that_all_import_one_another_take_no_time() {
    const MODULES: usize = 12;
    let mut text = String::new();
    for module in 0..MODULES {
        let _ = write!(text, "mod m{module} {{ pub(crate) use super::*; ");
        for other in 0..MODULES {
            let _ = write!(text, "pub use crate::m{other}::*; ");
        }
        let _ = write!(
            text,
            "#[injectable] pub struct P{module} {{ next: Lazy<P{}> }} }} use m{module}::*; ",
            (module + 1) % MODULES
        );
    }
    let output = one(&text);
    sound(&output);
    assert_eq!(deps(&output, "P0").matches("Lazy").count(), 1);
}

#[test]
fn a_path_under_a_condition_that_cannot_be_told_may_not_be_taken() {
    let provider = "use znight::injectable; #[injectable] pub struct Found;";
    for file in ["src/x.rs", "src/a.rs"] {
        let sources = Memory::new()
            .file(
                "src/lib.rs",
                "#[cfg_attr(custom, path = \"x.rs\")] mod a; znight::graph!();",
            )
            .file(file, provider);
        let output = compile(&options(), &sources);
        sound(&output);
        assert!(output.graph.contains("shop::a::Found"), "{file}");
    }
}

#[test]
fn heads_of_items_do_not_hide_what_stands_behind_them() {
    for head in [
        "impl<T> Clone for Of<T> where T: Copy, { fn clone(&self) -> Self { todo!() } }",
        "fn f<F>(f: F) where F: Fn() -> u8, { f() }",
        "enum Choice<T> where T: Copy, { A { b: T } }",
        "struct Made<T, F = fn() -> T> { f: F, t: T }",
        "const F: fn() -> u8 = { f };",
    ] {
        let output = one(&format!(
            "struct Of<T>(T); {head} #[injectable] struct A; #[injectable] struct B {{ a: Arc<A> }}"
        ));
        sound(&output);
        assert_eq!(deps(&output, "B"), "[One(0)]", "{head}");
    }
}
