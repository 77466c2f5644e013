//! Which providers fit an injection, and which of them it gets.

use std::{collections::BTreeSet, rc::Rc};

use crate::{
    analyse::Application,
    model::Provider,
    resolve::{Found, TraitRef, Ty},
};

/// The one candidate of several, or why there is none.
pub(super) enum Choice {
    One(usize),
    None,
    SameType(Vec<usize>),
    Several(Vec<usize>),
}

/// The one of several candidates that an injection gets (§4.7).
pub(super) fn choose(providers: &[Provider], target: &Ty, candidates: &[usize]) -> Choice {
    let exact: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|index| is_exactly(&providers[*index].ty, target))
        .collect();
    if let [one] = exact[..] {
        return Choice::One(one);
    }
    let primary: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|index| providers[*index].primary)
        .collect();
    if let [one] = primary[..] {
        return Choice::One(one);
    }
    match candidates {
        [] => Choice::None,
        [one] => Choice::One(*one),
        several
            if several
                .iter()
                .all(|index| providers[*index].ty == providers[several[0]].ty) =>
        {
            Choice::SameType(several.to_vec())
        }
        several => Choice::Several(several.to_vec()),
    }
}

/// The providers of a trait, in order.
pub(super) fn implementing(app: &Application<'_>, object: &TraitRef) -> Rc<[usize]> {
    if let Some(known) = app.implementing.borrow().get(object) {
        return Rc::clone(known);
    }
    let mut possible: BTreeSet<usize> = BTreeSet::new();
    for found in app.traits.of(object) {
        if found.self_ty.is_generic() {
            possible.extend(0..app.providers.len());
        } else {
            possible.extend(app.by_type.get(&found.self_ty).into_iter().flatten());
        }
    }
    for (index, provider) in app.providers.iter().enumerate() {
        if matches!(provider.ty, Ty::Dyn(..)) || !provider.declared.is_empty() {
            possible.insert(index);
        }
    }
    let found: Rc<[usize]> = possible
        .into_iter()
        .filter(|index| provides(app, &app.providers[*index], object))
        .collect();
    app.implementing
        .borrow_mut()
        .insert(object.clone(), Rc::clone(&found));
    found
}

/// The provider a trait is bound to when it is asked for without a name.
pub(crate) fn unqualified(app: &Application<'_>, object: &TraitRef) -> Option<usize> {
    let target = Ty::Dyn(Box::new(object.clone()), Vec::new());
    match choose(&app.providers, &target, &implementing(app, object)) {
        Choice::One(chosen) => Some(chosen),
        _ => None,
    }
}

/// Whether a provider provides a trait: by its type, by an impl, or by declaration.
pub(crate) fn provides(app: &Application<'_>, provider: &Provider, object: &TraitRef) -> bool {
    // A trait object is one of every trait above it as well.
    let declared = |ty: &Ty| matches!(ty, Ty::Dyn(declared, _) if **declared == *object || app.traits.is_above(object, declared));
    declared(&provider.ty)
        || provider.declared.iter().any(|(ty, _)| declared(ty))
        || app.traits.implementation(&provider.ty, object).is_some()
}

/// Whether two types are the same to an injection: auto traits do not matter.
fn is_exactly(provided: &Ty, target: &Ty) -> bool {
    match (provided, target) {
        (Ty::Dyn(left, _), Ty::Dyn(right, _)) => left == right,
        _ => provided == target,
    }
}

/// The name of a trait, if it is one of the program.
pub(crate) fn trait_item(object: &TraitRef) -> Option<usize> {
    match object.path {
        Found::Item(item) => Some(item),
        _ => None,
    }
}
