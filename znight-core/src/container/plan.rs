//! The merged graph: what the compiler computed, and what was supplied at run time.

use std::{any::TypeId, borrow::Cow, sync::OnceLock};

use rustc_hash::FxHashMap;
use znight_contract::{ErrorCode, ScopeKind, graph as algorithms, suggest};

use super::{
    registrations::{Level, Registration, Supply, Which},
    slot::{Creation, Edge, Instance, Origin, Slot, SlotId},
    types::{Candidates, Choice, ambiguous, by_token},
};
use crate::{
    definition::{Hooks, Parts},
    error::Error,
    graph::{Dep, Graph},
    inject::{DynDep, InjectKind},
    names,
    provider::Handle,
};

/// Where the instance for a type is found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) slot: SlotId,
    /// The number of the handle in the instance.
    pub(crate) handle: u32,
}

/// Everything the container knows once registrations are over.
pub(crate) struct Plan {
    pub(crate) slots: Vec<Slot>,
    /// The instances of the singletons, slot by slot; `None` inside when a provider made nothing.
    pub(crate) cells: Box<[OnceLock<Option<Instance>>]>,
    /// Types with one answer.
    pub(crate) targets: FxHashMap<TypeId, Target>,
    pub(crate) candidates: Candidates,
    /// Which slot is handed out for a trait of another.
    pub(crate) redirects: FxHashMap<(SlotId, TypeId), SlotId>,
    /// What each slot needs before it is made.
    pub(crate) ahead: Vec<Vec<usize>>,
    /// Every slot, dependencies first. As far as possible when there are cycles.
    pub(crate) order: Vec<SlotId>,
    /// The slots somebody overrode, and what an override was put before.
    pub(crate) overridden: Vec<Overridden>,
    /// What was wrong with the registrations.
    pub(crate) problems: Vec<Error>,
}

/// An override, and what its place in the graph needed before.
#[derive(Debug)]
pub(crate) struct Overridden {
    /// The slot that is handed out now.
    pub(crate) by: SlotId,
    /// The slot that is not needed for this any more.
    pub(crate) instead_of: SlotId,
    /// What that slot needed.
    pub(crate) needed: Vec<SlotId>,
}

impl Plan {
    pub(crate) fn new(graph: Graph, registrations: Vec<Registration>) -> Self {
        let data = graph.data();
        let mut slots: Vec<Slot> =
            Vec::with_capacity(data.providers.len() + data.externals.len() + registrations.len());
        slots.extend(data.providers.iter().map(Slot::of_entry));
        slots.extend(data.externals.iter().map(Slot::of_external));
        let externals = to_id(data.providers.len());
        for (slot, entry) in slots.iter_mut().zip(data.providers) {
            slot.edges = entry.deps.iter().map(|dep| edge(*dep, externals)).collect();
        }
        let candidates = Candidates::new(graph, &slots);
        let mut merge = Merge {
            slots,
            candidates,
            values: Vec::new(),
            dynamic: Vec::new(),
            redirects: FxHashMap::default(),
            overridden: Vec::new(),
            problems: Vec::new(),
        };
        for registration in registrations {
            merge.apply(registration);
        }
        merge.finish(graph)
    }

    /// Of slots that somebody has put together.
    pub(super) fn assembled(
        slots: Vec<Slot>,
        values: Vec<(SlotId, Handle)>,
        redirects: FxHashMap<(SlotId, TypeId), SlotId>,
    ) -> Self {
        let graph = Graph::empty();
        let merge = Merge {
            candidates: Candidates::new(graph, &slots),
            slots,
            values,
            dynamic: Vec::new(),
            redirects,
            overridden: Vec::new(),
            problems: Vec::new(),
        };
        merge.finish(graph)
    }

    pub(crate) fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id as usize]
    }

    /// What is handed out for a type by a slot.
    pub(crate) fn redirected(&self, slot: SlotId, type_id: TypeId) -> SlotId {
        if self.slot(slot).redirected {
            self.redirects
                .get(&(slot, type_id))
                .copied()
                .unwrap_or(slot)
        } else {
            slot
        }
    }

    /// The slots a dependency on this one leads to: itself, or what is handed out for its traits.
    pub(crate) fn behind(&self, slot: SlotId) -> Vec<SlotId> {
        if !self.slot(slot).redirected {
            return vec![slot];
        }
        behind(&self.redirects, slot)
    }
}

fn behind(redirects: &FxHashMap<(SlotId, TypeId), SlotId>, slot: SlotId) -> Vec<SlotId> {
    let mut behind: Vec<SlotId> = redirects
        .iter()
        .filter(|((from, _), _)| *from == slot)
        .map(|(_, to)| *to)
        .collect();
    behind.sort_unstable();
    behind
}

fn to_id(index: usize) -> SlotId {
    SlotId::try_from(index).expect("invariant: a graph has fewer than 2^32 providers")
}

fn edge(dep: Dep, externals: SlotId) -> Edge {
    match dep {
        Dep::One(id) => Edge::One(id),
        Dep::Optional(id) => Edge::Optional(id),
        Dep::Many(ids) => Edge::Many(Cow::Borrowed(ids)),
        Dep::Lazy(id) => Edge::Lazy(id),
        Dep::OptionalLazy(id) => Edge::OptionalLazy(id),
        Dep::Unbound => Edge::Unbound,
        Dep::External(index) => Edge::One(externals + index),
        Dep::LazyExternal(index) => Edge::Lazy(externals + index),
        Dep::Interceptors(deps) => Edge::Interceptors(
            deps.iter()
                .filter_map(|dep| match dep {
                    Dep::One(id) => Some(*id),
                    Dep::External(index) => Some(externals + index),
                    _ => None,
                })
                .collect(),
        ),
    }
}

/// A slot whose dependencies are found by type.
struct Dynamic {
    slot: SlotId,
    deps: Cow<'static, [DynDep]>,
    interceptors: Vec<DynDep>,
}

/// A plan that is being put together.
struct Merge {
    slots: Vec<Slot>,
    candidates: Candidates,
    values: Vec<(SlotId, Handle)>,
    /// Slots whose dependencies are found by type once everything is in place.
    dynamic: Vec<Dynamic>,
    redirects: FxHashMap<(SlotId, TypeId), SlotId>,
    overridden: Vec<Overridden>,
    problems: Vec<Error>,
}

impl Merge {
    /// Puts one thing supplied at run time in its place: over the provider of its type, before the
    /// provider its trait is bound to, or in a slot of its own.
    fn apply(&mut self, mut registration: Registration) {
        let type_id = registration.type_id;
        let wanted = registration.display();
        let choice = match &registration.which {
            Which::Any => match registration.name() {
                Some(name) => self.place_for_named(type_id, name),
                None => self.candidates.choose(&self.slots, type_id),
            },
            Which::Named(name) => self.candidates.choose_named(&self.slots, type_id, name),
            Which::Token(token) => match self.with_token(&registration, token) {
                Ok(slot) => Choice::One(slot),
                Err(problem) => return self.problems.push(problem),
            },
        };
        if let Supply::Definition(parts) = &mut registration.supply {
            self.problems.append(&mut parts.problems);
            self.problems.extend(never_called(parts));
            if parts.type_id != type_id && parts.coerce.position(type_id).is_none() {
                let problem = not_handed_out(parts, &wanted);
                return self.problems.push(problem);
            }
        }
        match choice {
            Choice::One(place) => {
                let place = self
                    .redirects
                    .get(&(place, type_id))
                    .copied()
                    .unwrap_or(place);
                self.put(place, registration);
            }
            Choice::Nobody => {
                if let Which::Named(name) = &registration.which {
                    self.problems.push(self.no_such_name(&registration, name));
                } else {
                    self.add(registration);
                }
            }
            // Fakes of a test are further candidates for their traits, and do not take one over.
            Choice::Several(_)
                if registration.level != Level::Override
                    && matches!(registration.supply, Supply::Definition(_)) =>
            {
                self.add(registration);
            }
            Choice::Several(several) => {
                self.problems
                    .push(ambiguous(&self.slots, &wanted, &several).with_hint(format!(
                        "say which one is meant: `override_named::<{wanted}>(name, ..)`"
                    )));
            }
        }
    }

    /// Where a definition with a name goes: it is a further one of its type, unless that name is
    /// taken, or somebody waits for one.
    fn place_for_named(&self, type_id: TypeId, name: &str) -> Choice {
        match self.candidates.choose_named(&self.slots, type_id, name) {
            Choice::Nobody => {}
            taken => return taken,
        }
        match self.candidates.choose(&self.slots, type_id) {
            Choice::One(slot) if !self.slots[slot as usize].supplied() => Choice::One(slot),
            _ => Choice::Nobody,
        }
    }

    /// Gives a registration a slot of its own.
    fn add(&mut self, registration: Registration) {
        let own = self.append(registration.type_id, registration.type_name);
        self.fill(own, registration.supply, registration.plugin);
        self.candidates.add(own, &self.slots[own as usize]);
    }

    fn put(&mut self, place: SlotId, registration: Registration) {
        let slot = &self.slots[place as usize];
        let replaces =
            matches!(slot.origin, Origin::Graph) || registration.level == Level::Override;
        let needed = slot
            .edges
            .iter()
            .flat_map(|edge| edge.ahead().iter().copied().chain(edge.later()))
            .chain(slot.uses.iter().chain(slot.asks).copied())
            .collect();
        let by = if slot.type_id == registration.type_id {
            self.fill(place, registration.supply, registration.plugin);
            place
        } else {
            let scope = slot.scope;
            let own = self.append(registration.type_id, registration.type_name);
            // A factory makes one for each of whatever it stands before.
            self.slots[own as usize].scope = scope;
            self.fill(own, registration.supply, registration.plugin);
            self.slots[place as usize].redirected = true;
            self.redirects.insert((place, registration.type_id), own);
            own
        };
        if replaces {
            self.overridden.push(Overridden {
                by,
                instead_of: place,
                needed,
            });
        }
    }

    fn append(&mut self, type_id: TypeId, type_name: &'static str) -> SlotId {
        let id = to_id(self.slots.len());
        self.slots.push(Slot::bare(type_id, type_name));
        id
    }

    fn fill(&mut self, id: SlotId, supply: Supply, plugin: Option<&'static str>) {
        let slot = &mut self.slots[id as usize];
        slot.edges = Vec::new();
        slot.uses = &[];
        slot.asks = &[];
        self.values.retain(|(of, _)| *of != id);
        self.dynamic.retain(|dynamic| dynamic.slot != id);
        match supply {
            Supply::Value(value) => {
                slot.creation = Creation::Value;
                slot.scope = ScopeKind::Singleton;
                slot.hooks = Hooks::default();
                self.values.push((id, value));
            }
            Supply::Factory(factory) => {
                slot.creation = Creation::Factory(factory);
                if let Origin::External(_) = slot.origin {
                    slot.scope = ScopeKind::Singleton;
                }
            }
            Supply::Definition(mut parts) => {
                let dynamic = Dynamic {
                    slot: id,
                    deps: std::mem::take(&mut parts.deps),
                    interceptors: std::mem::take(&mut parts.interceptors),
                };
                let before = std::mem::replace(slot, Slot::of_definition(*parts));
                slot.origin = before.origin;
                if slot.origin == Origin::Graph {
                    // The same type: its traits as the application knows them.
                    slot.coerce = before.coerce;
                    slot.name = slot.name.or(before.name);
                    slot.primary |= before.primary;
                }
                self.dynamic.push(dynamic);
            }
            Supply::Expected(scope) => {
                let expected = Slot::expected(slot.type_id, "", scope, plugin.unwrap_or_default());
                slot.creation = expected.creation;
                slot.origin = expected.origin;
                slot.scope = scope;
            }
        }
    }

    /// The slot an override by token stands for.
    fn with_token(&self, registration: &Registration, token: &str) -> Result<SlotId, Error> {
        let found = by_token(&self.slots, token)?.ok_or_else(|| {
            let error = Error::new(
                ErrorCode::MissingProvider,
                format!("no provider has the token {token}, so there is nothing to override"),
            );
            let tokens = self.slots.iter().map(|slot| &*slot.token);
            match suggest::closest(token, tokens) {
                Some(close) => error.with_hint(format!("there is {close}")),
                None => error,
            }
        })?;
        let slot = &self.slots[found as usize];
        slot.handed_out_as(registration.type_id, registration.type_name)
            .map_err(|error| error.with_place(slot.source))?;
        Ok(found)
    }

    fn no_such_name(&self, registration: &Registration, name: &str) -> Error {
        let wanted = registration.display();
        let names: Vec<&str> = self
            .candidates
            .all(registration.type_id)
            .into_iter()
            .filter_map(|id| self.slots[id as usize].name)
            .collect();
        let error = Error::new(
            ErrorCode::MissingProvider,
            format!("no provider of {wanted} is named {name:?}, so there is nothing to override"),
        );
        if names.is_empty() {
            error
        } else {
            error.with_hint(format!("names there are: {}", names.join(", ")))
        }
    }

    fn finish(mut self, graph: Graph) -> Plan {
        for dynamic in std::mem::take(&mut self.dynamic) {
            let id = dynamic.slot;
            let edges = self.dynamic_edges(&dynamic);
            self.slots[id as usize].edges = edges;
        }
        let mut targets = FxHashMap::default();
        for type_id in self.candidates.types() {
            if let Choice::One(slot) = self.candidates.choose(&self.slots, type_id) {
                targets.insert(type_id, self.target(slot, type_id));
            }
        }
        let mut cells = Vec::new();
        cells.resize_with(self.slots.len(), OnceLock::new);
        for (id, value) in self.values {
            let instance = Instance::ready(value, &self.slots[id as usize]);
            cells[id as usize] = OnceLock::from(Some(instance));
        }
        let ahead = self
            .slots
            .iter()
            .map(|slot| ahead(slot, &self.slots, &self.redirects))
            .collect();
        let mut plan = Plan {
            order: Vec::new(),
            slots: self.slots,
            cells: cells.into_boxed_slice(),
            targets,
            candidates: self.candidates,
            redirects: self.redirects,
            ahead,
            overridden: self.overridden,
            problems: self.problems,
        };
        plan.order = order(&plan, graph);
        plan
    }

    fn target(&self, slot: SlotId, type_id: TypeId) -> Target {
        let slot = *self.redirects.get(&(slot, type_id)).unwrap_or(&slot);
        let number = self.slots[slot as usize].coerce.position(type_id);
        Target {
            slot,
            handle: number.map_or(0, |number| to_id(number + 1)),
        }
    }

    /// The dependencies of a definition, in the order its glue asks for them, and behind these the
    /// interceptors that are missing.
    fn dynamic_edges(&self, dynamic: &Dynamic) -> Vec<Edge> {
        let (mut interceptors, mut behind) = (Vec::new(), Vec::new());
        for dep in &dynamic.interceptors {
            match self.dynamic_edge(dep) {
                Edge::One(slot) => interceptors.push(slot),
                missing => behind.push(missing),
            }
        }
        let deps = dynamic.deps.iter().map(|dep| match dep.kind {
            InjectKind::Interceptors => Edge::Interceptors(interceptors.clone()),
            _ => self.dynamic_edge(dep),
        });
        deps.chain(behind).collect()
    }

    fn dynamic_edge(&self, dep: &DynDep) -> Edge {
        let type_id = (dep.type_id)();
        if dep.kind == InjectKind::Many {
            let mut all = self.candidates.all(type_id);
            if let Some(name) = dep.name {
                all.retain(|id| self.slots[*id as usize].name == Some(name));
            }
            all.sort_by(|a, b| {
                let token = |id: &SlotId| &self.slots[*id as usize].token;
                token(a).cmp(token(b))
            });
            return Edge::Many(Cow::Owned(all));
        }
        let choice = match dep.name {
            Some(name) => self.candidates.choose_named(&self.slots, type_id, name),
            None => self.candidates.choose(&self.slots, type_id),
        };
        let wanted = || {
            let short = names::short((dep.type_name)());
            match dep.name {
                Some(name) => format!("{short} named {name:?}"),
                None => short,
            }
        };
        match (choice, dep.kind) {
            (Choice::One(slot), InjectKind::Optional) => Edge::Optional(slot),
            (Choice::One(slot), InjectKind::Lazy) => Edge::Lazy(slot),
            (Choice::One(slot), InjectKind::OptionalLazy) => Edge::OptionalLazy(slot),
            (Choice::One(slot), _) => Edge::One(slot),
            (Choice::Nobody, InjectKind::Optional | InjectKind::OptionalLazy) => Edge::Unbound,
            (Choice::Nobody, _) => Edge::Missing { what: wanted() },
            (Choice::Several(several), _) => {
                Edge::Ambiguous(ambiguous(&self.slots, &wanted(), &several))
            }
        }
    }
}

/// ZNIGHT009: hooks that nobody calls, because of how long an instance lives.
fn never_called(parts: &Parts) -> Vec<Error> {
    let hooks = &parts.hooks;
    let of_application = [
        ("on_start", hooks.on_start.is_some()),
        ("on_ready", hooks.on_ready.is_some()),
        ("on_stop", hooks.on_stop.is_some()),
    ];
    let disposed = (
        "dispose",
        hooks.dispose.is_some() && parts.scope == ScopeKind::Transient,
    );
    of_application
        .into_iter()
        .map(|(hook, set)| (hook, set && parts.scope != ScopeKind::Singleton))
        .chain([disposed])
        .filter(|(_, never)| *never)
        .map(|(hook, _)| {
            Error::new(
                ErrorCode::InvalidLifecycle,
                format!(
                    "`{hook}` of {} is never called: it is {}-scoped",
                    parts.display, parts.scope
                ),
            )
            .with_hint(if parts.scope == ScopeKind::Transient {
                "a transient belongs to whoever asked for it: release it in `Drop`, or make it request-scoped"
            } else {
                "only singletons are started and stopped with the application"
            })
            .with_place(parts.source)
        })
        .collect()
}

fn not_handed_out(parts: &Parts, wanted: &str) -> Error {
    let display = &parts.display;
    Error::new(
        ErrorCode::InvalidAttribute,
        format!("{display} is to be handed out as {wanted}, and its definition does not say how"),
    )
    .with_hint(format!(
        "add `.handed_out_as::<{wanted}>(|it| it)` to the definition, or `#[injectable(as({wanted}))]` to the type"
    ))
    .with_place(parts.source)
}

/// What a slot needs before it is made, each once.
fn ahead(
    slot: &Slot,
    slots: &[Slot],
    redirects: &FxHashMap<(SlotId, TypeId), SlotId>,
) -> Vec<usize> {
    let mut ahead = Vec::new();
    let mut add = |id: SlotId| {
        if !ahead.contains(&(id as usize)) {
            ahead.push(id as usize);
        }
    };
    let direct = slot.edges.iter().flat_map(Edge::ahead).chain(slot.uses);
    for &id in direct {
        if slots[id as usize].redirected {
            behind(redirects, id).into_iter().for_each(&mut add);
        } else {
            add(id);
        }
    }
    ahead
}

/// Every slot after what it needs, otherwise in the order of the compiler.
fn order(plan: &Plan, graph: Graph) -> Vec<SlotId> {
    let count = plan.slots.len();
    let mut ranked: Vec<usize> = graph.data().order.iter().map(|id| *id as usize).collect();
    let mut rank = vec![usize::MAX; count];
    ranked.retain(|id| *id < count);
    ranked.extend((0..count).filter(|id| *id >= graph.data().providers.len()));
    for (position, id) in ranked.iter().enumerate() {
        rank[*id] = position;
    }
    let by_rank: Vec<Vec<usize>> = ranked
        .iter()
        .map(|id| plan.ahead[*id].iter().map(|ahead| rank[*ahead]).collect())
        .collect();
    let sorted = if ranked.len() == count && rank.iter().all(|rank| *rank < count) {
        algorithms::order(count, |position| &by_rank[position]).ok()
    } else {
        None
    };
    match sorted {
        Some(sorted) => sorted.into_iter().map(|at| to_id(ranked[at])).collect(),
        // A cycle, which is reported elsewhere, or a graph that does not list every provider.
        None => match algorithms::order(count, |id| &plan.ahead[id]) {
            Ok(sorted) => sorted.into_iter().map(to_id).collect(),
            Err(_) => (0..to_id(count)).collect(),
        },
    }
}
