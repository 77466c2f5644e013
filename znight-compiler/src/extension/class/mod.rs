//! What an item's type looks like in its source: docs, fields, variants, methods, attributes.
//!
//! Binding needs none of it, so it is read when an extension asks: the whole file is parsed then, once for
//! each run. What `cfg` switches off for certain is left out; what stands behind a `cfg` nobody can tell is
//! there, as everywhere in the analysis.

mod attribute;
mod doc;
mod member;
mod read;

use std::fmt;

pub(crate) use self::{
    attribute::Reader,
    read::{alias_doc, class, class_of, declaration},
};
pub use self::{
    attribute::{Attribute, AttributeArgument},
    doc::{Doc, Section as DocSection},
    member::{Field, Generic, Method, Param, Receiver, Typed, Variant},
};
use super::Item;
use crate::{diagnostic::Location, facts::Visibility, model::At};

/// The type an item is about, or the trait or function that it is.
///
/// For an `impl` it is the type of the `impl`, as far as that stands in the program: `doc`, `attributes`,
/// `fields` and `variants` are those of the `struct` or `enum`, `block` says what stands on the `impl`
/// itself. The methods are those of every `impl` of the type, and of the item where that is the `impl` of
/// a trait.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use znight_compiler::{
///     Options, compile,
///     extension::{Analysis, AttributeSpec, CompilerExtension, Extensions, Item, Target},
///     source::Memory,
/// };
///
/// /// `#[acme::documented]` on a struct: collects its fields with what is said of them.
/// #[derive(Debug, Default)]
/// struct Documented(Mutex<Vec<String>>);
///
/// impl CompilerExtension for Documented {
///     fn name(&self) -> &'static str {
///         "acme-documented"
///     }
///
///     fn attributes(&self) -> Vec<AttributeSpec> {
///         vec![AttributeSpec::new("acme::documented", &[Target::Struct])]
///     }
///
///     fn analyse(&self, item: &Item<'_>, _: &mut Analysis<'_, '_>) {
///         let Some(class) = item.class() else { return };
///         for field in &class.fields {
///             let doc = field.doc.as_ref().map_or("", |doc| doc.summary.as_str());
///             let line = format!("{}: {} ({doc})", field.name, field.ty.written);
///             self.0.lock().unwrap().push(line);
///         }
///     }
/// }
///
/// let documented = Arc::new(Documented::default());
/// let sources = Memory::new().file(
///     "src/lib.rs",
///     "#[acme::documented]
///      struct Book {
///          /// As it is printed on the cover.
///          title: String,
///      }
///      znight::graph!();",
/// );
/// let mut options = Options::new("shop", "src/lib.rs");
/// options.externs.crates.insert("acme".to_owned());
/// options.extensions = Extensions::default().with(documented.clone());
/// compile(&options, &sources);
/// assert_eq!(
///     *documented.0.lock().unwrap(),
///     ["title: String (As it is printed on the cover.)"],
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Class {
    /// What it is.
    pub kind: ClassKind,
    /// Its name: `Book`.
    pub name: String,
    /// Its path, without arguments: `shop::books::Book`.
    pub token: String,
    /// Who may name it.
    pub visibility: Visibility,
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Its type and const parameters, in order; lifetimes are left out.
    pub generics: Vec<Generic>,
    /// The attributes of its declaration.
    pub attributes: Vec<Attribute>,
    /// How its fields are written; [`Style::Unit`] for what has none.
    pub style: Style,
    /// Its fields, in order; those of variants are with these.
    pub fields: Vec<Field>,
    /// Its variants, in order.
    pub variants: Vec<Variant>,
    /// Its methods, in the order of the files and in these of their lines.
    pub methods: Vec<Method>,
    /// The `impl` that the item is, if it is one.
    pub block: Option<Block>,
    /// Where its name stands.
    pub site: Site,
}

/// What a [`Class`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassKind {
    /// A struct.
    Struct,
    /// An enum.
    Enum,
    /// A union.
    Union,
    /// A trait.
    Trait,
    /// A function: its only method.
    Function,
    /// A type that is not declared in the program: only the item's own `impl` is known.
    Elsewhere,
}

/// How fields are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `{ name: T }`
    Named,
    /// `(T, U)`
    Tuple,
    /// Nothing.
    Unit,
}

/// What stands on an `impl` itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Block {
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Where its type is written.
    pub site: Site,
}

/// Where something stands in the sources.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Site {
    /// The range of the file: lines and columns as those of every diagnostic.
    pub location: Location,
    /// The tokens, where it is part of an annotated item: an error can be put on them.
    pub at: Option<At>,
}

impl Site {
    /// The tokens to put an error on: its own, or the name of the item that led here.
    pub fn at_or_named(&self, item: &Item<'_>) -> At {
        self.at.unwrap_or_else(|| item.named_at())
    }
}

/// The line, as `src/books.rs:12`: messages name other places so.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.location.file, self.location.line)
    }
}

impl Class {
    /// The field of a name; those of tuples are named by their positions: `0`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The method of a name.
    pub fn method(&self, name: &str) -> Option<&Method> {
        self.methods.iter().find(|method| method.name == name)
    }

    /// The variant of a name.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// The attribute with a name, written with or without its crate.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name() == name)
    }
}
