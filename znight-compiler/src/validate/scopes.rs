//! ZNIGHT003: a singleton that would hold on to something of one request.

use std::collections::VecDeque;

use znight_contract::{ErrorCode, ScopeKind};

use super::edges;
use crate::{
    analyse::Application,
    bind::Bindings,
    model::{Binding, Sink, Want},
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
                    ways_out(&name, &provider.display),
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
            .find(|(ty, _)| ty.display(app.program()) == path[0])
            .map_or(provider.at, |(_, at)| *at),
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
        Some(_) => hints.extend(ways_out(last, &provider.display)),
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

fn ways_out(request: &str, singleton: &str) -> Vec<String> {
    vec![
        format!(
            "a singleton is created once, before any request: inject `Lazy<{request}>` and call `.get()` during the request"
        ),
        format!("or make {singleton} request-scoped: `#[injectable(scope = \"request\")]`"),
    ]
}
