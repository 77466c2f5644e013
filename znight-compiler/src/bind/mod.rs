//! Binds every injection to what it gets.

mod ambiguous;
mod candidates;
mod externals;
mod hidden;
mod missing;
mod near_miss;
mod orphans;

use std::collections::BTreeMap;

use znight_contract::{ErrorCode, ScopeKind};

pub(crate) use candidates::unqualified;
pub use externals::External;
pub(crate) use externals::externals;

use self::{
    ambiguous::Ambiguous,
    candidates::{Choice, choose, implementing},
    externals::supplies,
    missing::Missing,
};
use crate::{
    Role,
    analyse::Application,
    model::{At, Binding, Injection, Provider, Sink, Want},
    resolve::Ty,
};

/// The bindings of one world.
#[derive(Debug, Default)]
pub struct Bindings {
    /// For each provider, the binding of each injection.
    pub injections: Vec<Vec<Binding>>,
    /// For each provider, the providers of the types it uses besides, and whether they are resolved when
    /// asked for.
    pub uses: Vec<Vec<(usize, bool)>>,
    /// For each provider, the bindings of what extensions ask for on its behalf.
    pub requests: Vec<Vec<Binding>>,
    /// For each provider, the bindings of the interceptors of its methods.
    pub intercepted: Vec<Vec<Binding>>,
    /// The externals in use, by their numbers in the application's list.
    pub externals: Vec<usize>,
    /// Whether something could not be bound.
    pub failed: bool,
}

/// Binds every injection of an application.
pub fn bind(app: &Application<'_>, sink: &mut Sink) -> Bindings {
    let mut binder = Binder {
        app,
        sink,
        bindings: Bindings::default(),
        missing: Missing::default(),
        ambiguous: BTreeMap::new(),
    };
    for (number, provider) in app.providers.iter().enumerate() {
        let bound = provider
            .injections
            .iter()
            .map(|injection| binder.injection(number, injection))
            .collect();
        binder.bindings.injections.push(bound);
        let uses = provider
            .uses
            .iter()
            .filter_map(|used| Some((binder.used(&used.ty, used.at)?, used.lazy)))
            .collect();
        binder.bindings.uses.push(uses);
        let requests = provider
            .requests
            .iter()
            .map(|injection| binder.injection(number, injection))
            .collect();
        binder.bindings.requests.push(requests);
        let intercepted = provider
            .intercepted
            .iter()
            .map(|injection| binder.injection(number, injection))
            .collect();
        binder.bindings.intercepted.push(intercepted);
    }
    let Binder {
        missing,
        mut bindings,
        ambiguous,
        ..
    } = binder;
    bindings.externals.sort_unstable();
    for several in ambiguous.into_values() {
        several.report(app, sink);
    }
    missing.report(app, &bindings, sink);
    bindings
}

struct Binder<'a, 'b> {
    app: &'a Application<'a>,
    sink: &'b mut Sink,
    bindings: Bindings,
    missing: Missing<'a>,
    /// Choices nobody can make, by what is asked for.
    ambiguous: BTreeMap<(Ty, Option<String>), Ambiguous<'a>>,
}

impl<'a> Binder<'a, '_> {
    fn injection(&mut self, by: usize, injection: &'a Injection) -> Binding {
        if injection.want == Want::Interceptors {
            return Binding::Interceptors;
        }
        let Some(target) = injection.want.target() else {
            self.bindings.failed = true;
            return Binding::Failed;
        };
        if let Ty::Dyn(object, auto) = target {
            let before = self.sink.0.len();
            self.app
                .traits
                .check_object(object, auto, injection, self.sink);
            if self.sink.0.len() > before {
                self.bindings.failed = true;
                return Binding::Failed;
            }
        }
        let all = self.candidates(target);
        let named: Vec<usize> = match &injection.qualifier {
            Some(name) => all
                .iter()
                .copied()
                .filter(|index| self.app.providers[*index].name.as_deref() == Some(name))
                .collect(),
            None => all.clone(),
        };
        if let Want::Many(_) = injection.want {
            // Ordered by token: the providers are.
            return Binding::Many(named);
        }
        match choose(&self.app.providers, target, &named) {
            Choice::One(chosen) => self.by_value(injection, chosen),
            Choice::None => self.nothing(by, injection, target, all),
            Choice::SameType(several) => {
                self.ambiguous(ErrorCode::DuplicateProvider, by, injection, several);
                Binding::Failed
            }
            // An application may have the one that is meant.
            Choice::Several(_) if self.app.role == Some(Role::Library) => Binding::Failed,
            Choice::Several(several) => {
                self.ambiguous(ErrorCode::AmbiguousInjection, by, injection, several);
                Binding::Failed
            }
        }
    }

    /// The providers whose type is the one asked for, or implements the trait asked for.
    fn candidates(&self, target: &Ty) -> Vec<usize> {
        match target {
            Ty::Dyn(object, _) => implementing(self.app, object).to_vec(),
            _ => self.app.by_type.get(target).cloned().unwrap_or_default(),
        }
    }

    /// Checks that something asked for by value can be had so.
    fn by_value(&mut self, injection: &Injection, chosen: usize) -> Binding {
        let found = &self.app.providers[chosen];
        if let Want::Value(ty) = &injection.want
            && found.scope != ScopeKind::Transient
            && !found.clone
        {
            let display = ty.display(self.app.program());
            let mut ways_out = vec![format!(
                "write `Arc<{display}>`: a copy would have a state of its own"
            )];
            if matches!(found.origin, crate::model::Origin::Method(..)) {
                ways_out.push(format!(
                    "or let {} ({}) hand out clones: `#[provides(clone)]`",
                    found.display,
                    self.app.show(found.at)
                ));
            } else if matches!(found.origin, crate::model::Origin::Injectable(_)) {
                ways_out.push(format!(
                    "or let each have its own: `#[injectable(scope = \"transient\")]` ({})",
                    self.app.show(found.at)
                ));
            }
            self.sink.error(
                ErrorCode::UnresolvableInjection,
                injection.at,
                format!(
                    "{display} is shared ({}), so it cannot be injected by value",
                    found.scope
                ),
                ways_out,
            );
            self.bindings.failed = true;
            return Binding::Failed;
        }
        Binding::Provider(chosen)
    }

    fn nothing(
        &mut self,
        by: usize,
        injection: &'a Injection,
        target: &Ty,
        all: Vec<usize>,
    ) -> Binding {
        let optional = matches!(injection.want, Want::Optional(_) | Want::OptionalLazy(_));
        if injection.qualifier.is_none()
            && let Some(external) = self
                .app
                .externals
                .iter()
                .position(|external| supplies(external, target))
        {
            if optional && self.app.externals[external].optional {
                // Looked up by its type at run time.
                return Binding::Unbound;
            }
            if !self.bindings.externals.contains(&external) {
                self.bindings.externals.push(external);
            }
            return Binding::External(external);
        }
        if optional {
            return Binding::Unbound;
        }
        if self.app.role == Some(Role::Library) {
            // An application may have one.
            return Binding::Failed;
        }
        self.bindings.failed = true;
        // What an unreadable file or item may provide is unknown, not missing: its own error comes first.
        let by_unknown_name = injection.qualifier.is_some()
            && all
                .iter()
                .any(|index| self.app.providers[*index].name_unknown);
        if let Some(other) = self.of_another_kind(injection, target, &all) {
            self.another_kind(injection, target, other);
        } else if !self.app.incomplete && !by_unknown_name && !self.may_be_unknown(target) {
            self.missing.add(by, injection, target, all);
        }
        Binding::Failed
    }

    /// The provider that has the name an injection asks for and provides a value of another kind: values
    /// such as numbers are told apart by their names alone.
    fn of_another_kind(&self, injection: &Injection, target: &Ty, all: &[usize]) -> Option<usize> {
        let name = injection.qualifier.as_deref()?;
        if !all.is_empty() || !target.is_value() {
            return None;
        }
        let of_name =
            |provider: &Provider| provider.name.as_deref() == Some(name) && provider.ty.is_value();
        self.app.providers.iter().position(of_name)
    }

    fn another_kind(&mut self, injection: &Injection, target: &Ty, other: usize) {
        let program = self.app.program();
        let found = &self.app.providers[other];
        let name = injection.qualifier.as_deref().unwrap_or_default();
        let (provided, wanted) = (found.ty.display(program), target.display(program));
        let hints = vec![
            format!("write `{provided}` here"),
            format!(
                "or let {} ({}) return `{wanted}`",
                found.display,
                self.app.show(found.at)
            ),
        ];
        self.sink.error(
            ErrorCode::UnresolvableInjection,
            injection.at,
            format!("\"{name}\" is a `{provided}`, not a `{wanted}`"),
            hints,
        );
    }

    /// Whether an item with an error of its own would provide this.
    fn may_be_unknown(&self, target: &Ty) -> bool {
        self.app.unknown.iter().any(|item| match target {
            Ty::Local(wanted, _) => wanted == item,
            Ty::Dyn(object, _) => {
                let ty = Ty::Local(*item, Vec::new());
                self.app.traits.implementation(&ty, object).is_some()
            }
            _ => false,
        })
    }

    fn ambiguous(
        &mut self,
        code: ErrorCode,
        by: usize,
        injection: &'a Injection,
        several: Vec<usize>,
    ) {
        self.bindings.failed = true;
        let Some(target) = injection.want.target() else {
            return;
        };
        let key = (target.clone(), injection.qualifier.clone());
        self.ambiguous
            .entry(key)
            .or_insert_with(|| Ambiguous {
                code,
                several,
                asked: Vec::new(),
            })
            .asked
            .push((by, injection));
    }

    /// The provider of a guard or interceptor.
    fn used(&mut self, ty: &Ty, at: At) -> Option<usize> {
        let found = self
            .app
            .by_type
            .get(ty)
            .and_then(|found| found.first().copied());
        if found.is_none() && self.app.role != Some(Role::Library) {
            self.bindings.failed = true;
            if !self.app.incomplete && !self.may_be_unknown(ty) {
                let program = self.app.program();
                let display = ty.display(program);
                let hints = match ty {
                    Ty::Local(item, _) => vec![format!(
                        "{} ({})",
                        near_miss::way_to_provide(self.app, ty),
                        program.place(*item)
                    )],
                    _ => vec![near_miss::way_to_provide(self.app, ty)],
                };
                self.sink.error(
                    ErrorCode::MissingProvider,
                    at,
                    format!("{display} is not a provider"),
                    hints,
                );
            }
        }
        found
    }
}
