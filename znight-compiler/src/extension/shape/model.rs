//! Shapes as data.

use std::{collections::BTreeMap, fmt};

use crate::{
    extension::class::{Attribute, Doc, Site},
    resolve::Ty,
};

/// The shape of a type and of every named type it is made of.
///
/// ```
/// use znight_compiler::{
///     extension::{Analysis, shape::Shape},
///     resolve::Ty,
/// };
///
/// /// The names of the properties of a type, as they are written.
/// fn names(cx: &Analysis<'_, '_>, ty: &Ty) -> Vec<String> {
///     let shapes = cx.shape(ty);
///     let properties = shapes.properties(&shapes.root).into_iter();
///     properties.map(|property| property.names.serialize.clone()).collect()
/// }
///
/// /// The types of the program that a type is made of.
/// fn parts(cx: &Analysis<'_, '_>, ty: &Ty) -> Vec<String> {
///     cx.shape(ty).named.into_keys().collect()
/// }
/// # let _ = (names, parts);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Shapes {
    /// The type that was asked for.
    pub root: Shape,
    /// Every type of the program that is reached, by its path with its arguments: `shop::Page<shop::Book>`.
    pub named: BTreeMap<String, NamedShape>,
    /// What could not be told, in the order it was reached.
    pub issues: Vec<ShapeIssue>,
}

/// The structure of a value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// `bool`
    Bool,
    /// `char`: a string of one character.
    Char,
    /// `String`, `str`
    String,
    /// A whole number.
    Integer(Integer),
    /// `f32`, `f64`: how many bits.
    Float(u16),
    /// `()`, a struct without anything behind its name, `PhantomData`: null.
    Unit,
    /// `Option<T>`: the value, or null.
    Option(Box<Self>),
    /// Values of one kind.
    List(List),
    /// Values of a kind each.
    Tuple(Vec<Self>),
    /// A map: the shapes of its keys and values.
    Map(Box<Self>, Box<Self>),
    /// A struct with named fields. It stands in a [`NamedShape`].
    Object(ObjectShape),
    /// An enum. It stands in a [`NamedShape`].
    Enum(EnumShape),
    /// A type of the program, by its key in [`Shapes::named`].
    Named(String),
    /// A type of another crate.
    Foreign(Foreign),
    /// Something that cannot be told. There is an issue for it.
    Opaque(Opaque),
}

/// A whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Integer {
    /// Whether it may be negative.
    pub signed: bool,
    /// How many bits it has; none for `usize` and `isize`.
    pub bits: Option<u16>,
    /// Whether it is never zero.
    pub non_zero: bool,
}

/// Values of one kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct List {
    /// What each is.
    pub items: Box<Shape>,
    /// How many there are, in an array whose length can be told.
    pub length: Option<u64>,
    /// Whether no two are equal.
    pub unique: bool,
}

/// A type of another crate whose sources are not part of the program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Foreign {
    /// Its path, as far as it is followed: `uuid::Uuid`, `std::time::Duration`.
    pub path: String,
    /// Its arguments.
    pub args: Vec<Shape>,
}

/// Something that cannot be told.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opaque {
    /// The type, or the function that writes it.
    pub text: String,
    /// Why.
    pub reason: IssueReason,
}

/// Why something cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IssueReason {
    /// A function of the user's writes it.
    CustomSerialization,
    /// A function of the user's reads it; what is written is known.
    CustomDeserialization,
    /// `Serialize` or `Deserialize` is implemented by hand, or derived by something other than serde.
    WrittenByHand,
    /// A trait object.
    TraitObject,
    /// A function.
    Function,
    /// `*const T`
    Pointer,
    /// A type parameter that nothing stands for.
    Parameter,
    /// A union.
    Union,
    /// Arguments that grow without end.
    Endless,
    /// A name or a form of type that cannot be followed.
    Unresolved,
    /// The file it is declared in cannot be read as Rust, or a macro declares it.
    Unreadable,
}

impl IssueReason {
    /// As it stands in a message, behind the type: "is a trait object".
    pub fn describe(self) -> &'static str {
        match self {
            Self::CustomSerialization => "is written by a function",
            Self::CustomDeserialization => "is read by a function",
            Self::WrittenByHand => "has no derived serde traits",
            Self::TraitObject => "is a trait object",
            Self::Function => "is a function",
            Self::Pointer => "is a pointer",
            Self::Parameter => "is a type parameter",
            Self::Union => "is a union",
            Self::Endless => "has arguments that grow without end",
            Self::Unresolved => "cannot be followed",
            Self::Unreadable => "stands where it cannot be read",
        }
    }
}

impl fmt::Display for IssueReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

/// A part of a shape that cannot be told.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShapeIssue {
    /// How it is reached, by the names of the source: `Book.author[].name`.
    pub path: String,
    /// The named shape whose declaration has it.
    pub named: Option<String>,
    /// The type, or the function that writes it.
    pub text: String,
    /// Why.
    pub reason: IssueReason,
    /// Where it is written; none in the type that was asked for.
    pub site: Option<Site>,
}

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
    /// Whether its own properties stand in its place. See [`Shapes::properties`].
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

impl Shapes {
    /// What a shape stands for: that behind a name, and that behind names of names.
    pub fn follow<'a>(&'a self, shape: &'a Shape) -> &'a Shape {
        let mut at = shape;
        // A type that is nothing but itself does not compile; it must not hang here either.
        for _ in 0..=self.named.len() {
            match at {
                Shape::Named(key) => match self.named.get(key) {
                    Some(found) => at = &found.shape,
                    None => return at,
                },
                _ => return at,
            }
        }
        at
    }

    /// The properties of an object, those of flattened structs in their place; none of anything else.
    ///
    /// A flattened map or enum has no names to list: it stays as the property it is.
    pub fn properties<'a>(&'a self, shape: &'a Shape) -> Vec<&'a Property> {
        let mut found = Vec::new();
        self.add_properties(shape, 0, &mut found);
        found
    }

    fn add_properties<'a>(
        &'a self,
        shape: &'a Shape,
        depth: usize,
        found: &mut Vec<&'a Property>,
    ) -> bool {
        // A struct that is flattened into itself ends where it has been everywhere.
        if depth > self.named.len() {
            return false;
        }
        match self.follow(shape) {
            Shape::Object(object) => {
                for property in &object.properties {
                    if !property.flatten || !self.add_properties(&property.shape, depth + 1, found)
                    {
                        found.push(property);
                    }
                }
                true
            }
            // What is missing has no properties; what is there has those of the struct.
            Shape::Option(inner) if depth > 0 => self.add_properties(inner, depth, found),
            _ => false,
        }
    }
}
