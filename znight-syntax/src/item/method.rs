//! A method with an attribute of its own, its body unread.

use proc_macro2::{Group, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Expr, FnArg, GenericArgument, Ident, Pat, PathArguments, Result, ReturnType,
    Signature, Token, Type, Visibility,
    ext::IdentExt as _,
    parse::{Parse, ParseStream},
};

/// A method in an `impl`.
#[derive(Debug)]
pub struct Method {
    /// Its attributes.
    pub attrs: Vec<Attribute>,
    /// Who may call it.
    pub vis: Visibility,
    /// Everything up to the body.
    pub sig: Signature,
    /// The body, as it is written.
    pub body: Group,
}

impl Parse for Method {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl Method {
    /// The type its future gives; none when it is not async.
    ///
    /// `#[async_trait]` has made `async fn` something that returns a boxed future when attributes inside
    /// see it.
    pub fn awaited(&self) -> Option<Type> {
        if self.sig.asyncness.is_some() {
            return Some(returned(&self.sig.output));
        }
        match &self.sig.output {
            ReturnType::Type(_, ty) => boxed_future(ty),
            ReturnType::Default => None,
        }
    }

    /// What it returns.
    pub fn returned(&self) -> Type {
        returned(&self.sig.output)
    }
}

/// What a signature says it returns.
fn returned(output: &ReturnType) -> Type {
    match output {
        ReturnType::Type(_, ty) => (**ty).clone(),
        ReturnType::Default => syn::parse_quote!(()),
    }
}

/// The output of a `Pin<Box<dyn Future<Output = T> ..>>`.
fn boxed_future(ty: &Type) -> Option<Type> {
    let inner = argument(ty, "Pin")?;
    let Type::TraitObject(object) = argument(&inner, "Box")? else {
        return None;
    };
    object.bounds.iter().find_map(|bound| {
        let syn::TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(output)
                if last.ident == "Future" && output.ident == "Output" =>
            {
                Some(output.ty.clone())
            }
            _ => None,
        })
    })
}

/// The argument of `name<T>`.
fn argument(ty: &Type, name: &str) -> Option<Type> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    if last.ident != name {
        return None;
    }
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

/// A parameter: the name the signature keeps, and the pattern the body wants.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Ident,
    /// What interceptors know it by: its name, or its position where a pattern stands.
    pub shown: String,
    /// What the body calls it.
    pub pattern: TokenStream,
    /// Its type.
    pub ty: Type,
}

impl Method {
    /// Takes the patterns out of the signature, where names remain. The receiver is left out.
    pub fn take_parameters(&mut self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for input in &mut self.sig.inputs {
            let FnArg::Typed(typed) = input else {
                continue;
            };
            let pattern = typed.pat.to_token_stream();
            let (name, shown) = match &mut *typed.pat {
                Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                    let shown = ident.ident.unraw().to_string();
                    // `_unused` is used now: by the interceptors.
                    if shown.starts_with('_') {
                        ident.ident = Ident::new(&format!("arg{shown}"), ident.ident.span());
                    }
                    ident.mutability = None;
                    (ident.ident.clone(), shown)
                }
                pattern => {
                    let name = quote::format_ident!("arg_{}", parameters.len());
                    *pattern = syn::parse_quote!(#name);
                    (name, parameters.len().to_string())
                }
            };
            parameters.push(Parameter {
                name,
                shown,
                pattern,
                ty: (*typed.ty).clone(),
            });
        }
        parameters
    }
}

/// `Timing, label = "users.find"`: an interceptor and its options.
#[derive(Debug)]
pub struct Interception {
    /// The interceptor.
    pub interceptor: Type,
    /// Its options: a field and a value each.
    pub options: Vec<(Ident, Expr)>,
}

impl Parse for Interception {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.is_empty() {
            return Err(syn::Error::new(
                Span::call_site(),
                "it does not say which interceptor: `#[intercept(Timing)]`",
            ));
        }
        let interceptor = input.parse()?;
        let mut options: Vec<(Ident, Expr)> = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name = input.call(Ident::parse_any)?;
            if let Some((known, _)) = options.iter().find(|(known, _)| *known == name) {
                return Err(syn::Error::new(
                    name.span(),
                    format!("`{known}` is set twice"),
                ));
            }
            if input.peek(Token![=]) {
                input.parse::<Token![=]>()?;
                options.push((name, input.parse()?));
            } else {
                // A flag.
                let set = syn::parse_quote_spanned!(name.span()=> true);
                options.push((name, set));
            }
        }
        Ok(Self {
            interceptor,
            options,
        })
    }
}

impl ToTokens for Method {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            attrs,
            vis,
            sig,
            body,
        } = self;
        tokens.extend(quote!(#(#attrs)* #vis #sig #body));
    }
}
