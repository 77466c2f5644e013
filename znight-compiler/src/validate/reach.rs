//! What is needed: from what starts by itself, along every edge.

use std::collections::{BTreeSet, VecDeque};

use crate::{
    analyse::Application,
    bind::Bindings,
    facts::Parsed,
    model::Origin,
    resolve::Ty,
    validate::{edges, lifecycle::has_hook},
};

/// The shortest way from a provider that starts by itself to another, both included.
pub(crate) fn path_from_root(
    app: &Application<'_>,
    bindings: &Bindings,
    to: usize,
) -> Option<Vec<usize>> {
    let roots = app.controllers.iter().map(|controller| controller.provider);
    let mut queue: VecDeque<Vec<usize>> = roots.map(|root| vec![root]).collect();
    let mut seen = vec![false; app.providers.len()];
    while let Some(path) = queue.pop_front() {
        let node = *path.last()?;
        if node == to {
            return Some(path);
        }
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        for edge in edges(app, bindings, node) {
            let mut longer = path.clone();
            longer.push(edge.to);
            queue.push_back(longer);
        }
    }
    None
}

/// Which providers are needed: controllers, providers with hooks, those that code names, and everything
/// they need. `mentioned` are the names in the bodies of functions.
pub(crate) fn needed(
    app: &Application<'_>,
    bindings: &Bindings,
    mentioned: &BTreeSet<String>,
) -> Vec<bool> {
    let controllers: BTreeSet<usize> = app
        .controllers
        .iter()
        .map(|controller| controller.provider)
        .collect();
    let mut queue: Vec<usize> = (0..app.providers.len())
        .filter(|index| {
            controllers.contains(index)
                || has_hook(app, &app.providers[*index])
                || is_mentioned(app, *index, mentioned)
        })
        .collect();
    let mut needed = vec![false; app.providers.len()];
    while let Some(node) = queue.pop() {
        if !std::mem::replace(&mut needed[node], true) {
            queue.extend(edges(app, bindings, node).iter().map(|edge| edge.to));
        }
    }
    needed
}

/// Whether code names the type of a provider, or a trait it answers for.
fn is_mentioned(app: &Application<'_>, index: usize, mentioned: &BTreeSet<String>) -> bool {
    let provider = &app.providers[index];
    let last = |path: &str| {
        let name = path.rsplit("::").next().unwrap_or(path);
        mentioned.contains(name)
    };
    let by_type = match &provider.ty {
        Ty::Local(item, _) => mentioned.contains(app.program().item_name(*item)),
        Ty::Foreign(path, _) => last(path),
        Ty::Dyn(object, _) => last(&object.display(app.program())),
        _ => false,
    };
    by_type
        || app
            .traits
            .implemented_by(&provider.ty)
            .any(|object| last(&object.display(app.program())))
}

/// Whether a method of a factory names a function for the start of the application.
pub(crate) fn starts_by_path(app: &Application<'_>, origin: Origin) -> bool {
    let Origin::Method(occurrence, method) = origin else {
        return false;
    };
    match &app.occurrences[occurrence].marked.parsed {
        Parsed::Factory(factory) => factory.methods[method].hooks.on_start,
        _ => false,
    }
}
