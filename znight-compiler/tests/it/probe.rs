//! An extension that looks at items for tests.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use znight_compiler::{
    Options, compile,
    extension::{
        Analysis, AttributeSpec, Class, CompilerExtension, Extensions, Generation, Item,
        ItemSource, Reading, Section, Shapes, Validation,
    },
    model::At,
    packages::Packages,
    source::Memory,
};
use znight_syntax::Problems;

use crate::support::options;

/// What stands under `#[acme::probe]`.
#[derive(Debug, Clone)]
pub(crate) struct Probed {
    pub(crate) class: Option<Class>,
    /// Where the item and its type are named.
    pub(crate) named_at: At,
    pub(crate) type_at: At,
    /// The place of each type of a parameter, as the item is read.
    pub(crate) param_places: String,
    /// The shapes of the fields, by their names.
    pub(crate) shapes: BTreeMap<String, Shapes>,
}

#[derive(Debug, Default)]
struct Probe {
    found: Mutex<Vec<Probed>>,
}

impl CompilerExtension for Probe {
    fn name(&self) -> &'static str {
        "acme-probe"
    }

    fn attributes(&self) -> Vec<AttributeSpec> {
        vec![AttributeSpec::new("acme::probe", &[])]
    }

    fn read(&self, item: &ItemSource<'_>, _: &mut Problems) -> Option<Reading> {
        let mut places = String::new();
        if let Ok(block) = syn::parse2::<syn::ItemImpl>(item.tokens().clone()) {
            for member in &block.items {
                let syn::ImplItem::Fn(method) = member else {
                    continue;
                };
                for input in &method.sig.inputs {
                    if let syn::FnArg::Typed(param) = input {
                        let _ = writeln!(places, "{:?}", item.place(&param.ty));
                    }
                }
            }
        }
        let mut reading = item.reading();
        reading.data = places.into_bytes();
        Some(reading)
    }

    fn analyse(&self, item: &Item<'_>, cx: &mut Analysis<'_, '_>) {
        let class = item.class();
        let fields = class.iter().flat_map(|class| &class.fields);
        let shapes = fields
            .map(|field| (field.name.clone(), cx.shape(&field.ty.ty)))
            .collect();
        self.found.lock().expect("nobody panicked").push(Probed {
            class,
            named_at: item.named_at(),
            type_at: item.type_at(),
            param_places: String::from_utf8_lossy(item.data()).into_owned(),
            shapes,
        });
    }

    fn validate(&self, cx: &mut Validation<'_, '_>) {
        // Later phases see the same.
        for item in cx.items() {
            for field in item.class().iter().flat_map(|class| &class.fields) {
                let named = cx.shape(&field.ty.ty).named;
                for shape in named.values() {
                    let class = cx.class_of(&shape.ty).expect("a declaration");
                    assert_eq!((&class.doc, &class.site), (&shape.doc, &shape.site));
                }
            }
        }
    }

    fn generate(&self, cx: &Generation<'_, '_>) -> Option<Section> {
        assert!(cx.items().all(|item| item.class().is_some()));
        None
    }
}

/// What stands under `#[acme::probe]` in these files, in the order of their types' paths.
pub(crate) fn probe(files: &[(&str, &str)]) -> Vec<Probed> {
    let sources = files.iter().fold(Memory::new(), |sources, (path, text)| {
        sources.file(*path, *text)
    });
    probe_with(&options(), &sources)
}

/// The same with packages.
pub(crate) fn probe_packages(packages: Packages, files: &[(&str, &str)]) -> Vec<Probed> {
    let options = Options {
        externs: packages.externs(packages.own),
        libraries: true,
        ..options()
    };
    let sources = files.iter().fold(Memory::new(), |sources, (path, text)| {
        sources.file(*path, *text)
    });
    probe_with(&options, &sources.packages(packages))
}

fn probe_with(options: &Options, sources: &Memory) -> Vec<Probed> {
    let probe = Arc::new(Probe::default());
    let crates = [
        "acme",
        "serde",
        "serde_with",
        "uuid",
        "chrono",
        "indexmap",
        "garde",
    ];
    let mut externs = options.externs.clone();
    externs.crates.extend(crates.map(str::to_owned));
    let options = Options {
        extensions: Extensions::default().with(probe.clone()),
        externs,
        ..options.clone()
    };
    let output = compile(&options, sources);
    let failures: Vec<&str> = output
        .diagnostics
        .iter()
        .map(|found| found.message.as_str())
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
    let found = probe.found.lock().expect("nobody panicked");
    found.clone()
}

/// The one item under `#[acme::probe]` in a crate of one file.
#[track_caller]
pub(crate) fn probe_one(text: &str) -> Probed {
    let found = probe(&[("src/lib.rs", &format!("{text}\nznight::graph!();\n"))]);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.into_iter().next().expect("one")
}
