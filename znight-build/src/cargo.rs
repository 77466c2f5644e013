//! What Cargo tells a build script, and what the script tells Cargo.
#![expect(
    clippy::print_stdout,
    reason = "directives to Cargo are lines on standard output"
)]

use std::{collections::BTreeSet, env, path::PathBuf};

use znight_compiler::cfg::Cfg;

/// The environment of a build script.
#[derive(Debug)]
pub(crate) struct Cargo {
    /// The package: `CARGO_MANIFEST_DIR`.
    pub(crate) package: PathBuf,
    /// Where to write: `OUT_DIR`.
    pub(crate) out: PathBuf,
    /// What is switched on.
    pub(crate) cfg: Cfg,
    /// The features of the package, with commas between them.
    pub(crate) features: String,
    /// The platform that is built for.
    pub(crate) target: String,
    /// Whether the crate is built without optimisation.
    pub(crate) unoptimised: bool,
}

impl Cargo {
    /// Reads the environment.
    pub(crate) fn from_env() -> Result<Self, String> {
        let path = |name: &str| {
            env::var_os(name).map(PathBuf::from).ok_or_else(|| {
                format!(
                    "{name} is not set: `znight_build::compile()` is called from a build script"
                )
            })
        };
        Ok(Self {
            package: path("CARGO_MANIFEST_DIR")?,
            out: path("OUT_DIR")?,
            cfg: cfg(env::vars()),
            features: env::var("CARGO_CFG_FEATURE").unwrap_or_default(),
            target: env::var("TARGET").unwrap_or_default(),
            unoptimised: env::var("OPT_LEVEL").is_ok_and(|level| level == "0"),
        })
    }
}

/// `CARGO_CFG_*` and `CARGO_FEATURE_*` as a configuration.
fn cfg(vars: impl Iterator<Item = (String, String)>) -> Cfg {
    let mut cfg = Cfg::new();
    for (name, value) in vars {
        if let Some(feature) = name.strip_prefix("CARGO_FEATURE_") {
            cfg = cfg.feature(feature);
        } else if let Some(key) = name.strip_prefix("CARGO_CFG_") {
            let key = key.to_lowercase();
            // A name without a value, and a value without a name, look alike: both are switched on.
            cfg = cfg.name(&key);
            for part in value.split(',') {
                cfg = cfg.pair(&key, part);
            }
        }
    }
    cfg
}

/// Tells Cargo when to run the script again.
pub(crate) fn watch(paths: &BTreeSet<PathBuf>) {
    for path in paths {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// Says something that does not fail the build.
pub(crate) fn warn(text: &str) {
    for line in text.lines() {
        println!("cargo::warning={line}");
    }
}

/// Fails the build with a message.
pub(crate) fn fail(problem: &str) {
    for line in problem.lines() {
        println!("cargo::error={line}");
    }
}

#[cfg(test)]
mod tests {
    use znight_compiler::cfg::{Condition, World};

    use super::cfg;

    #[test]
    fn variables_become_conditions() {
        let vars = [
            ("CARGO_CFG_UNIX", ""),
            ("CARGO_CFG_TARGET_FAMILY", "unix,wasm"),
            ("CARGO_CFG_FEATURE", "my-sql"),
            ("CARGO_FEATURE_MY_SQL", "1"),
            ("PATH", "x"),
        ];
        let cfg = cfg(vars
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        for (text, expected) in [
            ("unix", true),
            ("windows", false),
            ("target_family = \"wasm\"", true),
            ("feature = \"my-sql\"", true),
            ("feature = \"other\"", false),
        ] {
            let condition = Condition::read(text.parse().expect(text));
            assert_eq!(
                cfg.allows(&[condition], World::Production),
                expected,
                "{text}"
            );
        }
    }
}
