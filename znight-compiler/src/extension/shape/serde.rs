//! What `serde` attributes say, of a type, a variant and a field.

use super::{DefaultValue, Deprecated, Names, RenameRule, Tagging};
use crate::extension::class::{Attribute, AttributeArgument};

/// Something serde may be told once for both directions, or for each.
#[derive(Debug, Clone)]
pub(super) struct Both<T> {
    pub(super) serialize: Option<T>,
    pub(super) deserialize: Option<T>,
}

/// Nothing is said.
impl<T> Default for Both<T> {
    fn default() -> Self {
        Self {
            serialize: None,
            deserialize: None,
        }
    }
}

impl<T: Copy> Both<T> {
    /// These, and the others where there are none.
    pub(super) fn or(&self, others: &Self) -> Self {
        Self {
            serialize: self.serialize.or(others.serialize),
            deserialize: self.deserialize.or(others.deserialize),
        }
    }
}

/// What stands on a type, a variant or a field: each has some of it.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) rename: Both<String>,
    pub(super) rename_all: Both<RenameRule>,
    pub(super) rename_all_fields: Both<RenameRule>,
    pub(super) aliases: Vec<String>,
    pub(super) words: Vec<Word>,
    pub(super) tag: Option<String>,
    pub(super) content: Option<String>,
    pub(super) default: Option<DefaultValue>,
    pub(super) from: Option<String>,
    pub(super) try_from: Option<String>,
    pub(super) into: Option<String>,
    pub(super) remote: Option<String>,
    pub(super) skip_serializing_if: Option<String>,
    pub(super) with: Option<String>,
    pub(super) serialize_with: Option<String>,
    pub(super) deserialize_with: Option<String>,
}

/// What is said by a word alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Untagged,
    Transparent,
    DenyUnknownFields,
    SkipSerializing,
    SkipDeserializing,
    Flatten,
    Other,
}

impl Said {
    /// Reads the `serde` attributes among these. What serde would refuse is left to serde.
    pub(super) fn read(attributes: &[Attribute]) -> Self {
        let mut said = Self::default();
        for attribute in attributes {
            match attribute.path.as_str() {
                "serde" => attribute
                    .arguments
                    .iter()
                    .for_each(|argument| said.take(argument)),
                // `serde_with` has an attribute macro replace it by functions of its own.
                "serde_as" => {
                    let text = attribute.argument("as").and_then(AttributeArgument::text);
                    let text = text.unwrap_or("serde_as").to_owned();
                    said.serialize_with = Some(text.clone());
                    said.deserialize_with = Some(text);
                }
                _ => {}
            }
        }
        said
    }

    pub(super) fn has(&self, word: Word) -> bool {
        self.words.contains(&word)
    }

    fn take(&mut self, argument: &AttributeArgument) {
        if let Some(word) = argument.word() {
            match word {
                "untagged" => self.words.push(Word::Untagged),
                "transparent" => self.words.push(Word::Transparent),
                "deny_unknown_fields" => self.words.push(Word::DenyUnknownFields),
                "skip" => self
                    .words
                    .extend([Word::SkipSerializing, Word::SkipDeserializing]),
                "skip_serializing" => self.words.push(Word::SkipSerializing),
                "skip_deserializing" => self.words.push(Word::SkipDeserializing),
                "flatten" => self.words.push(Word::Flatten),
                "other" => self.words.push(Word::Other),
                "default" => self.default = Some(DefaultValue::Trait),
                _ => {}
            }
            return;
        }
        let text = argument.text().map(str::to_owned);
        match argument.name.as_deref() {
            Some("rename") => self.rename(argument),
            Some("rename_all") => self.rename_all = rules(argument),
            Some("rename_all_fields") => self.rename_all_fields = rules(argument),
            Some("alias") => self.aliases.extend(text),
            Some("tag") => self.tag = text,
            Some("content") => self.content = text,
            Some("default") => self.default = text.map(DefaultValue::Function),
            Some("from") => self.from = text,
            Some("try_from") => self.try_from = text,
            Some("into") => self.into = text,
            Some("remote") => self.remote = text,
            Some("skip_serializing_if") => self.skip_serializing_if = text,
            Some("serialize_with") => self.serialize_with = text,
            Some("deserialize_with") => self.deserialize_with = text,
            Some("with") => {
                let of = |name: &str| text.as_ref().map(|text| format!("{text}::{name}"));
                self.serialize_with = of("serialize");
                self.deserialize_with = of("deserialize");
                self.with = text;
            }
            _ => {}
        }
    }

    fn rename(&mut self, argument: &AttributeArgument) {
        if let Some(text) = argument.text() {
            self.rename = Both {
                serialize: Some(text.to_owned()),
                deserialize: Some(text.to_owned()),
            };
        }
        for part in &argument.arguments {
            let Some(text) = part.text() else { continue };
            match part.name.as_deref() {
                Some("serialize") => self.rename.serialize = Some(text.to_owned()),
                // Several may be read: the first is the name, the others are read as well.
                Some("deserialize") if self.rename.deserialize.is_some() => {
                    self.aliases.push(text.to_owned());
                }
                Some("deserialize") => self.rename.deserialize = Some(text.to_owned()),
                _ => {}
            }
        }
    }

    /// The names of something that is called so in the source, under what a rule makes of it.
    pub(super) fn names(
        &self,
        own: &str,
        rules: &Both<RenameRule>,
        apply: fn(RenameRule, &str) -> String,
    ) -> Names {
        let name = |said: &Option<String>, rule: Option<RenameRule>| {
            said.clone()
                .unwrap_or_else(|| rule.map_or_else(|| own.to_owned(), |rule| apply(rule, own)))
        };
        let deserialize = name(&self.rename.deserialize, rules.deserialize);
        let mut aliases = self.aliases.clone();
        aliases.retain(|alias| *alias != deserialize);
        Names {
            serialize: name(&self.rename.serialize, rules.serialize),
            deserialize,
            aliases,
        }
    }

    /// How an enum tells its variants apart.
    pub(super) fn tagging(&self) -> Tagging {
        match (&self.tag, &self.content) {
            _ if self.has(Word::Untagged) => Tagging::Untagged,
            (Some(tag), Some(content)) => Tagging::Adjacent {
                tag: tag.clone(),
                content: content.clone(),
            },
            (Some(tag), None) => Tagging::Internal { tag: tag.clone() },
            (None, _) => Tagging::External,
        }
    }
}

fn rules(argument: &AttributeArgument) -> Both<RenameRule> {
    let rule = |argument: Option<&AttributeArgument>| {
        argument
            .and_then(AttributeArgument::text)
            .and_then(RenameRule::parse)
    };
    let both = rule(Some(argument));
    Both {
        serialize: rule(argument.argument("serialize")).or(both),
        deserialize: rule(argument.argument("deserialize")).or(both),
    }
}

/// What `#[deprecated]` says.
pub(super) fn deprecated(attributes: &[Attribute]) -> Option<Deprecated> {
    let found = attributes
        .iter()
        .find(|attribute| attribute.path == "deprecated")?;
    let text = |argument: Option<&AttributeArgument>| argument?.text().map(str::to_owned);
    let alone = found
        .arguments
        .first()
        .filter(|argument| argument.name.is_none());
    Some(Deprecated {
        since: text(found.argument("since")),
        note: text(found.argument("note").or(alone)),
    })
}

/// The attributes that a shape hands on: not those whose meaning it holds already, nor those for rustc.
pub(super) fn others(attributes: &[Attribute]) -> Vec<Attribute> {
    const TAKEN: [&str; 10] = [
        "serde",
        "deprecated",
        "derive",
        "doc",
        "allow",
        "expect",
        "warn",
        "deny",
        "repr",
        "non_exhaustive",
    ];
    let mut found = attributes.to_vec();
    found.retain(|attribute| !TAKEN.contains(&attribute.path.as_str()));
    found
}
