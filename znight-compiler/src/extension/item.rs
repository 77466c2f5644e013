//! Items under an extension's attribute: as tokens when they are read, as data afterwards.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Expr, Type};

use super::{AttributeSpec, Class, class};
use crate::{
    cfg::Condition,
    facts::{ArgumentFact, ExtensionFact, PlaceFact, Places, TypeExpr, ValueExpr, reading},
    model::{At, Occurrence},
    resolve::{Program, Resolver, Scope, Ty, Value},
};

/// An item as it is read: its tokens, and what makes places and types of them.
#[derive(Debug)]
pub struct ItemSource<'a> {
    pub(crate) spec: &'a AttributeSpec,
    pub(crate) args: &'a TokenStream,
    pub(crate) tokens: &'a TokenStream,
    pub(crate) places: &'a Places,
    pub(crate) arguments: Vec<(Option<String>, ArgumentFact)>,
}

/// What an extension read of an item.
#[derive(Debug, Default)]
pub struct Reading {
    /// What it keeps for itself, in a form of its own.
    pub data: Vec<u8>,
    /// Arguments that the build pass must evaluate for the attribute's macro.
    pub arguments: Vec<ArgumentFact>,
    /// Types of providers that the item names: guards, say.
    pub types: Vec<TypeExpr>,
}

impl ItemSource<'_> {
    /// The path of the attribute: `acme::job`.
    pub fn attribute(&self) -> &str {
        &self.spec.path
    }

    /// The tokens between the attribute's parentheses.
    pub fn args(&self) -> &TokenStream {
        self.args
    }

    /// The tokens of the item, its attributes included, bodies of functions and comments blanked.
    pub fn tokens(&self) -> &TokenStream {
        self.tokens
    }

    /// Where a node stands. Nodes that are no part of the item or the arguments stand at its name.
    pub fn place(&self, node: &impl ToTokens) -> PlaceFact {
        self.places.of(node)
    }

    /// A type as data.
    pub fn ty(&self, ty: &Type) -> TypeExpr {
        reading::ty(ty)
    }

    /// A value as data.
    pub fn value(&self, value: &Expr) -> ValueExpr {
        reading::value(value)
    }

    /// An argument that is evaluated later.
    pub fn argument(&self, value: &Expr) -> ArgumentFact {
        reading::argument(value, self.places)
    }

    /// The conditions of `#[cfg(..)]` attributes.
    pub fn conditions(&self, attributes: &[Attribute]) -> Vec<Condition> {
        reading::conditions(attributes)
    }

    /// Nothing but the arguments that the attribute declares.
    pub fn reading(&self) -> Reading {
        Reading {
            data: Vec::new(),
            arguments: self
                .arguments
                .iter()
                .map(|(_, argument)| argument.clone())
                .collect(),
            types: Vec::new(),
        }
    }
}

/// An item with all names known.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    pub(crate) number: usize,
    pub(crate) occurrence: &'a Occurrence,
    pub(crate) fact: &'a ExtensionFact,
    pub(crate) resolver: &'a Resolver<'a>,
    pub(crate) occurrences: &'a [Occurrence],
}

/// An argument of an attribute with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its name; none for one told by its place.
    pub name: Option<String>,
    /// Its value; none where it cannot be told.
    pub value: Option<Value>,
    /// As it is written.
    pub written: ValueExpr,
    /// Where it stands.
    pub at: At,
}

impl<'a> Item<'a> {
    /// The path of the attribute.
    pub fn attribute(&self) -> &'a str {
        &self.occurrence.attribute
    }

    /// What [`read`](super::CompilerExtension::read) kept.
    pub fn data(&self) -> &'a [u8] {
        &self.fact.data
    }

    /// The type the item is about: itself, or that of its `impl`.
    pub fn ty(&self) -> Ty {
        self.resolve(&self.fact.self_ty)
    }

    /// The path of that type.
    pub fn token(&self) -> String {
        self.ty().token(self.program())
    }

    /// The name of that type, for messages.
    pub fn display(&self) -> String {
        self.ty().display(self.program())
    }

    /// Where that type is written.
    pub fn type_at(&self) -> At {
        self.at(self.fact.self_at)
    }

    /// Where the item is named.
    pub fn named_at(&self) -> At {
        self.at(self.occurrence.marked.name)
    }

    /// A place in the item.
    pub fn at(&self, place: PlaceFact) -> At {
        At {
            occurrence: self.number,
            place,
        }
    }

    /// The arguments the attribute declares, evaluated.
    pub fn arguments(&self) -> Vec<Argument> {
        self.fact
            .arguments
            .iter()
            .map(|(name, argument)| Argument {
                name: name.clone(),
                value: self.resolver.evaluate(&argument.value, &self.scope()).ok(),
                written: argument.value.clone(),
                at: self.at(argument.place),
            })
            .collect()
    }

    /// What the item's type looks like in its source; none when a file cannot be read.
    ///
    /// The file is parsed when this is first asked for one of its items.
    pub fn class(&self) -> Option<Class> {
        class::class(self)
    }

    /// What a type written in the item means.
    pub fn resolve(&self, ty: &TypeExpr) -> Ty {
        self.resolver.ty(ty, &self.scope())
    }

    /// Whether something under these conditions exists in the program that is looked at.
    pub fn is_live(&self, conditions: &[Condition]) -> bool {
        let cfg = &self.program().crate_of(self.module()).cfg;
        cfg.allows(conditions, self.resolver.world)
    }

    /// The program it stands in.
    pub fn program(&self) -> &'a Program {
        self.resolver.program
    }

    pub(crate) fn module(&self) -> usize {
        self.program().items[self.occurrence.item].module
    }

    /// Where names in the item are looked up.
    pub(crate) fn scope(&self) -> Scope {
        let mut scope = Scope::module(self.module());
        scope.self_ty = Some(Box::new(self.resolver.ty(&self.fact.self_ty, &scope)));
        scope
    }
}
