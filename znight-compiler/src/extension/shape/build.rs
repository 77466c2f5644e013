//! From types to shapes.

use std::collections::{BTreeMap, VecDeque};

use super::{
    Foreign, IssueReason, List, NamedShape, Opaque, SerdeImpl, Shape, ShapeIssue, Shapes,
    instance::Instance,
    known::{Known, known, primitive},
};
use crate::{
    extension::class::Site,
    facts::{ItemKind, PathExpr},
    resolve::{ItemId, Resolver, Scope, Ty},
};

/// Types of types beyond this grow without end.
const MAX_DEPTH: usize = 100;

/// Makes the shapes of one type and of those it is made of.
pub(super) struct Builder<'r> {
    pub(super) resolver: &'r Resolver<'r>,
    /// The named shapes so far: none for those that are still to be made.
    named: BTreeMap<String, Option<NamedShape>>,
    pending: VecDeque<Pending<'r>>,
    issues: Vec<ShapeIssue>,
    /// Who implements serde's traits by hand.
    by_hand: BTreeMap<ItemId, ByHand>,
    /// How the type that is looked at is reached.
    path: String,
    /// The named shape whose declaration has it.
    within: Option<String>,
    /// Where it is written.
    pub(super) site: Option<Site>,
    depth: usize,
}

/// A type of the program whose shape is still to be made.
struct Pending<'r> {
    key: String,
    instance: Instance<'r>,
    /// How it was reached first.
    path: String,
    /// How many types of the program led to it.
    depth: usize,
}

/// Which of serde's traits a type implements by hand.
#[derive(Debug, Default, Clone, Copy)]
struct ByHand {
    serialize: bool,
    deserialize: bool,
}

impl<'r> Builder<'r> {
    pub(super) fn new(resolver: &'r Resolver<'r>) -> Self {
        Self {
            resolver,
            named: BTreeMap::new(),
            pending: VecDeque::new(),
            issues: Vec::new(),
            by_hand: by_hand(resolver),
            path: String::new(),
            within: None,
            site: None,
            depth: 0,
        }
    }

    pub(super) fn finish(mut self, ty: &Ty) -> Shapes {
        let root = self.ty(ty);
        while let Some(next) = self.pending.pop_front() {
            self.path = next.path;
            self.depth = next.depth;
            self.within = Some(next.key.clone());
            let made = self.declared(&next.instance, &next.key);
            self.named.insert(next.key, Some(made));
        }
        let named = self.named.into_iter();
        Shapes {
            root,
            named: named
                .filter_map(|(key, shape)| Some((key, shape?)))
                .collect(),
            issues: self.issues,
        }
    }

    /// Does something a step further: `.author`, `[]`.
    pub(super) fn step<R>(&mut self, step: &str, make: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.path.len();
        self.path.push_str(step);
        let made = make(self);
        self.path.truncate(length);
        made
    }

    /// Does something about what is written at a place.
    pub(super) fn at<R>(&mut self, site: &Site, make: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.site.replace(site.clone());
        let made = make(self);
        self.site = before;
        made
    }

    /// The shape of a type without parameters.
    pub(super) fn ty(&mut self, ty: &Ty) -> Shape {
        match ty {
            Ty::Local(item, _) => self.local(*item, ty),
            Ty::Foreign(path, args) => self.foreign(path, args),
            Ty::Primitive(name) => {
                primitive(name).unwrap_or_else(|| self.opaque(ty, IssueReason::Unresolved))
            }
            Ty::Pointer(prefix, inner) if prefix.starts_with('&') => self.ty(inner),
            Ty::Tuple(parts) if parts.is_empty() => Shape::Unit,
            Ty::Tuple(parts) => Shape::Tuple(self.positions(parts)),
            Ty::Slice(items, length) => self.list(items, length.as_deref(), false),
            Ty::Dyn(..) => self.opaque(ty, IssueReason::TraitObject),
            Ty::Pointer(..) => self.opaque(ty, IssueReason::Pointer),
            Ty::Function(..) => self.opaque(ty, IssueReason::Function),
            Ty::Param(_) => self.opaque(ty, IssueReason::Parameter),
            Ty::Const(_) | Ty::Opaque(_) | Ty::Missing(_) => {
                self.opaque(ty, IssueReason::Unresolved)
            }
        }
    }

    fn positions(&mut self, parts: &[Ty]) -> Vec<Shape> {
        let parts = parts.iter().enumerate();
        parts
            .map(|(index, part)| self.step(&format!(".{index}"), |builder| builder.ty(part)))
            .collect()
    }

    fn list(&mut self, items: &Ty, length: Option<&str>, unique: bool) -> Shape {
        let length = length.and_then(|text| {
            let literal = syn::parse_str::<syn::LitInt>(text).ok()?;
            literal.base10_parse().ok()
        });
        Shape::List(List {
            items: Box::new(self.step("[]", |builder| builder.ty(items))),
            length,
            unique,
        })
    }

    fn foreign(&mut self, path: &str, args: &[Ty]) -> Shape {
        match (known(path), args) {
            (Some(Known::Value(shape)), _) => shape,
            (Some(Known::Transparent), [inner, ..]) => self.ty(inner),
            (Some(Known::Option), [inner, ..]) => Shape::Option(Box::new(self.ty(inner))),
            (Some(Known::List), [items, ..]) => self.list(items, None, false),
            (Some(Known::Set), [items, ..]) => self.list(items, None, true),
            (Some(Known::Map), [key, value, ..]) => {
                let key = self.step("{key}", |builder| builder.ty(key));
                let value = self.step("{}", |builder| builder.ty(value));
                Shape::Map(Box::new(key), Box::new(value))
            }
            (Some(Known::NonZero), [inner, ..]) => match self.ty(inner) {
                Shape::Integer(mut integer) => {
                    integer.non_zero = true;
                    Shape::Integer(integer)
                }
                other => other,
            },
            _ => {
                let args = args.iter();
                Shape::Foreign(Foreign {
                    path: path.to_owned(),
                    args: args
                        .enumerate()
                        .map(|(index, arg)| {
                            self.step(&format!("<{index}>"), |builder| builder.ty(arg))
                        })
                        .collect(),
                })
            }
        }
    }

    /// A type of the program by its name: its own shape is made later, so that long chains of types are no
    /// deep stack.
    fn local(&mut self, item: ItemId, ty: &Ty) -> Shape {
        let key = ty.token(self.resolver.program);
        if self.named.contains_key(&key) {
            return Shape::Named(key);
        }
        if self.depth >= MAX_DEPTH {
            return self.opaque(ty, IssueReason::Endless);
        }
        let Some(instance) = Instance::new(self.resolver, item, ty) else {
            return self.opaque(ty, IssueReason::Unreadable);
        };
        self.named.insert(key.clone(), None);
        let path = if self.path.is_empty() {
            ty.display(self.resolver.program)
        } else {
            self.path.clone()
        };
        self.pending.push_back(Pending {
            key: key.clone(),
            instance,
            path,
            depth: self.depth + 1,
        });
        Shape::Named(key)
    }

    /// Something that cannot be told, as an issue.
    pub(super) fn opaque(&mut self, ty: &Ty, reason: IssueReason) -> Shape {
        let text = match ty {
            Ty::Opaque(text) | Ty::Missing(text) => text.clone(),
            ty => ty.display(self.resolver.program),
        };
        Shape::Opaque(self.unknown(text, reason))
    }

    /// The same for what is no type.
    pub(super) fn unknown(&mut self, text: String, reason: IssueReason) -> Opaque {
        self.issues.push(ShapeIssue {
            path: self.path.clone(),
            named: self.within.clone(),
            text: text.clone(),
            reason,
            site: self.site.clone(),
        });
        Opaque { text, reason }
    }

    /// Where a type has serde's traits from, given what it derives: the one it is written with, and the
    /// one it is read with.
    pub(super) fn serde_impls(&self, item: ItemId, derives: &[&str]) -> (SerdeImpl, SerdeImpl) {
        let by_hand = self.by_hand.get(&item).copied().unwrap_or_default();
        let of = |name: &str, by_hand: bool| {
            // `Serialize_repr`, `SerializeDisplay`: other macros write other things.
            let by_others = |derive: &&str| derive.starts_with(name) && *derive != name;
            if by_hand || derives.iter().any(by_others) {
                SerdeImpl::Written
            } else if derives.contains(&name) {
                SerdeImpl::Derived
            } else {
                SerdeImpl::Unseen
            }
        };
        (
            of("Serialize", by_hand.serialize),
            of("Deserialize", by_hand.deserialize),
        )
    }
}

/// The types of the program that implement serde's traits by hand.
fn by_hand(resolver: &Resolver<'_>) -> BTreeMap<ItemId, ByHand> {
    let mut found: BTreeMap<ItemId, ByHand> = BTreeMap::new();
    for item in &resolver.program.items {
        let ItemKind::Impl(fact) = &item.fact.kind else {
            continue;
        };
        let (serialize, deserialize) = match PathExpr::last(&fact.path) {
            "Serialize" => (true, false),
            "Deserialize" => (false, true),
            _ => continue,
        };
        let scope = Scope::module(item.module).with_params(&fact.generics);
        if item.live.within(resolver.world)
            && let Ty::Local(of, _) = resolver.ty(&fact.self_ty, &scope)
        {
            let known = found.entry(of).or_default();
            known.serialize |= serialize;
            known.deserialize |= deserialize;
        }
    }
    found
}
