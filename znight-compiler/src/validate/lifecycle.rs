//! ZNIGHT009: hooks that are never called.

use znight_contract::{ErrorCode, ScopeKind};

use super::reach::starts_by_path;
use crate::{
    analyse::Application,
    facts::Parsed,
    model::{Origin, Provider, Sink},
    resolve::{Found, TraitRef},
};

/// The hooks of the application, and that of a value's end.
const APPLICATION: [&str; 3] = ["OnStart", "OnReady", "OnStop"];
const END: &str = "Dispose";

/// Warns of every hook that the container will not call.
pub fn lifecycle(app: &Application<'_>, sink: &mut Sink) {
    for provider in app
        .providers
        .iter()
        .filter(|provider| provider.scope != ScopeKind::Singleton)
    {
        let transient = provider.scope == ScopeKind::Transient;
        let mut unused: Vec<&str> = APPLICATION
            .into_iter()
            .filter(|name| implements(app, provider, name))
            .collect();
        if transient && implements(app, provider, END) {
            unused.push(END);
        }
        for name in unused {
            warn(
                provider,
                &format!("`{name}` of {} is never called", provider.display),
                instead(name, provider.scope),
                sink,
            );
        }
        let Origin::Method(occurrence, method) = provider.origin else {
            continue;
        };
        let Parsed::Factory(factory) = &app.occurrences[occurrence].marked.parsed else {
            continue;
        };
        let hooks = &factory.methods[method].hooks;
        if hooks.on_start {
            warn(
                provider,
                &format!("`on_start` of {} is never called", provider.display),
                instead("OnStart", provider.scope),
                sink,
            );
        }
        if transient && hooks.dispose {
            warn(
                provider,
                &format!("`dispose` of {} is never called", provider.display),
                instead(END, provider.scope),
                sink,
            );
        }
    }
}

/// Whether a provider does something at the start or the end of the application by itself.
pub(super) fn has_hook(app: &Application<'_>, provider: &Provider) -> bool {
    APPLICATION
        .into_iter()
        .any(|name| implements(app, provider, name))
        || starts_by_path(app, provider.origin)
}

fn implements(app: &Application<'_>, provider: &Provider, name: &str) -> bool {
    let hook = TraitRef {
        path: Found::Foreign(format!("znight::{name}")),
        args: Vec::new(),
        bindings: Vec::new(),
    };
    app.traits.implementation(&provider.ty, &hook).is_some()
}

fn warn(provider: &Provider, message: &str, way_out: &str, sink: &mut Sink) {
    let scope = provider.scope;
    sink.warning(
        ErrorCode::InvalidLifecycle,
        provider.at,
        format!("{message}: its scope is \"{scope}\""),
        vec![
            format!("make it a singleton: remove `scope = \"{scope}\"`"),
            format!("or {way_out}"),
        ],
    );
}

/// Where the work of a hook can be done instead.
fn instead(name: &str, scope: ScopeKind) -> &'static str {
    match (name, scope) {
        ("OnStop", ScopeKind::Request) => {
            "release what it holds at the end of each request: `impl Dispose`"
        }
        ("OnStop" | END, _) => "release what it holds in `Drop`",
        _ => "do the work where it is created",
    }
}
