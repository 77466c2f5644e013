//! A container put together part by part instead of from a graph: what a test bed is.

use std::{
    any::TypeId,
    borrow::Cow,
    fmt,
    sync::{Arc, PoisonError},
};

use rustc_hash::FxHashMap;
use znight_contract::ScopeKind;

use super::{
    Container,
    needs::Root,
    plan::Plan,
    slot::{Creation, Edge, Slot},
};
use crate::{
    definition::{Coercions, Definition, Hooks, Parts},
    error::{BoxError, Error},
    graph::{Entry, Graph, Source},
    inject::DynDep,
    mock::Injection,
    provider::{Coerce, Handle, Provided},
};

/// The parts of a container, each named by the number it was given.
///
/// No part has lifecycle hooks: what is made here is neither started, stopped nor disposed.
#[derive(Debug)]
pub struct Assembly {
    container: Container,
    slots: Vec<Slot>,
    values: Vec<(u32, Handle)>,
    redirects: FxHashMap<(u32, TypeId), u32>,
}

/// What is known of a part besides how it comes to be.
#[derive(Debug, Clone)]
pub struct Part {
    /// The type it is.
    pub type_id: TypeId,
    /// Its name, for messages.
    pub type_name: &'static str,
    /// The traits it is handed out as.
    pub coerce: &'static [Coerce],
    /// A fresh `Arc` around a clone, where it is injected by value.
    pub clone: Option<fn(&Handle) -> Handle>,
}

impl Part {
    /// A part that is a `T` and nothing else.
    pub fn of<T: ?Sized + 'static>() -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            coerce: &[],
            clone: None,
        }
    }
}

/// A definition, its type forgotten.
pub struct Defined {
    parts: Parts,
    injected: &'static [Injection],
}

impl Defined {
    /// A definition written out in code.
    pub fn new<T: ?Sized + Send + Sync + 'static>(definition: Definition<T>) -> Self {
        Self {
            parts: definition.into_parts(),
            injected: &[],
        }
    }

    /// What an attribute says of a type of a test.
    pub fn provided<T: Provided>() -> Self {
        Self {
            injected: T::P.injected,
            ..Self::new(Definition::<T>::provided())
        }
    }

    /// Its token.
    pub fn token(&self) -> &str {
        &self.parts.token
    }

    /// Its short name.
    pub fn display(&self) -> &str {
        &self.parts.display
    }

    /// Where it is written.
    pub fn source(&self) -> Option<Source> {
        self.parts.source
    }

    /// Its qualifier.
    pub fn name(&self) -> Option<&'static str> {
        self.parts.name
    }

    /// How long an instance lives.
    pub fn scope(&self) -> ScopeKind {
        self.parts.scope
    }

    /// What it is handed out as: its own type and its traits.
    pub fn types(&self) -> Vec<TypeId> {
        let own = std::iter::once(self.parts.type_id);
        own.chain(self.parts.coerce.types()).collect()
    }

    /// What is wrong with it.
    pub fn problems(&self) -> &[Error] {
        &self.parts.problems
    }

    /// What it is injected with, each with the mock of its trait where that is known.
    pub fn injections(&self) -> Vec<Injection> {
        let deps = &self.parts.deps;
        let said = (self.injected.len() == deps.len()).then_some(self.injected);
        let injections = deps.iter().enumerate().map(|(index, dep): (_, &DynDep)| {
            let mock = said.and_then(|said| said[index].mock);
            Injection {
                dep: *dep,
                mock,
                host: false,
            }
        });
        injections.collect()
    }

    /// Whether it can be handed out by value.
    pub fn by_value(&self) -> bool {
        self.parts.clone.is_some() || self.parts.scope == ScopeKind::Transient
    }
}

impl fmt::Debug for Defined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Defined").field(&self.parts.token).finish()
    }
}

/// One dependency of a part, in the order its glue asks for them.
#[derive(Debug, Clone)]
pub enum Needed {
    /// This part.
    One(u32),
    /// This part, in an optional position.
    Optional(u32),
    /// These parts.
    Many(Vec<u32>),
    /// This part, when asked for.
    Lazy(u32),
    /// This part, when asked for, in an optional position.
    OptionalLazy(u32),
    /// These parts, as interceptors of the methods.
    Interceptors(Vec<u32>),
    /// None, in an optional position.
    Absent,
    /// Whatever is of the type the glue asks for, in an optional position.
    ByType,
}

impl Assembly {
    /// The part that is the container itself, for instances that ask it.
    pub const CONTAINER: u32 = 0;

    /// No parts but the container itself.
    ///
    /// # Errors
    /// Those of [`Container::new`].
    pub fn new() -> Result<Self, Error> {
        let container = Container::new(Graph::empty())?;
        let own = Handle::new(Arc::new(container.downgraded()));
        let mut assembly = Self {
            container,
            slots: Vec::new(),
            values: Vec::new(),
            redirects: FxHashMap::default(),
        };
        assembly.value(&Part::of::<Container>(), own);
        Ok(assembly)
    }

    fn push(&mut self, slot: Slot) -> u32 {
        let id = u32::try_from(self.slots.len())
            .expect("invariant: a test bed has fewer than 2^32 parts");
        self.slots.push(Slot {
            edges: Vec::new(),
            // Numbers of the graph, which mean nothing here.
            uses: &[],
            asks: &[],
            hooks: Hooks::default(),
            ..slot
        });
        id
    }

    /// A provider of a graph, made by its glue.
    pub fn entry(&mut self, entry: &'static Entry) -> u32 {
        self.push(Slot::of_entry(entry))
    }

    /// What a definition makes.
    pub fn defined(&mut self, defined: Defined) -> u32 {
        self.push(Slot::of_definition(defined.parts))
    }

    /// A value.
    pub fn value(&mut self, part: &Part, value: Handle) -> u32 {
        let slot = Slot {
            creation: Creation::Value,
            coerce: Coercions::Glue(part.coerce),
            clone: part.clone,
            ..Slot::bare(part.type_id, part.type_name)
        };
        let id = self.push(slot);
        self.values.push((id, value));
        id
    }

    /// What a function makes, for as long as the scope says.
    pub fn factory(
        &mut self,
        part: &Part,
        scope: ScopeKind,
        factory: impl Fn(&Container) -> Result<Handle, BoxError> + Send + Sync + 'static,
    ) -> u32 {
        self.push(Slot {
            creation: Creation::Factory(Box::new(factory)),
            scope,
            coerce: Coercions::Glue(part.coerce),
            clone: part.clone,
            ..Slot::bare(part.type_id, part.type_name)
        })
    }

    /// Stands for a provider of which only some types are supplied, each by another part. The
    /// function says why there is nothing for any other.
    pub fn stand_in(
        &mut self,
        entry: &'static Entry,
        instead: impl IntoIterator<Item = (TypeId, u32)>,
        why_not: impl Fn() -> Error + Send + Sync + 'static,
    ) -> u32 {
        let id = self.push(Slot {
            creation: Creation::Factory(Box::new(move |_| Err(why_not().into()))),
            display: Cow::Borrowed(entry.display),
            redirected: true,
            ..Slot::bare((entry.provider.type_id)(), entry.display)
        });
        self.redirects
            .extend(instead.into_iter().map(|(asked, part)| ((id, asked), part)));
        id
    }

    /// Says what a part is injected with.
    pub fn inject(&mut self, part: u32, needed: Vec<Needed>) {
        self.slots[part as usize].edges = needed
            .into_iter()
            .map(|needed| match needed {
                Needed::One(part) => Edge::One(part),
                Needed::Optional(part) => Edge::Optional(part),
                Needed::Many(parts) => Edge::Many(Cow::Owned(parts)),
                Needed::Lazy(part) => Edge::Lazy(part),
                Needed::OptionalLazy(part) => Edge::OptionalLazy(part),
                Needed::Interceptors(parts) => Edge::Interceptors(parts),
                Needed::Absent => Edge::Absent,
                Needed::ByType => Edge::Unbound,
            })
            .collect();
    }

    /// The container, with one part and what that needs created.
    ///
    /// # Errors
    /// The container comes back with the error, for whoever cannot drop it just so. The errors are
    /// those of [`Container::init`].
    pub async fn create(self, root: u32) -> Result<Container, (Container, Error)> {
        let Self {
            container,
            slots,
            values,
            redirects,
        } = self;
        let plan = Plan::assembled(slots, values, redirects);
        match container.shared() {
            Ok(inner) => {
                inner
                    .pending
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take();
                // Nobody else has this container, so the cell is empty.
                let _ = inner.sealed.set(plan);
            }
            Err(error) => return Err((container, error)),
        }
        match container.init_only([Root::provider(root)]).await {
            Ok(()) => Ok(container),
            Err(error) => Err((container, error)),
        }
    }
}

/// The instance of a part; in the scope of the moment for a request-scoped one.
///
/// # Errors
/// Those of [`Container::get`].
pub fn instance<T: ?Sized + Send + Sync + 'static>(
    container: &Container,
    part: u32,
) -> Result<Arc<T>, Error> {
    let inner = container.inner()?;
    inner.required(inner.plan()?, part)
}
