//! What a package asks of the analysis.

use std::{fmt::Write as _, path::PathBuf};

use znight_compiler::{
    Options, Output, compile,
    settings::{Settings, Supplied},
    source::Memory,
};
use znight_contract::{ErrorCode, ScopeKind, codes::Severity};

use crate::support::{PRELUDE, codes, deps, options, sound, stands_in};

const UNUSED: &str = "trait Repo: Send + Sync {}
#[injectable] struct Used; impl Repo for Used {}
#[injectable] struct Unused { used: Arc<Used> }
#[injectable] struct Named;
#[injectable] struct Hooked; impl OnStart for Hooked { async fn on_start(&self) -> znight::Result { Ok(()) } }
#[injectable] struct Api { repo: Arc<dyn Repo> }
#[controller(\"/\")] impl Api { #[get] fn get(&self) -> String { String::new() } }
fn look(container: &Container) { container.get::<Named>(); }";

fn app(settings: Settings, text: &str) -> Output {
    with(
        &Options {
            settings,
            ..options()
        },
        text,
    )
}

fn with(options: &Options, text: &str) -> Output {
    let text = format!("{PRELUDE}{text}\nznight::graph!();\n");
    compile(
        options,
        &Memory::new()
            .file("src/lib.rs", text)
            .file("src/main.rs", "fn main() { shop::get::<Elsewhere>() }"),
    )
}

fn messages(output: &Output) -> Vec<&str> {
    output
        .diagnostics
        .iter()
        .map(|found| found.message.as_str())
        .collect()
}

#[test]
fn providers_nothing_needs_are_warned_of_when_asked() {
    let settings = Settings {
        report_unused: true,
        ..Settings::default()
    };
    let output = app(settings, UNUSED);
    assert_eq!(codes(&output), ["ZNIGHT019"]);
    assert_eq!(messages(&output), ["nothing needs Unused"]);
    assert!(output.ok());
    sound(&app(Settings::default(), UNUSED));
}

#[test]
fn a_body_of_another_target_may_name_a_provider() {
    let options = Options {
        settings: Settings {
            report_unused: true,
            ..Settings::default()
        },
        others: vec![PathBuf::from("src/main.rs")],
        ..options()
    };
    let text = "#[injectable] struct Elsewhere; #[injectable] struct Nowhere;";
    assert_eq!(messages(&with(&options, text)), ["nothing needs Nowhere"]);
}

#[test]
fn providers_nothing_needs_can_be_left_out() {
    let settings = Settings {
        prune: true,
        ..Settings::default()
    };
    let output = app(settings, UNUSED);
    sound(&output);
    assert_eq!(output.providers, 4);
    assert!(!output.graph.contains("\"Unused\""), "{}", output.graph);
    // Those that are left keep their bindings.
    assert_eq!(deps(&output, "Api"), "[One(3)]");
    assert!(
        output.graph.contains("provider: 0, def:"),
        "{}",
        output.graph
    );
}

#[test]
fn a_warning_is_allowed_or_denied() {
    let text = "#[injectable(scope = \"request\")] struct A; impl OnStart for A { async fn on_start(&self) -> znight::Result { Ok(()) } }";
    let severities = |settings: Settings| -> Vec<Severity> {
        let output = app(settings, text);
        let refused = stands_in(&output);
        assert_eq!(refused, !output.ok());
        output
            .diagnostics
            .iter()
            .map(|found| found.severity)
            .collect()
    };
    assert_eq!(severities(Settings::default()), [Severity::Warning]);
    let code = [ErrorCode::InvalidLifecycle];
    assert_eq!(
        severities(Settings {
            allow: code.into(),
            ..Settings::default()
        }),
        []
    );
    assert_eq!(
        severities(Settings {
            deny: code.into(),
            ..Settings::default()
        }),
        [Severity::Error]
    );
}

#[test]
fn what_a_plugin_supplies_needs_no_provider() {
    let supplied = |path: &str, scope: ScopeKind, optional: bool| Supplied {
        plugin: Some("AcmePlugin".to_owned()),
        scope,
        optional,
        ..Supplied::new(path)
    };
    let settings = Settings {
        externals: vec![
            supplied("other::Clock", ScopeKind::Singleton, false),
            supplied("shop::time::Zone", ScopeKind::Singleton, false),
            supplied("shop::Sink", ScopeKind::Singleton, false),
            supplied("other::Tenant", ScopeKind::Request, false),
            supplied("other::Cache", ScopeKind::Singleton, true),
        ],
        ..Settings::default()
    };
    let text = "pub trait Sink: Send + Sync {} mod time { pub struct Zone; }
        #[injectable] struct A { clock: Arc<other::Clock>, zone: Arc<time::Zone>, sink: Arc<dyn Sink>, cache: Option<Arc<other::Cache>> }
        #[injectable(scope = \"request\")] struct B { tenant: Arc<other::Tenant>, clock: Arc<other::Clock> }";
    let output = app(settings.clone(), text);
    sound(&output);
    assert_eq!(
        deps(&output, "A"),
        "[External(0), External(1), External(2), Unbound]"
    );
    assert_eq!(deps(&output, "B"), "[External(3), External(0)]");
    for line in [
        "type_id_of::<::other::Clock>",
        "type_id_of::<crate::time::Zone>",
        "type_id_of::<dyn Sink>",
        "provided_by: \"AcmePlugin\", scope: z::ScopeKind::Request",
    ] {
        assert!(output.graph.contains(line), "{line}: {}", output.graph);
    }
    let mismatch = app(
        settings,
        "#[injectable] struct C { tenant: Arc<other::Tenant> }",
    );
    assert_eq!(codes(&mismatch), ["ZNIGHT003"]);
    assert_eq!(
        messages(&mismatch),
        ["singleton C depends on Tenant, which belongs to one request"]
    );
}

#[test]
fn a_named_injection_is_never_what_a_plugin_supplies() {
    let settings = Settings {
        externals: vec![Supplied::new("other::Clock")],
        ..Settings::default()
    };
    let output = app(
        settings,
        "#[injectable] struct A { #[inject(\"utc\")] clock: Arc<other::Clock> }",
    );
    assert_eq!(codes(&output), ["ZNIGHT001"]);
}

#[test]
fn places_are_left_out_of_the_graph_when_asked() {
    let options = Options {
        source_locations: false,
        ..options()
    };
    let output = with(&options, "#[injectable] struct A;");
    assert!(output.graph.contains("source: None"), "{}", output.graph);
}

#[test]
fn a_syntax_error_is_said_where_rustc_does_not_run() {
    let text = "#[injectable] struct A { b: Arc<B> } struct C {";
    let silent = with(&options(), text);
    assert_eq!(codes(&silent), [""; 0]);
    let options = Options {
        check: true,
        ..options()
    };
    let output = with(&options, text);
    assert_eq!(codes(&output), ["ZNIGHT022"]);
    let location = &output.diagnostics[0].place.location;
    assert_eq!((location.file.as_str(), location.line), ("src/lib.rs", 3));
    assert!(!output.ok());
}

#[test]
fn ten_places_that_lack_one_provider_are_one_error() {
    let mut text = String::from(
        "trait Repo: Send + Sync {}\n#[injectable] struct Api { first: Arc<S0> }\n#[controller(\"/\")] impl Api {}\n",
    );
    for index in 0..10 {
        let _ = writeln!(
            text,
            "#[injectable] struct S{index} {{ repo: Arc<dyn Repo> }}"
        );
    }
    let output = app(Settings::default(), &text);
    assert_eq!(codes(&output), ["ZNIGHT001"]);
    let found = &output.diagnostics[0];
    assert_eq!(
        found.message,
        "no provider for `dyn Repo`, required by S0 and 9 other places"
    );
    assert_eq!(
        found.hints[2..],
        [
            "needed by way of Api -> S0",
            "it is required by S1 (src/lib.rs:7), S2 (src/lib.rs:8), S3 (src/lib.rs:9) and 6 more as well"
        ]
    );
    assert_eq!(found.related.len(), 9);
}

#[test]
fn a_dependency_that_is_listed_as_a_library_and_is_none_is_said_to_be() {
    let settings = Settings {
        libraries: vec!["other".to_owned()],
        ..Settings::default()
    };
    let output = app(settings, "#[injectable] struct A;");
    assert_eq!(
        messages(&output),
        ["`other` is listed under `libraries` and is no provider library"]
    );
    assert!(output.ok());
    assert_eq!(output.warnings.len(), 1);
    assert!(
        output.warnings[0].starts_with("ZNIGHT010"),
        "{:?}",
        output.warnings
    );
}
