//! What extensions can ask and do, and what becomes of those that fail.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use znight_compiler::{
    Compiler, Options, Output, Role, compile_with,
    extension::{
        Analysis, AttributeSpec, Binding, CompilerExtension, Generation, Item, ItemSource, Node,
        Reading, Section, Target, Validation,
    },
    facts::{Cache, flat::Flat as _},
    generate,
    resolve::Value,
    source::Memory,
};
use znight_syntax::Problems;

use crate::support::{PRELUDE, codes, options, sound, stands_in};

/// An extension made of functions.
#[derive(Clone)]
struct Made {
    name: &'static str,
    attribute: &'static str,
    read: fn(&ItemSource<'_>, &mut Problems) -> Option<Reading>,
    analyse: fn(&Item<'_>, &mut Analysis<'_, '_>),
    validate: fn(&mut Validation<'_, '_>),
    generate: fn(&Generation<'_, '_>) -> Option<Section>,
}

impl Default for Made {
    fn default() -> Self {
        Self {
            name: "made",
            attribute: "other::mark",
            read: |source, _| Some(source.reading()),
            analyse: |item, cx| cx.register(item),
            validate: |_| {},
            generate: |_| None,
        }
    }
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl CompilerExtension for Made {
    fn name(&self) -> &'static str {
        self.name
    }

    fn attributes(&self) -> Vec<AttributeSpec> {
        vec![AttributeSpec::new(
            self.attribute,
            &[Target::Impl, Target::Struct],
        )]
    }

    fn read(&self, item: &ItemSource<'_>, problems: &mut Problems) -> Option<Reading> {
        (self.read)(item, problems)
    }

    fn analyse(&self, item: &Item<'_>, cx: &mut Analysis<'_, '_>) {
        (self.analyse)(item, cx);
    }

    fn validate(&self, cx: &mut Validation<'_, '_>) {
        (self.validate)(cx);
    }

    fn generate(&self, cx: &Generation<'_, '_>) -> Option<Section> {
        (self.generate)(cx)
    }
}

fn with(extensions: impl IntoIterator<Item = Made>) -> Options {
    let mut options = options();
    for extension in extensions {
        options.extensions = options.extensions.with(Arc::new(extension));
    }
    options
}

fn sources(text: &str) -> Memory {
    let text = format!("{PRELUDE}use other::mark;\n{text}\nznight::graph!();\n");
    Memory::new()
        .file("src/lib.rs", text)
        .file("assets/schema.graphql", "type Query")
}

fn compile(extension: Made, text: &str) -> Output {
    compile_with(&with([extension]), &sources(text), &Cache::default()).0
}

fn messages(output: &Output) -> Vec<String> {
    output
        .diagnostics
        .iter()
        .map(|found| format!("{}: {}", found.code, found.message))
        .collect()
}

#[test]
fn a_type_is_registered_in_the_order_of_paths_and_gets_a_section() {
    let made = Made {
        generate: |cx| {
            let items = cx.items().map(|item| {
                Node::call(
                    "other::entry",
                    [
                        cx.provider(&item),
                        Node::text(&item.token()),
                        cx.glue(&item, "other::Mark", "MARK"),
                    ],
                )
            });
            Some(Section::new("other::Marks", Node::list(items)))
        },
        ..Made::default()
    };
    let output = compile(
        made,
        "struct B; #[mark] impl B {} struct A; #[mark] impl A {} #[injectable] struct Needs { a: Arc<A> }",
    );
    sound(&output);
    let at = |text: &str| output.graph.find(text).expect("an entry");
    assert!(output.graph.contains("static MADE: ::other::Marks = &["));
    assert!(output.graph.contains("sections: &[&MADE]"));
    assert!(at("::other::entry(0, \"shop::A\"") < at("::other::entry(1, \"shop::B\""));
}

#[test]
fn what_is_read_is_kept_while_the_file_stays_as_it_is() {
    static READ: AtomicUsize = AtomicUsize::new(0);
    let made = Made {
        read: |source, _| {
            READ.fetch_add(1, Ordering::SeqCst);
            Some(Reading {
                data: source.args().to_string().to_bytes(),
                ..Reading::default()
            })
        },
        analyse: |item, cx| {
            let text = String::from_bytes(item.data()).expect("what was kept");
            cx.register(item);
            cx.warning(
                znight_contract::ErrorCode::InvalidAttribute,
                item.named_at(),
                text,
                Vec::new(),
            );
        },
        ..Made::default()
    };
    let mut compiler = Compiler::new(with([made]));
    let first = compiler.compile(&sources("struct A; #[mark(7 + 8)] impl A {}"));
    assert_eq!(messages(&first), ["ZNIGHT005: 7 + 8"]);
    let second = compiler.compile(&sources("struct A; #[mark(7 + 8)] impl A {}"));
    assert_eq!(messages(&second), messages(&first));
    assert_eq!(READ.load(Ordering::SeqCst), 1);
    compiler.compile(&sources("struct A; #[mark(9)] impl A {}"));
    assert_eq!(READ.load(Ordering::SeqCst), 2);
}

#[test]
fn needs_count_for_scopes_and_requests_are_bound_like_fields() {
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let made = Made {
        read: |source, problems| {
            let types: syn::punctuated::Punctuated<syn::Type, syn::Token![,]> =
                syn::parse::Parser::parse2(
                    syn::punctuated::Punctuated::parse_terminated,
                    source.args().clone(),
                )
                .map_err(|error| problems.syntax(&error))
                .ok()?;
            Some(Reading {
                types: types.iter().map(|ty| source.ty(ty)).collect(),
                data: types
                    .iter()
                    .map(|ty| (source.ty(ty), source.place(ty)))
                    .collect::<Vec<_>>()
                    .to_bytes(),
                ..Reading::default()
            })
        },
        analyse: |item, cx| {
            cx.register(item);
            cx.root(item);
            let types = <Vec<(
                znight_compiler::facts::TypeExpr,
                znight_compiler::facts::PlaceFact,
            )>>::from_bytes(item.data());
            for (ty, place) in types.expect("what was kept") {
                let request = cx.request(item, &ty, None, item.at(place));
                cx.store(request);
            }
        },
        validate: |cx| {
            let requests: Vec<_> = cx.stored().cloned().collect();
            for request in requests {
                let text = match cx.binding(&request) {
                    Binding::Provider(token) => token,
                    Binding::Many(all) => all.join("+"),
                    other => format!("{other:?}"),
                };
                SEEN.lock().expect("no panic").push(text);
            }
        },
        ..Made::default()
    };
    let text = "trait Port: Send + Sync {}
        #[injectable] struct One; impl Port for One {}
        #[injectable] struct Two; impl Port for Two {}
        #[injectable(scope = \"request\")] struct Session;
        struct Host;
        #[mark(Arc<One>, Vec<Arc<dyn Port>>, Option<Arc<u8>>, Lazy<Session>, Arc<znight::Hooks>)] impl Host {}";
    let output = compile(made.clone(), text);
    sound(&output);
    assert_eq!(
        *SEEN.lock().expect("no panic"),
        [
            "shop::One",
            "shop::One+shop::Two",
            "Unbound",
            "shop::Session",
            "External(\"Hooks\")"
        ]
    );
    let eager = compile(
        made.clone(),
        "#[injectable(scope = \"request\")] struct Session; struct Host; #[mark(Arc<Session>)] impl Host {}",
    );
    assert_eq!(
        messages(&eager),
        ["ZNIGHT003: singleton Host depends on Session, which belongs to one request"]
    );
    let missing = compile(
        made,
        "struct Absent; struct Host; #[mark(Arc<Absent>, Box<Absent>)] impl Host {}",
    );
    assert_eq!(
        messages(&missing),
        [
            "ZNIGHT001: no provider for `Absent`, required by Host",
            "ZNIGHT010: `Box<Absent>` cannot be injected"
        ]
    );
}

#[test]
fn constants_made_by_a_call_are_found_wherever_they_stand() {
    let made = Made {
        analyse: |item, cx| {
            cx.register(item);
            for found in cx.definitions_of("other::Decision::new") {
                let arguments: Vec<String> = found
                    .arguments
                    .iter()
                    .map(|value| match value {
                        Some(Value::Text(text)) => text.clone(),
                        other => format!("{other:?}"),
                    })
                    .collect();
                cx.misuse(
                    item.named_at(),
                    format!("{} {}", found.token, arguments.join(" ")),
                    vec![found.written.to_string()],
                );
            }
        },
        ..Made::default()
    };
    let output = compile(
        made,
        "mod auth { use other::Decision as D; const KEY: &str = \"roles\"; pub const ROLES: D = D::new(KEY).group(\"access\"); }
         const PUBLIC: &other::Decision = &other::Decision::new(concat!(\"pub\", \"lic\"));
         const OTHER: other::Decision = other::Decision::flag(\"x\");
         struct A; #[mark] impl A {}",
    );
    assert_eq!(
        messages(&output),
        [
            "ZNIGHT005: shop::PUBLIC public",
            "ZNIGHT005: shop::auth::ROLES roles"
        ]
    );
    assert_eq!(
        output.diagnostics[1].hints,
        ["D::new(KEY).group(\"access\")"]
    );
}

#[test]
fn files_that_are_no_sources_are_read_and_watched() {
    let made = Made {
        validate: |cx| {
            assert_eq!(
                cx.input_file("assets/schema.graphql").as_deref(),
                Some("type Query")
            );
            assert_eq!(cx.input_file("assets/none"), None);
        },
        generate: |cx| {
            cx.emit_file("copy.graphql", "type Query");
            None
        },
        ..Made::default()
    };
    let output = compile(made, "struct A; #[mark] impl A {}");
    sound(&output);
    assert!(
        output
            .watch
            .contains(std::path::Path::new("assets/schema.graphql"))
    );
    assert_eq!(output.records["made-copy.graphql"], "type Query");
}

#[test]
fn an_extension_that_panics_is_named_and_the_rest_goes_on() {
    let text =
        "struct A; #[mark] impl A {} struct Gone; #[injectable] struct B { gone: Arc<Gone> }";
    let fine = "struct A; #[mark] impl A {}";
    let panics = |made: Made, text: &str, phase: &str| {
        let output = compile(made, text);
        let found = messages(&output);
        assert!(
            found.iter().any(
                |message| message.contains("the compiler extension `made` failed")
                    && message.starts_with("ZNIGHT018")
                    && message.ends_with("oh")
            ),
            "{phase}: {found:?}"
        );
        if text.contains("Gone") {
            assert!(
                found.iter().any(|message| message.starts_with("ZNIGHT001")),
                "{phase}: {found:?}"
            );
        }
        assert!(stands_in(&output), "{phase}");
    };
    let made = Made::default;
    panics(
        Made {
            read: |_, _| panic!("oh"),
            ..made()
        },
        text,
        "read",
    );
    panics(
        Made {
            analyse: |_, _| panic!("oh"),
            ..made()
        },
        text,
        "analyse",
    );
    panics(
        Made {
            validate: |_| panic!("oh"),
            ..made()
        },
        text,
        "validate",
    );
    panics(
        Made {
            generate: |_| panic!("oh"),
            ..made()
        },
        fine,
        "generate",
    );
}

#[test]
fn code_that_is_none_is_refused() {
    for node in [
        Node::path("; panic!() ;"),
        Node::record("other::A", [("a b", Node::bool(true))]),
    ] {
        static NODE: Mutex<Option<Node>> = Mutex::new(None);
        *NODE.lock().expect("no panic") = Some(node);
        let made = Made {
            generate: |_| {
                let node = NODE.lock().expect("no panic").take()?;
                Some(Section::new("other::A", node))
            },
            ..Made::default()
        };
        let output = compile(made, "struct A; #[mark] impl A {}");
        assert_eq!(codes(&output), ["ZNIGHT018"]);
        assert!(stands_in(&output));
    }
    let made = Made {
        generate: |cx| {
            cx.emit_file("../escape", "");
            None
        },
        ..Made::default()
    };
    assert_eq!(
        codes(&compile(made, "struct A; #[mark] impl A {}")),
        ["ZNIGHT018"]
    );
}

#[test]
fn extensions_that_cannot_be_told_apart_are_refused() {
    let twin = Made {
        attribute: "other::twin",
        ..Made::default()
    };
    let rival = Made {
        name: "rival",
        ..Made::default()
    };
    let options = with([Made::default(), twin, rival]);
    let (output, _) = compile_with(&options, &sources(""), &Cache::default());
    assert_eq!(
        messages(&output),
        [
            "ZNIGHT018: two compiler extensions are named `made`",
            "ZNIGHT018: the attribute `other::mark` belongs to two compiler extensions: `made` and `rival`"
        ]
    );
    assert_eq!(output.diagnostics[0].place.location.file, "build.rs");
}

#[test]
fn an_attribute_of_an_extension_stands_where_it_says() {
    let output = compile(Made::default(), "#[mark] enum E { A } #[mark] trait T {}");
    assert_eq!(
        messages(&output),
        [
            "ZNIGHT005: `#[mark]` stands on the `impl` of a type or a struct, not on an enum",
            "ZNIGHT005: `#[mark]` stands on the `impl` of a type or a struct, not on a trait"
        ]
    );
}

#[test]
fn facts_of_another_extension_are_read_again() {
    let text = "struct A; #[mark] impl A {}";
    let (_, cache) = compile_with(&with([Made::default()]), &sources(text), &Cache::default());
    let other = Made {
        name: "renamed",
        ..Made::default()
    };
    let (output, _) = compile_with(&with([other]), &sources(text), &cache);
    assert_eq!(output.parsed, 1);
    let (output, _) = compile_with(&with([Made::default()]), &sources(text), &cache);
    assert_eq!(output.parsed, 0);
    assert_eq!(output.role, Some(Role::Application));
}

#[test]
fn files_that_are_out_of_date_are_named() {
    let sources = sources("#[injectable] struct A;");
    let first = generate(&options(), &sources, &|_| None);
    assert!(first.stale.contains_key("graph.rs"));
    assert!(first.stale.len() > 1);
    let again = generate(&options(), &sources, &|name| first.stale.get(name).cloned());
    assert!(again.stale.is_empty());
    let changed = generate(&options(), &sources, &|name| {
        let text = first.stale.get(name)?;
        Some(text.replace("display: \"A\"", "display: \"B\""))
    });
    assert_eq!(
        changed.stale.keys().map(String::as_str).collect::<Vec<_>>(),
        ["graph.rs"]
    );
    let broken = Memory::new().file(
        "src/lib.rs",
        "#[znight::injectable] enum A {} znight::graph!();",
    );
    assert!(generate(&options(), &broken, &|_| None).stale.is_empty());
}
