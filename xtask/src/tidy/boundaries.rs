//! Which crate may depend on which.

use super::Finding;
use crate::workspace::Package;

/// What a crate of the workspace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// What build time and run time agree on.
    Contract,
    /// The attribute models.
    Syntax,
    /// The analysis.
    Compiler,
    /// The build script entry and the command line.
    Front,
    /// The attribute macros.
    Macros,
    /// The run time.
    Core,
    /// A capability on top of the run time.
    Feature,
    /// What applications name.
    Facade,
    /// Nobody depends on it: chores, examples, benchmarks, fixtures.
    Leaf,
}

/// Every `znight` crate has a line here; a new one is placed by adding it.
const ROLES: &[(&str, Role)] = &[
    ("znight", Role::Facade),
    ("znight-benches", Role::Leaf),
    ("znight-build", Role::Front),
    ("znight-cli", Role::Front),
    ("znight-compiler", Role::Compiler),
    ("znight-config", Role::Feature),
    ("znight-contract", Role::Contract),
    ("znight-core", Role::Core),
    ("znight-http", Role::Feature),
    ("znight-macros", Role::Macros),
    ("znight-messaging", Role::Feature),
    ("znight-observability", Role::Feature),
    ("znight-openapi", Role::Feature),
    ("znight-schedule", Role::Feature),
    ("znight-syntax", Role::Syntax),
    ("znight-testing", Role::Feature),
    ("znight-tests", Role::Leaf),
];

/// Edges between feature crates that exist all the same.
const BETWEEN_FEATURES: &[(&str, &str)] = &[("znight-openapi", "znight-http")];

/// Crates that read Rust: they have no business in a running application.
const PARSERS: &[&str] = &["syn", "quote", "proc-macro2", "prettyplease"];

/// Crates that serve: the core knows the types of a request, not who receives it.
const SERVERS: &[&str] = &[
    "actix-web",
    "axum",
    "axum-core",
    "h2",
    "h3",
    "hyper",
    "hyper-util",
    "tower-http",
];

/// Clients of brokers: they compile with their feature only.
const CLIENTS: &[&str] = &["aws-sdk-sqs", "lapin", "rdkafka"];

impl Role {
    fn of(name: &str) -> Option<Self> {
        if name != "znight" && !name.starts_with("znight-") {
            return Some(Self::Leaf);
        }
        ROLES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, role)| *role)
    }

    /// The roles a crate of this role may depend on.
    fn below(self) -> &'static [Self] {
        match self {
            Self::Contract => &[],
            Self::Syntax | Self::Core => &[Self::Contract],
            Self::Compiler | Self::Macros => &[Self::Contract, Self::Syntax],
            Self::Front => &[Self::Contract, Self::Syntax, Self::Compiler],
            Self::Feature => &[Self::Contract, Self::Core],
            Self::Facade => &[Self::Contract, Self::Core, Self::Feature, Self::Macros],
            Self::Leaf => &[
                Self::Contract,
                Self::Syntax,
                Self::Compiler,
                Self::Front,
                Self::Macros,
                Self::Core,
                Self::Feature,
                Self::Facade,
            ],
        }
    }

    /// Whether it is compiled into applications.
    fn runs(self) -> bool {
        matches!(self, Self::Core | Self::Feature | Self::Facade)
    }
}

/// Checks every dependency outside of tests, the features of the contract, and the metadata that
/// publication needs.
pub(super) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        match Role::of(&package.name) {
            Some(role) => {
                dependencies(package, role, packages, &mut findings);
                release(package, role, packages, &mut findings);
            }
            None => findings.push(format!(
                "{}: say what kind of crate it is in xtask/src/tidy/boundaries.rs",
                package.name
            )),
        }
    }
    findings
}

fn dependencies(package: &Package, role: Role, packages: &[Package], findings: &mut Vec<Finding>) {
    let name = &package.name;
    if role == Role::Contract && !package.features.is_empty() {
        findings.push(format!("{name}: the contract has no features"));
    }
    for dependency in package
        .dependencies
        .iter()
        .filter(|dependency| !dependency.dev)
    {
        let needed = dependency.name.as_str();
        let ours = packages.iter().find(|package| package.name == needed);
        if role == Role::Contract {
            findings.push(format!(
                "{name}: the contract has no dependencies, not even {needed}"
            ));
        } else if let Some(other) = ours {
            let allowed = Role::of(needed).is_some_and(|below| role.below().contains(&below))
                || BETWEEN_FEATURES.contains(&(name, needed))
                || of_one_example(package, other);
            if !allowed {
                findings.push(format!("{name}: it must not depend on {needed}"));
            }
        } else if role.runs() && PARSERS.contains(&needed) {
            findings.push(format!("{name}: {needed} must not get into applications"));
        } else if role == Role::Core && SERVERS.contains(&needed) {
            findings.push(format!("{name}: the core knows no server, so not {needed}"));
        } else if CLIENTS.contains(&needed) && !dependency.optional {
            findings.push(format!(
                "{name}: {needed} must be optional, behind its feature"
            ));
        }
    }
}

/// Whether both are parts of one example or test: `examples/monorepo/mail` and
/// `examples/monorepo/accounts`.
fn of_one_example(package: &Package, other: &Package) -> bool {
    let example = package.directory.parent();
    (package.directory.starts_with("examples") || package.directory.starts_with("tests"))
        && example == other.directory.parent()
        && example.is_some_and(|example| example.components().count() == 2)
}

fn release(package: &Package, role: Role, packages: &[Package], findings: &mut Vec<Finding>) {
    let name = &package.name;
    if role == Role::Leaf {
        if package.published {
            findings.push(format!("{name}: it needs `publish = false`"));
        }
        return;
    }
    if package.description.is_none() {
        findings.push(format!("{name}: it needs a description to be published"));
    }
    let line = packages
        .iter()
        .find(|package| package.name == "znight-contract");
    if let Some(contract) = line
        && contract.version != package.version
    {
        findings.push(format!(
            "{name}: version {} is not that of the workspace, {}",
            package.version, contract.version
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::{Dependency, Package};

    fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            description: Some("x".to_owned()),
            published: name.starts_with("znight"),
            dependencies: dependencies
                .iter()
                .map(|dependency| Dependency {
                    name: dependency
                        .trim_start_matches("dev:")
                        .trim_end_matches('?')
                        .to_owned(),
                    dev: dependency.starts_with("dev:"),
                    optional: dependency.ends_with('?'),
                })
                .collect(),
            ..Package::default()
        }
    }

    fn findings(packages: &[Package]) -> String {
        check(packages).join("\n")
    }

    #[test]
    fn a_sound_workspace_has_no_findings() {
        let packages = [
            package("znight-contract", &["dev:proptest"]),
            package("znight-syntax", &["syn", "znight-contract"]),
            package("znight-compiler", &["syn", "znight-syntax"]),
            package("znight-macros", &["syn", "znight-syntax"]),
            package(
                "znight-core",
                &["http", "tokio", "znight-contract", "dev:hyper"],
            ),
            package(
                "znight-http",
                &["hyper", "znight-core", "dev:znight-macros"],
            ),
            package("znight-openapi", &["znight-core", "znight-http"]),
            package("znight-messaging", &["znight-core", "lapin?"]),
            package("znight", &["znight-core", "znight-http", "znight-macros"]),
            package("xtask", &["znight-compiler", "znight"]),
        ];
        assert_eq!(findings(&packages), "");
    }

    #[test]
    fn each_forbidden_edge_is_found() {
        let packages = [
            package("znight-contract", &["serde"]),
            package("znight-syntax", &["znight-contract"]),
            package("znight-compiler", &["znight-core"]),
            package("znight-core", &["hyper", "syn"]),
            package("znight-http", &["znight-config", "znight-syntax"]),
            package("znight-config", &["znight-core"]),
            package("znight-macros", &["znight-compiler"]),
            package("znight-messaging", &["lapin", "bench-http"]),
            package("bench-http", &[]),
        ];
        assert_eq!(
            findings(&packages),
            "znight-contract: the contract has no dependencies, not even serde\n\
             znight-compiler: it must not depend on znight-core\n\
             znight-core: the core knows no server, so not hyper\n\
             znight-core: syn must not get into applications\n\
             znight-http: it must not depend on znight-config\n\
             znight-http: it must not depend on znight-syntax\n\
             znight-macros: it must not depend on znight-compiler\n\
             znight-messaging: lapin must be optional, behind its feature\n\
             znight-messaging: it must not depend on bench-http"
        );
    }

    #[test]
    fn parts_of_one_example_may_use_each_other() {
        let part = |name: &str, directory: &str, dependencies: &[&str]| Package {
            directory: directory.into(),
            ..package(name, dependencies)
        };
        let packages = [
            part("shop", "examples/shop", &["api"]),
            part("api", "examples/house/api", &["store"]),
            part("store", "examples/house/store", &[]),
        ];
        assert_eq!(findings(&packages), "shop: it must not depend on api");
    }

    #[test]
    fn features_versions_and_publication_are_checked() {
        let mut contract = package("znight-contract", &[]);
        contract.features = vec!["std".to_owned()];
        let mut core = package("znight-core", &[]);
        core.version = "0.2.0".to_owned();
        core.description = None;
        let mut example = package("rest-api", &[]);
        example.published = true;
        let unknown = package("znight-magic", &[]);
        assert_eq!(
            findings(&[contract, core, example, unknown]),
            "znight-contract: the contract has no features\n\
             znight-core: it needs a description to be published\n\
             znight-core: version 0.2.0 is not that of the workspace, 0.1.0\n\
             rest-api: it needs `publish = false`\n\
             znight-magic: say what kind of crate it is in xtask/src/tidy/boundaries.rs"
        );
    }
}
