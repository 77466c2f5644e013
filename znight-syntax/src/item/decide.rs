//! Route decisions: `#[decide(ROLES = &["admin"])]`, `#[decide(PUBLIC)]`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Attribute, Expr, Path, Token,
    parse::{Parse, ParseStream, Parser as _},
    punctuated::Punctuated,
};

use super::inner;
use crate::Problems;

/// The name of the attribute.
pub(super) const DECIDE: &str = "decide";

/// One decision that is taken.
#[derive(Debug, Clone)]
pub struct Decide {
    /// The const that defines it.
    pub decision: Path,
    /// Its value; none for a flag.
    pub value: Option<Expr>,
}

impl Decide {
    /// The decisions of an attribute.
    pub(super) fn read(attribute: &Attribute, problems: &mut Problems) -> Vec<Self> {
        let parser = Punctuated::<Self, Token![,]>::parse_terminated;
        match parser.parse2(inner::args(attribute)) {
            Ok(decisions) if !decisions.is_empty() => decisions.into_iter().collect(),
            _ => {
                problems
                    .misuse(
                        attribute,
                        "`#[decide]` takes decisions, each with its value: `#[decide(ROLES = &[\"admin\"])]`",
                    )
                    .hint("a decision made by `Decision::flag` has none: `#[decide(PUBLIC)]`");
                Vec::new()
            }
        }
    }
}

impl Parse for Decide {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let decision = input.parse()?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { decision, value })
    }
}

/// As it is named: by its const.
impl ToTokens for Decide {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.decision.to_tokens(tokens);
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;
    use syn::parse_quote;

    use super::Decide;
    use crate::Problems;

    fn read(attribute: &syn::Attribute) -> (Vec<String>, Vec<String>) {
        let mut problems = Problems::new();
        let read = Decide::read(attribute, &mut problems);
        let shown = read.iter().map(|decide| {
            let value = decide.value.as_ref();
            let value = value.map(|value| format!(" = {}", value.to_token_stream()));
            format!("{}{}", decide.to_token_stream(), value.unwrap_or_default())
        });
        let messages = problems.into_vec().into_iter();
        (
            shown.collect(),
            messages.map(|problem| problem.message).collect(),
        )
    }

    #[test]
    fn decisions_have_values_unless_they_are_flags() {
        for (attribute, expected) in [
            (parse_quote!(#[decide(PUBLIC)]), vec!["PUBLIC"]),
            (
                parse_quote!(#[decide(auth::ROLES = &["admin"])]),
                vec!["auth :: ROLES = & [\"admin\"]"],
            ),
            (
                parse_quote!(#[decide(Self::TAG = Self::A, LIMIT = 5 + 1,)]),
                vec!["Self :: TAG = Self :: A", "LIMIT = 5 + 1"],
            ),
        ] {
            let (found, problems) = read(&attribute);
            assert_eq!(found, expected);
            assert!(problems.is_empty(), "{problems:?}");
        }
    }

    #[test]
    fn what_is_no_decision_is_told() {
        for attribute in [
            parse_quote!(#[decide]),
            parse_quote!(#[decide()]),
            parse_quote!(#[decide("public")]),
            parse_quote!(#[decide(ROLES =)]),
            parse_quote!(#[decide(ROLES: 5)]),
        ] {
            let (found, problems) = read(&attribute);
            assert!(found.is_empty());
            assert_eq!(
                problems,
                [
                    "`#[decide]` takes decisions, each with its value: `#[decide(ROLES = &[\"admin\"])]`"
                ]
            );
        }
    }
}
