//! The generated graph, recorded: a change of the wiring shows up in review.

use std::{env, fs, path::Path};

/// Compares the graph that the build generated with a recorded one.
///
/// The file belongs into version control. With the environment variable `UPDATE` set it is written;
/// the difference is then for `git diff` to show. Places in the sources are left out: they move with
/// every edit, and optimised builds have none.
///
/// ```no_run
/// # macro_rules! include_str { ($($path:tt)*) => { "" } }
/// // tests/wiring.rs
/// znight_testing::assert_recorded_graph(
///     concat!(env!("CARGO_MANIFEST_DIR"), "/tests/graph.txt"),
///     include_str!(concat!(env!("OUT_DIR"), "/znight/lib/graph.rs")),
/// );
/// ```
///
/// The graph of a binary without a library stands in `znight/bin-name/graph.rs`.
///
/// # Panics
/// When the two differ, or the file cannot be written.
#[track_caller]
pub fn assert_recorded_graph(recorded: impl AsRef<Path>, generated: &str) {
    let recorded = recorded.as_ref();
    let mut graph = String::new();
    for line in generated
        .lines()
        .filter(|line| !line.trim_start().starts_with("source:"))
    {
        graph.push_str(line);
        graph.push('\n');
    }
    if env::var_os("UPDATE").is_some() {
        fs::write(recorded, &graph).expect("the recorded graph can be written");
    }
    let before = fs::read_to_string(recorded).unwrap_or_default();
    assert!(
        before.replace("\r\n", "\n") == graph,
        "the graph is not the one recorded in {}: record it with `UPDATE=1 cargo test` and look at the difference",
        recorded.display()
    );
}

#[cfg(test)]
mod tests {
    use super::assert_recorded_graph;

    #[test]
    fn places_and_line_ends_do_not_matter_and_everything_else_does() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("graph.txt");
        std::fs::write(&path, "a\r\nb\r\n").expect("a file");
        assert_recorded_graph(&path, "a\n    source: Some(7),\nb\n");
        let other = std::panic::catch_unwind(|| assert_recorded_graph(&path, "a\nc\n"));
        let message = *other
            .expect_err("a difference")
            .downcast::<String>()
            .expect("a text");
        assert!(message.contains("graph.txt: record it with"), "{message}");
    }
}
