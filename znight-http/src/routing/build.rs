//! From definitions to routes, with every problem told at once.

use std::{collections::BTreeMap, sync::Arc};

use http::{HeaderName, HeaderValue, StatusCode};
use znight_contract::{ErrorCode, path::RoutePath};
use znight_core::{Container, Error, Source};

use super::{ControllerSource, Placed, Route, RouteInfo, Router, tree::Tree};
use crate::{
    definition::{ControllerDef, GuardDef, InterceptorDef, ParamSource, RouteDef, Verb},
    guards::ErasedGuard,
    interceptors::ErasedInterceptor,
    options::Settings,
    validate::RouteNames,
};

/// The router of an application.
///
/// # Errors
/// ZNIGHT007 for routes that are wrong, ZNIGHT001 for guards and interceptors nobody provides: all
/// of them in one error.
pub(crate) fn build(
    controllers: impl IntoIterator<Item = ControllerDef>,
    settings: &Settings,
    container: &Container,
) -> Result<Router, Error> {
    let mut builder = Builder {
        settings,
        container,
        errors: Vec::new(),
        routes: Vec::new(),
        shapes: BTreeMap::new(),
    };
    let prefix = builder.path("the prefix of the plugin", &settings.prefix, None);
    for controller in controllers {
        builder.controller(controller, &prefix);
    }
    builder.finish()
}

/// The routes of one shape, by method; `All` apart.
struct Shape {
    path: RoutePath,
    by_verb: [Option<usize>; Verb::SERVED.len()],
    all: Option<usize>,
}

struct Builder<'a> {
    settings: &'a Settings,
    container: &'a Container,
    errors: Vec<Error>,
    routes: Vec<Arc<Route>>,
    shapes: BTreeMap<String, Shape>,
}

impl Builder<'_> {
    fn problem(&mut self, message: String, source: Option<Source>) {
        self.errors
            .push(Error::new(ErrorCode::InvalidRoute, message).with_place(source));
    }

    fn path(&mut self, whose: &str, text: &str, source: Option<Source>) -> RoutePath {
        RoutePath::parse(text).unwrap_or_else(|error| {
            self.problem(format!("{whose}, `{text}`: {error}"), source);
            RoutePath::root()
        })
    }

    fn controller(&mut self, def: ControllerDef, prefix: &RoutePath) {
        let base = self.path(
            &format!("the path of {}", def.display),
            def.path,
            def.source,
        );
        let base = prefix.join(&base).unwrap_or_else(|error| {
            self.problem(
                format!("the path of {} after the prefix: {error}", def.display),
                def.source,
            );
            base
        });
        let source = match placed((def.get)(self.container)) {
            Ok(Some(handle)) => Arc::new(ControllerSource::Ready(handle)),
            Ok(None) => Arc::new(ControllerSource::PerRequest(def.get)),
            Err(error) => {
                self.errors.push(error);
                return;
            }
        };
        for route in def.routes {
            self.route(&def, route, &base, &source);
        }
    }

    fn route(
        &mut self,
        controller: &ControllerDef,
        def: &RouteDef,
        base: &RoutePath,
        source: &Arc<ControllerSource>,
    ) {
        let name = format!("{}::{}", controller.display, def.handler);
        let problems = self.errors.len();
        let tail = self.path(&format!("the path of {name}"), def.path, def.source);
        let path = base.join(&tail).unwrap_or_else(|error| {
            self.problem(
                format!("the path of {name} after its controller's: {error}"),
                def.source,
            );
            RoutePath::root()
        });
        let params: Box<[Box<str>]> = path.params().map(Box::from).collect();
        let readable = self.errors.len() == problems;
        if readable {
            for param in def.params {
                let named = param.source == ParamSource::Param && !param.name.is_empty();
                if named && !params.iter().any(|known| **known == *param.name) {
                    self.missing_param(&name, param.name, &path, def.source);
                }
            }
        }
        let status = def.status.and_then(|status| {
            let valid = StatusCode::from_u16(status)
                .ok()
                .filter(|s| s.as_u16() >= 200);
            if valid.is_none() {
                self.problem(
                    format!("the status of {name}, {status}, is not one of a final reply"),
                    def.source,
                );
            }
            valid
        });
        let headers = self.headers(&name, def);
        let guards = self.guards(controller, def);
        let interceptors = self.interceptors(controller, def);
        let guard_names = all_guards(self.settings, controller, def)
            .map(GuardDef::display)
            .collect();
        let index = self.routes.len();
        let text = path.to_string();
        if readable {
            self.shape(&name, def, &path, index);
        }
        self.routes.push(Arc::new(Route {
            info: RouteInfo {
                method: def.method,
                path: text.into(),
                controller: controller.display,
                handler: def.handler,
            },
            params,
            call: def.call,
            controller: Arc::clone(source),
            status,
            headers,
            body: def.body,
            body_limit: def.body_limit.unwrap_or(self.settings.body_limit),
            guards,
            interceptors,
            guard_names,
            names: RouteNames::of_handler(&controller.names, def.handler),
            source: def.source,
        }));
    }

    fn missing_param(&mut self, name: &str, param: &str, path: &RoutePath, source: Option<Source>) {
        let mut error = Error::new(
            ErrorCode::InvalidRoute,
            format!("{name} takes the path parameter `{param}`, which `{path}` does not have"),
        )
        .with_place(source);
        if let Some(closest) = znight_contract::suggest::closest(param, path.params()) {
            error = error.with_hint(format!("did you mean `{closest}`?"));
        }
        self.errors.push(error);
    }

    fn headers(&mut self, route: &str, def: &RouteDef) -> Box<[(HeaderName, HeaderValue)]> {
        let mut out = Vec::with_capacity(def.headers.len());
        for (name, value) in def.headers {
            match (HeaderName::try_from(*name), HeaderValue::try_from(*value)) {
                (Ok(name), Ok(value)) => out.push((name, value)),
                (Err(_), _) => self.problem(
                    format!("{route} sets a header `{name}`, which is not the name of one"),
                    def.source,
                ),
                (_, Err(_)) => self.problem(
                    format!("{route} sets the header `{name}` to a value that cannot be sent"),
                    def.source,
                ),
            }
        }
        out.into()
    }

    fn guards(
        &mut self,
        controller: &ControllerDef,
        def: &RouteDef,
    ) -> Box<[Placed<dyn ErasedGuard>]> {
        let mut out = Vec::new();
        for guard in all_guards(self.settings, controller, def) {
            match placed((guard.resolve)(self.container)) {
                Ok(Some(instance)) => out.push(Placed::Ready(instance)),
                Ok(None) => out.push(Placed::PerRequest(guard.resolve)),
                Err(error) => self.unresolved("guard", &guard.display(), error),
            }
        }
        out.into()
    }

    fn interceptors(
        &mut self,
        controller: &ControllerDef,
        def: &RouteDef,
    ) -> Box<[Placed<dyn ErasedInterceptor>]> {
        let mut out = Vec::new();
        let all = self
            .settings
            .interceptors
            .iter()
            .chain(controller.interceptors)
            .chain(def.interceptors);
        for interceptor in all.collect::<Vec<&InterceptorDef>>() {
            match placed((interceptor.resolve)(self.container)) {
                Ok(Some(instance)) => out.push(Placed::Ready(instance)),
                Ok(None) => out.push(Placed::PerRequest(interceptor.resolve)),
                Err(error) => self.unresolved("interceptor", &interceptor.display(), error),
            }
        }
        out.into()
    }

    /// A guard of a hundred routes that nobody provides is one problem.
    fn unresolved(&mut self, what: &str, name: &str, error: Error) {
        let hint = format!("the {what} {name} is placed on a route: make it a provider");
        let known = self
            .errors
            .iter()
            .any(|other| other.hints().contains(&hint));
        if !known {
            self.errors.push(error.with_hint(hint));
        }
    }

    fn shape(&mut self, name: &str, def: &RouteDef, path: &RoutePath, index: usize) {
        let shape = self.shapes.entry(path.shape()).or_insert_with(|| Shape {
            path: path.clone(),
            by_verb: Default::default(),
            all: None,
        });
        let place = match def.method {
            Verb::All => &mut shape.all,
            verb => &mut shape.by_verb[verb.index()],
        };
        match *place {
            None => *place = Some(index),
            Some(first) => {
                let first = &self.routes[first];
                let at = first
                    .source
                    .map(|at| format!(" ({at})"))
                    .unwrap_or_default();
                let message = format!(
                    "{name} answers {} {path}, and so does {}::{}{at}",
                    def.method, first.info.controller, first.info.handler
                );
                self.problem(message, def.source);
            }
        }
    }

    fn finish(mut self) -> Result<Router, Error> {
        let mut trees: [Tree<Arc<Route>>; Verb::SERVED.len()] = Default::default();
        for shape in std::mem::take(&mut self.shapes).into_values() {
            for verb in Verb::SERVED {
                let own = shape.by_verb[verb.index()];
                let get = shape.by_verb[Verb::Get.index()].filter(|_| verb == Verb::Head);
                let Some(route) = own.or(get).or(shape.all) else {
                    continue;
                };
                let route = &self.routes[route];
                if let Err(error) = trees[verb.index()].insert(&shape.path, Arc::clone(route)) {
                    let message = format!("{verb} {} cannot be routed: {error}", route.info.path);
                    let source = route.source;
                    self.problem(message, source);
                }
            }
        }
        match Error::all("the routes", self.errors) {
            Some(error) => Err(error),
            None => Ok(Router {
                trees,
                routes: self.routes,
                trailing_slash: self.settings.trailing_slash,
            }),
        }
    }
}

fn all_guards<'a>(
    settings: &'a Settings,
    controller: &ControllerDef,
    def: &RouteDef,
) -> impl Iterator<Item = &'a GuardDef> {
    settings
        .guards
        .iter()
        .chain(controller.guards)
        .chain(def.guards)
}

/// What the container gave at boot; `None` when only a request scope can give it.
fn placed<T>(resolved: Result<T, Error>) -> Result<Option<T>, Error> {
    match resolved {
        Ok(instance) => Ok(Some(instance)),
        Err(error) if error.code() == ErrorCode::OutsideRequestScope => Ok(None),
        Err(error) => Err(error),
    }
}
