//! Fields, variants, methods, parameters.

use super::{Attribute, Doc, Site, Style};
use crate::{
    facts::{PathExpr, TypeExpr, Visibility},
    resolve::Ty,
};

/// A type and where it is written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Typed {
    /// As it is written.
    pub written: TypeExpr,
    /// What it means. Parameters of the item are [`Ty::Param`].
    pub ty: Ty,
    /// Where it stands; where it would, for what returns nothing.
    pub site: Site,
}

/// A type or const parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Generic {
    /// Its name.
    pub name: String,
    /// The traits it must implement, those of the `where` clause not included.
    pub bounds: Vec<PathExpr>,
    /// Its default.
    pub default: Option<TypeExpr>,
    /// The type of a const parameter: `usize` of `const N: usize`.
    pub constant: Option<TypeExpr>,
}

/// A field of a struct, a union or a variant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Its name, raw identifiers without `r#`; its position in a tuple: `0`.
    pub name: String,
    /// Its type.
    pub ty: Typed,
    /// Who may name it.
    pub visibility: Visibility,
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Where its name stands; its type in a tuple.
    pub site: Site,
}

/// A variant of an enum.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// How its fields are written.
    pub style: Style,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// Where its name stands.
    pub site: Site,
}

/// A method, or a function without a receiver.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Method {
    /// Its name.
    pub name: String,
    /// Who may name it; those of traits are public.
    pub visibility: Visibility,
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Whether it is an `async fn`.
    pub asyncness: bool,
    /// Its `self`.
    pub receiver: Option<Receiver>,
    /// Its type and const parameters.
    pub generics: Vec<Generic>,
    /// Its parameters without the receiver.
    pub params: Vec<Param>,
    /// What it returns; `()` without it. That of an `async fn` is what it is awaited for.
    pub output: Typed,
    /// The trait it implements something of, as it is written.
    pub implemented: Option<PathExpr>,
    /// Whether it stands in the item itself.
    pub own: bool,
    /// Where its name stands.
    pub site: Site,
}

/// How a method takes `self`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receiver {
    /// `self`
    Value,
    /// `&self`
    Reference,
    /// `&mut self`
    Mutable,
    /// `self: Arc<Self>`, with the type.
    Typed(TypeExpr),
}

/// A parameter of a method.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Param {
    /// The name it binds; none for a pattern of several, such as `Path((a, b))`.
    pub name: Option<String>,
    /// The pattern as it is written: `id`, `mut id`, `Path(id)`.
    pub pattern: String,
    /// Its type.
    pub ty: Typed,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Where its pattern stands.
    pub site: Site,
}

impl Field {
    /// The attributes with a name, written with or without their crate.
    pub fn attributes_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Attribute> {
        self.attributes
            .iter()
            .filter(move |attribute| attribute.name() == name)
    }
}

impl Method {
    /// The attribute with a name, written with or without its crate.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name() == name)
    }

    /// The parameter of a name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        let is = |param: &&Param| param.name.as_deref() == Some(name);
        self.params.iter().find(is)
    }
}

impl Param {
    /// The attribute with a name, written with or without its crate.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name() == name)
    }
}
