//! Arguments whose value must be known before anything is compiled: names, scopes, paths.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, Lit};

use crate::{
    Problems,
    check::{self, Rule},
    tokens::flatten,
};

/// An argument: a literal, whose value is known here, or a constant expression, which the build pass
/// evaluates.
#[derive(Debug, Clone)]
pub struct Argument<T> {
    /// Its value; none for an expression nobody has evaluated yet.
    pub known: Option<T>,
    /// How it is written.
    pub written: Box<Expr>,
}

/// The texts of expressions that have been evaluated, by their keys.
#[derive(Debug, Clone, Default)]
pub struct Values(BTreeMap<u64, String>);

impl FromIterator<(u64, String)> for Values {
    fn from_iter<I: IntoIterator<Item = (u64, String)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Values {
    /// None.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// The text of the expression with that key.
    pub fn get(&self, key: u64) -> Option<&str> {
        self.0.get(&key).map(String::as_str)
    }
}

impl<T> Argument<T> {
    /// Reads an argument by a rule about its text; none when a literal breaks it, which is reported.
    pub fn read(
        written: &Expr,
        rule: &Rule<T>,
        values: &Values,
        problems: &mut Problems,
    ) -> Option<Self> {
        let read = match literal(written) {
            Some(Lit::Str(text)) => Some((rule.check)(&text.value())),
            Some(other) => Some(Err(check::not_a_string(rule.what, &describe(other)))),
            None => None,
        };
        let mut argument = Self {
            known: None,
            written: Box::new(written.clone()),
        };
        match read {
            Some(Ok(value)) => argument.known = Some(value),
            Some(Err(finding)) => {
                problems.finding(written, finding);
                return None;
            }
            None => {
                let text = argument.key().and_then(|key| values.get(key));
                argument.known = text.and_then(|text| (rule.check)(text).ok());
            }
        }
        Some(argument)
    }

    /// What tells expressions of one item apart, the same in the build pass and in a macro; none for a
    /// literal.
    pub fn key(&self) -> Option<u64> {
        match literal(&self.written) {
            Some(_) => None,
            None => Some(flatten(self.written.to_token_stream()).fingerprint),
        }
    }
}

impl<T> ToTokens for Argument<T> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.written.to_tokens(tokens);
    }
}

fn literal(written: &Expr) -> Option<&Lit> {
    match written {
        Expr::Lit(literal) => Some(&literal.lit),
        // What `macro_rules!` hands on as `$path:expr`.
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

fn describe(literal: &Lit) -> String {
    match literal {
        Lit::Int(_) | Lit::Float(_) => format!("the number {}", literal.to_token_stream()),
        Lit::Char(_) => format!("the character {}", literal.to_token_stream()),
        other => format!("`{}`", other.to_token_stream()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Argument, Values};
    use crate::{Problems, check};

    fn read(written: &str, values: &Values) -> (Option<Argument<String>>, Vec<String>) {
        let mut problems = Problems::new();
        let written = syn::parse_str(written).expect("an expression");
        let read = Argument::read(&written, &check::PROVIDER_NAME, values, &mut problems);
        let messages = problems.into_vec().into_iter();
        (read, messages.map(|problem| problem.message).collect())
    }

    #[test]
    fn a_literal_is_known_and_checked_where_it_is_read() {
        let (read_text, problems) = read("\"audit\"", &Values::new());
        let argument = read_text.expect("a name");
        assert_eq!(argument.known.as_deref(), Some("audit"));
        assert_eq!((argument.key(), problems), (None, Vec::new()));
        for (written, message) in [
            ("\"\"", "a provider's name is not empty"),
            ("7", "a provider's name is a string, not the number 7"),
            ("true", "a provider's name is a string, not `true`"),
            (
                "'a'",
                "a provider's name is a string, not the character 'a'",
            ),
        ] {
            let (read, problems) = read(written, &Values::new());
            assert!(read.is_none(), "{written}");
            assert_eq!(problems, [message]);
        }
    }

    #[test]
    fn an_expression_is_known_once_it_has_been_evaluated() {
        let (open, problems) = read("names::AUDIT", &Values::new());
        let open = open.expect("an expression");
        assert_eq!((&open.known, problems), (&None, Vec::new()));
        let key = open.key().expect("a key");
        let values: Values = [(key, "audit".to_owned())].into_iter().collect();
        let (known, _) = read("names :: AUDIT", &values);
        let known = known.expect("the same expression");
        assert_eq!(
            known.known.as_deref(),
            Some("audit"),
            "layout is no part of it"
        );
    }
}
