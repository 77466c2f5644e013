//! Diagnostics as compiler errors and warnings on the user's tokens.

use crate::{
    Problem,
    record::{Note, Worlds},
    tokens::Flat,
};
use proc_macro2::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use znight_contract::codes::Severity;

/// `compile_error!` from the first token to the last.
pub fn error(message: &str, first: Span, last: Span) -> TokenStream {
    // rustc underlines from the first token of the call to its last.
    let punct = |c, spacing| {
        let mut punct = Punct::new(c, spacing);
        punct.set_span(first);
        TokenTree::Punct(punct)
    };
    let mut text = Literal::string(message);
    text.set_span(last);
    let mut group = proc_macro2::Group::new(
        proc_macro2::Delimiter::Brace,
        TokenTree::Literal(text).into(),
    );
    group.set_span(last);
    [
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("core", first)),
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("compile_error", first)),
        punct('!', Spacing::Alone),
        TokenTree::Group(group),
    ]
    .into_iter()
    .collect()
}

/// What was recorded of an item, on its tokens.
///
/// `exact` tells whether the item's tokens are those the build pass counted; otherwise the whole item
/// is underlined.
pub fn notes(notes: &[Note], args: &Flat, body: &Flat, exact: bool) -> TokenStream {
    notes
        .iter()
        .map(|note| {
            let flat = if note.in_args { args } else { body };
            let at = |index: usize| flat.tokens.get(index).or(flat.tokens.last());
            let (first, last) = match (exact, at(note.first), at(note.last)) {
                (true, Some(first), Some(last)) => (first.start, last.end),
                _ => match (body.tokens.first(), body.tokens.last()) {
                    (Some(first), Some(last)) => (first.start, last.end),
                    _ => (Span::call_site(), Span::call_site()),
                },
            };
            let cfg = worlds(note.worlds);
            let reported = match note.severity {
                Severity::Error => {
                    let error = error(&note.message, first, last);
                    quote!(#cfg #error)
                }
                Severity::Warning => warning(&note.code.to_string(), &note.message, first, &cfg),
            };
            match note.only.as_ref().map(|only| only.parse::<TokenStream>()) {
                // The tokens keep their places within the call.
                Some(Ok(only)) => quote!(#only! { #reported }),
                _ => reported,
            }
        })
        .collect()
}

/// A warning: the use of a deprecated item named after the code.
fn warning(code: &str, message: &str, at: Span, cfg: &TokenStream) -> TokenStream {
    let name = Ident::new(code, at.resolved_at(Span::call_site()));
    quote_spanned! {at.resolved_at(Span::call_site())=>
        #cfg
        const _: () = {
            #[deprecated(note = #message)]
            const #name: () = ();
            #name
        };
    }
}

/// The problems found in an item by itself, where no build pass looked.
pub fn problems(problems: &[Problem]) -> TokenStream {
    problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| {
            let mut message = format!("{}: {}", problem.code, problem.message);
            for hint in &problem.hints {
                message.push_str("\n  = hint: ");
                message.push_str(&hint.replace('\n', "\n          "));
            }
            error(&message, problem.first, problem.last)
        })
        .collect()
}

/// The `cfg` under which something exists in these programs.
pub fn worlds(worlds: Worlds) -> TokenStream {
    match worlds {
        Worlds::Both => TokenStream::new(),
        Worlds::Production => quote!(#[cfg(not(test))]),
        Worlds::Test => quote!(#[cfg(test)]),
    }
}
