//! The interceptors of providers: `#[intercept(..)]` on their methods, wherever these stand.

use std::cell::LazyCell;

use znight_contract::ErrorCode;

use super::Application;
use crate::{
    facts::{InterceptedFact, ItemKind, TypeExpr},
    model::{Injection, Sink, Want},
    packages::FACADE,
    resolve::{Found, ItemId, ModuleId, Resolver, Scope, Substitution, Ty, unify},
    settings::InterceptorAttribute,
};

impl Application<'_> {
    /// Whether some interceptor belongs to another crate, whose plugin may supply it.
    pub(crate) fn is_intercepted_from_elsewhere(&self) -> bool {
        let injections = self.providers.iter().flat_map(|one| &one.intercepted);
        let mut targets = injections.filter_map(|injection| injection.want.target());
        targets.any(|target| matches!(target, Ty::Foreign(..)))
    }
}

/// One interceptor around a method.
struct Interception<'a> {
    /// The impl the method stands in.
    item: ItemId,
    method: &'a InterceptedFact,
    /// The type whose method it is, as the impl writes it.
    of: Ty,
    interceptor: Ty,
}

/// Adds to each provider what its methods are intercepted with.
///
/// A provider that has no place for them is ZNIGHT005.
///
/// `attributes` are those of plugins, which are asked for when one may be among the methods'.
pub(crate) fn intercepted(
    app: &mut Application<'_>,
    attributes: impl Fn() -> Vec<InterceptorAttribute>,
    sink: &mut Sink,
) {
    let attributes = LazyCell::new(attributes);
    let found = interceptions(app.resolver, &|path| {
        let mut known = attributes.iter();
        let found = known.find(|attribute| attribute.attribute == path)?;
        Some(found.interceptor.clone())
    });
    if found.is_empty() {
        return;
    }
    for number in 0..app.providers.len() {
        let provider = &app.providers[number];
        let of_provider: Vec<(&Interception<'_>, Ty)> = found
            .iter()
            .filter_map(|one| {
                let mut with = Substitution::new();
                let fits = unify(&one.of, &provider.ty, &mut with);
                fits.then(|| (one, one.interceptor.substitute(&with)))
            })
            .collect();
        let Some((first, _)) = of_provider.first() else {
            continue;
        };
        let place = provider
            .injections
            .iter()
            .find(|injection| injection.want == Want::Interceptors);
        let Some(at) = place.map(|injection| injection.at) else {
            let file = app.occurrences[provider.at.occurrence].file;
            app.broken = true;
            if app.program().is_own(file) {
                sink.error(
                    ErrorCode::InvalidAttribute,
                    provider.at,
                    format!(
                        "{} has intercepted methods, and no field for their interceptors",
                        provider.display
                    ),
                    vec![
                        "add the field `interceptors: Interceptors`; the container fills it"
                            .to_owned(),
                        format!(
                            "`{}` is intercepted at {}:{}",
                            first.method.name,
                            app.program()
                                .file_name(app.program().items[first.item].file),
                            first.method.name_at.line
                        ),
                    ],
                );
            }
            continue;
        };
        let mut injections: Vec<Injection> = Vec::new();
        for (one, interceptor) in of_provider {
            // A name that leads nowhere is rustc's to report, where it stands.
            let want = match interceptor.unfollowable() {
                Some(_) => Want::Nothing,
                None => Want::One(interceptor),
            };
            if injections.iter().all(|known| known.want != want) {
                injections.push(Injection {
                    want,
                    qualifier: None,
                    label: one.method.name.clone(),
                    at,
                    qualifier_at: None,
                });
            }
        }
        app.providers[number].intercepted = injections;
    }
}

/// Every interception of the program, in the order of its files.
fn interceptions<'a>(
    resolver: &'a Resolver<'_>,
    of_plugins: &dyn Fn(&str) -> Option<String>,
) -> Vec<Interception<'a>> {
    let program = resolver.program;
    let mut found = Vec::new();
    for (id, item) in program.items.iter().enumerate() {
        let (methods, self_ty, generics) = match &item.fact.kind {
            ItemKind::Impl(fact) => (&fact.intercepted, &fact.self_ty, &fact.generics),
            ItemKind::Inherent(fact) => (&fact.intercepted, &fact.self_ty, &fact.generics),
            _ => continue,
        };
        if methods.is_empty() || !item.live.within(resolver.world) {
            continue;
        }
        let scope = Scope::module(item.module).with_params(generics);
        let of = resolver.ty(self_ty, &scope);
        let cfg = &program.crate_of(item.module).cfg;
        for method in methods {
            if !cfg.allows(&method.conditions, resolver.world) {
                continue;
            }
            let interceptor = interceptor(resolver, of_plugins, item.module, &scope, method);
            found.extend(interceptor.map(|interceptor| Interception {
                item: id,
                method,
                of: of.clone(),
                interceptor,
            }));
        }
    }
    found
}

/// The interceptor an attribute stands for; none when it is not one that does.
fn interceptor(
    resolver: &Resolver<'_>,
    of_plugins: &dyn Fn(&str) -> Option<String>,
    module: ModuleId,
    scope: &Scope,
    method: &InterceptedFact,
) -> Option<Ty> {
    let names: Vec<&str> = method.attribute.iter().map(String::as_str).collect();
    let path = match resolver.path(module, &names, false) {
        Found::Foreign(path) => resolver.unrenamed(module, path),
        // A name that cannot be followed is taken by its word: rustc knows better if it is not ours.
        Found::Missing | Found::Unknown if names == ["intercept"] => own_attribute(),
        _ => return None,
    };
    if path == own_attribute() {
        return Some(resolver.ty(method.interceptor.as_ref()?, scope));
    }
    let of_plugin = of_plugins(&path)?;
    let segments: Vec<&str> = of_plugin.split("::").collect();
    let ty = TypeExpr::Path(crate::facts::PathExpr::of(&segments));
    Some(resolver.ty(&ty, &Scope::module(0)))
}

fn own_attribute() -> String {
    format!("{FACADE}::intercept")
}
