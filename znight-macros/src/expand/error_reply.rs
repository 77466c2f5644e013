//! `#[derive(ErrorReply)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Fields, LitInt};
use znight_syntax::Problems;

use crate::{host::Host, report};

/// Expands the derive.
pub(crate) fn error_reply(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let facade = Host::current().place(None).facade().to_owned();
    let facade = facade.parse().unwrap_or_else(|_| quote!(::znight));
    match syn::parse(item) {
        Ok(input) => expand(&facade, &input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

fn expand(facade: &TokenStream, input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::new();
    let name = &input.ident;
    let arms: Vec<TokenStream> = match &input.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .filter_map(|variant| {
                let status = status(&variant.attrs, &variant.ident, "variant", &mut problems)?;
                let ident = &variant.ident;
                let cfgs = variant
                    .attrs
                    .iter()
                    .filter(|attribute| attribute.path().is_ident("cfg"));
                let pattern = match &variant.fields {
                    Fields::Named(_) => quote!(Self::#ident { .. }),
                    Fields::Unnamed(_) => quote!(Self::#ident(..)),
                    Fields::Unit => quote!(Self::#ident),
                };
                Some(quote!(#(#cfgs)* #pattern => #status,))
            })
            .collect(),
        _ => status(&input.attrs, name, "struct", &mut problems)
            .map(|status| vec![quote!(_ => #status,)])
            .unwrap_or_default(),
    };
    if !problems.is_empty() {
        return report::problems(&problems.into_vec());
    }
    let (generics, arguments, clause) = input.generics.split_for_impl();
    // An empty enum has no value to match.
    let body = if arms.is_empty() {
        quote!(match *self {})
    } else {
        quote! {
            let status: u16 = match self { #(#arms)* };
            #facade::__private::http::status(status)
        }
    };
    quote! {
        #[automatically_derived]
        impl #generics #facade::ErrorReply for #name #arguments #clause {
            fn status(&self) -> #facade::__private::http::StatusCode {
                #body
            }
        }
    }
}

fn status(
    attributes: &[Attribute],
    ident: &syn::Ident,
    what: &str,
    problems: &mut Problems,
) -> Option<u16> {
    let mut found = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("reply"));
    let Some(attribute) = found.next() else {
        problems
            .misuse(ident, format!("the {what} `{ident}` has no status"))
            .hint("add one from 400 to 599: `#[reply(404)]`");
        return None;
    };
    if let Some(second) = found.next() {
        problems.misuse(second, format!("the {what} `{ident}` has two statuses"));
        return None;
    }
    let read = attribute
        .parse_args::<LitInt>()
        .ok()
        .and_then(|literal| literal.base10_parse::<u16>().ok());
    match read {
        Some(status @ 400..=599) => Some(status),
        Some(status) => {
            problems
                .misuse(attribute, format!("{status} is not the status of an error"))
                .hint("use one from 400 to 599");
            None
        }
        None => {
            problems.misuse(attribute, "`#[reply]` takes a status: `#[reply(404)]`");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::expand;

    fn derived(input: proc_macro2::TokenStream) -> String {
        expand(&quote!(::znight), &syn::parse2(input).expect("a type")).to_string()
    }

    #[test]
    fn each_variant_has_its_status() {
        let text = derived(quote!(
            enum E {
                #[reply(404)]
                A(u8),
                #[reply(409)]
                B { x: u8 },
                #[reply(500)]
                C,
            }
        ));
        assert!(text.contains("Self :: A (..) => 404u16"), "{text}");
        assert!(text.contains("Self :: C => 500u16"), "{text}");
        assert!(
            derived(quote!(
                #[reply(418)]
                struct E;
            ))
            .contains("_ => 418u16")
        );
    }

    #[test]
    fn missing_and_odd_statuses_are_refused_all_at_once() {
        let text = derived(quote!(
            enum E {
                A,
                #[reply(200)]
                B,
                #[reply("x")]
                C,
                #[reply(404)]
                #[reply(405)]
                D,
            }
        ));
        for part in [
            "`A` has no status",
            "200 is not the status",
            "takes a status",
            "`D` has two statuses",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
