//! Any text is an application the compiler answers, with any settings; blanked, it keeps its length and its
//! lines.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use znight_compiler::{
    Options, compile, compile_with,
    facts::Cache,
    settings::Settings,
    source::{Memory, blank::blank_bodies},
};

/// What the bits of a number switch on.
fn options(bits: u8) -> Options {
    let is_on = |bit: u8| bits & (1 << bit) != 0;
    let mut options = Options {
        binary: is_on(0).then(|| "shop".to_owned()),
        settings: Settings {
            report_unused: is_on(2),
            prune: is_on(3),
            strict_validation: is_on(4),
            ..Settings::default()
        },
        source_locations: is_on(5),
        check: is_on(6),
        ..Options::new("shop", "src/lib.rs")
    };
    options.externs.rooted_uses = is_on(1);
    options
}

fuzz_target!(|input: (u8, &str)| {
    let (bits, text) = input;
    let blank = blank_bodies(text);
    assert_eq!(blank.chars().count(), text.chars().count());
    assert_eq!(blank.matches('\n').count(), text.matches('\n').count());
    let options = options(bits);
    let role = if bits & (1 << 7) == 0 {
        "graph"
    } else {
        "library"
    };
    let text = format!("use std::sync::Arc; use znight::prelude::*;\n{text}\nznight::{role}!();");
    let sources = Memory::new().file("src/lib.rs", text);
    let first = compile(&options, &sources);
    let (second, cache) = compile_with(&options, &sources, &Cache::default());
    assert_eq!(first.graph, second.graph);
    // What is kept of it says the same.
    let cache = Cache::from_bytes(&cache.to_bytes());
    let (third, _) = compile_with(&options, &sources, &cache);
    assert_eq!(first.graph, third.graph);
    assert_eq!(first.records, third.records);
});
