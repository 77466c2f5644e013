//! `#[derive(ErrorReply)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Fields, LitInt};
use znight_syntax::{
    Problems,
    expand::{Host, report},
};

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
    let replies: Vec<(TokenStream, Reply)> = match &input.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .filter_map(|variant| {
                let ident = &variant.ident;
                let reply = Reply::read(
                    &variant.attrs,
                    ident,
                    "variant",
                    &variant.fields,
                    &mut problems,
                )?;
                let cfgs = variant
                    .attrs
                    .iter()
                    .filter(|attribute| attribute.path().is_ident("cfg"));
                let pattern = reply.pattern(&quote!(Self::#ident), &variant.fields);
                Some((quote!(#(#cfgs)* #pattern), reply))
            })
            .collect(),
        Data::Struct(data) => {
            Reply::read(&input.attrs, name, "struct", &data.fields, &mut problems)
                .map(|reply| vec![(reply.pattern(&quote!(Self), &data.fields), reply)])
                .unwrap_or_default()
        }
        Data::Union(_) => {
            problems.misuse(name, "a union is not an error");
            Vec::new()
        }
    };
    if !problems.is_empty() {
        return report::problems(&problems.into_vec());
    }
    let (generics, arguments, clause) = input.generics.split_for_impl();
    let http = quote!(#facade::__private::http);
    let reply = quote!(#facade::ErrorReply);
    let arms = |own: &dyn Fn(u16) -> TokenStream, method: &TokenStream| -> TokenStream {
        // An empty enum has no value to match.
        if replies.is_empty() {
            return quote!(match *self {});
        }
        let arms = replies.iter().map(|(pattern, kind)| match kind {
            Reply::Status(status) => {
                let own = own(*status);
                quote!(#pattern => #own,)
            }
            Reply::Transparent => quote!(#pattern => #reply::#method(inner),),
        });
        quote!(match self { #(#arms)* })
    };
    let status = arms(&|status| quote!(#http::status(#status)), &quote!(status));
    let wraps = replies
        .iter()
        .any(|(_, kind)| matches!(kind, Reply::Transparent));
    let rest = wraps.then(|| {
        let details = arms(&|_| quote!(::core::option::Option::None), &quote!(details));
        let headers = arms(&|_| quote!(#http::HeaderMap::new()), &quote!(headers));
        quote! {
            fn details(&self) -> ::core::option::Option<#http::Value> {
                #details
            }
            fn headers(&self) -> #http::HeaderMap {
                #headers
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #generics #reply for #name #arguments #clause {
            fn status(&self) -> #http::StatusCode {
                #status
            }
            #rest
        }
    }
}

/// How a variant is answered.
enum Reply {
    /// `#[reply(404)]`
    Status(u16),
    /// `#[reply(transparent)]`: as the one field is.
    Transparent,
}

impl Reply {
    fn read(
        attributes: &[Attribute],
        ident: &syn::Ident,
        what: &str,
        fields: &Fields,
        problems: &mut Problems,
    ) -> Option<Self> {
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
        if attribute
            .parse_args::<syn::Ident>()
            .is_ok_and(|word| word == "transparent")
        {
            if fields.len() == 1 {
                return Some(Self::Transparent);
            }
            problems
                .misuse(
                    attribute,
                    "`#[reply(transparent)]` answers as the only field does",
                )
                .hint("give it one field");
            return None;
        }
        let read = attribute
            .parse_args::<LitInt>()
            .ok()
            .and_then(|literal| literal.base10_parse::<u16>().ok());
        match read {
            Some(status @ 400..=599) => Some(Self::Status(status)),
            Some(status) => {
                problems
                    .misuse(attribute, format!("{status} is not the status of an error"))
                    .hint("use one from 400 to 599");
                None
            }
            None => {
                problems.misuse(
                    attribute,
                    "`#[reply]` takes a status, `#[reply(404)]`, or `transparent`",
                );
                None
            }
        }
    }

    /// The pattern of the variant, its one field bound when that answers.
    fn pattern(&self, path: &TokenStream, fields: &Fields) -> TokenStream {
        match (self, fields) {
            (Self::Transparent, Fields::Named(named)) => {
                let field = named.named.first().and_then(|field| field.ident.as_ref());
                quote!(#path { #field: inner })
            }
            (Self::Transparent, _) => quote!(#path(inner)),
            (Self::Status(_), Fields::Named(_)) => quote!(#path { .. }),
            (Self::Status(_), Fields::Unnamed(_)) => quote!(#path(..)),
            (Self::Status(_), Fields::Unit) => quote!(#path),
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
        assert!(
            text.contains("Self :: A (..) => :: znight :: __private :: http :: status (404u16)"),
            "{text}"
        );
        assert!(
            text.contains("Self :: C => :: znight :: __private :: http :: status (500u16)"),
            "{text}"
        );
        assert!(
            derived(quote!(
                #[reply(418)]
                struct E;
            ))
            .contains("Self => :: znight")
        );
    }

    #[test]
    fn a_transparent_variant_answers_as_its_field() {
        let text = derived(quote!(
            enum E {
                #[reply(transparent)]
                A(Inner),
                #[reply(404)]
                B,
                #[reply(transparent)]
                C { inner: Inner },
            }
        ));
        assert!(
            text.contains("Self :: A (inner) => :: znight :: ErrorReply :: details (inner)"),
            "{text}"
        );
        assert!(
            text.contains(
                "Self :: C { inner : inner } => :: znight :: ErrorReply :: headers (inner)"
            ),
            "{text}"
        );
        let wrong = derived(quote!(
            enum E {
                #[reply(transparent)]
                A(Inner, u8),
            }
        ));
        assert!(wrong.contains("give it one field"), "{wrong}");
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
