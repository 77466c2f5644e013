//! From items with all their tokens to classes.

use syn::{FnArg, GenericParam, ImplItem, ReturnType, TraitItem, Type, ext::IdentExt as _};

use super::{
    Block, Class, ClassKind, Doc, Field, Generic, Method, Param, Reader, Receiver, Style, Typed,
    Variant,
};
use crate::{
    extension::Item,
    facts::{
        ItemKind, PathExpr, TypeExpr, Visibility, WholeItem, attrs, bounds, reading, visibility,
    },
    model::Occurrence,
    resolve::{ItemId, Resolver, Scope, Ty},
};

/// The class of an item, methods included.
pub(crate) fn class(item: &Item<'_>) -> Option<Class> {
    let resolver = item.resolver;
    let own = item.occurrence.item;
    let annotated = Annotated {
        number: item.number,
        occurrences: item.occurrences,
    };
    let fact = &resolver.program.items[own].fact;
    if !matches!(&fact.kind, ItemKind::Impl(_) | ItemKind::Inherent(_)) {
        let mut found = read(resolver, own, Some(&annotated))?;
        found.add_methods(resolver, own, None, Some(&annotated));
        return Some(found);
    }
    let declared = match item.ty() {
        Ty::Local(declared, _) => Some(declared),
        _ => None,
    };
    let mut found = match declared {
        Some(declared) => read(resolver, declared, Some(&annotated))?,
        None => elsewhere(resolver, own, &annotated, &item.fact.self_ty.to_string())?,
    };
    // Without a declaration there is nothing that other impls could be found by.
    found.add_methods(
        resolver,
        declared.unwrap_or(own),
        Some(own),
        Some(&annotated),
    );
    Some(found)
}

/// The class of a type of the program, methods included.
pub(crate) fn class_of(resolver: &Resolver<'_>, ty: &Ty) -> Option<Class> {
    let Ty::Local(item, _) = ty else { return None };
    let mut found = read(resolver, *item, None)?;
    found.add_methods(resolver, *item, None, None);
    Some(found)
}

impl Class {
    /// Adds the methods of the impls of a type, and of the impl that is looked at.
    fn add_methods(
        &mut self,
        resolver: &Resolver<'_>,
        declared: ItemId,
        own: Option<ItemId>,
        annotated: Option<&Annotated<'_>>,
    ) {
        let of_type = resolver.inherent().get(&declared);
        let mut blocks = of_type.cloned().unwrap_or_default();
        blocks.extend(own.filter(|own| !blocks.contains(own)));
        blocks.sort_unstable();
        for block in blocks {
            let Some(whole) = resolver.whole(block) else {
                continue;
            };
            let syn::Item::Impl(written) = whole.item() else {
                continue;
            };
            let mut reader = reader(resolver, block, &whole, annotated);
            reader.scope.params = names(&written.generics);
            let self_ty = resolver.ty(&reading::ty(&written.self_ty), &reader.scope);
            reader.scope.self_ty = Some(Box::new(self_ty));
            let is_own = own == Some(block);
            if is_own {
                let said = reader.attributes(&written.attrs).unwrap_or_default();
                self.block = Some(Block {
                    doc: said.doc,
                    attributes: said.attributes,
                    site: reader.site(&written.self_ty),
                });
            }
            let implemented = written.trait_.as_ref();
            let implemented = implemented.map(|(path, _)| reading::path(path));
            let methods = written.items.iter().filter_map(|member| match member {
                ImplItem::Fn(member) => reader.method(
                    (&member.attrs, &member.sig),
                    visibility(&member.vis),
                    implemented.as_ref(),
                    is_own,
                ),
                _ => None,
            });
            self.methods.extend(methods);
        }
    }
}

/// A struct, enum or union of the program as it is declared, without methods.
pub(crate) fn declaration(resolver: &Resolver<'_>, item: ItemId) -> Option<Class> {
    read(resolver, item, None)
}

/// What is written about an alias.
pub(crate) fn alias_doc(resolver: &Resolver<'_>, item: ItemId) -> Option<Doc> {
    let whole = resolver.whole(item)?;
    let reader = reader(resolver, item, &whole, None);
    reader.attributes(attrs(whole.item()))?.doc
}

/// The annotated items of the program, and the one that is looked at.
struct Annotated<'a> {
    number: usize,
    occurrences: &'a [Occurrence],
}

impl Annotated<'_> {
    /// An annotation of an item, the one that is looked at before others.
    fn of(&self, item: ItemId) -> Option<usize> {
        let stands_there = |number: &usize| {
            let occurrence = self.occurrences.get(*number);
            occurrence.is_some_and(|occurrence| occurrence.item == item)
        };
        Some(self.number)
            .filter(stands_there)
            .or_else(|| (0..self.occurrences.len()).find(stands_there))
    }
}

fn reader<'r>(
    resolver: &'r Resolver<'r>,
    item: ItemId,
    whole: &WholeItem,
    annotated: Option<&Annotated<'_>>,
) -> Reader<'r> {
    let found = &resolver.program.items[item];
    let places = annotated.and_then(|annotated| {
        let number = annotated.of(item)?;
        let attribute = annotated.occurrences[number].marked.attribute;
        Some((number, whole.places(attribute)))
    });
    Reader {
        resolver,
        file: found.file,
        scope: Scope::module(found.module),
        places,
    }
}

/// The class of a type that is not declared in the program.
fn elsewhere(
    resolver: &Resolver<'_>,
    block: ItemId,
    annotated: &Annotated<'_>,
    written: &str,
) -> Option<Class> {
    let whole = resolver.whole(block)?;
    let syn::Item::Impl(found) = whole.item() else {
        return None;
    };
    let reader = reader(resolver, block, &whole, Some(annotated));
    let ty = resolver.ty(&reading::ty(&found.self_ty), &reader.scope);
    Some(Class {
        kind: ClassKind::Elsewhere,
        name: written.to_owned(),
        token: ty.token(resolver.program),
        visibility: Visibility::Private,
        doc: None,
        generics: Vec::new(),
        attributes: Vec::new(),
        style: Style::Unit,
        fields: Vec::new(),
        variants: Vec::new(),
        methods: Vec::new(),
        block: None,
        site: reader.site(&found.self_ty),
    })
}

fn read(resolver: &Resolver<'_>, item: ItemId, annotated: Option<&Annotated<'_>>) -> Option<Class> {
    let whole = resolver.whole(item)?;
    let written = whole.item();
    let mut reader = reader(resolver, item, &whole, annotated);
    let (kind, ident, generics, vis) = match written {
        syn::Item::Struct(found) => (ClassKind::Struct, &found.ident, &found.generics, &found.vis),
        syn::Item::Enum(found) => (ClassKind::Enum, &found.ident, &found.generics, &found.vis),
        syn::Item::Union(found) => (ClassKind::Union, &found.ident, &found.generics, &found.vis),
        syn::Item::Trait(found) => (ClassKind::Trait, &found.ident, &found.generics, &found.vis),
        syn::Item::Fn(found) => (
            ClassKind::Function,
            &found.sig.ident,
            &found.sig.generics,
            &found.vis,
        ),
        _ => return None,
    };
    reader.scope.params = names(generics);
    if !matches!(kind, ClassKind::Trait | ClassKind::Function) {
        let params = reader.scope.params.iter().cloned().map(Ty::Param);
        reader.scope.self_ty = Some(Box::new(Ty::Local(item, params.collect())));
    }
    let said = reader.attributes(attrs(written)).unwrap_or_default();
    let mut class = Class {
        kind,
        name: ident.unraw().to_string(),
        token: resolver.program.item_path(item),
        visibility: visibility(vis),
        doc: said.doc,
        generics: self::generics(generics),
        attributes: said.attributes,
        style: Style::Unit,
        fields: Vec::new(),
        variants: Vec::new(),
        methods: Vec::new(),
        block: None,
        site: reader.site(ident),
    };
    match written {
        syn::Item::Struct(found) => (class.style, class.fields) = reader.fields(&found.fields),
        syn::Item::Union(found) => {
            let fields = syn::Fields::Named(found.fields.clone());
            (class.style, class.fields) = reader.fields(&fields);
        }
        syn::Item::Enum(found) => {
            let variants = found.variants.iter();
            class.variants = variants
                .filter_map(|variant| reader.variant(variant))
                .collect();
        }
        syn::Item::Trait(found) => {
            let methods = found.items.iter().filter_map(|member| match member {
                TraitItem::Fn(member) => {
                    reader.method((&member.attrs, &member.sig), Visibility::Public, None, true)
                }
                _ => None,
            });
            class.methods = methods.collect();
        }
        syn::Item::Fn(found) => {
            let vis = visibility(&found.vis);
            class.methods = reader
                .method((&found.attrs, &found.sig), vis, None, true)
                .into_iter()
                .collect();
        }
        _ => {}
    }
    Some(class)
}

/// The names of type and const parameters.
fn names(generics: &syn::Generics) -> Vec<String> {
    self::generics(generics)
        .into_iter()
        .map(|generic| generic.name)
        .collect()
}

fn generics(generics: &syn::Generics) -> Vec<Generic> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(Generic {
                name: param.ident.unraw().to_string(),
                bounds: bounds(&param.bounds),
                default: param
                    .default
                    .as_ref()
                    .map(|(_, default)| reading::ty(default)),
                constant: None,
            }),
            GenericParam::Const(param) => Some(Generic {
                name: param.ident.unraw().to_string(),
                bounds: Vec::new(),
                default: None,
                constant: Some(reading::ty(&param.ty)),
            }),
            GenericParam::Lifetime(_) => None,
        })
        .collect()
}

impl Reader<'_> {
    fn typed(&self, ty: &Type) -> Typed {
        let written = reading::ty(ty);
        Typed {
            ty: self.resolver.ty(&written, &self.scope),
            written,
            site: self.site(ty),
        }
    }

    fn fields(&self, fields: &syn::Fields) -> (Style, Vec<Field>) {
        let style = match fields {
            syn::Fields::Named(_) => Style::Named,
            syn::Fields::Unnamed(_) => Style::Tuple,
            syn::Fields::Unit => Style::Unit,
        };
        let mut found: Vec<Field> = Vec::new();
        for field in fields {
            // Positions are those of the fields that exist.
            let Some(said) = self.attributes(&field.attrs) else {
                continue;
            };
            let name = field.ident.as_ref();
            found.push(Field {
                name: name.map_or_else(|| found.len().to_string(), |name| name.unraw().to_string()),
                ty: self.typed(&field.ty),
                visibility: visibility(&field.vis),
                doc: said.doc,
                attributes: said.attributes,
                site: name.map_or_else(|| self.site(&field.ty), |name| self.site(name)),
            });
        }
        (style, found)
    }

    fn variant(&self, variant: &syn::Variant) -> Option<Variant> {
        let said = self.attributes(&variant.attrs)?;
        let (style, fields) = self.fields(&variant.fields);
        Some(Variant {
            name: variant.ident.unraw().to_string(),
            doc: said.doc,
            attributes: said.attributes,
            style,
            fields,
            site: self.site(&variant.ident),
        })
    }

    fn method(
        &self,
        (attrs, signature): (&[syn::Attribute], &syn::Signature),
        visibility: Visibility,
        implemented: Option<&PathExpr>,
        own: bool,
    ) -> Option<Method> {
        let said = self.attributes(attrs)?;
        let mut scope = self.scope.clone();
        scope.params.extend(names(&signature.generics));
        let typed = |ty: &Type| Typed {
            ty: self.resolver.ty(&reading::ty(ty), &scope),
            ..self.typed(ty)
        };
        let mut receiver = None;
        let mut params = Vec::new();
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(found) => receiver = Some(self::receiver(found)),
                FnArg::Typed(found) => {
                    let Some(said) = self.attributes(&found.attrs) else {
                        continue;
                    };
                    params.push(Param {
                        name: bound(&found.pat),
                        pattern: reading::text(&found.pat),
                        ty: typed(&found.ty),
                        attributes: said.attributes,
                        site: self.site(&found.pat),
                    });
                }
            }
        }
        let output = match &signature.output {
            ReturnType::Default => Typed {
                written: TypeExpr::Tuple(Vec::new()),
                ty: Ty::Tuple(Vec::new()),
                site: self.site(&signature.ident),
            },
            ReturnType::Type(_, ty) => typed(ty),
        };
        Some(Method {
            name: signature.ident.unraw().to_string(),
            visibility,
            doc: said.doc,
            attributes: said.attributes,
            asyncness: signature.asyncness.is_some(),
            receiver,
            generics: generics(&signature.generics),
            params,
            output,
            implemented: implemented.cloned(),
            own,
            site: self.site(&signature.ident),
        })
    }
}

fn receiver(found: &syn::Receiver) -> Receiver {
    match &found.kind {
        syn::ReceiverKind::Reference(_, _, Some(_)) => Receiver::Mutable,
        syn::ReceiverKind::Reference(_, _, None) => Receiver::Reference,
        syn::ReceiverKind::Typed(_, ty) => Receiver::Typed(reading::ty(ty)),
        _ => Receiver::Value,
    }
}

/// The only name a pattern binds: `id` of `id`, `mut id`, `&id`, `Path(id)`.
fn bound(pattern: &syn::Pat) -> Option<String> {
    match pattern {
        syn::Pat::Ident(found) if found.subpat.is_none() => Some(found.ident.unraw().to_string()),
        syn::Pat::Reference(found) => bound(&found.pat),
        syn::Pat::Paren(found) => bound(&found.pat),
        syn::Pat::TupleStruct(found) if found.elems.len() == 1 => bound(&found.elems[0]),
        _ => None,
    }
}
