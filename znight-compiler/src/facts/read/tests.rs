use super::{Names, read};
use crate::facts::{FileFacts, ItemKind, NotDyn, UseFact, flat::Flat as _};

/// What a text says, by way of the bytes that are kept of it.
fn read_text(text: &str) -> FileFacts {
    let facts = read(text, &Names::default());
    let kept = FileFacts::from_bytes(&facts.to_bytes()).expect("what was written");
    assert_eq!(format!("{facts:?}"), format!("{kept:?}"));
    kept
}

fn uses(text: &str) -> Vec<UseFact> {
    read_text(text)
        .items
        .into_iter()
        .flat_map(|item| match item.kind {
            ItemKind::Use(found) => found,
            _ => Vec::new(),
        })
        .collect()
}

#[track_caller]
fn check_use(text: &str, expected: &[(&str, Option<&str>, bool)]) {
    let found: Vec<(String, Option<String>, bool)> = uses(text)
        .into_iter()
        .map(|fact| (fact.path.join("::"), fact.alias, fact.glob))
        .collect();
    let expected: Vec<(String, Option<String>, bool)> = expected
        .iter()
        .map(|(path, alias, glob)| ((*path).to_owned(), alias.map(str::to_owned), *glob))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn every_form_of_use() {
    check_use("use a::b;", &[("a::b", Some("b"), false)]);
    check_use("use a::b as c;", &[("a::b", Some("c"), false)]);
    check_use("use a::b as _;", &[("a::b", None, false)]);
    check_use(
        "use a::{self, b, c::{d, e as f}};",
        &[
            ("a", Some("a"), false),
            ("a::b", Some("b"), false),
            ("a::c::d", Some("d"), false),
            ("a::c::e", Some("f"), false),
        ],
    );
    check_use("use a::{self as z};", &[("a", Some("z"), false)]);
    check_use(
        "use super::super::x;",
        &[("super::super::x", Some("x"), false)],
    );
    check_use("use self::r#type::*;", &[("self::type", None, true)]);
    check_use("use ::a::*;", &[("a", None, true)]);
    assert!(uses("use ::a::b;")[0].absolute);
}

#[test]
fn traits_that_cannot_be_objects_say_why() {
    for (text, expected) in [
        (
            "trait A { fn a(&self); fn b(&self) -> Self::X; type X; }",
            None,
        ),
        (
            "trait A { async fn a(&self); }",
            Some((NotDyn::AsyncFn, "a")),
        ),
        ("#[async_trait] trait A { async fn a(&self); }", None),
        (
            "trait A { fn a<T>(&self, t: T); }",
            Some((NotDyn::GenericMethod, "a")),
        ),
        ("trait A { fn a<'x>(&'x self) -> &'x str; }", None),
        (
            "trait A { fn a(&self) -> Self; }",
            Some((NotDyn::ReturnsSelf, "a")),
        ),
        (
            "trait A { fn a(&self) -> Self where Self: Sized; fn new() -> u8 where Self: Sized; }",
            None,
        ),
        (
            "trait A { fn a(&self) -> Option<Self> where Self: Other; }",
            Some((NotDyn::ReturnsSelf, "a")),
        ),
        (
            "trait A { fn a(&self, other: &Self); }",
            Some((NotDyn::TakesSelf, "a")),
        ),
        (
            "trait A { fn a(&self) -> impl Future; }",
            Some((NotDyn::ReturnsImpl, "a")),
        ),
        ("trait A { fn a(); }", Some((NotDyn::NoReceiver, "a"))),
        ("trait A { const A: u8; }", Some((NotDyn::Const, "A"))),
        ("trait A: Sized {}", Some((NotDyn::Sized, "Sized"))),
        ("trait A { type X<T>; }", Some((NotDyn::GenericType, "X"))),
    ] {
        let facts = read_text(text);
        let ItemKind::Trait(fact) = &facts.items[0].kind else {
            panic!("{text}")
        };
        let found = fact
            .not_dyn
            .as_ref()
            .map(|(reason, name)| (*reason, name.as_str()));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn places_are_told_in_lines_and_characters() {
    let facts = read_text("\u{feff}// é\r\n#[injectable]\r\nstruct Größe; struct B;");
    let place = |index: usize| {
        let start = facts.items[index].name_at;
        (start.line, start.column)
    };
    assert_eq!([place(0), place(1)], [(3, 8), (3, 22)]);
}

#[test]
fn a_broken_file_is_unknown_and_a_script_line_is_skipped() {
    assert!(read_text("struct A {").broken.is_some());
    assert!(
        read_text("#!/usr/bin/env run\nfn main() {}")
            .broken
            .is_none()
    );
    assert!(
        read_text("#![allow(unused)]\nfn main() {}")
            .broken
            .is_none()
    );
}

#[test]
fn our_attributes_inside_macro_calls_are_noticed() {
    let facts = read_text("make! { #[znight::injectable] pub struct A; }");
    let ItemKind::MacroCall(call) = &facts.items[0].kind else {
        panic!("not a call")
    };
    assert_eq!(call.ours, ["injectable"]);
}

#[track_caller]
fn check_items(text: &str, expected: &[(&str, &[&str])]) {
    let facts = read_text(text);
    let found: Vec<(&str, Vec<String>)> = facts
        .items
        .iter()
        .map(|item| {
            let conditions = item.conditions.iter().map(ToString::to_string).collect();
            (item.name.as_deref().unwrap_or("_"), conditions)
        })
        .collect();
    let expected: Vec<(&str, Vec<String>)> = expected
        .iter()
        .map(|(name, conditions)| (*name, conditions.iter().map(ToString::to_string).collect()))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn macros_that_choose_by_conditions_are_unrolled() {
    check_items(
        "#[cfg(x)] cfg_if! { if #[cfg(a)] { mod b; } else if #[cfg(c)] { struct D; } else { struct E; } }",
        &[
            ("b", &["x", "a"]),
            ("D", &["x", "not(a)", "c"]),
            ("E", &["x", "not(a)", "not(c)"]),
        ],
    );
    check_items(
        "std::cfg_select! { all(a, b) => { mod c; use c as d; }, e => { struct F; } _ => { struct G; } }",
        &[
            ("c", &["all(a, b)"]),
            ("_", &["all(a, b)"]),
            ("F", &["not(all(a, b))", "e"]),
            ("G", &["not(all(a, b))", "not(e)"]),
        ],
    );
}

#[test]
fn what_an_extern_block_declares_stands_in_its_module() {
    check_items(
        "#[cfg(a)] unsafe extern \"C\" { pub safe fn b(c: u8); #[cfg(d)] static E: u8; }",
        &[("b", &["a"]), ("E", &["d", "a"])],
    );
}
