//! Shapes as data.

use std::{collections::BTreeMap, fmt};

use super::{EnumShape, NamedShape, ObjectShape, Property};
use crate::extension::class::Site;

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
