//! ZNIGHT003: a singleton that would hold on to something of one request.

use std::collections::VecDeque;

use znight_contract::{ErrorCode, ScopeKind};

use super::edges;
use crate::{
    analyse::Application,
    bind::Bindings,
    model::{Binding, Origin, Sink, Want},
};

/// Checks every singleton.
pub fn scopes(app: &Application<'_>, bindings: &Bindings, sink: &mut Sink) {
    for (index, provider) in app.providers.iter().enumerate() {
        if provider.scope != ScopeKind::Singleton {
            continue;
        }
        // Each injection once: two fields with the same mistake are two places to mend.
        for edge in edges(app, bindings, index) {
            if edge.lazy {
                continue;
            }
            if let Some(path) = reaches_request(app, bindings, edge.to) {
                report(app, index, edge.injection, &path, sink);
            }
        }
        for (injection, binding) in provider.injections.iter().zip(&bindings.injections[index]) {
            let lazy = matches!(injection.want, Want::Lazy(_) | Want::OptionalLazy(_));
            if let Binding::External(external) = binding
                && !lazy
                && app.externals[*external].scope == ScopeKind::Request
            {
                let name = app.externals[*external].ty.display(app.program());
                sink.error(
                    ErrorCode::ScopeMismatch,
                    injection.at,
                    format!(
                        "singleton {} depends on {name}, which belongs to one request",
                        provider.display
                    ),
                    ways_out(app, index, &injection.label, &name, None),
                );
            }
        }
    }
}

/// The shortest way through transients to something request-scoped, as names.
fn reaches_request(
    app: &Application<'_>,
    bindings: &Bindings,
    start: usize,
) -> Option<Vec<String>> {
    let mut queue = VecDeque::from([vec![start]]);
    let mut seen = vec![false; app.providers.len()];
    while let Some(path) = queue.pop_front() {
        let node = *path.last()?;
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        let names = |path: &[usize]| {
            path.iter()
                .map(|node| app.providers[*node].display.clone())
                .collect::<Vec<_>>()
        };
        match app.providers[node].scope {
            ScopeKind::Request => return Some(names(&path)),
            // Another singleton answers for itself.
            ScopeKind::Singleton => {}
            ScopeKind::Transient => {
                for (injection, binding) in app.providers[node]
                    .injections
                    .iter()
                    .zip(&bindings.injections[node])
                {
                    let lazy = matches!(injection.want, Want::Lazy(_) | Want::OptionalLazy(_));
                    if let Binding::External(external) = binding
                        && !lazy
                        && app.externals[*external].scope == ScopeKind::Request
                    {
                        let mut found = names(&path);
                        found.push(app.externals[*external].ty.display(app.program()));
                        return Some(found);
                    }
                }
                for edge in edges(app, bindings, node) {
                    if !edge.lazy {
                        let mut longer = path.clone();
                        longer.push(edge.to);
                        queue.push_back(longer);
                    }
                }
            }
        }
    }
    None
}

fn report(
    app: &Application<'_>,
    index: usize,
    injection: Option<usize>,
    path: &[String],
    sink: &mut Sink,
) {
    let provider = &app.providers[index];
    let Some(last) = path.last() else { return };
    let place = match injection {
        Some(injection) => provider.injections[injection].at,
        None => provider
            .uses
            .iter()
            .find(|used| used.ty.display(app.program()) == path[0])
            .map_or(provider.at, |used| used.at),
    };
    let mut hints = Vec::new();
    if path.len() > 1 {
        hints.push(format!(
            "by way of {} -> {}",
            provider.display,
            path.join(" -> ")
        ));
    }
    match injection {
        Some(injection) => {
            // The one that asks for it directly, where that is not the singleton.
            let holder = path.len().checked_sub(2).map(|before| path[before].as_str());
            let label = &provider.injections[injection].label;
            hints.extend(ways_out(app, index, label, last, holder));
        }
        None => hints.push(format!(
            "make {} a singleton that injects what it needs of the request as `Lazy<..>`, or make {} request-scoped",
            path[0], provider.display
        )),
    }
    sink.error(
        ErrorCode::ScopeMismatch,
        place,
        format!(
            "singleton {} depends on {last}, which belongs to one request",
            provider.display
        ),
        hints,
    );
}

/// The ways out for an injection: ask when needed, or live no longer than the request.
fn ways_out(
    app: &Application<'_>,
    singleton: usize,
    injection: &str,
    request: &str,
    holder: Option<&str>,
) -> Vec<String> {
    let provider = &app.providers[singleton];
    let why = "a singleton is created once, before any request";
    let first = if injection == "self" {
        format!(
            "{why}: make {request} a singleton, which injects what it needs of the request as `Lazy<..>`"
        )
    } else {
        let place = holder
            .map(|holder| format!(" in {holder}"))
            .unwrap_or_default();
        format!("{why}: inject `Lazy<{request}>`{place} and call `.get()` during the request")
    };
    let name = &provider.display;
    let second = match provider.origin {
        Origin::Injectable(_) => {
            format!("or make {name} request-scoped: `#[injectable(scope = \"request\")]`")
        }
        Origin::Method(..) => {
            format!("or make {name} request-scoped: `#[provides(scope = \"request\")]`")
        }
        Origin::Host(_) => {
            format!("or make {name} request-scoped: `scope = \"request\"` in its attribute")
        }
    };
    vec![first, second]
}
