//! Computes the dependency graph.

fn main() {
    znight_build::compile();
}
