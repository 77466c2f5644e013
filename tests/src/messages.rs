//! What rustc said, from Cargo's JSON lines.

use std::process::Output;

use serde_json::Value;

/// One message of the compiler.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The package it belongs to.
    pub package: String,
    /// The file of its primary place, relative to the package; empty without a place.
    pub file: String,
    /// The line it starts at, from 1.
    pub line: u64,
    /// The column it starts at, in characters from 1.
    pub column: u64,
    /// The marked text; several lines are joined by `\n`.
    pub marked: String,
    /// `error` or `warning`.
    pub level: String,
    /// The text.
    pub text: String,
}

impl Message {
    /// Whether it is one of ours.
    pub fn is_ours(&self) -> bool {
        self.text.contains("ZNIGHT")
    }

    /// Its place, the marked text and the message, on as many lines as it needs.
    pub fn render(&self) -> String {
        format!(
            "{}:{}:{} `{}`: {}: {}",
            self.file, self.line, self.column, self.marked, self.level, self.text
        )
    }
}

/// The errors and warnings of a command run with `--message-format=json`, each once, by place.
pub fn messages(output: &Output) -> Vec<Message> {
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found: Vec<Message> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["reason"] == "compiler-message")
        .filter_map(|line| read(&line))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn read(line: &Value) -> Option<Message> {
    let message = &line["message"];
    let text = message["message"].as_str()?.to_owned();
    let level = message["level"].as_str()?.to_owned();
    // Summaries, such as "aborting due to 2 previous errors", have no place.
    if !matches!(level.as_str(), "error" | "warning")
        || text.contains("aborting due to")
        || text.ends_with("emitted")
    {
        return None;
    }
    let package = line["package_id"]
        .as_str()?
        .rsplit(['/', '#'])
        .nth(1)?
        .to_owned();
    let span = message["spans"]
        .as_array()?
        .iter()
        .find(|span| span["is_primary"] == true);
    let Some(span) = span else {
        return Some(Message {
            package,
            file: String::new(),
            line: 0,
            column: 0,
            marked: String::new(),
            level,
            text,
        });
    };
    let marked: Vec<String> = span["text"]
        .as_array()?
        .iter()
        .filter_map(|line| {
            let chars: Vec<char> = line["text"].as_str()?.chars().collect();
            let at = |name: &str| line[name].as_u64().and_then(|n| usize::try_from(n).ok());
            let (start, end) = (at("highlight_start")?, at("highlight_end")?);
            Some(
                chars
                    .get(start - 1..end - 1)?
                    .iter()
                    .collect::<String>()
                    .trim()
                    .to_owned(),
            )
        })
        .collect();
    let file = span["file_name"].as_str()?;
    let file = file
        .strip_prefix(&format!("{package}/"))
        .unwrap_or(file)
        .to_owned();
    Some(Message {
        package,
        file,
        line: span["line_start"].as_u64()?,
        column: span["column_start"].as_u64()?,
        marked: marked.join("\n"),
        level,
        text,
    })
}
