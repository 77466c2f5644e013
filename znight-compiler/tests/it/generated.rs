//! What is generated: bindings, order, text.

use crate::support::{codes, deps, lines, one, sound};

#[test]
fn every_form_of_injection_is_bound() {
    let output = one("trait Sink: Send + Sync {}
        #[injectable] struct A; impl Sink for A {}
        #[injectable(name = \"audit\")] struct B; impl Sink for B {}
        #[injectable(scope = \"transient\")] struct T;
        struct Missing;
        struct F; #[factory] impl F { #[provides(name = \"region\", clone)] fn region() -> String { s() } }
        #[injectable] struct User {
            one: Arc<A>, #[inject(\"audit\")] named: Arc<dyn Sink>, all: Vec<Arc<dyn Sink>>, maybe: Option<Arc<A>>,
            none: Option<Arc<Missing>>, lazy: Lazy<A>, maybe_lazy: Option<Lazy<A>>, none_lazy: Option<Lazy<Missing>>,
            #[inject(\"region\")] region: String, owned: T, context: Lazy<HttpContext>, #[init] own: u8,
        }");
    sound(&output);
    assert_eq!(
        deps(&output, "User"),
        "[One(0), One(1), Many(&[0, 1]), Optional(0), Unbound, Lazy(0), OptionalLazy(0), Unbound, One(2), One(3), LazyExternal(0)]"
    );
    assert_eq!(lines(&output, "z::External").len(), 1);
}

#[test]
fn an_exact_type_beats_primary_and_primary_beats_the_rest() {
    let output = one("trait Repo: Send + Sync {} #[injectable] struct A; impl Repo for A {}
        #[injectable(primary)] struct B; impl Repo for B {} #[injectable] struct C; impl Repo for C {}
        #[injectable] struct User { repo: Arc<dyn Repo>, a: Arc<A> }");
    sound(&output);
    assert_eq!(deps(&output, "User"), "[One(1), One(0)]");
}

#[test]
fn trait_objects_are_found_through_every_kind_of_impl() {
    let base =
        "struct Order; trait Repo<T>: Send + Sync {} trait Marker {} trait Wide: Send + Sync {}";
    for (impls, asked) in [
        ("impl Repo<Order> for A {}", "dyn Repo<Order>"),
        ("impl<T> Repo<T> for A {}", "dyn Repo<Order>"),
        (
            "impl Marker for A {} impl<X: Marker + Send + Sync> Wide for X {}",
            "dyn Wide",
        ),
        (
            "impl<X> Wide for X where X: Marker + Send + Sync {} impl Marker for A {}",
            "dyn Wide",
        ),
        (
            "mod m { impl super::Wide for super::A {} }",
            "dyn Wide + Send + Sync",
        ),
        (
            "type Same = A; impl Wide for Same {}",
            "dyn Sync + Wide + Send",
        ),
        ("impl Wide for self::A {}", "dyn crate::Wide + 'static"),
    ] {
        let output = one(&format!(
            "{base} {impls} #[injectable] struct A; #[injectable] struct User {{ a: Arc<{asked}> }}"
        ));
        sound(&output);
        assert_eq!(deps(&output, "User"), "[One(0)]", "{impls}");
    }
    // A bound that does not hold gives nothing.
    let output = one(&format!(
        "{base} impl<X: Marker + Send + Sync> Wide for X {{}} #[injectable] struct A; #[injectable] struct User {{ a: Arc<dyn Wide> }}"
    ));
    assert_eq!(codes(&output), ["ZNIGHT001"]);
}

#[test]
fn as_declares_what_the_source_does_not_show() {
    let output = one(
        "trait Repo: Send + Sync {} #[injectable(as(dyn Repo))] struct A; #[injectable] struct User { repo: Arc<dyn Repo> }",
    );
    sound(&output);
    let record: String = output.records.values().cloned().collect();
    assert!(record.contains("coercion\tdyn Repo\tboth"), "{record}");
}

#[test]
fn coercions_are_written_as_the_providers_module_can() {
    let output = crate::support::app(&[
        ("src/lib.rs", "mod a; mod b; mod c; znight::graph!();"),
        (
            "src/a.rs",
            "pub trait Repo: Send + Sync {} pub trait Blanket: Send + Sync {} impl<T: Repo> Blanket for T {}",
        ),
        (
            "src/b.rs",
            "use znight::injectable; use super::a as things; #[injectable] struct Sql; impl things::Repo for Sql {}",
        ),
        (
            "src/c.rs",
            "use std::sync::Arc; use znight::injectable; use crate::a::*; #[injectable] struct User { a: Arc<dyn Repo>, b: Arc<dyn Blanket> }",
        ),
    ]);
    sound(&output);
    let record: String = output.records.values().cloned().collect();
    assert!(
        record.contains("coercion\tdyn things::Repo\t"),
        "as the impl writes it: {record}"
    );
    assert!(
        record.contains("coercion\tdyn crate::a::Blanket\t"),
        "by a visible route: {record}"
    );
}

#[test]
fn a_factory_peels_results_options_arcs_and_async() {
    let output = one(
        "struct P1; struct P2; struct P3; trait Tr: Send + Sync {} struct E;
        struct F; #[factory] impl F {
            #[provides] async fn one(&self) -> Result<P1, E> { x() }
            #[provides] fn two() -> Option<P2> { x() }
            #[provides] fn three() -> std::io::Result<Option<Arc<P3>>> { x() }
            #[provides] fn four() -> Arc<dyn Tr> { x() }
        }
        #[injectable] struct User { a: Arc<P1>, b: Arc<P2>, c: Arc<P3>, d: Arc<dyn Tr> }",
    );
    sound(&output);
    // The unit struct of a factory with `&self` is registered by it.
    assert!(output.graph.contains("token: \"shop::F\","));
    assert_eq!(deps(&output, "F::one"), "[One(0)]");
}

#[test]
fn constructors_inject_their_parameters() {
    let output = one("#[injectable] struct A; struct B; struct C;
        #[injectable] impl B { fn new(a: Arc<A>) -> Self { x() } fn other(x: u8) {} }
        #[injectable(scope = \"request\")] impl C { #[constructor] fn make(a: Arc<A>, b: Arc<B>) -> Result<Self, E> { x() } fn new() {} }");
    sound(&output);
    assert_eq!(deps(&output, "B"), "[One(0)]");
    assert_eq!(deps(&output, "C"), "[One(0), One(1)]");
    assert_eq!(lines(&output, "z::ScopeKind::Request").len(), 1);
}

#[test]
fn the_creation_order_puts_dependencies_first() {
    let output = one("#[injectable] struct A { b: Arc<B> } #[injectable] struct B { c: Arc<C> } #[injectable] struct C;
        #[injectable] struct D { a: Lazy<A> }");
    sound(&output);
    assert_eq!(lines(&output, "order:"), ["order: &[2, 1, 0, 3],"]);
}

#[test]
fn controllers_bring_their_guards_along() {
    let output = one("#[injectable] struct Key; struct Hello;
        #[controller(\"/hello\")] #[guard(Key)] impl Hello { #[get] #[guard(Key)] fn hello(&self) {} }");
    sound(&output);
    assert!(
        output.graph.contains("uses: &[1, 1]") || output.graph.contains("uses: &[1]"),
        "{}",
        output.graph
    );
    assert_eq!(lines(&output, "z::http::ControllerEntry").len(), 1);
}

#[test]
fn the_text_is_readable_and_free_of_machine_paths() {
    let output = one(
        "#[injectable] struct A; #[injectable] struct B { a: Arc<A> } struct H; #[controller] impl H { #[get] fn h(&self) {} }",
    );
    sound(&output);
    insta::assert_snapshot!(output.graph);
}
