//! What each macro expands to.

mod arguments;
mod checked;
mod controller;
mod decisions;
mod error_reply;
mod graph;
mod mentions;
mod mockable;
mod provider;

use proc_macro2::TokenStream;
use quote::quote;
use znight_syntax::{
    Problems,
    attr::Values,
    expand::{Host, Place, block, find, intercept, is_current, report, unseen},
    item::{Controller, Factory, Provider},
    record::{Item, Mocks, Worlds},
    symbol::Outer,
    tokens::{flatten, strip},
};

pub(crate) use self::{
    error_reply::error_reply,
    graph::{graph, library},
    mockable::mockable,
};
use crate::plain;

/// Where the glue of an item goes.
pub(crate) enum Target<'a> {
    /// Onto the crate's marker, with the ids and spellings of the record and the values of arguments in
    /// one program.
    Marker(&'a Item, &'a Values, Mocks),
    /// Onto the type itself.
    Type(Mocks),
}

impl Target<'_> {
    /// The values of arguments that are no literals.
    fn values(&self) -> &Values {
        static NONE: Values = Values::new();
        match self {
            Self::Marker(_, values, _) => values,
            Self::Type(_) => &NONE,
        }
    }

    /// Who sees the mocks of the package.
    fn mocks(&self) -> Mocks {
        match self {
            Self::Marker(_, _, mocks) | Self::Type(mocks) => *mocks,
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

/// Expands `#[intercept(..)]`.
pub(crate) fn intercept(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let place = Host::current().place(None);
    let facade: TokenStream = place.facade().parse().unwrap_or_else(|_| quote!(::znight));
    intercept::attribute(&facade, args.into(), &item.into()).into()
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
            let glue = plain::glue(outer, &facade, place.mocks(), args, item);
            return quote!(#stripped #glue);
        }
    };
    match find(items, outer.path(), &flat_args, &flat_body, line) {
        Some((record, exact)) => {
            let notes = report::notes(&record.notes, &flat_args, &flat_body, exact);
            if record.broken == Some(Worlds::Both) {
                let mentioned = mentions::mentioned(outer, args, item);
                return quote!(#stripped #notes #mentioned);
            }
            let glue = record.programs().into_iter().map(|(program, values)| {
                let target = Target::Marker(record, &values, place.mocks());
                let glue = print(outer, &target, args.clone(), item.clone());
                block(&facade, &report::worlds(program), &glue)
            });
            quote!(#stripped #notes #(#glue)*)
        }
        None if strict => {
            let unseen = unseen(outer.path(), &flat_body);
            quote!(#stripped #unseen)
        }
        // Without positions an item that is not recognised may be one of a test: say nothing.
        None => {
            let glue = plain::glue(outer, &facade, place.mocks(), args, item);
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

#[cfg(test)]
mod tests;
