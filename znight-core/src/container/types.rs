//! Which slot answers for a type.

use std::any::TypeId;

use rustc_hash::FxHashMap;
use znight_contract::ErrorCode;

use super::slot::{Slot, SlotId};
use crate::{error::Error, graph::Graph};

/// The answer for one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Nothing provides it.
    Nobody,
    /// This slot does.
    One(SlotId),
    /// These do, and none is preferred. In index order.
    Several(Vec<SlotId>),
}

/// The candidates for each type.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// Slots whose own type it is.
    exact: FxHashMap<TypeId, Vec<SlotId>>,
    /// Slots handed out as it.
    coerced: FxHashMap<TypeId, Vec<SlotId>>,
    /// What the compiler chose among the latter.
    bound: FxHashMap<TypeId, SlotId>,
}

impl Candidates {
    pub(crate) fn new(graph: Graph, slots: &[Slot]) -> Self {
        let mut candidates = Self::default();
        for (id, slot) in (0..).zip(slots) {
            candidates.add(id, slot);
        }
        let data = graph.data();
        for binding in data.bindings {
            let coerce = data
                .providers
                .get(binding.provider as usize)
                .and_then(|entry| entry.provider.coerce.get(usize::from(binding.coercion)));
            if let Some(coerce) = coerce {
                candidates.bound.insert((coerce.to)(), binding.provider);
            }
        }
        candidates
    }

    /// Takes a new slot into account.
    pub(crate) fn add(&mut self, id: SlotId, slot: &Slot) {
        self.exact.entry(slot.type_id).or_default().push(id);
        for to in slot.coerce.types() {
            self.coerced.entry(to).or_default().push(id);
        }
    }

    /// The slot to hand out for a type: one whose own type it is before one that is handed out
    /// as it; among several, the primary one.
    pub(crate) fn choose(&self, slots: &[Slot], type_id: TypeId) -> Choice {
        if let Some(exact) = self.exact.get(&type_id) {
            return prefer(slots, exact);
        }
        if let Some(bound) = self.bound.get(&type_id) {
            return Choice::One(*bound);
        }
        match self.coerced.get(&type_id) {
            Some(coerced) => prefer(slots, coerced),
            None => Choice::Nobody,
        }
    }

    /// The slot of that name to hand out for a type.
    pub(crate) fn choose_named(&self, slots: &[Slot], type_id: TypeId, name: &str) -> Choice {
        let named: Vec<SlotId> = self
            .all(type_id)
            .into_iter()
            .filter(|id| slots[*id as usize].name == Some(name))
            .collect();
        prefer(slots, &named)
    }

    /// Every slot that may be handed out for a type, in index order.
    pub(crate) fn all(&self, type_id: TypeId) -> Vec<SlotId> {
        let exact = self.exact.get(&type_id);
        let coerced = self.coerced.get(&type_id);
        let mut all: Vec<SlotId> = exact
            .into_iter()
            .chain(coerced)
            .flatten()
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Every type anything is handed out for.
    pub(crate) fn types(&self) -> Vec<TypeId> {
        let mut types: Vec<TypeId> = self
            .exact
            .keys()
            .chain(self.coerced.keys())
            .copied()
            .collect();
        types.sort_unstable();
        types.dedup();
        types
    }
}

fn prefer(slots: &[Slot], candidates: &[SlotId]) -> Choice {
    match candidates {
        [] => Choice::Nobody,
        [one] => Choice::One(*one),
        several => {
            let mut primary = several.iter().filter(|id| slots[**id as usize].primary);
            match (primary.next(), primary.next()) {
                (Some(one), None) => Choice::One(*one),
                _ => Choice::Several(several.to_vec()),
            }
        }
    }
}

/// The slot with a token, or with a display name that no other has.
///
/// # Errors
/// ZNIGHT008 for the display name of several.
pub(crate) fn by_token(slots: &[Slot], token: &str) -> Result<Option<SlotId>, Error> {
    let ids = || (0..).zip(slots);
    if let Some((id, _)) = ids().find(|(_, slot)| slot.token == token) {
        return Ok(Some(id));
    }
    let named = ids().filter(|(_, slot)| slot.display == token);
    let named: Vec<SlotId> = named.map(|(id, _)| id).collect();
    match *named {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => Err(ambiguous(slots, token, &named)),
    }
}

/// ZNIGHT008: several slots, and nothing says which. `wanted` names what was asked for.
pub(crate) fn ambiguous(slots: &[Slot], wanted: &str, candidates: &[SlotId]) -> Error {
    let list: Vec<String> = candidates
        .iter()
        .map(|id| {
            let slot = &slots[*id as usize];
            match slot.name {
                Some(name) => format!("{} named {name:?}", slot.described()),
                None => slot.described(),
            }
        })
        .collect();
    let tokens: Vec<&str> = candidates
        .iter()
        .map(|id| &*slots[*id as usize].token)
        .collect();
    Error::new(
        ErrorCode::AmbiguousInjection,
        format!("several providers answer for {wanted}: {}", list.join(", ")),
    )
    .with_hint(format!(
        "mark one `primary`, ask by name, or by token: {}",
        tokens.join(", ")
    ))
}
