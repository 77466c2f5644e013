//! Declarations with what their parameters stand for.

use std::collections::BTreeMap;

use super::{
    Alias,
    serde::{Said, Word},
};
use crate::{
    extension::class::{Class, Field, alias_doc, declaration},
    facts::{ArgumentExpr, ItemKind, PathExpr, TypeExpr, ValueExpr, reading},
    resolve::{Found, ItemId, Resolver, Scope, Substitution, Ty, Value},
};

/// A declaration with arguments for its parameters.
pub(super) struct Instance<'r> {
    resolver: &'r Resolver<'r>,
    pub(super) item: ItemId,
    pub(super) ty: Ty,
    pub(super) class: Class,
    scope: Scope,
    types: Substitution,
    /// The lengths that const parameters stand for, as texts.
    lengths: BTreeMap<String, String>,
}

impl<'r> Instance<'r> {
    /// The declaration of a type; none when it cannot be read.
    pub(super) fn new(resolver: &'r Resolver<'r>, item: ItemId, ty: &Ty) -> Option<Self> {
        let class = declaration(resolver, item)?;
        let Ty::Local(_, args) = ty else { return None };
        let mut scope = Scope::module(resolver.program.items[item].module);
        scope.params = class
            .generics
            .iter()
            .map(|generic| generic.name.clone())
            .collect();
        scope.self_ty = Some(Box::new(ty.clone()));
        let (mut types, mut lengths) = (Substitution::new(), BTreeMap::new());
        for (generic, arg) in class.generics.iter().zip(args) {
            if generic.constant.is_some() {
                let text = length(resolver, arg, &scope);
                lengths.insert(generic.name.clone(), text);
            } else {
                types.insert(generic.name.clone(), arg.clone());
            }
        }
        Some(Self {
            resolver,
            item,
            ty: ty.clone(),
            class,
            scope,
            types,
            lengths,
        })
    }

    /// A type of the declaration.
    pub(super) fn lower(&self, written: &TypeExpr) -> Ty {
        let ty = self.resolver.ty(&self.pinned(written), &self.scope);
        self.with_lengths(&ty.substitute(&self.types))
    }

    /// A type that an attribute writes as a string.
    pub(super) fn parsed(&self, text: &str) -> Ty {
        syn::parse_str::<syn::Type>(text).map_or_else(
            |_| Ty::Opaque(text.to_owned()),
            |written| self.lower(&reading::ty(&written)),
        )
    }

    /// The type with the lengths of arrays evaluated, as far as they can be told.
    fn pinned(&self, written: &TypeExpr) -> TypeExpr {
        let all = |types: &[TypeExpr]| types.iter().map(|ty| self.pinned(ty)).collect();
        match written {
            TypeExpr::Array(items, length) => {
                let is_param = matches!(
                    &**length,
                    ValueExpr::Path(path)
                        if path.ident().is_some_and(|name| self.lengths.contains_key(name))
                );
                let length = match self.resolver.evaluate(length, &self.scope) {
                    Ok(Value::Int(length, _)) if !is_param => ValueExpr::Int(length, String::new()),
                    _ => (**length).clone(),
                };
                TypeExpr::Array(Box::new(self.pinned(items)), Box::new(length))
            }
            TypeExpr::Path(path) => TypeExpr::Path(PathExpr {
                absolute: path.absolute,
                segments: path
                    .segments
                    .iter()
                    .cloned()
                    .map(|mut segment| {
                        for arg in &mut segment.args {
                            if let ArgumentExpr::Type(ty) = arg {
                                *ty = self.pinned(ty);
                            }
                        }
                        segment
                    })
                    .collect(),
            }),
            TypeExpr::Pointer(prefix, inner) => {
                TypeExpr::Pointer(prefix.clone(), Box::new(self.pinned(inner)))
            }
            TypeExpr::Tuple(parts) => TypeExpr::Tuple(all(parts)),
            TypeExpr::Slice(items) => TypeExpr::Slice(Box::new(self.pinned(items))),
            other => other.clone(),
        }
    }

    /// The type with const parameters replaced where they are lengths or arguments.
    fn with_lengths(&self, ty: &Ty) -> Ty {
        if self.lengths.is_empty() {
            return ty.clone();
        }
        let all = |types: &[Ty]| types.iter().map(|ty| self.with_lengths(ty)).collect();
        match ty {
            Ty::Local(item, args) => Ty::Local(*item, all(args)),
            Ty::Foreign(path, args) => Ty::Foreign(path.clone(), all(args)),
            Ty::Tuple(parts) => Ty::Tuple(all(parts)),
            Ty::Pointer(prefix, inner) => {
                Ty::Pointer(prefix.clone(), Box::new(self.with_lengths(inner)))
            }
            Ty::Slice(items, length) => {
                let known = |text: &String| self.lengths.get(text).unwrap_or(text).clone();
                Ty::Slice(
                    Box::new(self.with_lengths(items)),
                    length.as_ref().map(known),
                )
            }
            Ty::Param(name) => match self.lengths.get(name) {
                Some(text) => Ty::Opaque(text.clone()),
                None => ty.clone(),
            },
            other => other.clone(),
        }
    }

    /// The alias of the program that a type is written by, or the type in its `Option`.
    pub(super) fn alias(&self, written: &TypeExpr) -> Option<Alias> {
        let TypeExpr::Path(path) = written else {
            return None;
        };
        let module = self.resolver.program.items[self.item].module;
        match self.resolver.path(module, &path.names(), path.absolute) {
            Found::Item(item) => {
                let program = self.resolver.program;
                let is_alias = matches!(program.items[item].fact.kind, ItemKind::Alias(..));
                is_alias.then(|| Alias {
                    path: program.item_path(item),
                    doc: alias_doc(self.resolver, item),
                })
            }
            Found::Foreign(found) if found == "std::option::Option" => {
                match &path.segments.last()?.args[..] {
                    [ArgumentExpr::Type(inner)] => self.alias(inner),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The field that a transparent struct is: the others are nothing to serde.
    pub(super) fn transparent(&self) -> Option<&Field> {
        let fields = &self.class.fields;
        let counts = |field: &&Field| {
            let said = Said::read(&field.attributes);
            let is_marker = matches!(
                &field.ty.ty,
                Ty::Foreign(path, _) if path == "std::marker::PhantomData"
            );
            !is_marker && !said.has(Word::SkipSerializing) && !said.has(Word::SkipDeserializing)
        };
        fields.iter().find(counts).or_else(|| fields.first())
    }
}

/// The length that an argument for a const parameter is, as a text.
fn length(resolver: &Resolver<'_>, arg: &Ty, scope: &Scope) -> String {
    let text = match arg {
        Ty::Opaque(text) | Ty::Missing(text) => text.clone(),
        other => other.token(resolver.program),
    };
    // A name is looked up where the type is declared: elsewhere it may be another one's.
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let value = syn::parse_str::<syn::Expr>(&text)
        .ok()
        .filter(|_| is_number);
    match value.map(|value| resolver.evaluate(&reading::value(&value), scope)) {
        Some(Ok(Value::Int(length, _))) => length.to_string(),
        _ => text,
    }
}
