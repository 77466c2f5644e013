//! What each macro expands to.

mod arguments;
mod controller;
mod error_reply;
mod graph;
mod mentions;
mod provider;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use znight_contract::ErrorCode;
use znight_syntax::{
    Problems,
    attr::Values,
    item::{Controller, Factory, Provider},
    record::{self, Item, Worlds},
    symbol::Outer,
    tokens::{Flat, flatten, strip},
};

pub(crate) use self::{
    error_reply::error_reply,
    graph::{graph, library},
};
use crate::{
    host::{Host, Place, is_current},
    plain, report,
};

/// Where the glue of an item goes.
pub(crate) enum Target<'a> {
    /// Onto the crate's marker, with the ids and spellings of the record and the values of arguments in
    /// one program.
    Marker(&'a Item, &'a Values),
    /// Onto the type itself.
    Type,
}

impl Target<'_> {
    /// The values of arguments that are no literals.
    fn values(&self) -> &Values {
        static NONE: Values = Values::new();
        match self {
            Self::Marker(_, values) => values,
            Self::Type => &NONE,
        }
    }
}

/// Expands one of the outer attributes.
pub(crate) fn attribute(
    outer: Outer,
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let first = item.clone().into_iter().next().map(|tree| tree.span());
    let file = first.and_then(|span| span.local_file());
    let line = first.map(|span| span.line());
    let place = Host::current().place(file.as_deref());
    expand(outer, &place, line, args.into(), item.into()).into()
}

/// The same without rustc, for tests.
fn expand(
    outer: Outer,
    place: &Place,
    line: Option<usize>,
    args: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let stripped = strip(outer, item.clone());
    let (flat_args, flat_body) = (flatten(args.clone()), flatten(item.clone()));
    let facade: TokenStream = place.facade().parse().unwrap_or_else(|_| quote!(::znight));
    let (items, strict) = match place {
        Place::Analysed(target, _) if !is_current(target) => return stripped,
        Place::Analysed(_, items) => (items, true),
        Place::Unplaced(_, items) => (items, false),
        Place::Elsewhere { .. } => {
            let glue = plain::glue(outer, &facade, args, item);
            return quote!(#stripped #glue);
        }
    };
    match find(items, outer, &flat_args, &flat_body, line) {
        Some((record, exact)) => {
            let notes = report::notes(&record.notes, &flat_args, &flat_body, exact);
            if record.broken == Some(Worlds::Both) {
                let mentioned = mentions::mentioned(outer, args, item);
                return quote!(#stripped #notes #mentioned);
            }
            let glue = record.programs().into_iter().map(|(program, values)| {
                let target = Target::Marker(record, &values);
                let glue = print(outer, &target, args.clone(), item.clone());
                block(&facade, &report::worlds(program), &glue)
            });
            quote!(#stripped #notes #(#glue)*)
        }
        None if strict => {
            let unseen = unseen(outer, &flat_body);
            quote!(#stripped #unseen)
        }
        // Without positions an item that is not recognised may be one of a test: say nothing.
        None => {
            let glue = plain::glue(outer, &facade, args, item);
            quote!(#stripped #glue)
        }
    }
}

/// Prints the glue of an item, without what is wrong with it.
pub(crate) fn print(
    outer: Outer,
    target: &Target<'_>,
    args: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let mut problems = Problems::new();
    match outer {
        Outer::Injectable => Provider::read(args, item, &mut problems)
            .map(|parsed| provider::injectable(target, &parsed))
            .unwrap_or_default(),
        Outer::Factory => Factory::read(&args, item, &mut problems)
            .map(|parsed| provider::factory(target, &parsed))
            .unwrap_or_default(),
        Outer::Controller => Controller::read(&args, item, target.values(), &mut problems)
            .map(|parsed| controller::controller(target, &parsed))
            .unwrap_or_default(),
    }
}

/// Glue in a block of its own, where `__z` stands for what generated code touches: paths are most of
/// what rustc reads of an expansion.
pub(crate) fn block(facade: &TokenStream, cfg: &TokenStream, glue: &TokenStream) -> TokenStream {
    if glue.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #cfg
        const _: () = {
            use #facade::__private as __z;
            #glue
        };
    }
}

/// The record of an item, and whether its tokens are those that were counted.
fn find<'a>(
    items: &'a [Item],
    outer: Outer,
    args: &Flat,
    body: &Flat,
    line: Option<usize>,
) -> Option<(&'a Item, bool)> {
    let mut equal: Vec<&Item> = items
        .iter()
        .filter(|item| {
            item.outer == outer && item.body == body.fingerprint && item.args == args.fingerprint
        })
        .collect();
    if equal.len() > 1
        && let Some(line) = line
    {
        let here: Vec<&Item> = equal
            .iter()
            .copied()
            .filter(|item| item.lines.0 <= line && line <= item.lines.1)
            .collect();
        if !here.is_empty() {
            equal = here;
        }
    }
    if let [only] = equal[..] {
        return Some((only, true));
    }
    // A derive above ours has evaluated `cfg` inside the item: the same item by its place.
    let line = line?;
    let mut near = items
        .iter()
        .filter(|item| item.outer == outer && item.lines.0 <= line && line <= item.lines.1);
    match (near.next(), near.next()) {
        (Some(only), None) if equal.is_empty() => Some((only, false)),
        _ => None,
    }
}

/// The error on an item of an analysed file that the build pass did not see.
fn unseen(outer: Outer, body: &Flat) -> TokenStream {
    let (first, last) = match body.tokens.first() {
        Some(first) => (
            first.start,
            body.tokens.last().map_or(first.end, |last| last.end),
        ),
        None => (Span::call_site(), Span::call_site()),
    };
    let message = format!(
        "{}: the build did not see this `#[{}]` item\n  = hint: attributes are read from the source text: an item that a macro produces, or one inside a function, is not there. Write it at the level of a module, or provide the type from a `#[factory]`",
        ErrorCode::InvalidAttribute,
        outer.as_str(),
    );
    report::error(&message, first, last)
}

/// The record's glue for a method of a factory, or for the type itself.
pub(crate) fn recorded(item: &Item, method: Option<usize>) -> Option<&record::ProviderGlue> {
    item.providers
        .iter()
        .find(|provider| provider.method == method)
}

#[cfg(test)]
mod tests;
