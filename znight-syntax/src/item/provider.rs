//! Providers: `#[injectable]` structs and impls, `#[factory]` impls.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{
    FnArg, Generics, Ident, ImplItem, ImplItemFn, Item, ItemImpl, Pat, ReturnType, Token, Type,
};

use super::{
    injection::{FieldKind, Injection},
    inner,
};
use crate::{
    Problems,
    attr::{self, ProviderArgs, ProvidesArgs},
    check,
    tokens::blank_bodies,
};

/// An `#[injectable]` item.
#[derive(Debug)]
pub struct Provider {
    /// The provided type as the item writes it.
    pub self_ty: Type,
    /// Where the item is named: the struct's name or the impl's type.
    pub named_at: TokenStream,
    /// The arguments of the attribute.
    pub args: ProviderArgs,
    /// How an instance is made.
    pub construct: Construct,
}

/// How an instance is made.
#[derive(Debug)]
pub enum Construct {
    /// A struct literal.
    Literal {
        /// The kind of struct.
        fields: Fields,
        /// Its fields, in order.
        members: Vec<FieldKind>,
    },
    /// A call of a constructor.
    Call {
        /// The constructor's name.
        function: Ident,
        /// Its `async`, if it is.
        asyncness: Option<Token![async]>,
        /// Its parameters, in order.
        params: Vec<Injection>,
        /// Its return type.
        output: ReturnType,
    },
}

/// The kind of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// `struct A { .. }`
    Named,
    /// `struct A(..);`
    Tuple,
    /// `struct A;`
    Unit,
}

/// A `#[factory]` item.
#[derive(Debug)]
pub struct Factory {
    /// The factory's type.
    pub self_ty: Type,
    /// Its `#[provides]` methods.
    pub methods: Vec<Provides>,
}

/// One `#[provides]` method.
#[derive(Debug)]
pub struct Provides {
    /// The method's name.
    pub name: Ident,
    /// The arguments of the attribute.
    pub args: ProvidesArgs,
    /// Its `async`, if it is.
    pub asyncness: Option<Token![async]>,
    /// Whether it takes `&self`; an associated function needs no instance.
    pub receiver: bool,
    /// Its parameters without the receiver.
    pub params: Vec<Injection>,
    /// The provided type, `Result` and `Option` peeled by name.
    pub provided: Type,
    /// Its `#[cfg(..)]` attributes.
    pub cfgs: Vec<syn::Attribute>,
}

impl Provider {
    /// Reads an `#[injectable]` item; none when it is no struct and no impl.
    pub fn read(args: TokenStream, item: TokenStream, problems: &mut Problems) -> Option<Self> {
        let args = attr::injectable_args(args, problems);
        match syn::parse2::<Item>(blank_bodies(item)) {
            Ok(Item::Struct(item)) => Self::from_struct(args, &item, problems),
            Ok(Item::Impl(item)) => Self::from_impl(args, &item, problems),
            Ok(other) => {
                problems
                    .misuse(&head(&other), "`#[injectable]` stands on a struct or on an `impl` with a constructor")
                    .hint("a value of another kind comes from a `#[provides]` method of a `#[factory]`");
                None
            }
            Err(error) => {
                problems.syntax(&error);
                None
            }
        }
    }

    fn from_struct(
        args: ProviderArgs,
        item: &syn::ItemStruct,
        problems: &mut Problems,
    ) -> Option<Self> {
        if refuses_lifetimes(&item.generics, problems)
            || refuses_generic_item(&item.ident.to_string(), &item.generics, problems)
        {
            return None;
        }
        let fields = match &item.fields {
            syn::Fields::Named(_) => Fields::Named,
            syn::Fields::Unnamed(_) => Fields::Tuple,
            syn::Fields::Unit => Fields::Unit,
        };
        let members = item
            .fields
            .iter()
            .map(|field| FieldKind::read(field, problems))
            .collect();
        let ident = &item.ident;
        Some(Self {
            self_ty: syn::parse_quote!(#ident),
            named_at: ident.to_token_stream(),
            args,
            construct: Construct::Literal { fields, members },
        })
    }

    fn from_impl(args: ProviderArgs, item: &ItemImpl, problems: &mut Problems) -> Option<Self> {
        if refuses_impl("injectable", item, problems) {
            return None;
        }
        let functions = || {
            item.items.iter().filter_map(|item| match item {
                ImplItem::Fn(function) => Some(function),
                _ => None,
            })
        };
        let mut marked = functions().filter(|function| {
            inner::named(&function.attrs, "constructor")
                .next()
                .is_some()
        });
        let constructor = match (marked.next(), marked.next()) {
            (Some(_), Some(second)) => {
                problems.misuse(
                    &second.sig.ident,
                    "only one function can be the `#[constructor]`",
                );
                return None;
            }
            (Some(function), None) => Some(function),
            (None, _) => functions().find(|function| function.sig.ident == "new"),
        };
        let Some(constructor) = constructor else {
            problems
                .misuse(&item.self_ty, "`#[injectable]` on an `impl` needs a constructor")
                .hint("name it `new`, mark another one `#[constructor]`, or put `#[injectable]` on the struct");
            return None;
        };
        let signature = &constructor.sig;
        if let Some(receiver) = signature.receiver() {
            problems.misuse(
                receiver,
                "a constructor takes no `self`: there is no instance yet",
            );
            return None;
        }
        if refuses_generics(&signature.generics, problems) {
            return None;
        }
        refuse_async(signature.asyncness, &args, problems);
        Some(Self {
            self_ty: (*item.self_ty).clone(),
            named_at: item.self_ty.to_token_stream(),
            args,
            construct: Construct::Call {
                function: signature.ident.clone(),
                asyncness: signature.asyncness,
                params: parameters(constructor, problems),
                output: signature.output.clone(),
            },
        })
    }

    /// What is injected, in order.
    pub fn injections(&self) -> Vec<&Injection> {
        match &self.construct {
            Construct::Literal { members, .. } => members
                .iter()
                .filter_map(|member| match member {
                    FieldKind::Injected(injection) => Some(injection),
                    FieldKind::Init { .. } => None,
                })
                .collect(),
            Construct::Call { params, .. } => params.iter().collect(),
        }
    }
}

impl Factory {
    /// Reads a `#[factory]` item; none when it is no inherent impl.
    pub fn read(args: &TokenStream, item: TokenStream, problems: &mut Problems) -> Option<Self> {
        if !args.is_empty() {
            problems
                .misuse(args, "`#[factory]` takes no arguments")
                .hint("options stand on its `#[provides]` methods");
        }
        let item = match syn::parse2::<Item>(blank_bodies(item)) {
            Ok(Item::Impl(item)) => item,
            Ok(other) => {
                problems.misuse(
                    &head(&other),
                    "`#[factory]` stands on an `impl` with `#[provides]` methods",
                );
                return None;
            }
            Err(error) => {
                problems.syntax(&error);
                return None;
            }
        };
        if refuses_impl("factory", &item, problems) {
            return None;
        }
        let mut methods = Vec::new();
        for function in &item.items {
            let ImplItem::Fn(function) = function else {
                continue;
            };
            let mut attributes = inner::named(&function.attrs, "provides");
            let Some(attribute) = attributes.next() else {
                continue;
            };
            if let Some(second) = attributes.next() {
                problems.misuse(second, "`#[provides]` is given twice");
            }
            if let Some(method) = Provides::read(inner::args(attribute), function, problems) {
                methods.push(method);
            }
        }
        if methods.is_empty() && problems.is_empty() {
            problems.misuse(&item.self_ty, "a factory has no `#[provides]` method");
        }
        Some(Self {
            self_ty: (*item.self_ty).clone(),
            methods,
        })
    }
}

impl Provides {
    fn read(args: TokenStream, function: &ImplItemFn, problems: &mut Problems) -> Option<Self> {
        let args = attr::provides_args(args, problems);
        let signature = &function.sig;
        if refuses_generics(&signature.generics, problems) {
            return None;
        }
        if let Some(receiver) = signature.receiver()
            && !inner::is_shared(receiver)
        {
            problems.misuse(
                receiver,
                "a `#[provides]` method takes `&self`, or no `self` at all",
            );
            return None;
        }
        refuse_async(signature.asyncness, &args.provider, problems);
        let ReturnType::Type(_, output) = &signature.output else {
            problems
                .misuse(
                    &signature.ident,
                    format!(
                        "`{}` provides nothing: it has no return type",
                        signature.ident
                    ),
                )
                .hint("the return type is what the method provides");
            return None;
        };
        if matches!(**output, Type::ImplTrait(_)) {
            problems
                .misuse(
                    output,
                    "the provided type must be named: `impl Trait` has no name",
                )
                .hint("return the type itself, or `Arc<dyn Trait>` from a struct of yours");
            return None;
        }
        Some(Self {
            name: signature.ident.clone(),
            args,
            asyncness: signature.asyncness,
            receiver: signature.receiver().is_some(),
            params: parameters(function, problems),
            provided: peel(output).clone(),
            cfgs: inner::cfgs(&function.attrs),
        })
    }
}

/// The type inside `Result<.., E>`, `Option<..>` and `Arc<..>`, by name.
pub fn peel(ty: &Type) -> &Type {
    let name = super::injection::last_segment(ty);
    match (
        name.as_deref(),
        super::injection::type_arguments(ty).first(),
    ) {
        (Some("Result" | "Option" | "Arc"), Some(inner)) => peel(inner),
        _ => ty,
    }
}

/// The injected parameters of a function, receiver left out.
fn parameters(function: &ImplItemFn, problems: &mut Problems) -> Vec<Injection> {
    let mut params = Vec::new();
    for input in &function.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let ident = match &*typed.pat {
            Pat::Ident(pattern) => Some(pattern.ident.clone()),
            _ => None,
        };
        params.push(Injection::read(ident, &typed.ty, &typed.attrs, problems));
    }
    params
}

fn refuse_async(asyncness: Option<Token![async]>, args: &ProviderArgs, problems: &mut Problems) {
    if let (Some(asyncness), Some(scope)) = (asyncness, args.known_scope())
        && let Some(finding) = check::asyncness(scope)
    {
        problems.finding(&asyncness, finding);
    }
}

/// A struct with lifetimes and nothing else.
fn refuses_lifetimes(generics: &Generics, problems: &mut Problems) -> bool {
    let is_lifetime = |param: &syn::GenericParam| matches!(param, syn::GenericParam::Lifetime(_));
    if generics.params.is_empty() || !generics.params.iter().all(is_lifetime) {
        return false;
    }
    problems
        .misuse(
            &generics.params,
            "a provider borrows nothing: it lives as long as the application",
        )
        .hint("own what it holds: `String` instead of `&str`, `Arc<T>` instead of `&T`");
    true
}

/// A function with type parameters.
pub(super) fn refuses_generics(generics: &Generics, problems: &mut Problems) -> bool {
    if generics.params.is_empty() {
        return false;
    }
    problems
        .misuse(
            &generics.params,
            "nobody says which types these parameters stand for",
        )
        .hint("write the types that are meant instead of parameters");
    true
}

/// A struct or an impl with type parameters.
fn refuses_generic_item(ty: &str, generics: &Generics, problems: &mut Problems) -> bool {
    if generics.params.is_empty() {
        return false;
    }
    problems
        .misuse(&generics.params, "a generic item has no single type to provide")
        .hint(format!("provide it for each type that is needed: `#[injectable] impl {ty}<User> {{ fn new() -> Self {{ .. }} }}`"))
        .hint("or from a `#[provides]` method that returns it");
    true
}

pub(super) fn refuses_impl(attribute: &str, item: &ItemImpl, problems: &mut Problems) -> bool {
    if let Some((path, _)) = &item.trait_ {
        problems
            .misuse(
                path,
                format!(
                    "`#[{attribute}]` stands on an inherent `impl`, not on the impl of a trait"
                ),
            )
            .hint("implementations of traits are found by themselves");
        return true;
    }
    let name = super::injection::last_segment(&item.self_ty).unwrap_or_default();
    refuses_generic_item(&name, &item.generics, problems)
}

/// The keyword and name of an item: where to point when the whole of it is in the wrong place.
pub(super) fn head(item: &Item) -> TokenStream {
    match item {
        Item::Enum(item) => item.ident.to_token_stream(),
        Item::Union(item) => item.ident.to_token_stream(),
        Item::Fn(item) => item.sig.ident.to_token_stream(),
        Item::Trait(item) => item.ident.to_token_stream(),
        Item::Mod(item) => item.ident.to_token_stream(),
        Item::Struct(item) => item.ident.to_token_stream(),
        Item::Type(item) => item.ident.to_token_stream(),
        Item::Const(item) => item.ident.to_token_stream(),
        Item::Static(item) => item.ident.to_token_stream(),
        Item::Impl(item) => item.self_ty.to_token_stream(),
        other => other.to_token_stream(),
    }
}
