//! From definitions to routes, with every problem told at once.

use std::{collections::BTreeMap, sync::Arc};

use http::{HeaderName, HeaderValue, StatusCode};
use znight_contract::{ErrorCode, path::RoutePath};
use znight_core::{__private::Handle, Container, Error, Source};

use super::{ControllerSource, Placed, Route, RouteInfo, Router, tree::Tree};
use crate::{
    PluginRoute, PluginRoutes, RouteMount,
    decisions::{self, Decided, check},
    definition::{
        ControllerDef, GuardDef, HttpSection, InterceptorDef, ParamSource, RouteDef, Verb,
    },
    guards::ErasedGuard,
    interceptors::ErasedInterceptor,
    options::Settings,
    plugin_routes,
    validate::{ControllerNames, RouteNames},
};

/// The router of an application.
///
/// # Errors
/// ZNIGHT007 for routes that are wrong, ZNIGHT001 for guards and interceptors nobody provides: all
/// of them in one error. ZNIGHT023 for decisions that are missing or that no guard enforces.
pub(crate) fn build(
    controllers: impl IntoIterator<Item = ControllerDef>,
    plugins: &[(&'static str, Arc<dyn PluginRoutes>)],
    section: Option<&HttpSection>,
    settings: &Settings,
    container: &Container,
) -> Result<Router, Error> {
    let mut builder = Builder {
        settings,
        container,
        errors: Vec::new(),
        routes: Vec::new(),
        checked: Vec::new(),
        shapes: BTreeMap::new(),
    };
    let prefix = builder.path("the option `prefix` of HTTP", &settings.prefix, None);
    for controller in controllers {
        builder.controller(controller, &prefix);
    }
    let text = match prefix.segments() {
        [] => String::new(),
        _ => prefix.to_string(),
    };
    let mount = RouteMount {
        prefix: &text,
        container,
    };
    for (plugin, routes) in plugins {
        for route in routes.routes(&mount) {
            builder.plugin_route(plugin, route, &prefix);
        }
    }
    let application = check::Application {
        defined: section.map_or(&[], |section| section.decisions),
        guards: section
            .into_iter()
            .flat_map(|section| section.guards)
            .copied()
            .flatten()
            .collect(),
        enforcement: settings.enforcement,
    };
    let checked = std::mem::take(&mut builder.checked);
    let router = builder.finish(text)?;
    check::check(&checked, &application)?;
    Ok(router)
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
    /// What the check of decisions looks at, one for each route.
    checked: Vec<check::Checked>,
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
        let chain: Vec<GuardDef> = all_guards(self.settings, controller.guards, def.guards)
            .copied()
            .collect();
        let guards = self.guards(&chain);
        let interceptors = self.interceptors(controller, def);
        let index = self.routes.len();
        let text = path.to_string();
        if readable {
            self.shape(&name, def.method, &path, index, def.source);
        }
        let decisions = self.decisions(controller, def, &name, &text, &chain);
        self.routes.push(Arc::new(Route {
            info: RouteInfo {
                method: def.method,
                path: text.into(),
                controller: controller.display,
                handler: def.handler.into(),
                decisions: decisions.iter().map(Decided::describe).collect(),
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
            guard_names: chain.iter().map(GuardDef::display).collect(),
            plugin: None,
            decisions,
            names: RouteNames::of_handler(&controller.names, def.handler),
            source: def.source,
        }));
    }

    fn plugin_route(&mut self, plugin: &'static str, route: PluginRoute, prefix: &RoutePath) {
        let name = plugin_routes::display(plugin, &route.name);
        let problems = self.errors.len();
        let own = self.path(&format!("the path of {name}"), &route.path, None);
        let path = prefix.join(&own).unwrap_or_else(|error| {
            self.problem(
                format!("the path of {name} after the prefix: {error}"),
                None,
            );
            RoutePath::root()
        });
        let chain: Vec<GuardDef> = all_guards(self.settings, &[], &route.guards)
            .copied()
            .collect();
        let guards = self.guards(&chain);
        self.checked.push(check::Checked {
            name: format!("{} {path} ({plugin} {})", route.verb, route.name),
            takes: vec![(name.clone(), route.decisions.clone().into())],
            decisions: route
                .decisions
                .iter()
                .map(|decided| decided.decision)
                .collect(),
            guards: chain.clone(),
            plugin: Some(plugin),
            source: None,
        });
        let index = self.routes.len();
        if self.errors.len() == problems {
            self.shape(&name, route.verb, &path, index, None);
        }
        self.routes.push(Arc::new(Route {
            info: RouteInfo {
                method: route.verb,
                path: path.to_string().into(),
                controller: plugin,
                handler: route.name.into(),
                decisions: route.decisions.iter().map(Decided::describe).collect(),
            },
            params: path.params().map(Box::from).collect(),
            call: plugin_routes::call,
            controller: Arc::new(ControllerSource::Ready(Handle::new(Arc::new(
                route.handler,
            )))),
            status: None,
            headers: Box::default(),
            body: false,
            body_limit: route.body_limit.unwrap_or(self.settings.body_limit),
            guards,
            interceptors: Box::default(),
            guard_names: chain.iter().map(GuardDef::display).collect(),
            plugin: Some(plugin),
            decisions: route.decisions.into(),
            names: RouteNames::of_handler(&ControllerNames::NONE, ""),
            source: None,
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

    fn guards(&mut self, chain: &[GuardDef]) -> Box<[Placed<dyn ErasedGuard>]> {
        let mut out = Vec::new();
        for guard in chain {
            match placed((guard.resolve)(self.container)) {
                Ok(Some(instance)) => out.push(Placed::Ready(instance)),
                Ok(None) => out.push(Placed::PerRequest(guard.resolve)),
                Err(error) => self.unresolved("guard", &guard.display(), error),
            }
        }
        out.into()
    }

    /// The decisions of a route, which are checked when all routes are known.
    fn decisions(
        &mut self,
        controller: &ControllerDef,
        def: &RouteDef,
        name: &str,
        path: &str,
        guards: &[GuardDef],
    ) -> Box<[Decided]> {
        let effective = decisions::effective(controller.decisions, def.decisions);
        self.checked.push(check::Checked {
            name: format!("{} {path} ({name})", def.method),
            takes: vec![
                (controller.display.to_owned(), controller.decisions.into()),
                (name.to_owned(), def.decisions.into()),
            ],
            decisions: effective.iter().map(|decided| decided.decision).collect(),
            guards: guards.to_vec(),
            plugin: None,
            source: def.source,
        });
        effective
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

    fn shape(
        &mut self,
        name: &str,
        verb: Verb,
        path: &RoutePath,
        index: usize,
        source: Option<Source>,
    ) {
        let shape = self.shapes.entry(path.shape()).or_insert_with(|| Shape {
            path: path.clone(),
            by_verb: Default::default(),
            all: None,
        });
        let place = match verb {
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
                    "{name} answers {verb} {path}, and so does {}{at}",
                    first.name()
                );
                self.problem(message, source);
            }
        }
    }

    fn finish(mut self, prefix: String) -> Result<Router, Error> {
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
                prefix,
            }),
        }
    }
}

/// The guards in front of a route, in the order they run.
fn all_guards<'a>(
    settings: &'a Settings,
    controller: &'a [GuardDef],
    route: &'a [GuardDef],
) -> impl Iterator<Item = &'a GuardDef> {
    settings.guards.iter().chain(controller).chain(route)
}

/// What the container gave at boot; `None` when only a request scope can give it.
fn placed<T>(resolved: Result<T, Error>) -> Result<Option<T>, Error> {
    match resolved {
        Ok(instance) => Ok(Some(instance)),
        Err(error) if error.code() == ErrorCode::OutsideRequestScope => Ok(None),
        Err(error) => Err(error),
    }
}
