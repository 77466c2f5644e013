//! Which types implement which traits.

use std::collections::BTreeMap;

use znight_contract::ErrorCode;

use crate::{
    facts::{ItemKind, NotDyn},
    model::{Injection, Sink},
    resolve::{
        CrateId, Found, ItemId, ModuleId, Resolver, Scope, Substitution, TraitRef, Ty, unify,
        unify_trait,
    },
};

/// The impls of one world.
#[derive(Debug)]
pub struct Traits<'a> {
    resolver: &'a Resolver<'a>,
    impls: Vec<Implementation>,
    /// The impls of each trait.
    by_trait: BTreeMap<Found, Vec<usize>>,
}

/// The impl of a trait.
#[derive(Debug)]
pub struct Implementation {
    /// The item.
    pub item: ItemId,
    /// The module it stands in.
    pub module: ModuleId,
    /// The trait, its parameters as written.
    pub implemented: TraitRef,
    /// The type.
    pub self_ty: Ty,
    /// The bounds of its parameters.
    bounds: Vec<(String, Vec<TraitRef>)>,
    /// Whether a bound could not be read.
    unreadable: bool,
}

/// Bounds of bounds beyond this are a loop.
const MAX_DEPTH: usize = 16;

/// Traits whose bounds are rustc's to check.
const ASSUMED: &[&str] = &[
    "std::marker::Send",
    "std::marker::Sync",
    "std::marker::Sized",
    "std::marker::Unpin",
];

/// Traits a trait object may have for super-traits; those of `std::fmt` besides.
const SURELY_DYN: &[&str] = &[
    "std::marker::Send",
    "std::marker::Sync",
    "std::marker::Unpin",
    "std::any::Any",
    "std::error::Error",
    "std::panic::RefUnwindSafe",
    "std::panic::UnwindSafe",
    "std::string::ToString",
];

impl<'a> Traits<'a> {
    /// Collects the impls that exist in the resolver's world.
    pub fn new(resolver: &'a Resolver<'a>) -> Self {
        let program = resolver.program;
        let mut impls = Vec::new();
        for (id, item) in program.items.iter().enumerate() {
            let ItemKind::Impl(fact) = &item.fact.kind else {
                continue;
            };
            if !item.live.within(resolver.world) {
                continue;
            }
            let mut scope = Scope::module(item.module).with_params(&fact.generics);
            let self_ty = resolver.ty(&fact.self_ty, &scope);
            scope.self_ty = Some(Box::new(self_ty.clone()));
            let Some(implemented) = resolver.trait_ref(&fact.path, &scope) else {
                continue;
            };
            let mut unreadable = false;
            let bounds = fact
                .generics
                .iter()
                .map(|generic| {
                    let traits: Vec<TraitRef> = generic
                        .bounds
                        .iter()
                        .filter_map(|path| resolver.trait_ref(path, &scope))
                        .collect();
                    unreadable |= traits.len() != generic.bounds.len();
                    (generic.name.clone(), traits)
                })
                .collect();
            impls.push(Implementation {
                item: id,
                module: item.module,
                implemented,
                self_ty,
                bounds,
                unreadable,
            });
        }
        let mut by_trait: BTreeMap<Found, Vec<usize>> = BTreeMap::new();
        for (index, found) in impls.iter().enumerate() {
            by_trait
                .entry(found.implemented.path.clone())
                .or_default()
                .push(index);
        }
        Self {
            resolver,
            impls,
            by_trait,
        }
    }

    /// The impl by which a type implements a trait, if there is one.
    pub fn implementation(&self, ty: &Ty, wanted: &TraitRef) -> Option<&Implementation> {
        self.search(ty, wanted, 0)
    }

    fn search(&self, ty: &Ty, wanted: &TraitRef, depth: usize) -> Option<&Implementation> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.of(wanted).find(|candidate| {
            let mut with = Substitution::new();
            unify(&candidate.self_ty, ty, &mut with)
                && unify_trait(&candidate.implemented, wanted, &mut with)
                && !candidate.unreadable
                && candidate.bounds.iter().all(|(name, bounds)| {
                    let bound = with.get(name).cloned();
                    bounds.iter().all(|required| {
                        bound.as_ref().is_some_and(|ty| {
                            self.holds(ty, &required.substitute(&with), depth + 1)
                        })
                    })
                })
        })
    }

    /// The trait's path as an impl writes it.
    pub fn written(&self, implementation: &Implementation) -> String {
        match &self.resolver.program.items[implementation.item].fact.kind {
            ItemKind::Impl(fact) => fact.path.to_string(),
            _ => String::new(),
        }
    }

    /// The impls of a trait, whatever its arguments.
    pub fn of(&self, wanted: &TraitRef) -> impl Iterator<Item = &Implementation> {
        self.by_trait
            .get(&wanted.path)
            .into_iter()
            .flatten()
            .map(|index| &self.impls[*index])
    }

    /// Whether a bound is seen to hold; what cannot be seen does not count.
    fn holds(&self, ty: &Ty, required: &TraitRef, depth: usize) -> bool {
        if let Found::Foreign(path) = &required.path {
            if ASSUMED.contains(&path.as_str()) {
                return true;
            }
            let name = path.rsplit("::").next().unwrap_or(path);
            if let Ty::Local(item, _) = ty
                && let ItemKind::Struct(fact) | ItemKind::Other(fact) =
                    &self.resolver.program.items[*item].fact.kind
                && fact.derives.iter().any(|derive| derive == name)
            {
                return true;
            }
        }
        self.search(ty, required, depth).is_some()
    }

    /// The traits that a type has impls of, as they are written.
    pub(crate) fn implemented_by(&self, ty: &Ty) -> impl Iterator<Item = &TraitRef> {
        self.impls
            .iter()
            .filter(move |candidate| unify(&candidate.self_ty, ty, &mut Substitution::new()))
            .map(|candidate| &candidate.implemented)
    }

    /// Types of the program that implement a trait, in order, with their impls.
    pub fn implementors(&self, wanted: &TraitRef) -> Vec<&Implementation> {
        self.of(wanted)
            .filter(|candidate| {
                let mut with = Substitution::new();
                matches!(candidate.self_ty, Ty::Local(..))
                    && unify_trait(&candidate.implemented, wanted, &mut with)
            })
            .collect()
    }

    /// Impls of the same trait with other arguments.
    pub fn other_arguments(&self, wanted: &TraitRef) -> Vec<&Implementation> {
        self.of(wanted)
            .filter(|candidate| {
                !unify_trait(&candidate.implemented, wanted, &mut Substitution::new())
            })
            .collect()
    }

    /// Reports an injected trait that cannot be a shared trait object.
    pub fn check_object(
        &self,
        object: &TraitRef,
        auto: &[String],
        injection: &Injection,
        sink: &mut Sink,
    ) {
        if let Some((message, hint)) = self.objection(object, auto) {
            sink.error(
                ErrorCode::UnresolvableInjection,
                injection.at,
                message,
                vec![hint],
            );
        }
    }

    /// Why a trait of the program cannot be a shared trait object, and the way out.
    pub(crate) fn objection(&self, object: &TraitRef, auto: &[String]) -> Option<(String, String)> {
        let program = self.resolver.program;
        let Found::Item(item) = object.path else {
            return None;
        };
        let ItemKind::Trait(fact) = &program.items[item].fact.kind else {
            return None;
        };
        let name = program.item_name(item);
        let place = program.place(item);
        if let Some((reason, culprit)) = &fact.not_dyn {
            let (why, way_out) = explain(*reason, culprit);
            return Some((
                format!("`dyn {name}` cannot be injected: {why}"),
                format!("{way_out} ({name} is declared at {place})"),
            ));
        }
        if let Some((parent, reason, culprit)) = self.not_dyn_above(item, 0) {
            let (why, way_out) = explain(reason, culprit);
            let of = program.item_name(parent);
            return Some((
                format!("`dyn {name}` cannot be injected: of its super-trait {of}, {why}"),
                format!("{way_out} ({of} is declared at {})", program.place(parent)),
            ));
        }
        let spelled = |name: &str| auto.iter().any(|path| path == name);
        let (send, sync) = self.shareable(item, 0);
        let is_shared =
            (send || spelled("std::marker::Send")) && (sync || spelled("std::marker::Sync"));
        (!is_shared).then(|| {
            (
                format!("`dyn {name}` cannot be shared between threads"),
                format!(
                    "declare the trait with `Send + Sync`: `trait {name}: Send + Sync` ({place})"
                ),
            )
        })
    }

    /// The impl that an item is.
    pub(crate) fn of_item(&self, item: ItemId) -> Option<&Implementation> {
        self.impls.iter().find(|found| found.item == item)
    }

    /// The trait objects a type of the program surely is by the traits and impls of one crate, in a fixed
    /// order, with the impls.
    pub(crate) fn objects_of(&self, ty: &Ty, krate: CrateId) -> Vec<(ItemId, TraitRef)> {
        let program = self.resolver.program;
        let of_crate = |item: ItemId| program.modules[program.items[item].module].krate == krate;
        self.impls
            .iter()
            .filter(|candidate| program.modules[candidate.module].krate == krate)
            .filter_map(|candidate| {
                let mut with = Substitution::new();
                if !unify(&candidate.self_ty, ty, &mut with) {
                    return None;
                }
                let object = candidate.implemented.substitute(&with);
                let is_one = matches!(object.path, Found::Item(item) if of_crate(item) && self.is_surely_dyn(item, 0))
                    && !object.args.iter().any(Ty::is_generic)
                    && self.objection(&object, &[]).is_none()
                    && self.implementation(ty, &object).is_some();
                is_one.then_some((candidate.item, object))
            })
            .collect()
    }

    /// Whether a trait is a trait object by all that can be seen: a super-trait out of sight may
    /// forbid it, or have types to spell.
    fn is_surely_dyn(&self, item: ItemId, depth: usize) -> bool {
        let found = &self.resolver.program.items[item];
        let ItemKind::Trait(fact) = &found.fact.kind else {
            return false;
        };
        let scope = Scope::module(found.module).with_params(&fact.generics);
        fact.not_dyn.is_none()
            && !fact.has_types
            && depth < MAX_DEPTH
            && fact.supertraits.iter().all(|path| {
                match self
                    .resolver
                    .trait_ref(path, &scope)
                    .map(|found| found.path)
                {
                    Some(Found::Foreign(path)) => {
                        path.starts_with("std::fmt::") || SURELY_DYN.contains(&path.as_str())
                    }
                    Some(Found::Item(parent)) => self.is_surely_dyn(parent, depth + 1),
                    _ => false,
                }
            })
    }

    /// Whether a trait is a super-trait of another, directly or further up.
    pub(crate) fn is_above(&self, wanted: &TraitRef, below: &TraitRef) -> bool {
        self.search_above(wanted, below, 0)
    }

    fn search_above(&self, wanted: &TraitRef, below: &TraitRef, depth: usize) -> bool {
        let Found::Item(item) = below.path else {
            return false;
        };
        let found = &self.resolver.program.items[item];
        let ItemKind::Trait(fact) = &found.fact.kind else {
            return false;
        };
        let scope = Scope::module(found.module).with_params(&fact.generics);
        let names = fact.generics.iter().map(|generic| generic.name.clone());
        let with: Substitution = names.zip(below.args.iter().cloned()).collect();
        depth < MAX_DEPTH
            && fact
                .supertraits
                .iter()
                .filter_map(|path| self.resolver.trait_ref(path, &scope))
                .map(|above| above.substitute(&with))
                .any(|above| above == *wanted || self.search_above(wanted, &above, depth + 1))
    }

    /// The super-trait that keeps a trait from being a trait object, and what in it does.
    fn not_dyn_above(&self, item: ItemId, depth: usize) -> Option<(ItemId, NotDyn, &str)> {
        let found = &self.resolver.program.items[item];
        let ItemKind::Trait(fact) = &found.fact.kind else {
            return None;
        };
        let scope = Scope::module(found.module).with_params(&fact.generics);
        fact.supertraits
            .iter()
            .filter_map(|path| self.resolver.trait_ref(path, &scope))
            .find_map(|above| {
                let Found::Item(parent) = above.path else {
                    return None;
                };
                match &self.resolver.program.items[parent].fact.kind {
                    ItemKind::Trait(fact) if depth < MAX_DEPTH => match &fact.not_dyn {
                        Some((reason, culprit)) => Some((parent, *reason, culprit.as_str())),
                        None => self.not_dyn_above(parent, depth + 1),
                    },
                    _ => None,
                }
            })
    }

    /// Whether `Send`, and whether `Sync`, follows from the super-traits or may do so out of sight.
    fn shareable(&self, item: ItemId, depth: usize) -> (bool, bool) {
        let program = self.resolver.program;
        let found = &program.items[item];
        let ItemKind::Trait(fact) = &found.fact.kind else {
            return (true, true);
        };
        let scope = Scope::module(found.module).with_params(&fact.generics);
        let (mut send, mut sync) = (false, false);
        for path in &fact.supertraits {
            let (moves, shares) = match self
                .resolver
                .trait_ref(path, &scope)
                .map(|found| found.path)
            {
                Some(Found::Foreign(path)) => match path.as_str() {
                    "std::marker::Send" => (true, false),
                    "std::marker::Sync" => (false, true),
                    path if path.starts_with("std::") => (false, false),
                    // A super-trait of another crate may carry both.
                    _ => (true, true),
                },
                Some(Found::Item(parent)) if depth < MAX_DEPTH => self.shareable(parent, depth + 1),
                _ => (true, true),
            };
            send |= moves;
            sync |= shares;
        }
        (send, sync)
    }
}

fn explain(reason: NotDyn, name: &str) -> (String, String) {
    match reason {
        NotDyn::AsyncFn => (
            format!("`{name}` is a plain `async fn`, which a trait object cannot call"),
            "put `#[async_trait]` on the trait and its impls".to_owned(),
        ),
        NotDyn::GenericMethod => (
            format!("`{name}` is generic"),
            format!(
                "add `where Self: Sized` to `{name}`, or take a trait object instead of a type parameter"
            ),
        ),
        NotDyn::ReturnsSelf => (
            format!("`{name}` returns `Self`"),
            format!("add `where Self: Sized` to `{name}`, or return a `Box<dyn ..>`"),
        ),
        NotDyn::TakesSelf => (
            format!("`{name}` takes another `Self`"),
            format!("add `where Self: Sized` to `{name}`"),
        ),
        NotDyn::ReturnsImpl => (
            format!("`{name}` returns `impl Trait`"),
            format!(
                "return a `Box<dyn ..>`, or put `#[async_trait]` on the trait if `{name}` returns a future"
            ),
        ),
        NotDyn::NoReceiver => (
            format!("`{name}` has no `self`"),
            format!("add `where Self: Sized` to `{name}`, or give it `&self`"),
        ),
        NotDyn::Const => (
            format!("it has the associated const `{name}`"),
            format!("make `{name}` a method"),
        ),
        NotDyn::Sized => (
            "it requires `Sized`".to_owned(),
            "remove the super-trait `Sized`".to_owned(),
        ),
        NotDyn::GenericType => (
            format!("its associated type `{name}` has parameters"),
            format!("add `where Self: Sized` to `{name}`"),
        ),
    }
}
