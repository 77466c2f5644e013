//! Types: identity, aliases, arguments.

use std::collections::BTreeMap;

use super::{Found, ItemId, ModuleId, Program, Resolver, evaluate::Value};
use crate::facts::{ArgumentExpr, GenericFact, ItemKind, PathExpr, TypeExpr, ValueExpr};

/// A type, with every name resolved and every alias expanded. Equal types are equal values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ty {
    /// A type of the program.
    Local(ItemId, Vec<Ty>),
    /// A type of another crate.
    Foreign(String, Vec<Ty>),
    /// A primitive.
    Primitive(&'static str),
    /// `dyn Trait`, with the auto traits spelled beside it, sorted; lifetimes left out.
    Dyn(Box<TraitRef>, Vec<String>),
    /// `&T`, `&mut T`, `*const T`: the text of what stands before, and the type.
    Pointer(String, Box<Ty>),
    /// `(A, B)`
    Tuple(Vec<Ty>),
    /// `[T]` and `[T; N]`, with the text of the length.
    Slice(Box<Ty>, Option<String>),
    /// `fn(A) -> B`
    Function(Vec<Ty>, Box<Ty>),
    /// The value of a const parameter: `4` in `Buffer<4>`.
    Const(String),
    /// A type parameter in scope.
    Param(String),
    /// Something that cannot be followed: the text.
    Opaque(String),
    /// A name that does not resolve, which rustc reports too: the text.
    Missing(String),
}

/// A trait with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraitRef {
    /// The item, or the path of a foreign one.
    pub path: Found,
    /// Its type arguments, defaults filled in.
    pub args: Vec<Ty>,
    /// Its associated types: `Iterator<Item = u8>`.
    pub bindings: Vec<(String, Ty)>,
}

/// What type parameters stand for.
pub type Substitution = BTreeMap<String, Ty>;

/// Where a type is written.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// The module.
    pub module: ModuleId,
    /// The type parameters in scope.
    pub params: Vec<String>,
    /// What `Self` means.
    pub self_ty: Option<Box<Ty>>,
}

impl Scope {
    /// A place in a module without parameters.
    pub fn module(module: ModuleId) -> Self {
        Self {
            module,
            ..Self::default()
        }
    }

    /// The same place with type parameters.
    #[must_use]
    pub fn with_params(mut self, generics: &[GenericFact]) -> Self {
        self.params = generics
            .iter()
            .map(|generic| generic.name.clone())
            .collect();
        self
    }
}

/// Aliases of aliases beyond this are a loop.
const MAX_ALIASES: usize = 64;
const AUTO_TRAITS: &[&str] = &[
    "std::marker::Send",
    "std::marker::Sync",
    "std::marker::Unpin",
    "std::panic::UnwindSafe",
    "std::panic::RefUnwindSafe",
];

impl Resolver<'_> {
    /// The type written at a place.
    pub fn ty(&self, ty: &TypeExpr, scope: &Scope) -> Ty {
        self.lower(ty, scope, 0)
    }

    fn lower(&self, ty: &TypeExpr, scope: &Scope, depth: usize) -> Ty {
        let all = |types: &[TypeExpr]| {
            types
                .iter()
                .map(|ty| self.lower(ty, scope, depth))
                .collect::<Vec<_>>()
        };
        match ty {
            TypeExpr::Path(path) => self.lower_path(path, scope, depth),
            TypeExpr::Dyn(bounds) => self.principal(bounds, scope, depth).map_or_else(
                || Ty::Opaque(ty.to_string()),
                |(found, auto)| Ty::Dyn(Box::new(found), auto),
            ),
            TypeExpr::Pointer(prefix, inner) => {
                // Lifetimes do not tell types apart.
                let prefix = match prefix.as_bytes() {
                    [b'*', ..] => "*",
                    _ if prefix.ends_with("mut ") => "&mut ",
                    _ => "&",
                };
                Ty::Pointer(prefix.to_owned(), Box::new(self.lower(inner, scope, depth)))
            }
            TypeExpr::Tuple(parts) => Ty::Tuple(all(parts)),
            TypeExpr::Slice(inner) => Ty::Slice(Box::new(self.lower(inner, scope, depth)), None),
            TypeExpr::Array(inner, length) => Ty::Slice(
                Box::new(self.lower(inner, scope, depth)),
                Some(length.to_string()),
            ),
            TypeExpr::Function(inputs, output) => {
                Ty::Function(all(inputs), Box::new(self.lower(output, scope, depth)))
            }
            TypeExpr::Projection(..) | TypeExpr::Other(_) => Ty::Opaque(ty.to_string()),
        }
    }

    fn lower_path(&self, path: &PathExpr, scope: &Scope, depth: usize) -> Ty {
        if let Some(only) = path.ident() {
            if only == "Self" {
                return scope
                    .self_ty
                    .as_deref()
                    .cloned()
                    .unwrap_or_else(|| Ty::Opaque("Self".to_owned()));
            }
            if scope.params.iter().any(|param| param == only) {
                return Ty::Param(only.to_owned());
            }
        }
        let Some(last) = path.segments.last() else {
            return Ty::Opaque(String::new());
        };
        let args = || self.arguments(&last.args, scope, depth).0;
        let names = path.names();
        match self.path(scope.module, &names, path.absolute) {
            Found::Item(item) => self.local(item, args(), path, depth),
            Found::Foreign(path) => self.foreign_ty(scope.module, path, args()),
            Found::Primitive(name) => Ty::Primitive(name),
            Found::Missing => Ty::Missing(path.to_string()),
            Found::Ambiguous | Found::Module(_) => Ty::Opaque(path.to_string()),
            Found::Unknown => match self.foreign_glob(scope.module) {
                // The one crate whose names are all imported here: rustc checks the rest.
                Some(glob) if path.segments.len() == 1 && !path.absolute => {
                    self.foreign_ty(scope.module, format!("{glob}::{}", last.name), args())
                }
                _ => Ty::Opaque(path.to_string()),
            },
        }
    }

    fn local(&self, item: ItemId, mut args: Vec<Ty>, path: &PathExpr, depth: usize) -> Ty {
        let found = &self.program.items[item];
        match &found.fact.kind {
            ItemKind::Alias(generics, target) => {
                if depth >= MAX_ALIASES {
                    return Ty::Opaque(path.to_string());
                }
                self.fill(&mut args, generics, found.module, depth);
                let substitution = substitution(generics, &args);
                let scope = Scope::module(found.module).with_params(generics);
                self.lower(target, &scope, depth + 1)
                    .substitute(&substitution)
            }
            ItemKind::Struct(declared) | ItemKind::Other(declared) => {
                self.fill(&mut args, &declared.generics, found.module, depth);
                Ty::Local(item, args)
            }
            // A bare trait: written without `dyn`, which rustc refuses.
            _ => Ty::Opaque(path.to_string()),
        }
    }

    /// Adds the defaults of parameters that were not given.
    fn fill(&self, args: &mut Vec<Ty>, generics: &[GenericFact], module: ModuleId, depth: usize) {
        if depth >= MAX_ALIASES {
            return;
        }
        while let Some(generic) = generics.get(args.len()) {
            let Some(default) = &generic.default else {
                return;
            };
            let scope = Scope::module(module).with_params(generics);
            let default = self
                .lower(default, &scope, depth + 1)
                .substitute(&substitution(generics, args));
            args.push(default);
        }
    }

    /// The types among the arguments of a path segment, and its associated types.
    fn arguments(
        &self,
        arguments: &[ArgumentExpr],
        scope: &Scope,
        depth: usize,
    ) -> (Vec<Ty>, Vec<(String, Ty)>) {
        let (mut types, mut bindings) = (Vec::new(), Vec::new());
        for argument in arguments {
            match argument {
                ArgumentExpr::Type(ty) => types.push(self.argument(ty, scope, depth)),
                ArgumentExpr::Const(value) => {
                    let known = self.constant(value, scope);
                    types.push(known.unwrap_or_else(|| Ty::Const(value.to_string())));
                }
                ArgumentExpr::Assoc(name, ty) => {
                    bindings.push((name.clone(), self.lower(ty, scope, depth)));
                }
                ArgumentExpr::Call(inputs, output) => {
                    let inputs = inputs.iter().map(|ty| self.lower(ty, scope, depth));
                    types.push(Ty::Tuple(inputs.collect()));
                    bindings.push(("Output".to_owned(), self.lower(output, scope, depth)));
                }
            }
        }
        bindings.sort();
        (types, bindings)
    }

    /// A type argument; a name that is no type may be a constant.
    fn argument(&self, written: &TypeExpr, scope: &Scope, depth: usize) -> Ty {
        let found = self.lower(written, scope, depth);
        match (written, &found) {
            (TypeExpr::Path(path), Ty::Missing(_) | Ty::Opaque(_)) => self
                .constant(&ValueExpr::Path(path.clone()), scope)
                .unwrap_or(found),
            _ => found,
        }
    }

    /// The argument for a const parameter, if its value can be told.
    fn constant(&self, value: &ValueExpr, scope: &Scope) -> Option<Ty> {
        let text = match self.evaluate(value, scope).ok()? {
            Value::Int(number, _) => number.to_string(),
            Value::Bool(on) => on.to_string(),
            Value::Char(c) => format!("{c:?}"),
            _ => return None,
        };
        Some(Ty::Const(text))
    }

    /// The one trait of a trait object that is no auto trait, and the auto traits beside it.
    fn principal(
        &self,
        bounds: &[PathExpr],
        scope: &Scope,
        depth: usize,
    ) -> Option<(TraitRef, Vec<String>)> {
        let mut auto = Vec::new();
        let mut principal = None;
        for bound in bounds {
            let found = self.trait_in(bound, scope, depth)?;
            match &found.path {
                Found::Foreign(path) if AUTO_TRAITS.contains(&path.as_str()) => {
                    auto.push(path.clone());
                }
                _ => principal = Some(found),
            }
        }
        auto.sort();
        auto.dedup();
        if principal.is_none() && !auto.is_empty() {
            let path = Found::Foreign(auto.remove(0));
            principal = Some(TraitRef {
                path,
                args: Vec::new(),
                bindings: Vec::new(),
            });
        }
        principal.map(|found| (found, auto))
    }

    /// The trait a path written at a place means; none when it cannot be followed.
    pub fn trait_ref(&self, path: &PathExpr, scope: &Scope) -> Option<TraitRef> {
        self.trait_in(path, scope, 0)
    }

    fn trait_in(&self, path: &PathExpr, scope: &Scope, depth: usize) -> Option<TraitRef> {
        let last = path.segments.last()?;
        let (mut args, bindings) = self.arguments(&last.args, scope, depth);
        let names = path.names();
        let found = match self.path(scope.module, &names, path.absolute) {
            Found::Item(item) => {
                let declared = &self.program.items[item];
                let ItemKind::Trait(fact) = &declared.fact.kind else {
                    return None;
                };
                self.fill(&mut args, &fact.generics, declared.module, depth);
                Found::Item(item)
            }
            Found::Foreign(path) => Found::Foreign(self.foreign_trait(scope.module, path)),
            Found::Unknown => Found::Foreign(format!(
                "{}::{}",
                self.foreign_glob(scope.module)?,
                names.join("::")
            )),
            _ => return None,
        };
        Some(TraitRef {
            path: found,
            args,
            bindings,
        })
    }
}

pub(super) fn substitution(generics: &[GenericFact], args: &[Ty]) -> Substitution {
    generics
        .iter()
        .map(|generic| generic.name.clone())
        .zip(args.iter().cloned())
        .collect()
}

impl Ty {
    /// The type with its parameters replaced.
    #[must_use]
    pub fn substitute(&self, with: &Substitution) -> Self {
        let all = |types: &[Self]| types.iter().map(|ty| ty.substitute(with)).collect();
        match self {
            Self::Param(name) => with.get(name).cloned().unwrap_or_else(|| self.clone()),
            Self::Local(item, args) => Self::Local(*item, all(args)),
            Self::Foreign(path, args) => Self::Foreign(path.clone(), all(args)),
            Self::Dyn(object, auto) => Self::Dyn(Box::new(object.substitute(with)), auto.clone()),
            Self::Pointer(prefix, inner) => {
                Self::Pointer(prefix.clone(), Box::new(inner.substitute(with)))
            }
            Self::Tuple(parts) => Self::Tuple(all(parts)),
            Self::Slice(inner, length) => {
                Self::Slice(Box::new(inner.substitute(with)), length.clone())
            }
            Self::Function(inputs, output) => {
                Self::Function(all(inputs), Box::new(output.substitute(with)))
            }
            Self::Primitive(_) | Self::Const(_) | Self::Opaque(_) | Self::Missing(_) => {
                self.clone()
            }
        }
    }

    /// The first part of the type that cannot be followed, or does not exist.
    pub fn unfollowable(&self) -> Option<&Self> {
        match self {
            Self::Opaque(_) | Self::Missing(_) => Some(self),
            Self::Local(_, args) | Self::Foreign(_, args) | Self::Tuple(args) => {
                args.iter().find_map(Self::unfollowable)
            }
            Self::Dyn(object, _) => object.args.iter().find_map(Self::unfollowable),
            Self::Pointer(_, inner) | Self::Slice(inner, _) => inner.unfollowable(),
            Self::Function(inputs, output) => inputs
                .iter()
                .find_map(Self::unfollowable)
                .or_else(|| output.unfollowable()),
            Self::Primitive(_) | Self::Const(_) | Self::Param(_) => None,
        }
    }

    /// Whether it is a plain value, which its type alone does not tell from others: a number, a text, a tuple.
    pub fn is_value(&self) -> bool {
        match self {
            Self::Primitive(_) | Self::Tuple(_) | Self::Slice(..) | Self::Function(..) => true,
            Self::Foreign(path, _) => path == "std::string::String",
            Self::Pointer(_, inner) => inner.is_value(),
            _ => false,
        }
    }

    /// Whether the type mentions a type parameter.
    pub fn is_generic(&self) -> bool {
        match self {
            Self::Param(_) => true,
            Self::Local(_, args) | Self::Foreign(_, args) | Self::Tuple(args) => {
                args.iter().any(Self::is_generic)
            }
            Self::Dyn(object, _) => object.args.iter().any(Self::is_generic),
            Self::Pointer(_, inner) | Self::Slice(inner, _) => inner.is_generic(),
            Self::Function(inputs, output) => {
                inputs.iter().any(Self::is_generic) || output.is_generic()
            }
            Self::Primitive(_) | Self::Const(_) | Self::Opaque(_) | Self::Missing(_) => false,
        }
    }

    /// The identity of the type, with full paths.
    pub fn token(&self, program: &Program) -> String {
        self.render(program, &|item| program.item_path(item))
    }

    /// The name of the type in messages: last segments only.
    pub fn display(&self, program: &Program) -> String {
        znight_contract::display::short(&self.token(program))
    }

    fn render(&self, program: &Program, local: &dyn Fn(ItemId) -> String) -> String {
        let list = |types: &[Self]| {
            types
                .iter()
                .map(|ty| ty.render(program, local))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let with_args = |name: String, args: &[Self]| {
            if args.is_empty() {
                name
            } else {
                format!("{name}<{}>", list(args))
            }
        };
        match self {
            Self::Local(item, args) => with_args(local(*item), args),
            Self::Foreign(path, args) => with_args(path.clone(), args),
            Self::Primitive(name) => (*name).to_owned(),
            Self::Dyn(object, _) => format!("dyn {}", object.render(program, local)),
            Self::Pointer(prefix, inner) => format!("{prefix}{}", inner.render(program, local)),
            Self::Tuple(parts) => format!("({})", list(parts)),
            Self::Slice(inner, None) => format!("[{}]", inner.render(program, local)),
            Self::Slice(inner, Some(length)) => {
                format!("[{}; {length}]", inner.render(program, local))
            }
            Self::Function(inputs, output) => {
                format!("fn({}) -> {}", list(inputs), output.render(program, local))
            }
            Self::Param(name) | Self::Const(name) => name.clone(),
            Self::Opaque(text) | Self::Missing(text) => text.clone(),
        }
    }
}

impl TraitRef {
    /// The trait with its parameters replaced.
    #[must_use]
    pub fn substitute(&self, with: &Substitution) -> Self {
        Self {
            path: self.path.clone(),
            args: self.args.iter().map(|ty| ty.substitute(with)).collect(),
            bindings: self
                .bindings
                .iter()
                .map(|(name, ty)| (name.clone(), ty.substitute(with)))
                .collect(),
        }
    }

    /// The identity of the trait, with full paths.
    pub fn token(&self, program: &Program) -> String {
        self.render(program, &|item| program.item_path(item))
    }

    /// The name of the trait in messages.
    pub fn display(&self, program: &Program) -> String {
        znight_contract::display::short(&self.token(program))
    }

    fn render(&self, program: &Program, local: &dyn Fn(ItemId) -> String) -> String {
        let name = match &self.path {
            Found::Item(item) => local(*item),
            Found::Foreign(path) => path.clone(),
            _ => String::new(),
        };
        let args: Vec<String> = self
            .args
            .iter()
            .map(|ty| ty.render(program, local))
            .chain(
                self.bindings
                    .iter()
                    .map(|(name, ty)| format!("{name} = {}", ty.render(program, local))),
            )
            .collect();
        if args.is_empty() {
            name
        } else {
            format!("{name}<{}>", args.join(", "))
        }
    }
}

/// Finds what the parameters of `pattern` must stand for so that it equals `ty`.
pub fn unify(pattern: &Ty, ty: &Ty, with: &mut Substitution) -> bool {
    let all = |patterns: &[Ty], types: &[Ty], with: &mut Substitution| {
        patterns.len() == types.len()
            && patterns
                .iter()
                .zip(types)
                .all(|(pattern, ty)| unify(pattern, ty, with))
    };
    match (pattern, ty) {
        (Ty::Param(name), _) => {
            if let Some(earlier) = with.get(name) {
                earlier == ty
            } else {
                with.insert(name.clone(), ty.clone());
                true
            }
        }
        (Ty::Local(a, left), Ty::Local(b, right)) => a == b && all(left, right, with),
        (Ty::Foreign(a, left), Ty::Foreign(b, right)) => a == b && all(left, right, with),
        (Ty::Tuple(left), Ty::Tuple(right)) => all(left, right, with),
        (Ty::Pointer(a, left), Ty::Pointer(b, right)) => a == b && unify(left, right, with),
        (Ty::Slice(left, a), Ty::Slice(right, b)) => a == b && unify(left, right, with),
        (Ty::Function(a, left), Ty::Function(b, right)) => {
            all(a, b, with) && unify(left, right, with)
        }
        (Ty::Dyn(left, a), Ty::Dyn(right, b)) => a == b && unify_trait(left, right, with),
        _ => pattern == ty,
    }
}

/// The same for traits.
pub(crate) fn unify_trait(pattern: &TraitRef, found: &TraitRef, with: &mut Substitution) -> bool {
    pattern.path == found.path
        && pattern.args.len() == found.args.len()
        && pattern
            .args
            .iter()
            .zip(&found.args)
            .all(|(pattern, ty)| unify(pattern, ty, with))
}
