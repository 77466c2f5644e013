//! Creation order and cycles of a dependency graph.
//!
//! The compiler orders the application's providers at build time and the container orders the
//! merged graph at boot: both call these functions, over plain indices.

/// A graph in which some nodes wait for each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle(
    /// The nodes of one cycle: each depends on the next, the last on the first.
    pub Vec<usize>,
);

/// Orders `count` nodes so that each comes after what it depends on.
///
/// Deterministic: among nodes that are free at the same time, the smaller index comes first in
/// depth-first order.
///
/// # Errors
/// The first cycle in index order, when there is one; see [`cycles`] for all of them.
pub fn order<'a, D>(count: usize, dependencies: D) -> Result<Vec<usize>, Cycle>
where
    D: Fn(usize) -> &'a [usize],
{
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; count];
    let mut sorted = Vec::with_capacity(count);
    // An explicit stack: a chain of thousands of providers must not overflow the thread's.
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if state[root] != NEW {
            continue;
        }
        state[root] = OPEN;
        stack.push((root, 0));
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            if let Some(&dependency) = dependencies(node).get(*next) {
                *next += 1;
                match state[dependency] {
                    NEW => {
                        state[dependency] = OPEN;
                        stack.push((dependency, 0));
                    }
                    OPEN => {
                        let start = stack
                            .iter()
                            .position(|(open, _)| *open == dependency)
                            .expect("invariant: an open node is on the stack");
                        return Err(Cycle(
                            stack[start..].iter().map(|(open, _)| *open).collect(),
                        ));
                    }
                    _ => {}
                }
            } else {
                state[node] = DONE;
                sorted.push(node);
                stack.pop();
            }
        }
    }
    Ok(sorted)
}

/// One shortest cycle for every group of nodes that wait for each other, each starting at its
/// smallest node, in index order. Empty when [`order`] succeeds.
pub fn cycles<'a, D>(count: usize, dependencies: D) -> Vec<Cycle>
where
    D: Fn(usize) -> &'a [usize],
{
    let component = components(count, &dependencies);
    let mut size = vec![0_usize; count];
    for &representative in &component {
        size[representative] += 1;
    }
    let mut reported = vec![false; count];
    let mut found = Vec::new();
    for start in 0..count {
        // Alone in its component, a node can only wait for itself.
        let may_wait = size[component[start]] > 1 || dependencies(start).contains(&start);
        if reported[component[start]] || !may_wait {
            continue;
        }
        if let Some(cycle) = shortest_through(start, &component, &dependencies) {
            reported[component[start]] = true;
            found.push(Cycle(cycle));
        }
    }
    found
}

/// The shortest cycle through `start`, found breadth-first inside its component.
fn shortest_through<'a, D>(
    start: usize,
    component: &[usize],
    dependencies: &D,
) -> Option<Vec<usize>>
where
    D: Fn(usize) -> &'a [usize],
{
    let mut came_from = vec![usize::MAX; component.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &next in dependencies(node) {
            if next == start {
                let mut cycle = vec![node];
                let mut back = node;
                while back != start {
                    back = came_from[back];
                    cycle.push(back);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if component[next] == component[start] && came_from[next] == usize::MAX {
                came_from[next] = node;
                queue.push_back(next);
            }
        }
    }
    None
}

/// For each node, the smallest node of its strongly connected component (Tarjan, iterative).
fn components<'a, D>(count: usize, dependencies: &D) -> Vec<usize>
where
    D: Fn(usize) -> &'a [usize],
{
    let mut index = vec![usize::MAX; count];
    let mut low = vec![usize::MAX; count];
    let mut component = vec![usize::MAX; count];
    let mut open = Vec::new();
    let mut counter = 0;
    for root in 0..count {
        if index[root] != usize::MAX {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            if *next == 0 {
                index[node] = counter;
                low[node] = counter;
                counter += 1;
                open.push(node);
            }
            if let Some(&dependency) = dependencies(node).get(*next) {
                *next += 1;
                if index[dependency] == usize::MAX {
                    stack.push((dependency, 0));
                } else if component[dependency] == usize::MAX {
                    low[node] = low[node].min(index[dependency]);
                }
                continue;
            }
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                let from = open
                    .iter()
                    .rposition(|open| *open == node)
                    .expect("invariant: an open node is on the component stack");
                let members = open.split_off(from);
                let smallest = members.iter().copied().min().unwrap_or(node);
                for member in members {
                    component[member] = smallest;
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::{Cycle, cycles, order};

    fn graph(edges: &[&[usize]]) -> Vec<Vec<usize>> {
        edges.iter().map(|edges| edges.to_vec()).collect()
    }

    #[test]
    fn dependencies_come_first_and_ties_follow_the_index() {
        let edges = graph(&[&[2], &[0], &[], &[1, 2]]);
        assert_eq!(order(4, |n| &edges[n]), Ok(vec![2, 0, 1, 3]));
    }

    #[test]
    fn a_cycle_is_returned_instead_of_an_order() {
        let edges = graph(&[&[1], &[2], &[1]]);
        assert_eq!(order(3, |n| &edges[n]), Err(Cycle(vec![1, 2])));
        assert_eq!(cycles(3, |n| &edges[n]), vec![Cycle(vec![1, 2])]);
    }

    #[test]
    fn every_group_is_reported_once_by_its_shortest_cycle() {
        let edges = graph(&[&[1], &[2, 0], &[0], &[3], &[0]]);
        assert_eq!(
            cycles(5, |n| &edges[n]),
            vec![Cycle(vec![0, 1]), Cycle(vec![3])]
        );
    }

    #[test]
    fn a_node_that_only_leads_to_a_cycle_is_not_part_of_it() {
        let edges = graph(&[&[1], &[2], &[1], &[0]]);
        assert_eq!(cycles(4, |n| &edges[n]), vec![Cycle(vec![1, 2])]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let edges: Vec<Vec<usize>> = (0..100_000)
            .map(|n| if n == 0 { vec![] } else { vec![n - 1] })
            .collect();
        let reversed: Vec<Vec<usize>> = (0..100_000)
            .map(|n| if n == 99_999 { vec![] } else { vec![n + 1] })
            .collect();
        assert_eq!(order(edges.len(), |n| &edges[n]).map(|o| o[0]), Ok(0));
        assert_eq!(
            order(reversed.len(), |n| &reversed[n]).map(|o| o[0]),
            Ok(99_999)
        );
        assert!(cycles(reversed.len(), |n| &reversed[n]).is_empty());
    }
}
