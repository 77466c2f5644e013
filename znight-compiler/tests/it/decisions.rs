//! Route decisions of other crates, and what the graph says of guards and decisions.

use znight_compiler::{Output, diagnostic::message};

use crate::support::{Build, codes, lines, one, sound};

/// What is said first.
#[track_caller]
fn first(output: &Output) -> String {
    message(output.diagnostics.first().expect("a problem"))
}

/// A plain crate that defines decisions, and one that hands them on.
const AUTH: &str = "mod keys { pub const ROLES: &str = \"roles\"; }
    pub const GROUP: &str = \"access\";
    pub const ROLES: Decision<&[&str]> = Decision::new(keys::ROLES).group(GROUP).required();
    pub mod open { use znight::Decision; pub const PUBLIC: Decision = Decision::flag(\"public\").group(crate::GROUP).required(); }";

fn with_auth(text: &str) -> Output {
    Build::new()
        .package("auth@1.0.0", &[], AUTH)
        .package(
            "preset@1.0.0",
            &["auth@1.0.0"],
            "pub use auth::ROLES as ALLOWED; pub use auth::open::*;",
        )
        .shop(&["auth@1.0.0", "preset@1.0.0"], text)
        .compile()
}

#[test]
fn decisions_of_other_crates_are_followed() {
    let output = with_auth(
        "use auth::open::PUBLIC;
        struct Books; #[controller(\"/books\")] impl Books {
            #[get] #[decide(PUBLIC)] fn list(&self) {}
            #[get(\"/a\")] #[decide(preset::ALLOWED = &[])] fn allowed(&self) {}
            #[get(\"/b\")] #[decide(preset::PUBLIC)] fn public(&self) {}
            #[post] fn add(&self) {}
        }",
    );
    assert_eq!(codes(&output), ["ZNIGHT023"]);
    let said = first(&output);
    assert!(
        said.starts_with(
            "ZNIGHT023: `POST /books` (Books::add) has no decision of the required group \"access\""
        ),
        "{said}"
    );
    assert!(
        said.contains("add `#[decide(PUBLIC)]` or `#[decide(ROLES = ..)]`"),
        "{said}"
    );
}

#[test]
fn decisions_of_other_crates_are_alternatives_as_well() {
    let output = with_auth(
        "struct Books; #[controller(\"/books\")] impl Books {
            #[get] #[decide(preset::ALLOWED = &[], auth::open::PUBLIC)] fn list(&self) {}
        }",
    );
    assert_eq!(codes(&output), ["ZNIGHT005"]);
    let said = first(&output);
    assert!(
        said.contains("`ROLES` and `PUBLIC` are decisions of one group, \"access\""),
        "{said}"
    );
}

#[test]
fn a_guard_tells_of_decisions_that_nobody_takes() {
    let output = with_auth(
        "#[injectable] struct Gate;
        impl Guard for Gate {
            const ENFORCES: &'static [&'static dyn AnyDecision] = &[&auth::ROLES, &preset::PUBLIC];
            async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> { Ok(()) }
        }
        struct Books; #[controller(\"/books\")] #[guard(Gate)] #[decide(auth::ROLES = &[])] impl Books {
            #[get] fn list(&self) {}
        }
        struct Pens; #[controller(\"/pens\")] impl Pens { #[get] fn list(&self) {} }",
    );
    assert_eq!(codes(&output), ["ZNIGHT023"]);
    assert!(first(&output).contains("`GET /pens` (Pens::list)"));
}

#[test]
fn what_a_guard_enforces_agrees_with_what_is_defined() {
    let output = with_auth(
        "const MINE: Decision<u8> = Decision::new(\"roles\").group(\"mine\");
        #[injectable] struct Gate;
        impl Guard for Gate {
            const ENFORCES: &'static [&'static dyn AnyDecision] = &[&auth::ROLES];
            async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> { Ok(()) }
        }
        struct Books; #[controller(\"/books\")] #[guard(Gate)] #[decide(auth::ROLES = &[])] impl Books {
            #[get] fn list(&self) {}
        }",
    );
    assert_eq!(codes(&output), ["ZNIGHT005"]);
    let said = first(&output);
    assert!(
        said.contains("`MINE` is the decision \"roles\" (group \"mine\", not required), and `ROLES` is \"roles\" (group \"access\", required)"),
        "{said}"
    );
}

#[test]
fn two_other_crates_that_contradict_one_another_are_told_at_the_attribute() {
    let output = Build::new()
        .package("auth@1.0.0", &[], AUTH)
        .package(
            "access@1.0.0",
            &[],
            "pub const OWNER: Decision = Decision::flag(\"owner\").group(\"access\");",
        )
        .shop(
            &["auth@1.0.0", "access@1.0.0"],
            "struct Books; #[controller(\"/books\")] impl Books {
                #[get] #[decide(auth::open::PUBLIC)] fn list(&self) {}
                #[get(\"/own\")] #[decide(access::OWNER)] fn own(&self) {}
            }",
        )
        .compile();
    assert_eq!(codes(&output), ["ZNIGHT005"]);
    let problem = &output.diagnostics[0];
    assert!(problem.place.tokens.is_some(), "{problem:?}");
    assert!(problem.hints[0].contains("a group is required or not"));
}

const LIBRARY: &str =
    "pub const PUBLIC: Decision = Decision::flag(\"public\").group(\"access\").required();
    #[injectable] struct Gate;
    impl Guard for Gate {
        const ENFORCES: &'static [&'static dyn AnyDecision] = &[&PUBLIC];
        async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> { Ok(()) }
    }";

#[test]
fn a_library_of_providers_has_decisions_and_guards() {
    let build = Build::new().library("auth", &[], LIBRARY).shop(
        &["auth"],
        "struct Books; #[controller(\"/books\")] impl Books {
            #[get] #[decide(auth::PUBLIC)] fn list(&self) {}
        }",
    );
    let output = build.compile();
    sound(&output);
    let guards = lines(&output, "GuardOf");
    let id = guards[0]
        .split_once("GuardOf<0x")
        .and_then(|(_, rest)| rest.split_once('>'))
        .map(|(id, _)| id.replace('_', ""))
        .expect("an id");
    assert_eq!(guards.len(), 1, "{guards:?}");
    // The glue is what the library's own build tells its macros to write.
    let own = build.compile_package("auth");
    let record = own
        .records
        .values()
        .find(|record| record.contains("\nguard\n"))
        .expect("a guard");
    assert!(record.contains(&format!("provider\t{id}")), "{record}");
}

#[test]
fn a_route_of_the_application_is_held_to_what_its_library_requires() {
    let output = Build::new()
        .library("auth", &[], LIBRARY)
        .shop(
            &["auth"],
            "use auth::PUBLIC; struct Books; #[controller(\"/books\")] impl Books { #[get] fn list(&self) {} }",
        )
        .compile();
    assert_eq!(codes(&output), ["ZNIGHT023"]);
    assert!(
        first(&output).contains("auth/src/lib.rs:3"),
        "{}",
        first(&output)
    );
}

#[test]
fn the_graph_lists_guards_in_front_of_nothing_and_decisions_nobody_takes() {
    let output = one(
        "pub const LIMIT: Decision<u32> = Decision::new(\"limit\");
        #[injectable] struct Idle;
        impl Guard for Idle { async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> { Ok(()) } }
        #[injectable] struct Other;
        struct Made;
        impl znight::Guard for Made { async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> { Ok(()) } }
        struct Maker; #[factory] impl Maker { #[provides] fn made() -> Made { Made } }",
    );
    sound(&output);
    let guards = lines(&output, "GuardOf").len();
    assert_eq!(guards, 2, "{}", output.graph);
    assert_eq!(
        lines(&output, "DecisionDef"),
        ["z::http::DecisionDef { key: \"limit\", group: \"limit\", required: false },"]
    );
}

#[test]
fn a_guard_of_the_unit_tests_is_none_of_production() {
    let output = one(
        "#[injectable] struct Idle;
        #[cfg(test)]
        impl Guard for Idle { async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> { Ok(()) } }",
    );
    sound(&output);
    // The glue is the same for both, and asks rustc.
    assert_eq!(lines(&output, "GuardOf").len(), 1, "{}", output.graph);
    assert!(
        output
            .records
            .values()
            .any(|record| record.contains("\nguard\n"))
    );
}

#[test]
fn a_missing_decision_shows_the_definition_of_its_group_and_the_controller() {
    let output = one(
        "const ROLES: Decision<u8> = Decision::new(\"roles\").required();
        struct Books;
        #[controller(\"/books\")]
        impl Books {
            #[get]
            fn list(&self) {}
        }",
    );
    let related: Vec<String> = output.diagnostics[0]
        .related
        .iter()
        .map(|related| format!("{}: {}", related.place.line, related.message))
        .collect();
    assert_eq!(
        related,
        [
            "3: the group \"roles\" is required here",
            "6: the controller"
        ]
    );
}
