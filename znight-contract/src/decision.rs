//! Route decisions: who may call a route, how often, and whatever else guards enforce.
//!
//! A decision has a key. Decisions of one group are alternatives, of which a route or a controller takes one;
//! a decision without a group is a group by itself. Of a required group every route must have a decision.

use std::fmt;

/// What tells a decision from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DecisionDef<'a> {
    /// Its name.
    pub key: &'a str,
    /// The group it is an alternative of; its key where it has none.
    pub group: &'a str,
    /// Whether every route must have a decision of the group.
    pub required: bool,
}

/// What is wrong with the names of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// The key is empty.
    EmptyKey,
    /// The group is no name.
    Group,
}

/// How two decisions contradict one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clash {
    /// They have one key and different options.
    Options,
    /// They are of one group, which one of them requires.
    Required,
}

impl Flaw {
    /// What is wrong, one phrase.
    pub const fn message(self) -> &'static str {
        match self {
            Self::EmptyKey => "the key of a decision is not empty",
            Self::Group => {
                "the group of a decision is made of letters, digits, `_`, `.` and `-`, and starts with a letter"
            }
        }
    }
}

impl Clash {
    /// What to do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Options => {
                "a key has one definition: use the same const, or give one of them another key"
            }
            Self::Required => {
                "a group is required or not: write `.required()` on all of its decisions or on none"
            }
        }
    }
}

impl DecisionDef<'_> {
    /// What is wrong with its names.
    ///
    /// # Errors
    ///
    /// The key is empty, or a group of its own name apart, the group breaks the grammar
    /// `[A-Za-z][A-Za-z0-9_.-]*`.
    pub const fn check(self) -> Result<(), Flaw> {
        if self.key.is_empty() {
            return Err(Flaw::EmptyKey);
        }
        if same(self.key, self.group) || is_group(self.group) {
            Ok(())
        } else {
            Err(Flaw::Group)
        }
    }

    /// How it contradicts another one, if it does.
    pub fn clash(self, other: DecisionDef<'_>) -> Option<Clash> {
        let same_group = self.group == other.group;
        let same_required = self.required == other.required;
        if self.key == other.key {
            return (!same_group || !same_required).then_some(Clash::Options);
        }
        (same_group && !same_required).then_some(Clash::Required)
    }
}

/// `"roles" (group "access", required)`
impl fmt::Display for DecisionDef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let required = if self.required {
            "required"
        } else {
            "not required"
        };
        write!(f, "{:?} (group {:?}, {required})", self.key, self.group)
    }
}

const fn is_group(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || !bytes[0].is_ascii_alphabetic() {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'.' | b'-')) {
            return false;
        }
        at += 1;
    }
    true
}

/// `==`, which `const fn` does not have for strings.
const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Clash, DecisionDef, Flaw};

    fn def<'a>(key: &'a str, group: &'a str, required: bool) -> DecisionDef<'a> {
        DecisionDef {
            key,
            group,
            required,
        }
    }

    #[test]
    fn an_explicit_group_is_a_name_and_a_key_anything_but_empty() {
        for (key, group, expected) in [
            ("roles", "access", Ok(())),
            ("roles", "A.b-c_9", Ok(())),
            ("roles", "9access", Err(Flaw::Group)),
            ("roles", "auth:access", Err(Flaw::Group)),
            ("roles", "zugriffé", Err(Flaw::Group)),
            ("roles", "", Err(Flaw::Group)),
            ("", "access", Err(Flaw::EmptyKey)),
            ("", "", Err(Flaw::EmptyKey)),
        ] {
            assert_eq!(def(key, group, false).check(), expected, "{key} {group}");
        }
    }

    #[test]
    fn a_decision_that_is_its_own_group_has_any_key() {
        for key in ["auth:public", "app/tag", "9", "é"] {
            assert_eq!(def(key, key, true).check(), Ok(()), "{key}");
        }
    }

    #[test]
    fn a_key_has_one_definition_and_a_group_one_opinion() {
        let roles = def("roles", "access", true);
        assert_eq!(roles.clash(roles), None);
        assert_eq!(roles.clash(def("public", "access", true)), None);
        assert_eq!(roles.clash(def("tag", "tag", false)), None);
        for other in [def("roles", "roles", true), def("roles", "access", false)] {
            assert_eq!(roles.clash(other), Some(Clash::Options));
            assert_eq!(other.clash(roles), Some(Clash::Options));
        }
        let clash = roles.clash(def("public", "access", false));
        assert_eq!(clash, Some(Clash::Required));
    }
}
