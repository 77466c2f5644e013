//! Rules of renaming, one by one against serde.

use serde::Serialize;
use znight_compiler::extension::shape::RenameRule;

/// Fields and variants under each rule of serde, and what it makes of them.
macro_rules! by_serde {
    ($($rule:literal)*) => {
        vec![$({
            #[derive(Serialize)]
            #[serde(rename_all = $rule)]
            #[expect(non_snake_case, reason = "what rules make of odd names")]
            struct Fields {
                a: u8, first_name: u8, _under: u8, x1_y2: u8, trailing_: u8, two__lines: u8, aB: u8,
                ISBN: u8, r#type: u8, größe_äh: u8,
            }
            #[derive(Serialize)]
            #[serde(rename_all = $rule)]
            #[expect(non_camel_case_types, reason = "what rules make of odd names")]
            enum Variants {
                A, FirstName, HTTPServer, X1Y2, With_Line, lower, Größe,
            }
            let fields = serde_json::to_value(Fields {
                a: 0, first_name: 1, _under: 2, x1_y2: 3, trailing_: 4, two__lines: 5, aB: 6, ISBN: 7,
                r#type: 8, größe_äh: 9,
            });
            let fields = fields.expect("JSON").as_object().expect("an object").clone();
            let variants = [
                Variants::A, Variants::FirstName, Variants::HTTPServer, Variants::X1Y2,
                Variants::With_Line, Variants::lower, Variants::Größe,
            ];
            let variants = variants.map(|variant| {
                let value = serde_json::to_value(variant).expect("JSON");
                value.as_str().expect("a string").to_owned()
            });
            ($rule, fields, variants)
        }),*]
    };
}

const FIELDS: [&str; 10] = [
    "a",
    "first_name",
    "_under",
    "x1_y2",
    "trailing_",
    "two__lines",
    "aB",
    "ISBN",
    "type",
    "größe_äh",
];
const VARIANTS: [&str; 7] = [
    "A",
    "FirstName",
    "HTTPServer",
    "X1Y2",
    "With_Line",
    "lower",
    "Größe",
];

#[test]
fn rules_rename_as_serde_does() {
    let by_serde = by_serde!(
        "lowercase" "UPPERCASE" "PascalCase" "camelCase" "snake_case" "SCREAMING_SNAKE_CASE"
        "kebab-case" "SCREAMING-KEBAB-CASE"
    );
    assert_eq!(by_serde.len(), RenameRule::ALL.len());
    for (name, fields, variants) in by_serde {
        let rule = RenameRule::parse(name).expect(name);
        for (number, field) in FIELDS.iter().enumerate() {
            let renamed = rule.field(field);
            assert_eq!(
                fields.get(&renamed).and_then(serde_json::Value::as_u64),
                Some(number as u64),
                "{name}: {field} is not {renamed} in {fields:?}"
            );
        }
        assert_eq!(
            VARIANTS.map(|variant| rule.variant(variant)),
            variants,
            "{name}"
        );
    }
}
