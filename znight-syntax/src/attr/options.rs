//! Lists of options: `scope = "request", primary, as(dyn Trait)`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Expr, Ident, Token, Type,
    ext::IdentExt as _,
    parse::{ParseStream, Parser as _},
    punctuated::Punctuated,
    token,
};
use znight_contract::suggest;

use crate::Problems;

/// One option.
#[derive(Debug)]
pub struct Opt {
    /// Its name.
    pub name: Ident,
    /// What is given for it.
    pub value: OptValue,
}

/// What is given for an option.
#[derive(Debug)]
pub enum OptValue {
    /// Nothing: `primary`.
    Flag,
    /// `name = value`.
    Value(Box<Expr>),
    /// `name(A, B)`.
    Types(Vec<Type>),
}

impl ToTokens for Opt {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.name.to_tokens(tokens);
        if let OptValue::Value(value) = &self.value {
            value.to_tokens(tokens);
        }
    }
}

/// Reads a list of options; unknown names and repetitions are reported and left out.
pub fn options(
    args: TokenStream,
    attribute: &str,
    known: &[&str],
    problems: &mut Problems,
) -> Vec<Opt> {
    let parser = |input: ParseStream<'_>| {
        let mut found = Vec::new();
        while !input.is_empty() {
            found.push(option(input)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(found)
    };
    let parsed = match parser.parse2(args) {
        Ok(parsed) => parsed,
        Err(error) => {
            problems.syntax(&error);
            return Vec::new();
        }
    };
    let mut kept: Vec<Opt> = Vec::new();
    for opt in parsed {
        let name = opt.name.unraw().to_string();
        if !known.contains(&name.as_str()) {
            let problem = problems.misuse(
                &opt.name,
                format!("`#[{attribute}]` has no option `{name}`"),
            );
            match suggest::closest(&name, known.iter().copied()) {
                Some(close) => problem.hint(format!("did you mean `{close}`?")),
                None => problem.hint(format!("its options are {}", list(known))),
            };
        } else if kept.iter().any(|earlier| earlier.name == opt.name) {
            problems.misuse(&opt.name, format!("the option `{name}` is given twice"));
        } else {
            kept.push(opt);
        }
    }
    kept
}

fn option(input: ParseStream<'_>) -> syn::Result<Opt> {
    let name = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        OptValue::Value(Box::new(input.parse()?))
    } else if input.peek(token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        OptValue::Types(
            Punctuated::<Type, Token![,]>::parse_terminated(&content)?
                .into_iter()
                .collect(),
        )
    } else {
        OptValue::Flag
    };
    Ok(Opt { name, value })
}

/// "`a`, `b` and `c`".
fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
