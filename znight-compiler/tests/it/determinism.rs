//! The same text gives the same bytes, whatever the order of files and items.

use proptest::prelude::*;
use znight_compiler::{Output, compile};
use znight_syntax::record::{Item, TARGET_FILE};

use crate::{
    realistic::{FILES, Texts, sources, texts},
    support::{PRELUDE, app, options, sound},
};

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

/// Mistakes that are found in different phases, each at a place of its own.
const MISTAKES: &[&str] = &[
    "struct Lost; trait Far: Send + Sync {}",
    "#[injectable] struct A { lost: Arc<Lost> }",
    "#[injectable] struct B { far: Arc<dyn Far> }",
    "#[injectable] struct C { d: Arc<D> }",
    "#[injectable] struct D { c: Arc<C> }",
    "#[injectable(scope = \"request\")] struct E;",
    "#[injectable] struct F { e: Arc<E> }",
    "#[injectable(scpe = 1)] struct G;",
    "#[controller(\"/a/{\")] impl E { #[get] fn a(&self) {} }",
    "#[injectable] struct H { text: String }",
];

fn source(order: &[usize]) -> String {
    let items: Vec<&str> = order.iter().map(|index| ITEMS[*index]).collect();
    format!("{PRELUDE}{}\nznight::graph!();", items.join("\n"))
}

/// The application with the items of each file in the order of these keys.
fn shuffled(keys: &[u32]) -> Texts {
    let mut keys = keys.iter().cycle();
    let shuffle = |items: &[&'static str], keys: &mut dyn Iterator<Item = &u32>| {
        let mut items: Vec<(u32, &str)> = items
            .iter()
            .map(|item| (keys.next().copied().unwrap_or_default(), *item))
            .collect();
        items.sort_unstable();
        let items: Vec<&str> = items.into_iter().map(|(_, item)| item).collect();
        items.join("\n")
    };
    FILES
        .iter()
        .map(|(path, items)| (*path, shuffle(items, &mut keys)))
        .collect()
}

/// The graph without the places of providers. Nothing else in it moves with the items.
fn without_places(graph: &str) -> String {
    graph
        .lines()
        .filter(|line| !line.trim().starts_with("source:"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The records of each file without lines, in an order of their own. Nothing else in them moves with the items.
fn without_lines(output: &Output) -> Vec<(String, Vec<Item>)> {
    let files = output
        .records
        .iter()
        .filter(|(name, _)| *name != TARGET_FILE);
    files
        .map(|(name, text)| {
            let mut items = Item::read_all(text).expect("records");
            for item in &mut items {
                item.lines = (0, 0);
            }
            items.sort_by_key(|item| (item.body, item.args));
            (name.clone(), items)
        })
        .collect()
}

/// Codes and messages, without the lines that some of them name.
fn messages(output: &Output) -> Vec<String> {
    let mut messages: Vec<String> = output
        .diagnostics
        .iter()
        .map(|found| format!("{} {} {:?}", found.code, found.message, found.hints))
        .map(|text| text.replace(|c: char| c.is_ascii_digit(), ""))
        .collect();
    messages.sort();
    messages
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_items_changes_nothing(order in Just((0..ITEMS.len()).collect::<Vec<_>>()).prop_shuffle()) {
        let sorted: Vec<usize> = (0..ITEMS.len()).collect();
        let expected = app(&[("src/lib.rs", &source(&sorted))]);
        let found = app(&[("src/lib.rs", &source(&order))]);
        prop_assert_eq!(without_places(&expected.graph), without_places(&found.graph));
        prop_assert_eq!(messages(&expected), messages(&found));
    }

    #[test]
    fn the_order_of_files_and_of_the_items_in_them_changes_places_alone(
        keys in prop::collection::vec(any::<u32>(), 60),
    ) {
        let expected = compile(&options(), &sources(&texts()));
        let found = compile(&options(), &sources(&shuffled(&keys)));
        sound(&found);
        prop_assert_eq!(without_places(&expected.graph), without_places(&found.graph));
        prop_assert_eq!(without_lines(&expected), without_lines(&found));
        prop_assert_eq!(&expected.records[TARGET_FILE], &found.records[TARGET_FILE]);
        prop_assert_eq!(expected.watch, found.watch);
    }

    #[test]
    fn the_order_of_mistakes_changes_places_alone(order in Just(MISTAKES.to_vec()).prop_shuffle()) {
        let text = |items: &[&str]| format!("{PRELUDE}{}\nznight::graph!();", items.join("\n"));
        let expected = app(&[("src/lib.rs", &text(MISTAKES))]);
        let found = app(&[("src/lib.rs", &text(&order))]);
        prop_assert_eq!(&expected.graph, &found.graph);
        prop_assert_eq!(messages(&expected), messages(&found));
    }

    #[test]
    fn any_text_is_answered_without_a_panic(text in any::<String>()) {
        let _ = app(&[("src/lib.rs", &text)]);
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
