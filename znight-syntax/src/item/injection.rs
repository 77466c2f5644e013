//! What a field or a parameter asks for.

use syn::{Attribute, Expr, GenericArgument, Ident, PathArguments, Type, parse::Parser as _};

use super::inner;
use crate::{
    Problems,
    attr::{Argument, Values},
    check,
};

/// One injected field or parameter.
#[derive(Debug)]
pub struct Injection {
    /// Its name; none for a field of a tuple struct.
    pub ident: Option<Ident>,
    /// Its type as written.
    pub ty: Type,
    /// The qualifier of `#[inject("name")]`.
    pub qualifier: Option<Argument<String>>,
    /// Its `#[cfg(..)]` attributes.
    pub cfgs: Vec<Attribute>,
}

/// A field of an injectable struct.
#[derive(Debug)]
pub enum FieldKind {
    /// Injected.
    Injected(Injection),
    /// `#[init]` or `#[init(expr)]`: filled in without the container.
    Init {
        /// Its name; none for a field of a tuple struct.
        ident: Option<Ident>,
        /// Its type as written.
        ty: Box<Type>,
        /// The expression; `Default::default()` without.
        value: Option<Expr>,
        /// Its `#[cfg(..)]` attributes.
        cfgs: Vec<Attribute>,
    },
}

/// The outermost type of an injection, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapper {
    /// `Arc<..>`
    Arc,
    /// `Option<..>`
    Option,
    /// `Vec<..>`
    Vec,
    /// `Lazy<..>`
    Lazy,
    /// `Interceptors`
    Interceptors,
    /// Anything else: by value.
    Value,
}

impl Wrapper {
    /// The outermost type as written; aliases are the compiler's to see through.
    pub fn of(ty: &Type) -> Self {
        match last_segment(ty).as_deref() {
            Some("Arc") => Self::Arc,
            Some("Option") => Self::Option,
            Some("Vec") => Self::Vec,
            Some("Lazy") => Self::Lazy,
            Some("Interceptors") => Self::Interceptors,
            _ => Self::Value,
        }
    }
}

/// The last path segment of a type, without its arguments.
pub fn last_segment(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.last().map(|last| last.ident.to_string())
        }
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

/// The type arguments of a type's last path segment.
pub fn type_arguments(ty: &Type) -> Vec<&Type> {
    let Type::Path(path) = ty else {
        return Vec::new();
    };
    let Some(last) = path.path.segments.last() else {
        return Vec::new();
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return Vec::new();
    };
    arguments
        .args
        .iter()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
        .collect()
}

impl Injection {
    pub(super) fn read(
        ident: Option<Ident>,
        ty: &Type,
        attributes: &[Attribute],
        problems: &mut Problems,
    ) -> Self {
        let mut qualifier = None;
        for (count, attribute) in inner::named(attributes, "inject").enumerate() {
            if count > 0 {
                problems.misuse(attribute, "`#[inject]` is given twice");
                continue;
            }
            qualifier = Self::qualifier(attribute, problems);
        }
        Self {
            ident,
            ty: ty.clone(),
            qualifier,
            cfgs: inner::cfgs(attributes),
        }
    }

    fn qualifier(attribute: &Attribute, problems: &mut Problems) -> Option<Argument<String>> {
        let args = inner::args(attribute);
        if args.is_empty() {
            problems
                .misuse(
                    attribute,
                    "`#[inject]` takes the name of a provider: `#[inject(\"audit\")]`",
                )
                .hint("a field without the attribute is injected by its type");
            return None;
        }
        match (|input: syn::parse::ParseStream<'_>| input.parse::<Expr>()).parse2(args) {
            Ok(value) => Argument::read(&value, &check::QUALIFIER, &Values::default(), problems),
            Err(error) => {
                problems.syntax(&error);
                None
            }
        }
    }
}

impl FieldKind {
    pub(super) fn read(field: &syn::Field, problems: &mut Problems) -> Self {
        let mut inits = inner::named(&field.attrs, "init");
        let Some(init) = inits.next() else {
            return Self::Injected(Injection::read(
                field.ident.clone(),
                &field.ty,
                &field.attrs,
                problems,
            ));
        };
        if let Some(second) = inits.next() {
            problems.misuse(second, "`#[init]` is given twice");
        }
        if let Some(inject) = inner::named(&field.attrs, "inject").next() {
            problems
                .misuse(inject, "a field is injected or initialised, not both")
                .hint("remove `#[init]` or `#[inject]`");
        }
        let args = inner::args(init);
        let value = if args.is_empty() {
            None
        } else {
            match syn::parse2(args) {
                Ok(value) => Some(value),
                Err(error) => {
                    problems.syntax(&error);
                    None
                }
            }
        };
        Self::Init {
            ident: field.ident.clone(),
            ty: Box::new(field.ty.clone()),
            value,
            cfgs: inner::cfgs(&field.attrs),
        }
    }
}
