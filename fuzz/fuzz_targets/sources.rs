//! Any text is an application the compiler answers; blanked, it keeps its length and its lines.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use znight_compiler::{
    Options,
    compile,
    source::{Memory, blank::blank_bodies},
};

fuzz_target!(|text: &str| {
    let blank = blank_bodies(text);
    assert_eq!(blank.chars().count(), text.chars().count());
    assert_eq!(blank.matches('\n').count(), text.matches('\n').count());
    let options = Options::new("shop", "src/lib.rs");
    let text = format!("use std::sync::Arc; use znight::prelude::*;\n{text}\nznight::graph!();");
    let sources = Memory::new().file("src/lib.rs", text);
    assert_eq!(compile(&options, &sources).graph, compile(&options, &sources).graph);
});
