//! `#[derive(ErrorReply)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Fields, Ident, LitInt, LitStr, Member, Token, ext::IdentExt as _,
    parse::ParseStream,
};
use znight_syntax::{
    Problems,
    check::is_token,
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
    let replies: Vec<Variant> = match &input.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .filter_map(|variant| {
                let ident = &variant.ident;
                let path = quote!(Self::#ident);
                let (attributes, fields) = (&variant.attrs, &variant.fields);
                Variant::read(attributes, ident, "variant", path, fields, &mut problems)
            })
            .collect(),
        Data::Struct(data) => {
            let (attributes, fields) = (&input.attrs, &data.fields);
            let path = quote!(Self);
            Variant::read(attributes, name, "struct", path, fields, &mut problems)
                .into_iter()
                .collect()
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
    let arms = |own: &dyn Fn(&Reply) -> TokenStream, part: Part, method: &TokenStream| {
        // An empty enum has no value to match.
        if replies.is_empty() {
            return quote!(match *self {});
        }
        let arms = replies.iter().map(|variant| {
            let Variant { cfgs, path, kind } = variant;
            let pattern = kind.pattern(path, part);
            let answer = match kind {
                Kind::Own(own_reply) => own(own_reply),
                Kind::Transparent { .. } => quote!(#reply::#method(inner)),
            };
            quote!(#(#cfgs)* #pattern => #answer,)
        });
        quote!(match self { #(#arms)* })
    };
    let status = |reply: &Reply| {
        let status = reply.status;
        quote!(#http::status(#status))
    };
    let status = arms(&status, Part::Status, &quote!(status));
    let any = |part: Part| replies.iter().any(|variant| variant.kind.says(part));
    let details = any(Part::Details).then(|| {
        let details = |reply: &Reply| {
            let entries = reply.details.iter().map(|shown| {
                let Shown { name, binding, .. } = shown;
                quote!((#name, #http::detail(#binding)))
            });
            quote!(#http::details([#(#entries),*]))
        };
        let details = arms(&details, Part::Details, &quote!(details));
        quote! {
            fn details(&self) -> ::core::option::Option<#http::Value> {
                #details
            }
        }
    });
    let headers = any(Part::Headers).then(|| {
        let headers = |reply: &Reply| {
            let entries = reply.headers.iter().map(|shown| {
                let Shown { name, binding, .. } = shown;
                quote!((#name, ::std::string::ToString::to_string(#binding)))
            });
            quote!(#http::headers([#(#entries),*]))
        };
        let headers = arms(&headers, Part::Headers, &quote!(headers));
        quote! {
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
            #details
            #headers
        }
    }
}

/// One variant of an enum, or the struct.
struct Variant {
    cfgs: Vec<Attribute>,
    path: TokenStream,
    kind: Kind,
}

/// How a variant is answered.
enum Kind {
    /// `#[reply(404)]`
    Own(Reply),
    /// `#[reply(transparent)]`: as its one field is.
    Transparent { field: Member },
}

/// A reply of its own.
struct Reply {
    status: u16,
    /// Fields with `#[reply(detail)]`.
    details: Vec<Shown>,
    /// Fields with `#[reply(header = "retry-after")]`.
    headers: Vec<Shown>,
}

/// A field that is shown to the client.
struct Shown {
    /// As what.
    name: String,
    field: Member,
    /// The name it has in the arm of a match.
    binding: Ident,
}

/// A part of the reply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Status,
    Details,
    Headers,
}

impl Variant {
    fn read(
        attributes: &[Attribute],
        ident: &Ident,
        what: &str,
        path: TokenStream,
        fields: &Fields,
        problems: &mut Problems,
    ) -> Option<Self> {
        let kind = Kind::read(attributes, ident, what, fields, problems)?;
        let cfgs = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg"));
        Some(Self {
            cfgs: cfgs.cloned().collect(),
            path,
            kind,
        })
    }
}

impl Kind {
    fn read(
        attributes: &[Attribute],
        ident: &Ident,
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
            .parse_args::<Ident>()
            .is_ok_and(|word| word == "transparent")
        {
            if let Some(field) = fields.members().next().filter(|_| fields.len() == 1) {
                return Some(Self::Transparent { field });
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
            Some(status @ 400..=599) => Some(Self::Own(Reply::read(status, fields, problems))),
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

    /// Whether it has something to say about a part.
    fn says(&self, part: Part) -> bool {
        match self {
            Self::Own(reply) => !reply.shown(part).is_empty(),
            Self::Transparent { .. } => true,
        }
    }

    /// The pattern of the variant, with the fields bound that make a part of the reply.
    fn pattern(&self, path: &TokenStream, part: Part) -> TokenStream {
        match self {
            Self::Transparent { field } => quote!(#path { #field: inner }),
            Self::Own(reply) => {
                let fields = reply.shown(part).iter().map(|shown| {
                    let Shown { field, binding, .. } = shown;
                    quote!(#field: #binding)
                });
                quote!(#path { #(#fields,)* .. })
            }
        }
    }
}

impl Reply {
    fn read(status: u16, fields: &Fields, problems: &mut Problems) -> Self {
        let mut reply = Self {
            status,
            details: Vec::new(),
            headers: Vec::new(),
        };
        for (number, (field, member)) in fields.iter().zip(fields.members()).enumerate() {
            let shown = field
                .attrs
                .iter()
                .filter(|attribute| attribute.path().is_ident("reply"));
            for attribute in shown {
                let binding = format_ident!("field{number}");
                reply.show(attribute, member.clone(), binding, problems);
            }
        }
        reply
    }

    /// Takes down what `#[reply(..)]` says on a field.
    fn show(
        &mut self,
        attribute: &Attribute,
        field: Member,
        binding: Ident,
        problems: &mut Problems,
    ) {
        let parse = |input: ParseStream<'_>| {
            let word: Ident = input.parse()?;
            let name: Option<LitStr> = match input.parse::<Option<Token![=]>>()? {
                Some(_) => Some(input.parse()?),
                None => None,
            };
            Ok((word, name))
        };
        let Ok((word, name)) = attribute.parse_args_with(parse) else {
            problems.misuse(attribute, ON_FIELDS);
            return;
        };
        match (&*word.to_string(), name, &field) {
            ("detail", Some(name), _) => self.details.push(Shown {
                name: name.value(),
                field,
                binding,
            }),
            ("detail", None, Member::Named(ident)) => {
                let name = ident.unraw().to_string();
                self.details.push(Shown {
                    name,
                    field,
                    binding,
                });
            }
            ("detail", None, Member::Unnamed(_)) => {
                problems
                    .misuse(
                        attribute,
                        "a field without a name is shown as a detail under one",
                    )
                    .hint("give it one: `#[reply(detail = \"id\")]`");
            }
            ("header", Some(name), _) if is_token(&name.value()) => {
                let name = name.value().to_ascii_lowercase();
                self.headers.push(Shown {
                    name,
                    field,
                    binding,
                });
            }
            ("header", Some(name), _) => {
                problems.misuse(&name, format!("`{}` is not a header name", name.value()));
            }
            _ => {
                problems.misuse(attribute, ON_FIELDS);
            }
        }
    }

    fn shown(&self, part: Part) -> &[Shown] {
        match part {
            Part::Status => &[],
            Part::Details => &self.details,
            Part::Headers => &self.headers,
        }
    }
}

const ON_FIELDS: &str =
    "on a field `#[reply]` takes `detail`, `detail = \"name\"` or `header = \"name\"`";

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
            text.contains("Self :: A { .. } => :: znight :: __private :: http :: status (404u16)"),
            "{text}"
        );
        assert!(
            text.contains("Self :: C { .. } => :: znight :: __private :: http :: status (500u16)"),
            "{text}"
        );
        assert!(
            derived(quote!(
                #[reply(418)]
                struct E;
            ))
            .contains("Self { .. } => :: znight")
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
            text.contains("Self :: A { 0 : inner } => :: znight :: ErrorReply :: details (inner)"),
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
    fn fields_are_shown_as_details_and_headers() {
        let text = derived(quote!(
            enum E {
                #[reply(409)]
                Taken {
                    #[reply(detail)]
                    r#type: String,
                    by: u64,
                },
                #[reply(429)]
                Busy(
                    #[reply(header = "Retry-After")]
                    #[reply(detail = "seconds")]
                    u32,
                ),
                #[reply(404)]
                Gone,
            }
        ));
        for part in [
            "Self :: Taken { r#type : field0 , .. } => :: znight :: __private :: http :: details ([(\"type\" , ",
            "Self :: Busy { 0 : field0 , .. } => :: znight :: __private :: http :: headers ([(\"retry-after\" , ",
            "Self :: Gone { .. } => :: znight :: __private :: http :: details ([])",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn odd_attributes_of_fields_are_refused() {
        let text = derived(quote!(
            enum E {
                #[reply(409)]
                A(
                    #[reply(detail)] u8,
                    #[reply(header)] u8,
                    #[reply(header = "a b")] u8,
                    #[reply(404)] u8,
                ),
            }
        ));
        for part in [
            "shown as a detail under one",
            "on a field `#[reply]` takes",
            "`a b` is not a header name",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
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
