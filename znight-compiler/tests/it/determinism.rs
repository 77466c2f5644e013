//! The same text gives the same bytes, whatever the order of files and items.

use proptest::prelude::*;

use crate::support::{PRELUDE, app};

const ITEMS: &[&str] = &[
    "pub trait Repo: Send + Sync {}",
    "#[injectable(primary)] struct Sql { pool: Arc<Pool> }",
    "impl Repo for Sql {}",
    "#[injectable] struct Pool;",
    "#[injectable] struct Service { repo: Arc<dyn Repo>, all: Vec<Arc<dyn Repo>> }",
    "#[injectable(name = \"b\")] struct Second;",
    "impl Repo for Second {}",
    "#[injectable] struct Named { #[inject(\"b\")] repo: Arc<dyn Repo> }",
    "type Alias<T> = Arc<T>;",
    "#[injectable] struct Aliased { pool: Alias<Pool> }",
];

fn source(order: &[usize]) -> String {
    let items: Vec<&str> = order.iter().map(|index| ITEMS[*index]).collect();
    format!("{PRELUDE}{}\nznight::graph!();", items.join("\n"))
}

/// The graph without the places, which move with the items.
fn without_places(graph: &str) -> String {
    graph
        .lines()
        .filter(|line| !line.trim().starts_with("source:"))
        .collect::<Vec<_>>()
        .join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_items_changes_nothing(order in Just((0..ITEMS.len()).collect::<Vec<_>>()).prop_shuffle()) {
        let sorted: Vec<usize> = (0..ITEMS.len()).collect();
        let expected = app(&[("src/lib.rs", &source(&sorted))]);
        let found = app(&[("src/lib.rs", &source(&order))]);
        prop_assert_eq!(without_places(&expected.graph), without_places(&found.graph));
        let messages = |output: &znight_compiler::Output| {
            let mut messages: Vec<String> = output.diagnostics.iter().map(|found| found.message.clone()).collect();
            messages.sort();
            messages
        };
        prop_assert_eq!(messages(&expected), messages(&found));
    }

    #[test]
    fn any_text_is_answered_without_a_panic(text in any::<String>()) {
        let _ = app(&[("src/lib.rs", &text)]);
    }

    #[test]
    fn broken_applications_are_answered_without_a_panic(
        cut in 0..400_usize,
        order in Just((0..ITEMS.len()).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let text = source(&order);
        let cut = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
        let _ = app(&[("src/lib.rs", &text[..cut])]);
    }
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    let text = source(&(0..ITEMS.len()).collect::<Vec<_>>());
    let (first, second) = (app(&[("src/lib.rs", &text)]), app(&[("src/lib.rs", &text)]));
    assert_eq!(first.graph, second.graph);
    assert_eq!(first.records, second.records);
}

#[test]
fn a_provider_keeps_its_id_when_others_come_and_go() {
    let id = |items: &[usize]| {
        let output = app(&[("src/lib.rs", &source(items))]);
        let entry = output
            .graph
            .split("token: \"shop::Pool\"")
            .nth(1)
            .expect("the pool")
            .to_owned();
        entry
            .lines()
            .find(|line| line.contains("Provide<"))
            .expect("an id")
            .to_owned()
    };
    assert_eq!(id(&[3]), id(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
}
