//! What items look like in their sources.

use znight_compiler::{
    extension::{
        Class,
        class::{ClassKind, Doc, Receiver, Site, Style},
    },
    facts::{Region, Visibility},
    resolve::Value,
};

use crate::probe::{probe, probe_one};

/// The class of the one item under `#[acme::probe]`.
#[track_caller]
fn class(text: &str) -> Class {
    probe_one(text).class.expect("a class")
}

fn names<T>(all: &[T], name: impl Fn(&T) -> &str) -> Vec<String> {
    all.iter().map(|one| name(one).to_owned()).collect()
}

#[track_caller]
fn doc(doc: Option<&Doc>) -> &Doc {
    doc.expect("docs")
}

/// The text a place covers.
fn covered<'a>(text: &'a str, site: &Site) -> &'a str {
    let location = &site.location;
    let line = text.lines().nth(location.line - 1).expect("a line");
    let byte = |column: usize| {
        let chars = line.char_indices().map(|(at, _)| at).chain([line.len()]);
        chars.clone().nth(column - 1).expect("a column")
    };
    assert_eq!(location.line, location.end_line);
    &line[byte(location.column)..byte(location.end_column)]
}

#[test]
fn a_struct_has_its_docs_fields_and_methods() {
    let class = class(
        "/// A book.
         #[acme::probe]
         #[derive(Clone)]
         pub struct Book<'a, T: Clone + Send = u8, const N: usize = 3> {
             /// What it is called.
             pub title: Option<&'a str>,
             pub(crate) r#type: T,
             #[cfg(windows)] never: u8,
             #[cfg(unix)] always: Self,
             #[cfg(who_knows)] maybe: [T; N],
         }
         impl<T: Clone + Send, const N: usize> Book<'_, T, N> { pub fn first(&self) {} }
         mod elsewhere { impl super::Book<'_, u8> { fn second() {} } }
         impl Clone for Book<'_> { fn not_there(&self) {} }",
    );
    assert_eq!(class.kind, ClassKind::Struct);
    assert_eq!(
        (class.name.as_str(), class.token.as_str()),
        ("Book", "shop::Book")
    );
    assert_eq!(class.visibility, Visibility::Public);
    assert_eq!(doc(class.doc.as_ref()).summary, "A book.");
    assert_eq!(class.style, Style::Named);
    assert_eq!(
        names(&class.fields, |field| &field.name),
        ["title", "type", "always", "maybe"]
    );
    assert_eq!(names(&class.generics, |generic| &generic.name), ["T", "N"]);
    assert_eq!(class.generics[0].bounds.len(), 2);
    let default = class.generics[0].default.as_ref().expect("a default");
    assert_eq!(default.to_string(), "u8");
    let constant = class.generics[1].constant.as_ref().expect("a type");
    assert_eq!(constant.to_string(), "usize");
    let title = class.field("title").expect("a title");
    assert_eq!(title.ty.written.to_string(), "Option<&'a str>");
    assert_eq!(title.visibility, Visibility::Public);
    assert_eq!(doc(title.doc.as_ref()).text, "What it is called.");
    assert_eq!(
        names(&class.methods, |method| &method.name),
        ["first", "second"]
    );
    assert!(class.methods.iter().all(|method| !method.own));
    assert_eq!(class.block, None);
    assert_eq!(
        class.attribute("derive").expect("a derive").name(),
        "derive"
    );
}

#[test]
fn types_of_fields_and_methods_are_resolved_where_they_are_written() {
    let class = class(
        "struct Id; #[acme::probe] struct Book<T> { own: Id, arg: Vec<T>, itself: Option<Box<Self>> }
         mod inner { struct Id; impl<K> super::Book<K> { fn get<U>(self, id: Id, key: K, u: U) -> Self { self.made() } } }",
    );
    let text = |ty: &znight_compiler::resolve::Ty| format!("{ty:?}");
    let [own, arg, itself] = &class.fields[..] else {
        panic!("{class:#?}");
    };
    assert!(text(&own.ty.ty).starts_with("Local("));
    assert_eq!(
        text(&arg.ty.ty),
        "Foreign(\"std::vec::Vec\", [Param(\"T\")])"
    );
    assert!(text(&itself.ty.ty).contains("Local(1, [Param(\"T\")])"));
    let get = class.method("get").expect("a method");
    let [id, key, param] = &get.params[..] else {
        panic!("{get:#?}");
    };
    assert_ne!(id.ty.ty, own.ty.ty);
    assert_eq!(text(&key.ty.ty), "Param(\"K\")");
    assert_eq!(text(&param.ty.ty), "Param(\"U\")");
    assert_eq!(text(&get.output.ty), "Local(1, [Param(\"K\")])");
}

#[test]
fn an_impl_has_its_methods_with_parameters_and_attributes() {
    let class = class(
        "use znight::prelude::*;
         /// The type.
         struct Api;
         /// The block.
         #[acme::probe]
         #[tagged(\"x\")]
         impl Api {
             /// Lists.
             #[get(\"/\" , name = concat!(PREFIX, \"list\"))]
             pub async fn list(&self, #[query] page: Option<u8>, #[cfg(windows)] never: u8, Path((a, b)): Pair, mut c: u8) -> Result<Vec<u8>, Error> { $$ }
             fn nothing(&mut self) {}
             fn taken(self: Arc<Self>) {}
             fn free() {}
             #[cfg(windows)] fn never() {}
         }
         const PREFIX: &str = \"api-\";
         impl Api { fn other(self) {} }",
    );
    assert_eq!(doc(class.doc.as_ref()).text, "The type.");
    let block = class.block.as_ref().expect("an impl");
    assert_eq!(doc(block.doc.as_ref()).text, "The block.");
    assert_eq!(
        names(&block.attributes, |found| found.name()),
        ["probe", "tagged"]
    );
    assert_eq!(
        block.attributes[0].canonical.as_deref(),
        Some("acme::probe")
    );
    assert_eq!(
        names(&class.methods, |method| &method.name),
        ["list", "nothing", "taken", "free", "other"]
    );
    let own: Vec<bool> = class.methods.iter().map(|method| method.own).collect();
    assert_eq!(own, [true, true, true, true, false]);
    let receivers: Vec<_> = class
        .methods
        .iter()
        .map(|method| &method.receiver)
        .collect();
    assert!(matches!(
        receivers[..],
        [
            Some(Receiver::Reference),
            Some(Receiver::Mutable),
            Some(Receiver::Typed(_)),
            None,
            Some(Receiver::Value),
        ]
    ));
    let list = &class.methods[0];
    assert!(list.asyncness);
    assert_eq!(doc(list.doc.as_ref()).text, "Lists.");
    assert_eq!(list.output.written.to_string(), "Result<Vec<u8>, Error>");
    let get = list.attribute("get").expect("a route");
    assert_eq!(get.arguments[0].text(), Some("/"));
    let name = get.argument("name").expect("a name");
    assert_eq!(name.value, Some(Value::Text("api-list".to_owned())));
    let params: Vec<_> = list
        .params
        .iter()
        .map(|param| (param.name.as_deref(), param.pattern.as_str()))
        .collect();
    assert_eq!(
        params,
        [
            (Some("page"), "page"),
            (None, "Path((a, b))"),
            (Some("c"), "mut c")
        ]
    );
    assert!(
        list.param("page")
            .expect("a page")
            .attribute("query")
            .is_some()
    );
    assert_eq!(class.methods[1].output.written.to_string(), "()");
}

#[test]
fn an_impl_of_a_trait_a_trait_and_a_function_have_their_own_methods() {
    let of_trait = class(
        "struct Api; trait Job { fn run(&self); }
         #[acme::probe] impl Job for Api { fn run(&self) {} }
         impl Api { fn other(&self) {} }",
    );
    assert_eq!(
        names(&of_trait.methods, |method| &method.name),
        ["run", "other"]
    );
    let run = &of_trait.methods[0];
    assert_eq!(
        run.implemented.as_ref().expect("a trait").to_string(),
        "Job"
    );
    assert!(run.own && of_trait.methods[1].implemented.is_none());
    let of_trait = class("#[acme::probe] trait Job<T> { /// Runs.\n fn run(&self, with: T); }");
    assert_eq!(of_trait.kind, ClassKind::Trait);
    assert_eq!(doc(of_trait.methods[0].doc.as_ref()).text, "Runs.");
    let function = class("/// Does it.\n#[acme::probe] async fn run<T>(with: T) -> u8 { 1 }");
    assert_eq!(function.kind, ClassKind::Function);
    assert_eq!(doc(function.doc.as_ref()).text, "Does it.");
    assert!(function.methods[0].asyncness);
}

#[test]
fn an_enum_has_its_variants() {
    let class = class(
        "#[acme::probe] enum Event {
             /// Nothing happened.
             Nothing,
             One(#[boxed] u8, u16),
             #[cfg(windows)] Never,
             Named { at: u64, #[cfg(windows)] never: u8 } ,
         }
         impl Event { fn method(&self) {} }",
    );
    assert_eq!(
        names(&class.variants, |found| &found.name),
        ["Nothing", "One", "Named"]
    );
    let styles: Vec<Style> = class.variants.iter().map(|found| found.style).collect();
    assert_eq!(styles, [Style::Unit, Style::Tuple, Style::Named]);
    let nothing = class.variant("Nothing").expect("a variant");
    assert_eq!(doc(nothing.doc.as_ref()).text, "Nothing happened.");
    let one = class.variant("One").expect("a variant");
    assert_eq!(names(&one.fields, |field| &field.name), ["0", "1"]);
    assert_eq!(one.fields[0].attributes_named("boxed").count(), 1);
    assert_eq!(class.variants[2].fields.len(), 1);
    assert!(class.method("method").is_some());
}

#[test]
fn docs_are_taken_apart_as_rustdoc_shows_them() {
    for (written, text, summary, description, sections) in [
        ("/// One.", "One.", "One.", "", vec![]),
        (
            "/// One that\n/// goes on.\n///\n///  Two,\n///  indented.\n",
            "One that\ngoes on.\n\n Two,\n indented.",
            "One that goes on.",
            " Two,\n indented.",
            vec![],
        ),
        (
            "/** Block.\n  *\n  * More.\n  */",
            "Block.\n\nMore.",
            "Block.",
            "More.",
            vec![],
        ),
        (
            "#[doc = \"Said.\"] #[cfg_attr(unix, doc = \"On unix.\")] #[cfg_attr(windows, doc = \"No.\")]",
            "Said.\nOn unix.",
            "Said. On unix.",
            "",
            vec![],
        ),
        (
            "/// One.\n///\n/// # Errors\n///\n/// Some.\n/// ## Below\n///\n/// # Panics #\n/// ```\n/// # hidden\n/// ```",
            "One.",
            "One.",
            "",
            vec![
                ("Errors", "Some.\n## Below"),
                ("Panics", "```\n# hidden\n```"),
            ],
        ),
        (
            "/// # Title\n/// Text.",
            "",
            "",
            "",
            vec![("Title", "Text.")],
        ),
    ] {
        let class = class(&format!("{written}\n#[acme::probe] struct A;"));
        let found = doc(class.doc.as_ref());
        assert_eq!(found.text, text, "{written}");
        assert_eq!(found.summary, summary, "{written}");
        assert_eq!(found.description, description, "{written}");
        let found_sections: Vec<(&str, &str)> = found
            .sections
            .iter()
            .map(|section| (section.name.as_str(), section.text.as_str()))
            .collect();
        assert_eq!(found_sections, sections, "{written}");
    }
    let class = class("/// A.\n/// # Errors\n/// B.\n///\n#[acme::probe] #[doc(hidden)] struct A;");
    let found = doc(class.doc.as_ref());
    assert_eq!(found.section("errors"), Some("B."));
    assert_eq!(found.site.to_string(), "src/lib.rs:1");
    assert!(class.attribute("doc").expect("an attribute").has("hidden"));
    let class = self::class("///\n#[acme::probe] struct A;");
    assert_eq!(class.doc, None);
}

#[test]
fn arguments_of_attributes_have_names_values_and_parts() {
    let class = class(
        "const MAX: u8 = 3;
         #[acme::probe]
         #[acme::rule(skip, \"text\", min = 1 + 1, max = MAX, length(chars, min = -1), inner(a(b = 'c')), list = [1, MAX])]
         #[other(|value, _| value > 1, type = X<A, B>, f(x) + 1, crate::Thing { a: 1 })]
         #[value = \"v\"]
         #[word]
         struct A;",
    );
    let rule = class.attribute("rule").expect("a rule");
    assert_eq!(rule.path, "acme::rule");
    assert_eq!(rule.canonical.as_deref(), Some("acme::rule"));
    assert!(rule.has("skip") && !rule.has("text"));
    assert_eq!(rule.arguments[1].text(), Some("text"));
    let number = |argument: &str| match rule.argument(argument)?.value {
        Some(Value::Int(number, _)) => Some(number),
        _ => None,
    };
    assert_eq!((number("min"), number("max")), (Some(2), Some(3)));
    assert_eq!(
        rule.argument("min").expect("a bound").written.to_string(),
        "1 + 1"
    );
    let length = rule.argument("length").expect("a length");
    assert!(length.has("chars"));
    let min = length.argument("min").expect("a bound");
    assert!(matches!(min.value, Some(Value::Int(-1, _))));
    let inner = rule.argument("inner").and_then(|found| found.argument("a"));
    let inner = inner.and_then(|found| found.argument("b")).expect("a part");
    assert_eq!(inner.value, Some(Value::Char('c')));
    let Some(Value::List(list)) = &rule.argument("list").expect("a list").value else {
        panic!("{rule:#?}");
    };
    assert_eq!(list.len(), 2);
    // What is no argument of this grammar is handed on as it is written.
    let other = class.attribute("other").expect("an attribute");
    let texts: Vec<String> = other
        .arguments
        .iter()
        .map(|argument| argument.written.to_string())
        .collect();
    assert_eq!(
        texts,
        [
            "| value, _ | value> 1",
            "X<A, B>",
            "f(x) + 1",
            "crate::Thing { a : 1 }"
        ]
    );
    assert!(other.arguments.iter().all(|found| found.value.is_none()));
    // Whatever an attribute says, it is read to its end.
    let odd = self::class("#[acme::probe] #[odd(,, a =, = b, c(, ), d(e =) f, =)] struct A;");
    let odd = odd.attribute("odd").expect("an attribute");
    assert_eq!(
        odd.arguments
            .last()
            .expect("an argument")
            .written
            .to_string(),
        "="
    );
    let value = class.attribute("value").expect("an attribute");
    assert_eq!(value.arguments[0].text(), Some("v"));
    assert_eq!(class.attribute("word").expect("an attribute").arguments, []);
}

#[test]
fn what_a_condition_adds_is_there_where_it_holds() {
    let class = class(
        "#[acme::probe]
         struct A {
             #[cfg_attr(unix, a, cfg(unix))] #[cfg_attr(windows, b, cfg(windows))] #[cfg_attr(who_knows, c)]
             kept: u8,
             #[cfg_attr(unix, cfg(windows))] off: u8,
             #[cfg_attr(who_knows, cfg(windows))] open: u8,
         }",
    );
    assert_eq!(names(&class.fields, |field| &field.name), ["kept", "open"]);
    assert_eq!(
        names(&class.fields[0].attributes, |found| found.name()),
        ["a", "c"]
    );
}

#[test]
fn places_are_those_of_the_item() {
    let text = "\u{feff}#!/usr/bin/env run
struct Äpfel;
/* ö */ #[acme::probe(kind = \"ü\")] impl Äpfel { /// Ä\n fn größe(&self, #[query] weiß: u8) -> Vec<u8> { \"ß{\" } }
znight::graph!();";
    let found = probe(&[("src/lib.rs", text)]).remove(0);
    let class = found.class.expect("a class");
    let text = text.strip_prefix('\u{feff}').expect("a mark");
    let block = class.block.as_ref().expect("an impl");
    let method = &class.methods[0];
    let param = &method.params[0];
    for (site, expected) in [
        (&class.site, "Äpfel"),
        (&block.site, "Äpfel"),
        (&block.attributes[0].arguments[0].site, "kind = \"ü\""),
        (&method.site, "größe"),
        (&method.output.site, "Vec<u8>"),
        (&param.site, "weiß"),
        (&param.ty.site, "u8"),
        (&param.attributes[0].site, "query"),
    ] {
        assert_eq!(covered(text, site), expected);
    }
    // Tokens that the macro sees are those that errors can be put on.
    assert_eq!(block.site.at, Some(found.type_at));
    assert_eq!(class.site.at, None);
    let region = |site: &Site| site.at.map(|at| at.place.region);
    assert_eq!(region(&param.ty.site), Some(Region::Item));
    assert_eq!(
        region(&block.attributes[0].arguments[0].site),
        Some(Region::Args)
    );
    let of_doc = &method.doc.as_ref().expect("docs").site;
    assert_eq!(region(of_doc), None);
    let found = probe_one("#[acme::probe] struct Named { a: u8 }");
    let class = found.class.expect("a class");
    assert_eq!(class.site.at, Some(found.named_at));
    assert!(class.fields[0].ty.site.at.is_some());
}

#[test]
fn tokens_are_counted_as_when_the_item_is_read() {
    let found = probe_one(
        "use znight::prelude::*; #[injectable] struct Part; #[injectable] struct Api { /// Docs.\n id: std::sync::Arc<Part> }
         /// Docs.
         #[acme::probe] #[inline] impl Api {
             /// Docs { with brackets.
             #[doc = \"more\"] fn one(&self, /* comment */ a: Vec<u8>, b: (u8, u16)) -> u8 { /// Inside.\n let x = { 1 }; x }
             const LENGTH: usize = { 1 + 1 };
             fn two<const N: usize>(c: [u8; { N }], d: &str) where u8: Copy { struct Inner { a: u8 } }
         }",
    );
    let class = found.class.expect("a class");
    let params = class.methods.iter().flat_map(|method| &method.params);
    let places: Vec<String> = params
        .map(|param| {
            let at = param.ty.site.at.expect("tokens");
            assert_eq!(at.occurrence, found.type_at.occurrence);
            format!("{:?}\n", at.place)
        })
        .collect();
    assert_eq!(places.len(), 4);
    assert_eq!(places.concat(), found.param_places);
    // The struct has an attribute of its own: its tokens are those of that one.
    let field = class.fields[0].ty.site.at.expect("tokens");
    assert_ne!(field.occurrence, found.type_at.occurrence);
}

#[test]
fn items_are_found_wherever_the_program_has_them() {
    let found = probe(&[
        (
            "src/lib.rs",
            "cfg_if::cfg_if! { if #[cfg(unix)] { /// In a branch.\n #[acme::probe] struct A; } else {} }
             mod inline { /// Inline.\n #[acme::probe] struct C; }
             include!(\"parts/included.rs\");
             znight::graph!();",
        ),
        (
            "src/parts/included.rs",
            "/// Included.\n#[acme::probe] struct D;",
        ),
    ]);
    let docs: Vec<&str> = found
        .iter()
        .map(|found| {
            let class = found.class.as_ref().expect("a class");
            doc(class.doc.as_ref()).text.as_str()
        })
        .collect();
    assert_eq!(docs, ["In a branch.", "Included.", "Inline."]);
    let class = found[1].class.as_ref().expect("a class");
    assert_eq!(class.site.to_string(), "src/parts/included.rs:2");
}

#[test]
fn an_impl_of_a_type_from_elsewhere_has_its_methods() {
    let class = class(
        "trait Job { fn run(&self); }
         #[acme::probe] impl Job for uuid::Uuid { fn run(&self) {} }",
    );
    assert_eq!(class.kind, ClassKind::Elsewhere);
    assert_eq!(class.token, "uuid::Uuid");
    assert_eq!(names(&class.methods, |method| &method.name), ["run"]);
}
