//! Route attributes: verbs and paths.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    LitStr,
    parse::{ParseStream, Parser as _},
};
use znight_contract::{ErrorCode, ScopeKind, path::RoutePath};

use super::{OptValue, options};
use crate::{Problems, symbol};

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

/// Reads the path of `#[get("/{id}")]`; nothing means `/`.
pub fn path_literal(
    args: &TokenStream,
    problems: &mut Problems,
) -> Option<(RoutePath, Option<LitStr>)> {
    if args.is_empty() {
        return Some((RoutePath::root(), None));
    }
    let parser = |input: ParseStream<'_>| {
        let path: LitStr = input.parse()?;
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(path)
    };
    let Ok(literal) = parser.parse2(args.clone()) else {
        problems
            .misuse(args, "a path is one string literal")
            .hint("it is read from the source before anything is compiled");
        return None;
    };
    read_path(literal, problems)
}

/// The arguments of `#[controller]`.
#[derive(Debug)]
pub struct ControllerArgs {
    /// The path, `/` without one; none when it is wrong.
    pub path: Option<(RoutePath, Option<LitStr>)>,
    /// The scope, where one is given.
    pub scope: Option<(ScopeKind, LitStr)>,
}

/// Reads `#[controller("/users", scope = "request")]`; both parts may be left out.
pub fn controller_args(args: &TokenStream, problems: &mut Problems) -> ControllerArgs {
    let leading = |input: ParseStream<'_>| {
        let path: Option<LitStr> = if input.peek(LitStr) {
            Some(input.parse()?)
        } else {
            None
        };
        if path.is_some() && !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
        }
        Ok((path, input.parse::<TokenStream>()?))
    };
    // `controller(PATH)`: the path was meant, not an option of that name.
    let is_options = |rest: &TokenStream| {
        let second = rest.clone().into_iter().nth(1);
        rest.is_empty() || matches!(second, Some(TokenTree::Punct(punct)) if punct.as_char() == '=')
    };
    let parsed = leading
        .parse2(args.clone())
        .ok()
        .filter(|(_, rest)| is_options(rest));
    let Some((literal, rest)) = parsed else {
        problems
            .misuse(args, "a path is one string literal")
            .hint("it is read from the source before anything is compiled");
        return ControllerArgs {
            path: None,
            scope: None,
        };
    };
    let path = match literal {
        Some(literal) => read_path(literal, problems),
        None => Some((RoutePath::root(), None)),
    };
    let mut scope = None;
    for opt in options(rest, "controller", &["scope"], problems) {
        match &opt.value {
            OptValue::Value(value) => scope = super::provider::scope(value, problems),
            _ => {
                problems.misuse(&opt, "`scope` takes a string: `scope = \"request\"`");
            }
        }
    }
    ControllerArgs { path, scope }
}

fn read_path(literal: LitStr, problems: &mut Problems) -> Option<(RoutePath, Option<LitStr>)> {
    let text = literal.value();
    match RoutePath::parse(&text) {
        Ok(path) => Some((path, Some(literal))),
        Err(error) => {
            // rustc points at the whole literal: the caret is drawn in the text.
            let before = text[..error.span().start].chars().count();
            let width = text[error.span().clone()].chars().count().max(1);
            problems
                .error(ErrorCode::InvalidRoute, &literal, format!("invalid path: {error}"))
                .hint(format!("in \"{text}\"\n    {}{}", " ".repeat(before), "^".repeat(width)))
                .hint("a path is made of text, `{name}` for one segment and a final `{*name}` for the rest");
            None
        }
    }
}
