//! Arguments that are constant expressions, shown to rustc.
//!
//! Without it a constant that only attributes name would count as unused, and one that does not exist
//! as nobody's mistake. Where the build pass has told the value, rustc compares.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{Attribute, Type, spanned::Spanned as _};
use znight_contract::path::RoutePath;
use znight_syntax::{
    attr::{Argument, PathArg, ProviderArgs, Values},
    item::{Controller, Factory, Injection, Provider},
};

/// An item's arguments that are no literals.
#[derive(Debug, Default)]
pub(crate) struct Arguments(Vec<Shown>);

/// One of them.
#[derive(Debug)]
struct Shown {
    cfgs: Vec<Attribute>,
    /// The expression, of which rustc can tell the value.
    written: TokenStream,
    /// What it mentions, whether or not rustc knows such an expression.
    mentioned: TokenStream,
    at: Span,
    key: u64,
    /// Whether rustc knows the expression: `concat!` of constants is ours alone.
    known: bool,
}

impl Arguments {
    /// Those of an `#[injectable]` item.
    pub(crate) fn of_provider(provider: &Provider) -> Self {
        let mut found = Self::default();
        let injections = provider.injections();
        found.provider(&provider.args, injections, &[], &provider.self_ty);
        found
    }

    /// Those of a `#[factory]` item.
    pub(crate) fn of_factory(factory: &Factory) -> Self {
        let mut found = Self::default();
        for method in &factory.methods {
            let args = &method.args.provider;
            let params = method.params.iter();
            found.provider(args, params, &method.cfgs, &factory.self_ty);
        }
        found
    }

    /// Those of a `#[controller]` item.
    pub(crate) fn of_controller(controller: &Controller) -> Self {
        let mut found = Self::default();
        let ty = &controller.self_ty;
        found.add(controller.path.argument(), &[], ty);
        found.add(controller.scope.as_ref(), &[], ty);
        for route in &controller.routes {
            found.add(route.path.argument(), &route.cfgs, ty);
        }
        found
    }

    fn provider<'a>(
        &mut self,
        args: &ProviderArgs,
        injections: impl IntoIterator<Item = &'a Injection>,
        cfgs: &[Attribute],
        ty: &Type,
    ) {
        self.add(args.scope.as_ref(), cfgs, ty);
        self.add(args.name.as_ref(), cfgs, ty);
        for injection in injections {
            let all: Vec<Attribute> = cfgs.iter().chain(&injection.cfgs).cloned().collect();
            self.add(injection.qualifier.as_ref(), &all, ty);
        }
    }

    fn add<T>(&mut self, argument: Option<&Argument<T>>, cfgs: &[Attribute], ty: &Type) {
        let Some((argument, key)) = argument.and_then(|argument| Some((argument, argument.key()?)))
        else {
            return;
        };
        let written = outside(&argument.written, ty);
        let (mentioned, known) = without_concat(written.clone());
        self.0.push(Shown {
            cfgs: cfgs.to_vec(),
            written,
            mentioned,
            at: argument.written.span().resolved_at(Span::call_site()),
            key,
            known,
        });
    }

    /// Mentions each, so that rustc looks the names up.
    pub(crate) fn mentions(&self) -> TokenStream {
        self.0.iter().map(Shown::mention).collect()
    }

    /// Compares each with the value the build pass has found, where it has one.
    pub(crate) fn agreements(&self, values: &Values) -> TokenStream {
        self.0
            .iter()
            .map(|shown| match values.get(shown.key) {
                Some(text) if shown.known => {
                    let (cfgs, written) = (&shown.cfgs, &shown.written);
                    quote_spanned!(shown.at=> #(#cfgs)* const _: () = __z::agree(#written, #text);)
                }
                Some(_) => shown.mention(),
                // Only a name nobody has was left unsaid: rustc must not have it either.
                None => {
                    let (cfgs, mentioned) = (&shown.cfgs, &shown.mentioned);
                    quote_spanned!(shown.at=> #(#cfgs)* const _: () = __z::not_found(&#mentioned);)
                }
            })
            .collect()
    }
}

impl Arguments {
    /// Has rustc check paths nobody has evaluated: the glue must know that they have no parameters.
    ///
    /// Each is a constant of its own, since rustc looks into those of impls only when they are used.
    pub(crate) fn plain_paths(&self) -> TokenStream {
        self.0
            .iter()
            .map(
                |Shown {
                     cfgs, written, at, ..
                 }| {
                    quote_spanned!(*at=> #(#cfgs)* const _: () = __z::http::plain_path(#written);)
                },
            )
            .collect()
    }
}

impl Shown {
    fn mention(&self) -> TokenStream {
        let (cfgs, mentioned) = (&self.cfgs, &self.mentioned);
        // In a function, where rustc does not ask whether it is constant: that has been said.
        quote_spanned!(self.at=> #(#cfgs)* const _: fn() = || { let _ = #mentioned; };)
    }
}

/// An argument as an expression outside of its impl, where `Self` has no meaning.
pub(crate) fn outside(written: &syn::Expr, ty: &Type) -> TokenStream {
    replace_self(written.to_token_stream(), ty)
}

/// A type outside of its impl.
pub(crate) fn type_outside(written: &Type, ty: &Type) -> TokenStream {
    let tokens = replace_self(written.to_token_stream(), ty);
    replace_alone(tokens, ty)
}

/// Replaces what [`replace_self`] leaves: `Self` without a path behind it.
fn replace_alone(tokens: TokenStream, ty: &Type) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Ident(ident) if ident == "Self" => ty.to_token_stream(),
            TokenTree::Group(group) => regrouped(&group, replace_alone(group.stream(), ty)).into(),
            other => other.into(),
        })
        .collect()
}

fn replace_self(tokens: TokenStream, ty: &Type) -> TokenStream {
    let mut out = TokenStream::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(tree) = rest.next() {
        match tree {
            TokenTree::Ident(ident)
                if ident == "Self"
                    && matches!(rest.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':') =>
            {
                out.extend(quote!(<#ty>));
            }
            TokenTree::Group(group) => {
                out.extend([regrouped(&group, replace_self(group.stream(), ty))]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// `concat!(A, "b")` as `(A, "b",)`, and whether there was none: to rustc only literals can be joined.
fn without_concat(tokens: TokenStream) -> (TokenStream, bool) {
    let mut out = Vec::new();
    let mut none = true;
    let mut rest = tokens.into_iter().peekable();
    while let Some(tree) = rest.next() {
        match tree {
            TokenTree::Group(group) => {
                let (stream, inner) = without_concat(group.stream());
                none &= inner;
                out.push(regrouped(&group, stream));
            }
            TokenTree::Ident(ident)
                if ident == "concat"
                    && matches!(rest.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '!') =>
            {
                none = false;
                rest.next();
                out.push(parts(&ident, rest.next()));
            }
            other => out.push(other),
        }
    }
    (out.into_iter().collect(), none)
}

/// What stands in the parentheses behind `concat!`, as a tuple.
fn parts(name: &Ident, group: Option<TokenTree>) -> TokenTree {
    let Some(TokenTree::Group(group)) = group else {
        return TokenTree::Ident(name.clone());
    };
    let (stream, _) = without_concat(group.stream());
    let empty = stream.is_empty();
    let ends = stream.clone().into_iter().last();
    let comma = matches!(ends, Some(TokenTree::Punct(punct)) if punct.as_char() == ',');
    let stream = if empty || comma {
        stream
    } else {
        quote!(#stream,)
    };
    let mut tuple = Group::new(Delimiter::Parenthesis, stream);
    tuple.set_span(group.span());
    TokenTree::Group(tuple)
}

fn regrouped(group: &Group, stream: TokenStream) -> TokenTree {
    let mut new = Group::new(group.delimiter(), stream);
    new.set_span(group.span());
    TokenTree::Group(new)
}

/// A path for the run time: its text, or the expression where nobody has evaluated it.
pub(crate) fn path(path: &PathArg, ty: &Type) -> TokenStream {
    match (path.known(), path.argument()) {
        (None, Some(argument)) => outside(&argument.written, ty),
        (known, _) => {
            let text = known.unwrap_or_else(RoutePath::root).to_string();
            quote!(#text)
        }
    }
}
