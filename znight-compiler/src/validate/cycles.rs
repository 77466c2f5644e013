//! ZNIGHT002: providers that wait for each other.

use znight_contract::{ErrorCode, graph};

use super::edges;
use crate::{
    analyse::Application,
    bind::Bindings,
    model::{Injection, Sink, Want},
};

/// The creation order, dependencies first; empty when there is a cycle, which is reported.
pub fn order(app: &Application<'_>, bindings: &Bindings, sink: &mut Sink) -> Vec<usize> {
    let all: Vec<Vec<super::Edge>> = (0..app.providers.len())
        .map(|provider| edges(app, bindings, provider))
        .collect();
    let eager: Vec<Vec<usize>> = all
        .iter()
        .map(|edges| {
            edges
                .iter()
                .filter(|edge| !edge.lazy)
                .map(|edge| edge.to)
                .collect()
        })
        .collect();
    if let Ok(order) = graph::order(eager.len(), |node| &eager[node]) {
        return order;
    }
    for graph::Cycle(nodes) in graph::cycles(eager.len(), |node| &eager[node]) {
        report(app, &all, &nodes, sink);
    }
    Vec::new()
}

fn report(app: &Application<'_>, all: &[Vec<super::Edge>], nodes: &[usize], sink: &mut Sink) {
    let name = |node: usize| app.providers[node].display.as_str();
    let mut path: Vec<&str> = nodes.iter().map(|node| name(*node)).collect();
    path.push(name(nodes[0]));
    // Each step with the field that makes it: where the circle can be cut.
    let mut steps = Vec::new();
    let mut first_place = None;
    let mut lazy = None;
    for (index, node) in nodes.iter().enumerate() {
        let next = nodes[(index + 1) % nodes.len()];
        let Some(edge) = all[*node].iter().find(|edge| !edge.lazy && edge.to == next) else {
            continue;
        };
        let provider = &app.providers[*node];
        if let Some(injection) = edge.injection.map(|index| &provider.injections[index]) {
            first_place.get_or_insert(injection.at);
            if lazy.is_none() {
                lazy = made_lazy(app, injection);
            }
            steps.push(format!(
                "{} needs {} by `{}` ({})",
                provider.display,
                name(next),
                injection.label,
                app.show(injection.at)
            ));
        } else {
            let target = &app.providers[next].ty;
            let intercepted = provider
                .intercepted
                .iter()
                .find(|one| one.want.target() == Some(target));
            steps.push(match intercepted {
                Some(one) => format!(
                    "`{}` of {} is intercepted by {}",
                    one.label,
                    provider.display,
                    name(next)
                ),
                None => format!("{} is guarded by {}", provider.display, name(next)),
            });
        }
    }
    let place = first_place.unwrap_or(app.providers[nodes[0]].at);
    let mut hints = steps;
    let shared = "move what they share into a provider of its own";
    match lazy {
        Some(lazy) => {
            hints.push(format!(
                "ask for one of them when it is needed: {lazy}, and `.get()` in a method"
            ));
            hints.push(format!("or {shared}"));
        }
        None => hints.push(shared.to_owned()),
    }
    sink.error(
        ErrorCode::CircularDependency,
        place,
        format!("circular dependency: {}", path.join(" -> ")),
        hints,
    );
}

/// An injection as it is written when it is lazy; none where it cannot be.
fn made_lazy(app: &Application<'_>, injection: &Injection) -> Option<String> {
    let (before, ty, after) = match &injection.want {
        Want::One(ty) if injection.label != "self" => ("Lazy<", ty, ">"),
        Want::Optional(ty) => ("Option<Lazy<", ty, ">>"),
        _ => return None,
    };
    let written = format!("{before}{}{after}", ty.display(app.program()));
    let is_named = !injection.label.starts_with(|c: char| c.is_ascii_digit());
    Some(if is_named {
        format!("`{}: {written}`", injection.label)
    } else {
        format!("`{written}`")
    })
}
