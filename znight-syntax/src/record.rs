//! What the build pass records for the macros.
//!
//! One small text file for each source file of an analysed target, empty where nothing is marked, and one
//! for the target itself, which every macro call reads: it stays small however large the target is. A
//! line holds a key and fields separated by tabs; backslash, tab and line ends inside a field are
//! escaped. The format is private to one release: both sides are always built together.

use std::fmt::Write as _;

use znight_contract::{ErrorCode, codes::Severity, fingerprint};

use crate::attr::Values;

/// The directory below `OUT_DIR`.
pub const DIRECTORY: &str = "znight";
/// The record of a target, inside its directory.
pub const TARGET_FILE: &str = "target.idx";
/// The generated graph, inside the target's directory.
pub const GRAPH_FILE: &str = "graph.rs";
/// A file the build script is rerun for; a macro that finds the record stale touches it.
pub const RERUN_FILE: &str = "rerun";

/// The directory of a target's records: `lib`, or `bin-` and the name of the binary.
pub fn target_directory(binary: Option<&str>) -> String {
    match binary {
        Some(name) => format!("bin-{name}"),
        None => "lib".to_owned(),
    }
}

/// The name of the record of a source file, by its path relative to the package with `/`.
pub fn file_name(source: &str) -> String {
    format!("{:016x}.idx", fingerprint::id(source))
}

/// What is recorded of a target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The release line of the build pass.
    pub release: String,
    /// The path of the facade crate as the package knows it: `::znight`.
    pub facade: String,
    /// The crate's name.
    pub crate_name: String,
    /// The binary's name; none for the library.
    pub binary: Option<String>,
    /// Who sees the mocks of the package.
    pub mocks: Mocks,
    /// Problems without an attribute to sit on: complete messages.
    pub problems: Vec<String>,
}

/// Who sees the mocks of a package, and whether it can write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mocks {
    /// Where they exist.
    pub exist: Exist,
    /// Whether something uses what providers say of their dependencies: test beds.
    pub beds: bool,
    /// Whether the package depends on mockall where they exist.
    pub mockall: bool,
}

/// Where the mocks of a package exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exist {
    /// In its unit tests.
    Tests,
    /// Everywhere: its feature `testing` is on.
    Everywhere,
}

impl Default for Mocks {
    /// What is assumed where nothing is recorded: rustc says what is missing.
    fn default() -> Self {
        Self {
            exist: Exist::Tests,
            beds: true,
            mockall: true,
        }
    }
}

impl Mocks {
    fn words(self) -> [&'static str; 3] {
        [
            match self.exist {
                Exist::Tests => "tests",
                Exist::Everywhere => "everywhere",
            },
            if self.beds { "beds" } else { "" },
            if self.mockall { "mockall" } else { "" },
        ]
    }

    fn parse(words: &[String]) -> Option<Self> {
        let [exist, beds, mockall] = words else {
            return None;
        };
        Some(Self {
            exist: match exist.as_str() {
                "tests" => Exist::Tests,
                "everywhere" => Exist::Everywhere,
                _ => return None,
            },
            beds: !beds.is_empty(),
            mockall: !mockall.is_empty(),
        })
    }
}

/// The programs something belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worlds {
    /// Both what users run and the unit tests.
    Both,
    /// What users run.
    Production,
    /// The unit tests.
    Test,
}

/// What is recorded of an annotated item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The path of the attribute: `znight::injectable`.
    pub attribute: String,
    /// The fingerprint of the item's tokens.
    pub body: u64,
    /// The fingerprint of the attribute's arguments.
    pub args: u64,
    /// The line the item starts at, attributes included, and the line of its name.
    pub lines: (usize, usize),
    /// The name of its type.
    pub name: String,
    /// The provider glue to write.
    pub providers: Vec<ProviderGlue>,
    /// The id of the glue that an extension's attribute writes: a controller's.
    pub host: Option<u64>,
    /// The values of arguments that are no literals.
    pub values: Vec<Value>,
    /// In which programs the item is wrong and gets no glue.
    pub broken: Option<Worlds>,
    /// What to report at it.
    pub notes: Vec<Note>,
}

/// The glue of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderGlue {
    /// Its id.
    pub id: u64,
    /// The index of the `#[provides]` method; none for the type itself.
    pub method: Option<usize>,
    /// For each injection, whether it is taken by value.
    pub by_value: Vec<bool>,
    /// The trait objects it is handed out as.
    pub coercions: Vec<Coercion>,
    /// Whether it seems to be a guard of HTTP.
    pub guard: bool,
}

/// One trait object a provider is handed out as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coercion {
    /// The type as it can be written in the provider's module.
    pub ty: String,
    /// Whether only the unit tests use it.
    pub test_only: bool,
}

/// What the build pass evaluated of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The key of the expression: the fingerprint of its tokens.
    pub key: u64,
    /// The programs it has this value in.
    pub worlds: Worlds,
    /// The text.
    pub text: String,
}

/// Something to report at tokens of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its code.
    pub code: ErrorCode,
    /// How bad it is.
    pub severity: Severity,
    /// The programs it belongs to.
    pub worlds: Worlds,
    /// Whether the tokens are those of the attribute's arguments.
    pub in_args: bool,
    /// The first token.
    pub first: usize,
    /// The last token.
    pub last: usize,
    /// The complete message.
    pub message: String,
    /// The macro of the run time that hands it on where it counts: `::znight::__private::http::without_garde`.
    /// It counts everywhere where there is none.
    pub only: Option<String>,
}

impl Worlds {
    const WORDS: [(Self, &'static str); 3] = [
        (Self::Both, "both"),
        (Self::Production, "production"),
        (Self::Test, "test"),
    ];

    fn word(self) -> &'static str {
        Self::WORDS
            .iter()
            .find(|(worlds, _)| *worlds == self)
            .map_or("both", |(_, word)| word)
    }

    fn parse(word: &str) -> Option<Self> {
        Self::WORDS
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(worlds, _)| *worlds)
    }

    /// The programs either belongs to.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        if self == other { self } else { Self::Both }
    }
}

impl Target {
    /// The text of the record.
    pub fn write(&self) -> String {
        let mut out = Lines::default();
        out.line("release", &[&self.release]);
        out.line("facade", &[&self.facade]);
        out.line("crate", &[&self.crate_name]);
        if let Some(binary) = &self.binary {
            out.line("binary", &[binary]);
        }
        out.line("mocks", &self.mocks.words());
        for problem in &self.problems {
            out.line("problem", &[problem]);
        }
        out.0
    }

    /// Reads a record; none when it is not one.
    pub fn read(text: &str) -> Option<Self> {
        let mut target = Self::default();
        for (key, fields) in text.lines().map(split) {
            if key == "mocks" {
                target.mocks = Mocks::parse(&fields)?;
                continue;
            }
            let field = fields.into_iter().next()?;
            match key {
                "release" => target.release = field,
                "facade" => target.facade = field,
                "crate" => target.crate_name = field,
                "binary" => target.binary = Some(field),
                "problem" => target.problems.push(field),
                _ => return None,
            }
        }
        (!target.release.is_empty()).then_some(target)
    }
}

impl Item {
    /// The text of the records of one file.
    pub fn write_all(items: &[Self]) -> String {
        let mut out = Lines::default();
        for item in items {
            item.write(&mut out);
        }
        out.0
    }

    /// The programs the item has glue in, each with the values of its arguments there: two where these
    /// differ, none where it is wrong in both.
    pub fn programs(&self) -> Vec<(Worlds, Values)> {
        let differ = self.values.iter().any(|value| value.worlds != Worlds::Both);
        let programs: &[Worlds] = match self.broken {
            Some(Worlds::Both) => &[],
            Some(Worlds::Production) => &[Worlds::Test],
            Some(Worlds::Test) => &[Worlds::Production],
            None if differ => &[Worlds::Production, Worlds::Test],
            None => &[Worlds::Both],
        };
        programs
            .iter()
            .map(|program| (*program, self.values_in(*program)))
            .collect()
    }

    fn values_in(&self, program: Worlds) -> Values {
        self.values
            .iter()
            .filter(|value| value.worlds == Worlds::Both || value.worlds == program)
            .map(|value| (value.key, value.text.clone()))
            .collect()
    }

    fn write(&self, out: &mut Lines) {
        out.line(
            "item",
            &[
                &self.attribute,
                &hex(self.body),
                &hex(self.args),
                &self.lines.0.to_string(),
                &self.lines.1.to_string(),
                &self.name,
            ],
        );
        if let Some(broken) = self.broken {
            out.line("broken", &[broken.word()]);
        }
        if let Some(id) = self.host {
            out.line("host", &[&hex(id)]);
        }
        for provider in &self.providers {
            let method = provider
                .method
                .map(|method| method.to_string())
                .unwrap_or_default();
            let by_value: String = provider
                .by_value
                .iter()
                .map(|value| if *value { 'v' } else { 'n' })
                .collect();
            out.line("provider", &[&hex(provider.id), &method, &by_value]);
            if provider.guard {
                out.line("guard", &[]);
            }
            for coercion in &provider.coercions {
                out.line(
                    "coercion",
                    &[
                        &coercion.ty,
                        if coercion.test_only { "test" } else { "both" },
                    ],
                );
            }
        }
        for value in &self.values {
            out.line(
                "value",
                &[&hex(value.key), value.worlds.word(), &value.text],
            );
        }
        for note in &self.notes {
            out.line(
                "note",
                &[
                    &note.code.to_string(),
                    &note.severity.to_string(),
                    note.worlds.word(),
                    if note.in_args { "args" } else { "item" },
                    &note.first.to_string(),
                    &note.last.to_string(),
                    &note.message,
                ],
            );
            if let Some(only) = &note.only {
                out.line("only", &[only]);
            }
        }
    }

    /// Reads the records of one file; none when they are not of this release.
    pub fn read_all(text: &str) -> Option<Vec<Self>> {
        let mut items: Vec<Self> = Vec::new();
        for (key, fields) in text.lines().map(split) {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            if let ("item", [outer, body, args, line, name_line, name]) = (key, &fields[..]) {
                items.push(Self {
                    attribute: (*outer).to_owned(),
                    body: unhex(body)?,
                    args: unhex(args)?,
                    lines: (line.parse().ok()?, name_line.parse().ok()?),
                    name: (*name).to_owned(),
                    providers: Vec::new(),
                    host: None,
                    values: Vec::new(),
                    broken: None,
                    notes: Vec::new(),
                });
                continue;
            }
            let item = items.last_mut()?;
            match (key, &fields[..]) {
                ("broken", [worlds]) => item.broken = Some(Worlds::parse(worlds)?),
                ("host", [id]) => item.host = Some(unhex(id)?),
                ("provider", [id, method, by_value]) => item.providers.push(ProviderGlue {
                    id: unhex(id)?,
                    method: if method.is_empty() {
                        None
                    } else {
                        Some(method.parse().ok()?)
                    },
                    by_value: by_value.chars().map(|c| c == 'v').collect(),
                    coercions: Vec::new(),
                    guard: false,
                }),
                ("guard", []) => item.providers.last_mut()?.guard = true,
                ("coercion", [ty, world]) => item.providers.last_mut()?.coercions.push(Coercion {
                    ty: (*ty).to_owned(),
                    test_only: *world == "test",
                }),
                ("value", [key, worlds, text]) => item.values.push(Value {
                    key: unhex(key)?,
                    worlds: Worlds::parse(worlds)?,
                    text: (*text).to_owned(),
                }),
                ("note", [code, severity, worlds, region, first, last, message]) => {
                    item.notes.push(Note {
                        code: ErrorCode::parse(code)?,
                        severity: if *severity == "error" {
                            Severity::Error
                        } else {
                            Severity::Warning
                        },
                        worlds: Worlds::parse(worlds)?,
                        in_args: *region == "args",
                        first: first.parse().ok()?,
                        last: last.parse().ok()?,
                        message: (*message).to_owned(),
                        only: None,
                    });
                }
                ("only", [only]) => item.notes.last_mut()?.only = Some((*only).to_owned()),
                _ => return None,
            }
        }
        Some(items)
    }
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, key: &str, fields: &[&str]) {
        self.0.push_str(key);
        for field in fields {
            self.0.push('\t');
            for c in field.chars() {
                match c {
                    '\\' => self.0.push_str("\\\\"),
                    '\t' => self.0.push_str("\\t"),
                    '\n' => self.0.push_str("\\n"),
                    '\r' => self.0.push_str("\\r"),
                    c => self.0.push(c),
                }
            }
        }
        self.0.push('\n');
    }
}

fn split(line: &str) -> (&str, Vec<String>) {
    let mut fields = line.split('\t');
    let key = fields.next().unwrap_or("");
    (key, fields.map(unescape).collect())
}

fn unescape(field: &str) -> String {
    let mut out = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

fn hex(value: u64) -> String {
    let mut out = String::new();
    let _ = write!(out, "{value:016x}");
    out
}

fn unhex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_as_written() {
        let target = Target {
            release: "0.1".into(),
            facade: "::zn".into(),
            crate_name: "shop".into(),
            binary: Some("shop-server".into()),
            mocks: Mocks {
                exist: Exist::Everywhere,
                beds: true,
                mockall: false,
            },
            problems: vec!["line one\n  = hint: \\ two\r\n".into()],
        };
        assert_eq!(Target::read(&target.write()), Some(target));
        let items = vec![Item {
            attribute: "znight::factory".to_owned(),
            body: 1,
            args: u64::MAX,
            lines: (3, 4),
            name: "Db".into(),
            providers: vec![ProviderGlue {
                id: 7,
                method: Some(2),
                by_value: vec![true, false],
                coercions: vec![Coercion {
                    ty: "dyn Repo<User>".into(),
                    test_only: true,
                }],
                guard: true,
            }],
            host: Some(9),
            values: vec![Value {
                key: 5,
                worlds: Worlds::Production,
                text: "/\tusers".into(),
            }],
            broken: Some(Worlds::Test),
            notes: vec![Note {
                code: ErrorCode::MissingProvider,
                severity: Severity::Error,
                worlds: Worlds::Production,
                in_args: false,
                first: 3,
                last: 8,
                message: "ZNIGHT001: no\tprovider\n  = hint: é".into(),
                only: Some("::zn::__private::http::without_garde".into()),
            }],
        }];
        assert_eq!(Item::read_all(&Item::write_all(&items)), Some(items));
        assert_eq!(Item::read_all("garbage"), None);
        assert_eq!(Target::read(""), None);
    }

    #[test]
    fn values_that_differ_between_programs_make_two_of_them() {
        let value = |worlds, text: &str| Value {
            key: 1,
            worlds,
            text: text.into(),
        };
        let mut item = Item {
            attribute: "znight::controller".to_owned(),
            body: 0,
            args: 0,
            lines: (1, 1),
            name: "Users".into(),
            providers: Vec::new(),
            host: None,
            values: vec![value(Worlds::Both, "/a")],
            broken: None,
            notes: Vec::new(),
        };
        let worlds = |item: &Item| {
            let programs = item.programs().into_iter();
            programs.map(|(worlds, _)| worlds).collect::<Vec<_>>()
        };
        assert_eq!(worlds(&item), [Worlds::Both]);
        item.values = vec![value(Worlds::Production, "/a"), value(Worlds::Test, "/b")];
        assert_eq!(worlds(&item), [Worlds::Production, Worlds::Test]);
        item.broken = Some(Worlds::Test);
        assert_eq!(worlds(&item), [Worlds::Production]);
        item.broken = Some(Worlds::Both);
        assert_eq!(worlds(&item), []);
    }
}
