//! Docs, taken apart as rustdoc shows them.

use super::Site;

/// What a doc comment, or several `#[doc = ".."]`, say.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Doc {
    /// Everything before the first section, indentation and the stars of block comments removed.
    pub text: String,
    /// The first paragraph of the text, as one line.
    pub summary: String,
    /// The text behind the first paragraph.
    pub description: String,
    /// The sections, in order: `# Errors`.
    pub sections: Vec<Section>,
    /// Where it stands.
    pub site: Site,
}

/// A section of a doc: what stands behind a heading of the first level.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// Its heading: `Errors`.
    pub name: String,
    /// What stands below.
    pub text: String,
}

impl Doc {
    /// The text of the section with a heading, whatever its case.
    pub fn section(&self, name: &str) -> Option<&str> {
        let is = |section: &&Section| section.name.eq_ignore_ascii_case(name);
        self.sections
            .iter()
            .find(is)
            .map(|section| section.text.as_str())
    }

    /// Takes the texts of doc attributes apart; none when they say nothing.
    pub(super) fn read(parts: &[String], site: Site) -> Option<Self> {
        let parts: Vec<String> = parts.iter().map(|part| without_stars(part)).collect();
        let text = unindented(&parts.join("\n"));
        let (mut head, mut sections): (Vec<&str>, Vec<(String, Vec<&str>)>) = Default::default();
        let mut fence: Option<&str> = None;
        for line in text.lines() {
            let start = line.trim_start();
            let marks = ["```", "~~~"].into_iter().find(|m| start.starts_with(m));
            fence = match (fence, marks) {
                (None, found) => found,
                (Some(open), Some(found)) if open == found => None,
                (open, _) => open,
            };
            match line.strip_prefix("# ") {
                Some(name) if fence.is_none() => {
                    let name = name.trim().trim_end_matches('#').trim_end();
                    sections.push((name.to_owned(), Vec::new()));
                }
                _ => sections
                    .last_mut()
                    .map_or(&mut head, |(_, lines)| lines)
                    .push(line),
            }
        }
        let text = trimmed(&head);
        if text.is_empty() && sections.is_empty() {
            return None;
        }
        let lines: Vec<&str> = text.lines().collect();
        let end = lines.iter().position(|line| line.trim().is_empty());
        let (first, rest) = lines.split_at(end.unwrap_or(lines.len()));
        Some(Self {
            summary: first
                .iter()
                .map(|line| line.trim())
                .collect::<Vec<_>>()
                .join(" "),
            description: trimmed(rest),
            sections: sections
                .into_iter()
                .map(|(name, lines)| Section {
                    name,
                    text: trimmed(&lines),
                })
                .collect(),
            text,
            site,
        })
    }
}

/// Lines without blank ones at both ends.
fn trimmed(lines: &[&str]) -> String {
    let is_text = |line: &&str| !line.trim().is_empty();
    let start = lines.iter().position(is_text).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_text).map_or(start, |end| end + 1);
    let lines: Vec<&str> = lines[start..end]
        .iter()
        .map(|line| line.trim_end())
        .collect();
    lines.join("\n")
}

/// The text of a block comment without the stars its lines start with, where all of them do.
fn without_stars(text: &str) -> String {
    let mut lines = text.lines();
    let Some(first) = lines.next() else {
        return String::new();
    };
    let rest: Vec<&str> = lines.collect();
    let mut written = rest
        .iter()
        .filter(|line| !line.trim().is_empty())
        .peekable();
    if written.peek().is_none() || !written.all(|line| line.trim_start().starts_with('*')) {
        return text.to_owned();
    }
    let without = rest
        .iter()
        .map(|line| line.trim_start().strip_prefix('*').unwrap_or(""));
    std::iter::once(first)
        .chain(without)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The text without the spaces that all its lines start with.
fn unindented(text: &str) -> String {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let written = text.lines().filter(|line| !line.trim().is_empty());
    let common = written.map(indentation).min().unwrap_or_default();
    text.lines()
        .map(|line| line.get(common..).unwrap_or("").trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}
