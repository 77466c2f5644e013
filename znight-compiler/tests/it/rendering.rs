//! Diagnostics as terminals and tools see them.

use znight_compiler::{
    Output,
    diagnostic::{
        Diagnostic, Format, Location, Place, Related, Worlds, format_diagnostics, json,
        message_with_frame, sort, summary,
    },
};
use znight_contract::{ErrorCode, codes::Severity};

use crate::support::one;

const SERVICE: &str = "use std::sync::Arc;\n\npub struct Service {\n\tusers: Arc<dyn Users>,\n\t/* größe */ size: Arc<Größe>,\n}\n";
const PG: &str = "// Nine lines above.\n\n\n\n\n\n\n\n\npub struct PgUsers;\n";

/// The two files above.
#[expect(
    clippy::unnecessary_wraps,
    reason = "readers of files answer with an option"
)]
fn read(file: &str) -> Option<String> {
    Some(if file.ends_with("pg.rs") { PG } else { SERVICE }.to_owned())
}

fn location(file: &str, [line, column, end_line, end_column]: [usize; 4]) -> Location {
    Location {
        file: file.to_owned(),
        line,
        column,
        end_line,
        end_column,
    }
}

fn missing(range: [usize; 4]) -> Diagnostic {
    Diagnostic {
        code: ErrorCode::MissingProvider,
        severity: Severity::Error,
        message: "no provider for `dyn Users`, required by Service".to_owned(),
        hints: Vec::new(),
        place: Place::elsewhere(location("src/service.rs", range)),
        related: Vec::new(),
        worlds: Worlds::Both,
    }
}

/// Printed without a summary.
fn printed(diagnostic: Diagnostic) -> String {
    let format = Format {
        summary: false,
        ..Format::default()
    };
    format_diagnostics(&[diagnostic], &format, &read)
}

fn with_everything() -> Vec<Diagnostic> {
    let first = Diagnostic {
        hints: vec![
            "add #[injectable] to PgUsers".to_owned(),
            "in \"/{id\"\n     ^".to_owned(),
        ],
        related: vec![Related {
            message: "implements Users, but is not a provider".to_owned(),
            place: location("src/pg.rs", [10, 12, 10, 19]),
        }],
        ..missing([4, 9, 4, 23])
    };
    let second = Diagnostic {
        code: ErrorCode::UnusedProvider,
        severity: Severity::Warning,
        message: "nothing needs `Service`".to_owned(),
        ..missing([3, 12, 3, 19])
    };
    vec![first.clone(), second, first]
}

#[test]
fn a_list_has_frames_hints_pages_and_a_summary() {
    insta::assert_snapshot!(format_diagnostics(
        &with_everything(),
        &Format::default(),
        &read
    ));
}

#[test]
fn colours_are_escapes_around_the_same_text() {
    let format = Format::for_terminal(true, false);
    let text = format_diagnostics(&with_everything()[..2], &format, &read);
    insta::assert_snapshot!(text.replace('\u{1b}', "\\e"));
    let mut plain = String::new();
    for (index, part) in text.split('\u{1b}').enumerate() {
        let part = if index == 0 {
            part
        } else {
            part.split_once('m').expect("an escape").1
        };
        plain.push_str(part);
    }
    assert_eq!(
        plain,
        format_diagnostics(&with_everything()[..2], &Format::default(), &read)
    );
}

#[test]
fn colours_are_for_terminals_of_users_who_want_them() {
    for (is_terminal, no_color, expected) in [
        (true, false, true),
        (true, true, false),
        (false, false, false),
        (false, true, false),
    ] {
        assert_eq!(
            Format::for_terminal(is_terminal, no_color).color,
            expected,
            "{is_terminal} {no_color}"
        );
    }
}

#[test]
fn tabs_and_letters_of_several_bytes_keep_carets_in_place() {
    insta::assert_snapshot!(printed(missing([5, 20, 5, 30])));
}

#[test]
fn line_ends_of_windows_do_not_show() {
    let read = |file: &str| read(file).map(|text| text.replace('\n', "\r\n"));
    let text = format_diagnostics(&[missing([4, 9, 4, 23])], &Format::default(), &read);
    assert!(!text.contains('\r'), "{text:?}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_range_over_lines_shows_the_first_and_the_last_with_the_label() {
    insta::assert_snapshot!(printed(Diagnostic {
        related: vec![Related {
            message: "the fields of Service\nare private".to_owned(),
            place: location("src/service.rs", [3, 20, 4, 8]),
        }],
        ..missing([3, 1, 6, 2])
    }));
}

#[test]
fn without_a_file_places_are_named_and_nothing_is_drawn() {
    let text = format_diagnostics(&with_everything()[..1], &Format::default(), &|_| None);
    insta::assert_snapshot!(text);
    let beyond = printed(missing([70, 1, 70, 2]));
    assert!(
        beyond.contains(" --> src/service.rs:70:1\n  = docs:"),
        "{beyond}"
    );
}

#[test]
fn further_lines_of_a_message_are_aligned() {
    let text = printed(Diagnostic {
        message: "one\ntwo".to_owned(),
        ..missing([1, 1, 1, 2])
    });
    assert!(
        text.starts_with("error: ZNIGHT001: one\n       two\n"),
        "{text}"
    );
}

#[test]
fn a_text_for_rustc_may_carry_its_frame() {
    insta::assert_snapshot!(message_with_frame(&missing([1, 1, 1, 4]), &read));
}

#[test]
fn nothing_wrong_is_nothing_printed() {
    assert_eq!(format_diagnostics(&[], &Format::default(), &read), "");
}

#[test]
fn the_summary_counts_errors_then_warnings() {
    let all = with_everything();
    for (range, expected) in [
        (0..0, ""),
        (0..1, "1 error"),
        (1..2, "1 warning"),
        (0..3, "2 errors and 1 warning"),
    ] {
        assert_eq!(summary(&all[range.clone()]), expected, "{range:?}");
    }
}

#[test]
fn syntax_errors_come_first_then_files_and_places() {
    let at = |code, file: &str, line| Diagnostic {
        code,
        place: Place::elsewhere(location(file, [line, 1, line, 2])),
        ..missing([1, 1, 1, 2])
    };
    let mut all = [
        at(ErrorCode::MissingProvider, "src/b.rs", 1),
        at(ErrorCode::MissingProvider, "src/a.rs", 9),
        at(ErrorCode::CircularDependency, "src/a.rs", 2),
        at(ErrorCode::MissingProvider, "src/a.rs", 2),
        at(ErrorCode::SyntaxError, "src/c.rs", 5),
    ];
    sort(&mut all);
    let order: Vec<String> = all
        .iter()
        .map(|found| format!("{} {}", found.code, found.location()))
        .collect();
    assert_eq!(
        order,
        [
            "ZNIGHT022 src/c.rs:5:1",
            "ZNIGHT001 src/a.rs:2:1",
            "ZNIGHT002 src/a.rs:2:1",
            "ZNIGHT001 src/a.rs:9:1",
            "ZNIGHT001 src/b.rs:1:1",
        ]
    );
}

#[test]
fn json_has_one_shape() {
    let found = Diagnostic {
        hints: vec!["declare it".to_owned()],
        related: vec![Related {
            message: "seen here".to_owned(),
            place: location("src/pg.rs", [10, 12, 10, 19]),
        }],
        ..missing([5, 20, 5, 30])
    };
    let read = |file: &str| (file == "src/service.rs").then(|| SERVICE.to_owned());
    assert_eq!(
        json(&found, &read),
        serde_json::json!({
            "code": "ZNIGHT001",
            "severity": "error",
            "message": "no provider for `dyn Users`, required by Service",
            "hints": ["declare it"],
            "docs": "https://docs.rs/znight/0.1/znight/errors/index.html#znight001",
            "location": {
                "file": "src/service.rs",
                "start": { "line": 5, "column": 20, "byteColumn": 22, "offset": 87 },
                "end": { "line": 5, "column": 30, "byteColumn": 34, "offset": 99 },
            },
            "related": [{
                "message": "seen here",
                "location": {
                    "file": "src/pg.rs",
                    "start": { "line": 10, "column": 12, "byteColumn": null, "offset": null },
                    "end": { "line": 10, "column": 19, "byteColumn": null, "offset": null },
                },
            }],
        })
    );
}

/// The texts diagnostics of an application point at.
fn pointed_at(output: &Output, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    output
        .diagnostics
        .iter()
        .map(|found| {
            let location = found.location();
            assert_eq!(location.line, location.end_line, "{location}");
            lines[location.line - 1]
                .chars()
                .skip(location.column - 1)
                .take(location.end_column - location.column)
                .collect()
        })
        .collect()
}

#[test]
fn diagnostics_end_where_their_tokens_end() {
    let text = "#[injectable] struct A { /* é */ b: Arc<dyn B>, c: Option<String> } trait B {}\n\
                #[injectable(scope = \"singelton\")] struct C;\n\
                #[injectable] enum D {}";
    let output = one(text);
    // The prelude has two lines.
    let text = format!("\n\n{text}");
    assert_eq!(
        pointed_at(&output, &text),
        ["Arc<dyn B>", "Option<String>", "\"singelton\"", "D"]
    );
}
