//! Shapes of types, against what serde does and as facts.

mod conform;
mod facts;
mod rules;
#[expect(
    dead_code,
    clippy::struct_field_names,
    clippy::zero_sized_map_values,
    reason = "what matters is what serde makes of them"
)]
mod wire;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    marker::PhantomData,
};

use serde::Serialize;
use serde_json::{Value, json, to_value};
use znight_compiler::extension::{Shapes, shape::Property};

use self::{conform::conforms, wire::*};
use crate::probe::probe;

/// The shapes of types of `wire.rs`, by names given here.
fn shapes(types: &[(&str, &str)]) -> BTreeMap<String, Shapes> {
    let fields: Vec<String> = types
        .iter()
        .map(|(name, ty)| format!("{name}: {ty}"))
        .collect();
    let fields = fields.join(",\n");
    let root = format!(
        "mod wire;\nuse wire::*;\n#[acme::probe] struct Probed {{\n{fields}}}\nznight::graph!();\n"
    );
    let found = probe(&[
        ("src/lib.rs", &root),
        ("src/wire.rs", include_str!("wire.rs")),
    ]);
    found.into_iter().next().expect("a probed type").shapes
}

fn shape(ty: &str) -> Shapes {
    shapes(&[("one", ty)]).remove("one").expect("a shape")
}

/// Checks values that serde writes against the shape of their type.
#[track_caller]
fn check<T: Serialize>(ty: &str, values: &[T]) {
    let shapes = shape(ty);
    assert_eq!(shapes.issues, [], "{ty}");
    for value in values {
        let value = to_value(value).expect("JSON");
        if let Err(error) = conforms(&shapes, &shapes.root, &value) {
            panic!("{ty}: {error}\n{value:#}\n{shapes:#?}");
        }
    }
}

fn book() -> Book {
    Book {
        first_title: "t".to_owned(),
        isbn: "i".to_owned(),
        sub_title: None,
        note_text: None,
        cached: 1,
        secret: default_secret(),
        page_count: 2,
        platform: true,
        r#type: 'x',
    }
}

fn meta<T>(example: Option<T>) -> Meta<T> {
    Meta {
        total: 3,
        example,
        rest: BTreeMap::from([("more".to_owned(), 1)]),
    }
}

#[test]
fn structs_are_what_serde_writes() {
    let with_note = Book {
        note_text: Some("n".to_owned()),
        sub_title: Some("s".to_owned()),
        ..book()
    };
    check("Book", &[book(), with_note]);
    check("Newtype", &[Newtype(vec![1])]);
    check("Point", &[Point(-1, 2, "p".to_owned())]);
    check("Nothing", &[Nothing]);
    check("Empty", &[Empty {}]);
    check("NoneInside", &[NoneInside()]);
    check("Tagged", &[Tagged { value: 1 }]);
    let transparent = |inner| Transparent {
        other: 0,
        inner,
        marker: PhantomData,
    };
    check("Transparent", &[transparent(None), transparent(Some(-5))]);
}

#[test]
fn values_of_the_standard_library_are_what_serde_writes() {
    let full = Numbers {
        small: 1,
        large: -1,
        text: "t".into(),
        nested: vec![[true; 3]],
        queue: [None, Some(1)].into(),
        set: BTreeSet::from(["s".to_owned()]),
        map: HashMap::from([("k".to_owned(), vec![1])]),
        keyed: [(1, ())].into(),
        non_zero: std::num::NonZeroU16::new(1),
        ..Numbers::default()
    };
    check("Numbers<'static>", &[Numbers::default(), full]);
}

#[test]
fn enums_are_what_serde_writes() {
    check("Plain", &[Plain::InStock, Plain::SoldOut, Plain::Unknown]);
    check(
        "External",
        &[
            External::NoContent,
            External::OneValue(Newtype(vec![1])),
            External::SkippedValue(1),
            External::TwoValues(1, "b".to_owned()),
            External::OwnRule { first_field: 1 },
            External::NamedValues {
                first_field: 1,
                empty_list: Vec::new(),
            },
            External::Anything("x".to_owned()),
        ],
    );
    check(
        "Internal",
        &[
            Internal::Nothing,
            Internal::Wrapped(Tagged { value: 1 }),
            Internal::Named { value: 2 },
        ],
    );
    check(
        "Adjacent",
        &[
            Adjacent::Nothing,
            Adjacent::One(1),
            Adjacent::Two(1, 2),
            Adjacent::Named {
                value: Box::new(Adjacent::Nothing),
            },
        ],
    );
    check(
        "Untagged",
        &[
            Untagged::Number(1),
            Untagged::Text("t".to_owned()),
            Untagged::Pair(1, 2),
            Untagged::Named { value: 1 },
            Untagged::Nothing,
        ],
    );
}

#[test]
fn generic_and_recursive_types_are_what_serde_writes() {
    let page = Page {
        items: vec![book()],
        first: Some(Box::new(book())),
        meta: meta(Some(book())),
    };
    check("Page<Book>", &[page]);
    let leaf = Tree {
        name: "leaf".to_owned(),
        children: Vec::new(),
        parent: None,
    };
    let tree = Tree {
        children: vec![leaf.clone()],
        parent: Some(Box::new(leaf.clone())),
        ..leaf
    };
    check("Tree", &[tree]);
    let flattened = |internal, maybe| Flattened {
        id: 1,
        tagged: Tagged { value: 2 },
        internal,
        maybe,
    };
    check(
        "Flattened",
        &[
            flattened(Internal::Nothing, None),
            flattened(Internal::Nothing, Some(Empty {})),
        ],
    );
}

#[test]
fn a_type_is_written_and_read_as_the_one_it_converts_to() {
    let address = "a@b".to_owned();
    check("Email", &[Email { address }]);
    let shapes = shape("Email");
    let email = &shapes.named["shop::wire::Email"];
    assert!(email.fallible);
    assert_eq!(email.input, None);
    assert!(serde_json::from_value::<Email>(json!("nobody")).is_err());
}

/// An object with one of the names that each property is read by.
fn object(properties: &[&Property], name: impl Fn(&Property) -> String) -> Value {
    let entries = properties
        .iter()
        .map(|property| (name(property), json!("x")));
    Value::Object(entries.collect())
}

#[test]
fn every_name_is_one_that_serde_reads() {
    let shapes = shape("Directions");
    let properties = shapes.properties(&shapes.root);
    let own = object(&properties, |property| property.names.deserialize.clone());
    let alias = object(&properties, |property| {
        let names = &property.names;
        names.aliases.first().unwrap_or(&names.deserialize).clone()
    });
    for value in [&own, &alias] {
        let read: Directions = serde_json::from_value(value.clone()).expect("names serde reads");
        assert_eq!(read.first_name, "x");
    }
    assert_ne!(own, alias);
    let written = object(&properties, |property| property.names.serialize.clone());
    let read: Directions = serde_json::from_value(own).expect("names serde reads");
    assert_eq!(to_value(read).expect("JSON"), written);
}

#[test]
fn what_must_be_there_is_what_serde_misses() {
    let shapes = shape("Book");
    let znight_compiler::extension::shape::Shape::Object(object) = shapes.follow(&shapes.root)
    else {
        panic!("{shapes:#?}");
    };
    let full = json!({
        "firstTitle": "t", "ISBN": "i", "subTitle": "s", "noteText": "n", "secret": "s",
        "on-unix": true, "elsewhere": true, "type": "x",
    });
    for property in &object.properties {
        let mut value = full.clone();
        let values = value.as_object_mut().expect("an object");
        values.remove(if cfg!(unix) { "elsewhere" } else { "on-unix" });
        assert!(serde_json::from_value::<Book>(Value::Object(values.clone())).is_ok());
        values.remove(&property.names.deserialize);
        let is_missed = serde_json::from_value::<Book>(value).is_err();
        assert_eq!(
            is_missed,
            property.is_required_input(object),
            "{}",
            property.field
        );
    }
}
