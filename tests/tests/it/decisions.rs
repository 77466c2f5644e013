//! Route decisions across packages: defined in one, enforced by a library, taken by an application.

use znight_tests::{Packages, printed};

/// No library of providers: a crate both others use.
const KEYS: &str = "//! What can be decided.
use znight::Decision;

/// For everybody.
pub const PUBLIC: Decision = Decision::flag(\"public\").group(\"access\").required();
/// For some.
pub const ROLES: Decision<&[&str]> = Decision::new(\"roles\").group(\"access\").required();
";

const LIBRARY: &str = "//! Enforces what is decided.
#![deny(warnings, missing_docs, unreachable_pub)]
use znight::prelude::*;

/// Lets nobody in but where it is decided.
#[injectable]
pub struct Gate;

impl Guard for Gate {
    const ENFORCES: &'static [&'static dyn AnyDecision] = &[&doorkeys::PUBLIC, &doorkeys::ROLES];

    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        if doorkeys::PUBLIC.is_set(ctx) {
            return Ok(());
        }
        Err(HttpError::forbidden(\"not for everybody\"))
    }
}

/// In front of nothing, and of no interest to others.
#[injectable]
struct Idle;

impl Guard for Idle {
    async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> {
        Ok(())
    }
}

znight::library!();
";

const APP: &str = "//! Has a door.
use doorkeys::{PUBLIC, ROLES};
use znight::prelude::*;

pub use doorlib::Gate;

struct Doors;

#[controller(\"/doors\")]
#[decide(ROLES = &[\"porter\"])]
impl Doors {
    #[get]
    #[decide(PUBLIC)]
    fn front(&self) -> &'static str {
        \"front\"
    }

    #[get(\"/back\")]
    fn back(&self) -> &'static str {
        \"back\"
    }
}

znight::graph!();
";

const TEST: &str = r#"
use znight::{HttpOptions, HttpPlugin};
use znight_testing::TestApp;

#[tokio::test]
async fn the_gate_decides() -> znight::Result {
    let options = HttpOptions::new().guard::<doorapp::Gate>();
    let app = TestApp::builder(doorapp::graph())
        .plugin(HttpPlugin::new(options))
        .start()
        .await?;
    assert_eq!(app.get("/doors").await?.text(), "front");
    assert_eq!(app.get("/doors/back").await?.status(), 403);
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn without_the_gate_nothing_starts() {
    let started = TestApp::builder(doorapp::graph())
        .plugin(HttpPlugin::default())
        .start()
        .await;
    let report = started.expect_err("it was forgotten").report().to_string();
    assert!(report.starts_with("ZNIGHT023: no guard enforces the required group \"access\" on 2 routes"), "{report}");
    assert!(report.contains("guards of the application that enforce \"access\": Gate;"), "{report}");
}
"#;

#[test]
fn decisions_guards_and_routes_may_stand_in_packages_of_their_own() {
    let packages = Packages::workspace(&["doorkeys", "doorlib", "doorapp"]);
    packages.package("doorkeys", &[("src/lib.rs", KEYS)]);
    packages.remove("doorkeys/build.rs");
    packages.package("doorlib", &[("src/lib.rs", LIBRARY)]);
    packages.package("doorapp", &[("src/lib.rs", APP), ("tests/doors.rs", TEST)]);
    let keys = ("doorkeys", "path = \"../doorkeys\"");
    packages.depend("doorlib", &[keys]);
    packages.depend("doorapp", &[keys, ("doorlib", "path = \"../doorlib\"")]);
    let output = packages.cargo("doorapp", &["test"]);
    let text = printed(&output);
    for test in ["the_gate_decides", "without_the_gate_nothing_starts"] {
        assert!(text.contains(&format!("test {test} ... ok")), "{text}");
    }
    // What another crate requires holds here, and its files are watched.
    let app = packages.read("doorapp/src/lib.rs");
    packages.write(
        "doorapp/src/lib.rs",
        &app.replace("#[decide(ROLES = &[\"porter\"])]\n", ""),
    );
    let output = packages.cargo("doorapp", &["check"]);
    let text = printed(&output);
    assert!(
        text.contains("ZNIGHT023: `GET /doors/back` (Doors::back) has no decision of the required group \"access\""),
        "{text}"
    );
    assert!(
        text.contains(
            "add `#[decide(PUBLIC)]` or `#[decide(ROLES = ..)]` to the route or to Doors"
        ),
        "{text}"
    );
    let keys = packages.read("doorkeys/src/lib.rs");
    packages.write("doorkeys/src/lib.rs", &keys.replace(".required()", ""));
    let output = packages.cargo("doorapp", &["check"]);
    let text = printed(&output);
    assert!(output.status.success(), "{text}");
}
