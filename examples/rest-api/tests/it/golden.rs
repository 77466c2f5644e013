//! The generated graph is kept beside the tests: a change of the wiring shows up in review.

use std::{env, fs, path::Path};

const GENERATED: &str = include_str!(concat!(env!("OUT_DIR"), "/znight/lib/graph.rs"));

#[test]
fn the_graph_is_as_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graph.golden.rs.txt");
    // Places move with every edit, and an optimised build has none.
    let mut graph = String::new();
    for line in GENERATED
        .lines()
        .filter(|line| !line.trim().starts_with("source:"))
    {
        graph.push_str(line);
        graph.push('\n');
    }
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &graph).expect("the recorded graph");
    }
    let recorded = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        recorded.replace("\r\n", "\n") == graph,
        "the graph has changed: look at the difference with `UPDATE=1 cargo test` and `git diff`"
    );
}
