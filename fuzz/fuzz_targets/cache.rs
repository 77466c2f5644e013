//! Any bytes are a cache, of something or of nothing; those of a real one, damaged at will, change no graph.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use znight_compiler::{Options, compile, compile_with, facts::Cache, source::Memory};

const TEXT: &str = "use std::sync::Arc; use znight::prelude::*; trait Repo: Send + Sync {}
#[injectable] struct Sql; impl Repo for Sql {}
#[injectable(scope = \"request\")] struct Service { repo: Arc<dyn Repo> }
#[controller(\"/a\")] impl Service { #[get(\"/{id}\")] fn one(&self, #[param] id: u64) {} }
znight::graph!();";

fuzz_target!(|input: (&[u8], Option<(u16, u8)>)| {
    let (bytes, damage) = input;
    let kept = Cache::from_bytes(bytes);
    let _ = kept.to_bytes();

    let options = Options {
        source_locations: true,
        ..Options::new("shop", "src/lib.rs")
    };
    let sources = Memory::new().file("src/lib.rs", TEXT);
    let expected = compile(&options, &sources).graph;
    assert_eq!(compile_with(&options, &sources, &kept).0.graph, expected);

    let mut bytes = compile_with(&options, &sources, &kept).1.to_bytes();
    // One place: what is kept has a sum, which two could leave as it is.
    if let Some((at, byte)) = damage {
        let at = usize::from(at) % bytes.len();
        bytes[at] = byte;
    }
    let damaged = Cache::from_bytes(&bytes);
    assert_eq!(compile_with(&options, &sources, &damaged).0.graph, expected);
});
