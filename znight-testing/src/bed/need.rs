//! What a provider is injected with, as far as its glue and the graph tell.

use std::any::TypeId;

use znight_core::__private::{
    Dep, Entry, External, GraphData, InjectKind, Injection, Watched, assembly::Defined,
};

/// One injected position.
#[derive(Debug)]
pub(super) struct Need {
    pub(super) kind: Form,
    pub(super) wanted: Wanted,
    /// The providers of the graph that would be injected.
    pub(super) candidates: Vec<u32>,
    /// The plugin that would supply it.
    pub(super) external: Option<&'static str>,
    /// Whether it is the `self` of a `#[provides]` method, which nobody wrote as a dependency.
    pub(super) host: bool,
    /// The interceptors, each as a position of its own.
    pub(super) interceptors: Vec<Need>,
}

/// The form of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `Arc<T>`, or an unknown one that is required at once.
    One,
    /// `T`.
    Value,
    Optional,
    Many,
    Lazy,
    OptionalLazy,
    /// `Interceptors`.
    Interceptors,
}

/// What is asked for.
#[derive(Debug)]
pub(super) enum Wanted {
    /// This type.
    Type {
        type_id: TypeId,
        type_name: &'static str,
        name: Option<&'static str>,
        mock: Option<fn() -> Watched>,
    },
    /// Glue without mocks says nothing of types: one of the traits of a candidate, or its own type.
    Unsaid,
}

impl Wanted {
    fn of(injection: &Injection) -> Self {
        Self::Type {
            type_id: (injection.dep.type_id)(),
            type_name: (injection.dep.type_name)(),
            name: injection.dep.name,
            mock: injection.mock,
        }
    }

    fn external(external: &External) -> Self {
        Self::Type {
            type_id: (external.type_id)(),
            type_name: external.display,
            name: None,
            mock: None,
        }
    }
}

impl From<InjectKind> for Form {
    fn from(kind: InjectKind) -> Self {
        match kind {
            InjectKind::One => Self::One,
            InjectKind::Optional => Self::Optional,
            InjectKind::Many => Self::Many,
            InjectKind::Lazy => Self::Lazy,
            InjectKind::OptionalLazy => Self::OptionalLazy,
            InjectKind::Value => Self::Value,
            InjectKind::Interceptors => Self::Interceptors,
        }
    }
}

/// What a provider of the graph is injected with.
pub(super) fn of_entry(data: &'static GraphData, entry: &'static Entry) -> Vec<Need> {
    let said = entry.provider.injected;
    let said = (said.len() == entry.deps.len()).then_some(said);
    let needs = entry.deps.iter().enumerate().map(|(index, dep)| {
        let (form, candidates) = match *dep {
            Dep::One(id) => (Form::One, vec![id]),
            Dep::Optional(id) => (Form::Optional, vec![id]),
            Dep::Many(ids) => (Form::Many, ids.to_vec()),
            Dep::Lazy(id) => (Form::Lazy, vec![id]),
            Dep::OptionalLazy(id) => (Form::OptionalLazy, vec![id]),
            Dep::Interceptors(_) => (Form::Interceptors, Vec::new()),
            Dep::Unbound => (Form::Optional, Vec::new()),
            Dep::External(_) => (Form::One, Vec::new()),
            Dep::LazyExternal(_) => (Form::Lazy, Vec::new()),
        };
        let external = match *dep {
            Dep::External(id) | Dep::LazyExternal(id) => data.externals.get(id as usize),
            _ => None,
        };
        let (kind, wanted) = match (said, external) {
            (Some(said), _) => (said[index].dep.kind.into(), Wanted::of(&said[index])),
            (None, Some(external)) => (form, Wanted::external(external)),
            (None, None) => (form, Wanted::Unsaid),
        };
        let host = match said {
            Some(said) => said[index].host,
            None => candidates
                .first()
                .and_then(|id| data.providers.get(*id as usize))
                .is_some_and(|candidate| is_method_of(entry, candidate)),
        };
        Need {
            kind,
            wanted,
            host,
            candidates,
            external: external.map(|external| external.provided_by),
            interceptors: match *dep {
                Dep::Interceptors(deps) => interceptors(data, deps),
                _ => Vec::new(),
            },
        }
    });
    needs.collect()
}

/// The interceptors of an instance, which are concrete types.
fn interceptors(data: &'static GraphData, deps: &[Dep]) -> Vec<Need> {
    let need = |wanted, candidates, external| Need {
        kind: Form::One,
        wanted,
        candidates,
        external,
        host: false,
        interceptors: Vec::new(),
    };
    let needs = deps.iter().filter_map(|dep| match *dep {
        Dep::One(id) => {
            let provider = &data.providers.get(id as usize)?.provider;
            let wanted = Wanted::Type {
                type_id: (provider.type_id)(),
                type_name: (provider.type_name)(),
                name: None,
                mock: None,
            };
            Some(need(wanted, vec![id], None))
        }
        Dep::External(id) => {
            let external = data.externals.get(id as usize)?;
            let wanted = Wanted::external(external);
            Some(need(wanted, Vec::new(), Some(external.provided_by)))
        }
        _ => None,
    });
    needs.collect()
}

/// Whether a provider is a method of a factory: nothing else has a path below that of a type.
fn is_method_of(entry: &Entry, factory: &Entry) -> bool {
    let below = entry.token.strip_prefix(factory.token);
    below.is_some_and(|below| below.starts_with("::"))
}

/// What a definition is injected with; `find` names the providers of the graph for a position.
pub(super) fn of_defined(defined: &Defined, find: impl Fn(&Injection) -> Vec<u32>) -> Vec<Need> {
    let injections = defined.injections();
    let needs = injections.iter().map(|injection| Need {
        kind: injection.dep.kind.into(),
        wanted: Wanted::of(injection),
        candidates: find(injection),
        external: None,
        host: false,
        interceptors: Vec::new(),
    });
    needs.collect()
}
