//! The structure of types as serde writes them: facts for whoever describes an interface.
//!
//! A shape is read from the declaration, its `serde` attributes, its docs and its generic arguments. It says
//! what is there and not what that means: which format a `uuid::Uuid` has, what an optional property is in
//! a schema, and whether an opaque part is an error are for the extension to decide.
//!
//! serde may write and read one type differently. [`Property::shape`] and [`NamedShape::shape`] say what is
//! written; `input` beside them says what is read where that is something else.

mod build;
mod declared;
mod instance;
mod known;
mod model;
mod named;
mod rename;
mod serde;

pub use self::{
    declared::{
        Alias, DefaultValue, Deprecated, EnumShape, NamedShape, Names, ObjectShape, Property,
        SerdeImpl, StructTag, Tagging, VariantContent, VariantShape,
    },
    model::{Foreign, Integer, IssueReason, List, Opaque, Shape, ShapeIssue, Shapes},
    rename::RenameRule,
};
use crate::resolve::{Resolver, Ty};

/// The shape of a type.
pub(crate) fn shape(resolver: &Resolver<'_>, ty: &Ty) -> Shapes {
    build::Builder::new(resolver).finish(ty)
}
