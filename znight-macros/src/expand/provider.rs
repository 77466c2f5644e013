//! The glue of providers: how an instance is made, and what it is handed out as.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{Type, spanned::Spanned as _};
use znight_contract::ScopeKind;
use znight_syntax::{
    attr::{Argument, ProviderArgs},
    expand::glue::{self, coercions, id, lifecycle, recorded},
    item::{
        Construct, Factory, Fields, Injection, Provider, Provides, Wrapper, injection::FieldKind,
    },
    record::{Exist, Mocks, ProviderGlue},
};

use super::{
    Target,
    arguments::{Arguments, outside, type_outside},
    decisions,
};

/// The glue of an `#[injectable]` item.
pub(crate) fn injectable(target: &Target<'_>, provider: &Provider) -> TokenStream {
    let ty = &provider.self_ty;
    let glue = match target {
        Target::Marker(item, ..) => match recorded(item, None) {
            Some(glue) => Some(glue),
            None => return TokenStream::new(),
        },
        Target::Type(_) => None,
    };
    let mut by_value = ByValue::new(glue);
    let (make, asyncness) = match &provider.construct {
        Construct::Literal { fields, members } => {
            (literal(ty, *fields, members, &mut by_value), false)
        }
        Construct::Call {
            function,
            asyncness,
            params,
            ..
        } => {
            let args = arguments(params, &mut by_value);
            let wait = asyncness.map(|_| quote!(.await));
            // The call carries the constructor's span: what it returns is rustc's to judge there.
            let at = function.span().resolved_at(Span::call_site());
            (
                quote_spanned!(at=> <#ty>::#function(#(#args),*) #wait),
                asyncness.is_some(),
            )
        }
    };
    let at = match &provider.construct {
        Construct::Call {
            output: syn::ReturnType::Type(_, output),
            ..
        } => output.span(),
        _ => Span::call_site(),
    };
    let injections = provider.injections();
    let injected = !injections.is_empty();
    let make = Maker {
        ty,
        value: make,
        asyncness,
        injected,
        at,
    }
    .print();
    let lifecycle = lifecycle(ty);
    let injected = Injected {
        host: None,
        own: ty,
        ty,
        injections: &injections,
        mocks: target.mocks(),
    };
    let glue = one(glue, &provider.args, false, &make, &lifecycle, &injected);
    let agreements = agreements(target, || Arguments::of_provider(provider));
    quote!(#agreements #glue)
}

/// What rustc compares with the values the build pass has told. Elsewhere the arguments stand in the
/// glue themselves.
fn agreements(target: &Target<'_>, arguments: impl FnOnce() -> Arguments) -> TokenStream {
    match target {
        Target::Marker(_, values, _) => arguments().agreements(values),
        Target::Type(_) => TokenStream::new(),
    }
}

/// The glue of a `#[factory]` item: each method, and the type where nothing else provides it.
pub(crate) fn factory(target: &Target<'_>, factory: &Factory) -> TokenStream {
    let mut out = host(target, &factory.self_ty);
    out.extend(agreements(target, || Arguments::of_factory(factory)));
    for (index, method) in factory.methods.iter().enumerate() {
        out.extend(provides(target, factory, index, method));
    }
    out
}

/// The glue of the unit struct of a controller or factory.
pub(crate) fn host(target: &Target<'_>, ty: &Type) -> TokenStream {
    match target {
        Target::Marker(item, ..) => glue::host(item, ty),
        Target::Type(_) => TokenStream::new(),
    }
}

fn provides(
    target: &Target<'_>,
    factory: &Factory,
    index: usize,
    method: &Provides,
) -> TokenStream {
    let Target::Marker(item, ..) = target else {
        return TokenStream::new();
    };
    let Some(glue) = recorded(item, Some(index)) else {
        return TokenStream::new();
    };
    let (host, name, ty) = (&factory.self_ty, &method.name, &method.provided);
    let mut by_value = ByValue::new(Some(glue));
    let at = ty.span().resolved_at(Span::call_site());
    let wait = method.asyncness.map(|_| quote!(.await));
    let call = if method.receiver {
        by_value.next_is(false);
        let args = arguments(&method.params, &mut by_value);
        quote_spanned! {at=> {
            let host: ::std::sync::Arc<#host> = d.next();
            <#host>::#name(&host, #(#args),*) #wait
        }}
    } else {
        let args = arguments(&method.params, &mut by_value);
        quote_spanned!(at=> <#host>::#name(#(#args),*) #wait)
    };
    let make = Maker {
        ty,
        value: call,
        asyncness: method.asyncness.is_some(),
        injected: method.receiver || !method.params.is_empty(),
        at: ty.span(),
    }
    .print();
    let lifecycle = method_lifecycle(ty, method);
    let cfgs = &method.cfgs;
    let injections: Vec<&Injection> = method.params.iter().collect();
    let injected = Injected {
        host: method.receiver.then_some(host),
        own: host,
        ty,
        injections: &injections,
        mocks: target.mocks(),
    };
    let glue = one(
        Some(glue),
        &method.args.provider,
        method.args.clone,
        &make,
        &lifecycle,
        &injected,
    );
    quote!(#(#cfgs)* const _: () = { #glue };)
}

/// How the glue makes an instance.
struct Maker<'a> {
    /// The provided type.
    ty: &'a Type,
    /// The expression that gives it.
    value: TokenStream,
    /// Whether the expression awaits.
    asyncness: bool,
    /// Whether it takes dependencies.
    injected: bool,
    /// Where what it returns is judged.
    at: Span,
}

impl Maker<'_> {
    /// `fn make` and the constant that names it.
    fn print(&self) -> TokenStream {
        let (ty, value) = (self.ty, &self.value);
        let at = self.at.resolved_at(Span::call_site());
        let made = quote_spanned!(at=> __z::made::<#ty, _>(#value));
        let d = format_ident!("{}", if self.injected { "d" } else { "_d" });
        if self.asyncness {
            let mutable = self.injected.then(|| quote!(mut));
            quote! {
                fn make(#mutable #d: __z::Deps<'_>) -> __z::BoxFuture<'_, __z::Made> {
                    ::std::boxed::Box::pin(async move { #made })
                }
                const MAKE: __z::Make = __z::Make::Async(make);
            }
        } else {
            quote! {
                fn make(#d: &mut __z::Deps<'_>) -> __z::Made {
                    #made
                }
                const MAKE: __z::Make = __z::Make::Plain(make);
            }
        }
    }
}

/// The one constant of a provider, on the marker or on the type.
fn one(
    glue: Option<&ProviderGlue>,
    args: &ProviderArgs,
    clone: bool,
    make: &TokenStream,
    lifecycle: &TokenStream,
    injected: &Injected<'_>,
) -> TokenStream {
    let ty = injected.ty;
    let (functions, coercions) = coercions(ty, &spellings(glue, args));
    let clone = if clone {
        quote! {{
            let mut provider = __z::provider::<#ty>(MAKE, &[#(#coercions),*], #lifecycle);
            provider.clone = __z::Some(__z::clone_value::<#ty>);
            provider
        }}
    } else {
        quote!(__z::provider::<#ty>(MAKE, &[#(#coercions),*], #lifecycle))
    };
    let (said, provider) = injected.print(glue, clone);
    if let Some(glue) = glue {
        let guard = glue.guard.then(|| decisions::guard(glue.id, ty));
        let id = id(glue.id);
        quote! {
            #guard
            #make
            #functions
            #said
            impl __z::Provide<#id> for crate::__Znight {
                const P: __z::Provider = #provider;
            }
        }
    } else {
        let meta = meta(ty, args, injected.injections);
        quote! {
            #make
            #functions
            #said
            impl __z::Provided for #ty {
                const P: __z::Provider = #provider;
                const META: __z::ProviderMeta = #meta;
            }
        }
    }
}

/// What a provider is injected with, for test beds.
struct Injected<'a> {
    /// The type of a factory whose method takes `&self`.
    host: Option<&'a Type>,
    /// What `Self` is in the types of the injections.
    own: &'a Type,
    /// The provided type.
    ty: &'a Type,
    injections: &'a [&'a Injection],
    mocks: Mocks,
}

impl Injected<'_> {
    /// The list of the injections, and the provider that has it. Where no bed can look, there is none: to
    /// name every type once more costs the compiler as much as the rest of the glue.
    fn print(
        &self,
        glue: Option<&ProviderGlue>,
        provider: TokenStream,
    ) -> (TokenStream, TokenStream) {
        let nothing = self.host.is_none() && self.injections.is_empty();
        if nothing || !self.mocks.beds {
            return (TokenStream::new(), provider);
        }
        let cfg = match self.mocks.exist {
            Exist::Everywhere => TokenStream::new(),
            Exist::Tests => quote!(#[cfg(test)]),
        };
        let list = self.list(glue);
        let said = quote! {
            #cfg
            const INJECTED: &[__z::Injection] = {
                use __z::NoMock as _;
                &[#list]
            };
        };
        let provider = match self.mocks.exist {
            Exist::Everywhere => quote!(#provider.injected_with(INJECTED)),
            Exist::Tests => quote! {{
                let provider = #provider;
                #[cfg(test)]
                let provider = provider.injected_with(INJECTED);
                provider
            }},
        };
        (said, provider)
    }

    fn list(&self, glue: Option<&ProviderGlue>) -> TokenStream {
        let mut by_value = ByValue::new(glue);
        let host = self.host.map(|host| {
            by_value.next_is(false);
            quote!(__z::Asked::<::std::sync::Arc<#host>>::INJECTION.host(),)
        });
        let own = self.own;
        let rest = self.injections.iter().map(|injection| {
            let at = injection.ty.span().resolved_at(Span::call_site());
            let written = matches!(Wrapper::of(&injection.ty), Wrapper::Value);
            let (ty, cfgs) = (type_outside(&injection.ty, own), &injection.cfgs);
            let named = injection.qualifier.as_ref().map(|qualifier| {
                let name = outside(&qualifier.written, own);
                quote!(.named(__z::Some(#name)))
            });
            if by_value.take(written, !cfgs.is_empty()) {
                quote_spanned!(at=> #(#cfgs)* __z::Injection::value::<#ty>() #named,)
            } else {
                quote_spanned!(at=> #(#cfgs)* __z::Asked::<#ty>::INJECTION #named,)
            }
        });
        let rest: TokenStream = rest.collect();
        quote!(#host #rest)
    }
}

/// The trait objects of a provider: as recorded, or as declared where nothing is recorded.
fn spellings(glue: Option<&ProviderGlue>, args: &ProviderArgs) -> Vec<(TokenStream, bool)> {
    match glue {
        Some(recorded) => glue::spellings(recorded),
        None => args
            .declared
            .iter()
            .map(|declared| (declared.ty.to_token_stream(), false))
            .collect(),
    }
}

/// The hooks of a provided value: those it implements, else the functions that are named.
fn method_lifecycle(ty: &Type, method: &Provides) -> TokenStream {
    let sized = !matches!(ty, Type::TraitObject(_));
    let base = if sized {
        lifecycle(ty)
    } else {
        quote!(__z::Lifecycle::NONE)
    };
    let hook = |path: &syn::Path| {
        let at = path.span().resolved_at(Span::call_site());
        let call = quote_spanned!(at=> __z::hook_output(#path(&value).await));
        quote! {
            __z::Some({
                fn hook(h: &__z::Handle) -> __z::BoxFuture<'_, __z::Result> {
                    let value = h.arc::<#ty>();
                    ::std::boxed::Box::pin(async move { #call })
                }
                hook
            })
        }
    };
    let overrides: Vec<TokenStream> = [
        ("dispose", &method.args.dispose),
        ("on_start", &method.args.on_start),
    ]
    .into_iter()
    .filter_map(|(field, path)| {
        let value = hook(path.as_ref()?);
        let field = format_ident!("{field}");
        Some(quote!(lifecycle.#field = #value;))
    })
    .collect();
    if overrides.is_empty() {
        return base;
    }
    quote! {{
        let mut lifecycle = #base;
        #(#overrides)*
        lifecycle
    }}
}

/// A struct literal with its dependencies.
fn literal(
    ty: &Type,
    fields: Fields,
    members: &[FieldKind],
    by_value: &mut ByValue<'_>,
) -> TokenStream {
    let values = members.iter().map(|member| match member {
        FieldKind::Injected(injection) => {
            let cfgs = &injection.cfgs;
            let value = taken(injection, by_value);
            if let Some(ident) = &injection.ident {
                quote!(#(#cfgs)* #ident: #value)
            } else {
                quote!(#(#cfgs)* #value)
            }
        }
        FieldKind::Init {
            ident, value, cfgs, ..
        } => {
            let value = if let Some(value) = value {
                value.to_token_stream()
            } else {
                quote!(::core::default::Default::default())
            };
            if let Some(ident) = ident {
                quote!(#(#cfgs)* #ident: #value)
            } else {
                quote!(#(#cfgs)* #value)
            }
        }
    });
    match fields {
        Fields::Named => quote!(#ty { #(#values),* }),
        Fields::Tuple => quote!(#ty(#(#values),*)),
        Fields::Unit => ty.to_token_stream(),
    }
}

fn arguments(params: &[Injection], by_value: &mut ByValue<'_>) -> Vec<TokenStream> {
    params
        .iter()
        .map(|injection| {
            let cfgs = &injection.cfgs;
            let value = taken(injection, by_value);
            quote!(#(#cfgs)* #value)
        })
        .collect()
}

/// One dependency; its type is inferred, so that errors and lints name the user's type once.
fn taken(injection: &Injection, by_value: &mut ByValue<'_>) -> TokenStream {
    let at = injection.ty.span().resolved_at(Span::call_site());
    let written = matches!(Wrapper::of(&injection.ty), Wrapper::Value);
    let switched = !injection.cfgs.is_empty();
    if by_value.take(written, switched) {
        quote_spanned!(at=> d.value())
    } else {
        quote_spanned!(at=> d.next())
    }
}

/// Whether each injection is taken by value: as recorded (aliases seen through), else as written.
struct ByValue<'a> {
    recorded: Option<std::slice::Iter<'a, bool>>,
}

impl<'a> ByValue<'a> {
    fn new(glue: Option<&'a ProviderGlue>) -> Self {
        Self {
            recorded: glue.map(|glue| glue.by_value.iter()),
        }
    }

    fn take(&mut self, written: bool, switched: bool) -> bool {
        // A field behind `cfg` may be missing from the record: its spelling decides.
        match &mut self.recorded {
            Some(recorded) if !switched => recorded.next().copied().unwrap_or(written),
            _ => written,
        }
    }

    fn next_is(&mut self, value: bool) {
        self.take(value, false);
    }
}

/// What a provider outside an analysed crate says of itself.
fn meta(ty: &Type, args: &ProviderArgs, injections: &[&Injection]) -> TokenStream {
    let display =
        znight_contract::display::short(&ty.to_token_stream().to_string().replace(' ', ""));
    let scope = format_ident!(
        "{}",
        // A scope that is no literal has been refused here.
        match args.known_scope().unwrap_or_default() {
            ScopeKind::Singleton => "Singleton",
            ScopeKind::Request => "Request",
            ScopeKind::Transient => "Transient",
        }
    );
    let name = option(args.name.as_ref(), ty);
    let primary = args.primary;
    let deps = injections.iter().map(|injection| {
        let name = option(injection.qualifier.as_ref(), ty);
        let (ty, cfgs) = (&injection.ty, &injection.cfgs);
        let at = ty.span().resolved_at(Span::call_site());
        if Wrapper::of(ty) == Wrapper::Value {
            quote_spanned!(at=> #(#cfgs)* __z::DynDep::value::<#ty>(#name))
        } else {
            quote_spanned!(at=> #(#cfgs)* __z::DynDep::of::<#ty>(#name))
        }
    });
    quote! {
        __z::ProviderMeta {
            token: ::core::concat!(::core::module_path!(), "::", #display),
            display: #display,
            scope: __z::ScopeKind::#scope,
            name: #name,
            primary: #primary,
            deps: &[#(#deps),*],
            source: __z::place(::core::file!(), ::core::line!()),
        }
    }
}

fn option(argument: Option<&Argument<String>>, ty: &Type) -> TokenStream {
    if let Some(argument) = argument {
        let written = outside(&argument.written, ty);
        quote!(__z::Some(#written))
    } else {
        quote!(__z::None)
    }
}
