//! The routes of one method.

use znight_contract::path::{RoutePath, Segment};

/// Finds the most specific path that matches: at the first segment in which two differ, text wins
/// over a parameter, and a parameter over the rest.
///
/// `matchit` does that except that it takes no parameter beside a catch-all. So there is one tree of
/// the paths without a catch-all, and one for each place a catch-all has: few applications have
/// more than one of these.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    exact: matchit::Router<Leaf<T>>,
    rest: Vec<(usize, matchit::Router<Leaf<T>>)>,
}

#[derive(Debug)]
struct Leaf<T> {
    /// How specific each segment is; the least wins.
    rank: Vec<Rank>,
    value: T,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Text,
    Param,
    Rest,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self {
            exact: matchit::Router::new(),
            rest: Vec::new(),
        }
    }
}

impl<T> Tree<T> {
    /// Adds a path.
    ///
    /// # Errors
    /// The message of the matcher: never for paths of different shapes.
    pub(crate) fn insert(&mut self, path: &RoutePath, value: T) -> Result<(), String> {
        let rank: Vec<Rank> = path.segments().iter().map(Rank::of).collect();
        let tree = if rank.last() == Some(&Rank::Rest) {
            let depth = rank.len();
            let known = self.rest.iter().position(|(other, _)| *other == depth);
            let at = known.unwrap_or_else(|| {
                self.rest.push((depth, matchit::Router::new()));
                self.rest.len() - 1
            });
            &mut self.rest[at].1
        } else {
            &mut self.exact
        };
        tree.insert(pattern(path), Leaf { rank, value })
            .map_err(|error| error.to_string())
    }

    /// The most specific path that matches, and what its parameters matched.
    #[inline]
    pub(crate) fn at<'p>(&self, path: &'p str) -> Option<(&T, matchit::Params<'_, 'p>)> {
        let exact = self.exact.at(path).ok();
        let found = if self.rest.is_empty() {
            exact
        } else {
            self.with_rest(path, exact)
        }?;
        Some((&found.value.value, found.params))
    }

    fn with_rest<'s, 'p>(
        &'s self,
        path: &'p str,
        exact: Option<matchit::Match<'s, 'p, &'s Leaf<T>>>,
    ) -> Option<matchit::Match<'s, 'p, &'s Leaf<T>>> {
        let rest = self.rest.iter().filter_map(|(_, tree)| tree.at(path).ok());
        exact
            .into_iter()
            .chain(rest)
            .min_by(|a, b| a.value.rank.cmp(&b.value.rank))
    }
}

impl Rank {
    fn of(segment: &Segment) -> Self {
        match segment {
            Segment::Text(_) => Self::Text,
            Segment::Param(_) => Self::Param,
            Segment::Rest(_) => Self::Rest,
        }
    }
}

/// The path in the syntax of the matcher, its parameters named after their places, so that routes
/// of one shape may name theirs differently.
fn pattern(path: &RoutePath) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    let mut place = 0;
    for segment in path.segments() {
        out.push('/');
        // Writing to a `String` cannot fail.
        let _ = match segment {
            Segment::Text(text) => write!(out, "{text}"),
            Segment::Param(_) => write!(out, "{{p{place}}}"),
            Segment::Rest(_) => write!(out, "{{*p{place}}}"),
        };
        place += usize::from(segment.name().is_some());
    }
    if out.is_empty() { "/".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::{collection::vec, prelude::*};
    use znight_contract::path::{RoutePath, Segment};

    use super::Tree;

    /// Whether a path matches, and how specific each of its segments is: text before a parameter
    /// before the rest. The slow way.
    fn matches(route: &RoutePath, path: &str) -> Option<Vec<u8>> {
        let mut rest = path.strip_prefix('/')?;
        if route.segments().is_empty() {
            return rest.is_empty().then(Vec::new);
        }
        let mut rank = Vec::new();
        let last = route.segments().len() - 1;
        for (at, segment) in route.segments().iter().enumerate() {
            let (part, after) = match rest.split_once('/') {
                Some((part, after)) => (part, Some(after)),
                None => (rest, None),
            };
            match segment {
                Segment::Text(text) if text == part => rank.push(0),
                Segment::Param(_) if !part.is_empty() => rank.push(1),
                Segment::Rest(_) if !rest.is_empty() => {
                    rank.push(2);
                    return Some(rank);
                }
                _ => return None,
            }
            match (at == last, after) {
                (true, None) => return Some(rank),
                (false, Some(after)) => rest = after,
                _ => return None,
            }
        }
        None
    }

    fn route() -> impl Strategy<Value = String> {
        let segment = prop_oneof!["[ab]{1,2}", Just("{x}".to_owned())];
        (vec(segment, 0..4), any::<bool>()).prop_map(|(segments, rest)| {
            let mut out = String::new();
            for (at, segment) in segments.iter().enumerate() {
                out.push('/');
                out.push_str(&segment.replace('x', &format!("x{at}")));
            }
            if rest {
                out.push_str("/{*rest}");
            }
            out
        })
    }

    proptest! {
        #[test]
        fn the_tree_takes_every_set_of_shapes_and_finds_the_most_specific(
            routes in vec(route(), 1..8),
            requests in vec("(/[ab]{1,2}){0,4}/?", 1..20),
        ) {
            let routes: BTreeMap<String, RoutePath> = routes
                .iter()
                .map(|text| RoutePath::parse(text).expect("a path"))
                .map(|path| (path.shape(), path))
                .collect();
            let mut tree = Tree::default();
            for (shape, path) in &routes {
                prop_assert_eq!(tree.insert(path, shape.clone()), Ok(()), "{}", shape);
            }
            for request in requests {
                let slow = routes
                    .iter()
                    .filter_map(|(shape, path)| Some((matches(path, &request)?, shape)))
                    .min()
                    .map(|(_, shape)| shape.clone());
                let fast = tree.at(&request).map(|(shape, _)| shape.clone());
                prop_assert_eq!(fast, slow, "{}", request);
            }
        }
    }
}
