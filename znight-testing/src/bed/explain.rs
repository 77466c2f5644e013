//! Why a bed has nothing for a dependency, and what to do about it.

use std::collections::BTreeSet;

use znight_core::{
    __private::{Entry, assembly::Defined, short_name},
    Error, ErrorCode, Source,
};

use super::{
    need::{Form, Need, Wanted},
    supply::{Supply, display},
};

/// Who is injected.
pub(super) struct Requirer {
    /// `UserService (src/users/service.rs:12)`.
    described: String,
    /// The name of its crate.
    krate: String,
    /// Whether that is the crate of the graph, or a library of it.
    own: bool,
    source: Option<Source>,
}

impl Requirer {
    fn new(package: &str, display: &str, token: &str, source: Option<Source>) -> Self {
        Self {
            own: krate(token) == package.replace('-', "_"),
            described: match source {
                Some(source) => format!("{display} ({source})"),
                None => display.to_owned(),
            },
            krate: krate(token).to_owned(),
            source,
        }
    }

    pub(super) fn of_entry(package: &str, entry: &'static Entry) -> Self {
        Self::new(package, entry.display, entry.token, entry.source)
    }

    pub(super) fn of_defined(package: &str, defined: &Defined) -> Self {
        Self::new(
            package,
            defined.display(),
            defined.token(),
            defined.source(),
        )
    }
}

/// The crate a path begins with; without the version that a token may have beside it.
fn krate(path: &str) -> &str {
    let first = path.split("::").next().unwrap_or(path);
    first.split('@').next().unwrap_or(first)
}

/// Why there is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It is no trait.
    NoTrait,
    /// The trait is of the crate that is injected with it, and has no mock.
    Unmarked,
    /// The trait is of another crate, and has no mock.
    Foreign,
    /// The glue of the provider was compiled without mocks.
    NoMocks,
    /// It is injected by value, and what was given is shared.
    NotCloned,
    /// As many were given.
    Several(usize),
}

/// Why a bed makes nothing of its own for a position.
pub(super) fn why(need: &Need, requirer: &Requirer) -> Why {
    match need.wanted {
        Wanted::Unsaid => Why::NoMocks,
        Wanted::Type { type_name, .. } => match trait_path(type_name) {
            Some(path) if krate(path) == requirer.krate => Why::Unmarked,
            Some(_) => Why::Foreign,
            None => Why::NoTrait,
        },
    }
}

/// The path of the trait of a `dyn Trait`, with its arguments.
fn trait_path(type_name: &str) -> Option<&str> {
    let object = type_name.strip_prefix("dyn ")?;
    Some(object.split(" + ").next().unwrap_or(object))
}

/// ZNIGHT001 for one position.
pub(super) fn error(
    need: &Need,
    candidates: &[&'static Entry],
    requirer: &Requirer,
    why: Why,
) -> Error {
    let (type_name, name) = match need.wanted {
        Wanted::Type {
            type_name, name, ..
        } => (type_name, name),
        Wanted::Unsaid => match *candidates {
            [entry] => (entry.display, entry.name),
            _ => ("a dependency", None),
        },
    };
    let wanted = display(type_name, name);
    let short = short_name(type_name);
    let reason = match why {
        Why::NoTrait => "only traits are mocked".to_owned(),
        Why::Unmarked => "the trait has no mock".to_owned(),
        Why::Foreign => "the trait is of another crate and has no mock here".to_owned(),
        Why::NoMocks => format!("`{}` was compiled without mocks", requirer.krate),
        Why::NotCloned => {
            "it is injected by value, and a value that is shared was given".to_owned()
        }
        Why::Several(count) => format!("{count} were given for it"),
    };
    let error = Error::new(
        ErrorCode::MissingProvider,
        format!(
            "a test bed has no {wanted} for {}: {reason}",
            requirer.described
        ),
    )
    .with_place(requirer.source);
    let provide = provide(need.kind, &short, name);
    let real = candidates.first().map(|entry| match name {
        // What a method of a factory makes is known by what was asked for: its display name is no type.
        Some(name) => format!("`.real_named::<{}>({name:?})`", type_of(entry, &short)),
        None => format!("`.real::<{}>()`", type_of(entry, &short)),
    });
    let or_real = |error: Error| match &real {
        Some(real) => error.with_hint(format!("have it made by its own constructor: {real}")),
        None => error,
    };
    let error = match why {
        Why::NoTrait => or_real(error.with_hint(format!("give one: {provide}"))),
        Why::Unmarked => or_real(
            error
                .with_hint(format!(
                    "mark the trait, above `#[async_trait]` if it has that: `#[mockable] trait {} ..`",
                    short.trim_start_matches("dyn ")
                ))
                .with_hint(format!("or give one: {provide}")),
        ),
        Why::Foreign => {
            let path = trait_path(type_name).unwrap_or(type_name);
            let krate = krate(path);
            let error = if ["core", "alloc", "std"].contains(&krate) {
                error
            } else {
                error.with_hint(format!(
                    "if `{krate}` is yours, mark the trait with `#[mockable]`, and turn on its mocks in \
                     `[dev-dependencies]`: `{krate} = {{ .., features = [\"testing\"] }}`"
                ))
            };
            or_real(error.with_hint(format!(
                "for a trait that is not yours, write the mock and give it with {provide}:\n{}",
                skeleton(path)
            )))
        }
        Why::NoMocks => {
            let traits: Vec<String> = candidates
                .iter()
                .flat_map(|entry| entry.provider.coerce)
                .map(|coerce| short_name((coerce.name)()))
                .collect();
            let error = match &traits[..] {
                [] => error.with_hint(format!("give one: {provide}")),
                [one] => error.with_hint(format!(
                    "give one: {}",
                    self::provide(need.kind, one, None)
                )),
                several => error.with_hint(format!(
                    "give one as what it is injected as: {}",
                    several.join(", ")
                )),
            };
            let package = requirer.krate.replace('_', "-");
            let path = if requirer.own { "path = \".\"" } else { ".." };
            or_real(error.with_hint(format!(
                "other crates, `tests/` among them, see the mocks of {package} through its feature `testing`; in its \
                 Cargo.toml:\n[features]\ntesting = [\"dep:mockall\"]\n[dependencies]\n\
                 mockall = {{ version = \"{MOCKALL}\", optional = true }}\n\
                 and where it is used:\n[dev-dependencies]\n{package} = {{ {path}, features = [\"testing\"] }}",
            )))
        }
        Why::NotCloned => error
            .with_hint(format!("give one to clone: `.provide_clone::<{short}>(..)`"))
            .with_hint(format!(
                "or a function: `.provide_factory::<{short}, _>(|_| Ok(Arc::new(..)))`"
            )),
        Why::Several(_) => error
            .with_hint("give it once; several are the members of a `Vec<..>`".to_owned())
            .with_hint("to replace what a shared function gives, use `override_value`"),
    };
    match need.external {
        Some(plugin) if !plugin.is_empty() => error.with_hint(format!(
            "in the application {plugin} supplies it, and a bed has no plugins"
        )),
        _ => error,
    }
}

/// The release of mockall that messages name.
const MOCKALL: &str = "0.15";

/// The call that gives what is missing.
fn provide(kind: Form, short: &str, name: Option<&str>) -> String {
    match (kind, name) {
        (Form::Value, None) => format!("`.provide_clone::<{short}>(..)`"),
        (Form::Value, Some(name)) => format!("`.provide_clone_named::<{short}>({name:?}, ..)`"),
        (_, None) => format!("`.provide_value::<{short}>(Arc::new(..))`"),
        (_, Some(name)) => format!("`.provide_named::<{short}>({name:?}, Arc::new(..))`"),
    }
}

/// The `mock!` of a trait that is not the user's.
fn skeleton(path: &str) -> String {
    let (bare, arguments) = match path.split_once('<') {
        Some((bare, _)) => (bare, &path[bare.len()..]),
        None => (path, ""),
    };
    let name = bare.rsplit("::").next().unwrap_or(bare);
    format!(
        "mockall::mock! {{\n    pub {name} {{}}\n    impl {bare}{arguments} for {name} {{\n        \
         // its methods without bodies, below `#[async_trait]` if the trait has that\n    }}\n}}\n\
         let mut mock = Mock{name}::new();"
    )
}

/// ZNIGHT001 for what was prepared although nobody is injected with it.
pub(super) fn unused(wanted: &str, verb: &str, made: &[&str]) -> Error {
    let error = Error::new(
        ErrorCode::MissingProvider,
        format!("{wanted} is {verb}, and nothing in the test bed is injected with it"),
    )
    .with_hint("a dependency with `#[inject(\"name\")]` is told by its name: `.mock_named`, `.override_named`, `.real_named`");
    match made {
        [] => error,
        made => error.with_hint(format!("made for real here: {}", made.join(", "))),
    }
}

/// The way out where a trait object is injected with other auto traits than it was prepared with.
pub(super) fn other_spelling(type_name: &str, asked: &BTreeSet<&'static str>) -> Option<String> {
    let wanted = trait_path(type_name)?;
    let other = asked
        .iter()
        .find(|asked| trait_path(asked) == Some(wanted) && **asked != type_name)?;
    Some(format!(
        "it is injected as `{}`, which is another type: name that",
        short_name(other)
    ))
}

/// ZNIGHT005 for a definition that is not handed out as what it is given for.
pub(super) fn mistaken(supply: &Supply) -> Error {
    let wanted = supply.display();
    Error::new(
        ErrorCode::InvalidAttribute,
        format!(
            "a definition is given for {wanted}, and does not say how it is handed out as that"
        ),
    )
    .with_hint(format!(
        "add to the definition: `.handed_out_as::<{}>(|it| it)`",
        short_name(supply.type_name)
    ))
}

/// The type a provider is made real by: its own, or for a method of a factory the one asked for.
fn type_of<'a>(entry: &'a Entry, wanted: &'a str) -> &'a str {
    let is_method = entry.display.contains("::") && !entry.display.contains('<');
    if is_method { wanted } else { entry.display }
}

#[cfg(test)]
mod tests {
    use super::{krate, skeleton, trait_path};

    #[test]
    fn a_trait_is_told_from_its_type_name() {
        assert_eq!(trait_path("shop::Users"), None);
        assert_eq!(
            trait_path("dyn tokens::Clock + core::marker::Send"),
            Some("tokens::Clock")
        );
        assert_eq!(krate("tokens@1.2.0::Clock"), "tokens");
        assert_eq!(krate("tokens::clock::Clock"), "tokens");
    }

    #[test]
    fn the_skeleton_of_a_mock_names_the_trait_with_its_arguments() {
        let text = skeleton("tokens::Store<shop::User>");
        assert!(text.contains("pub Store {}"), "{text}");
        assert!(
            text.contains("impl tokens::Store<shop::User> for Store {"),
            "{text}"
        );
        assert!(text.contains("MockStore::new()"), "{text}");
    }
}
