//! Route attributes: verbs and paths.

use proc_macro2::TokenStream;
use syn::{
    Expr, Ident, Token,
    ext::IdentExt as _,
    parse::{ParseStream, Parser as _},
    token,
};
use znight_contract::{ScopeKind, path::RoutePath};

use super::{Argument, OptValue, Values, options};
use crate::{Problems, check, symbol};

/// The HTTP method a route attribute stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verb(usize);

impl Verb {
    /// The verb of an attribute: `get` of `#[get]`.
    pub fn parse(attribute: &str) -> Option<Self> {
        symbol::VERBS
            .iter()
            .position(|(name, _)| *name == attribute)
            .map(Self)
    }

    /// The attribute's name: `get`.
    pub fn attribute(self) -> &'static str {
        symbol::VERBS[self.0].0
    }

    /// The variant's name in the run time: `Get`.
    pub fn variant(self) -> &'static str {
        symbol::VERBS[self.0].1
    }

    /// The method on the wire, `ALL` for every one: `GET`.
    pub fn method(self) -> String {
        self.attribute().to_uppercase()
    }
}

/// The path of a controller or a route.
#[derive(Debug)]
pub enum PathArg {
    /// None is given: `/`.
    Root,
    /// A path.
    Given(Argument<RoutePath>),
    /// It is wrong, which has been reported.
    Wrong,
}

impl PathArg {
    fn read(written: &Expr, values: &Values, problems: &mut Problems) -> Self {
        Argument::read(written, &check::PATH, values, problems).map_or(Self::Wrong, Self::Given)
    }

    /// The path, as far as it is known here.
    pub fn known(&self) -> Option<RoutePath> {
        match self {
            Self::Root => Some(RoutePath::root()),
            Self::Given(path) => path.known.clone(),
            Self::Wrong => None,
        }
    }

    /// The argument, where one is given.
    pub fn argument(&self) -> Option<&Argument<RoutePath>> {
        match self {
            Self::Given(path) => Some(path),
            Self::Root | Self::Wrong => None,
        }
    }
}

/// Reads the path of `#[get("/{id}")]`; nothing means `/`.
pub fn route_path(
    attribute: &str,
    args: &TokenStream,
    values: &Values,
    problems: &mut Problems,
) -> PathArg {
    if args.is_empty() {
        return PathArg::Root;
    }
    let parser = |input: ParseStream<'_>| {
        let path: Expr = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(path)
    };
    if let Ok(path) = parser.parse2(args.clone()) {
        return PathArg::read(&path, values, problems);
    }
    problems.misuse(
        args,
        format!("a route has one path: `#[{attribute}(\"/{{id}}\")]`"),
    );
    PathArg::Wrong
}

/// The arguments of `#[controller]`.
#[derive(Debug)]
pub struct ControllerArgs {
    /// The path.
    pub path: PathArg,
    /// The scope, where one is given.
    pub scope: Option<Argument<ScopeKind>>,
}

/// The only option of `#[controller]`.
const SCOPE: &str = "scope";

/// Reads `#[controller("/users", scope = "request")]`; both parts may be left out.
pub fn controller_args(
    args: &TokenStream,
    values: &Values,
    problems: &mut Problems,
) -> ControllerArgs {
    let leading = |input: ParseStream<'_>| {
        let path: Option<Expr> = if input.is_empty() || starts_option(input) {
            None
        } else {
            Some(input.parse()?)
        };
        if path.is_some() && !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() && !starts_option(input) {
                return Err(input.error("an option"));
            }
        }
        Ok((path, input.parse::<TokenStream>()?))
    };
    let Ok((path, rest)) = leading.parse2(args.clone()) else {
        problems.misuse(
            args,
            "`#[controller]` takes a path and a scope: `#[controller(\"/users\", scope = \"request\")]`",
        );
        return ControllerArgs {
            path: PathArg::Wrong,
            scope: None,
        };
    };
    let path = path.map_or(PathArg::Root, |path| PathArg::read(&path, values, problems));
    let mut scope = None;
    for opt in options(rest, "controller", &[SCOPE], problems) {
        match &opt.value {
            OptValue::Value(value) => scope = super::provider::scope(value, problems),
            _ => {
                problems.misuse(&opt, "`scope` takes a string: `scope = \"request\"`");
            }
        }
    }
    ControllerArgs { path, scope }
}

/// Whether an option comes next, rather than a path: `name =`, or the name of one.
fn starts_option(input: ParseStream<'_>) -> bool {
    let fork = input.fork();
    let Ok(name) = fork.call(Ident::parse_any) else {
        return false;
    };
    let alone = fork.is_empty() || fork.peek(Token![,]) || fork.peek(token::Paren);
    (fork.peek(Token![=]) && !fork.peek(Token![==])) || (alone && name == SCOPE)
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use super::{PathArg, Values, controller_args};
    use crate::Problems;

    #[test]
    fn a_controller_has_a_path_and_a_scope_in_every_form() {
        for (args, path, scope) in [
            ("", "", ""),
            ("\"/a\"", "\"/a\"", ""),
            ("\"/a\",", "\"/a\"", ""),
            ("BASE", "BASE", ""),
            (
                "paths::BASE, scope = \"request\"",
                "paths :: BASE",
                "\"request\"",
            ),
            (
                "Self::PATHS[0], scope = SCOPE",
                "Self :: PATHS [0]",
                "SCOPE",
            ),
            ("scope = SCOPE", "", "SCOPE"),
            ("scope == 1", "scope == 1", ""),
            ("scope::PATH", "scope :: PATH", ""),
        ] {
            let mut problems = Problems::new();
            let tokens = args.parse().expect("tokens");
            let read = controller_args(&tokens, &Values::new(), &mut problems);
            assert!(problems.is_empty(), "{args}: {problems:?}");
            let text = |tokens: Option<String>| tokens.unwrap_or_default();
            let argument = read.path.argument();
            let found = text(argument.map(|path| path.to_token_stream().to_string()));
            assert_eq!(found, path, "{args}");
            let found = text(read.scope.map(|scope| scope.to_token_stream().to_string()));
            assert_eq!(found, scope, "{args}");
        }
    }

    #[test]
    fn what_is_no_path_is_told_from_an_option() {
        for (args, message) in [
            ("scope", "`scope` takes a string: `scope = \"request\"`"),
            (
                "\"/a\" \"/b\"",
                "`#[controller]` takes a path and a scope: `#[controller(\"/users\", scope = \"request\")]`",
            ),
            (
                "A, B",
                "`#[controller]` takes a path and a scope: `#[controller(\"/users\", scope = \"request\")]`",
            ),
            ("path = \"/a\"", "`#[controller]` has no option `path`"),
        ] {
            let mut problems = Problems::new();
            let tokens = args.parse().expect("tokens");
            let read = controller_args(&tokens, &Values::new(), &mut problems);
            assert!(!matches!(read.path, PathArg::Given(_)), "{args}");
            let found = problems.into_vec();
            assert_eq!(found[0].message, message, "{args}");
        }
    }
}
