//! Applications that somebody is in the middle of changing.

use std::collections::BTreeSet;

use proptest::{prelude::*, test_runner::RngSeed};
use quote::ToTokens as _;
use syn::{ImplItem, Item};
use znight_compiler::{
    cfg::World,
    compile,
    extension::Extensions,
    facts::{Cache, Files, ItemKind, TypeExpr, UseFact, ValueExpr},
    resolve::{self, Imported, Program, Resolver},
    source::{Memory, Sources as _},
};

use crate::{
    edits::edit,
    realistic::{FILES, Texts, sources, texts},
    support::{options, stands_in},
};

/// Whether rustc is known to refuse the files that belong to the application, for their syntax or for a name that leads
/// nowhere: what it says then is all there is to say.
fn is_refused(texts: &Texts) -> bool {
    let sources = sources(texts);
    let cache = Cache::default();
    let files = Files::new(&sources, &cache, &Extensions::default());
    let options = options();
    let program = resolve::load(
        &options.crate_name,
        &options.root,
        &options.cfg,
        &options.externs,
        &files,
    );
    let lost = program
        .watch
        .iter()
        .any(|path| sources.read(path).is_none());
    let broken = program.files.iter().any(|file| {
        sources
            .read(&file.path)
            .is_none_or(|text| syn::parse_file(&text).is_err())
    });
    lost || broken
        || consts(&sources, &program) != consts_as_they_were()
        || World::BOTH
            .iter()
            .any(|world| leads_nowhere(&Resolver::new(&program, *world)))
}

/// The consts of an application. What is wrong in the value of one is for rustc to say, so that no more is
/// known of those that were changed.
fn consts(sources: &Memory, program: &Program) -> BTreeSet<String> {
    let texts = program
        .files
        .iter()
        .filter_map(|file| sources.read(&file.path));
    let items = texts.filter_map(|text| Some(syn::parse_file(&text).ok()?.items));
    let consts = items.flatten().filter_map(|item| match item {
        Item::Const(item) => Some(item.to_token_stream().to_string()),
        _ => None,
    });
    consts.collect()
}

fn consts_as_they_were() -> BTreeSet<String> {
    let items = FILES.iter().flat_map(|(_, items)| *items);
    let parsed = items.filter_map(|text| syn::parse_str::<syn::ItemConst>(text).ok());
    parsed
        .map(|item| item.to_token_stream().to_string())
        .collect()
}

fn leads_nowhere(resolver: &Resolver<'_>) -> bool {
    let mut found = false;
    for item in &resolver.program.items {
        if !item.live.within(resolver.world) {
            continue;
        }
        if let ItemKind::Use(uses) = &item.fact.kind {
            found |= uses
                .iter()
                .any(|fact| resolver.imported(item.module, fact) == Imported::Missing);
        }
        match &item.fact.kind {
            ItemKind::Alias(generics, ty) => ty.each_path(&mut |path| {
                let is_param = path
                    .ident()
                    .is_some_and(|name| generics.iter().any(|generic| generic.name == name));
                found |= !is_param && resolver.leads(item.module, path) == Some(false);
            }),
            ItemKind::Impl(fact) => {
                let TypeExpr::Path(of) = &fact.self_ty else {
                    continue;
                };
                for path in [&fact.path, of] {
                    found |= resolver.leads(item.module, path) == Some(false);
                }
            }
            _ => {}
        }
        for marked in &item.fact.marked {
            for argument in marked.parsed.arguments() {
                found |= match &argument.value {
                    ValueExpr::Str(_) => false,
                    ValueExpr::Path(path) => {
                        let names = path.names().into_iter().map(str::to_owned);
                        let fact = UseFact {
                            path: names.collect(),
                            absolute: path.absolute,
                            alias: None,
                            glob: false,
                        };
                        resolver.imported(item.module, &fact) == Imported::Missing
                    }
                    // As for the values of consts.
                    _ => true,
                };
            }
            marked.parsed.each_type(&mut |ty| {
                ty.each_path(&mut |path| {
                    found |= resolver.leads(item.module, path) == Some(false);
                });
            });
        }
    }
    found
}

/// How many providers there are for somebody who only counts attributes; none where a file cannot be read, or
/// a condition is not one of those that are known to be off.
fn counted(texts: &Texts) -> Option<usize> {
    let sources = sources(texts);
    let output = compile(&options(), &sources);
    let paths: BTreeSet<_> = output.watch.iter().collect();
    let mut count = 0;
    for path in paths {
        let text = sources.read(path)?;
        let known = ["cfg(test)", "cfg(windows)"];
        if text.matches("cfg").count()
            != known
                .map(|known| text.matches(known).count())
                .iter()
                .sum::<usize>()
        {
            return None;
        }
        count += providers(&syn::parse_file(&sources.read(path)?).ok()?.items);
    }
    Some(count)
}

fn providers(items: &[Item]) -> usize {
    let is = |attrs: &[syn::Attribute], name: &str| {
        attrs
            .iter()
            .any(|attribute| attribute.path().is_ident(name))
    };
    // Of the application's conditions, all are off where its graph is counted.
    let off = |attrs: &[syn::Attribute]| {
        attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("cfg"))
    };
    items
        .iter()
        .map(|item| match item {
            Item::Struct(item) if is(&item.attrs, "injectable") && !off(&item.attrs) => 1,
            Item::Impl(item) if is(&item.attrs, "factory") => item
                .items
                .iter()
                .filter(|member| matches!(member, ImplItem::Fn(f) if is(&f.attrs, "provides")))
                .count(),
            _ => 0,
        })
        .sum()
}

/// The files that are not as they were.
fn changed(texts: &Texts) -> String {
    let original = crate::realistic::texts();
    let changed = texts
        .iter()
        .zip(&original)
        .filter(|(now, before)| now != before);
    let shown: Vec<String> = changed
        .map(|((path, text), _)| format!("\n{path}:\n{text}"))
        .collect();
    shown.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn an_edited_application_is_sound_or_somebody_says_what_is_wrong(
        edits in prop::collection::vec(edit(), 1..3),
    ) {
        let original = texts();
        let mut texts = original.clone();
        for edit in edits {
            edit.apply(&mut texts, &original);
        }
        let output = compile(&options(), &sources(&texts));
        if output.role.is_none() {
            // Without `graph!()` there is nothing to analyse.
            return Ok(());
        }
        if !output.ok() {
            prop_assert!(stands_in(&output), "{}", output.graph);
        } else if stands_in(&output) {
            prop_assert!(is_refused(&texts), "nobody says why there is no graph: {}", changed(&texts));
        } else if let Some(count) = counted(&texts) {
            prop_assert_eq!(output.providers, count, "{}", changed(&texts));
        }
    }
}
