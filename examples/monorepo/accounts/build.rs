//! Checks what can be told of the library alone.

fn main() {
    znight_build::compile();
}
