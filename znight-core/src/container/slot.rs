//! What the container knows of one provider, and the instances made of it.

use std::{any::TypeId, borrow::Cow, fmt, sync::Arc};

use znight_contract::{ErrorCode, ScopeKind};

use super::Container;
use crate::{
    __private::BoxFuture,
    definition::{self, Coercions, Hooks, Parts},
    error::{BoxError, Error},
    graph::{Entry, External, Source},
    inject::Deps,
    intercept::Interceptors,
    names,
    provider::{Handle, Made, Make},
};

/// Names a slot: a provider of the graph by its index there, then the externals, then what was
/// supplied at run time.
pub(crate) type SlotId = u32;

/// A closure that makes an override.
pub(crate) type Factory = Box<dyn Fn(&Container) -> Result<Handle, BoxError> + Send + Sync>;

/// How the instance of a slot comes to be.
pub(crate) enum Creation {
    Plain(fn(&mut Deps<'_>) -> Made),
    Async(for<'a> fn(Deps<'a>) -> BoxFuture<'a, Made>),
    Closure(definition::PlainClosure),
    AsyncClosure(definition::AsyncClosure),
    Factory(Factory),
    /// It was supplied ready-made and is neither started, stopped nor disposed.
    Value,
    /// It is seeded into each request scope.
    Seed,
    /// A plugin should have supplied it.
    Missing,
}

/// Where a slot comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Graph,
    /// A plugin is to supply it; its name, where it is known.
    External(&'static str),
    RunTime,
}

/// One dependency, its targets known.
pub(crate) enum Edge {
    One(SlotId),
    Optional(SlotId),
    Many(Cow<'static, [SlotId]>),
    Lazy(SlotId),
    OptionalLazy(SlotId),
    Interceptors(Vec<SlotId>),
    Unbound,
    /// Optional, and absent whatever else there is.
    Absent,
    /// Nothing provides it.
    Missing {
        what: String,
    },
    /// Several providers do.
    Ambiguous(Error),
}

impl Edge {
    /// What must exist before the dependent is made.
    pub(crate) fn ahead(&self) -> &[SlotId] {
        match self {
            Self::One(slot) | Self::Optional(slot) => std::slice::from_ref(slot),
            Self::Many(slots) => slots,
            Self::Interceptors(slots) => slots,
            _ => &[],
        }
    }

    /// What is resolved when asked for.
    pub(crate) fn later(&self) -> Option<SlotId> {
        match self {
            Self::Lazy(slot) | Self::OptionalLazy(slot) => Some(*slot),
            _ => None,
        }
    }
}

/// A provider, an external, or what was supplied at run time.
pub(crate) struct Slot {
    pub(crate) token: Cow<'static, str>,
    pub(crate) display: Cow<'static, str>,
    pub(crate) type_id: TypeId,
    pub(crate) scope: ScopeKind,
    pub(crate) creation: Creation,
    pub(crate) coerce: Coercions,
    pub(crate) hooks: Hooks,
    pub(crate) clone: Option<fn(&Handle) -> Handle>,
    pub(crate) name: Option<&'static str>,
    pub(crate) primary: bool,
    pub(crate) edges: Vec<Edge>,
    pub(crate) uses: &'static [SlotId],
    pub(crate) asks: &'static [SlotId],
    pub(crate) source: Option<Source>,
    pub(crate) origin: Origin,
    /// Whether another slot is handed out for one of its traits.
    pub(crate) redirected: bool,
}

impl Slot {
    pub(crate) fn of_entry(entry: &'static Entry) -> Self {
        Self {
            token: Cow::Borrowed(entry.token),
            display: Cow::Borrowed(entry.display),
            type_id: (entry.provider.type_id)(),
            scope: entry.scope,
            creation: Creation::of(entry.provider.make),
            coerce: Coercions::Glue(entry.provider.coerce),
            hooks: Hooks::of_glue(entry.provider.lifecycle),
            clone: entry.provider.clone,
            name: entry.name,
            primary: entry.primary,
            edges: Vec::new(),
            uses: entry.uses,
            asks: entry.asks,
            source: entry.source,
            origin: Origin::Graph,
            redirected: false,
        }
    }

    pub(crate) fn of_external(external: &'static External) -> Self {
        Self {
            token: Cow::Borrowed(external.display),
            display: Cow::Borrowed(external.display),
            ..Self::expected(
                (external.type_id)(),
                external.display,
                external.scope,
                external.provided_by,
            )
        }
    }

    /// A slot for what somebody is to supply.
    pub(crate) fn expected(
        type_id: TypeId,
        type_name: &'static str,
        scope: ScopeKind,
        provided_by: &'static str,
    ) -> Self {
        Self {
            scope,
            creation: match scope {
                ScopeKind::Request => Creation::Seed,
                ScopeKind::Singleton | ScopeKind::Transient => Creation::Missing,
            },
            origin: Origin::External(provided_by),
            ..Self::bare(type_id, type_name)
        }
    }

    /// A slot for a definition, whose dependencies are found by type later.
    pub(crate) fn of_definition(parts: Parts) -> Self {
        Self {
            token: parts.token,
            display: parts.display,
            type_id: parts.type_id,
            scope: parts.scope,
            creation: match parts.creation {
                definition::Creation::Glue(make) => Creation::of(make),
                definition::Creation::Plain(make) => Creation::Closure(make),
                definition::Creation::Async(make) => Creation::AsyncClosure(make),
            },
            coerce: parts.coerce,
            hooks: parts.hooks,
            clone: parts.clone,
            name: parts.name,
            primary: parts.primary,
            edges: Vec::new(),
            uses: &[],
            asks: &[],
            source: parts.source,
            origin: Origin::RunTime,
            redirected: false,
        }
    }

    /// A slot for something of which only the type is known.
    pub(crate) fn bare(type_id: TypeId, type_name: &'static str) -> Self {
        Self {
            token: Cow::Borrowed(type_name),
            display: Cow::Owned(names::short(type_name)),
            type_id,
            scope: ScopeKind::Singleton,
            creation: Creation::Missing,
            coerce: Coercions::NONE,
            hooks: Hooks::default(),
            clone: None,
            name: None,
            primary: false,
            edges: Vec::new(),
            uses: &[],
            asks: &[],
            source: None,
            origin: Origin::RunTime,
            redirected: false,
        }
    }

    /// `UserService (src/users/service.rs:12)`.
    pub(crate) fn described(&self) -> String {
        match self.source {
            Some(source) => format!("{} ({source})", self.display),
            None => self.display.to_string(),
        }
    }

    /// `UserService (shop::users::UserService)`.
    pub(crate) fn with_token(&self) -> String {
        if self.token == self.display {
            self.display.to_string()
        } else {
            format!("{} ({})", self.display, self.token)
        }
    }

    /// Whether anything can come of it.
    pub(crate) fn supplied(&self) -> bool {
        !matches!(self.creation, Creation::Missing)
    }

    /// Whether it is handed out for a type, as itself or as one of its traits.
    pub(crate) fn answers_for(&self, type_id: TypeId) -> bool {
        self.type_id == type_id || self.coerce.position(type_id).is_some()
    }

    /// ZNIGHT001 when it is asked for as something it is not handed out as.
    pub(crate) fn handed_out_as(&self, type_id: TypeId, type_name: &str) -> Result<(), Error> {
        if self.answers_for(type_id) {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::MissingProvider,
            format!(
                "{} is not handed out as {}",
                self.with_token(),
                names::short(type_name)
            ),
        ))
    }
}

impl Creation {
    fn of(make: Make) -> Self {
        match make {
            Make::Plain(make) => Self::Plain(make),
            Make::Async(make) => Self::Async(make),
        }
    }

    /// What makes it, when somebody has to wait for it.
    pub(crate) fn as_async(&self) -> Option<&definition::AsyncMake> {
        match self {
            Self::Async(make) => Some(make),
            Self::AsyncClosure(make) => Some(&**make),
            _ => None,
        }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("token", &self.token)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// One instance: the handle on the value, and one for each trait it is handed out as.
pub(crate) struct Instance {
    /// The value itself.
    main: Handle,
    /// Its traits in the order of `coerce`. Instances that do not live as long as the application have
    /// none: most of their traits are never asked for.
    traits: Vec<Handle>,
    coerce: Coercions,
    clone: Option<fn(&Handle) -> Handle>,
}

impl Instance {
    /// The instance of a singleton: every trait ready to be handed out.
    pub(crate) fn ready(main: Handle, slot: &Slot) -> Self {
        let traits = (0..slot.coerce.len())
            .map(|number| slot.coerce.apply(number, &main))
            .collect();
        Self {
            main,
            traits,
            coerce: slot.coerce.clone(),
            clone: slot.clone,
        }
    }

    /// An instance that lives for a request.
    pub(crate) fn brief(main: Handle, slot: &Slot) -> Self {
        Self {
            main,
            traits: Vec::new(),
            coerce: slot.coerce.clone(),
            clone: slot.clone,
        }
    }

    /// The value, for its hooks.
    pub(crate) fn main(&self) -> &Handle {
        &self.main
    }

    /// The handle with this number, when it is of this type.
    pub(crate) fn at<T: ?Sized + Send + Sync + 'static>(&self, number: u32) -> Option<&Arc<T>> {
        let handle = match number.checked_sub(1) {
            None => &self.main,
            Some(number) => self.traits.get(number as usize)?,
        };
        handle.get_ref()
    }

    /// The value as `T`, when it is one or is handed out as one.
    pub(crate) fn handed_out_as<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let itself = self.main.get_ref::<T>();
        let known = itself.is_some() || self.coerce.position(TypeId::of::<T>()).is_some();
        known.then(|| self.arc())
    }

    fn arc<T: ?Sized + Send + Sync + 'static>(&self) -> Arc<T> {
        hand_out(&self.main, &self.traits, &self.coerce)
    }
}

/// A value as `T`: as it is, as a trait that is ready, as one that is made so now.
fn hand_out<T: ?Sized + Send + Sync + 'static>(
    main: &Handle,
    traits: &[Handle],
    coerce: &Coercions,
) -> Arc<T> {
    if let Some(arc) = main.get_ref::<T>() {
        return Arc::clone(arc);
    }
    let Some(number) = coerce.position(TypeId::of::<T>()) else {
        crate::provider::mismatch::<T>()
    };
    match traits.get(number) {
        Some(handle) => handle.arc(),
        None => coerce.apply(number, main).into_arc(),
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instance(..)")
    }
}

/// An instance, and who keeps it alive.
#[derive(Debug)]
pub(crate) enum Held<'a> {
    /// The container.
    Container(&'a Instance),
    /// A request scope.
    Scope(Arc<Instance>),
    /// Nobody else: a value that was made for whoever asked, and its provider.
    Owned(Handle, &'a Slot),
}

impl Held<'_> {
    /// A handle on the value itself.
    pub(crate) fn share(&self) -> Handle {
        match self {
            Self::Container(instance) => instance.main().share(),
            Self::Scope(instance) => instance.main().share(),
            Self::Owned(main, _) => main.share(),
        }
    }

    pub(crate) fn arc<T: ?Sized + Send + Sync + 'static>(self) -> Arc<T> {
        match self {
            Self::Container(instance) => instance.arc(),
            Self::Scope(instance) => instance.arc(),
            Self::Owned(main, slot) => hand_out(&main, &[], &slot.coerce),
        }
    }

    /// The value itself: out of its only `Arc`, or a clone where the provider allows it.
    pub(crate) fn into_value<T: Send + Sync + 'static>(self) -> Result<T, Error> {
        let fresh = |instance: &Instance| instance.clone.map(|clone| clone(instance.main()));
        let handle = match self {
            Self::Container(instance) => fresh(instance),
            Self::Scope(instance) => fresh(&instance),
            Self::Owned(main, _) => Some(main),
        };
        handle
            .and_then(|handle| Arc::into_inner(handle.into_arc::<T>()))
            .ok_or_else(|| {
                let name = names::of::<T>();
                Error::new(
                    ErrorCode::InstantiationFailed,
                    format!("{name} is injected by value, and its one instance is shared"),
                )
                .with_hint("override it with `override_factory`, which makes a new one each time")
            })
    }
}

/// A dependency before the type asked for is known.
pub(crate) enum Resolved<'a> {
    One(Item<'a>),
    Nothing,
    Many(Vec<Item<'a>>),
    Lazy(SlotId),
    Interceptors(Interceptors),
    Unbound,
}

/// One instance of a dependency.
pub(crate) enum Item<'a> {
    Held(Held<'a>),
    /// Some traits of this slot are overridden: the type asked for decides.
    ByType(SlotId),
}

/// Why glue was left by unwinding.
pub(crate) struct Unresolved {
    /// What has to exist before another attempt.
    pub(crate) missing: Option<SlotId>,
    pub(crate) error: Error,
}
