//! Paths as validators report them: by the names of the source.

use std::fmt::Write as _;

use super::names::{Names, RouteNames};
use crate::issues::{Issue, Issues};

/// A step of a path. Indices come before names, and in the order of numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Index(usize),
    Name(String),
}

impl Step {
    /// A field, as the derives name it; raw identifiers keep their `r#` there.
    pub(super) fn field(name: &str) -> Self {
        Self::Name(name.strip_prefix("r#").unwrap_or(name).to_owned())
    }
}

/// What a validator found: paths and messages.
#[derive(Debug, Default)]
pub(super) struct Found(Vec<(Vec<Step>, String)>);

impl Found {
    pub(super) fn new(issues: Vec<(Vec<Step>, String)>) -> Self {
        Self(issues)
    }

    /// Puts the names of the wire into the paths.
    pub(super) fn rename(&mut self, names: &RouteNames, at: Names) {
        for (path, _) in &mut self.0 {
            *path = names.wire(at, std::mem::take(path));
        }
    }

    /// In the order of the paths, which neither validator keeps by itself: those of one path stay as
    /// they were found.
    pub(super) fn into_issues(mut self) -> Issues {
        self.0.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.0
            .into_iter()
            .map(|(path, message)| Issue::new(text(&path), message))
            .collect()
    }
}

/// `items[2].name`
fn text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Index(index) => {
                let _ = write!(text, "[{index}]");
            }
            Step::Name(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Step, text};

    #[test]
    fn a_path_reads_as_in_javascript() {
        let name = |name: &str| Step::field(name);
        for (path, expected) in [
            (vec![], ""),
            (
                vec![name("items"), Step::Index(2), name("name")],
                "items[2].name",
            ),
            (vec![Step::Index(0), name("email")], "[0].email"),
            (vec![Step::Index(0), Step::Index(11)], "[0][11]"),
            (vec![name("r#type")], "type"),
        ] {
            assert_eq!(text(&path), expected);
        }
    }
}
