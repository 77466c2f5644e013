//! Production and unit tests, features and other conditions.

use crate::support::{codes, one, sound};

#[test]
fn test_only_providers_live_only_in_the_test_graph() {
    let output = one(
        "trait Repo: Send + Sync {} #[injectable] struct Sql; impl Repo for Sql {}
        #[injectable] struct Service { repos: Vec<Arc<dyn Repo>> }
        #[cfg(test)] mod tests { use super::*; #[injectable] struct Fake; impl Repo for Fake {} }",
    );
    sound(&output);
    let (production, test) = output.graph.split_once("#[cfg(test)]").expect("two graphs");
    assert!(production.contains("#[cfg(not(test))]"));
    assert!(!production.contains("Fake"));
    assert!(test.contains("shop::tests::Fake"));
}

#[test]
fn tests_without_providers_need_no_second_graph() {
    let output = one(
        "#[injectable] struct A; #[cfg(test)] mod tests { use super::*; struct Fake; #[test] fn a() {} }",
    );
    sound(&output);
    assert!(!output.graph.contains("cfg("));
}

#[test]
fn a_mistake_of_the_tests_alone_leaves_production_alone() {
    let output = one(
        "#[injectable] struct A; #[cfg(test)] mod tests { use super::*; struct Missing; #[injectable] struct B { m: Arc<Missing> } }",
    );
    assert_eq!(codes(&output), ["ZNIGHT001"]);
    let (production, test) = output.graph.split_once("#[cfg(test)]").expect("two graphs");
    assert!(production.contains("shop::A"));
    assert!(test.contains("Graph::empty()"));
    let record = output
        .records
        .values()
        .find(|text| text.contains("note\t"))
        .expect("a note");
    assert!(record.contains("broken\ttest"), "{record}");
}

#[test]
fn production_is_never_bound_to_what_only_tests_have() {
    let output = one(
        "trait Repo: Send + Sync {} #[injectable] struct Service { repo: Arc<dyn Repo> }
        #[cfg(test)] #[injectable] struct Fake; #[cfg(test)] impl Repo for Fake {}",
    );
    assert_eq!(codes(&output), ["ZNIGHT001"]);
    let message = znight_compiler::diagnostic::message(&output.diagnostics[0]);
    assert!(message.contains("switched off by `cfg(test)`"), "{message}");
}

#[test]
fn features_and_targets_choose() {
    for (condition, present) in [
        ("feature = \"sql\"", true),
        ("feature = \"other\"", false),
        ("all(unix, target_os = \"linux\")", true),
        ("any(windows, feature = \"other\")", false),
        ("not(feature = \"sql\")", false),
        ("my_own_flag", true),
    ] {
        let output = one(&format!("#[cfg({condition})] #[injectable] struct A;"));
        sound(&output);
        assert_eq!(output.graph.contains("shop::A"), present, "{condition}");
    }
}

#[test]
fn conditions_hold_on_modules_fields_impls_imports_and_methods() {
    let output = one("#[cfg(windows)] mod off { use znight::injectable; #[injectable] struct Off; }
        trait Repo: Send + Sync {} #[injectable] struct A; #[cfg(windows)] impl Repo for A {}
        #[injectable] struct B { #[cfg(windows)] missing: Arc<Nowhere>, a: Arc<A>, repos: Vec<Arc<dyn Repo>> }
        struct F; #[factory] impl F { #[cfg(windows)] #[provides] fn x() -> Nowhere { n() } #[provides] fn y() -> u8 { 1 } }
        #[cfg(windows)] use nowhere::Thing; #[cfg(unix)] use std::string::String as Thing;
        #[injectable] struct C { thing: Option<Arc<Thing>> }");
    sound(&output);
    assert_eq!(crate::support::deps(&output, "B"), "[One(0), Many(&[])]");
    assert!(!output.graph.contains("Off"));
    assert!(!output.graph.contains("F::x"));
}

#[test]
fn a_constant_may_have_another_value_in_tests() {
    let output = one(
        "#[cfg(test)] const BASE: &str = \"/t\"; #[cfg(not(test))] const BASE: &str = \"/p\";
        struct A; impl A { #[cfg(test)] const SUB: &'static str = \"/{x}\"; #[cfg(not(test))] const SUB: &'static str = \"/x\"; }
        #[controller(BASE)] impl A { #[get(Self::SUB)] fn get(&self) {} }",
    );
    assert_eq!(
        codes(&output),
        ["ZNIGHT007"],
        "only the tests have a parameter"
    );
    let record = output
        .records
        .values()
        .find(|text| text.contains("value\t"))
        .expect("values");
    for part in [
        "production\t/p",
        "production\t/x",
        "test\t/t",
        "broken\ttest",
    ] {
        assert!(record.contains(part), "{part}\n{record}");
    }
}

#[test]
fn constants_of_tests_that_no_attribute_names_need_no_second_graph() {
    let output = one("#[injectable] struct A; #[cfg(test)] const B: &str = \"b\";");
    sound(&output);
    assert!(!output.graph.contains("cfg("));
}
