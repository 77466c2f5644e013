//! The glue of `#[decide(..)]`: decisions with their values, which rustc types.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprPath, Type, spanned::Spanned as _};
use znight_syntax::{expand::glue::id, item::Decide};

use super::arguments::outside;

/// The entries of a controller or a route.
pub(super) fn decisions(
    decisions: &[Decide],
    ty: &Type,
) -> impl Iterator<Item = TokenStream> + use<> {
    let entries: Vec<TokenStream> = decisions.iter().map(|decide| entry(decide, ty)).collect();
    entries.into_iter()
}

/// One of them. The value is borrowed in a field of a struct, where rustc keeps it for ever.
fn entry(decide: &Decide, ty: &Type) -> TokenStream {
    let path = Expr::Path(ExprPath {
        attrs: Vec::new(),
        qself: None,
        path: decide.decision.clone(),
    });
    let decision = outside(&path, ty);
    let at = path.span().resolved_at(Span::call_site());
    let (def, value) = if let Some(value) = &decide.value {
        let inside = value.span().resolved_at(Span::call_site());
        let value = outside(value, ty);
        (
            quote_spanned!(at=> __z::http::def_of(&#decision)),
            quote_spanned!(inside=> &__z::http::value_of(&#decision, #value)),
        )
    } else {
        (
            quote_spanned!(at=> __z::http::flag(&#decision)),
            quote!(&()),
        )
    };
    quote! {
        __z::http::Decided {
            decision: #def,
            value: __z::http::DecidedValue::Static { value: #value },
        }
    }
}

/// What says of a provider that it is a guard, where rustc finds it to be one.
pub(super) fn guard(provider: u64, ty: &Type) -> TokenStream {
    let id = id(provider);
    quote! {
        impl __z::http::GuardOf<#id> for crate::__Znight {
            const G: ::core::option::Option<__z::http::GuardDef> = {
                use __z::http::NoGuard as _;
                __z::http::Asked::<#ty>::GUARD
            };
        }
    }
}
