//! Arguments that are checked once they have been read: by a schema, or by the validator of their type.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::{Type, spanned::Spanned as _};
use znight_syntax::item::{Param, ParamSource};

use super::arguments;

/// Whether an argument has to be waited for.
pub(super) fn waits(param: &Param) -> bool {
    param.schema.is_some() || matches!(param.source, ParamSource::Extract { .. })
}

/// What reads the request for a parameter: the tag of its type, or of the type its schema reads.
pub(super) fn tag(param: &Param) -> TokenStream {
    let ty = &param.ty;
    let at = ty.span().resolved_at(Span::call_site());
    if param.schema.is_some() {
        // What the check hands the closure that reads.
        return quote_spanned!(at=> (&&input));
    }
    quote_spanned!(at=> (&&__z::http::Tag::<#ty>::NEW))
}

/// `let a0 = ..;` with the check behind it. `this` is the type of the controller.
pub(super) fn checked(
    this: &Type,
    param: &Param,
    index: u32,
    name: &Ident,
    extracted: TokenStream,
) -> TokenStream {
    let (part, key) = place(&param.source);
    let part = format_ident!("{part}");
    let ty = &param.ty;
    if let Some(schema) = &param.schema {
        let at = schema.span().resolved_at(Span::call_site());
        let schema = arguments::outside(schema, this);
        return quote_spanned! {at=>
            let #name = __z::http::by_schema::<#ty, _>(
                &#schema,
                __z::http::ParamSource::#part,
                #key,
                |input| {
                    #extracted
                    ::core::result::Result::Ok(#name)
                },
            )
            .await?;
        };
    }
    if !is_whole(&param.source) {
        return extracted;
    }
    let at = ty.span().resolved_at(Span::call_site());
    // All of the call stands where the type does, or rustc would point at everything from the attribute on.
    let part = Ident::new(&part.to_string(), at);
    let mut index = Literal::u32_suffixed(index);
    index.set_span(at);
    let name = Ident::new(&name.to_string(), at);
    quote_spanned! {at=>
        #extracted
        (&&&__z::http::Tag::<#ty>::NEW).check(&#name, rq, __z::http::ParamSource::#part, #index)?;
    }
}

/// Whether what is read has fields.
fn is_whole(source: &ParamSource) -> bool {
    matches!(
        source,
        ParamSource::Body | ParamSource::AllPath | ParamSource::AllQuery | ParamSource::AllHeaders
    )
}

/// The part of the request that is read, and the name there.
fn place(source: &ParamSource) -> (&'static str, &str) {
    match source {
        ParamSource::Path { name, .. } => ("Param", name),
        ParamSource::AllPath => ("Param", ""),
        ParamSource::Query { name, .. } => ("Query", name),
        ParamSource::AllQuery => ("Query", ""),
        ParamSource::Header { name } => ("Header", name),
        ParamSource::AllHeaders => ("Header", ""),
        ParamSource::Body => ("Body", ""),
        ParamSource::Extract { .. } | ParamSource::Context => ("Context", ""),
    }
}
