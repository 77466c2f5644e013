//! What one file says, without looking at any other.

mod read;

use std::path::PathBuf;

use proc_macro2::{Span, TokenStream};

use crate::cfg::Condition;

pub use read::read;

/// One source file.
#[derive(Debug)]
pub struct FileFacts {
    /// Its path, relative to the package.
    pub path: PathBuf,
    /// Its items; none when it could not be parsed.
    pub items: Vec<ItemFact>,
    /// Conditions of inner attributes: `#![cfg(..)]`.
    pub conditions: Vec<Condition>,
    /// Whether it could not be parsed: what it holds is unknown then, not missing.
    pub broken: bool,
}

/// One item of a module.
#[derive(Debug)]
pub struct ItemFact {
    /// Its name; none for impls, imports and macro calls.
    pub name: Option<String>,
    /// Who may name it.
    pub visibility: Visibility,
    /// Its `cfg` conditions.
    pub conditions: Vec<Condition>,
    /// Attributes that may be ours, outermost first.
    pub attributes: Vec<AttributeFact>,
    /// The raw tokens of the item, kept when an attribute may be ours.
    pub tokens: Option<TokenStream>,
    /// Where it starts, attributes included; only known when an attribute may be ours.
    pub start: Option<Span>,
    /// Where its name stands, or the type of an impl.
    pub name_at: Span,
    /// What it is.
    pub kind: ItemKind,
}

/// An attribute that is not one of the language's own.
#[derive(Debug)]
pub struct AttributeFact {
    /// Its path as written: `znight::injectable`.
    pub path: Vec<String>,
    /// Its argument tokens.
    pub args: TokenStream,
    /// Conditions of a `cfg_attr` around it.
    pub conditions: Vec<Condition>,
}

/// Who may name an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visibility {
    /// `pub`
    Public,
    /// `pub(crate)`
    Crate,
    /// `pub(super)`
    Super,
    /// `pub(in path)`
    In(Vec<String>),
    /// Nothing, or `pub(self)`.
    Private,
}

/// What an item is.
#[derive(Debug)]
pub enum ItemKind {
    /// `mod a;` or `mod a { .. }`
    Module(ModuleFact),
    /// `use ..;`
    Use(Vec<UseFact>),
    /// `extern crate a as b;`
    ExternCrate(String),
    /// A struct, with its derives.
    Struct(TypeFact),
    /// An enum or a union.
    Other(TypeFact),
    /// `type A<T> = B<T>;`
    Alias(Vec<GenericFact>, Box<syn::Type>),
    /// A trait.
    Trait(Box<TraitFact>),
    /// `impl Trait for Type`
    Impl(Box<ImplFact>),
    /// `impl Type`
    Inherent(Box<syn::Type>),
    /// A function, const or static.
    Value,
    /// `macro_rules! name`
    MacroRules,
    /// `name! { .. }`
    MacroCall {
        /// Its path as written.
        path: Vec<String>,
        /// Names of our attributes among its tokens.
        ours: Vec<String>,
    },
}

/// A module.
#[derive(Debug)]
pub struct ModuleFact {
    /// The items of an inline module.
    pub inline: Option<Vec<ItemFact>>,
    /// `#[path = ".."]`, with the conditions of a `cfg_attr` around it.
    pub paths: Vec<(String, Vec<Condition>)>,
}

/// One name a `use` brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseFact {
    /// The path, without a final `self`.
    pub path: Vec<String>,
    /// Whether it started with `::`.
    pub absolute: bool,
    /// The name it is known by here; none for `as _` and for globs.
    pub alias: Option<String>,
    /// Whether it ends in `*`.
    pub glob: bool,
}

/// A struct, enum or union.
#[derive(Debug)]
pub struct TypeFact {
    /// Its generic parameters.
    pub generics: Vec<GenericFact>,
    /// The last segments of its derives.
    pub derives: Vec<String>,
    /// Whether it is a struct without fields.
    pub unit: bool,
}

/// A generic type parameter.
#[derive(Debug)]
pub struct GenericFact {
    /// Its name.
    pub name: String,
    /// The traits it must implement.
    pub bounds: Vec<syn::Path>,
    /// Its default.
    pub default: Option<syn::Type>,
}

/// A trait.
#[derive(Debug)]
pub struct TraitFact {
    /// Its generic parameters.
    pub generics: Vec<GenericFact>,
    /// Its super-traits.
    pub supertraits: Vec<syn::Path>,
    /// Why `dyn Trait` is not possible, with the name of what stands in the way.
    pub not_dyn: Option<(NotDyn, String)>,
}

/// Why a trait is not dyn-compatible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotDyn {
    /// A plain `async fn`.
    AsyncFn,
    /// A method with type parameters.
    GenericMethod,
    /// A method that returns `Self`.
    ReturnsSelf,
    /// A method that takes `Self` as a parameter.
    TakesSelf,
    /// A method that returns `impl Trait`.
    ReturnsImpl,
    /// A function without a receiver.
    NoReceiver,
    /// An associated const.
    Const,
    /// `Sized` as a super-trait.
    Sized,
    /// An associated type with parameters.
    GenericType,
}

/// The impl of a trait.
#[derive(Debug)]
pub struct ImplFact {
    /// Its generic parameters, with the bounds of its where clause.
    pub generics: Vec<GenericFact>,
    /// The trait as written.
    pub path: syn::Path,
    /// The type as written.
    pub self_ty: syn::Type,
}
