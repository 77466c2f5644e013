use znight_compiler::{
    diagnostic::{Format, format_diagnostics},
    settings::{InterceptorAttribute, Settings, SourceLocations, Supplied},
};
use znight_contract::{ErrorCode, ScopeKind, codes::Severity};

use super::{KEYS, read};

/// A manifest with dependencies, and settings at its end.
fn manifest(settings: &str) -> String {
    format!(
        "[package]\nname = \"shop\"\n\
         [dependencies]\nbilling-core = \"1\"\nserde.workspace = true\n\
         [target.'cfg(unix)'.dependencies]\nunix_tools = \"1\"\n\
         [dev-dependencies]\nfakes = \"1\"\n\
         [package.metadata.znight]\n{settings}\n"
    )
}

/// Each problem as the text it points at, its message and its hints.
fn problems(text: &str) -> Vec<String> {
    let (_, problems) = read(text);
    problems
        .iter()
        .map(|problem| {
            assert_eq!(
                (problem.code, problem.severity),
                (ErrorCode::VersionMismatch, Severity::Error)
            );
            let at = problem.location();
            assert_eq!((at.file.as_str(), at.line), ("Cargo.toml", at.end_line));
            let line = text.lines().nth(at.line - 1).unwrap_or_default();
            let pointed: String = line
                .chars()
                .skip(at.column - 1)
                .take(at.end_column - at.column)
                .collect();
            let message = format!("{pointed} : {}", problem.message);
            let parts: Vec<&str> = std::iter::once(message.as_str())
                .chain(problem.hints.iter().map(String::as_str))
                .collect();
            parts.join(" = ")
        })
        .collect()
}

#[track_caller]
fn sound(settings: &str) -> Settings {
    let (settings, problems) = read(&manifest(settings));
    assert_eq!(problems, []);
    settings
}

#[test]
fn without_settings_the_defaults_count() {
    for text in [
        "",
        "[package]\nname = \"a\"",
        "[package.metadata.docs.rs]\nall-features = true",
        "[package.metadata.znight]",
    ] {
        assert_eq!(read(text), (Settings::default(), Vec::new()), "{text}");
    }
}

#[test]
fn everything_that_can_be_said_is_read() {
    let settings = sound(
        r#"
allow = ["ZNIGHT009"]
deny = ["ZNIGHT019", "ZNIGHT001"]
strict-validation = true
report-unused = true
prune = true
source-locations = "always"
libraries = ["billing_core", "unix-tools", "serde"]
externals = [
    "acme::Clock",
    { type = "acme::Tenant", scope = "request", plugin = "TenantPlugin", optional = true },
]
provides = [{ type = "shop::mail::Mailer", plugin = "shop::MailPlugin", scope = "singleton" }]
interceptors = [{ attribute = "shop::timed", interceptor = "shop::TimedInterceptor" }]"#,
    );
    assert_eq!(
        settings,
        Settings {
            allow: [ErrorCode::InvalidLifecycle].into(),
            deny: [ErrorCode::UnusedProvider, ErrorCode::MissingProvider].into(),
            strict_validation: true,
            report_unused: true,
            prune: true,
            source_locations: SourceLocations::Always,
            libraries: ["billing_core", "unix_tools", "serde"]
                .map(str::to_owned)
                .to_vec(),
            externals: vec![
                Supplied::new("acme::Clock"),
                Supplied {
                    path: "acme::Tenant".to_owned(),
                    plugin: Some("TenantPlugin".to_owned()),
                    scope: ScopeKind::Request,
                    optional: true,
                },
            ],
            provides: vec![Supplied {
                plugin: Some("shop::MailPlugin".to_owned()),
                ..Supplied::new("shop::mail::Mailer")
            }],
            interceptors: vec![InterceptorAttribute {
                attribute: "shop::timed".to_owned(),
                interceptor: "shop::TimedInterceptor".to_owned(),
            }],
        }
    );
}

#[test]
fn every_choice_of_source_locations_reads_back() {
    for known in SourceLocations::ALL {
        let settings = sound(&format!("source-locations = \"{known}\""));
        assert_eq!(settings.source_locations, known);
    }
}

#[test]
fn entries_may_be_tables_of_their_own() {
    let settings = sound(
        "[[package.metadata.znight.provides]]\ntype = \"a::B\"\nplugin = \"C\"\n\
         [[package.metadata.znight.provides]]\ntype = \"a::D\"\nplugin = \"E\"",
    );
    assert_eq!(settings.provides.len(), 2);
}

#[test]
fn each_rule_has_its_message() {
    let known = "there are `allow`, `deny`, `strict-validation`, `report-unused`, `prune`, \
                 `source-locations`, `libraries`, `externals`, `provides` and `interceptors`";
    let like_provides =
        "write the entry as in `{ type = \"acme::Mailer\", plugin = \"AcmePlugin\" }`";
    let like_interceptors = "write the entry as in `{ attribute = \"acme::timed\", interceptor = \"acme::TimedInterceptor\" }`";
    let cases: &[(&str, &[&str])] = &[
        // Keys.
        (
            "strict_validation = true",
            &[
                "strict_validation : there is no setting `strict_validation` = did you mean `strict-validation`?",
            ],
        ),
        (
            "x = 1",
            &[&format!("x : there is no setting `x` = {known}")],
        ),
        // Codes.
        (
            "allow = \"ZNIGHT009\"",
            &["\"ZNIGHT009\" : `allow` is a list, not a string = write `allow = [\"ZNIGHT009\"]`"],
        ),
        ("deny = true", &["true : `deny` is a list, not a boolean"]),
        (
            "allow = [9]",
            &["9 : `an entry of allow` is a string, not an integer"],
        ),
        (
            "deny = [\"znight009\", \"unused\"]",
            &[
                "\"znight009\" : there is no code `znight009` = did you mean `ZNIGHT009`?",
                "\"unused\" : there is no code `unused` = a code is written as in `ZNIGHT009`",
            ],
        ),
        (
            "allow = [\"ZNIGHT001\"]",
            &["\"ZNIGHT001\" : `ZNIGHT001` is an error, and only warnings can be allowed"],
        ),
        (
            "deny = [\"ZNIGHT009\", \"ZNIGHT009\"]",
            &["\"ZNIGHT009\" : `ZNIGHT009` is listed twice"],
        ),
        (
            "allow = [\"ZNIGHT009\"]\ndeny = [\"ZNIGHT009\"]",
            &["\"ZNIGHT009\" : `ZNIGHT009` is both allowed and denied"],
        ),
        // Switches.
        (
            "prune = \"true\"",
            &["\"true\" : `prune` is `true` or `false`, not a string = write `prune = true`"],
        ),
        (
            "report-unused = 1",
            &["1 : `report-unused` is `true` or `false`, not an integer"],
        ),
        // Words.
        (
            "source-locations = \"alway\"",
            &["\"alway\" : `source-locations` cannot be \"alway\" = did you mean \"always\"?"],
        ),
        (
            "source-locations = \"sometimes\"",
            &[
                "\"sometimes\" : `source-locations` cannot be \"sometimes\" = it is one of \"dev\", \"always\" and \"never\"",
            ],
        ),
        (
            "source-locations = false",
            &[
                "false : `source-locations` is a string, not a boolean = it is one of \"dev\", \"always\" and \"never\"",
            ],
        ),
        // Libraries.
        (
            "libraries = [\"billing-cor\", \"fakes\"]",
            &[
                "\"billing-cor\" : `billing-cor` is not a dependency of this package = did you mean `billing-core`?",
                "\"fakes\" : `fakes` is not a dependency of this package = name it as it stands under `[dependencies]`; only what the application is built with has providers for it",
            ],
        ),
        (
            "libraries = [\"billing-core\", \"billing_core\"]",
            &["\"billing_core\" : `billing_core` is listed twice"],
        ),
        // Paths.
        (
            "externals = [\"Clock\", \"crate::Clock\", \"my-acme::Clock\", \"dyn acme::Clock\", \"::acme::Clock\", \"acme::Pool<acme::Pg>\", \"acme::\", \"\"]",
            &[
                "\"Clock\" : `Clock` is not a full path = start with the name of the crate, as in `acme::Clock`",
                "\"crate::Clock\" : `crate::Clock` is not a full path = write the name of this package's crate in front",
                "\"my-acme::Clock\" : `my-acme::Clock` is not a full path = write `my_acme::Clock`",
                "\"dyn acme::Clock\" : `dyn acme::Clock` is not a full path = write `acme::Clock`",
                "\"::acme::Clock\" : `::acme::Clock` is not a full path = write `acme::Clock`",
                "\"acme::Pool<acme::Pg>\" : `acme::Pool<acme::Pg>` is not a full path = a type with arguments cannot be named here: supply a type of its own around it",
                "\"acme::\" : `acme::` is not a full path = start with the name of the crate, as in `acme::Clock`",
                "\"\" : `` is not a full path = start with the name of the crate, as in `acme::Clock`",
            ],
        ),
        // Externals.
        (
            "externals = [1]",
            &["1 : `an entry of externals` is a string or a table, not an integer"],
        ),
        (
            "externals = [{ typ = \"a::B\" }]",
            &[
                &format!("{{ typ = \"a::B\" }} : `type` is missing = {like_provides}"),
                "typ : there is no key `typ` = did you mean `type`?",
            ],
        ),
        (
            "externals = [{ type = \"a::B\", scope = \"global\", plugin = \"a b\", optional = 1 }]",
            &[
                "\"global\" : `scope` cannot be \"global\" = it is one of \"singleton\", \"request\" and \"transient\"",
                "\"a b\" : `a b` is not the name of a plugin = name its type, as in `AcmePlugin`",
                "1 : `optional` is `true` or `false`, not an integer",
            ],
        ),
        (
            "externals = [{ type = 1, plugin = 2, scope = \"Request\" }]",
            &[
                "1 : `type` is a string, not an integer",
                "2 : `plugin` is a string, not an integer",
                "\"Request\" : `scope` cannot be \"Request\" = did you mean \"request\"?",
            ],
        ),
        (
            "externals = [\"a::B\", { type = \"a::B\" }]",
            &["{ type = \"a::B\" } : `a::B` is listed twice"],
        ),
        // Provides.
        (
            "provides = [\"a::B\"]",
            &[
                "\"a::B\" : `an entry of provides` is a table, not a string = write it as in `{ type = \"acme::Mailer\", plugin = \"AcmePlugin\" }`",
            ],
        ),
        (
            "provides = [{ type = \"a::B\" }]",
            &[&format!(
                "{{ type = \"a::B\" }} : `plugin` is missing = {like_provides}"
            )],
        ),
        // Interceptors.
        (
            "interceptors = [{ attribute = \"timed\" }]",
            &[
                &format!(
                    "{{ attribute = \"timed\" }} : `interceptor` is missing = {like_interceptors}"
                ),
                "\"timed\" : `timed` is not a full path = start with the name of the crate, as in `acme::Clock`",
            ],
        ),
        (
            "interceptors = [{ attribute = \"a::b\", interceptor = \"a::B\" }, { attribute = \"a::b\", interceptor = \"a::C\" }]",
            &["{ attribute = \"a::b\", interceptor = \"a::C\" } : `a::b` is listed twice"],
        ),
    ];
    for (settings, expected) in cases {
        assert_eq!(problems(&manifest(settings)), *expected, "{settings}");
    }
}

#[test]
fn settings_that_are_no_table_are_said() {
    for (text, expected) in [
        (
            "[package.metadata]\nznight = true",
            "true : `package.metadata.znight` is a table, not a boolean",
        ),
        (
            "[[package.metadata.znight]]",
            "[[package.metadata.znight]] : `package.metadata.znight` is a table, not a list",
        ),
    ] {
        assert_eq!(problems(text), [expected]);
    }
}

#[test]
fn what_is_malformed_is_left_out_and_the_rest_counts() {
    let (settings, problems) = read(&manifest(
        "allow = [\"ZNIGHT404\", \"ZNIGHT009\", \"ZNIGHT019\"]\n\
         deny = [\"ZNIGHT019\", \"ZNIGHT017\"]\n\
         prune = true\nreport-unused = 1\n\
         externals = [\"Clock\", { type = \"a::B\", scop = \"request\" }, \"a::C\"]\n\
         interceptors = [{ attribute = \"a::b\", interceptor = \"a::B\", order = 1 }]",
    ));
    assert_eq!(problems.len(), 6);
    assert_eq!(
        settings,
        Settings {
            allow: [ErrorCode::InvalidLifecycle].into(),
            deny: [ErrorCode::UnvalidatedInput].into(),
            prune: true,
            externals: vec![Supplied::new("a::C")],
            ..Settings::default()
        }
    );
}

#[test]
fn a_manifest_that_is_not_toml_is_one_problem() {
    let text = "[package]\nname = \"a\"\n[package.metadata.znight]\nprune = maybe\n";
    let (settings, problems) = read(text);
    assert_eq!(settings, Settings::default());
    let [problem] = &problems[..] else {
        panic!("{problems:?}");
    };
    assert!(
        problem.message.starts_with("Cargo.toml cannot be read: "),
        "{}",
        problem.message
    );
    assert_eq!(problem.place.location.line, 4);
    // Nothing to point at is no reason to fail.
    for text in ["[package", "[package]\na", "a = \"", "\u{feff}é = "] {
        assert_eq!(read(text).1.len(), 1, "{text:?}");
    }
}

#[test]
fn a_problem_shows_its_line_and_what_it_contradicts() {
    let text = manifest("# größe\r\nallow = [\"ZNIGHT009\"]\r\ndeny = [ 'ZNIGHT009' ] # größe\r");
    let (_, problems) = read(&format!("\u{feff}{text}"));
    let shown = format_diagnostics(&problems, &Format::default(), &|file| {
        (file == "Cargo.toml").then(|| text.clone())
    });
    assert_eq!(
        shown,
        "error: ZNIGHT018: `ZNIGHT009` is both allowed and denied
  --> Cargo.toml:13:10
   |
13 | deny = [ 'ZNIGHT009' ] # größe
   |          ^^^^^^^^^^^
   |
  ::: Cargo.toml:12:10
   |
12 | allow = [\"ZNIGHT009\"]
   |          ----------- allowed here
   = docs: https://docs.rs/znight/0.1/znight/errors/index.html#znight018

1 error
"
    );
}

#[test]
fn the_keys_are_those_that_are_read() {
    for key in KEYS {
        let found = problems(&manifest(&format!("{key} = 1979-05-27")));
        let [problem] = &found[..] else {
            panic!("{key}: {found:?}");
        };
        assert!(problem.contains("not a date"), "{problem}");
    }
}
