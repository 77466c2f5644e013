//! Finds the instance of a slot, and makes it when there is none yet.

use std::{any::TypeId, sync::Arc};

use znight_contract::{ErrorCode, ScopeKind};

use super::{
    Container, Inner,
    creating::Circle,
    plan::Plan,
    scope,
    slot::{Creation, Edge, Held, Instance, Item, Resolved, Slot, SlotId, Unresolved},
    validate::circular,
};
use crate::{
    error::{BoxError, Error, InstantiationError},
    inject::Deps,
    intercept::Interceptors,
    provider::Made,
    unwind::{self, Panicked, Payload},
};

/// Why an instance could not be made.
pub(crate) struct Failure {
    /// What has to exist before another attempt.
    pub(crate) missing: Option<SlotId>,
    pub(crate) error: Error,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            missing: None,
            error,
        }
    }
}

impl Inner {
    /// The instance of a slot; `None` when its provider provides nothing.
    pub(crate) fn resolve(&self, id: SlotId) -> Result<Option<Held<'_>>, Error> {
        let plan = self.plan()?;
        if self.is_over() {
            return Err(disposed());
        }
        match plan.slot(id).scope {
            ScopeKind::Singleton => self
                .singleton(plan, id)
                .map(|instance| instance.map(Held::Container))
                .map_err(|failure| failure.error),
            ScopeKind::Request => scope::instance(self, plan, id),
            ScopeKind::Transient => {
                let slot = plan.slot(id);
                let _creating = self
                    .creating
                    .enter_unlocked(id)
                    .map_err(|circle| circle_error(plan, &circle, id))?;
                let made = self.make(plan, id).map_err(|failure| failure.error)?;
                Ok(made.map(|main| Held::Owned(main, slot)))
            }
        }
    }

    /// The singleton of a slot, made now when there is none: outside of any request scope, which
    /// it outlives.
    pub(crate) fn singleton<'a>(
        &'a self,
        plan: &'a Plan,
        id: SlotId,
    ) -> Result<Option<&'a Instance>, Failure> {
        let cell = &plan.cells[id as usize];
        if let Some(instance) = cell.get() {
            return Ok(instance.as_ref());
        }
        let _outside = scope::leave();
        let _creating = self
            .creating
            .enter(id)
            .map_err(|circle| circle_error(plan, &circle, id))?;
        if let Some(instance) = cell.get() {
            return Ok(instance.as_ref()); // another thread was faster
        }
        if self.is_closed() {
            return Err(disposed().into());
        }
        let made = self.make(plan, id)?;
        self.keep(plan, id, made)
    }

    /// Puts a new singleton in its slot.
    pub(crate) fn keep<'a>(
        &self,
        plan: &'a Plan,
        id: SlotId,
        made: Option<crate::provider::Handle>,
    ) -> Result<Option<&'a Instance>, Failure> {
        // A definition says with closures of its own how it is handed out.
        let instance = unwind::catch(|| made.map(|main| Instance::ready(main, plan.slot(id))));
        let instance = instance.map_err(|payload| {
            self.instantiation_error(plan, id, Panicked::new(&payload).into())
        })?;
        let mut created = self
            .created
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(created) = created.as_mut() else {
            if let Some(instance) = instance {
                self.refuse(id, Arc::new(instance));
            }
            return Err(disposed().into());
        };
        let cell = &plan.cells[id as usize];
        if cell.set(instance).is_ok() {
            created.push(id);
        }
        Ok(cell.get().and_then(Option::as_ref))
    }

    /// Makes an instance, now.
    pub(crate) fn make(
        &self,
        plan: &Plan,
        id: SlotId,
    ) -> Result<Option<crate::provider::Handle>, Failure> {
        let slot = plan.slot(id);
        for used in slot.uses {
            if plan.slot(*used).scope == ScopeKind::Singleton {
                self.resolve(*used)?;
            }
        }
        let result = match &slot.creation {
            Creation::Plain(make) => {
                let mut deps = Deps::new(self, self.dependencies(plan, slot)?);
                unwind::catch(|| make(&mut deps))
            }
            Creation::Closure(make) => {
                let mut deps = Deps::new(self, self.dependencies(plan, slot)?);
                unwind::catch(|| make(&mut deps))
            }
            Creation::Factory(make) => {
                let container = Container::weak(self.weak());
                unwind::catch(|| make(&container).map(Some))
            }
            Creation::Async(_) | Creation::AsyncClosure(_) => {
                return Err(self.async_on_demand(plan, id).into());
            }
            Creation::Missing | Creation::Seed | Creation::Value => {
                return Err(no_value(slot).into());
            }
        };
        self.settle(plan, id, result)
    }

    /// What became of the glue of a slot.
    pub(crate) fn settle(
        &self,
        plan: &Plan,
        id: SlotId,
        result: Result<Made, Payload>,
    ) -> Result<Option<crate::provider::Handle>, Failure> {
        let cause: BoxError = match result {
            Ok(Ok(made)) => return Ok(made),
            Ok(Err(cause)) => cause,
            Err(payload) => match payload.downcast::<Unresolved>() {
                Ok(unresolved) => {
                    return Err(Failure {
                        missing: unresolved.missing,
                        error: unresolved.error,
                    });
                }
                Err(payload) => Panicked::new(&payload).into(),
            },
        };
        Err(self.instantiation_error(plan, id, cause).into())
    }

    /// The dependencies of a slot, in the order its glue asks for them.
    pub(crate) fn dependencies(
        &self,
        plan: &Plan,
        slot: &Slot,
    ) -> Result<Vec<Resolved<'_>>, Error> {
        let mut found = Vec::with_capacity(slot.edges.len());
        for edge in &slot.edges {
            found.push(match edge {
                Edge::One(id) => Resolved::One(match self.item(plan, *id)? {
                    Some(item) => item,
                    None => return Err(nothing(plan.slot(*id), Some(slot))),
                }),
                Edge::Optional(id) => match self.item(plan, *id)? {
                    Some(item) => Resolved::One(item),
                    None => Resolved::Nothing,
                },
                Edge::Many(ids) => {
                    let mut items = Vec::with_capacity(ids.len());
                    for id in &**ids {
                        items.extend(self.item(plan, *id)?);
                    }
                    Resolved::Many(items)
                }
                Edge::Lazy(id) | Edge::OptionalLazy(id) => Resolved::Lazy(*id),
                Edge::Interceptors(ids) => {
                    let mut interceptors = Vec::with_capacity(ids.len());
                    for id in ids {
                        interceptors.extend(self.resolve(*id)?.map(|held| held.share()));
                    }
                    Resolved::Interceptors(Interceptors::of(interceptors))
                }
                Edge::Unbound => Resolved::Unbound,
                Edge::Absent => Resolved::Nothing,
                Edge::Missing { what } => {
                    return Err(Error::new(
                        ErrorCode::MissingProvider,
                        format!("no provider for {what}, required by {}", slot.described()),
                    ));
                }
                Edge::Ambiguous(error) => return Err(error.clone()),
            });
        }
        Ok(found)
    }

    fn item(&self, plan: &Plan, id: SlotId) -> Result<Option<Item<'_>>, Error> {
        if plan.slot(id).redirected {
            return Ok(Some(Item::ByType(id)));
        }
        Ok(self.resolve(id)?.map(Item::Held))
    }

    /// The slot that is handed out for a type where the graph names this one.
    pub(crate) fn redirected(&self, id: SlotId, type_id: TypeId) -> SlotId {
        match self.sealed.get() {
            Some(plan) => plan.redirected(id, type_id),
            None => id,
        }
    }

    /// The slot of a type the graph knows nothing of.
    pub(crate) fn supplied_at_run_time(&self, type_id: TypeId) -> Option<SlotId> {
        Some(self.sealed.get()?.targets.get(&type_id)?.slot)
    }

    /// Whether an async constructor has to run before this slot can be resolved.
    pub(crate) fn waits_for_async(&self, id: SlotId) -> bool {
        let Some(plan) = self.sealed.get() else {
            return false;
        };
        let mut seen = vec![false; plan.slots.len()];
        let mut open = vec![id as usize];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id], true) || plan.cells[id].get().is_some() {
                continue;
            }
            if plan.slots[id].creation.as_async().is_some() {
                return true;
            }
            open.extend(&plan.ahead[id]);
        }
        false
    }

    /// ZNIGHT001 for a provider that made nothing where something is required.
    pub(crate) fn provides_nothing(&self, id: SlotId) -> Error {
        match self.plan() {
            Ok(plan) => nothing(plan.slot(id), None),
            Err(error) => error,
        }
    }

    /// ZNIGHT015 for an async provider that is asked for when nobody can wait.
    fn async_on_demand(&self, plan: &Plan, id: SlotId) -> Error {
        let slot = plan.slot(id);
        let display = &slot.display;
        let (message, hints) = if self.booted.initialized() {
            (
                format!(
                    "{display} was not created at boot and cannot be created on demand: its constructor is async"
                ),
                vec![
                    format!(
                        "name {display} among the entry points with `only`, or create everything (`everything()`)"
                    ),
                    "a plugin whose options are made from the container cannot say before the boot what it uses"
                        .to_owned(),
                ],
            )
        } else {
            (
                format!(
                    "{display} is not there yet and nobody can wait for it here: its constructor is async"
                ),
                vec![format!(
                    "inject `Arc<{display}>`, which waits for it, or call `get()` of a `Lazy` in a method"
                )],
            )
        };
        let error = Error::new(ErrorCode::InstantiationFailed, message)
            .with_instantiation(InstantiationError::new(&slot.token, self.path_to(plan, id)))
            .with_place(slot.source);
        hints.into_iter().fold(error, Error::with_hint)
    }

    /// ZNIGHT015: the constructor of a slot failed.
    fn instantiation_error(&self, plan: &Plan, id: SlotId, cause: BoxError) -> Error {
        let slot = plan.slot(id);
        Error::new(
            ErrorCode::InstantiationFailed,
            format!("failed to create {}", slot.display),
        )
        .with_instantiation(InstantiationError::new(&slot.token, self.path_to(plan, id)))
        .with_place(slot.source)
        .with_source(cause)
    }

    /// How one comes to a slot: from what is being made on this thread, before that from an entry
    /// point on a shortest way.
    fn path_to(&self, plan: &Plan, id: SlotId) -> Vec<String> {
        let mut path = self.creating.path();
        if path.last() != Some(&id) {
            path.push(id);
        }
        let mut way = self.way_from_root(plan, path[0]);
        way.extend(&path[1..]);
        way.iter()
            .map(|id| plan.slot(*id).display.to_string())
            .collect()
    }

    fn way_from_root(&self, plan: &Plan, to: SlotId) -> Vec<SlotId> {
        let roots = self.roots.get();
        let is_root = |id: SlotId| roots.is_some_and(|roots| roots.contains(&id));
        let mut leads_to: Vec<Option<SlotId>> = vec![None; plan.slots.len()];
        let mut queue = std::collections::VecDeque::from([to]);
        let mut root = to;
        while let Some(id) = queue.pop_front() {
            root = id;
            if is_root(id) {
                break;
            }
            let users = (0..)
                .zip(&plan.ahead)
                .filter(|(user, ahead)| *user != to && ahead.contains(&(id as usize)));
            let mut used = false;
            for (user, _) in users {
                used = true;
                if leads_to[user as usize].is_none() {
                    leads_to[user as usize] = Some(id);
                    queue.push_back(user);
                }
            }
            if !used {
                break;
            }
        }
        let mut way = vec![root];
        while let Some(next) = leads_to[*way.last().unwrap_or(&to) as usize] {
            way.push(next);
        }
        way
    }
}

pub(crate) fn circle_error(plan: &Plan, circle: &Circle, id: SlotId) -> Error {
    let names: Vec<&str> = circle
        .0
        .iter()
        .chain([&id])
        .map(|id| &*plan.slot(*id).display)
        .collect();
    circular(&names)
        .with_hint("do not resolve a `Lazy` in a constructor")
        .with_place(plan.slot(id).source)
}

/// ZNIGHT015: the container is at its end.
pub(crate) fn disposed() -> Error {
    Error::new(
        ErrorCode::InstantiationFailed,
        "the container has been disposed: it makes and hands out nothing any more",
    )
    .with_hint("ask for it before the stop: what somebody holds stays alive")
}

fn no_value(slot: &Slot) -> Error {
    let error = Error::new(
        ErrorCode::MissingProvider,
        format!("no provider for {}", slot.display),
    );
    match slot.origin {
        super::slot::Origin::External(plugin) if !plugin.is_empty() => {
            error.with_hint(format!("add {plugin} to the application"))
        }
        _ => error.with_hint(format!("supply {} with `provide_value`", slot.display)),
    }
}

fn nothing(slot: &Slot, dependent: Option<&Slot>) -> Error {
    let required = match dependent {
        Some(dependent) => format!(", required by {}", dependent.described()),
        None => String::new(),
    };
    Error::new(
        ErrorCode::MissingProvider,
        format!("{} provided nothing (`None`){required}", slot.described()),
    )
    .with_hint("inject it as `Option<Arc<T>>` where it may be absent")
    .with_place(slot.source)
}
