//! Rules about the values of arguments, apart from where the values come from.
//!
//! A literal is checked where it is read, the value of a constant when the build pass has evaluated
//! it: both by what stands here.

use znight_contract::{ErrorCode, ScopeKind, path::RoutePath, suggest};

/// Something wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its code.
    pub code: ErrorCode,
    /// What is wrong, one phrase in lower case without the code.
    pub message: String,
    /// What to do about it, each a phrase.
    pub hints: Vec<String>,
}

impl Finding {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hints: Vec::new(),
        }
    }

    fn misuse(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidAttribute, message)
    }

    /// The same with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// What an argument is, and the rule about its text.
#[derive(Debug)]
pub struct Rule<T> {
    /// What it is, for messages.
    pub what: &'static str,
    /// What its text stands for, or what is wrong with it.
    pub check: fn(&str) -> Result<T, Finding>,
    /// A constant it could be named by.
    pub example: &'static str,
}

/// The name of a provider, where it is provided.
pub const PROVIDER_NAME: Rule<String> = Rule {
    what: "a provider's name",
    check: provider_name,
    example: "const NAME: &str = \"audit\";",
};

/// The name of a provider, where it is asked for.
pub const QUALIFIER: Rule<String> = Rule {
    what: "the name of a provider",
    // A name nobody has is found when injections are bound.
    check: qualifier,
    example: PROVIDER_NAME.example,
};

/// A scope.
pub const SCOPE: Rule<ScopeKind> = Rule {
    what: "a scope",
    check: scope,
    example: "const SCOPE: &str = \"request\";",
};

/// The path of a controller or a route.
pub const PATH: Rule<RoutePath> = Rule {
    what: "a path",
    check: path,
    example: "const PATH: &str = \"/users\";",
};

/// That a value cannot be told, with an example of one that can.
pub fn unknown(message: impl Into<String>, example: &str) -> Finding {
    Finding::misuse(message).hint(format!(
        "write the text here, or name a constant made of literals: `{example}`"
    ))
}

/// That a value is no string: `what` it is for, and what it is.
pub fn not_a_string(what: &str, found: &str) -> Finding {
    Finding::misuse(format!("{what} is a string, not {found}"))
}

fn provider_name(text: &str) -> Result<String, Finding> {
    if text.is_empty() {
        return Err(Finding::misuse("a provider's name is not empty"));
    }
    Ok(text.to_owned())
}

fn qualifier(text: &str) -> Result<String, Finding> {
    if text.is_empty() {
        return Err(Finding::misuse("the name of a provider is not empty")
            .hint("write the name that is meant, or remove `#[inject]` to get what has no name"));
    }
    Ok(text.to_owned())
}

fn scope(text: &str) -> Result<ScopeKind, Finding> {
    ScopeKind::parse(text).ok_or_else(|| {
        let finding = Finding::misuse(format!("there is no scope `{text}`"));
        match suggest::closest(text, ScopeKind::ALL.map(ScopeKind::as_str)) {
            Some(close) => finding.hint(format!("did you mean \"{close}\"?")),
            None => finding.hint("scopes are \"singleton\", \"request\" and \"transient\""),
        }
    })
}

/// That only a singleton may be made by an `async` function.
pub fn asyncness(scope: ScopeKind) -> Option<Finding> {
    (scope != ScopeKind::Singleton).then(|| {
        Finding::new(
            ErrorCode::AsyncNonSingleton,
            format!("an async factory is awaited once, at start: its scope cannot be \"{scope}\""),
        )
        .hint(format!("make it a singleton: remove `scope = \"{scope}\"`"))
        .hint("or make the function synchronous, and await in methods of what it returns")
    })
}

fn path(text: &str) -> Result<RoutePath, Finding> {
    RoutePath::parse(text).map_err(|error| {
        // rustc points at the whole argument: the caret is drawn in the text.
        let before = text[..error.span().start].chars().count();
        let width = text[error.span().clone()].chars().count().max(1);
        Finding::new(ErrorCode::InvalidRoute, format!("invalid path: {error}"))
            .hint(format!(
                "in \"{text}\"\n    {}{}",
                " ".repeat(before),
                "^".repeat(width)
            ))
            .hint("a path is made of text, `{name}` for one segment and a final `{*name}` for the rest")
    })
}

/// What a parameter of a handler takes of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// The parameter of that name.
    Named(String),
    /// The one of its own name if there is one, else anything by way of the context; whether its type
    /// is a reference.
    Bare(String, bool),
    /// All of them.
    All,
    /// None.
    Nothing,
}

impl Takes {
    /// Whether a parameter of a handler without an attribute is one of the path.
    pub fn is_in_path(name: &str, path: &[&str]) -> bool {
        path.contains(&name)
    }
}

/// The part of a route something is wrong with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutePart {
    /// Its path.
    Path,
    /// A parameter of the handler, by its position.
    Param(usize),
}

/// That a value read from the request cannot be borrowed.
pub fn borrowed() -> Finding {
    Finding::misuse("an argument read from the request is owned")
        .hint("write `String` instead of `&str`, `Vec<u8>` or `Bytes` instead of `&[u8]`")
}

/// Compares the whole path of a route with what its handler takes.
pub fn route(
    base: &RoutePath,
    path: &RoutePath,
    handler: &str,
    params: &[Takes],
) -> Vec<(RoutePart, Finding)> {
    let joined = match base.join(path) {
        Ok(joined) => joined,
        Err(error) => {
            let finding = Finding::new(
                ErrorCode::InvalidRoute,
                format!("invalid path `{base}{path}`: {error}"),
            );
            return vec![(RoutePart::Path, finding)];
        }
    };
    let mut findings = Vec::new();
    let names: Vec<&str> = joined.params().collect();
    let mut taken = Vec::new();
    for (index, param) in params.iter().enumerate() {
        match param {
            Takes::Named(name) => {
                taken.push(name.as_str());
                if !names.contains(&name.as_str()) {
                    let finding = Finding::new(
                        ErrorCode::InvalidRoute,
                        format!("the path `{joined}` has no parameter `{name}`"),
                    );
                    let finding = match suggest::closest(name, names.iter().copied()) {
                        Some(close) => finding.hint(format!("did you mean `{close}`?")),
                        None if names.is_empty() => {
                            finding.hint(format!("write `{{{name}}}` in the path"))
                        }
                        None => finding.hint(format!("it has {}", quoted(&names))),
                    };
                    findings.push((RoutePart::Param(index), finding));
                }
            }
            Takes::Bare(name, is_borrowed) if Takes::is_in_path(name, &names) => {
                taken.push(name.as_str());
                if *is_borrowed {
                    findings.push((RoutePart::Param(index), borrowed()));
                }
            }
            Takes::All | Takes::Bare(..) => taken.extend(names.iter().copied()),
            Takes::Nothing => {}
        }
    }
    let missing: Vec<&str> = names
        .into_iter()
        .filter(|name| !taken.contains(name))
        .collect();
    if let Some(first) = missing.first() {
        let finding = Finding::new(
            ErrorCode::InvalidRoute,
            format!(
                "the path `{joined}` has {}, but the handler `{handler}` does not take it",
                quoted(&missing),
            ),
        )
        .hint(format!(
            "add a parameter: `#[param] {}: String`",
            first.trim_start_matches('*')
        ));
        findings.push((RoutePart::Path, finding));
    }
    findings
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{{{name}}}`"))
        .collect::<Vec<_>>()
        .join(" and ")
}

/// Whether a text is an HTTP token (RFC 9110, section 5.6.2), as header names are.
pub fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{RoutePart, Takes, path, route};

    #[track_caller]
    fn check(base: &str, own: &str, takes: &[Takes], expected: &[(RoutePart, &str)]) {
        let (base, own) = (path(base).expect("a path"), path(own).expect("a path"));
        let findings = route(&base, &own, "get", takes);
        let found: Vec<(RoutePart, &str)> = findings
            .iter()
            .map(|(part, finding)| (*part, finding.message.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_route_is_compared_with_what_its_handler_takes() {
        let named = |name: &str| Takes::Named(name.to_owned());
        let bare = |name: &str, borrowed| Takes::Bare(name.to_owned(), borrowed);
        check("/a/{x}", "/{y}", &[named("x"), bare("y", false)], &[]);
        check("/a/{x}", "/{y}", &[Takes::All], &[]);
        check("/a/{x}", "/", &[bare("context", true)], &[]);
        check(
            "/a/{x}",
            "/",
            &[bare("x", true)],
            &[(
                RoutePart::Param(0),
                "an argument read from the request is owned",
            )],
        );
        check(
            "/a",
            "/{x}",
            &[Takes::Nothing, named("y")],
            &[
                (
                    RoutePart::Param(1),
                    "the path `/a/{x}` has no parameter `y`",
                ),
                (
                    RoutePart::Path,
                    "the path `/a/{x}` has `{x}`, but the handler `get` does not take it",
                ),
            ],
        );
        check(
            "/a/{x}",
            "/{x}",
            &[named("x")],
            &[(
                RoutePart::Path,
                "invalid path `/a/{x}/{x}`: two parameters are named `x`",
            )],
        );
    }
}
