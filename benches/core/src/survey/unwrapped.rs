//! Sources without macros that only put a condition on what they hold.
//!
//! Half of tokio stands in `cfg_rt! { .. }` and its kin. The analysis of an application does not look into
//! them; the survey does, so that what they hold is looked at as well. A `cfg_if!` takes their place, with the
//! condition that the macro's definition says.

use std::{cell::Cell, collections::BTreeMap, fs, path::Path};

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use znight_compiler::source::{Disk, Sources};

/// The conditions of such macros, by their names.
type Conditions = BTreeMap<String, String>;

/// The files of a package, with such macros replaced.
#[derive(Debug, Default)]
pub struct Unwrapped {
    conditions: Conditions,
    calls: Cell<usize>,
}

impl Unwrapped {
    /// The files below the directory of a root file.
    pub fn new(root: &Path) -> Self {
        let mut conditions = Conditions::new();
        if let Some(directory) = root.parent() {
            collect(directory, &mut conditions);
        }
        Self {
            conditions,
            calls: Cell::default(),
        }
    }

    /// How many calls were replaced.
    pub fn calls(&self) -> usize {
        self.calls.get()
    }
}

impl Sources for Unwrapped {
    fn read(&self, path: &Path) -> Option<String> {
        let (text, calls) = unwrapped(&Disk.read(path)?, &self.conditions);
        self.calls.set(self.calls.get() + calls);
        Some(text)
    }
}

/// Reads the definitions in the files of a directory and of those below it.
fn collect(directory: &Path, conditions: &mut Conditions) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, conditions);
        } else if let Some(text) = Disk.read(&path) {
            definitions(&text, conditions);
        }
    }
}

/// The first `#[cfg(..)]` of each `macro_rules! cfg_name`.
fn definitions(text: &str, conditions: &mut Conditions) {
    // Those of the names that choose among branches hold no plain items.
    let held = text.split("macro_rules! cfg_").skip(1);
    for definition in held.filter(|text| !text.starts_with("if") && !text.starts_with("select")) {
        let end = definition.find("\n}").unwrap_or(definition.len());
        let name = definition.split([' ', '{']).next().unwrap_or_default();
        let Some((_, rest)) = definition[..end].split_once("#[cfg(") else {
            continue;
        };
        let mut depth = 1;
        let close = rest.find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        if let Some(close) = close {
            let condition = rest[..close]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            conditions.insert(format!("cfg_{name}"), condition);
        }
    }
}

/// The text with such macros replaced, each line where it was; and how many there were.
fn unwrapped(text: &str, conditions: &Conditions) -> (String, usize) {
    let mut edits = Vec::new();
    if let Ok(tokens) = text.parse::<TokenStream>() {
        find(tokens, conditions, &mut edits);
    }
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.from));
    let calls = edits.len() / 2;
    let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    for Edit { from, to, text } in edits {
        // Heads and braces do not go over the ends of lines.
        if let Some(line) = lines.get_mut(from.line - 1)
            && from.line == to.line
            && to.column <= line.len()
        {
            line.splice(from.column..to.column, text.chars());
        }
    }
    let lines: Vec<String> = lines.into_iter().map(String::from_iter).collect();
    (lines.join("\n"), calls)
}

/// A stretch of a line and what takes its place.
struct Edit {
    from: LineColumn,
    to: LineColumn,
    text: String,
}

fn find(tokens: TokenStream, conditions: &Conditions, edits: &mut Vec<Edit>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        find(group.stream(), conditions, edits);
        let before = index.checked_sub(2).map(|first| &trees[first..index]);
        if let Some([TokenTree::Ident(name), TokenTree::Punct(bang)]) = before
            && bang.as_char() == '!'
            && group.delimiter() == Delimiter::Brace
            && let Some(condition) = conditions.get(&name.to_string())
        {
            edits.push(Edit {
                from: name.span().start(),
                to: group.span_open().end(),
                text: format!("cfg_if! {{ if #[cfg({condition})] {{"),
            });
            edits.push(Edit {
                from: group.span_close().start(),
                to: group.span_close().end(),
                text: "} }".to_owned(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Conditions, definitions, unwrapped};

    #[test]
    fn a_conditional_macro_becomes_its_condition() {
        let mut conditions = Conditions::new();
        let text = "macro_rules! cfg_rt {\n    ($($item:item)*) => {\n        $( #[cfg(all(a,\n b))] #[cfg_attr(c, d)] $item )*\n    }\n}\n";
        definitions(text, &mut conditions);
        let text = "cfg_rt! {\n    mod a {\n    }\n}\ncfg_other! {\n}\nfn c() {\n}";
        let (found, calls) = unwrapped(text, &conditions);
        let lines: Vec<&str> = found.lines().map(str::trim).collect();
        let expected = [
            "cfg_if! { if #[cfg(all(a, b))] {",
            "mod a {",
            "}",
            "} }",
            "cfg_other! {",
            "}",
            "fn c() {",
            "}",
        ];
        assert_eq!(lines, expected);
        assert_eq!(calls, 1);
    }
}
