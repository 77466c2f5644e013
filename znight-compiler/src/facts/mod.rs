//! What one file says, without looking at any other.

mod cache;
pub mod flat;
mod marked;
mod read;
mod written;

use std::rc::Rc;

pub use cache::{Cache, Files};
pub use marked::{
    ArgumentFact, DeclaredFact, ExtensionFact, FactoryFact, HooksFact, InjectionFact, Marked,
    MethodFact, Named, Parsed, PlaceFact, ProblemFact, ProviderArgsFact, ProviderFact, Region,
};
pub use read::whole::Whole;
pub use read::{Names, read};
pub(crate) use read::{
    Places, bounds, reading, span, visibility,
    whole::{WholeItem, attrs},
};
pub use written::{ArgumentExpr, PathExpr, SegmentExpr, TypeExpr, ValueExpr};

use self::flat::flat;
use crate::{cfg::Condition, packages::FACADE, source::Span};

/// One source file.
#[derive(Debug)]
pub struct FileFacts {
    /// Its items; none when it could not be parsed.
    pub items: Vec<ItemFact>,
    /// Conditions of inner attributes: `#![cfg(..)]`.
    pub conditions: Vec<Condition>,
    /// Why it could not be parsed, if so: what it holds is unknown then, not missing.
    pub broken: Option<SyntaxFact>,
}

/// A syntax error.
#[derive(Debug)]
pub struct SyntaxFact {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl FileFacts {
    /// What an attribute of the item that is named at a place says.
    pub fn marked_at(&self, name_at: Span, attribute: usize, path: &str) -> Option<Rc<Marked>> {
        fn search(
            items: &[ItemFact],
            name_at: Span,
            attribute: usize,
            path: &str,
        ) -> Option<Rc<Marked>> {
            items.iter().find_map(|item| {
                if item.name_at == name_at {
                    return item
                        .marked
                        .iter()
                        .find(|marked| marked.attribute == attribute && marked.path == path)
                        .cloned();
                }
                match &item.kind {
                    ItemKind::Module(ModuleFact {
                        inline: Some(items),
                        ..
                    }) => search(items, name_at, attribute, path),
                    _ => None,
                }
            })
        }
        search(&self.items, name_at, attribute, path)
    }
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
    /// Attributes that are not the language's own, outermost first.
    pub attributes: Vec<AttributeFact>,
    /// What those of its attributes say that are taken to be ours by their names.
    pub marked: Vec<Rc<Marked>>,
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
    Alias(Vec<GenericFact>, TypeExpr),
    /// A trait.
    Trait(Box<TraitFact>),
    /// `impl Trait for Type`
    Impl(Box<ImplFact>),
    /// `impl Type`
    Inherent(InherentFact),
    /// A const.
    Const(ConstFact),
    /// A static.
    Static,
    /// A function.
    Function,
    /// `macro_rules! name`
    MacroRules,
    /// `name! { .. }`
    MacroCall(MacroFact),
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
    /// Whether it is a struct whose fields have names.
    pub named: bool,
}

/// A generic type parameter.
#[derive(Debug)]
pub struct GenericFact {
    /// Its name.
    pub name: String,
    /// The traits it must implement.
    pub bounds: Vec<PathExpr>,
    /// Its default.
    pub default: Option<TypeExpr>,
}

/// A trait.
#[derive(Debug)]
pub struct TraitFact {
    /// Its generic parameters.
    pub generics: Vec<GenericFact>,
    /// Its super-traits.
    pub supertraits: Vec<PathExpr>,
    /// Why `dyn Trait` is not possible, with the name of what stands in the way.
    pub not_dyn: Option<(NotDyn, String)>,
    /// Whether `dyn Trait` has to spell associated types.
    pub has_types: bool,
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

/// The impl of a type itself.
#[derive(Debug)]
pub struct InherentFact {
    /// Its generic parameters.
    pub generics: Vec<GenericFact>,
    /// The type as written.
    pub self_ty: TypeExpr,
    /// Attributes of its methods that may stand for interceptors.
    pub intercepted: Vec<InterceptedFact>,
    /// Its associated consts.
    pub consts: Vec<MemberFact>,
}

/// A const.
#[derive(Debug)]
pub struct ConstFact {
    /// Its type.
    pub ty: TypeExpr,
    /// Its value.
    pub value: ValueExpr,
}

/// An associated const.
#[derive(Debug)]
pub struct MemberFact {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub name_at: Span,
    /// Its `cfg` conditions.
    pub conditions: Vec<Condition>,
    /// What it is.
    pub is: ConstFact,
}

/// A macro call in the place of an item.
#[derive(Debug)]
pub struct MacroFact {
    /// Its path as written.
    pub path: Vec<String>,
    /// Names of our attributes among its tokens.
    pub ours: Vec<String>,
    /// The items it holds, where its name says that it puts a condition on them: `cfg_rt! { .. }`.
    pub items: Vec<ItemFact>,
    /// The file of `include!("file")`.
    pub include: Option<String>,
}

/// The macros of ours that stand at the root of a crate.
const ROOTS: [&str; 2] = ["graph", "library"];

impl MacroFact {
    /// Whether it is one of ours that stand at the root of a crate.
    pub fn is_root(&self, facade: &str) -> bool {
        ROOTS.iter().any(|name| self.is_ours(name, facade))
    }

    /// Whether it is that macro of ours, by its name.
    pub fn is_ours(&self, wanted: &str, facade: &str) -> bool {
        match &self.path[..] {
            [name] => name == wanted,
            [first, .., name] => name == wanted && (first == facade || first == FACADE),
            [] => false,
        }
    }
}

/// The impl of a trait.
#[derive(Debug)]
pub struct ImplFact {
    /// Its generic parameters, with the bounds of its where clause.
    pub generics: Vec<GenericFact>,
    /// The trait as written.
    pub path: PathExpr,
    /// The type as written.
    pub self_ty: TypeExpr,
    /// Attributes of its methods that may stand for interceptors.
    pub intercepted: Vec<InterceptedFact>,
    /// Its associated consts.
    pub consts: Vec<MemberFact>,
}

/// An attribute of a method that may stand for an interceptor.
#[derive(Debug)]
pub struct InterceptedFact {
    /// The method.
    pub name: String,
    /// Where its name stands.
    pub name_at: Span,
    /// Conditions of the method and of a `cfg_attr` around the attribute.
    pub conditions: Vec<Condition>,
    /// The path of the attribute as written.
    pub attribute: Vec<String>,
    /// The type its arguments begin with, if they do.
    pub interceptor: Option<TypeExpr>,
}

flat!(struct InterceptedFact { name, name_at, conditions, attribute, interceptor });

flat!(struct FileFacts { items, conditions, broken });
flat!(struct SyntaxFact { message, span });
flat!(struct ItemFact { name, visibility, conditions, attributes, marked, name_at, kind });
flat!(struct AttributeFact { path, conditions });
flat!(
    enum Visibility {
        Public,
        Crate,
        Super,
        In(a),
        Private,
    }
);
flat!(
    enum ItemKind {
        Module(a),
        Use(a),
        ExternCrate(a),
        Struct(a),
        Other(a),
        Alias(a, b),
        Trait(a),
        Impl(a),
        Inherent(a),
        Const(a),
        Static,
        Function,
        MacroRules,
        MacroCall(a),
    }
);
flat!(struct ModuleFact { inline, paths });
flat!(struct UseFact { path, absolute, alias, glob });
flat!(struct TypeFact { generics, derives, unit, named });
flat!(struct GenericFact { name, bounds, default });
flat!(struct TraitFact { generics, supertraits, not_dyn, has_types });
flat!(
    enum NotDyn {
        AsyncFn,
        GenericMethod,
        ReturnsSelf,
        TakesSelf,
        ReturnsImpl,
        NoReceiver,
        Const,
        Sized,
        GenericType,
    }
);
flat!(struct InherentFact { generics, self_ty, intercepted, consts });
flat!(struct ConstFact { ty, value });
flat!(struct MemberFact { name, name_at, conditions, is });
flat!(struct MacroFact { path, ours, items, include });
flat!(struct ImplFact { generics, path, self_ty, intercepted, consts });
