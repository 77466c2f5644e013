//! What an earlier analysis kept saves time and changes nothing else.

use proptest::prelude::*;
use znight_compiler::{Output, compile, compile_with, facts::Cache};

use crate::{
    edits::{Edit, edit},
    realistic::{Texts, sources, texts},
    support::options,
};

/// All that a build script writes, prints and watches.
fn written(output: &Output) -> String {
    let Output {
        graph,
        records,
        diagnostics,
        watch,
        role,
        warnings,
        providers,
        ..
    } = output;
    format!(
        "{graph}\n{records:#?}\n{diagnostics:#?}\n{watch:#?}\n{role:?}\n{warnings:#?}\n{providers}"
    )
}

fn kept(texts: &Texts) -> Vec<u8> {
    compile_with(&options(), &sources(texts), &Cache::default())
        .1
        .to_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn after_any_edits_it_is_as_if_everything_had_been_read(
        edits in prop::collection::vec((edit(), any::<bool>()), 1..8),
    ) {
        let original = texts();
        let mut texts = original.clone();
        let mut cache = Cache::default();
        for (edit, through_bytes) in edits {
            edit.apply(&mut texts, &original);
            let sources = sources(&texts);
            let (output, next) = compile_with(&options(), &sources, &cache);
            prop_assert_eq!(written(&output), written(&compile(&options(), &sources)));
            cache = if through_bytes { Cache::from_bytes(&next.to_bytes()) } else { next };
        }
    }

    #[test]
    fn a_damaged_cache_changes_nothing(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in prop::option::of(any::<prop::sample::Index>()),
        edit in edit(),
    ) {
        let original = texts();
        let mut bytes = kept(&original);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        let mut texts = original.clone();
        edit.apply(&mut texts, &original);
        let sources = sources(&texts);
        let (output, _) = compile_with(&options(), &sources, &Cache::from_bytes(&bytes));
        prop_assert_eq!(written(&output), written(&compile(&options(), &sources)));
    }
}

#[test]
fn what_is_kept_is_the_same_by_whatever_way_it_came() {
    let original = texts();
    let mut texts = original.clone();
    let bytes = kept(&original);
    Edit::Push(2).apply(&mut texts, &original);
    let cache = Cache::from_bytes(&bytes);
    let (output, next) = compile_with(&options(), &sources(&texts), &cache);
    assert_eq!(output.parsed, 1);
    assert_eq!(next.to_bytes(), kept(&texts));
}
