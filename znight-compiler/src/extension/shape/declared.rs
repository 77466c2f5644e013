//! Declarations as data: types of the program, their fields and variants.

use super::{Opaque, Shape};
use crate::{
    extension::class::{Attribute, Doc, Site},
    resolve::Ty,
};

/// A type of the program, with its arguments.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NamedShape {
    /// Its key: `shop::Page<shop::Book>`.
    pub key: String,
    /// Its own name: `Page`.
    pub name: String,
    /// Its name with those of its arguments: `Page<Book>`.
    pub display: String,
    /// The type.
    pub ty: Ty,
    /// What is written.
    pub shape: Shape,
    /// What is read, where that is something else: `#[serde(from = "..")]`.
    pub input: Option<Shape>,
    /// Whether what is read may be refused by a conversion: `#[serde(try_from = "..")]`.
    pub fallible: bool,
    /// The fields behind a shape that is no object, such as that of a newtype, with what their attributes say.
    pub fields: Vec<Property>,
    /// The type this one stands for: `#[serde(remote = "..")]`.
    pub remote: Option<String>,
    /// How it is written.
    pub serialize: SerdeImpl,
    /// How it is read.
    pub deserialize: SerdeImpl,
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Whether it is deprecated.
    pub deprecated: Option<Deprecated>,
    /// Its attributes other than `serde`, validation among them.
    pub attributes: Vec<Attribute>,
    /// Where its name stands.
    pub site: Site,
}

/// Where a type has one of serde's traits from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerdeImpl {
    /// serde derives it.
    Derived,
    /// It is implemented by hand.
    Written,
    /// No implementation is seen: there is none, or a macro makes it.
    Unseen,
}

/// The fields of a struct or a variant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ObjectShape {
    /// Its fields, in order, without those that are neither written nor read.
    pub properties: Vec<Property>,
    /// A property that holds the type's own name: `#[serde(tag = "..")]` on a struct.
    pub tag: Option<StructTag>,
    /// Whether other properties are refused.
    pub deny_unknown_fields: bool,
    /// Where missing properties come from.
    pub default: Option<DefaultValue>,
}

/// The tag of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StructTag {
    /// The property.
    pub property: String,
    /// What it holds.
    pub value: Names,
}

/// A field.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Property {
    /// Its name in the source; its position in a tuple.
    pub field: String,
    /// Its names in the data.
    pub names: Names,
    /// What is written.
    pub shape: Shape,
    /// What is read, where that is something else.
    pub input: Option<Shape>,
    /// Its type as it is written.
    pub written: String,
    /// The alias that its type is, or that of its `Option`.
    pub alias: Option<Alias>,
    /// Whether it is not written.
    pub skip_serializing: bool,
    /// Whether it is not read.
    pub skip_deserializing: bool,
    /// The function that decides whether it is left out: `Option::is_none`.
    pub skip_serializing_if: Option<String>,
    /// Where it comes from when it is missing.
    pub default: Option<DefaultValue>,
    /// Whether its own properties stand in its place. See
    /// [`Shapes::properties`](super::Shapes::properties).
    pub flatten: bool,
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Whether it is deprecated.
    pub deprecated: Option<Deprecated>,
    /// Its attributes other than `serde`, validation among them.
    pub attributes: Vec<Attribute>,
    /// Where its name stands; its type in a tuple.
    pub site: Site,
}

impl Property {
    /// Whether serde refuses to read the object it stands in without it.
    pub fn is_required_input(&self, object: &ObjectShape) -> bool {
        !self.skip_deserializing
            && !self.flatten
            && self.default.is_none()
            && object.default.is_none()
            && !matches!(self.input.as_ref().unwrap_or(&self.shape), Shape::Option(_))
    }
}

/// The names of something in the data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Names {
    /// The one that is written.
    pub serialize: String,
    /// The one that is read.
    pub deserialize: String,
    /// Further ones that are read.
    pub aliases: Vec<String>,
}

/// An alias of the program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Alias {
    /// Its path: `shop::books::Isbn`.
    pub path: String,
    /// What is written about it.
    pub doc: Option<Doc>,
}

/// Where a missing value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefaultValue {
    /// `Default::default`
    Trait,
    /// A function, by its path as written.
    Function(String),
}

/// `#[deprecated]`
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deprecated {
    /// The version that it is deprecated since.
    pub since: Option<String>,
    /// Why, or what to use.
    pub note: Option<String>,
}

/// An enum.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EnumShape {
    /// How the data tells the variants apart.
    pub tagging: Tagging,
    /// Its variants, in order, without those that are neither written nor read.
    pub variants: Vec<VariantShape>,
    /// Whether other properties are refused in its variants.
    pub deny_unknown_fields: bool,
}

impl EnumShape {
    /// Whether no variant holds anything, so that each is a string where it is
    /// [tagged from outside](Tagging::External).
    pub fn is_unit_only(&self) -> bool {
        self.variants
            .iter()
            .all(|variant| variant.content == VariantContent::Unit)
    }
}

/// How the data tells the variants of an enum apart.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tagging {
    /// `{"Variant": content}`; `"Variant"` without content.
    External,
    /// `{"tag": "Variant", ..content}`
    Internal {
        /// The property that holds the variant.
        tag: String,
    },
    /// `{"tag": "Variant", "content": content}`
    Adjacent {
        /// The property that holds the variant.
        tag: String,
        /// The property that holds what is in it; not there without content.
        content: String,
    },
    /// `content`; null without one.
    Untagged,
}

/// A variant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VariantShape {
    /// Its name in the source.
    pub variant: String,
    /// Its names in the data.
    pub names: Names,
    /// What it holds.
    pub content: VariantContent,
    /// What is read of it, where that is something else.
    pub input: Option<VariantContent>,
    /// Whether it cannot be written.
    pub skip_serializing: bool,
    /// Whether it cannot be read.
    pub skip_deserializing: bool,
    /// How it is told apart, where that is not how the enum does.
    pub tagging: Option<Tagging>,
    /// Whether it is read for every name that is not known.
    pub other: bool,
    /// What is written about it.
    pub doc: Option<Doc>,
    /// Whether it is deprecated.
    pub deprecated: Option<Deprecated>,
    /// Its attributes other than `serde`.
    pub attributes: Vec<Attribute>,
    /// Where its name stands.
    pub site: Site,
}

/// What a variant holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum VariantContent {
    /// Nothing.
    Unit,
    /// One value, by itself.
    Newtype(Box<Property>),
    /// Several values, as a list.
    Tuple(Vec<Property>),
    /// Named values.
    Object(ObjectShape),
    /// Something that cannot be told.
    Opaque(Opaque),
}
