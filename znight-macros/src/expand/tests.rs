//! Expansion in every kind of place, without rustc.

use proc_macro2::TokenStream;
use znight_contract::{ErrorCode, RELEASE_LINE, codes::Severity};
use znight_syntax::{
    expand::Place,
    record::{Coercion, Exist, Item, Mocks, Note, ProviderGlue, Target, Value, Worlds},
    symbol::Outer,
    tokens::flatten,
};

use super::expand;

const ITEM: &str =
    "struct Service { #[inject(\"a\")] repo: Arc<dyn Repo>, #[init] hits: u64, owned: T }";

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

fn target(release: &str) -> Target {
    Target {
        release: release.into(),
        facade: "::zn".into(),
        crate_name: "shop".into(),
        ..Target::default()
    }
}

/// The record of an item with the given notes.
fn record(outer: Outer, args: &str, item: &str, line: usize, notes: Vec<Note>) -> Item {
    Item {
        attribute: outer.path().to_owned(),
        body: flatten(tokens(item)).fingerprint,
        args: flatten(tokens(args)).fingerprint,
        lines: (line, line),
        name: "Service".into(),
        providers: vec![ProviderGlue {
            id: 0xabc,
            method: None,
            by_value: vec![false, true],
            coercions: vec![Coercion {
                ty: "dyn Api".into(),
                test_only: false,
            }],
            guard: false,
        }],
        host: None,
        values: Vec::new(),
        broken: notes
            .iter()
            .find(|note| note.severity == Severity::Error)
            .map(|note| note.worlds),
        notes,
    }
}

fn note(severity: Severity, worlds: Worlds) -> Note {
    Note {
        code: ErrorCode::MissingProvider,
        severity,
        worlds,
        in_args: false,
        first: 10,
        last: 11,
        message: "ZNIGHT001: no provider\n  = hint: é".into(),
        only: None,
    }
}

fn expanded(place: &Place, line: Option<usize>, item: &str) -> String {
    expand(
        Outer::Injectable,
        place,
        line,
        TokenStream::new(),
        tokens(item),
    )
    .to_string()
}

#[test]
fn an_item_elsewhere_stands_for_itself() {
    let place = Place::Elsewhere {
        facade: "::zn".into(),
        mocks: Mocks::default(),
    };
    let text = expanded(&place, None, ITEM);
    assert!(text.contains("__z :: Provided for Service"), "{text}");
    assert!(!text.contains("__Znight"), "{text}");
    assert!(!text.contains("# [inject"), "the markers are gone: {text}");
}

#[test]
fn what_is_wrong_with_an_item_alone_is_said_everywhere() {
    let place = Place::Elsewhere {
        facade: "::znight".into(),
        mocks: Mocks::default(),
    };
    let text = expand(
        Outer::Injectable,
        &place,
        None,
        tokens("scope = \"x\""),
        tokens(ITEM),
    )
    .to_string();
    assert!(
        text.contains("compile_error") && text.contains("there is no scope `x`"),
        "{text}"
    );
    assert!(
        !text.contains("Provided"),
        "an item with an error emits no glue: {text}"
    );
}

#[test]
fn a_recorded_item_gets_the_glue_of_its_record() {
    let place = Place::Analysed(
        target(RELEASE_LINE),
        vec![record(Outer::Injectable, "", ITEM, 1, Vec::new())],
    );
    let text = expanded(&place, Some(1), ITEM);
    assert!(
        text.contains("Provide < 0x0000_0000_0000_0abc > for crate :: __Znight"),
        "{text}"
    );
    assert!(
        text.contains("repo : d . next ()") && text.contains("owned : d . value ()"),
        "{text}"
    );
    assert!(
        text.contains("hits : :: core :: default :: Default :: default ()"),
        "{text}"
    );
    assert!(text.contains("Handle :: new :: < dyn Api >"), "{text}");
}

#[test]
fn an_item_with_an_error_is_kept_without_glue() {
    let wrong = record(
        Outer::Injectable,
        "",
        ITEM,
        1,
        vec![note(Severity::Error, Worlds::Both)],
    );
    let text = expanded(
        &Place::Analysed(target(RELEASE_LINE), vec![wrong]),
        Some(1),
        ITEM,
    );
    assert!(text.starts_with("struct Service"), "{text}");
    assert!(
        text.contains("compile_error") && text.contains("ZNIGHT001: no provider"),
        "{text}"
    );
    assert!(!text.contains("Provide <"), "{text}");
}

#[test]
fn an_error_of_the_tests_alone_leaves_production_its_glue() {
    let wrong = record(
        Outer::Injectable,
        "",
        ITEM,
        1,
        vec![note(Severity::Error, Worlds::Test)],
    );
    let text = expanded(
        &Place::Analysed(target(RELEASE_LINE), vec![wrong]),
        Some(1),
        ITEM,
    );
    assert!(
        text.contains("# [cfg (test)] :: core :: compile_error"),
        "{text}"
    );
    assert!(
        text.contains("# [cfg (not (test))] const _ : () ="),
        "{text}"
    );
}

#[test]
fn a_warning_is_the_use_of_a_deprecated_item_named_after_its_code() {
    let warned = record(
        Outer::Injectable,
        "",
        ITEM,
        1,
        vec![note(Severity::Warning, Worlds::Both)],
    );
    let text = expanded(
        &Place::Analysed(target(RELEASE_LINE), vec![warned]),
        Some(1),
        ITEM,
    );
    assert!(
        text.contains("# [deprecated (note =") && text.contains("const ZNIGHT001 : () = ()"),
        "{text}"
    );
    assert!(text.contains("Provide <"), "and the glue is there: {text}");
}

#[test]
fn what_rustc_decides_goes_through_the_macro_that_knows() {
    for severity in [Severity::Warning, Severity::Error] {
        let conditional = Note {
            only: Some("::zn::__private::http::without_garde".into()),
            ..note(severity, Worlds::Both)
        };
        let mut sound = record(Outer::Injectable, "", ITEM, 1, vec![conditional]);
        sound.broken = None;
        let place = Place::Analysed(target(RELEASE_LINE), vec![sound]);
        let text = expanded(&place, Some(1), ITEM);
        assert!(
            text.contains(":: zn :: __private :: http :: without_garde ! {"),
            "{text}"
        );
        assert!(text.contains("Provide <"), "and the glue is there: {text}");
    }
}

#[test]
fn an_item_the_build_did_not_see_is_said_only_where_positions_are_known() {
    let strict = expanded(
        &Place::Analysed(target(RELEASE_LINE), Vec::new()),
        Some(1),
        ITEM,
    );
    assert!(
        strict.contains("the build did not see this `#[injectable]` item"),
        "{strict}"
    );
    let unplaced = expanded(
        &Place::Unplaced(target(RELEASE_LINE), Vec::new()),
        None,
        ITEM,
    );
    assert!(!unplaced.contains("compile_error"), "{unplaced}");
}

#[test]
fn without_positions_an_item_is_known_by_its_tokens_if_only_one_has_them() {
    let wrong = record(
        Outer::Injectable,
        "",
        ITEM,
        1,
        vec![note(Severity::Error, Worlds::Both)],
    );
    let one = expanded(
        &Place::Unplaced(target(RELEASE_LINE), vec![wrong.clone()]),
        None,
        ITEM,
    );
    assert!(one.contains("ZNIGHT001: no provider"), "{one}");
    let mut twin = wrong.clone();
    twin.lines = (9, 9);
    let two = expanded(
        &Place::Unplaced(target(RELEASE_LINE), vec![wrong, twin]),
        None,
        ITEM,
    );
    assert!(
        !two.contains("compile_error"),
        "which of them is meant cannot be told: {two}"
    );
}

#[test]
fn equal_items_are_told_apart_by_their_lines() {
    let sound = record(Outer::Injectable, "", ITEM, 1, Vec::new());
    let wrong = record(
        Outer::Injectable,
        "",
        ITEM,
        9,
        vec![note(Severity::Error, Worlds::Both)],
    );
    let place = Place::Analysed(target(RELEASE_LINE), vec![sound, wrong]);
    assert!(!expanded(&place, Some(1), ITEM).contains("compile_error"));
    assert!(expanded(&place, Some(9), ITEM).contains("compile_error"));
}

#[test]
fn an_item_that_a_derive_rewrote_is_known_by_its_place() {
    let recorded = record(
        Outer::Injectable,
        "",
        "struct Service { #[cfg(windows)] gone: A, repo: Arc<B> }",
        4,
        vec![note(Severity::Error, Worlds::Both)],
    );
    let place = Place::Analysed(target(RELEASE_LINE), vec![recorded]);
    let text = expanded(&place, Some(4), "struct Service { repo: Arc<B> }");
    assert!(text.contains("ZNIGHT001"), "{text}");
}

#[test]
fn records_of_another_release_are_left_to_the_graph_to_report() {
    let place = Place::Analysed(target("0.0"), Vec::new());
    let text = expanded(&place, Some(1), ITEM);
    assert!(
        !text.contains("compile_error") && !text.contains("Provide"),
        "{text}"
    );
}

const CONTROLLER: &str =
    "impl Users { #[get(concat!(ITEM, \"/x\"))] #[cfg(unix)] fn get(&self, id: u64) {} }";

/// The record of [`CONTROLLER`] under `#[controller(Self::BASE)]`, with these values.
fn controller(values: &[(&str, Worlds, &str)]) -> String {
    let args = "Self::BASE";
    let mut item = record(Outer::Controller, args, CONTROLLER, 1, Vec::new());
    item.providers.clear();
    item.host = Some(7);
    item.values = values
        .iter()
        .map(|(written, worlds, text)| Value {
            key: flatten(tokens(written)).fingerprint,
            worlds: *worlds,
            text: (*text).to_owned(),
        })
        .collect();
    let place = Place::Analysed(target(RELEASE_LINE), vec![item]);
    let expanded = expand(
        Outer::Controller,
        &place,
        Some(1),
        tokens(args),
        tokens(CONTROLLER),
    );
    expanded.to_string()
}

#[test]
fn constant_paths_are_those_of_the_record() {
    let text = controller(&[
        ("Self::BASE", Worlds::Both, "/users"),
        ("concat!(ITEM, \"/x\")", Worlds::Both, "/{id}/x"),
    ]);
    assert!(text.contains("\"/users\" , __z :: place"), "{text}");
    assert!(
        text.contains("\"/{id}/x\"") && text.contains("param (rq , \"id\")"),
        "a parameter of the path by its name: {text}"
    );
    assert!(
        text.contains("__z :: agree (< Users > :: BASE , \"/users\")"),
        "rustc compares, outside of the impl: {text}"
    );
    assert!(
        text.contains("# [cfg (unix)] const _ : fn () = || { let _ = (ITEM , \"/x\" ,) ; }"),
        "only literals can be joined, to rustc: {text}"
    );
}

#[test]
fn constants_that_differ_in_tests_make_two_pieces_of_glue() {
    let text = controller(&[
        ("Self::BASE", Worlds::Production, "/users"),
        ("Self::BASE", Worlds::Test, "/tests"),
        ("concat!(ITEM, \"/x\")", Worlds::Both, "/{id}/x"),
    ]);
    let (production, test) = text
        .split_once("# [cfg (test)] const _ : () =")
        .expect("glue for the tests");
    assert!(
        production.contains("# [cfg (not (test))]") && production.contains("\"/users\""),
        "{text}"
    );
    assert!(
        test.contains("\"/tests\"") && !test.contains("\"/users\""),
        "{text}"
    );
}

#[test]
fn a_constant_without_a_value_is_refused_where_rustc_knows_it() {
    let text = controller(&[("Self::BASE", Worlds::Both, "/users")]);
    assert!(
        text.contains("__z :: not_found (& (ITEM , \"/x\" ,))"),
        "{text}"
    );
}

#[test]
fn constants_elsewhere_are_emitted_as_they_are() {
    let place = Place::Elsewhere {
        facade: "::zn".into(),
        mocks: Mocks::default(),
    };
    let text = expand(
        Outer::Injectable,
        &place,
        None,
        tokens("name = Self::NAME"),
        tokens("struct Probe { #[inject(CLOCK)] clock: Arc<Clock> }"),
    )
    .to_string();
    assert!(
        text.contains("name : __z :: Some (< Probe > :: NAME)") && text.contains("Some (CLOCK)"),
        "{text}"
    );
    let text = expand(
        Outer::Controller,
        &place,
        None,
        tokens("BASE"),
        tokens("impl Users { #[get] fn get(&self) {} }"),
    )
    .to_string();
    assert!(
        text.contains("__z :: http :: plain_path (BASE)") && text.contains("\"Users\" , BASE"),
        "{text}"
    );
    let text = expand(
        Outer::Injectable,
        &place,
        None,
        tokens("scope = SCOPE"),
        tokens("struct Probe;"),
    )
    .to_string();
    assert!(text.contains("a scope is a literal here"), "{text}");
}

/// The glue of the item in a package whose mocks are these.
fn glue_with(mocks: Mocks) -> String {
    let items = vec![record(Outer::Injectable, "", ITEM, 1, Vec::new())];
    let target = Target {
        mocks,
        ..target(RELEASE_LINE)
    };
    expanded(&Place::Analysed(target, items), Some(1), ITEM)
}

#[test]
fn tests_know_what_a_provider_is_injected_with() {
    let text = glue_with(Mocks::default());
    for expected in [
        "# [cfg (test)] const INJECTED : & [__z :: Injection]",
        "__z :: Asked :: < Arc < dyn Repo > > :: INJECTION . named (__z :: Some (\"a\")) ,",
        "__z :: Injection :: value :: < T > () ,",
        "# [cfg (test)] let provider = provider . injected_with (INJECTED) ;",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn with_the_feature_everybody_knows_what_a_provider_is_injected_with() {
    let text = glue_with(Mocks {
        exist: Exist::Everywhere,
        ..Mocks::default()
    });
    assert!(text.contains(". injected_with (INJECTED) ;"), "{text}");
    assert!(!text.contains("cfg (test)"), "{text}");
}

#[test]
fn without_beds_the_glue_names_no_type_twice() {
    let text = glue_with(Mocks {
        beds: false,
        ..Mocks::default()
    });
    assert!(!text.contains("INJECTED"), "{text}");
    assert!(
        text.contains("const P : __z :: Provider = __z :: provider :: < Service > (MAKE ,"),
        "{text}"
    );
}

#[test]
fn self_in_an_injected_type_is_the_type_of_the_impl() {
    let item =
        "impl Service { fn new(own: Lazy<Self>, list: Arc<dyn Of<Self::Key>>) -> Self { x } }";
    let mut record = record(Outer::Injectable, "", item, 1, Vec::new());
    record.providers[0].by_value = vec![false, false];
    let place = Place::Analysed(target(RELEASE_LINE), vec![record]);
    let text = expanded(&place, Some(1), item);
    assert!(
        text.contains(":: Asked :: < Lazy < Service > > :: INJECTION")
            && text.contains(":: Asked :: < Arc < dyn Of < < Service > :: Key > > > :: INJECTION"),
        "{text}"
    );
}

#[test]
fn decisions_are_glue_that_rustc_types_and_vanish_from_the_item() {
    const DECIDED: &str = "#[decide(PUBLIC)] impl Users {
        #[get] #[decide(auth::ROLES = Self::ADMINS)] fn get(&self) {}
    }";
    let mut item = record(Outer::Controller, "", DECIDED, 1, Vec::new());
    item.providers.clear();
    item.host = Some(7);
    let place = Place::Analysed(target(RELEASE_LINE), vec![item]);
    let text = expand(
        Outer::Controller,
        &place,
        Some(1),
        tokens(""),
        tokens(DECIDED),
    )
    .to_string();
    assert!(!text.contains("# [decide"), "{text}");
    assert!(
        text.contains(
            "decisions : & [__z :: http :: Decided { decision : __z :: http :: flag (& PUBLIC)"
        ),
        "{text}"
    );
    assert!(
        text.contains("__z :: http :: value_of (& auth :: ROLES , < Users > :: ADMINS)"),
        "outside of the impl, `Self` is the type: {text}"
    );
}

#[test]
fn a_provider_that_seems_to_be_a_guard_has_rustc_asked() {
    let glue = |guard: bool| {
        let mut item = record(Outer::Injectable, "", ITEM, 1, Vec::new());
        item.providers[0].guard = guard;
        let place = Place::Analysed(target(RELEASE_LINE), vec![item]);
        expanded(&place, Some(1), ITEM)
    };
    let asked = "impl __z :: http :: GuardOf < 0x0000_0000_0000_0abc > for crate :: __Znight";
    assert!(glue(true).contains(asked), "{}", glue(true));
    assert!(!glue(false).contains("http"), "{}", glue(false));
}
