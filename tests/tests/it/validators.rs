//! Input whose type has a validator, with the feature for it and without.

use znight_tests::{Message, Packages, checkout, manifest, messages, printed};

const LIB: &str = r#"
use znight::prelude::*;

#[derive(serde::Deserialize, garde::Validate)]
pub struct NewUser {
    #[garde(length(min = 1))]
    pub name: String,
}

pub struct Users;

#[controller("/users")]
impl Users {
    #[post]
    async fn create(&self, #[body] input: NewUser) -> String {
        input.name
    }
}

znight::graph!();
"#;

/// A package that derives `garde::Validate`, with these features of the facade and these settings.
fn package(packages: &Packages, name: &str, feature: &str, settings: &str) {
    packages.package(name, &[("src/lib.rs", LIB)]);
    let facade = format!("znight = {{ path = \"{}/znight\"", checkout().display());
    let garde = "garde = { version = \"0.23\", default-features = false, features = [\"derive\"] }";
    let manifest = manifest(name).replace(
        &format!("{facade} }}"),
        &format!("{facade}, features = [{feature}] }}\n{garde}"),
    );
    let manifest = format!("{manifest}\n[package.metadata.znight]\n{settings}\n");
    packages.write(&format!("{name}/Cargo.toml"), &manifest);
}

/// What the compiler says of each of these packages, built by themselves.
fn said(packages: &Packages, names: &[&str]) -> Vec<Message> {
    let mut arguments = vec!["check", "--keep-going", "--message-format=json"];
    for name in names {
        arguments.extend(["--package", name]);
    }
    let output = packages.cargo("", &arguments);
    assert_eq!(
        output.status.success(),
        !names.iter().any(|name| name.starts_with("strict")),
        "{}",
        printed(&output)
    );
    messages(&output)
}

#[test]
fn a_validator_without_its_feature_is_reported_at_the_parameter() {
    let packages = Packages::workspace(&["loose", "strict-off", "allowed", "validated"]);
    package(&packages, "loose", "", "");
    package(&packages, "strict-off", "", "strict-validation = true");
    package(&packages, "allowed", "", "allow = [\"ZNIGHT017\"]");
    package(
        &packages,
        "validated",
        "\"garde\"",
        "strict-validation = true",
    );

    let found = said(&packages, &["loose", "strict-off", "allowed"]);
    let of = |name: &str| -> Vec<String> {
        let of_package = found.iter().filter(|message| message.package == name);
        of_package.map(Message::render).collect()
    };
    let text = "ZNIGHT017: `create` takes NewUser, which derives `garde::Validate`, and the feature `garde` of znight is off: nothing validates it";
    let loose = of("loose");
    assert_eq!(loose.len(), 1, "{loose:?}");
    let place = "src/lib.rs:15:43 `NewUser`";
    let warning = format!("{place}: warning: use of deprecated constant `_::ZNIGHT017`: {text}\n");
    assert!(loose[0].starts_with(&warning), "{loose:?}");
    let strict = of("strict-off");
    assert_eq!(strict.len(), 1, "{strict:?}");
    assert!(
        strict[0].starts_with(&format!("{place}: error: {text}\n")),
        "{strict:?}"
    );
    assert_eq!(of("allowed"), [""; 0]);

    // The same source, and the feature.
    let found = said(&packages, &["validated"]);
    assert!(found.is_empty(), "{found:?}");
}
