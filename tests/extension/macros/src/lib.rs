//! The attribute of the jobs: written with what `znight-syntax` offers to everybody.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use quote::quote;
use znight_syntax::expand::{self, Attribute, Call, Glue};

const JOB: Attribute = Attribute {
    path: "acme_jobs::job",
    on_item: &[],
    inside: &[],
};

/// `#[timed(label = "backup")]` on a method of a provider: stands for the interceptor `Timed`.
#[proc_macro_attribute]
pub fn timed(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::intercept::standing_for(&quote!(::acme_jobs::Timed), &args.into(), &item.into()).into()
}

/// `#[job("backup", every = 60)]` on the `impl` of a provider.
#[proc_macro_attribute]
pub fn job(args: TokenStream, item: TokenStream) -> TokenStream {
    let first = item.clone().into_iter().next().map(|tree| tree.span());
    let call = Call {
        file: first.and_then(|span| span.local_file()),
        line: first.map(|span| span.line()),
    };
    expand::attribute(
        &JOB,
        &call,
        &args.into(),
        &item.into(),
        |glue, _, item| match glue {
            Glue::Analysed(glue) => {
                let (id, ty) = (glue.id(), glue.self_type(item)?);
                let host = glue.host(&ty);
                Some(quote! {
                    #host
                    impl ::acme_jobs::Job<#id> for crate::__Znight {
                        const JOB: ::acme_jobs::JobDef = ::acme_jobs::JobDef::new::<#ty>();
                    }
                })
            }
            Glue::Elsewhere => None,
        },
    )
    .into()
}
