//! Route decisions: what a route is decided to be, for the guards that enforce it.

pub(crate) mod check;

use std::{any::Any, fmt, marker::PhantomData, sync::Arc};

use znight_contract::decision::DecisionDef;

use crate::HttpContext;

/// Something that is decided for routes and enforced by guards: who may call them, how often.
///
/// It is a const. `#[decide(ROLES = &["admin"])]` on a handler or a controller takes it with a value,
/// `#[decide(PUBLIC)]` takes a [flag](Self::flag); that of a handler replaces that of its controller. A guard
/// reads it with [`get`](Self::get) and says in [`Guard::ENFORCES`](crate::Guard::ENFORCES) that it does.
///
/// Decisions of one [group](Self::group) are alternatives: a handler or a controller takes one of them. Where
/// the group is [required](Self::required), a route without one is an error of the build (ZNIGHT023), and
/// so is a route with one that no guard enforces, at start.
///
/// ```
/// use znight_http::{AnyDecision, Decision, Guard, HttpContext, HttpError};
///
/// /// Open to these roles.
/// pub const ROLES: Decision<&[&str]> = Decision::new("roles").group("access").required();
/// /// Open to everybody.
/// pub const PUBLIC: Decision = Decision::flag("public").group("access").required();
///
/// struct AccessGuard;
///
/// impl Guard for AccessGuard {
///     const ENFORCES: &'static [&'static dyn AnyDecision] = &[&ROLES, &PUBLIC];
///
///     async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
///         let Some(roles) = ROLES.get(ctx) else {
///             return Ok(()); // public, or no route at all
///         };
///         match ctx.header("x-role") {
///             Some(role) if roles.contains(&role) => Ok(()),
///             _ => Err(HttpError::forbidden("another role is needed")),
///         }
///     }
/// }
/// ```
pub struct Decision<T = ()> {
    def: DecisionDef<'static>,
    value: PhantomData<fn() -> T>,
}

impl Decision {
    /// A decision without a value. See [`new`](Self::new) for the key.
    ///
    /// # Panics
    /// The key is empty: an error of the compiler in a const.
    pub const fn flag(key: &'static str) -> Self {
        Self::new(key)
    }
}

impl<T> Decision<T> {
    /// A decision with a value of type `T`, by its key, which is not empty and has one definition in an
    /// application. It is a group by itself, and not required.
    ///
    /// # Panics
    /// The key is empty: an error of the compiler in a const.
    pub const fn new(key: &'static str) -> Self {
        Self::checked(DecisionDef {
            key,
            group: key,
            required: false,
        })
    }

    /// Makes it an alternative to the other decisions of a group, whose name is made of letters, digits,
    /// `_`, `.` and `-` and starts with a letter.
    ///
    /// # Panics
    /// It is no such name: an error of the compiler in a const.
    #[must_use]
    pub const fn group(self, group: &'static str) -> Self {
        Self::checked(DecisionDef { group, ..self.def })
    }

    /// Requires a decision of the group from every route. The decisions of a group agree on it.
    #[must_use]
    pub const fn required(self) -> Self {
        Self::checked(DecisionDef {
            required: true,
            ..self.def
        })
    }

    const fn checked(def: DecisionDef<'static>) -> Self {
        if let Err(flaw) = def.check() {
            // There is no formatting in a const but that of a text.
            panic!("{}", flaw.message());
        }
        Self {
            def,
            value: PhantomData,
        }
    }
}

impl<T: Send + Sync + 'static> Decision<T> {
    /// The value the route of a request is decided to have: its own, else that of its controller. `None`
    /// where it has another decision of the group or none, and where no route matched.
    pub fn get<'c>(&self, ctx: &'c HttpContext) -> Option<&'c T> {
        let value: &dyn Any = self.find(ctx)?.value.get();
        value.downcast_ref()
    }

    /// Whether the route of a request has this decision.
    pub fn is_set(&self, ctx: &HttpContext) -> bool {
        self.find(ctx).is_some()
    }

    fn find<'c>(&self, ctx: &'c HttpContext) -> Option<&'c Decided> {
        let route = ctx.matched_route()?;
        route
            .decisions
            .iter()
            .find(|decided| decided.decision.key == self.def.key)
    }

    /// The decision with a value, as data: what `#[decide(..)]` writes on a route.
    ///
    /// ```
    /// use znight_http::Decision;
    ///
    /// const LIMIT: Decision<u32> = Decision::new("limit");
    /// assert_eq!(LIMIT.meta(5).to_string(), "limit = 5");
    /// ```
    pub fn meta(&self, value: T) -> Decided
    where
        T: fmt::Debug,
    {
        Decided {
            decision: self.def,
            value: DecidedValue::Shared {
                value: Arc::new(value),
            },
        }
    }
}

impl<T> Clone for Decision<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Decision<T> {}

impl<T> fmt::Debug for Decision<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("key", &self.def.key)
            .field("group", &self.def.group)
            .field("required", &self.def.required)
            .finish()
    }
}

mod sealed {
    pub trait Sealed {}

    impl<T> Sealed for super::Decision<T> {}
}

/// A [`Decision`] with the type of its value forgotten, for [`Guard::ENFORCES`](crate::Guard::ENFORCES).
pub trait AnyDecision: sealed::Sealed + fmt::Debug + Send + Sync {
    /// Its key.
    fn key(&self) -> &'static str;

    /// The group it is an alternative of; its key where it has none.
    fn group(&self) -> &'static str;

    /// Whether every route must have a decision of the group.
    fn is_required(&self) -> bool;
}

impl<T> AnyDecision for Decision<T> {
    fn key(&self) -> &'static str {
        self.def.key
    }

    fn group(&self) -> &'static str {
        self.def.group
    }

    fn is_required(&self) -> bool {
        self.def.required
    }
}

/// What tells a decision from others, of one whose type is forgotten.
fn def_of_any(decision: &dyn AnyDecision) -> DecisionDef<'static> {
    DecisionDef {
        key: decision.key(),
        group: decision.group(),
        required: decision.is_required(),
    }
}

/// A decision and the value it has on a route. [`Decision::meta`] makes one.
///
/// `Display` shows both: `roles = ["admin"]`, and `public` for a flag.
#[derive(Debug, Clone)]
pub struct Decided {
    #[doc(hidden)]
    pub decision: DecisionDef<'static>,
    #[doc(hidden)]
    pub value: DecidedValue,
}

/// A value of a decision: in the binary, or made at run time.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum DecidedValue {
    /// What the glue writes. A field with a name, for that of which rustc lets borrow what a `const fn` returns.
    Static {
        value: &'static dyn AnyValue,
    },
    Shared {
        value: Arc<dyn AnyValue>,
    },
}

/// What a value of a decision must be.
#[doc(hidden)]
pub trait AnyValue: Any + fmt::Debug + Send + Sync {}

impl<T: Any + fmt::Debug + Send + Sync> AnyValue for T {}

impl DecidedValue {
    fn get(&self) -> &dyn AnyValue {
        match self {
            Self::Static { value } => *value,
            Self::Shared { value } => &**value,
        }
    }
}

impl Decided {
    /// Its key and value as text.
    pub(crate) fn describe(&self) -> RouteDecision {
        let value = self.value.get();
        let is_flag = (value as &dyn Any).is::<()>();
        RouteDecision {
            key: self.decision.key,
            group: self.decision.group,
            required: self.decision.required,
            value: (!is_flag).then(|| format!("{value:?}")),
        }
    }
}

/// A flag needs no value.
impl From<Decision> for Decided {
    fn from(flag: Decision) -> Self {
        flag.meta(())
    }
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe().fmt(f)
    }
}

/// A decision of a route, as [`HttpPlugin::routes`](crate::HttpPlugin::routes) lists it.
///
/// `Display` shows key and value: `roles = ["admin"]`, and `public` for a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteDecision {
    /// Its key.
    pub key: &'static str,
    /// The group it is an alternative of; its key where it has none.
    pub group: &'static str,
    /// Whether every route must have a decision of the group.
    pub required: bool,
    /// The value as `Debug` shows it; `None` for a flag.
    pub value: Option<String>,
}

impl fmt::Display for RouteDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{} = {value}", self.key),
            None => f.write_str(self.key),
        }
    }
}

/// What a start does about routes without a decision they need, and decisions no guard enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Enforcement {
    /// It fails with one ZNIGHT023 that lists them all.
    #[default]
    Error,
    /// It logs a warning for each group: for tests that go without guards on purpose.
    Warn,
}

/// The decisions of a route: those of its controller whose groups it does not decide itself, then its own.
pub(crate) fn effective(controller: &[Decided], route: &[Decided]) -> Box<[Decided]> {
    let is_decided = |decided: &&Decided| {
        let group = decided.decision.group;
        !route.iter().any(|own| own.decision.group == group)
    };
    let inherited = controller.iter().filter(is_decided);
    inherited.chain(route).cloned().collect()
}

/// The value of a decision, of the type of that decision.
#[doc(hidden)]
pub const fn value_of<T>(_: &Decision<T>, value: T) -> T {
    value
}

/// A decision that is taken with a value.
#[doc(hidden)]
pub const fn def_of<T>(decision: &Decision<T>) -> DecisionDef<'static> {
    decision.def
}

/// A decision that is taken without a value.
#[doc(hidden)]
pub const fn flag<T: Flag>(decision: &Decision<T>) -> DecisionDef<'static> {
    decision.def
}

/// The value of a flag.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this decision has a value of type `{Self}`",
    label = "write `= value` behind it"
)]
pub trait Flag {}

impl Flag for () {}
