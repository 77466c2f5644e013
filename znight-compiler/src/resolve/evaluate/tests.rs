use std::path::Path;

use super::{Refusal, Value};
use crate::{
    cfg::{Cfg, World},
    facts::{Cache, Files, PathExpr, ValueExpr},
    resolve::{Externs, Resolver, Scope, load},
    source::Memory,
};

/// A crate whose root holds these items, and what the const `R` of it is.
fn evaluate(files: &[(&str, &str)]) -> Result<Value, Refusal> {
    let sources = files.iter().fold(Memory::new(), |sources, (path, text)| {
        sources.file(*path, *text)
    });
    let cache = Cache::default();
    let files = Files::new(&sources, &cache);
    let externs = Externs {
        facade: "znight".to_owned(),
        crates: ["other".to_owned()].into(),
        ..Externs::default()
    };
    let cfg = Cfg::new().name("unix");
    let program = load("shop", Path::new("src/lib.rs"), &cfg, &externs, &files);
    let resolver = Resolver::new(&program, World::Production);
    let path = ValueExpr::Path(PathExpr::of(&["R"]));
    resolver.evaluate(&path, &Scope::module(0))
}

const NAMES: &str = r#"
    const WORD: &str = "word";
    const EMPTY: &str = "";
    const LIST: [&str; 2] = ["a", WORD];
    const SLICE: &[(&str, u8)] = &[("x", 1), ("y", 2)];
    const BYTE: u8 = 200;
    const ON: bool = true;
    static STATIC: &str = "s";
    const fn made() -> &'static str { "m" }
    struct Unit;
    enum Kind { A = 1 }
    struct Users;
    impl Users {
        pub const PATH: &'static str = "/users";
        pub const ITEM: &'static str = concat!(Self::PATH, "/{id}");
        #[cfg(windows)] const OS: &'static str = "windows";
        #[cfg(unix)] const OS: &'static str = "unix";
    }
    type Alias = Users;
    trait Named { const NAME: &'static str; }
    impl Named for Users { const NAME: &'static str = "n"; }
"#;

#[track_caller]
fn check(ty: &str, expression: &str, expected: &str) {
    let text = format!("{NAMES} const R: {ty} = {expression};");
    let found = match evaluate(&[("src/lib.rs", &text)]) {
        Ok(Value::Text(text)) => format!("{text:?}"),
        Ok(Value::Int(number, _)) => number.to_string(),
        Ok(Value::Bool(on)) => on.to_string(),
        Ok(other) => other.describe(),
        Err(refusal) => refusal.reason.unwrap_or_else(|| "quiet".to_owned()),
    };
    assert_eq!(found, expected, "{expression}");
}

#[test]
fn every_expression_of_constants_has_its_value() {
    for (ty, expression, expected) in [
        ("&str", "\"a\"", "\"a\""),
        ("&str", "r#\"a\"b\"#", "\"a\\\"b\""),
        ("&str", "(\"a\")", "\"a\""),
        ("&str", "{ \"a\" }", "\"a\""),
        ("&str", "*&\"a\"", "\"a\""),
        ("&str", "WORD", "\"word\""),
        ("&str", "self::WORD", "\"word\""),
        ("&str", "crate::WORD", "\"word\""),
        ("&str", "Users::ITEM", "\"/users/{id}\""),
        ("&str", "Alias::PATH", "\"/users\""),
        ("&str", "Users::OS", "\"unix\""),
        ("&str", "LIST[1]", "\"word\""),
        ("&str", "SLICE[0 + 1].0", "\"y\""),
        ("&str", "(WORD, 1).0", "\"word\""),
        ("&str", "[WORD, \"b\"][1]", "\"b\""),
        ("&str", "concat!()", "\"\""),
        (
            "&str",
            "concat!(WORD, '-', 1, -2, true, 1.5, concat!(\"x\"))",
            "\"word-1-2true1.5x\"",
        ),
        ("&str", "if ON { WORD } else { made() }", "\"word\""),
        (
            "&str",
            "if !ON { \"a\" } else if BYTE > 100 { \"b\" } else { \"c\" }",
            "\"b\"",
        ),
        ("u8", "BYTE", "200"),
        ("u16", "1 + 2 * 3 - 4 / 3 % 2", "6"),
        ("i8", "-128", "-128"),
        ("u8", "!0", "255"),
        ("i32", "!0", "-1"),
        ("u8", "!(0 & 1) | 0", "255"),
        ("u8", "6 & 3 | 8 ^ 1", "11"),
        ("u8", "0x80u8 >> 7 << 3", "8"),
        ("u64", "1 << 40", "1099511627776"),
        ("u8", "b'a' + 1", "98"),
        ("u8", "(300 as u8) + 1", "45"),
        ("i8", "200u8 as i8", "-56"),
        ("u32", "'a' as u32 + true as u32", "98"),
        ("u32", "u32::MAX - u32::MIN", "4294967295"),
        ("u32", "u8::BITS", "8"),
        ("char", "97 as char", "the character 'a'"),
        ("bool", "BYTE == 200", "true"),
        (
            "bool",
            "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 != 2",
            "true",
        ),
        ("bool", "'a' < 'b'", "true"),
        ("bool", "true ^ false & !true | false", "true"),
        ("bool", "true || made()", "true"),
        ("bool", "false && made()", "false"),
        ("bool", "!0 == 255 - BYTE + BYTE", "true"),
        ("Kind", "Kind::A", "the variant `Kind::A`"),
        ("f64", "-1.5", "the number -1.5"),
        ("&[&str]", "&[WORD]", "a list"),
    ] {
        check(ty, expression, expected);
    }
}

#[test]
fn what_has_no_value_says_which_part_and_why() {
    for (ty, expression, expected) in [
        ("&str", "made()", "`made()` is a function call"),
        ("&str", "WORD.trim()", "`WORD.trim()` is a method call"),
        (
            "&str",
            "concat!(\"a\", made())",
            "`made()` is a function call",
        ),
        ("&str", "STATIC", "`STATIC` is a `static`, which may change"),
        ("&str", "made", "`made` is a function"),
        ("Unit", "Unit", "`Unit` is a struct"),
        ("&str", "env!(\"HOME\")", "`env!(\"HOME\")` is a macro"),
        (
            "&str",
            "other::NAME",
            "`other::NAME` belongs to another crate, whose sources are not read",
        ),
        (
            "&str",
            "Users::NAME",
            "`Users::NAME` stands in no `impl` of `Users` itself",
        ),
        ("&str", "R", "`R` is defined by itself"),
        ("&str", "NOBODY", "quiet"),
        ("&str", "nowhere::NOBODY", "quiet"),
        ("u8", "BYTE + 56", "`BYTE + 56` overflows `u8`"),
        ("u8", "256", "`256` overflows `u8`"),
        ("u8", "-1", "`-1` overflows `u8`"),
        ("i32", "1 << 32", "`1 << 32` overflows `i32`"),
        ("u8", "1 / (1 - 1)", "`1 / (1 - 1)` divides by zero"),
        ("u8", "1 % 0", "`1 % 0` divides by zero"),
        (
            "&str",
            "LIST[2]",
            "`LIST[2]` is out of bounds: the length of `LIST` is 2",
        ),
        ("&str", "WORD[0]", "`WORD` is a string, not a list"),
        ("&str", "LIST[true]", "`true` is `true`, not a position"),
        ("&str", "LIST.0", "`LIST` is a list without a `.0`"),
        (
            "&str",
            "if 1 { WORD } else { WORD }",
            "`1` is the number 1, not a condition",
        ),
        (
            "&str",
            "WORD + \"x\"",
            "`WORD + \"x\"` joins strings, which constants do with `concat!`",
        ),
        (
            "bool",
            "WORD == \"x\"",
            "`==` cannot be computed of a string and a string",
        ),
        (
            "u8",
            "1.5 + 1",
            "`+` cannot be computed of the number 1.5 and the number 1",
        ),
        (
            "bool",
            "!WORD",
            "`!` does not apply to `WORD`, which is a string",
        ),
        (
            "u8",
            "Kind::A as u8",
            "`Kind::A as u8` casts the variant `Kind::A`, whose number is not known to the build",
        ),
        (
            "f64",
            "1 as f64",
            "`1 as f64` is a cast between other types than integers",
        ),
        (
            "&str",
            "concat!(LIST)",
            "`LIST` is a list, which `concat!` does not take",
        ),
        (
            "&str",
            "{ let x = \"a\"; x }",
            "`{ let x = \"a\" ; x }` is no expression the build evaluates",
        ),
        ("f32", "f32::MAX", "`f32::MAX` is not known to the build"),
    ] {
        check(ty, expression, expected);
    }
}

#[test]
fn consts_are_found_through_imports_of_every_form() {
    let files = [
        (
            "src/lib.rs",
            "mod a; mod b { pub const INLINE: &str = \"i\"; pub struct ONE; }
             use a::{deep::DEEP, Kind::Open, ONE as RENAMED, Wrap};
             use b::*; pub use crate::a::deep as d; use ONE as SAME;
             struct ONE { not: u8 }
             const ONE: &str = \"1\";
             const R: &[&str] = &[DEEP, RENAMED, INLINE, ONE, d::DEEP, a::REEXPORTED, Wrap::NAME, super_of::UP, SAME];
             mod super_of { pub const UP: &str = super::a::ONE; }
             const V: u8 = Open;",
        ),
        (
            "src/a.rs",
            "pub mod deep { pub const DEEP: &str = \"d\"; const HIDDEN: &str = \"h\"; }
             pub use deep::DEEP as REEXPORTED; pub enum Kind { Open }
             pub const ONE: &str = \"one\";
             pub struct Wrap(u8);
             mod elsewhere { impl super::Wrap { pub const NAME: &'static str = \"w\"; } }",
        ),
    ];
    let text = |text: &str| Value::Text(text.to_owned());
    assert_eq!(
        evaluate(&files),
        Ok(Value::List(
            ["d", "one", "i", "1", "d", "d", "w", "one", "1"]
                .map(text)
                .into()
        ))
    );
}

#[test]
fn what_cannot_be_followed_is_not_called_missing() {
    for (items, expected) in [
        (
            "make!(); const R: &str = A;",
            Some("`A` may come from a macro or a glob that cannot be followed"),
        ),
        (
            "mod a { make!(); } const R: &str = a::A;",
            Some("`a::A` may come from a macro or a glob that cannot be followed"),
        ),
        (
            "use other::*; const R: &str = A;",
            Some("`A` may come from a macro or a glob that cannot be followed"),
        ),
        (
            "use other::A; const R: &str = A;",
            Some("`A` belongs to another crate, whose sources are not read"),
        ),
        (
            "mod a { pub const A: u8 = 1; } mod b { pub const A: u8 = 2; } use a::*; use b::*; const R: u8 = A;",
            Some("`A` has more than one meaning here"),
        ),
        (
            "mod a { const A: u8 = 1; } use a::*; const R: u8 = A;",
            None,
        ),
        (
            "mod a { pub use super::b::A; } mod b { pub use super::a::A; } const R: u8 = a::A;",
            None,
        ),
        ("#[cfg(windows)] const A: u8 = 1; const R: u8 = A;", None),
        (
            "struct T; impl T { const A: u8 = 1; } impl T { const A: u8 = 2; } const R: u8 = T::A;",
            Some("`T::A` has more than one meaning here"),
        ),
    ] {
        let refusal = evaluate(&[("src/lib.rs", items)]).expect_err(items);
        assert_eq!(refusal.reason.as_deref(), expected, "{items}");
    }
}

#[test]
fn a_part_inside_another_const_is_named_with_its_place() {
    let items = "const R: &str = A;\nconst A: &str = B;\nconst B: &str = concat!(\"x\", make());";
    let refusal = evaluate(&[("src/lib.rs", items)]).expect_err("a call");
    assert_eq!(
        refusal.inside,
        Some(("B".to_owned(), "src/lib.rs:3".to_owned()))
    );
}

#[test]
fn loops_and_explosions_end() {
    let ring = "const R: &str = A; const A: &str = concat!(B); const B: &str = A;";
    let refusal = evaluate(&[("src/lib.rs", ring)]).expect_err("a ring");
    assert_eq!(refusal.reason.as_deref(), Some("`A` is defined by itself"));
    let doubling = |count: usize| {
        let steps = (1..count).map(|n| {
            let before = n - 1;
            format!("const C{n}: &str = concat!(C{before}, C{before});")
        });
        format!(
            "const C0: &str = \"x\"; {} const R: &str = C{};",
            steps.collect::<String>(),
            count - 1
        )
    };
    let refusal = evaluate(&[("src/lib.rs", &doubling(40))]).expect_err("2^40 letters");
    assert_eq!(refusal.reason.as_deref(), Some("it has too many parts"));
    assert!(evaluate(&[("src/lib.rs", &doubling(8))]).is_ok());
    let links: Vec<String> = (1..500)
        .map(|n| format!("const C{n}: u8 = C{};", n - 1))
        .collect();
    let chain = format!("const C0: u8 = 0; {} const R: u8 = C499;", links.concat());
    let refusal = evaluate(&[("src/lib.rs", &chain)]).expect_err("a long chain");
    let reason = refusal.reason.unwrap_or_default();
    assert!(reason.contains("too many others"), "{reason}");
}
