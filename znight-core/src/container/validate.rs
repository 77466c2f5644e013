//! The rules the compiler checked, once more: what is supplied at run time bypassed it.

use znight_contract::{ErrorCode, ScopeKind, graph as algorithms, suggest};

use super::{
    needs::Needs,
    plan::Plan,
    slot::{Creation, Edge, Origin, SlotId},
};
use crate::error::Error;

/// Everything that is wrong with the part of the graph that is needed.
pub(crate) fn validate(plan: &Plan, needs: &Needs, problems: &mut Vec<Error>) {
    problems.extend(missing(plan, needs));
    for slot in needed(plan, needs) {
        for edge in &plan.slots[slot].edges {
            if let Edge::Ambiguous(error) = edge {
                let dependent = &plan.slots[slot];
                problems.push(
                    error
                        .clone()
                        .with_hint(format!("required by {}", dependent.described()))
                        .with_place(dependent.source),
                );
            }
        }
    }
    problems.extend(cycles(plan, needs));
    for slot in needed(plan, needs) {
        problems.extend(scope_mismatch(plan, slot));
        let slot = &plan.slots[slot];
        if slot.creation.as_async().is_some() && slot.scope != ScopeKind::Singleton {
            problems.push(
                Error::new(
                    ErrorCode::AsyncNonSingleton,
                    format!(
                        "{} is {}-scoped and made by an async function",
                        slot.display, slot.scope
                    ),
                )
                .with_hint("make it a singleton, or await in a method instead")
                .with_place(slot.source),
            );
        }
    }
}

fn needed(plan: &Plan, needs: &Needs) -> impl Iterator<Item = usize> {
    (0..plan.slots.len()).filter(|id| needs.needed[*id])
}

/// ZNIGHT001, one for all that is missing.
fn missing(plan: &Plan, needs: &Needs) -> Option<Error> {
    let mut lines = Vec::new();
    let mut hints = Vec::new();
    for id in needed(plan, needs) {
        let slot = &plan.slots[id];
        if let Creation::Missing = slot.creation {
            let by = dependents(plan, needs, id);
            let mut line = slot.display.to_string();
            if let Origin::External(plugin) = slot.origin
                && !plugin.is_empty()
            {
                line = format!("{line} (expected from {plugin})");
                hints.push(format!("add {plugin} to the application"));
            } else {
                hints.push(format!("supply {} with `provide_value`", slot.display));
            }
            if !by.is_empty() {
                line = format!("{line}, required by {}", by.join(", "));
            }
            lines.push(line);
        }
        for edge in &slot.edges {
            if let Edge::Missing { what } = edge {
                lines.push(format!("{what}, required by {}", slot.described()));
                let names = plan.slots.iter().map(|slot| &*slot.display);
                if let Some(close) = suggest::closest(what, names) {
                    hints.push(format!("there is {close}"));
                }
            }
        }
    }
    let message = match &*lines {
        [] => return None,
        [line] => format!("no provider for {line}"),
        lines => format!("required providers are missing:\n- {}", lines.join("\n- ")),
    };
    hints.dedup();
    let error = Error::new(ErrorCode::MissingProvider, message);
    Some(hints.into_iter().fold(error, Error::with_hint))
}

/// Who needs a slot, described, in index order.
fn dependents(plan: &Plan, needs: &Needs, target: usize) -> Vec<String> {
    needed(plan, needs)
        .filter(|id| {
            let later = plan.slots[*id].edges.iter().filter_map(Edge::later);
            plan.ahead[*id].contains(&target) || later.into_iter().any(|id| id as usize == target)
        })
        .map(|id| plan.slots[id].described())
        .collect()
}

/// ZNIGHT002, one for each group of slots that wait for each other.
fn cycles(plan: &Plan, needs: &Needs) -> Vec<Error> {
    if algorithms::order(plan.slots.len(), |id| &plan.ahead[id]).is_ok() {
        return Vec::new();
    }
    algorithms::cycles(plan.slots.len(), |id| &plan.ahead[id])
        .into_iter()
        .filter(|cycle| cycle.0.iter().any(|id| needs.needed[*id]))
        .map(|cycle| {
            let names: Vec<&str> = cycle
                .0
                .iter()
                .chain(cycle.0.first())
                .map(|id| &*plan.slots[*id].display)
                .collect();
            circular(&names).with_place(cycle.0.first().and_then(|id| plan.slots[*id].source))
        })
        .collect()
}

/// ZNIGHT002 for a way that comes back to where it began.
pub(crate) fn circular(names: &[&str]) -> Error {
    Error::new(
        ErrorCode::CircularDependency,
        format!("circular dependency: {}", names.join(" -> ")),
    )
    .with_hint("inject one of them as `Lazy<T>`, and call `get()` in a method")
}

/// ZNIGHT003: a singleton that would hold the instance of one request, directly or through
/// transients.
fn scope_mismatch(plan: &Plan, id: usize) -> Option<Error> {
    if plan.slots[id].scope != ScopeKind::Singleton {
        return None;
    }
    let mut seen: Vec<usize> = Vec::new();
    let mut open: Vec<(usize, Vec<SlotId>)> = vec![(id, Vec::new())];
    while let Some((at, through)) = open.pop() {
        for &next in &plan.ahead[at] {
            let slot = &plan.slots[next];
            match slot.scope {
                ScopeKind::Singleton => {}
                ScopeKind::Request => return Some(mismatch(plan, id, &through, next)),
                ScopeKind::Transient => {
                    if !seen.contains(&next) {
                        seen.push(next);
                        let mut through = through.clone();
                        through.extend(SlotId::try_from(next));
                        open.push((next, through));
                    }
                }
            }
        }
    }
    None
}

fn mismatch(plan: &Plan, singleton: usize, through: &[SlotId], request: usize) -> Error {
    let (singleton, request) = (&plan.slots[singleton], &plan.slots[request]);
    let mut message = format!(
        "singleton {} depends on request-scoped {}",
        singleton.display, request.display
    );
    if !through.is_empty() {
        let names: Vec<&str> = through.iter().map(|id| &*plan.slot(*id).display).collect();
        message = format!("{message} through {}", names.join(" -> "));
    }
    Error::new(ErrorCode::ScopeMismatch, message)
        .with_hint(format!(
            "inject `Lazy<{}>` and call `get()` inside the request, or make {} request-scoped",
            request.display, singleton.display
        ))
        .with_place(singleton.source)
}
