//! Binds every injection to what it gets.

mod candidates;
mod externals;
mod hidden;
mod near_miss;
mod orphans;

use znight_contract::{ErrorCode, ScopeKind};

pub(crate) use candidates::unqualified;
pub use externals::{EXTERNALS, External};

use self::candidates::{Choice, choose, implementing};
use crate::{
    Role,
    analyse::Application,
    diagnostic,
    model::{At, Binding, Injection, Provider, Sink, Want},
    resolve::Ty,
};

/// The bindings of one world.
#[derive(Debug, Default)]
pub struct Bindings {
    /// For each provider, the binding of each injection.
    pub injections: Vec<Vec<Binding>>,
    /// For each provider, the providers of its guards and interceptors.
    pub uses: Vec<Vec<usize>>,
    /// The externals in use, by number in [`EXTERNALS`].
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
    };
    for provider in &app.providers {
        let bound = provider
            .injections
            .iter()
            .map(|injection| binder.injection(provider, injection))
            .collect();
        binder.bindings.injections.push(bound);
        let uses = provider
            .uses
            .iter()
            .filter_map(|(ty, at)| binder.used(ty, *at))
            .collect();
        binder.bindings.uses.push(uses);
    }
    binder.bindings.externals.sort_unstable();
    binder.bindings
}

struct Binder<'a, 'b> {
    app: &'a Application<'a>,
    sink: &'b mut Sink,
    bindings: Bindings,
}

impl Binder<'_, '_> {
    fn injection(&mut self, provider: &Provider, injection: &Injection) -> Binding {
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
            Choice::None => self.nothing(provider, injection, target, &all),
            Choice::SameType(several) => {
                self.ambiguous(ErrorCode::DuplicateProvider, provider, injection, &several);
                Binding::Failed
            }
            // An application may have the one that is meant.
            Choice::Several(_) if self.app.role == Some(Role::Library) => Binding::Failed,
            Choice::Several(several) => {
                self.ambiguous(ErrorCode::AmbiguousInjection, provider, injection, &several);
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
            let way_out = if matches!(found.origin, crate::model::Origin::Method(..)) {
                format!(
                    "write `Arc<{display}>`, or let `{}` hand out clones: `#[provides(clone)]`",
                    found.display
                )
            } else {
                format!("write `Arc<{display}>`: a copy would have a state of its own")
            };
            self.sink.error(
                ErrorCode::UnresolvableInjection,
                injection.at,
                format!(
                    "{display} is shared ({}), so it cannot be injected by value",
                    found.scope
                ),
                vec![way_out],
            );
            self.bindings.failed = true;
            return Binding::Failed;
        }
        Binding::Provider(chosen)
    }

    fn nothing(
        &mut self,
        provider: &Provider,
        injection: &Injection,
        target: &Ty,
        all: &[usize],
    ) -> Binding {
        if injection.qualifier.is_none()
            && let Ty::Foreign(path, _) = target
            && let Some(external) = EXTERNALS.iter().position(|external| external.path == path)
        {
            if !self.bindings.externals.contains(&external) {
                self.bindings.externals.push(external);
            }
            return Binding::External(external);
        }
        if matches!(injection.want, Want::Optional(_) | Want::OptionalLazy(_)) {
            return Binding::Unbound;
        }
        if self.app.role == Some(Role::Library) {
            // An application may have one.
            return Binding::Failed;
        }
        self.bindings.failed = true;
        // What an unreadable file or item may provide is unknown, not missing: its own error comes first.
        if self.app.incomplete || self.may_be_unknown(target) {
            return Binding::Failed;
        }
        let display = target.display(self.app.program());
        let named = injection
            .qualifier
            .as_ref()
            .map(|name| format!(" named \"{name}\""))
            .unwrap_or_default();
        let at = match injection.qualifier_at {
            // The type is provided: it is the name that nobody has.
            Some(at) if !all.is_empty() => at,
            _ => injection.at,
        };
        self.sink.error(
            ErrorCode::MissingProvider,
            at,
            format!(
                "no provider for `{display}`{named}, required by {}",
                provider.display
            ),
            near_miss::hints(self.app, injection, target, all),
        );
        Binding::Failed
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
        provider: &Provider,
        injection: &Injection,
        several: &[usize],
    ) {
        self.bindings.failed = true;
        let program = self.app.program();
        let display = injection
            .want
            .target()
            .map(|ty| ty.display(program))
            .unwrap_or_default();
        let named = injection
            .qualifier
            .as_ref()
            .map(|name| format!(" named \"{name}\""))
            .unwrap_or_default();
        let candidates: Vec<String> = several
            .iter()
            .map(|index| {
                let found = &self.app.providers[*index];
                let name = found
                    .name
                    .as_ref()
                    .map(|name| format!(" \"{name}\""))
                    .unwrap_or_default();
                format!("{}{name} ({})", found.display, self.app.show(found.at))
            })
            .collect();
        let mut hints = vec![format!("candidates are {}", diagnostic::join(&candidates))];
        let names: Vec<&str> = several
            .iter()
            .filter_map(|index| self.app.providers[*index].name.as_deref())
            .collect();
        hints.push(match names.first() {
            Some(name) if injection.qualifier.is_none() => {
                format!("ask for one by its name, `#[inject(\"{name}\")]`, or mark the usual one `primary`")
            }
            _ if several.iter().any(|index| self.app.providers[*index].primary) => {
                "more than one of them is `primary`: keep one".to_owned()
            }
            _ => "mark the usual one `primary`, or name them and ask by name: `#[inject(\"name\")]`".to_owned(),
        });
        if matches!(injection.want, Want::One(_)) {
            hints.push(format!("to get all of them, write `Vec<Arc<{display}>>`"));
        }
        let many = several.len();
        let message = match code {
            ErrorCode::DuplicateProvider => {
                format!(
                    "{many} providers of `{display}`{named}, and {} asks for one",
                    provider.display
                )
            }
            _ => format!(
                "{many} providers fit `{display}`{named}, and {} asks for one",
                provider.display
            ),
        };
        self.sink.error(code, injection.at, message, hints);
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
                        "add `#[injectable]` to it ({})",
                        program.place(*item)
                    )],
                    _ => vec!["provide it from a `#[factory]`".to_owned()],
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
