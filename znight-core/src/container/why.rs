//! Why something was created, in words.

use std::{any::TypeId, collections::VecDeque};

use znight_contract::ScopeKind;

use super::{
    Container, Inner,
    needs::{Manner, Needs, Only, find, leads_to},
    plan::Plan,
    slot::{Creation, SlotId},
    types::Choice,
};
use crate::names;

impl Container {
    /// Why there is what [`get`](Self::get) gives for `T`, or why there is nothing, in a few lines for
    /// a person: the shortest way to its provider from an entry point, an override or what a plugin
    /// asked for.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), znight_core::Error> {
    /// use znight_core::{Container, Definition, Graph, Root};
    ///
    /// struct Pool;
    ///
    /// let container = Container::new(Graph::empty())?;
    /// container.provide_definition(Definition::<Pool>::new(|| Pool))?;
    /// container.init_only([Root::of::<Pool>()]).await?;
    /// let why = container.why::<Pool>();
    /// assert!(why.contains("was created at boot:\n   Pool"), "{why}");
    /// assert!(why.ends_with(", named in `only`"), "{why}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The text is for messages of tests and tools, and may change with every release.
    pub fn why<T: ?Sized + Send + Sync + 'static>(&self) -> String {
        let wanted = names::of::<T>();
        let inner = match self.inner() {
            Ok(inner) => inner,
            Err(error) => return error.message().to_owned(),
        };
        let (Ok(plan), Some(only)) = (inner.plan(), inner.only.get()) else {
            return "the container has not been initialised: nothing has been created".to_owned();
        };
        match plan.candidates.choose(&plan.slots, TypeId::of::<T>()) {
            Choice::One(slot) => {
                inner.explained(plan, only, plan.redirected(slot, TypeId::of::<T>()))
            }
            Choice::Nobody => format!("nothing provides {wanted}"),
            Choice::Several(several) => {
                let each = several.into_iter().map(|id| plan.slot(id).described());
                let each: Vec<String> = each.collect();
                format!("several provide {wanted}: {}", each.join(", "))
            }
        }
    }
}

impl Inner {
    fn explained(&self, plan: &Plan, only: &Only, id: SlotId) -> String {
        let slot = plan.slot(id);
        let described = slot.described();
        match slot.creation {
            Creation::Value => return format!("{described} is a value that was supplied"),
            Creation::Seed => {
                return format!(
                    "{described} is supplied to each request by whoever opens its scope"
                );
            }
            Creation::Missing => return format!("nobody supplies {described}"),
            _ => {}
        }
        let way = self.way(plan, only, id);
        let singleton = slot.scope == ScopeKind::Singleton;
        let exists = plan.cells[id as usize].get();
        let state = match (slot.scope, exists, &way) {
            (ScopeKind::Request, ..) => "is created once for each request that asks for it",
            (ScopeKind::Transient, ..) => "is created each time it is asked for",
            (_, Some(None), _) => "was asked at boot and provides nothing (`None`)",
            (_, Some(Some(_)), Some(_)) => "was created at boot",
            (_, Some(Some(_)), None) => "was created on demand",
            (_, None, Some(_)) => "is to be created at boot, which has not come to it",
            (_, None, None) => "has not been created",
        };
        let Some(way) = way else {
            let why = if singleton && exists.is_none() {
                "nothing that is created at boot leads to it, and nobody has asked for it"
            } else {
                "nothing that is created at boot leads to it"
            };
            return format!("{described} {state}: {why}");
        };
        let mut lines = format!("{described} {state}:");
        for (number, step) in way.iter().enumerate() {
            let name = plan.slot(step.slot).described();
            let line = match (number, step.manner) {
                (0, _) => format!("   {name}, {}", self.reason(plan, only, step.slot)),
                (_, Manner::Ahead) => format!("-> {name}"),
                (_, Manner::Lazily) => format!("-> {name}, as a `Lazy`"),
                (_, Manner::Asked) => format!("-> {name}, when its work asks for it"),
            };
            lines.push('\n');
            lines.push_str(&line);
        }
        lines
    }

    /// The shortest way to a slot that is created at boot, from why it is.
    fn way(&self, plan: &Plan, only: &Only, to: SlotId) -> Option<Vec<Step>> {
        let needs = Needs::new(plan, only, &mut Vec::new());
        if !needs.needed[to as usize] {
            return None;
        }
        // That everything is created is no reason where there is a better one.
        let reasons: Vec<SlotId> = (0..)
            .zip(&needs.roots)
            .filter(|(id, root)| **root && self.reason(plan, only, *id) != EVERYTHING)
            .map(|(id, _)| id)
            .collect();
        let mut came_by: Vec<Option<Step>> = vec![None; plan.slots.len()];
        let mut seen = vec![false; plan.slots.len()];
        let mut queue: VecDeque<SlotId> = VecDeque::new();
        for root in reasons {
            seen[root as usize] = true;
            queue.push_back(root);
        }
        while let Some(id) = queue.pop_front() {
            if id == to {
                break;
            }
            for step in steps(plan, id) {
                if !std::mem::replace(&mut seen[step.slot as usize], true) {
                    came_by[step.slot as usize] = Some(Step { slot: id, ..step });
                    queue.push_back(step.slot);
                }
            }
        }
        let mut way = Vec::new();
        let mut at = to;
        while let Some(step) = came_by[at as usize] {
            way.push(Step { slot: at, ..step });
            at = step.slot;
        }
        way.push(Step {
            slot: at,
            manner: Manner::Ahead,
        });
        way.reverse();
        Some(way)
    }

    /// Why a slot is where ways begin.
    fn reason(&self, plan: &Plan, only: &Only, root: SlotId) -> &'static str {
        let entry_point = self.graph.roots().contains(&root);
        let named = |roots: &[super::Root]| {
            let mut found = roots.iter().filter_map(|key| find(plan, *key).ok());
            found.any(|slots| slots.contains(&root))
        };
        if plan.overridden.iter().any(|over| over.by == root) {
            return "an override";
        }
        match only {
            Only::All if entry_point => ENTRY_POINT,
            Only::All => EVERYTHING,
            Only::Roots { required, .. } if named(required) => {
                // The entry points of the graph are named one by one.
                let by_graph = self.graph.roots();
                let all = by_graph.iter().copied().map(super::Root::provider);
                if entry_point && all.eq(required.iter().copied()) {
                    ENTRY_POINT
                } else {
                    "named in `only`"
                }
            }
            Only::Roots { .. } => "which a plugin asks for",
        }
    }
}

const ENTRY_POINT: &str = "an entry point of the graph";
const EVERYTHING: &str = "since everything is created";

/// A slot on a way, and how the way came there.
#[derive(Clone, Copy)]
struct Step {
    slot: SlotId,
    manner: Manner,
}

/// What a slot leads to.
fn steps(plan: &Plan, from: SlotId) -> impl Iterator<Item = Step> {
    leads_to(plan, from as usize).filter_map(|(slot, manner)| {
        let slot = SlotId::try_from(slot).ok()?;
        Some(Step { slot, manner })
    })
}
