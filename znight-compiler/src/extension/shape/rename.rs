//! The rules by which serde renames fields and variants.

/// `#[serde(rename_all = "..")]`
///
/// Fields are taken to be `snake_case` and variants `PascalCase`, so that a rule does other things to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenameRule {
    /// `lowercase`
    Lower,
    /// `UPPERCASE`
    Upper,
    /// `PascalCase`
    Pascal,
    /// `camelCase`
    Camel,
    /// `snake_case`
    Snake,
    /// `SCREAMING_SNAKE_CASE`
    ScreamingSnake,
    /// `kebab-case`
    Kebab,
    /// `SCREAMING-KEBAB-CASE`
    ScreamingKebab,
}

impl RenameRule {
    /// Every rule, with what it is called.
    pub const ALL: [(&str, Self); 8] = [
        ("lowercase", Self::Lower),
        ("UPPERCASE", Self::Upper),
        ("PascalCase", Self::Pascal),
        ("camelCase", Self::Camel),
        ("snake_case", Self::Snake),
        ("SCREAMING_SNAKE_CASE", Self::ScreamingSnake),
        ("kebab-case", Self::Kebab),
        ("SCREAMING-KEBAB-CASE", Self::ScreamingKebab),
    ];

    /// The rule of a name; none for what serde does not know.
    ///
    /// ```
    /// use znight_compiler::extension::shape::RenameRule;
    ///
    /// let rule = RenameRule::parse("camelCase").unwrap();
    /// assert_eq!(rule.field("first_name"), "firstName");
    /// assert_eq!(rule.variant("FirstName"), "firstName");
    /// assert_eq!(RenameRule::parse("Camel"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        let mut rules = Self::ALL.iter();
        rules
            .find(|(known, _)| *known == name)
            .map(|(_, rule)| *rule)
    }

    /// The name of a field under the rule.
    pub fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => {
                let mut pascal = String::new();
                let mut starts = true;
                for c in name.chars() {
                    match c {
                        '_' => starts = true,
                        _ if std::mem::take(&mut starts) => pascal.push(c.to_ascii_uppercase()),
                        _ => pascal.push(c),
                    }
                }
                pascal
            }
            Self::Camel => lower_first(&Self::Pascal.field(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// The name of a variant under the rule.
    pub fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => {
                let mut snake = String::new();
                for (index, c) in name.char_indices() {
                    if index > 0 && c.is_uppercase() {
                        snake.push('_');
                    }
                    snake.push(c.to_ascii_lowercase());
                }
                snake
            }
            Self::ScreamingSnake => Self::Snake.variant(name).to_ascii_uppercase(),
            Self::Kebab => Self::Snake.variant(name).replace('_', "-"),
            Self::ScreamingKebab => Self::ScreamingSnake.variant(name).replace('_', "-"),
        }
    }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_ascii_lowercase(), chars.as_str())
    })
}
