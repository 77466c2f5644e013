//! Which slots an application needs: all of them, or what some entry points lead to.

use std::any::TypeId;

use znight_contract::ErrorCode;

use super::{
    plan::Plan,
    slot::SlotId,
    types::{Choice, ambiguous},
};
use crate::{error::Error, names};

/// An entry point of an application of which only a part is created: a type, or a provider of the
/// graph by its index.
///
/// ```
/// use znight_core::Root;
///
/// struct UserController;
/// let root = Root::of::<UserController>();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Type(TypeId, &'static str),
    Provider(u32),
}

impl Root {
    /// The provider of a type, which may be a `dyn Trait`.
    pub fn of<T: ?Sized + 'static>() -> Self {
        Self(Kind::Type(TypeId::of::<T>(), std::any::type_name::<T>()))
    }

    /// The provider with an index in the graph.
    pub fn provider(index: u32) -> Self {
        Self(Kind::Provider(index))
    }
}

/// What is to be created when the container is initialised.
#[derive(Debug, Clone, Default)]
pub(crate) enum Only {
    /// Everything but what only overridden providers needed.
    #[default]
    All,
    /// What these lead to, and the overrides.
    Roots {
        /// Each must have a provider.
        required: Vec<Root>,
        /// One without a provider is left to whoever asks for it.
        known: Vec<Root>,
    },
}

/// The slots that are needed, and which of them are entry points.
#[derive(Debug)]
pub(crate) struct Needs {
    pub(crate) needed: Vec<bool>,
    pub(crate) roots: Vec<bool>,
}

impl Needs {
    pub(crate) fn new(plan: &Plan, only: &Only, problems: &mut Vec<Error>) -> Self {
        let count = plan.slots.len();
        let mut roots = vec![false; count];
        match only {
            Only::All => {
                roots.fill(true);
                for id in superseded(plan) {
                    roots[id as usize] = false;
                }
            }
            Only::Roots { required, known } => {
                let mut add = |key: &Root| {
                    for id in find(plan, *key)? {
                        roots[id as usize] = true;
                    }
                    Ok(())
                };
                problems.extend(required.iter().filter_map(|key| add(key).err()));
                for key in known {
                    let _ = add(key);
                }
            }
        }
        for overridden in &plan.overridden {
            roots[overridden.by as usize] = true;
        }
        // An external is needed when somebody needs it; nothing else makes it one's duty.
        for (id, slot) in plan.slots.iter().enumerate() {
            if let super::slot::Origin::External(_) = slot.origin {
                roots[id] = false;
            }
        }
        let mut needs = Self {
            needed: vec![false; count],
            roots,
        };
        for id in 0..count {
            if needs.roots[id] {
                needs.add(plan, id);
            }
        }
        needs
    }

    /// Marks a slot and everything it leads to; gives back what was not marked before.
    pub(crate) fn add(&mut self, plan: &Plan, from: usize) -> Vec<usize> {
        let mut added = Vec::new();
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut self.needed[id], true) {
                continue;
            }
            added.push(id);
            open.extend(leads_to(plan, id).map(|(next, _)| next));
        }
        added
    }
}

/// How a slot leads to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It is made before.
    Ahead,
    /// It is resolved when it is asked for.
    Lazily,
    /// The work of the slot asks for it.
    Asked,
}

/// What a slot leads to: what is created when it is.
pub(crate) fn leads_to(plan: &Plan, from: usize) -> impl Iterator<Item = (usize, Manner)> {
    let slot = &plan.slots[from];
    let lazily = slot.edges.iter().filter_map(super::slot::Edge::later);
    let lazily = lazily.map(|later| (later, Manner::Lazily));
    let asked = slot.asks.iter().map(|asked| (*asked, Manner::Asked));
    let later = lazily.chain(asked).flat_map(|(later, manner)| {
        let behind = plan.behind(later).into_iter();
        behind.map(move |id| (id as usize, manner))
    });
    let ahead = plan.ahead[from].iter().map(|id| (*id, Manner::Ahead));
    ahead.chain(later)
}

/// What was needed for the sake of overridden providers: they, if a trait of theirs is handed out
/// by somebody else, and what they led to.
fn superseded(plan: &Plan) -> Vec<SlotId> {
    let mut seen = vec![false; plan.slots.len()];
    let mut found = Vec::new();
    let mut open: Vec<SlotId> = Vec::new();
    for overridden in &plan.overridden {
        open.extend(&overridden.needed);
        if overridden.instead_of != overridden.by {
            open.push(overridden.instead_of);
        }
    }
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id as usize], true) {
            continue;
        }
        found.push(id);
        let slot = plan.slot(id);
        for edge in &slot.edges {
            open.extend(edge.ahead().iter().copied().chain(edge.later()));
        }
        open.extend(slot.uses.iter().chain(slot.asks));
    }
    found
}

/// The slots an entry point names.
pub(crate) fn find(plan: &Plan, root: Root) -> Result<Vec<SlotId>, Error> {
    match root.0 {
        Kind::Provider(index) if (index as usize) < plan.slots.len() => Ok(plan.behind(index)),
        Kind::Provider(index) => Err(Error::new(
            ErrorCode::MissingProvider,
            format!("entry point {index} is no provider of the graph"),
        )),
        Kind::Type(type_id, name) => match plan.candidates.choose(&plan.slots, type_id) {
            Choice::One(slot) => Ok(vec![plan.redirected(slot, type_id)]),
            Choice::Nobody => Err(Error::new(
                ErrorCode::MissingProvider,
                format!("no provider for the entry point {}", names::short(name)),
            )),
            Choice::Several(several) => Err(ambiguous(&plan.slots, &names::short(name), &several)),
        },
    }
}
