//! What the container needs of a definition, its type forgotten.

use std::{any::TypeId, borrow::Cow, sync::Arc};

use znight_contract::ScopeKind;

use crate::{
    __private::BoxFuture,
    error::{Error, Result},
    graph::Source,
    inject::{Deps, DynDep},
    lifecycle::{HookFn, Lifecycle},
    provider::{Coerce, Handle, Made, Make},
};

pub(crate) type PlainClosure = Box<dyn Fn(&mut Deps<'_>) -> Made + Send + Sync>;
pub(crate) type AsyncMake = dyn for<'a> Fn(Deps<'a>) -> BoxFuture<'a, Made> + Send + Sync;
pub(crate) type AsyncClosure = Box<AsyncMake>;
type HookClosure = dyn Fn(&Handle) -> BoxFuture<'static, Result> + Send + Sync;

/// How a definition makes an instance.
pub(crate) enum Creation {
    Glue(Make),
    Plain(PlainClosure),
    Async(AsyncClosure),
}

/// A definition.
pub(crate) struct Parts {
    pub(crate) type_id: TypeId,
    pub(crate) creation: Creation,
    pub(crate) coerce: Coercions,
    pub(crate) hooks: Hooks,
    pub(crate) clone: Option<fn(&Handle) -> Handle>,
    pub(crate) token: Cow<'static, str>,
    pub(crate) display: Cow<'static, str>,
    pub(crate) scope: ScopeKind,
    pub(crate) name: Option<&'static str>,
    pub(crate) primary: bool,
    pub(crate) deps: Cow<'static, [DynDep]>,
    /// What its `Interceptors` are filled with.
    pub(crate) interceptors: Vec<DynDep>,
    pub(crate) source: Option<Source>,
    /// What is wrong with it.
    pub(crate) problems: Vec<Error>,
}

impl Parts {
    /// Of nothing yet.
    pub(super) fn new(creation: Creation, deps: Cow<'static, [DynDep]>) -> Self {
        Self {
            type_id: TypeId::of::<()>(),
            creation,
            coerce: Coercions::NONE,
            hooks: Hooks::default(),
            clone: None,
            token: Cow::Borrowed(""),
            display: Cow::Borrowed(""),
            scope: ScopeKind::Singleton,
            name: None,
            primary: false,
            deps,
            interceptors: Vec::new(),
            source: None,
            problems: Vec::new(),
        }
    }

    pub(super) fn add_coercion(&mut self, coercion: DefinedCoerce) {
        let mut all: Vec<Arc<DefinedCoerce>> = match &self.coerce {
            Coercions::Defined(coercions) => coercions.to_vec(),
            Coercions::Glue(coercions) => coercions
                .iter()
                .map(|coerce| {
                    Arc::new(DefinedCoerce {
                        to: (coerce.to)(),
                        apply: Box::new(coerce.apply),
                    })
                })
                .collect(),
        };
        all.retain(|known| known.to != coercion.to);
        all.push(Arc::new(coercion));
        self.coerce = Coercions::Defined(all.into());
    }
}

/// One trait a definition is handed out as.
pub(crate) struct DefinedCoerce {
    pub(crate) to: TypeId,
    pub(crate) apply: Box<dyn Fn(&Handle) -> Handle + Send + Sync>,
}

/// The traits something is handed out as, numbered from 0.
#[derive(Clone)]
pub(crate) enum Coercions {
    Glue(&'static [Coerce]),
    Defined(Arc<[Arc<DefinedCoerce>]>),
}

impl Coercions {
    pub(crate) const NONE: Self = Self::Glue(&[]);

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Glue(coercions) => coercions.len(),
            Self::Defined(coercions) => coercions.len(),
        }
    }

    /// The type id of the trait with this number.
    fn to(&self, number: usize) -> TypeId {
        match self {
            Self::Glue(coercions) => (coercions[number].to)(),
            Self::Defined(coercions) => coercions[number].to,
        }
    }

    /// From a handle on the value to one on the trait with this number.
    pub(crate) fn apply(&self, number: usize, handle: &Handle) -> Handle {
        match self {
            Self::Glue(coercions) => (coercions[number].apply)(handle),
            Self::Defined(coercions) => (coercions[number].apply)(handle),
        }
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = TypeId> {
        (0..self.len()).map(|number| self.to(number))
    }

    /// The number of a trait.
    pub(crate) fn position(&self, type_id: TypeId) -> Option<usize> {
        self.types().position(|to| to == type_id)
    }
}

/// A hook of a provider.
#[derive(Clone)]
pub(crate) enum Hook {
    Glue(HookFn),
    Defined(Arc<HookClosure>),
}

impl Hook {
    pub(crate) fn call<'a>(&self, handle: &'a Handle) -> BoxFuture<'a, Result> {
        match self {
            Self::Glue(hook) => hook(handle),
            Self::Defined(hook) => hook(handle),
        }
    }
}

/// The hooks of a provider.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) on_start: Option<Hook>,
    pub(crate) on_ready: Option<Hook>,
    pub(crate) on_stop: Option<Hook>,
    pub(crate) dispose: Option<Hook>,
}

impl Hooks {
    pub(crate) fn of_glue(lifecycle: Lifecycle) -> Self {
        Self {
            on_start: lifecycle.on_start.map(Hook::Glue),
            on_ready: lifecycle.on_ready.map(Hook::Glue),
            on_stop: lifecycle.on_stop.map(Hook::Glue),
            dispose: lifecycle.dispose.map(Hook::Glue),
        }
    }
}
