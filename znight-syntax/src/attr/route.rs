//! Route attributes: verbs and paths.

use proc_macro2::TokenStream;
use syn::{LitStr, parse::Parser as _};
use znight_contract::{ErrorCode, path::RoutePath};

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

/// Reads the path of `#[controller("/users")]` or `#[get("/{id}")]`; nothing means `/`.
pub fn path_literal(
    args: &TokenStream,
    problems: &mut Problems,
) -> Option<(RoutePath, Option<LitStr>)> {
    if args.is_empty() {
        return Some((RoutePath::root(), None));
    }
    let parser = |input: syn::parse::ParseStream<'_>| {
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
