//! The generated graph is kept beside the tests: a change of the wiring shows up in review.
#![forbid(unsafe_code)]

#[test]
fn the_graph_is_as_recorded() {
    znight_testing::assert_recorded_graph(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/graph.golden.rs.txt"),
        include_str!(concat!(env!("OUT_DIR"), "/znight/lib/graph.rs")),
    );
}
