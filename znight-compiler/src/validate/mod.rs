//! Rules that need the whole graph, one file each.

mod cycles;
mod lifecycle;
mod reach;
mod scopes;
mod unused;

pub use cycles::order;
pub use lifecycle::lifecycle;
pub(crate) use reach::{needed, path_from_root};
pub use scopes::scopes;
pub use unused::unused;

use crate::{
    analyse::Application,
    bind::Bindings,
    model::{Binding, Want},
};

/// An edge of the graph: who is needed, and by which injection; none for a guard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) to: usize,
    pub(crate) injection: Option<usize>,
    pub(crate) lazy: bool,
}

/// The edges of a provider.
pub(crate) fn edges(app: &Application<'_>, bindings: &Bindings, provider: usize) -> Vec<Edge> {
    let mut found = Vec::new();
    let provider_of = &app.providers[provider];
    let injections = provider_of
        .injections
        .iter()
        .zip(&bindings.injections[provider])
        .enumerate()
        .map(|(index, bound)| (Some(index), bound));
    let requests = provider_of
        .requests
        .iter()
        .zip(&bindings.requests[provider])
        .map(|bound| (None, bound));
    let intercepted = provider_of
        .intercepted
        .iter()
        .zip(&bindings.intercepted[provider])
        .map(|bound| (None, bound));
    for (index, (injection, binding)) in injections.chain(requests).chain(intercepted) {
        let lazy = matches!(injection.want, Want::Lazy(_) | Want::OptionalLazy(_));
        let targets: &[usize] = match binding {
            Binding::Provider(target) => std::slice::from_ref(target),
            Binding::Many(targets) => targets,
            _ => &[],
        };
        found.extend(targets.iter().map(|to| Edge {
            to: *to,
            injection: index,
            lazy,
        }));
    }
    found.extend(bindings.uses[provider].iter().map(|(to, lazy)| Edge {
        to: *to,
        injection: None,
        lazy: *lazy,
    }));
    found
}
