//! The methods interceptors are put around.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{FnArg, ReceiverKind, Safety, Type, spanned::Spanned as _};

use super::{Host, report};
use crate::{
    Problems,
    item::{Interception, Method, Parameter},
};

/// A method whose calls go through a chain of interceptors, the outermost first.
///
/// The chain is in the field `interceptors` of the instance; where it is empty, the method is called
/// at once. What the interceptor is and what its options are is for rustc to judge, at the attribute.
///
/// The method has passed [`check`].
pub fn method(facade: &TokenStream, chain: &[Interception], mut method: Method) -> TokenStream {
    let awaited = method.awaited();
    let is_async = awaited.is_some();
    let written_async = method.sig.asyncness.is_some();
    let output = awaited.unwrap_or_else(|| method.returned());
    let generics: Vec<String> = method
        .sig
        .generics
        .type_params()
        .map(|param| param.ident.to_string())
        .collect();
    let name = method.sig.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
    let parameters = method.take_parameters();
    let names = parameters.iter().map(|parameter| &parameter.shown);
    let arguments = parameters
        .iter()
        .map(|parameter| argument(parameter, &generics));
    let patterns = parameters.iter().map(|parameter| &parameter.pattern);
    let kind = kind(&output, &generics);
    let body = body(&method, &output, is_async, written_async);
    let links = links(chain, is_async);
    let (call, wait) = if is_async {
        (quote!(__z::call_async), quote!(.await))
    } else {
        (quote!(__z::call_sync), TokenStream::new())
    };
    // The field, at the attribute: where there is none, that is the place to say so.
    let at = chain
        .first()
        .map_or_else(Span::call_site, |link| link.interceptor.span())
        .resolved_at(Span::call_site());
    let interceptors = quote_spanned!(at=> &self.interceptors);
    let call = quote! {
        let __interceptors = #interceptors;
        let __arguments = (#(#arguments,)*);
        let mut __body = __z::taking(&__arguments, move |(#(__z::Arg(_, #patterns),)*)| #body);
        if __interceptors.is_empty() {
            __body(__arguments)#wait
        } else {
            #call(__interceptors, self, &__METHOD, #kind, __arguments, __body, |__i| #links)#wait
        }
    };
    let call = if is_async && !written_async {
        quote!(::std::boxed::Box::pin(async move { #call }))
    } else {
        call
    };
    let Method {
        attrs, vis, sig, ..
    } = &method;
    quote! {
        #(#attrs)* #vis #sig {
            use #facade::__private::intercept as __z;
            use #facade::__private::intercept::{Otherwise as _, OtherwiseFails as _, ResultFails as _};
            static __METHOD: __z::Method = __z::Method {
                name: #name,
                arguments: &[#(#names),*],
            };
            #call
        }
    }
}

/// What a method must be like.
pub fn check(method: &Method, problems: &mut Problems) {
    let sig = &method.sig;
    match sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) if is_shared(receiver) => {}
        Some(FnArg::Receiver(receiver)) => {
            problems
                .misuse(receiver, "an intercepted method takes `&self`")
                .hint("an interceptor may call it several times: keep what changes behind a lock or in atomics");
        }
        _ => {
            problems
                .misuse(
                    &sig.ident,
                    "an intercepted function is a method: it takes `&self`",
                )
                .hint("its interceptors are those of the instance");
        }
    }
    if let Some(token) = &sig.constness {
        problems.misuse(token, "a `const fn` cannot be intercepted");
    }
    if let Safety::Unsafe(token) = &sig.safety {
        problems.misuse(token, "an `unsafe fn` cannot be intercepted");
    }
    if sig.inputs.len() > 13 {
        problems
            .misuse(
                &sig.ident,
                "an intercepted method has 12 parameters at most",
            )
            .hint("put some of them into a struct");
    }
}

/// `&self`, `self: &Self`.
fn is_shared(receiver: &syn::Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutable) => mutable.is_none(),
        ReceiverKind::Typed(_, ty) => {
            matches!(&**ty, Type::Reference(reference) if reference.mutability.is_none())
        }
        _ => false,
    }
}

/// One argument, with what may be done with it.
fn argument(parameter: &Parameter, generics: &[String]) -> TokenStream {
    let name = &parameter.name;
    let owned = yes(is_owned(&parameter.ty, generics));
    quote! {
        __z::Arg((#owned, __z::Of::the(&#name).shown(), __z::Of::the(&#name).cloned()), #name)
    }
}

/// What may be done with the result.
fn kind(output: &Type, generics: &[String]) -> TokenStream {
    if mentions(output.to_token_stream(), &|word| word == "impl") {
        return quote!((__z::No, __z::No, __z::No));
    }
    let owned = yes(is_owned(output, generics));
    quote! {
        (#owned, __z::Of::<#output>::a().shown(), (&__z::Of::<#output>::a()).fails())
    }
}

fn yes(is: bool) -> TokenStream {
    let answer = format_ident!("{}", if is { "Yes" } else { "No" });
    quote!(__z::#answer)
}

/// The body, as what a closure gives.
///
/// An early return that never happens says what type it has, so that everything in it is coerced as in the
/// method itself.
fn body(method: &Method, output: &Type, is_async: bool, written_async: bool) -> TokenStream {
    let body = &method.body;
    let named = !mentions(output.to_token_stream(), &|word| word == "impl");
    let at = body.span().resolved_at(Span::call_site());
    let typed = named.then(|| {
        let never = quote_spanned! {at=>
            if let ::core::option::Option::Some(__r) = ::core::option::Option::None::<#output> {
                return __r;
            }
        };
        quote!({ #never #body })
    });
    match (is_async, typed) {
        // What `#[async_trait]` made gives a boxed future.
        (true, _) if !written_async => body.to_token_stream(),
        (true, Some(typed)) => quote!(async move #typed),
        (true, None) => quote!(async move #body),
        (false, Some(typed)) => typed,
        (false, None) => body.to_token_stream(),
    }
}

/// The chain, from the outermost to the method.
fn links(chain: &[Interception], is_async: bool) -> TokenStream {
    let (link, bound) = if is_async {
        (quote!(link), quote!(MethodInterceptor))
    } else {
        (quote!(sync_link), quote!(SyncMethodInterceptor))
    };
    let mut inner = quote!(__z::End);
    for interception in chain.iter().rev() {
        let ty = &interception.interceptor;
        let at = ty.span().resolved_at(Span::call_site());
        let options = quote_spanned!(at=> <#ty as __z::#bound>::Options);
        let set = interception.options.iter().map(|(name, value)| {
            let at = value.span().resolved_at(Span::call_site());
            quote_spanned!(at=> __z::Assign::assign(&mut __o.#name, #value);)
        });
        let parameter = if interception.options.is_empty() {
            quote!(_)
        } else {
            quote!(__o)
        };
        let set = quote!(|#parameter| { #(#set)* });
        inner = if has_arguments(ty) {
            // A parameter of the `impl` may be among them, which a static cannot name.
            quote_spanned!(at=> __z::#link::<#ty, _>(__i, __z::Made::Now(__z::made::<#options>(#set)), #inner))
        } else {
            quote_spanned! {at=> {
                static __OPTIONS: ::std::sync::OnceLock<#options> = ::std::sync::OnceLock::new();
                __z::#link::<#ty, _>(__i, __z::Made::Once(__z::made_once(&__OPTIONS, #set)), #inner)
            }}
        };
    }
    inner
}

/// Whether arguments stand in a type: `Cache<User>`.
fn has_arguments(ty: &Type) -> bool {
    ty.to_token_stream().to_string().contains('<')
}

/// Whether a value of a type may be looked at by its type: it borrows nothing, and no parameter of the
/// method stands in it.
fn is_owned(ty: &Type, generics: &[String]) -> bool {
    !borrows(ty.to_token_stream())
        && !mentions(ty.to_token_stream(), &|word| {
            word == "impl" || generics.iter().any(|generic| generic == word)
        })
}

/// Whether a reference or a lifetime stands in a type.
fn borrows(tokens: TokenStream) -> bool {
    let is =
        |tree: &TokenTree, char| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == char);
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let found = if is(&tree, '&') {
            // A lifetime behind it says whether it is borrowed.
            !trees.peek().is_some_and(|next| is(next, '\''))
        } else if is(&tree, '\'') {
            // `'static` is not borrowed from anybody.
            trees.next().is_none_or(|name| name.to_string() != "static")
        } else if let TokenTree::Group(group) = tree {
            borrows(group.stream())
        } else {
            false
        };
        if found {
            return true;
        }
    }
    false
}

/// Whether a word stands in a type.
fn mentions(tokens: TokenStream, is: &dyn Fn(&str) -> bool) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => is(&ident.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), is),
        _ => false,
    })
}

/// The attributes of a method that are written below one another: the chain, outermost first.
///
/// `first` is the attribute that is being expanded; further ones of these names are taken from the method.
pub fn chain(
    first: TokenStream,
    names: &[&str],
    method: &mut Method,
    problems: &mut Problems,
) -> Vec<Interception> {
    let mut chain = Vec::new();
    let mut add = |args: TokenStream| match syn::parse2::<Interception>(args) {
        Ok(interception) => chain.push(interception),
        Err(error) => problems.syntax(&error),
    };
    add(first);
    method.attrs.retain(|attribute| {
        let last = attribute.path().segments.last();
        let ours = last.is_some_and(|last| names.iter().any(|name| last.ident == name));
        if ours {
            add(match &attribute.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            });
        }
        !ours
    });
    chain
}

/// The expansion of an attribute that puts an interceptor around a method.
pub fn attribute(facade: &TokenStream, args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut problems = Problems::new();
    let Ok(mut parsed) = syn::parse2::<Method>(item.clone()) else {
        problems
            .misuse(item, "only a method can be intercepted")
            .hint("put `#[intercept(..)]` on a method with a body, in the `impl` of a provider or of a trait for one");
        let problems = report::problems(&problems.into_vec());
        return quote!(#item #problems);
    };
    let chain = chain(args, &["intercept"], &mut parsed, &mut problems);
    if problems.is_empty() {
        check(&parsed, &mut problems);
    }
    if problems.is_empty() {
        return method(facade, &chain, parsed);
    }
    // Inside an `impl` there is no place for an error but a body.
    broken(&parsed, &report::problems(&problems.into_vec()))
}

/// The expansion of an attribute that stands for one interceptor: `#[timed(label = "find")]` for
/// `#[intercept(acme::Timed, label = "find")]`.
///
/// The build has to know of it: the package that brings the attribute says so under `interceptors` in its
/// `[package.metadata.znight]`. It stands above `#[intercept(..)]` on the same method, of which it is the
/// outer interceptor.
///
/// ```
/// use quote::quote;
/// use znight_syntax::expand::intercept;
///
/// // In a proc-macro crate: `#[proc_macro_attribute] pub fn timed(args: .., item: ..)`.
/// let expanded = intercept::standing_for(
///     &quote!(::acme::Timed),
///     &quote!(label = "find"),
///     &quote!(fn find(&self) -> u32 { 7 }),
/// );
/// assert!(expanded.to_string().contains(":: acme :: Timed"));
/// ```
pub fn standing_for(
    interceptor: &TokenStream,
    args: &TokenStream,
    item: &TokenStream,
) -> TokenStream {
    let place = Host::current().place(None);
    let facade: TokenStream = place.facade().parse().unwrap_or_else(|_| quote!(::znight));
    attribute(&facade, quote!(#interceptor, #args), item)
}

/// A method with an error in its body.
fn broken(method: &Method, errors: &TokenStream) -> TokenStream {
    let Method {
        attrs,
        vis,
        sig,
        body,
    } = method;
    let statements = body.stream();
    quote!(#(#attrs)* #vis #sig { #errors #statements })
}
