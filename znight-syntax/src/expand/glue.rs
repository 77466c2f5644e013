//! Parts of glue that the attributes of Znight and those of extensions have in common.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Type;

use crate::record::{Item, ProviderGlue};

/// Glue in a block of its own, where `__z` stands for what generated code touches: paths are most of
/// what rustc reads of an expansion.
pub fn block(facade: &TokenStream, cfg: &TokenStream, glue: &TokenStream) -> TokenStream {
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

/// The record's glue for a method of a factory, or for the type itself.
pub fn recorded(item: &Item, method: Option<usize>) -> Option<&ProviderGlue> {
    item.providers
        .iter()
        .find(|provider| provider.method == method)
}

/// The glue of the struct without fields that an attribute registers; nothing where something else
/// provides it.
pub fn host(item: &Item, ty: &Type) -> TokenStream {
    let Some(glue) = recorded(item, None) else {
        return TokenStream::new();
    };
    let spellings: Vec<(TokenStream, bool)> = spellings(glue);
    let (functions, coercions) = coercions(ty, &spellings);
    let lifecycle = lifecycle(ty);
    let id = id(glue.id);
    // Braces fit a struct of either form without fields.
    quote! {
        fn make(_d: &mut __z::Deps<'_>) -> __z::Made {
            __z::made::<#ty, _>(#ty {})
        }
        #functions
        impl __z::Provide<#id> for crate::__Znight {
            const P: __z::Provider =
                __z::provider::<#ty>(__z::Make::Plain(make), &[#(#coercions),*], #lifecycle);
        }
    }
}

/// The trait objects a provider is handed out as, and whether only the unit tests use them.
pub fn spellings(glue: &ProviderGlue) -> Vec<(TokenStream, bool)> {
    glue.coercions
        .iter()
        .filter_map(|coercion| Some((coercion.ty.parse().ok()?, coercion.test_only)))
        .collect()
}

/// The functions that coerce, and the list elements that name them.
pub fn coercions(ty: &Type, spellings: &[(TokenStream, bool)]) -> (TokenStream, Vec<TokenStream>) {
    let mut functions = TokenStream::new();
    let mut elements = Vec::new();
    for (index, (object, test_only)) in spellings.iter().enumerate() {
        let name = format_ident!("coerce_{index}");
        let cfg = test_only.then(|| quote!(#[cfg(test)]));
        functions.extend(quote! {
            #cfg
            fn #name(h: &__z::Handle) -> __z::Handle {
                __z::Handle::new::<#object>(h.arc::<#ty>())
            }
        });
        elements.push(quote!(#cfg __z::coercion::<#object>(#name)));
    }
    (functions, elements)
}

/// Which hooks a type implements: rustc knows.
pub fn lifecycle(ty: &Type) -> TokenStream {
    quote! {{
        use __z::NoLifecycle as _;
        __z::Lifecycle {
            on_start: __z::Probe::<#ty>::ON_START,
            on_ready: __z::Probe::<#ty>::ON_READY,
            on_stop: __z::Probe::<#ty>::ON_STOP,
            dispose: __z::Probe::<#ty>::DISPOSE,
        }
    }}
}

/// An id as a literal with separators, as lints ask for.
pub fn id(value: u64) -> Literal {
    let digits = format!("{value:016x}");
    let grouped = format!(
        "0x{}_{}_{}_{}",
        &digits[..4],
        &digits[4..8],
        &digits[8..12],
        &digits[12..]
    );
    grouped
        .parse()
        .unwrap_or_else(|_| Literal::u64_unsuffixed(value))
}
