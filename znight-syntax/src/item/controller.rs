//! Controllers: `#[controller("/users")]` impls and their routes.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{
    Attribute, Expr, FnArg, GenericParam, Ident, ImplItem, ImplItemFn, Item, LitInt, LitStr, Pat,
    ReturnType, Token, Type,
    ext::IdentExt as _,
    parse::{ParseStream, Parser as _},
    punctuated::Punctuated,
    visit::Visit,
};
use znight_contract::{ScopeKind, path::RoutePath, size};

use super::{
    decide::{DECIDE, Decide},
    inner,
    provider::{head, refuses_generics, refuses_impl},
};
use crate::{
    Problems,
    attr::{self, Argument, OptValue, PathArg, Values, Verb},
    check::{self, RoutePart, Takes},
    tokens::blank_bodies,
};

/// A `#[controller]` item.
#[derive(Debug)]
pub struct Controller {
    /// The controller's type.
    pub self_ty: Type,
    /// Its path.
    pub path: PathArg,
    /// The scope of the type, where it is given here.
    pub scope: Option<Argument<ScopeKind>>,
    /// What wraps all its routes.
    pub around: Around,
    /// Its routes, in order; a method with two verbs makes two.
    pub routes: Vec<Route>,
}

/// Guards, interceptors and limits around a controller or a route.
#[derive(Debug, Default)]
pub struct Around {
    /// `#[guard(A, B)]`, in order.
    pub guards: Vec<Type>,
    /// `#[interceptor(A)]`, outermost first.
    pub interceptors: Vec<Type>,
    /// `#[body_limit(bytes)]`, `#[body_limit("10mb")]` as a number.
    pub body_limit: Option<Expr>,
    /// `#[decide(ROLES = &["admin"])]`, in order.
    pub decisions: Vec<Decide>,
}

/// One route.
#[derive(Debug)]
pub struct Route {
    /// The HTTP method.
    pub verb: Verb,
    /// The path below the controller's.
    pub path: PathArg,
    /// The name of the verb's attribute: where to point at a route without a path.
    pub verb_at: TokenStream,
    /// The method that handles it.
    pub handler: Ident,
    /// Its position among the handlers of the controller.
    pub handler_index: usize,
    /// Whether the method is `async`.
    pub asyncness: bool,
    /// The parameters without the receiver.
    pub params: Vec<Param>,
    /// The return type.
    pub output: ReturnType,
    /// `#[status(201)]`.
    pub status: Option<u16>,
    /// `#[header("name", "value")]`, in order.
    pub headers: Vec<(LitStr, LitStr)>,
    /// What wraps this route alone.
    pub around: Around,
    /// The method's `#[cfg(..)]` attributes.
    pub cfgs: Vec<Attribute>,
    /// Whether the signature borrows (a reference parameter, a lifetime or `impl` in the return
    /// type) so that the call must stand in a block of its own.
    pub borrows: bool,
}

/// One parameter of a handler.
#[derive(Debug)]
pub struct Param {
    /// Its name in the signature, if the pattern is one.
    pub ident: Option<Ident>,
    /// Its type as written.
    pub ty: Type,
    /// Where the value comes from.
    pub source: ParamSource,
    /// What checks it and makes the value: `schema = ..`.
    pub schema: Option<Expr>,
}

/// Where the value of a parameter comes from.
#[derive(Debug)]
pub enum ParamSource {
    /// `#[param]`: a segment of the path.
    Path {
        /// The name in the path.
        name: String,
        /// Where the name is written.
        at: TokenStream,
    },
    /// `#[query]`.
    Query {
        /// The key.
        name: String,
        /// `default = ..`
        default: Option<Expr>,
    },
    /// `#[headers("name")]`.
    Header {
        /// The name, lower case.
        name: String,
    },
    /// `#[body]`.
    Body,
    /// `#[param(flatten)]`: all path parameters in one value.
    AllPath,
    /// `#[query(flatten)]`: the whole query in one value.
    AllQuery,
    /// `#[headers(flatten)]`: all headers in one value.
    AllHeaders,
    /// `#[extract(data)]`: made from the request's context by its type or by a provider, with data.
    Extract {
        /// What the attribute says.
        data: Option<Expr>,
    },
    /// No attribute: taken from the request's context by its type.
    Context,
}

const SOURCES: [&str; 5] = ["param", "query", "headers", "body", "extract"];

impl Controller {
    /// Reads a `#[controller]` item, with the values of paths that are no literals; none when it is no
    /// inherent impl.
    pub fn read(
        args: &TokenStream,
        item: TokenStream,
        values: &Values,
        problems: &mut Problems,
    ) -> Option<Self> {
        let args = attr::controller_args(args, values, problems);
        let item = match syn::parse2::<Item>(blank_bodies(item)) {
            Ok(Item::Impl(item)) => item,
            Ok(other) => {
                problems
                    .misuse(
                        &head(&other),
                        "`#[controller]` stands on the `impl` that holds the handlers",
                    )
                    .hint("the struct itself is `#[injectable]`");
                return None;
            }
            Err(error) => {
                problems.syntax(&error);
                return None;
            }
        };
        if refuses_impl("controller", &item, problems) {
            return None;
        }
        let around = Around::read(&item.attrs, problems);
        let mut routes = Vec::new();
        let mut handlers = 0;
        for function in &item.items {
            let ImplItem::Fn(function) = function else {
                continue;
            };
            let handler = Handler {
                function,
                index: handlers,
            };
            if handler.read_routes(&args.path, values, &mut routes, problems) {
                handlers += 1;
            }
        }
        Some(Self {
            self_ty: (*item.self_ty).clone(),
            path: args.path,
            scope: args.scope,
            around,
            routes,
        })
    }
}

impl Around {
    fn read(attributes: &[Attribute], problems: &mut Problems) -> Self {
        let mut around = Self::default();
        for attribute in attributes {
            match inner::name(attribute).as_deref() {
                Some("guard") => around.guards.extend(types(attribute, "guard", problems)),
                Some("interceptor") => {
                    around
                        .interceptors
                        .extend(types(attribute, "interceptor", problems));
                }
                Some("body_limit") => around.body_limit = body_limit(attribute, problems),
                Some(DECIDE) => around.decisions.extend(Decide::read(attribute, problems)),
                _ => {}
            }
        }
        around
    }
}

/// A number of bytes: an expression, or a text such as `"10mb"`, which is made one.
fn body_limit(attribute: &Attribute, problems: &mut Problems) -> Option<Expr> {
    let Ok(limit) = syn::parse2::<Expr>(inner::args(attribute)) else {
        problems.misuse(
            attribute,
            "`#[body_limit]` takes a number of bytes or a size: `#[body_limit(64 * 1024)]`, `#[body_limit(\"10mb\")]`",
        );
        return None;
    };
    let Expr::Lit(syn::ExprLit {
        lit: syn::Lit::Str(text),
        ..
    }) = &limit
    else {
        return Some(limit);
    };
    match size::parse(&text.value()) {
        Ok(bytes) => {
            let bytes = LitInt::new(&format!("{bytes}u64"), text.span());
            Some(syn::parse_quote!(#bytes))
        }
        Err(error) => {
            problems.misuse(text, error.to_string());
            None
        }
    }
}

fn types(attribute: &Attribute, name: &str, problems: &mut Problems) -> Vec<Type> {
    let parsed = Punctuated::<Type, Token![,]>::parse_terminated.parse2(inner::args(attribute));
    match parsed {
        Ok(types) if !types.is_empty() => types.into_iter().collect(),
        _ => {
            problems.misuse(
                attribute,
                format!("`#[{name}]` lists types: `#[{name}(ApiKeyGuard)]`"),
            );
            Vec::new()
        }
    }
}

/// A method of a controller.
struct Handler<'a> {
    function: &'a ImplItemFn,
    /// Its position among those with a route.
    index: usize,
}

impl Handler<'_> {
    /// Reads the routes of the method; whether it has any.
    fn read_routes(
        &self,
        base: &PathArg,
        values: &Values,
        routes: &mut Vec<Route>,
        problems: &mut Problems,
    ) -> bool {
        let function = self.function;
        let verbs: Vec<(Verb, &Attribute)> = function
            .attrs
            .iter()
            .filter_map(|attribute| Some((Verb::parse(&inner::name(attribute)?)?, attribute)))
            .collect();
        if verbs.is_empty() {
            refuse_strays(function, problems);
            return false;
        }
        let signature = &function.sig;
        if refuses_generics_but_lifetimes(function, problems) {
            return false;
        }
        match signature.receiver() {
            Some(receiver) if super::inner::is_shared(receiver) => {}
            Some(receiver) => {
                problems
                    .misuse(
                        receiver,
                        "a handler takes `&self`: requests share the controller",
                    )
                    .hint("keep what changes behind a `Mutex` or an atomic");
                return false;
            }
            None => {
                problems.misuse(&signature.ident, "a handler takes `&self`");
                return false;
            }
        }
        for (verb, attribute) in verbs {
            let args = inner::args(attribute);
            let path = attr::route_path(verb.attribute(), &args, values, problems);
            if matches!(path, PathArg::Wrong) {
                continue;
            }
            let name = attribute.path();
            let mut route = Route {
                verb,
                path,
                verb_at: quote::quote!(#name),
                handler: signature.ident.clone(),
                handler_index: self.index,
                asyncness: signature.asyncness.is_some(),
                params: Vec::new(),
                output: signature.output.clone(),
                status: None,
                headers: Vec::new(),
                around: Around::read(&function.attrs, problems),
                cfgs: inner::cfgs(&function.attrs),
                borrows: false,
            };
            route.read_reply(function, problems);
            route.read_params(function, base, problems);
            route.check_path(base, problems);
            routes.push(route);
        }
        true
    }
}

impl Route {
    fn read_reply(&mut self, function: &ImplItemFn, problems: &mut Problems) {
        for attribute in &function.attrs {
            match inner::name(attribute).as_deref() {
                Some("status") => match syn::parse2::<LitInt>(inner::args(attribute))
                    .and_then(|status| status.base10_parse())
                {
                    Ok(status @ 200..=599) => self.status = Some(status),
                    _ => {
                        problems.misuse(
                            attribute,
                            "`#[status]` takes a number from 200 to 599: `#[status(202)]`",
                        );
                    }
                },
                Some("header") => {
                    let pair = |input: ParseStream<'_>| {
                        let name: LitStr = input.parse()?;
                        input.parse::<Token![,]>()?;
                        let value: LitStr = input.parse()?;
                        Ok((name, value))
                    };
                    match pair.parse2(inner::args(attribute)) {
                        Ok((name, value)) => self.check_header(name, value, problems),
                        Err(_) => {
                            problems.misuse(attribute, "`#[header]` takes a name and a value: `#[header(\"x-kind\", \"list\")]`");
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn check_header(&mut self, name: LitStr, value: LitStr, problems: &mut Problems) {
        if !check::is_token(&name.value()) {
            problems.misuse(&name, format!("`{}` is not a header name", name.value()));
        } else if !value
            .value()
            .bytes()
            .all(|byte| byte == b'\t' || (b' '..0x7f).contains(&byte))
        {
            problems.misuse(
                &value,
                "a header value is made of visible ASCII characters and spaces",
            );
        } else {
            self.headers.push((name, value));
        }
    }

    fn read_params(&mut self, function: &ImplItemFn, base: &PathArg, problems: &mut Problems) {
        let (base, own) = (base.known(), self.path.known());
        let path_names: Vec<&str> = [&base, &own]
            .into_iter()
            .flatten()
            .flat_map(RoutePath::params)
            .collect();
        let mut body_at = None;
        for input in &function.sig.inputs {
            let FnArg::Typed(typed) = input else { continue };
            let ident = match &*typed.pat {
                Pat::Ident(pattern) => Some(pattern.ident.clone()),
                _ => None,
            };
            let source = ParamSource::read(ident.as_ref(), &typed.attrs, &path_names, problems);
            let Some((source, schema)) = source else {
                continue;
            };
            if matches!(source, ParamSource::Body) && body_at.replace(typed).is_some() {
                problems.misuse(typed, "a handler reads the body once");
            }
            if matches!(*typed.ty, Type::Reference(_)) {
                self.borrows = true;
                if !matches!(source, ParamSource::Context) {
                    problems.finding(&typed.ty, check::borrowed());
                }
            }
            self.params.push(Param {
                ident,
                ty: (*typed.ty).clone(),
                source,
                schema,
            });
        }
        if let ReturnType::Type(_, output) = &function.sig.output {
            self.borrows |= borrows(output);
        }
    }

    /// Checks the path against the parameters, where all of it is known.
    fn check_path(&self, base: &PathArg, problems: &mut Problems) {
        let (Some(base), Some(path)) = (base.known(), self.path.known()) else {
            return;
        };
        let takes: Vec<Takes> = self.params.iter().map(Param::takes).collect();
        for (part, finding) in check::route(&base, &path, &self.handler.to_string(), &takes) {
            match part {
                RoutePart::Path => problems.finding(&self.place(), finding),
                RoutePart::Param(index) => problems.finding(&self.params[index].place(), finding),
            }
        }
    }

    /// Where to point at the route: its path, else its verb.
    pub fn place(&self) -> TokenStream {
        match self.path.argument() {
            Some(path) => path.to_token_stream(),
            None => self.verb_at.clone(),
        }
    }
}

impl Param {
    /// What it takes of the path.
    pub fn takes(&self) -> Takes {
        match (&self.source, &self.ident) {
            (ParamSource::Path { name, .. }, _) => Takes::Named(name.clone()),
            (ParamSource::Context, Some(ident)) => Takes::Bare(
                ident.unraw().to_string(),
                matches!(self.ty, Type::Reference(_)),
            ),
            (ParamSource::AllPath | ParamSource::Context, _) => Takes::All,
            _ => Takes::Nothing,
        }
    }

    /// Where to point at what it takes: its name in the path, else its type.
    pub fn place(&self) -> TokenStream {
        match &self.source {
            ParamSource::Path { at, .. } => at.clone(),
            _ => self.ty.to_token_stream(),
        }
    }
}

impl ParamSource {
    fn read(
        ident: Option<&Ident>,
        attributes: &[Attribute],
        path_names: &[&str],
        problems: &mut Problems,
    ) -> Option<(Self, Option<Expr>)> {
        let mut sources = attributes.iter().filter(|attribute| {
            inner::name(attribute).is_some_and(|name| SOURCES.contains(&name.as_str()))
        });
        let Some(attribute) = sources.next() else {
            let source = match ident {
                // A bare parameter named like one of the path is that parameter.
                Some(ident) if Takes::is_in_path(&ident.unraw().to_string(), path_names) => {
                    Self::Path {
                        name: ident.unraw().to_string(),
                        at: quote::quote!(#ident),
                    }
                }
                _ => Self::Context,
            };
            return Some((source, None));
        };
        if let Some(second) = sources.next() {
            problems.misuse(second, "a parameter has one source");
            return None;
        }
        let name = inner::name(attribute).unwrap_or_default();
        if name == "extract" {
            let args = inner::args(attribute);
            if args.is_empty() {
                return Some((Self::Extract { data: None }, None));
            }
            return match syn::parse2(args) {
                Ok(data) => Some((Self::Extract { data: Some(data) }, None)),
                Err(error) => {
                    problems.syntax(&error);
                    None
                }
            };
        }
        let mut args = SourceArgs::read(&name, attribute, problems)?;
        let schema = args.schema.take();
        Some((Self::of(&name, args, ident, attribute, problems)?, schema))
    }

    /// The source that an attribute with a name and these arguments means.
    fn of(
        name: &str,
        args: SourceArgs,
        ident: Option<&Ident>,
        attribute: &Attribute,
        problems: &mut Problems,
    ) -> Option<Self> {
        if name == "body" {
            if args.name.is_some() || args.flatten || args.default.is_some() {
                problems.misuse(
                    attribute,
                    "`#[body]` takes nothing but `schema = ..`: the whole body is the value",
                );
            }
            return Some(Self::Body);
        }
        if args.flatten {
            return Some(match name {
                "param" => Self::AllPath,
                "query" => Self::AllQuery,
                _ => Self::AllHeaders,
            });
        }
        let at = match (&args.name, ident) {
            (Some(literal), _) => quote::quote!(#literal),
            (None, Some(ident)) => quote::quote!(#ident),
            (None, None) => {
                problems.misuse(
                    attribute,
                    format!("this parameter has no name of its own: write `#[{name}(\"name\")]`"),
                );
                return None;
            }
        };
        let wire = args.name.as_ref().map_or_else(
            || {
                ident
                    .map(|ident| ident.unraw().to_string())
                    .unwrap_or_default()
            },
            LitStr::value,
        );
        Some(match name {
            "param" => Self::Path { name: wire, at },
            "query" => Self::Query {
                name: wire,
                default: args.default,
            },
            _ => {
                // `user_agent` names `user-agent`: header names have no underscores in practice.
                let wire = if args.name.is_some() {
                    wire
                } else {
                    wire.replace('_', "-")
                };
                if !check::is_token(&wire) {
                    problems.misuse(&at, format!("`{wire}` is not a header name"));
                    return None;
                }
                Self::Header {
                    name: wire.to_ascii_lowercase(),
                }
            }
        })
    }
}

/// `"name"`, `flatten`, `default = 1`, `schema = X`.
#[derive(Default)]
struct SourceArgs {
    name: Option<LitStr>,
    flatten: bool,
    default: Option<Expr>,
    schema: Option<Expr>,
}

impl SourceArgs {
    fn read(source: &str, attribute: &Attribute, problems: &mut Problems) -> Option<Self> {
        let mut args = Self::default();
        let mut rest = inner::args(attribute);
        let leading = |input: ParseStream<'_>| {
            let name: Option<LitStr> = if input.peek(LitStr) {
                Some(input.parse()?)
            } else {
                None
            };
            if name.is_some() && !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
            Ok((name, input.parse::<TokenStream>()?))
        };
        match leading.parse2(rest) {
            Ok((name, remaining)) => {
                args.name = name;
                rest = remaining;
            }
            Err(error) => {
                problems.syntax(&error);
                return None;
            }
        }
        let known: &[&str] = if source == "query" {
            &["flatten", "default", "schema"]
        } else {
            &["flatten", "schema"]
        };
        for opt in attr::options(rest, source, known, problems) {
            match (opt.name.to_string().as_str(), opt.value) {
                ("flatten", OptValue::Flag) => args.flatten = true,
                ("default", OptValue::Value(value)) => args.default = Some(*value),
                ("schema", OptValue::Value(value)) => args.schema = Some(*value),
                (name, _) => {
                    problems.misuse(
                        &opt.name,
                        format!(
                            "`{name}` is written {}",
                            match name {
                                "flatten" => "`flatten`",
                                "schema" => "`schema = value`",
                                _ => "`default = value`",
                            }
                        ),
                    );
                }
            }
        }
        if args.flatten && (args.name.is_some() || args.default.is_some()) {
            problems.misuse(
                attribute,
                "`flatten` takes everything: it has no name and no default",
            );
        }
        Some(args)
    }
}

/// Reports attributes of handlers on a method that handles nothing.
fn refuse_strays(function: &ImplItemFn, problems: &mut Problems) {
    for attribute in &function.attrs {
        let Some(name) = inner::name(attribute) else {
            continue;
        };
        if matches!(
            name.as_str(),
            "guard" | "interceptor" | "status" | "header" | "body_limit" | DECIDE
        ) {
            problems
                .misuse(
                    attribute,
                    format!(
                        "`#[{name}]` has no effect: `{}` is not a route",
                        function.sig.ident
                    ),
                )
                .hint("add a verb, such as `#[get(\"/path\")]`");
        }
    }
    for input in &function.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        for attribute in &typed.attrs {
            if inner::name(attribute).is_some_and(|name| SOURCES.contains(&name.as_str())) {
                problems
                    .misuse(
                        attribute,
                        format!(
                            "this attribute has no effect: `{}` is not a route",
                            function.sig.ident
                        ),
                    )
                    .hint("add a verb, such as `#[get(\"/path\")]`");
            }
        }
    }
}

fn refuses_generics_but_lifetimes(function: &ImplItemFn, problems: &mut Problems) -> bool {
    let generics = &function.sig.generics;
    if generics
        .params
        .iter()
        .all(|param| matches!(param, GenericParam::Lifetime(_)))
    {
        return false;
    }
    refuses_generics(generics, problems)
}

/// Whether a type mentions a lifetime, a reference or `impl Trait`.
fn borrows(ty: &Type) -> bool {
    #[derive(Default)]
    struct Search(bool);
    impl Visit<'_> for Search {
        fn visit_type_reference(&mut self, reference: &syn::TypeReference) {
            // `&'static str` is as good as owned.
            let is_static = reference
                .lifetime
                .as_ref()
                .is_some_and(|lifetime| lifetime.ident == "static");
            self.0 |= !is_static;
            syn::visit::visit_type_reference(self, reference);
        }
        fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
        fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut search = Search::default();
    search.visit_type(ty);
    search.0
}
