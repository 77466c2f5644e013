//! Paths as validators report them: by the names of the source.

use std::fmt::Write as _;

use super::names::InputNames;
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
pub(super) struct Found {
    issues: Vec<(Vec<Step>, String)>,
    /// Whether the validator keeps no order of its own.
    unordered: bool,
}

impl Found {
    /// In the order of the validator.
    #[cfg(feature = "garde")]
    pub(super) fn ordered(issues: Vec<(Vec<Step>, String)>) -> Self {
        Self {
            issues,
            unordered: false,
        }
    }

    /// To be told in the order of the paths; those of one path stay as they are.
    #[cfg(feature = "validator")]
    pub(super) fn unordered(issues: Vec<(Vec<Step>, String)>) -> Self {
        Self {
            issues,
            unordered: true,
        }
    }

    /// Puts the names of the wire into the paths.
    pub(super) fn rename(&mut self, names: &InputNames) {
        for (path, _) in &mut self.issues {
            *path = names.wire(std::mem::take(path));
        }
    }

    pub(super) fn into_issues(mut self) -> Issues {
        if self.unordered {
            self.issues.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        self.issues
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
