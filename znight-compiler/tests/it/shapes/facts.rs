//! What shapes tell, and what they leave open.

use std::collections::BTreeMap;

use znight_compiler::{
    extension::{
        Shapes,
        class::Attribute,
        shape::{
            DefaultValue, IssueReason, NamedShape, Property, SerdeImpl, Shape, Tagging,
            VariantContent,
        },
    },
    packages::{Package, Packages},
    resolve::Value,
};

use crate::probe::{probe_one, probe_packages};

/// The shapes of the fields of `#[acme::probe] struct Probed { .. }`.
fn fields(text: &str) -> BTreeMap<String, Shapes> {
    probe_one(text).shapes
}

/// The shape of one type beside these items.
fn one(ty: &str, items: &str) -> Shapes {
    let text = format!("{items}\n#[acme::probe] struct Probed<'a, T> {{ one: {ty} }}");
    fields(&text).remove("one").expect("a shape")
}

#[track_caller]
fn named<'a>(shapes: &'a Shapes, key: &str) -> &'a NamedShape {
    shapes
        .named
        .get(key)
        .unwrap_or_else(|| panic!("no {key} in {:?}", shapes.named.keys().collect::<Vec<_>>()))
}

#[track_caller]
fn property<'a>(shapes: &'a Shapes, name: &str) -> &'a Property {
    let properties = shapes.properties(&shapes.root);
    let mut found = properties.iter().filter(|found| found.field == name);
    found.next().expect(name)
}

/// A shape in a few words.
fn words(shape: &Shape) -> String {
    let all = |shapes: &[Shape]| shapes.iter().map(words).collect::<Vec<_>>().join(", ");
    match shape {
        Shape::Integer(integer) => {
            let sign = if integer.signed { 'i' } else { 'u' };
            let bits = integer
                .bits
                .map_or("size".to_owned(), |bits| bits.to_string());
            let zero = if integer.non_zero { " not 0" } else { "" };
            format!("{sign}{bits}{zero}")
        }
        Shape::Float(bits) => format!("f{bits}"),
        Shape::Option(inner) => format!("{}?", words(inner)),
        Shape::List(list) => {
            let length = list
                .length
                .map_or(String::new(), |length| format!("; {length}"));
            let unique = if list.unique { "set " } else { "" };
            format!("{unique}[{}{length}]", words(&list.items))
        }
        Shape::Tuple(parts) => format!("({})", all(parts)),
        Shape::Map(key, value) => format!("{{{}: {}}}", words(key), words(value)),
        Shape::Named(key) => key.clone(),
        Shape::Foreign(foreign) if foreign.args.is_empty() => format!("<{}>", foreign.path),
        Shape::Foreign(foreign) => format!("<{} of {}>", foreign.path, all(&foreign.args)),
        Shape::Opaque(opaque) => format!("`{}` {}", opaque.text, opaque.reason),
        other => format!("{other:?}").to_lowercase(),
    }
}

#[test]
fn each_type_has_its_shape() {
    let items = "use std::{borrow::Cow, collections::{BTreeMap, HashSet, VecDeque}, num::{NonZero, NonZeroU32}, rc::Rc, sync::{Arc, Mutex}};
        use uuid::Uuid;
        const LENGTH: usize = 2 * 8;
        struct Book; type Name = String; type Pair<A> = (A, A);
        trait Stored {} union Bits { a: u8 }
        struct Fixed<const N: usize>([u8; N]);";
    for (ty, expected) in [
        ("bool", "bool"),
        ("char", "char"),
        ("&'a str", "string"),
        ("String", "string"),
        ("Cow<'a, str>", "string"),
        ("u8", "u8"),
        ("i128", "i128"),
        ("usize", "usize"),
        ("NonZeroU32", "u32 not 0"),
        ("NonZero<i8>", "i8 not 0"),
        ("std::sync::atomic::AtomicU64", "u64"),
        ("std::sync::atomic::AtomicBool", "bool"),
        ("f32", "f32"),
        ("()", "unit"),
        ("std::marker::PhantomData<T>", "unit"),
        ("Option<Option<u8>>", "u8??"),
        ("Vec<u8>", "[u8]"),
        ("&'a [u8]", "[u8]"),
        ("Arc<[u8]>", "[u8]"),
        ("VecDeque<u8>", "[u8]"),
        ("[u8; 4]", "[u8; 4]"),
        ("HashSet<u8>", "set [u8]"),
        ("BTreeMap<Uuid, Vec<Book>>", "{<uuid::Uuid>: [shop::Book]}"),
        ("(u8, String)", "(u8, string)"),
        ("Pair<Name>", "(string, string)"),
        ("Box<Arc<Rc<Mutex<&'a u8>>>>", "u8"),
        ("std::rc::Weak<u8>", "u8?"),
        ("std::time::Duration", "<std::time::Duration>"),
        ("std::net::IpAddr", "<std::net::IpAddr>"),
        (
            "chrono::DateTime<chrono::Utc>",
            "<chrono::DateTime of <chrono::Utc>>",
        ),
        (
            "indexmap::IndexMap<String, u8>",
            "<indexmap::IndexMap of string, u8>",
        ),
        ("Result<u8, String>", "<std::result::Result of u8, string>"),
        ("Book", "shop::Book"),
        ("Fixed<3>", "shop::Fixed<3>"),
        ("dyn Stored", "`dyn Stored` is a trait object"),
        ("Box<dyn Stored>", "`dyn Stored` is a trait object"),
        ("fn(u8) -> u8", "`fn(u8) -> u8` is a function"),
        ("*const u8", "`*u8` is a pointer"),
        ("T", "`T` is a type parameter"),
        ("Nowhere", "`Nowhere` cannot be followed"),
        (
            "<T as Iterator>::Item",
            "`<T as Iterator>::Item` cannot be followed",
        ),
    ] {
        let shapes = one(ty, items);
        assert_eq!(words(&shapes.root), expected, "{ty}");
        assert_eq!(shapes.issues.is_empty(), !expected.contains('`'), "{ty}");
    }
}

#[test]
fn lengths_are_those_of_the_instance() {
    let shapes = one(
        "Outer",
        "const N: usize = 7; const LENGTH: usize = 2 * 8;
         struct Inner<T, const N: usize> { own: [T; N], of_const: [T; LENGTH], other: [[u8; N]; 2] }
         struct Outer { inner: Inner<bool, 5> }",
    );
    let inner = named(&shapes, "shop::Inner<bool, 5>");
    let found: Vec<String> = shapes
        .properties(&inner.shape)
        .iter()
        .map(|property| words(&property.shape))
        .collect();
    assert_eq!(found, ["[bool; 5]", "[bool; 16]", "[[u8; 5]; 2]"]);
}

#[test]
fn instances_of_a_generic_type_are_named_apart() {
    let shapes = one(
        "(Page<Book>, Page<u8, u16>)",
        "struct Book; struct Page<T, K = String> { items: Vec<T>, next: Option<Box<Page<T, K>>>, key: K }",
    );
    let keys: Vec<&str> = shapes.named.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "shop::Book",
            "shop::Page<shop::Book, std::string::String>",
            "shop::Page<u8, u16>",
        ]
    );
    let page = named(&shapes, "shop::Page<u8, u16>");
    assert_eq!(
        (page.name.as_str(), page.display.as_str()),
        ("Page", "Page<u8, u16>")
    );
    let found: Vec<String> = shapes
        .properties(&page.shape)
        .iter()
        .map(|property| words(&property.shape))
        .collect();
    assert_eq!(found, ["[u8]", "shop::Page<u8, u16>?", "u16"]);
}

#[test]
fn arguments_that_grow_without_end_are_cut() {
    let shapes = one(
        "Grow<u8>",
        "struct Grow<T> { next: Option<Box<Grow<Vec<T>>>> }",
    );
    assert_eq!(shapes.issues.len(), 1, "{:#?}", shapes.issues);
    assert_eq!(shapes.issues[0].reason, IssueReason::Endless);
}

#[test]
fn an_issue_tells_how_it_is_reached_and_where_it_stands() {
    let shapes = one(
        "Vec<Book>",
        "trait Stored {}
         struct Book { author: Vec<Author> }
         struct Author {
             name: Box<dyn Stored>,
             kind: Kind,
         }
         enum Kind { Real, Named { by: fn() } }",
    );
    let found: Vec<_> = shapes
        .issues
        .iter()
        .map(|issue| {
            let named = issue.named.as_deref().unwrap_or_default();
            let site = issue.site.as_ref().expect("a place").location.to_string();
            (issue.path.as_str(), named, issue.reason, site)
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                "[].author[].name",
                "shop::Author",
                IssueReason::TraitObject,
                "src/lib.rs:4:20".to_owned()
            ),
            (
                "[].author[].kind::Named.by",
                "shop::Kind",
                IssueReason::Function,
                "src/lib.rs:7:40".to_owned()
            ),
        ]
    );
    let shapes = one("Book", "struct Book { author: Vec<fn()> }");
    assert_eq!(shapes.issues[0].path, "Book.author[]");
}

#[test]
fn docs_deprecation_aliases_and_validation_stay_with_their_parts() {
    let shapes = one(
        "Book",
        "/// Something to read.
         ///
         /// Or to look at.
         #[deprecated(since = \"2\", note = \"use Volume\")]
         #[derive(serde::Serialize)]
         struct Book {
             /// What it is called.
             #[garde(length(min = 1, max = MAX), pattern(\"^[a-z]\"), custom(check))]
             #[validate(email)]
             title: Option<Title>,
             #[deprecated = \"nobody knows\"]
             #[deprecated]
             pages: u8,
             state: State,
         }
         const MAX: usize = 4 * 10;
         /// A name of a book.
         type Title = String;
         /// Where it is.
         enum State { /// In the shop.
             #[deprecated] Here, Gone }",
    );
    let book = named(&shapes, "shop::Book");
    let doc = book.doc.as_ref().expect("docs");
    assert_eq!(doc.summary, "Something to read.");
    assert_eq!(doc.description, "Or to look at.");
    let deprecated = book.deprecated.as_ref().expect("a deprecation");
    assert_eq!(deprecated.since.as_deref(), Some("2"));
    assert_eq!(deprecated.note.as_deref(), Some("use Volume"));
    assert_eq!(book.attributes, []);
    assert_eq!(
        (book.serialize, book.deserialize),
        (SerdeImpl::Derived, SerdeImpl::Unseen)
    );

    let title = property(&shapes, "title");
    assert_eq!(title.written, "Option<Title>");
    let alias = title.alias.as_ref().expect("an alias");
    assert_eq!(alias.path, "shop::Title");
    assert_eq!(alias.doc.as_ref().expect("docs").text, "A name of a book.");
    assert_eq!(title.doc.as_ref().expect("docs").text, "What it is called.");
    let names: Vec<&str> = title.attributes.iter().map(Attribute::name).collect();
    assert_eq!(names, ["garde", "validate"]);
    let garde = &title.attributes[0];
    let length = garde.argument("length").expect("a length");
    let value = |name| length.argument(name).and_then(|found| found.value.clone());
    assert!(matches!(value("min"), Some(Value::Int(1, _))));
    assert!(matches!(value("max"), Some(Value::Int(40, _))));
    let pattern = garde.argument("pattern").expect("a pattern");
    assert_eq!(pattern.arguments[0].text(), Some("^[a-z]"));
    assert!(garde.argument("custom").expect("a function").has("check"));
    assert!(title.attributes[1].has("email"));

    let pages = property(&shapes, "pages");
    let deprecated = pages.deprecated.as_ref().expect("a deprecation");
    assert_eq!(deprecated.note.as_deref(), Some("nobody knows"));

    let Shape::Enum(state) = &named(&shapes, "shop::State").shape else {
        panic!("{shapes:#?}");
    };
    assert!(state.is_unit_only());
    assert_eq!(
        state.variants[0].doc.as_ref().expect("docs").text,
        "In the shop."
    );
    assert!(state.variants[0].deprecated.is_some() && state.variants[1].deprecated.is_none());
}

#[test]
fn functions_that_write_or_read_are_issues() {
    let shapes = one(
        "Event",
        "struct Event {
             #[serde(with = \"stamp\")] at: u64,
             #[serde(serialize_with = \"write\")] written: u8,
             #[serde(deserialize_with = \"read\")] read: u8,
             #[serde_as(as = \"DisplayFromStr\")] shown: u8,
             #[serde(with = \"Remote\")] remote: elsewhere::Thing,
         }
         #[serde(remote = \"elsewhere::Thing\")] struct Remote { size: u8 }",
    );
    let found: Vec<_> = shapes
        .properties(&shapes.root)
        .iter()
        .map(|property| {
            let input = property.input.as_ref().map_or(String::new(), words);
            (words(&property.shape), input)
        })
        .collect();
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(shape, input)| (shape.as_str(), input.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("`stamp::serialize` is written by a function", ""),
            ("`write` is written by a function", "u8"),
            ("u8", "`read` is read by a function"),
            ("`DisplayFromStr` is written by a function", ""),
            ("shop::Remote", ""),
        ]
    );
    let paths: Vec<&str> = shapes
        .issues
        .iter()
        .map(|issue| issue.path.as_str())
        .collect();
    assert_eq!(
        paths,
        ["Event.at", "Event.written", "Event.read", "Event.shown"]
    );
    let remote = named(&shapes, "shop::Remote");
    assert_eq!(remote.remote.as_deref(), Some("elsewhere::Thing"));
}

#[test]
fn what_is_written_by_hand_is_not_guessed() {
    let items = "
        #[derive(Serialize, Deserialize)] struct Derived { a: u8 }
        struct ByHand { a: u8 } impl serde::Serialize for ByHand {} impl<'de> serde::Deserialize<'de> for ByHand {}
        #[derive(serde::Serialize)] struct Read { a: u8 } impl<'de> Deserialize<'de> for Read {}
        #[derive(serde_repr::Serialize_repr)] enum Repr { A = 1 }
        #[cfg(windows)] impl Serialize for Derived {}";
    for (ty, shape, input) in [
        ("Derived", "object", ""),
        ("ByHand", "`ByHand` has no derived serde traits", ""),
        ("Read", "object", "`Read` has no derived serde traits"),
        ("Repr", "`Repr` has no derived serde traits", ""),
    ] {
        let shapes = one(ty, items);
        let found = named(&shapes, &format!("shop::{ty}"));
        let is_object = matches!(found.shape, Shape::Object(_));
        let text = if is_object {
            "object".to_owned()
        } else {
            words(&found.shape)
        };
        assert_eq!(text, shape, "{ty}");
        assert_eq!(
            found.input.as_ref().map_or(String::new(), words),
            input,
            "{ty}"
        );
        let issues = usize::from(shape.starts_with('`')) + usize::from(!input.is_empty());
        assert_eq!(shapes.issues.len(), issues, "{ty}");
    }
}

#[test]
fn conversions_tell_the_directions_apart() {
    let items = "
        #[serde(from = \"Raw\")] #[derive(Serialize, Deserialize)] struct Reads { own: u8 }
        #[serde(into = \"u8\")] #[derive(Serialize, Deserialize)] struct Writes { own: u8 }
        #[serde(try_from = \"(u8, u8)\", into = \"Vec<Raw>\")] #[derive(Serialize, Deserialize)] struct Both { own: dyn Nothing }
        #[derive(Serialize, Deserialize)] struct Raw(u8);";
    let directions = |ty: &str| {
        let shapes = one(ty, items);
        assert_eq!(shapes.issues, [], "{ty}");
        let found = named(&shapes, &format!("shop::{ty}"));
        let text = |shape: &Shape| match shape {
            Shape::Object(_) => "object".to_owned(),
            other => words(other),
        };
        let input = found.input.as_ref().map(text);
        (text(&found.shape), input, found.fallible)
    };
    let read = |text: &str| Some(text.to_owned());
    assert_eq!(
        directions("Reads"),
        ("object".to_owned(), read("shop::Raw"), false)
    );
    assert_eq!(
        directions("Writes"),
        ("u8".to_owned(), read("object"), false)
    );
    assert_eq!(
        directions("Both"),
        ("[shop::Raw]".to_owned(), read("(u8, u8)"), true)
    );
}

#[test]
fn attributes_of_serde_are_kept_where_they_decide_nothing() {
    let shapes = one(
        "Config",
        "#[serde(default, deny_unknown_fields)]
         struct Config {
             #[serde(default)] a: u8,
             #[serde(default = \"make\", skip_serializing_if = \"is_zero\")] b: u8,
             #[serde(flatten)] c: std::collections::BTreeMap<String, u8>,
             #[serde(skip_serializing)] d: u8,
         }",
    );
    let Shape::Object(object) = shapes.follow(&shapes.root) else {
        panic!("{shapes:#?}");
    };
    assert!(object.deny_unknown_fields);
    assert_eq!(object.default, Some(DefaultValue::Trait));
    let function = DefaultValue::Function("make".to_owned());
    assert_eq!(property(&shapes, "a").default, Some(DefaultValue::Trait));
    assert_eq!(property(&shapes, "b").default, Some(function));
    let condition = property(&shapes, "b").skip_serializing_if.as_deref();
    assert_eq!(condition, Some("is_zero"));
    assert!(property(&shapes, "c").flatten);
    assert!(property(&shapes, "d").skip_serializing && !property(&shapes, "d").skip_deserializing);
}

#[test]
fn fields_behind_a_newtype_keep_what_is_said_of_them() {
    let shapes = one(
        "Email",
        "struct Email(/// An address.\n #[garde(email)] String);",
    );
    let email = named(&shapes, "shop::Email");
    assert_eq!(words(&email.shape), "string");
    assert_eq!(email.fields[0].attributes[0].name(), "garde");
    assert_eq!(
        email.fields[0].doc.as_ref().expect("docs").text,
        "An address."
    );
}

#[test]
fn a_variant_may_be_told_apart_in_another_way_than_its_enum() {
    let shapes = one(
        "Event",
        "#[serde(tag = \"type\", content = \"data\")]
         enum Event {
             Known(u8),
             #[serde(untagged)] Unknown(String),
             #[serde(with = \"module\")] Odd(u8),
             #[serde(skip_serializing)] Old,
             #[serde(skip)] Never(fn()),
         }",
    );
    let Shape::Enum(event) = shapes.follow(&shapes.root) else {
        panic!("{shapes:#?}");
    };
    let tagging = Tagging::Adjacent {
        tag: "type".to_owned(),
        content: "data".to_owned(),
    };
    assert_eq!(event.tagging, tagging);
    let names: Vec<&str> = event
        .variants
        .iter()
        .map(|found| found.variant.as_str())
        .collect();
    assert_eq!(names, ["Known", "Unknown", "Odd", "Old"]);
    assert_eq!(event.variants[1].tagging, Some(Tagging::Untagged));
    assert!(matches!(
        event.variants[2].content,
        VariantContent::Opaque(_)
    ));
    assert!(event.variants[3].skip_serializing);
    assert_eq!(shapes.issues.len(), 1);
}

#[test]
fn types_of_libraries_have_shapes_too() {
    let package = |name: &str, directory: &str, dependencies: &[(&str, usize)]| Package {
        name: name.to_owned(),
        version: "0.1.0".to_owned(),
        directory: directory.into(),
        is_path: true,
        library: Some((name.to_owned(), format!("{directory}/src/lib.rs").into())),
        rooted_uses: false,
        features: vec!["full".to_owned()],
        provides: Vec::new(),
        interceptors: Vec::new(),
        dependencies: dependencies
            .iter()
            .map(|(name, number)| ((*name).to_owned(), *number))
            .collect(),
    };
    let packages = Packages {
        list: vec![
            package("znight", "/house/znight", &[]),
            package("dtos", "/house/dtos", &[("znight", 0)]),
            package("shop", "/house/shop", &[("znight", 0), ("books", 1)]),
        ],
        own: 2,
    };
    let found = probe_packages(
        packages,
        &[
            (
                "src/lib.rs",
                "#[acme::probe] struct Probed { one: books::Book }\nznight::graph!();",
            ),
            (
                "/house/dtos/src/lib.rs",
                "pub mod inner; pub use inner::Book; znight::library!();",
            ),
            (
                "/house/dtos/src/inner.rs",
                "/// Of a library.\npub struct Book {
                     #[cfg(feature = \"full\")] #[serde(rename = \"t\")] pub title: String,
                     #[cfg(feature = \"sql\")] pub row: u8,
                     pub bad: fn(),
                 }",
            ),
        ],
    );
    // Libraries are looked at alone before.
    let shapes = &found.last().expect("a probed type").shapes["one"];
    let book = named(shapes, "dtos::inner::Book");
    assert_eq!(book.doc.as_ref().expect("docs").text, "Of a library.");
    let names: Vec<&str> = shapes
        .properties(&shapes.root)
        .iter()
        .map(|property| property.names.serialize.as_str())
        .collect();
    assert_eq!(names, ["t", "bad"]);
    let site = shapes.issues[0].site.as_ref().expect("a place");
    assert_eq!(site.to_string(), "../dtos/src/inner.rs:5");
}
