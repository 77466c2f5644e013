//! What the attributes of an item mention, kept when the item is wrong and gets no glue.
//!
//! Otherwise the import of a guard would be reported as unused beside the mistake that is meant.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;
use znight_syntax::{
    Problems,
    attr::Values,
    item::{
        Construct, Controller, Factory, ParamSource, Provider, controller::Around,
        injection::FieldKind,
    },
    symbol::Outer,
};

use super::arguments::Arguments;

/// Constants that mention types and expressions of the attributes, each where it was written.
pub(crate) fn mentioned(outer: Outer, args: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::new();
    match outer {
        Outer::Injectable => Provider::read(args, item, &mut problems)
            .map(|parsed| (Arguments::of_provider(&parsed), injectable(&parsed))),
        Outer::Factory => Factory::read(&args, item, &mut problems)
            .map(|parsed| (Arguments::of_factory(&parsed), factory(&parsed))),
        Outer::Controller => Controller::read(&args, item, &Values::new(), &mut problems)
            .map(|parsed| (Arguments::of_controller(&parsed), controller(&parsed))),
    }
    .map(|(arguments, rest)| {
        let arguments = arguments.mentions();
        quote!(#arguments #rest)
    })
    .unwrap_or_default()
}

fn injectable(provider: &Provider) -> TokenStream {
    let declared = provider.args.declared.iter().map(|declared| {
        let ty = &declared.ty;
        quote!(const _: ::core::marker::PhantomData<#ty> = ::core::marker::PhantomData;)
    });
    let Construct::Literal { members, .. } = &provider.construct else {
        return quote!(#(#declared)*);
    };
    let values = members.iter().filter_map(|member| match member {
        FieldKind::Init {
            ty,
            value: Some(value),
            cfgs,
            ..
        } => Some(quote!(#(#cfgs)* const _: fn() -> #ty = || #value;)),
        _ => None,
    });
    quote!(#(#declared)* #(#values)*)
}

fn factory(factory: &Factory) -> TokenStream {
    let paths = factory.methods.iter().flat_map(|method| {
        let cfgs = &method.cfgs;
        [&method.args.dispose, &method.args.on_start]
            .into_iter()
            .flatten()
            .map(move |path| quote!(#(#cfgs)* const _: () = { let _ = #path; };))
    });
    quote!(#(#paths)*)
}

fn controller(controller: &Controller) -> TokenStream {
    let own = around(&controller.around);
    let routes = controller.routes.iter().map(|route| {
        let cfgs = &route.cfgs;
        let around = around(&route.around);
        let defaults = route.params.iter().filter_map(|param| match &param.source {
            ParamSource::Query {
                default: Some(default),
                ..
            } => {
                let ty = &param.ty;
                Some(quote!(const _: fn() -> #ty = || #default;))
            }
            _ => None,
        });
        quote!(#(#cfgs)* const _: () = { #around #(#defaults)* };)
    });
    quote!(#own #(#routes)*)
}

fn around(around: &Around) -> TokenStream {
    let types: Vec<&Type> = around.guards.iter().chain(&around.interceptors).collect();
    let limit = around.body_limit.iter();
    let decisions = around.decisions.iter().map(|decide| {
        let (decision, value) = (&decide.decision, decide.value.iter());
        quote!(const _: fn() = || { let _ = &#decision; #(let _ = #value;)* };)
    });
    quote! {
        #(#decisions)*
        #(const _: ::core::marker::PhantomData<#types> = ::core::marker::PhantomData;)*
        #(const _: u64 = #limit;)*
    }
}
