//! What a test gives to a bed.

use std::{any::TypeId, fmt, sync::Arc};

use znight_core::{
    __private::{Handle, Watch, Watched, assembly::Defined, short_name},
    BoxError, Container,
};

/// What a bed is for.
pub(super) enum Target {
    Type,
    Named(String),
    Token(String),
    Defined(Box<Defined>),
}

/// Of several for one dependency the highest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Provided,
    Override,
}

/// A function that makes a part.
pub(super) type Factory = Arc<dyn Fn(&Container) -> Result<Handle, BoxError> + Send + Sync>;

/// Where a part comes from. What is taken out is put in its place.
pub(super) enum Origin {
    Value(Option<Handle>),
    Factory(Factory),
    Defined(Option<Box<Defined>>),
}

/// One thing a test gives.
pub(super) struct Supply {
    pub(super) level: Level,
    pub(super) type_id: TypeId,
    pub(super) type_name: &'static str,
    pub(super) name: Option<String>,
    pub(super) origin: Origin,
    /// What a definition is handed out as.
    pub(super) types: Vec<TypeId>,
    /// Whether it can be handed out by value as it is.
    pub(super) by_value: bool,
    /// How it is cloned where it is injected by value.
    pub(super) clone: Option<fn(&Handle) -> Handle>,
    /// Tells who has it, for a mock.
    pub(super) mock: Option<Watch>,
    /// The part it became.
    pub(super) part: Option<u32>,
}

impl Supply {
    pub(super) fn of<T: ?Sized + 'static>(
        level: Level,
        name: Option<String>,
        origin: Origin,
    ) -> Self {
        Self {
            level,
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            name,
            types: Vec::new(),
            by_value: matches!(origin, Origin::Factory(_)),
            origin,
            clone: None,
            mock: None,
            part: None,
        }
    }

    pub(super) fn mock<T: ?Sized + 'static>(name: Option<String>, mock: Watched) -> Self {
        Self {
            mock: Some(mock.watch),
            ..Self::of::<T>(Level::Provided, name, Origin::Value(Some(mock.handle)))
        }
    }

    pub(super) fn defined<T: ?Sized + 'static>(level: Level, defined: Defined) -> Self {
        Self {
            types: defined.types(),
            by_value: defined.by_value(),
            ..Self::of::<T>(
                level,
                defined.name().map(str::to_owned),
                Origin::Defined(Some(Box::new(defined))),
            )
        }
    }

    /// Its qualifier.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// A definition that is not what it is given for.
    pub(super) fn is_mistaken(&self) -> bool {
        matches!(self.origin, Origin::Defined(_)) && !self.types.contains(&self.type_id)
    }

    /// Whether it stands for the same dependencies as another one.
    pub(super) fn has_key_of(&self, other: &Self) -> bool {
        self.type_id == other.type_id && self.name() == other.name()
    }

    pub(super) fn display(&self) -> String {
        display(self.type_name, self.name())
    }
}

/// `dyn Sink named "audit"`.
pub(super) fn display(type_name: &str, name: Option<&str>) -> String {
    let short = short_name(type_name);
    match name {
        Some(name) => format!("{short} named {name:?}"),
        None => short,
    }
}

impl fmt::Debug for Supply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supply")
            .field("of", &self.display())
            .field("level", &self.level)
            .field("mock", &self.mock.is_some())
            .finish_non_exhaustive()
    }
}

/// What is made by its own constructor although a test could replace it.
#[derive(Debug)]
pub(super) struct Real {
    pub(super) type_id: TypeId,
    pub(super) type_name: &'static str,
    pub(super) name: Option<String>,
}
