//! What attribute macros expand to: the findings of the build pass on the item's tokens, and its glue.
//!
//! The macros of Znight are written with this module, and so are those of a third party whose
//! [extension](https://docs.rs/znight-compiler) owns the attribute. Such a macro is short:
//!
//! ```
//! use proc_macro2::TokenStream;
//! use quote::quote;
//! use znight_syntax::expand::{self, Attribute, Call, Glue};
//!
//! const JOB: Attribute = Attribute {
//!     path: "acme::job",
//!     on_item: &[],
//!     inside: &["daily"],
//! };
//!
//! // In a proc-macro crate: `#[proc_macro_attribute] pub fn job(args: .., item: ..)`, with
//! // `Call { file: span.local_file(), line: Some(span.line()) }` of the item's first token.
//! fn job(call: &Call, args: TokenStream, item: TokenStream) -> TokenStream {
//!     expand::attribute(&JOB, call, &args, &item, |glue, _, item| match glue {
//!         Glue::Analysed(glue) => {
//!             let (id, ty) = (glue.id(), glue.self_type(item)?);
//!             let host = glue.host(&ty);
//!             Some(quote! {
//!                 #host
//!                 impl ::acme::Job<#id> for crate::__Znight {
//!                     const JOB: ::acme::JobDef = ::acme::JobDef::new::<#ty>();
//!                 }
//!             })
//!         }
//!         // A test or an example, which no build pass looks at.
//!         Glue::Elsewhere => None,
//!     })
//! }
//!
//! let expanded = job(&Call::default(), TokenStream::new(), quote!(impl Backup {}));
//! assert_eq!(expanded.to_string(), "impl Backup { }");
//! ```

pub mod glue;
mod host;
pub mod intercept;
pub mod report;

use std::path::PathBuf;

use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;
use syn::{Item as SynItem, Type};
use znight_contract::ErrorCode;

pub use self::{
    glue::block,
    host::{Host, Place, is_current},
};
use crate::{
    record::{Item, Worlds},
    tokens::{Flat, flatten, strip_names},
};

/// An attribute macro.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    /// Its path, as its extension declares it: `acme::job`.
    pub path: &'static str,
    /// Attributes below it on the item that vanish with it.
    pub on_item: &'static [&'static str],
    /// Attributes inside the item that vanish: on fields, methods, parameters.
    pub inside: &'static [&'static str],
}

/// Where a macro is called: what only the proc-macro crate itself can ask the compiler for.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// The file of the item's first token: `Span::local_file()`.
    pub file: Option<PathBuf>,
    /// Its line: `Span::line()`.
    pub line: Option<usize>,
}

/// What the glue of an item can be written with.
#[derive(Debug)]
pub enum Glue<'a> {
    /// The item is part of an analysed target.
    Analysed(AnalysedGlue<'a>),
    /// The item stands in a test, an example, a doctest: nothing is recorded of it.
    Elsewhere,
}

/// What the build pass recorded of a sound item.
#[derive(Debug)]
pub struct AnalysedGlue<'a> {
    record: &'a Item,
}

impl AnalysedGlue<'_> {
    /// The id of the item's glue, a const argument of the trait that is implemented for
    /// `crate::__Znight`.
    pub fn id(&self) -> Literal {
        glue::id(self.record.host.unwrap_or_default())
    }

    /// The glue of the item's type, where the extension registers a struct without fields.
    pub fn host(&self, ty: &Type) -> TokenStream {
        glue::host(self.record, ty)
    }

    /// The type an item is about: that of an `impl`, or the item itself.
    pub fn self_type(&self, item: &TokenStream) -> Option<Type> {
        match syn::parse2(crate::tokens::blank_bodies(item.clone())).ok()? {
            SynItem::Impl(item) => Some(*item.self_ty),
            SynItem::Struct(item) => syn::parse_str(&item.ident.to_string()).ok(),
            SynItem::Enum(item) => syn::parse_str(&item.ident.to_string()).ok(),
            _ => None,
        }
    }

    /// The record itself.
    pub fn record(&self) -> &Item {
        self.record
    }
}

/// Expands an attribute of an extension.
///
/// The item comes back without the attributes inside it that are the macro's, with what the build pass
/// found as errors and warnings on its tokens, and with the glue, in a block where `__z` stands for
/// `znight::__private`. Glue is asked for where the item is sound; none is written where there is none.
pub fn attribute(
    attribute: &Attribute,
    call: &Call,
    args: &TokenStream,
    item: &TokenStream,
    glue: impl Fn(&Glue<'_>, &TokenStream, &TokenStream) -> Option<TokenStream>,
) -> TokenStream {
    let stripped = strip_names(attribute.on_item, attribute.inside, item.clone());
    let place = Host::current().place(call.file.as_deref());
    let facade: TokenStream = place.facade().parse().unwrap_or_else(|_| quote!(::znight));
    let elsewhere = || {
        let glue = glue(&Glue::Elsewhere, args, item).unwrap_or_default();
        let glue = block(&facade, &TokenStream::new(), &glue);
        quote!(#stripped #glue)
    };
    let (items, strict) = match &place {
        Place::Analysed(target, _) if !is_current(target) => return stripped,
        Place::Analysed(_, items) => (items, true),
        Place::Unplaced(_, items) => (items, false),
        Place::Elsewhere { .. } => return elsewhere(),
    };
    let (flat_args, flat_body) = (flatten(args.clone()), flatten(item.clone()));
    match find(items, attribute.path, &flat_args, &flat_body, call.line) {
        Some((record, exact)) => {
            let notes = report::notes(&record.notes, &flat_args, &flat_body, exact);
            if record.broken == Some(Worlds::Both) || record.host.is_none() {
                return quote!(#stripped #notes);
            }
            let glue = record.programs().into_iter().map(|(program, _)| {
                let analysed = Glue::Analysed(AnalysedGlue { record });
                let glue = glue(&analysed, args, item).unwrap_or_default();
                block(&facade, &report::worlds(program), &glue)
            });
            quote!(#stripped #notes #(#glue)*)
        }
        None if strict => {
            let unseen = unseen(attribute.path, &flat_body);
            quote!(#stripped #unseen)
        }
        // Without positions an item that is not recognised may be one of a test: say nothing.
        None => elsewhere(),
    }
}

/// The record of an item, and whether its tokens are those that were counted.
pub fn find<'a>(
    items: &'a [Item],
    attribute: &str,
    args: &Flat,
    body: &Flat,
    line: Option<usize>,
) -> Option<(&'a Item, bool)> {
    let mut equal: Vec<&Item> = items
        .iter()
        .filter(|item| {
            item.attribute == attribute
                && item.body == body.fingerprint
                && item.args == args.fingerprint
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
        .filter(|item| item.attribute == attribute && item.lines.0 <= line && line <= item.lines.1);
    match (near.next(), near.next()) {
        (Some(only), None) if equal.is_empty() => Some((only, false)),
        _ => None,
    }
}

/// The error on an item of an analysed file that the build pass did not see.
pub fn unseen(attribute: &str, body: &Flat) -> TokenStream {
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
        attribute.rsplit("::").next().unwrap_or(attribute),
    );
    report::error(&message, first, last)
}
