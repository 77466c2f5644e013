//! Conditional compilation, three-valued.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

/// Which of two programs is looked at: `cfg(test)` is on in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum World {
    /// What users run.
    Production,
    /// The unit tests of the crate.
    Test,
}

impl World {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Production, Self::Test];
}

/// What is known about the configuration, as Cargo tells a build script.
#[derive(Debug, Clone, Default)]
pub struct Cfg {
    names: BTreeSet<String>,
    own: BTreeSet<String>,
    pairs: BTreeSet<(String, String)>,
    features: BTreeSet<String>,
}

/// Names that are off when Cargo does not list them; any other name may come from the package's own
/// build script and is unknown.
const KNOWN: &[&str] = &[
    "feature",
    "unix",
    "windows",
    "panic",
    "proc_macro",
    "target_abi",
    "target_arch",
    "target_endian",
    "target_env",
    "target_family",
    "target_feature",
    "target_has_atomic",
    "target_os",
    "target_pointer_width",
    "target_thread_local",
    "target_vendor",
    "doctest",
    "miri",
    "relocation_model",
    "sanitize",
    "ub_checks",
    "fmt_debug",
];

impl Cfg {
    /// Nothing is on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Turns on a name: `unix`.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.names.insert(name.to_owned());
        self
    }

    /// Turns on a name that the package's own build script sets.
    #[must_use]
    pub fn own_name(mut self, name: &str) -> Self {
        self.own.insert(name.to_owned());
        self
    }

    /// Turns on a pair: `target_os = "linux"`.
    #[must_use]
    pub fn pair(mut self, name: &str, value: &str) -> Self {
        self.pairs.insert((name.to_owned(), value.to_owned()));
        self
    }

    /// Turns on a feature of the package, written as in `Cargo.toml` or as in `CARGO_FEATURE_..`.
    #[must_use]
    pub fn feature(mut self, name: &str) -> Self {
        self.features.insert(feature_key(name));
        self
    }

    /// The same for another package: features, and what the build script sets, are each package's own.
    #[must_use]
    pub fn of_another_package(&self) -> Self {
        Self {
            features: BTreeSet::new(),
            own: BTreeSet::new(),
            ..self.clone()
        }
    }

    /// Whether an item with these conditions exists: present unless provably off.
    pub fn allows(&self, conditions: &[Condition], world: World) -> bool {
        conditions
            .iter()
            .all(|condition| self.evaluate(condition, world) != Some(false))
    }

    /// The first condition that is off.
    pub fn culprit<'a>(&self, conditions: &'a [Condition], world: World) -> Option<&'a Condition> {
        conditions
            .iter()
            .find(|condition| self.evaluate(condition, world) == Some(false))
    }

    fn evaluate(&self, condition: &Condition, world: World) -> Option<bool> {
        match condition {
            Condition::All(parts) => parts
                .iter()
                .try_fold(true, |all, part| match self.evaluate(part, world) {
                    Some(false) => Err(()),
                    Some(true) => Ok(all),
                    None => Ok(false),
                })
                .map_or(Some(false), |all| all.then_some(true)),
            Condition::Any(parts) => parts
                .iter()
                .try_fold(false, |unknown, part| match self.evaluate(part, world) {
                    Some(true) => Err(()),
                    Some(false) => Ok(unknown),
                    None => Ok(true),
                })
                .map_or(Some(true), |unknown| (!unknown).then_some(false)),
            Condition::Not(part) => self.evaluate(part, world).map(|on| !on),
            Condition::Constant(on) => Some(*on),
            Condition::Name(name) if name == "test" => Some(world == World::Test),
            // Documentation is built from the production program.
            Condition::Name(name) if name == "doc" => Some(false),
            Condition::Name(name) => {
                if self.names.contains(name) || self.own.contains(name) {
                    Some(true)
                } else {
                    KNOWN.contains(&name.as_str()).then_some(false)
                }
            }
            Condition::Pair(name, value) if name == "feature" => {
                Some(self.features.contains(&feature_key(value)))
            }
            Condition::Pair(name, value) => {
                if self.pairs.contains(&(name.clone(), value.clone())) {
                    Some(true)
                } else {
                    KNOWN.contains(&name.as_str()).then_some(false)
                }
            }
            Condition::Unknown => None,
        }
    }
}

/// Cargo gives features to build scripts in this form.
fn feature_key(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}

/// One `cfg` predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `all(..)`
    All(Vec<Self>),
    /// `any(..)`
    Any(Vec<Self>),
    /// `not(..)`
    Not(Box<Self>),
    /// `true`, `false`
    Constant(bool),
    /// `unix`
    Name(String),
    /// `feature = "sql"`
    Pair(String, String),
    /// Something newer than this crate.
    Unknown,
}

impl Condition {
    /// Reads the predicate inside `cfg(..)`.
    pub fn read(tokens: TokenStream) -> Self {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        match &trees[..] {
            [TokenTree::Ident(name)] if name == "true" => Self::Constant(true),
            [TokenTree::Ident(name)] if name == "false" => Self::Constant(false),
            [TokenTree::Ident(name)] => Self::Name(name.to_string()),
            [
                TokenTree::Ident(name),
                TokenTree::Punct(equals),
                TokenTree::Literal(value),
            ] if equals.as_char() == '=' => {
                match syn::parse_str::<syn::LitStr>(&value.to_string()) {
                    Ok(value) => Self::Pair(name.to_string(), value.value()),
                    Err(_) => Self::Unknown,
                }
            }
            [TokenTree::Ident(name), TokenTree::Group(parts)] => {
                let mut parts = Self::read_list(parts.stream());
                match name.to_string().as_str() {
                    "all" => Self::All(parts),
                    "any" => Self::Any(parts),
                    "not" => Self::Not(Box::new(parts.pop().unwrap_or(Self::Unknown))),
                    _ => Self::Unknown,
                }
            }
            _ => Self::Unknown,
        }
    }

    fn read_list(tokens: TokenStream) -> Vec<Self> {
        let mut parts = vec![TokenStream::new()];
        for tree in tokens {
            match &tree {
                TokenTree::Punct(comma) if comma.as_char() == ',' => parts.push(TokenStream::new()),
                _ => parts
                    .last_mut()
                    .expect("invariant: never empty")
                    .extend([tree]),
            }
        }
        parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(Self::read)
            .collect()
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |parts: &[Self]| {
            parts
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Self::All(parts) => write!(f, "all({})", list(parts)),
            Self::Any(parts) => write!(f, "any({})", list(parts)),
            Self::Not(part) => write!(f, "not({part})"),
            Self::Constant(on) => write!(f, "{on}"),
            Self::Name(name) => f.write_str(name),
            Self::Pair(name, value) => write!(f, "{name} = \"{value}\""),
            Self::Unknown => f.write_str(".."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cfg, Condition, World};

    #[test]
    fn predicates_are_present_unless_provably_off() {
        let cfg = Cfg::new()
            .name("unix")
            .pair("target_os", "linux")
            .feature("my-sql");
        for (text, production, test) in [
            ("unix", true, true),
            ("windows", false, false),
            ("test", false, true),
            ("not(test)", true, false),
            ("feature = \"my-sql\"", true, true),
            ("feature = \"other\"", false, false),
            ("target_os = \"linux\"", true, true),
            ("target_os = \"macos\"", false, false),
            ("custom", true, true),
            ("not(custom)", true, true),
            ("all(custom, windows)", false, false),
            ("any(custom, windows)", true, true),
            ("all()", true, true),
            ("any()", false, false),
            ("all(unix, any(test, feature = \"my-sql\"))", true, true),
            ("true", true, true),
            ("false", false, false),
        ] {
            let condition = Condition::read(text.parse().expect(text));
            let conditions = std::slice::from_ref(&condition);
            assert_eq!(
                cfg.allows(conditions, World::Production),
                production,
                "{text}"
            );
            assert_eq!(cfg.allows(conditions, World::Test), test, "{text}");
            assert_eq!(condition.to_string(), text);
        }
    }
}
