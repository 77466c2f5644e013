//! What handlers read: the names of its fields on the wire, and whose business it is that nothing validates it.

use std::fmt::Write as _;

use znight_compiler::Output;

use crate::support::{Build, codes, one, sound};

/// The inputs and the types of the graph, a line each: `C::add 0 -> [] #1`, `#1 name "wire" -> #2`.
fn names(output: &Output) -> String {
    let text: String = output.graph.split_whitespace().collect();
    let (_, section) = text.split_once("HttpSection{").expect("the section");
    let (inputs, types) = section.split_once(",types:").expect("the table");
    let mut found = String::new();
    let holds = |text: &str| {
        let number = |after: &str| -> String {
            let rest = text.split_once(after).map_or("", |(_, rest)| rest);
            rest.chars().take_while(char::is_ascii_digit).collect()
        };
        let through = "[]".repeat(number("through:").parse().expect("a number"));
        match number("Some(") {
            of if of.is_empty() => through,
            of => format!("{through}#{of}"),
        }
    };
    let quoted = |text: &str| text.split('"').nth(1).unwrap_or_default().to_owned();
    for input in inputs.split("InputNames{").skip(1) {
        let (_, param) = input.split_once("param:").expect("a parameter");
        let param: String = param.chars().take_while(char::is_ascii_digit).collect();
        let (_, holding) = input.split_once("Names{").expect("what it holds");
        let _ = writeln!(found, "{} {param} -> {}", quoted(input), holds(holding));
    }
    for (number, ty) in types.split("TypeNames{").skip(1).enumerate() {
        for field in ty.split("FieldNames{").skip(1) {
            let (_, wire) = field.split_once("wire:").expect("a name");
            let (wire, holding) = wire.split_once("Names{").expect("what it holds");
            let wire = match quoted(wire) {
                wire if wire.is_empty() => "in its place".to_owned(),
                wire => format!("\"{wire}\""),
            };
            let holds = holds(holding);
            let arrow = if holds.is_empty() { "" } else { " -> " };
            let _ = writeln!(found, "#{number} {} {wire}{arrow}{holds}", quoted(field));
        }
    }
    found
}

fn of(declarations: &str, handlers: &str) -> String {
    let output = one(&format!(
        "use serde::Deserialize; use garde::Validate; {declarations} struct C; #[controller(\"/\")] impl C {{ {handlers} }}"
    ));
    sound(&output);
    names(&output)
}

const BODY: &str = "#[post] fn add(&self, #[body] input: In) {}";

#[test]
fn an_input_whose_names_are_those_of_the_source_has_no_table() {
    let found = of(
        "#[derive(Deserialize, Validate)] struct In { #[serde(rename = \"a\", default)] a: u8, inner: Inner }
        #[derive(Deserialize, Validate)] #[serde(rename_all = \"snake_case\")] struct Inner { b_c: String }",
        BODY,
    );
    assert_eq!(found, "");
}

#[test]
fn an_input_that_nothing_validates_has_no_table() {
    let declarations = "#[derive(Deserialize)] struct In(#[serde(rename = \"x\")] u8);
        #[derive(Deserialize)] #[serde(rename_all = \"camelCase\")] struct Other { a_b: u8 }
        struct S;";
    let handlers = "#[post] fn add(&self, #[body] input: In, #[headers(flatten)] h: Other, #[query(flatten, schema = S)] q: Other) {}";
    assert_eq!(of(declarations, handlers), "");
}

#[test]
fn each_way_of_renaming_is_that_of_reading() {
    let found = of(
        "#[derive(Deserialize, Validate)] #[serde(rename_all(deserialize = \"camelCase\", serialize = \"UPPERCASE\"))]
        struct In {
            user_name: String,
            #[serde(rename = \"mail\")] email: String,
            #[serde(rename(deserialize = \"in\", serialize = \"out\"))] both: u8,
            #[serde(rename(serialize = \"out\"))] written_so: u8,
            #[serde(alias = \"other\")] same: u8,
            #[serde(skip_deserializing)] never_read: u8,
            r#type: u8,
        }",
        BODY,
    );
    assert_eq!(
        found,
        "add 0 -> #0
#0 user_name \"userName\"
#0 email \"mail\"
#0 both \"in\"
#0 written_so \"writtenSo\"
"
    );
}

#[test]
fn names_are_followed_through_lists_options_maps_and_flattened_structs() {
    let found = of(
        "#[derive(Deserialize, Validate)]
        struct In {
            items: Vec<Vec<Item>>,
            by_key: std::collections::BTreeMap<String, Option<Box<Item>>>,
            one: Option<Item>,
            #[serde(flatten)] rest: Item,
            plain: Plain,
            code: Code,
            shown: Shown,
            tuple: (Item, Item),
        }
        #[derive(Deserialize, Validate)] struct Item { #[serde(rename = \"n\")] name: String, next: Option<Box<Item>> }
        #[derive(Deserialize, Validate)] struct Plain { name: String }
        #[derive(Deserialize, Validate)] struct Code(Item);
        #[derive(Deserialize, Validate)] #[garde(transparent)] struct Shown(Item);",
        "#[post(\"/a\")] fn add(&self, #[body] input: Option<Vec<In>>) {}
        #[put(\"/b\")] #[post(\"/b\")] fn twice(&self, #[query(flatten)] a: Item, #[param(flatten)] b: Plain, #[body] c: Item) {}",
    );
    assert_eq!(
        found,
        "add 0 -> []#1
twice 0 -> #2
twice 2 -> #2
#0 0 in its place -> #2
#1 items \"items\" -> [][]#2
#1 by_key \"by_key\" -> []#2
#1 one \"one\" -> #2
#1 rest in its place -> #2
#1 code \"code\" -> #0
#1 shown \"shown\" -> #2
#2 name \"n\"
#2 next \"next\" -> #2
"
    );
}

#[test]
fn a_type_with_arguments_has_the_names_of_what_it_holds() {
    let found = of(
        "#[derive(Deserialize, Validate)] struct In<T> { #[serde(rename = \"of\")] items: Vec<T> }
        #[derive(Deserialize, Validate)] struct Item { #[serde(rename = \"n\")] name: String }",
        "#[post] fn add(&self, #[body] input: In<Item>) {}",
    );
    assert_eq!(
        found,
        "add 0 -> #0
#0 items \"of\" -> []#1
#1 name \"n\"
"
    );
}

#[test]
fn fields_of_variants_count_where_they_agree() {
    let found = of(
        "#[derive(Deserialize, Validate)] struct In { of: Of, new: New }
        #[derive(Deserialize, Validate)] #[serde(tag = \"kind\")]
        enum Of {
            A { #[serde(rename = \"n\")] number: u8, #[serde(rename = \"x\")] other: u8 },
            B { #[serde(rename = \"n\")] number: u8, #[serde(rename = \"y\")] other: u8 },
            C,
        }
        #[derive(Deserialize, Validate)] #[serde(untagged)] enum New { A(u8), B(String) }",
        BODY,
    );
    assert_eq!(
        found,
        "add 0 -> #0
#0 of \"of\" -> #2
#0 new \"new\" -> #1
#1 0 in its place
#2 number \"n\"
"
    );
}

#[test]
fn what_is_converted_or_read_by_hand_keeps_its_names() {
    let found = of(
        "#[derive(Deserialize, Validate)] #[serde(from = \"Raw\")] struct In { #[serde(rename = \"x\")] a: u8 }
        #[derive(Deserialize)] struct Raw { #[serde(rename = \"y\")] a: u8 }
        #[derive(Validate)] struct Hand { #[serde(rename = \"x\")] a: u8 }
        impl<'de> serde::Deserialize<'de> for Hand {}",
        "#[post] fn add(&self, #[body] input: In, #[query(flatten)] hand: Hand) {}",
    );
    assert_eq!(found, "");
}

const LIBRARY: &str = "use serde::Deserialize; use garde::Validate;
    #[derive(Deserialize)] pub struct Loose { pub a: u8 }
    #[derive(Deserialize, Validate)] pub struct Tight { #[serde(rename = \"b\")] pub a: u8 }
    pub struct L;
    #[controller(\"/l\")] impl L {
        #[post(\"/a\")] fn loose(&self, #[body] input: Loose) {}
        #[post(\"/b\")] fn tight(&self, #[body] input: Tight) {}
    }";

#[test]
fn a_handler_of_a_library_is_reported_by_its_own_build_and_has_names_in_the_application() {
    let build = Build::new().library("acme-auth", &[], LIBRARY).shop(
        &["acme-auth"],
        "struct C; #[controller(\"/\")] impl C { #[post] fn add(&self, #[body] input: acme_auth::Tight) {} }",
    );
    let output = build.compile();
    sound(&output);
    assert_eq!(names(&output), "tight 0 -> #0\nadd 0 -> #0\n#0 a \"b\"\n");
    assert_eq!(codes(&build.compile_package("acme-auth")), ["ZNIGHT017"]);
}

#[test]
fn a_type_of_a_library_that_nothing_validates_is_told_where_it_is_read() {
    let build = Build::new().library("acme-auth", &[], LIBRARY).shop(
        &["acme-auth"],
        "struct C; #[controller(\"/\")] impl C { #[post] fn add(&self, #[body] input: acme_auth::Loose) {} }",
    );
    let output = build.compile();
    assert_eq!(codes(&output), ["ZNIGHT017"]);
    let hint = &output.diagnostics[0].hints[0];
    assert!(
        hint.contains("for Loose (../acme-auth/src/lib.rs:4)"),
        "{hint}"
    );
}
