//! Any text is an application the compiler answers; blanked, it keeps its length and its lines.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use znight_compiler::{
    Options,
    cfg::Cfg,
    compile,
    resolve::Externs,
    source::{Memory, blank::blank_bodies},
};

fuzz_target!(|text: &str| {
    let blank = blank_bodies(text);
    assert_eq!(blank.chars().count(), text.chars().count());
    assert_eq!(blank.matches('\n').count(), text.matches('\n').count());
    let options = Options {
        crate_name: "shop".to_owned(),
        binary: None,
        root: "src/lib.rs".into(),
        cfg: Cfg::new(),
        externs: Externs { facade: "znight".to_owned(), ..Externs::default() },
        libraries: false,
        settings: znight_compiler::settings::Settings::default(),
        problems: Vec::new(),
        others: Vec::new(),
        source_locations: true,
        check: false,
        compiler: "0.1.0".to_owned(),
    };
    let text = format!("use std::sync::Arc; use znight::prelude::*;\n{text}\nznight::graph!();");
    let sources = Memory::new().file("src/lib.rs", text);
    assert_eq!(compile(&options, &sources).graph, compile(&options, &sources).graph);
});
