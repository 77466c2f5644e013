//! The glue of controllers: how each route calls its handler.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{ReturnType, Type, spanned::Spanned as _};
use znight_syntax::{
    expand::glue::id,
    item::{Controller, Param, ParamSource, Route, controller::Around},
};

use super::{
    Target,
    arguments::{self, Arguments},
    checked::{checked, tag, waits},
    decisions::decisions,
    provider::host,
};

/// Arguments beyond this are refused by rustc: the library has no function for them.
const MOST_ARGUMENTS: usize = 12;

/// The glue of a `#[controller]` item.
pub(crate) fn controller(target: &Target<'_>, controller: &Controller) -> TokenStream {
    let ty = &controller.self_ty;
    let mut functions = TokenStream::new();
    let mut printed = None;
    for route in &controller.routes {
        // A method with two verbs has one function.
        if printed.replace(route.handler_index) != Some(route.handler_index) {
            functions.extend(function(ty, route));
        }
    }
    let routes = controller
        .routes
        .iter()
        .map(|route| entry(ty, route, &controller.around));
    let path = arguments::path(&controller.path, ty);
    let around = around(&controller.around, ty);
    let display =
        znight_contract::display::short(&ty.to_token_stream().to_string().replace(' ', ""));
    let definition = quote! {
        __z::http::ControllerDef {
            #around
            routes: &[#(#routes),*],
            ..__z::http::ControllerDef::new::<#ty>(#display, #path, __z::place(::core::file!(), ::core::line!()))
        }
    };
    let glue = match target {
        Target::Marker(item, ..) => match item.host {
            Some(number) => {
                let number = id(number);
                quote! {
                    impl __z::http::Controller<#number> for crate::__Znight {
                        const C: __z::http::ControllerDef = #definition;
                    }
                }
            }
            None => return host(target, ty),
        },
        Target::Type(_) => quote! {
            impl __z::http::ControllerOn for #ty {
                const C: __z::http::ControllerDef = #definition;
            }
        },
    };
    let host = host(target, ty);
    let arguments = Arguments::of_controller(controller);
    let agreements = match target {
        Target::Marker(_, values, _) => arguments.agreements(values),
        Target::Type(_) => arguments.plain_paths(),
    };
    quote! {
        #agreements
        #functions
        #glue
        const _: () = { #host };
    }
}

/// `guards: .., interceptors: .., decisions: ..,`, as far as there are any.
fn around(around: &Around, ty: &Type) -> TokenStream {
    let guards = around.guards.iter().map(|guard| {
        let at = guard.span().resolved_at(Span::call_site());
        quote_spanned!(at=> __z::http::guard::<#guard>())
    });
    let interceptors = around.interceptors.iter().map(|interceptor| {
        let at = interceptor.span().resolved_at(Span::call_site());
        quote_spanned!(at=> __z::http::interceptor::<#interceptor>())
    });
    let mut fields = list("guards", guards);
    fields.extend(list("interceptors", interceptors));
    fields.extend(list("decisions", decisions(&around.decisions, ty)));
    fields
}

/// `name: &[..],` unless it would be empty.
fn list(name: &str, mut entries: impl Iterator<Item = TokenStream>) -> TokenStream {
    let Some(first) = entries.next() else {
        return TokenStream::new();
    };
    let name = format_ident!("{name}");
    quote!(#name: &[#first #(, #entries)*],)
}

/// The description of one route: what differs from the plainest.
fn entry(ty: &Type, route: &Route, outer: &Around) -> TokenStream {
    let mut fields = TokenStream::new();
    if let Some(status) = route.status {
        fields.extend(quote!(status: __z::Some(#status),));
    }
    let headers = route.headers.iter().map(|(name, value)| {
        let name = name.value().to_ascii_lowercase();
        quote!((#name, #value))
    });
    fields.extend(list("headers", headers));
    let is_body = |param: &Param| matches!(param.source, ParamSource::Body);
    if route.params.iter().any(is_body) {
        fields.extend(quote!(body: true,));
    }
    let limit = route.around.body_limit.as_ref();
    if let Some(limit) = limit.or(outer.body_limit.as_ref()) {
        fields.extend(quote!(body_limit: __z::Some(#limit),));
    }
    fields.extend(around(&route.around, ty));
    let params = route.params.iter().map(|param| {
        let (source, name) = match &param.source {
            ParamSource::Path { name, .. } => ("Param", name.as_str()),
            ParamSource::Query { name, .. } => ("Query", name.as_str()),
            ParamSource::Header { name } => ("Header", name.as_str()),
            ParamSource::Body => ("Body", ""),
            ParamSource::AllPath => ("Param", ""),
            ParamSource::AllQuery => ("Query", ""),
            ParamSource::AllHeaders => ("Header", ""),
            ParamSource::Extract { .. } | ParamSource::Context => ("Context", ""),
        };
        let source = format_ident!("{source}");
        quote!(__z::http::ParamDef { source: __z::http::ParamSource::#source, name: #name })
    });
    fields.extend(list("params", params));
    let verb = format_ident!("{}", route.verb.variant());
    let path = arguments::path(&route.path, ty);
    let handler = route.handler.to_string();
    let function = function_name(route);
    let cfgs = &route.cfgs;
    let at = route.handler.span().resolved_at(Span::call_site());
    let line = quote_spanned!(at=> ::core::line!());
    let plainest = quote! {
        __z::http::RouteDef::new(__z::http::Verb::#verb, #path, #handler, #function, __z::place(::core::file!(), #line))
    };
    if fields.is_empty() {
        quote!(#(#cfgs)* #plainest)
    } else {
        quote!(#(#cfgs)* __z::http::RouteDef { #fields ..#plainest })
    }
}

fn function_name(route: &Route) -> Ident {
    format_ident!("handler_{}", route.handler_index)
}

/// The function that takes a handler's arguments from a request and calls it.
fn function(ty: &Type, route: &Route) -> TokenStream {
    let name = function_name(route);
    let handler = &route.handler;
    let cfgs = &route.cfgs;
    let arguments: Vec<Ident> = (0..route.params.len())
        .map(|index| format_ident!("a{index}"))
        .collect();
    let mut extracts: Vec<TokenStream> = (0..)
        .zip(&route.params)
        .zip(&arguments)
        .map(|((index, param), name)| checked(ty, param, index, name, extract(param, name)))
        .collect();
    // From the first that has to be waited for on, they are taken in the future: in order, so that the
    // first that is wrong is answered.
    let mut params = route.params.iter();
    let before = params.position(waits).unwrap_or(extracts.len());
    let awaited: TokenStream = extracts.drain(before..).collect();
    let waits = !awaited.is_empty();
    let extracted: TokenStream = extracts.into_iter().collect();
    let levels = quote!(&&&&&&);
    // What the handler returns is judged where its return type stands.
    let at = match &route.output {
        ReturnType::Type(_, output) => output.span(),
        ReturnType::Default => handler.span(),
    }
    .resolved_at(Span::call_site());
    let call = if waits || route.borrows || route.params.len() > MOST_ARGUMENTS {
        let at = handler.span().resolved_at(Span::call_site());
        let wait = route.asyncness.then(|| quote!(.await));
        quote_spanned! {at=>
            __z::http::boxed(async move {
                #awaited
                let out = <#ty>::#handler(c, #(#arguments),*) #wait;
                let kind = (#levels __z::http::out_of(&out)).kind();
                __z::http::finish(out, kind)
            })
        }
    } else if route.asyncness {
        let (call, out) = (
            format_ident!("call{}", arguments.len()),
            format_ident!("out{}", arguments.len()),
        );
        quote_spanned! {at=>
            __z::http::#call(c, <#ty>::#handler, #(#arguments,)* (#levels __z::http::#out(&<#ty>::#handler)).kind())
        }
    } else {
        quote_spanned! {at=> {
            let out = <#ty>::#handler(c, #(#arguments),*);
            let kind = (#levels __z::http::out_of(&out)).kind();
            __z::http::sync(out, kind)
        }}
    };
    let unused = if route.params.is_empty() {
        quote!(_rq)
    } else {
        quote!(rq)
    };
    quote! {
        #(#cfgs)*
        fn #name<'a>(this: &'a __z::Handle, #unused: &'a __z::http::Rq) -> __z::http::Called<'a> {
            use __z::http::select::*;
            let c = __z::http::this::<#ty>(this);
            #extracted
            #call
        }
    }
}

/// `let a0 = ..;`
fn extract(param: &Param, name: &Ident) -> TokenStream {
    let ty = &param.ty;
    let at = ty.span().resolved_at(Span::call_site());
    let tag = tag(param);
    match &param.source {
        ParamSource::Path { name: key, .. } => {
            quote_spanned!(at=> let #name = #tag.param(rq, #key)?;)
        }
        ParamSource::Query { name: key, default } => {
            let default = if let Some(default) = default {
                quote_spanned!(at=> __z::Some(|| #default))
            } else {
                quote_spanned!(at=> __z::None)
            };
            quote_spanned!(at=> let #name = #tag.query(rq, #key, #default)?;)
        }
        ParamSource::Header { name: key } => {
            quote_spanned!(at=> let #name = #tag.header(rq, #key)?;)
        }
        ParamSource::Body => quote_spanned!(at=> let #name = #tag.body(rq)?;),
        ParamSource::AllPath => quote_spanned!(at=> let #name = #tag.param_all(rq)?;),
        ParamSource::AllQuery => quote_spanned!(at=> let #name = #tag.query_all(rq)?;),
        ParamSource::AllHeaders => quote_spanned!(at=> let #name = #tag.header_all(rq)?;),
        ParamSource::Extract { data } => {
            let data = if let Some(data) = data {
                let at = data.span().resolved_at(Span::call_site());
                quote_spanned!(at=> #data)
            } else {
                // Rustc points at it where the type is extracted from nothing.
                quote_spanned!(at=> ())
            };
            quote_spanned! {at=>
                let #name = match (&#tag).extract(rq, #data).await? {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(error) => {
                        let kind = __z::http::refused(&error);
                        return ::core::result::Result::Err((&&kind).reply(error));
                    }
                };
            }
        }
        ParamSource::Context if matches!(ty, Type::Reference(_)) => {
            quote_spanned!(at=> let #name = rq.context();)
        }
        ParamSource::Context => quote_spanned!(at=> let #name = #tag.context(rq)?;),
    }
}
