//! From text to facts.

mod extension;
mod held;
mod marked;
pub(crate) mod reading;
pub(crate) mod whole;
mod written;

pub(crate) use self::marked::Places;

use std::{collections::BTreeMap, rc::Rc};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericParam, Generics, ImplItem, Item, Lit, Meta, ReturnType,
    Token, TraitItem, Type, TypeParamBound, UseTree, WherePredicate, ext::IdentExt as _,
    punctuated::Punctuated,
};
use znight_syntax::{
    problem::ends,
    symbol::{INSIDE, Outer},
};

use self::written::{path, ty, value};
use super::{
    AttributeFact, ConstFact, FileFacts, GenericFact, ImplFact, InherentFact, InterceptedFact,
    ItemFact, ItemKind, MacroFact, MemberFact, ModuleFact, NotDyn, PathExpr, SyntaxFact, TraitFact,
    TypeFact, UseFact, Visibility,
};
use crate::{
    cfg::Condition,
    extension::{AttributeSpec, Extensions, attempt},
    source::{Span, blank::blank_bodies},
};

/// The names by which attributes are taken to be ours, and which of ours they are taken for.
///
/// What a name means is known only when all files are: an attribute that turns out to be ours under
/// another name is read once more, with that name.
#[derive(Debug, Clone)]
pub struct Names {
    /// By the last part of the attribute's path, the paths it is taken for.
    paths: BTreeMap<String, Vec<String>>,
    /// What the extensions say of theirs.
    specs: Rc<BTreeMap<String, (usize, AttributeSpec)>>,
    extensions: Extensions,
}

impl Default for Names {
    fn default() -> Self {
        Self::new(&Extensions::default())
    }
}

impl Names {
    /// The compiler's own names, and those of extensions.
    pub fn new(extensions: &Extensions) -> Self {
        let mut specs = BTreeMap::new();
        for (number, extension) in extensions.iter().enumerate() {
            for spec in attempt(|| extension.attributes()).unwrap_or_default() {
                specs.entry(spec.path.clone()).or_insert((number, spec));
            }
        }
        let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in CORE.into_iter().chain(specs.keys().map(String::as_str)) {
            let name = path.rsplit("::").next().unwrap_or(path);
            paths
                .entry(name.to_owned())
                .or_default()
                .push(path.to_owned());
        }
        Self {
            paths,
            specs: Rc::new(specs),
            extensions: extensions.clone(),
        }
    }

    /// The same names and one more.
    #[must_use]
    pub fn with(mut self, name: &str, path: &str) -> Self {
        let paths = self.paths.entry(name.to_owned()).or_default();
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
        self
    }

    /// Whether an attribute is ours, by its path.
    pub fn owns(&self, path: &str) -> bool {
        CORE.contains(&path) || self.specs.contains_key(path)
    }

    /// The paths an attribute may be taken for, by its last name.
    pub fn taken_for(&self, name: &str) -> &[String] {
        self.paths.get(name).map_or(&[], Vec::as_slice)
    }

    /// The extensions.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// What an extension says of its attribute.
    pub(crate) fn spec(&self, path: &str) -> Option<&(usize, AttributeSpec)> {
        self.specs.get(path)
    }

    /// Adds the names that the imports of a file give to ours.
    fn add_imports(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Use(item) => {
                    let mut found = Vec::new();
                    flatten(&item.tree, false, &mut Vec::new(), &mut found);
                    for fact in found {
                        if let (Some(alias), Some(name)) = (fact.alias, fact.path.last())
                            && alias != *name
                        {
                            for path in self.taken_for(name).to_vec() {
                                let names = self.paths.entry(alias.clone()).or_default();
                                if !names.contains(&path) {
                                    names.push(path);
                                }
                            }
                        }
                    }
                }
                Item::Mod(item) => {
                    if let Some((_, items)) = &item.content {
                        self.add_imports(items);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The attributes that belong to no extension.
const CORE: [&str; 2] = [Outer::Injectable.path(), Outer::Factory.path()];

/// What the items of one file are read with.
struct Reader<'a> {
    names: Names,
    tokens: &'a TokenStream,
}

/// Reads one file.
pub fn read(text: &str, names: &Names) -> FileFacts {
    // rustc does not count the byte order mark either.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let blank = without_shebang(blank_bodies(text));
    let parsed = blank
        .parse::<TokenStream>()
        .map_err(|error| syntax("unbalanced or unfinished".to_owned(), error.span()))
        .and_then(|tokens| match syn::parse2::<syn::File>(tokens.clone()) {
            Ok(file) => Ok((file, tokens)),
            Err(error) => Err(syntax(error.to_string(), error.span())),
        });
    let (file, tokens) = match parsed {
        Ok(parsed) => parsed,
        Err(broken) => {
            return FileFacts {
                items: Vec::new(),
                conditions: Vec::new(),
                broken: Some(broken),
            };
        }
    };
    let mut names = names.clone();
    names.add_imports(&file.items);
    let reader = Reader {
        names,
        tokens: &tokens,
    };
    FileFacts {
        items: reader.items(file.items),
        conditions: attributes(&file.attrs).conditions,
        broken: None,
    }
}

/// The text with a line `#!/usr/bin/env ..` replaced by spaces.
fn without_shebang(mut text: String) -> String {
    if text.starts_with("#!") && !text[2..].trim_start().starts_with('[') {
        let end = text.find('\n').unwrap_or(text.len());
        text.replace_range(..end, &" ".repeat(end));
    }
    text
}

fn syntax(message: String, at: proc_macro2::Span) -> SyntaxFact {
    SyntaxFact {
        message,
        span: span(at, at),
    }
}

impl Reader<'_> {
    fn items(&self, items: Vec<Item>) -> Vec<ItemFact> {
        items
            .into_iter()
            .flat_map(|parsed| match parsed {
                Item::Macro(call) => match self.chosen(&call) {
                    Some(held) => held,
                    None => self.item(Item::Macro(call)).into_iter().collect(),
                },
                Item::ForeignMod(block) => held::foreign(block),
                parsed => self.item(parsed).into_iter().collect(),
            })
            .collect()
    }

    fn item(&self, item: Item) -> Option<ItemFact> {
        let attrs: &[Attribute] = match &item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::ExternCrate(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::TraitAlias(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Union(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            // Syntax newer than the parser, whatever it declares.
            Item::Verbatim(_) => &[],
            _ => return None,
        };
        let read = attributes(attrs);
        let (name, name_at) = name(&item);
        let marked = self.marked(&read, &item, attrs, name_at);
        let visibility = match &item {
            Item::Const(item) => visibility(&item.vis),
            Item::Enum(item) => visibility(&item.vis),
            Item::ExternCrate(item) => visibility(&item.vis),
            Item::Fn(item) => visibility(&item.vis),
            Item::Mod(item) => visibility(&item.vis),
            Item::Static(item) => visibility(&item.vis),
            Item::Struct(item) => visibility(&item.vis),
            Item::Trait(item) => visibility(&item.vis),
            Item::Type(item) => visibility(&item.vis),
            Item::Union(item) => visibility(&item.vis),
            Item::Use(item) => visibility(&item.vis),
            _ => Visibility::Private,
        };
        let kind = match item {
            Item::Mod(item) => ItemKind::Module(ModuleFact {
                inline: item.content.map(|(_, content)| self.items(content)),
                paths: read.paths,
            }),
            Item::Use(item) => {
                let mut found = Vec::new();
                flatten(
                    &item.tree,
                    item.leading_colon.is_some(),
                    &mut Vec::new(),
                    &mut found,
                );
                ItemKind::Use(found)
            }
            Item::ExternCrate(item) => ItemKind::ExternCrate(item.ident.unraw().to_string()),
            Item::Struct(item) => ItemKind::Struct(TypeFact {
                generics: generics(&item.generics),
                derives: read.derives,
                unit: item.fields.is_empty(),
                named: matches!(&item.fields, syn::Fields::Named(fields) if !fields.named.is_empty()),
            }),
            Item::Enum(item) => ItemKind::Other(TypeFact {
                generics: generics(&item.generics),
                derives: read.derives,
                unit: false,
                named: false,
            }),
            Item::Union(item) => ItemKind::Other(TypeFact {
                generics: generics(&item.generics),
                derives: read.derives,
                unit: false,
                named: false,
            }),
            Item::Type(item) => ItemKind::Alias(generics(&item.generics), ty(&item.ty)),
            Item::Trait(item) => {
                let made_dyn = read.ours.iter().any(|attribute| {
                    attribute
                        .fact
                        .path
                        .last()
                        .is_some_and(|last| last == "async_trait")
                });
                ItemKind::Trait(Box::new(TraitFact {
                    generics: generics(&item.generics),
                    supertraits: supertraits(&item),
                    not_dyn: not_dyn(&item, made_dyn),
                    has_types: item.items.iter().any(|member| {
                        matches!(member, TraitItem::Type(member) if !sized_only(&member.generics))
                    }),
                }))
            }
            Item::Impl(item) => match item.trait_ {
                Some((implemented, _)) if item.modifiers.polarity.is_none() => {
                    ItemKind::Impl(Box::new(ImplFact {
                        generics: generics(&item.generics),
                        path: path(&implemented),
                        self_ty: ty(&item.self_ty),
                        intercepted: intercepted(&item.items),
                        consts: consts(&item.items),
                    }))
                }
                Some(_) => return None,
                None => ItemKind::Inherent(InherentFact {
                    generics: generics(&item.generics),
                    self_ty: ty(&item.self_ty),
                    intercepted: intercepted(&item.items),
                    consts: consts(&item.items),
                }),
            },
            Item::Macro(item) if item.ident.is_some() => ItemKind::MacroRules,
            Item::Macro(item) => ItemKind::MacroCall(self.call(&item.mac)),
            Item::Verbatim(tokens) => ItemKind::MacroCall(MacroFact {
                path: Vec::new(),
                ours: self.our_names(&tokens),
                items: Vec::new(),
                include: None,
            }),
            Item::Const(item) => ItemKind::Const(ConstFact {
                ty: ty(&item.ty),
                value: value(&item.expr),
            }),
            Item::Static(_) => ItemKind::Static,
            _ => ItemKind::Function,
        };
        Some(ItemFact {
            name,
            visibility,
            conditions: read.conditions,
            attributes: read
                .ours
                .into_iter()
                .map(|attribute| attribute.fact)
                .collect(),
            marked,
            name_at: span(name_at, name_at),
            kind,
        })
    }

    fn call(&self, call: &syn::Macro) -> MacroFact {
        let path = segments(&call.path);
        let name = path.last().map_or("", String::as_str);
        let items = if name.starts_with("cfg_") {
            self.held(call.tokens.clone())
        } else {
            Vec::new()
        };
        let include = (path == ["include"])
            .then(|| call.parse_body::<syn::LitStr>().ok())
            .flatten();
        MacroFact {
            ours: self.our_names(&call.tokens),
            items,
            include: include.map(|literal| literal.value()),
            path,
        }
    }

    /// What the attributes of an item say that are taken to be ours.
    fn marked(
        &self,
        read: &Attributes,
        item: &Item,
        attrs: &[Attribute],
        name_at: proc_macro2::Span,
    ) -> Vec<Rc<super::Marked>> {
        let mut found = Vec::new();
        let mut slice_of_item = None;
        for (index, attribute) in read.ours.iter().enumerate() {
            let name = attribute.fact.path.last().map_or("", String::as_str);
            let paths = self.names.taken_for(name);
            if paths.is_empty() {
                continue;
            }
            // Printing an item to find its ends costs as much as parsing it: only where it matters.
            let (start, tokens) = slice_of_item.get_or_insert_with(|| {
                let range = range(item, attrs);
                (range.0, slice(self.tokens, range))
            });
            for path in paths {
                let source = marked::Source {
                    attribute: index,
                    path,
                    args: &attribute.args,
                    tokens,
                    start: *start,
                    name: name_at,
                };
                found.push(Rc::new(source.read(item, &self.names)));
            }
        }
        found
    }

    /// The names of our attributes among the tokens of a macro call: `#[injectable]` in there is out of
    /// reach.
    fn our_names(&self, tokens: &TokenStream) -> Vec<String> {
        let mut found = Vec::new();
        let mut trees = tokens.clone().into_iter().peekable();
        while let Some(tree) = trees.next() {
            match (&tree, trees.peek()) {
                (TokenTree::Punct(punct), Some(TokenTree::Group(group)))
                    if punct.as_char() == '#' =>
                {
                    let name = group
                        .stream()
                        .into_iter()
                        .take_while(|tree| !matches!(tree, TokenTree::Group(_)))
                        .filter_map(|tree| match tree {
                            TokenTree::Ident(ident) => Some(ident.to_string()),
                            _ => None,
                        });
                    found.extend(
                        name.last()
                            .filter(|name| !self.names.taken_for(name).is_empty()),
                    );
                }
                (TokenTree::Group(group), _) => found.extend(self.our_names(&group.stream())),
                _ => {}
            }
        }
        found
    }
}

/// The names of a path.
fn segments(path: &syn::Path) -> Vec<String> {
    path.segments
        .iter()
        .map(|segment| segment.ident.unraw().to_string())
        .collect()
}

/// From the start of one token to the end of another.
pub(crate) fn span(first: proc_macro2::Span, last: proc_macro2::Span) -> Span {
    let (start, end) = (first.start(), last.end().max(first.end()));
    Span::new((start.line, start.column + 1), (end.line, end.column + 1))
}

/// The attributes of methods that may stand for interceptors: all but those that are read by others.
fn intercepted(items: &[ImplItem]) -> Vec<InterceptedFact> {
    let mut found = Vec::new();
    for item in items {
        let ImplItem::Fn(method) = item else {
            continue;
        };
        let read = attributes(&method.attrs);
        for attribute in read.ours {
            let name = attribute.fact.path.last().map_or("", String::as_str);
            if INSIDE.contains(&name) {
                continue;
            }
            let interceptor = syn::parse::Parser::parse2(
                |input: syn::parse::ParseStream<'_>| {
                    let interceptor = input.parse::<Type>()?;
                    input.parse::<TokenStream>()?;
                    Ok(interceptor)
                },
                attribute.args,
            );
            let mut conditions = read.conditions.clone();
            conditions.extend(attribute.fact.conditions);
            found.push(InterceptedFact {
                name: method.sig.ident.unraw().to_string(),
                name_at: span(method.sig.ident.span(), method.sig.ident.span()),
                conditions,
                attribute: attribute.fact.path,
                interceptor: interceptor.ok().map(|interceptor| ty(&interceptor)),
            });
        }
    }
    found
}

fn consts(items: &[ImplItem]) -> Vec<MemberFact> {
    items
        .iter()
        .filter_map(|item| match item {
            ImplItem::Const(item) => Some(MemberFact {
                name: item.ident.unraw().to_string(),
                name_at: span(item.ident.span(), item.ident.span()),
                conditions: attributes(&item.attrs).conditions,
                is: ConstFact {
                    ty: ty(&item.ty),
                    value: value(&item.expr),
                },
            }),
            _ => None,
        })
        .collect()
}

fn name(item: &Item) -> (Option<String>, proc_macro2::Span) {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::ExternCrate(item) => item.rename.as_ref().map_or(&item.ident, |(_, name)| name),
        Item::Fn(item) => &item.sig.ident,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => match &item.ident {
            Some(ident) => ident,
            None => return (None, ends(&item.mac.path).0),
        },
        Item::Impl(item) => return (None, ends(&item.self_ty).0),
        _ => return (None, proc_macro2::Span::call_site()),
    };
    let text = ident.unraw().to_string();
    ((text != "_").then_some(text), ident.span())
}

pub(crate) fn visibility(vis: &syn::Visibility) -> Visibility {
    match vis {
        syn::Visibility::Public(_) => Visibility::Public,
        syn::Visibility::Restricted(restricted) => {
            let path: Vec<String> = restricted
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.unraw().to_string())
                .collect();
            match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["crate"] => Visibility::Crate,
                ["self"] => Visibility::Private,
                ["super"] => Visibility::Super,
                _ => Visibility::In(path),
            }
        }
        syn::Visibility::Inherited => Visibility::Private,
    }
}

/// The attributes of an item, sorted.
#[derive(Default)]
struct Attributes {
    conditions: Vec<Condition>,
    ours: Vec<WithArgs>,
    derives: Vec<String>,
    paths: Vec<(String, Vec<Condition>)>,
}

/// An attribute and the tokens of its arguments.
struct WithArgs {
    fact: AttributeFact,
    args: TokenStream,
}

/// Attributes of the language: never ours.
const BUILTIN: &[&str] = &[
    "doc",
    "allow",
    "expect",
    "warn",
    "deny",
    "forbid",
    "deprecated",
    "must_use",
    "inline",
    "cold",
    "repr",
    "test",
    "automatically_derived",
    "macro_use",
    "macro_export",
    "no_mangle",
    "link",
    "non_exhaustive",
    "track_caller",
    "target_feature",
    "global_allocator",
    "rustfmt",
    "clippy",
    "diagnostic",
    "serde",
    "feature",
    "recursion_limit",
    "bench",
    "cfg_eval",
    "export_name",
    "ignore",
    "link_name",
    "link_section",
    "no_std",
    "panic_handler",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "should_panic",
    "type_length_limit",
    "unsafe",
    "used",
];

fn attributes(attrs: &[Attribute]) -> Attributes {
    let mut read = Attributes::default();
    for attribute in attrs {
        read.take(&attribute.meta, &[]);
    }
    read
}

impl Attributes {
    fn take(&mut self, meta: &Meta, conditions: &[Condition]) {
        let path = meta.path();
        let first = path
            .segments
            .first()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        match (first.as_str(), meta) {
            ("cfg", Meta::List(list)) => {
                let condition = Condition::read(list.tokens.clone());
                self.conditions.push(guarded(condition, conditions));
            }
            ("cfg_attr", Meta::List(list)) => {
                let Ok(parts) =
                    list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                else {
                    return;
                };
                let mut parts = parts.iter();
                let Some(condition) = parts.next() else {
                    return;
                };
                let mut inner = conditions.to_vec();
                inner.push(Condition::read(condition.to_token_stream()));
                for part in parts {
                    self.take(part, &inner);
                }
            }
            ("path", Meta::NameValue(pair)) => {
                if let Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) = &pair.value
                {
                    self.paths.push((text.value(), conditions.to_vec()));
                }
            }
            ("derive", Meta::List(list)) => {
                if let Ok(paths) =
                    list.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated)
                {
                    self.derives.extend(paths.iter().filter_map(|path| {
                        path.segments.last().map(|last| last.ident.to_string())
                    }));
                }
            }
            (name, _) if BUILTIN.contains(&name) => {}
            _ => self.ours.push(WithArgs {
                fact: AttributeFact {
                    path: segments(path),
                    conditions: conditions.to_vec(),
                },
                args: match meta {
                    Meta::List(list) => list.tokens.clone(),
                    _ => TokenStream::new(),
                },
            }),
        }
    }
}

/// `cfg_attr(a, cfg(b))` means `b` only where `a` holds.
fn guarded(condition: Condition, conditions: &[Condition]) -> Condition {
    if conditions.is_empty() {
        return condition;
    }
    Condition::Any(vec![
        Condition::Not(Box::new(Condition::All(conditions.to_vec()))),
        condition,
    ])
}

fn flatten(tree: &UseTree, absolute: bool, path: &mut Vec<String>, found: &mut Vec<UseFact>) {
    let leaf = |path: &[String], name: Option<String>, alias: Option<String>, glob: bool| {
        let mut path = path.to_vec();
        if let Some(name) = name
            && (name != "self" || path.is_empty())
        {
            path.push(name);
        }
        UseFact {
            path,
            absolute,
            alias,
            glob,
        }
    };
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.unraw().to_string());
            flatten(&step.tree, absolute, path, found);
            path.pop();
        }
        UseTree::Name(name) => {
            let name = name.ident.unraw().to_string();
            let alias = if name == "self" {
                path.last().cloned()
            } else {
                Some(name.clone())
            };
            found.push(leaf(path, Some(name), alias, false));
        }
        UseTree::Rename(rename) => {
            let alias = rename.rename.unraw().to_string();
            let alias = (alias != "_").then_some(alias);
            found.push(leaf(
                path,
                Some(rename.ident.unraw().to_string()),
                alias,
                false,
            ));
        }
        UseTree::Glob(_) => found.push(leaf(path, None, None, true)),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, absolute, path, found);
            }
        }
    }
}

fn generics(generics: &Generics) -> Vec<GenericFact> {
    let mut found: Vec<GenericFact> = generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(GenericFact {
                name: param.ident.unraw().to_string(),
                bounds: bounds(&param.bounds),
                default: param.default.as_ref().map(|(_, default)| ty(default)),
            }),
            // A value may stand for it, and unlike a lifetime it tells types apart.
            GenericParam::Const(param) => Some(GenericFact {
                name: param.ident.unraw().to_string(),
                bounds: Vec::new(),
                default: None,
            }),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    for predicate in generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates)
    {
        let WherePredicate::Type(predicate) = predicate else {
            continue;
        };
        let ident = match &predicate.bounded_ty {
            Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
            _ => None,
        };
        let own = ident.and_then(|ident| found.iter().position(|generic| *ident == generic.name));
        match own {
            Some(own) => found[own].bounds.extend(bounds(&predicate.bounds)),
            None if ident.is_some() => {}
            // Whether `Vec<T>: Clone` or `T::Error: Debug` holds is not looked into: a bound that names no
            // trait is one that nobody sees to hold.
            None => {
                if let Some(first) = found.first_mut() {
                    first.bounds.push(PathExpr {
                        absolute: false,
                        segments: Vec::new(),
                    });
                }
            }
        }
    }
    found
}

pub(crate) fn bounds(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Vec<PathExpr> {
    bounds
        .iter()
        .filter_map(|bound| match bound {
            TypeParamBound::Trait(bound) if bound.maybe.is_none() => Some(path(&bound.path)),
            _ => None,
        })
        .collect()
}

/// The traits above a trait, those of `where Self: ..` among them.
fn supertraits(item: &syn::ItemTrait) -> Vec<PathExpr> {
    let mut found = bounds(&item.supertraits);
    found.extend(self_bounds(&item.generics));
    found
}

/// What a where clause requires of `Self`.
fn self_bounds(generics: &Generics) -> Vec<PathExpr> {
    generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates)
        .filter_map(|predicate| match predicate {
            WherePredicate::Type(predicate)
                if matches!(&predicate.bounded_ty, Type::Path(path) if path.path.is_ident("Self")) =>
            {
                Some(bounds(&predicate.bounds))
            }
            _ => None,
        })
        .flatten()
        .collect()
}

/// The first thing that keeps a trait from being a trait object, if any.
fn not_dyn(item: &syn::ItemTrait, made_dyn: bool) -> Option<(NotDyn, String)> {
    if supertraits(item)
        .iter()
        .any(|path| path.ident() == Some("Sized"))
    {
        return Some((NotDyn::Sized, "Sized".to_owned()));
    }
    item.items.iter().find_map(|member| {
        let (reason, name) = match member {
            TraitItem::Const(member) => (NotDyn::Const, &member.ident),
            TraitItem::Type(member)
                if !member.generics.params.is_empty() && !sized_only(&member.generics) =>
            {
                (NotDyn::GenericType, &member.ident)
            }
            TraitItem::Fn(method) if !sized_only(&method.sig.generics) => {
                (method_not_dyn(&method.sig, made_dyn)?, &method.sig.ident)
            }
            _ => return None,
        };
        Some((reason, name.to_string()))
    })
}

fn method_not_dyn(signature: &syn::Signature, made_dyn: bool) -> Option<NotDyn> {
    if signature.asyncness.is_some() && !made_dyn {
        return Some(NotDyn::AsyncFn);
    }
    if signature
        .generics
        .params
        .iter()
        .any(|param| matches!(param, GenericParam::Type(_) | GenericParam::Const(_)))
    {
        return Some(NotDyn::GenericMethod);
    }
    if signature.receiver().is_none() {
        return Some(NotDyn::NoReceiver);
    }
    if let ReturnType::Type(_, output) = &signature.output {
        if mentions(output, "Self") {
            return Some(NotDyn::ReturnsSelf);
        }
        if mentions(output, "impl") {
            return Some(NotDyn::ReturnsImpl);
        }
    }
    let takes = |word: &str| {
        signature.inputs.iter().any(|input| match input {
            FnArg::Typed(typed) => mentions(&typed.ty, word),
            FnArg::Receiver(_) => false,
        })
    };
    if takes("impl") {
        return Some(NotDyn::GenericMethod);
    }
    takes("Self").then_some(NotDyn::TakesSelf)
}

/// Whether a type names `Self` (but not `Self::Item`) or uses `impl`.
fn mentions(ty: &Type, word: &str) -> bool {
    fn search(tokens: TokenStream, word: &str) -> bool {
        let mut trees = tokens.into_iter().peekable();
        while let Some(tree) = trees.next() {
            match tree {
                TokenTree::Ident(ident) if ident == word => {
                    let projection = matches!(trees.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
                    if !projection {
                        return true;
                    }
                }
                TokenTree::Group(group) if search(group.stream(), word) => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }
    search(ty.to_token_stream(), word)
}

fn sized_only(generics: &Generics) -> bool {
    self_bounds(generics)
        .iter()
        .any(|path| path.ident() == Some("Sized"))
}

/// The first and the last token of an item, without printing it where that can be helped.
fn range(item: &Item, attrs: &[Attribute]) -> (proc_macro2::Span, proc_macro2::Span) {
    let last = match item {
        Item::Struct(item) => match (&item.semi_token, &item.fields) {
            (Some(semi), _) => Some(semi.span),
            (None, syn::Fields::Named(fields)) => Some(fields.brace_token.span.close()),
            _ => None,
        },
        Item::Impl(item) => Some(item.brace_token.span.close()),
        Item::Trait(item) => Some(item.brace_token.span.close()),
        Item::Enum(item) => Some(item.brace_token.span.close()),
        Item::Fn(item) => Some(item.block.brace_token.span.close()),
        _ => None,
    };
    match (attrs.first(), last) {
        (Some(first), Some(last)) => (first.pound_token.span, last),
        _ => ends(item),
    }
}

/// The raw token trees between two tokens, found in the groups of a file.
fn slice(
    tokens: &TokenStream,
    (first, last): (proc_macro2::Span, proc_macro2::Span),
) -> TokenStream {
    let (start, end) = (first.start(), last.end());
    let mut found = Vec::new();
    for tree in tokens.clone() {
        let (from, to) = match &tree {
            TokenTree::Group(group) => (group.span_open().start(), group.span_close().end()),
            other => (other.span().start(), other.span().end()),
        };
        if from >= start && to <= end {
            found.push(tree);
        } else if from <= start && to >= end {
            if let TokenTree::Group(group) = tree {
                return slice(&group.stream(), (first, last));
            }
        } else if from >= end {
            break;
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests;
