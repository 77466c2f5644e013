//! What the attributes know of a controller: plain data, one constant per controller.

use std::{any::TypeId, fmt, sync::Arc};

use http::Method;
use znight_contract::decision::DecisionDef;
use znight_core::{
    __private::{Handle, Section, type_id_of},
    Container, Error, Root, Source,
};

use crate::{
    decisions::{AnyDecision, Decided},
    guards::{ErasedGuard, Guard},
    handler::Called,
    interceptors::{ErasedInterceptor, Interceptor},
    rq::Rq,
    validate::{ControllerNames, InputNames, TypeNames},
};

/// The glue of one controller of an analysed crate, found by its id.
#[diagnostic::on_unimplemented(
    message = "the graph has a controller that `{Self}` was built without",
    label = "it is in the sources of that crate, and was switched off when the crate was built",
    note = "features are those that `cargo metadata` resolves for the whole workspace: build the packages that want \
            different features of a library together (`cargo build --workspace`), or give them the same",
    note = "a `cfg` that a build script sets is told to `znight_build::Compiler::cfg`"
)]
pub trait Controller<const ID: u64> {
    /// What the attributes know of the controller.
    const C: ControllerDef;
}

/// A controller outside of the crate's graph: one of a test or an example.
///
/// `#[controller]` implements it for items the build does not analyse. Such a controller enters an
/// application through [`HttpPlugin::controller`](crate::HttpPlugin::controller).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a controller that can be passed at run time",
    note = "only `#[controller]` types of a test or an example are; what the application's own \
            crate declares is in its graph already"
)]
pub trait ControllerOn: Send + Sync + 'static {
    #[doc(hidden)]
    const C: ControllerDef;
}

/// A controller and its routes.
#[derive(Debug, Clone, Copy)]
pub struct ControllerDef {
    /// The type id of the controller.
    pub type_id: fn() -> TypeId,
    /// Gets it from the container: [`controller`] of its type.
    pub get: fn(&Container) -> Result<Handle, Error>,
    /// Its short name, for messages.
    pub display: &'static str,
    /// What every path of its routes starts with.
    pub path: &'static str,
    /// The guards of all its routes, in order.
    pub guards: &'static [GuardDef],
    /// The interceptors of all its routes, outermost first.
    pub interceptors: &'static [InterceptorDef],
    /// What its routes are decided to be, unless they say otherwise.
    pub decisions: &'static [Decided],
    /// Its routes.
    pub routes: &'static [RouteDef],
    /// Where it is declared.
    pub source: Option<Source>,
    /// The names of its inputs on the wire, which the graph tells.
    pub names: ControllerNames,
}

impl ControllerDef {
    /// The controller `C`, without guards, interceptors and routes.
    pub const fn new<C: Send + Sync + 'static>(
        display: &'static str,
        path: &'static str,
        source: Option<Source>,
    ) -> Self {
        Self {
            type_id: type_id_of::<C>,
            get: controller::<C>,
            display,
            path,
            guards: &[],
            interceptors: &[],
            decisions: &[],
            routes: &[],
            source,
            names: ControllerNames::NONE,
        }
    }
}

/// One route of a controller.
#[derive(Debug, Clone, Copy)]
pub struct RouteDef {
    /// The method it answers.
    pub method: Verb,
    /// Its path, relative to the controller's.
    pub path: &'static str,
    /// The name of its method, for messages.
    pub handler: &'static str,
    /// The status of a reply, whatever the handler says.
    pub status: Option<u16>,
    /// Headers of every reply of the handler, unless it sets them itself.
    pub headers: &'static [(&'static str, &'static str)],
    /// Whether the body is read before the handler is called.
    pub body: bool,
    /// The largest body accepted, in bytes, instead of the plugin's limit.
    pub body_limit: Option<u64>,
    /// Its guards, after the controller's.
    pub guards: &'static [GuardDef],
    /// Its interceptors, inside the controller's.
    pub interceptors: &'static [InterceptorDef],
    /// What it is decided to be.
    pub decisions: &'static [Decided],
    /// What its parameters take: informational, but path parameters are checked at boot.
    pub params: &'static [ParamDef],
    /// The glue.
    pub call: Call,
    /// Where it is declared.
    pub source: Option<Source>,
}

impl RouteDef {
    /// A route whose parameters need no body, with nothing around it.
    pub const fn new(
        method: Verb,
        path: &'static str,
        handler: &'static str,
        call: Call,
        source: Option<Source>,
    ) -> Self {
        Self {
            method,
            path,
            handler,
            status: None,
            headers: &[],
            body: false,
            body_limit: None,
            guards: &[],
            interceptors: &[],
            decisions: &[],
            params: &[],
            call,
            source,
        }
    }
}

/// The glue of one handler: extracts the arguments, then calls the method.
pub type Call = for<'a> fn(&'a Handle, &'a Rq) -> Called<'a>;

/// Where an argument comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamDef {
    /// The part of the request.
    pub source: ParamSource,
    /// Its name there; empty for a whole record and for what has no name.
    pub name: &'static str,
}

/// A part of the request an argument is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamSource {
    /// A path parameter.
    Param,
    /// A query parameter.
    Query,
    /// A header.
    Header,
    /// The body.
    Body,
    /// The context: no attribute.
    Context,
}

/// The method of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `GET`; answers `HEAD` as well unless another route does.
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `PATCH`
    Patch,
    /// `DELETE`
    Delete,
    /// `HEAD`
    Head,
    /// `OPTIONS`
    Options,
    /// Every one of the others that has no route of its own on the same path.
    All,
}

impl Verb {
    /// Every method a route can be served for, in the order `allow` lists them.
    pub(crate) const SERVED: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
        Self::Options,
    ];

    /// The verb of a request's method; `None` for those no route can have.
    pub(crate) fn of(method: &Method) -> Option<Self> {
        Some(match *method {
            Method::GET => Self::Get,
            Method::POST => Self::Post,
            Method::PUT => Self::Put,
            Method::PATCH => Self::Patch,
            Method::DELETE => Self::Delete,
            Method::HEAD => Self::Head,
            Method::OPTIONS => Self::Options,
            _ => return None,
        })
    }

    /// As written in a request.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::All => "ALL",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Gets the controller `C` from the container.
///
/// # Errors
/// Those of [`Container::get`].
pub fn controller<C: Send + Sync + 'static>(container: &Container) -> Result<Handle, Error> {
    Ok(Handle::new(container.get::<C>()?))
}

/// The controller behind a handle.
///
/// # Panics
/// When it is no `C`: the generated code and the container disagree.
pub fn this<C: Send + Sync + 'static>(handle: &Handle) -> &C {
    match handle.get_ref::<C>() {
        Some(controller) => controller,
        None => panic!(
            "internal error of znight: a route of `{}` was given another controller; please report it",
            std::any::type_name::<C>()
        ),
    }
}

type Resolve<T> = fn(&Container) -> Result<Arc<T>, Error>;

/// A guard placed on a controller or a route: how to get it from the container.
#[derive(Clone, Copy)]
pub struct GuardDef {
    pub(crate) name: fn() -> &'static str,
    pub(crate) root: fn() -> Root,
    pub(crate) resolve: Resolve<dyn ErasedGuard>,
    pub(crate) enforces: &'static [&'static dyn AnyDecision],
}

/// The placement of the guard `G`.
pub const fn guard<G: Guard>() -> GuardDef {
    GuardDef {
        name: std::any::type_name::<G>,
        root: Root::of::<G>,
        resolve: |container| container.get::<G>().map(|guard| guard as _),
        enforces: G::ENFORCES,
    }
}

/// Whether a provider is a guard: the glue of those that seem to be one, found by the id of the provider.
#[diagnostic::on_unimplemented(
    message = "the graph has a guard that `{Self}` was built without",
    label = "it is in the sources of that crate, and was switched off when the crate was built"
)]
pub trait GuardOf<const ID: u64> {
    /// The guard, where rustc finds it to be one.
    const G: Option<GuardDef>;
}

/// Asks rustc whether a type is a guard. Its own constant is found first, [`NoGuard`]'s for all other types.
#[derive(Debug)]
pub struct Asked<T>(std::marker::PhantomData<T>);

impl<T: Guard> Asked<T> {
    /// It is one.
    pub const GUARD: Option<GuardDef> = Some(guard::<T>());
}

/// What is said of a type that is no guard.
pub trait NoGuard {
    /// Nothing.
    const GUARD: Option<GuardDef> = None;
}

impl<T> NoGuard for Asked<T> {}

impl fmt::Debug for GuardDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GuardDef({})", (self.name)())
    }
}

/// An interceptor placed on a controller or a route: how to get it from the container.
#[derive(Clone, Copy)]
pub struct InterceptorDef {
    pub(crate) name: fn() -> &'static str,
    pub(crate) root: fn() -> Root,
    pub(crate) resolve: Resolve<dyn ErasedInterceptor>,
}

/// The placement of the interceptor `I`.
pub const fn interceptor<I: Interceptor>() -> InterceptorDef {
    InterceptorDef {
        name: std::any::type_name::<I>,
        root: Root::of::<I>,
        resolve: |container| container.get::<I>().map(|interceptor| interceptor as _),
    }
}

impl fmt::Debug for InterceptorDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InterceptorDef({})", (self.name)())
    }
}

/// The controllers of an application: the section of HTTP in the graph.
#[derive(Debug)]
pub struct HttpSection {
    /// One entry for each controller, in the order of their tokens.
    pub controllers: &'static [ControllerEntry],
    /// The providers that are guards, in front of a route or not.
    pub guards: &'static [Option<GuardDef>],
    /// The decisions that its sources define, as far as the build could tell them.
    pub decisions: &'static [DecisionDef<'static>],
    /// The names on the wire of the fields that their inputs lead to.
    pub types: &'static [TypeNames],
}

/// One controller of the graph.
#[derive(Debug)]
pub struct ControllerEntry {
    /// Its provider, an index in the graph.
    pub provider: u32,
    /// What its attributes know of it.
    pub def: ControllerDef,
    /// The inputs of its handlers with names that differ from those of the source.
    pub inputs: &'static [InputNames],
}

impl Section for HttpSection {
    fn name(&self) -> &'static str {
        "http"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn roots(&self) -> Vec<u32> {
        self.controllers
            .iter()
            .map(|entry| entry.provider)
            .collect()
    }
}
