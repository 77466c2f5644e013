//! Files of cases.
//!
//! ```text
//! # A comment.
//! == the name of a case
//! rule: RFC 9110, 9.3.2
//! server: plain
//! > HEAD / HTTP/1.1
//! > host: test
//! >
//! < HTTP/1.1 200 OK
//! < content-length: 5
//! <
//! = open
//! ```
//!
//! What is sent and received is written as [`text`](crate::text) says. `=` tells whether the server lets
//! the connection be used further. A case may send and receive several times.

use std::{fs, path::PathBuf};

use crate::text;

/// A file of cases.
pub(crate) struct File {
    path: PathBuf,
    pub(crate) cases: Vec<Case>,
    /// Comments at the end.
    rest: String,
}

#[derive(Debug, Default)]
pub(crate) struct Case {
    /// The comments and empty lines above it.
    above: String,
    pub(crate) name: String,
    fields: Vec<(String, String)>,
    pub(crate) exchanges: Vec<Exchange>,
    /// Whether the connection stays open.
    pub(crate) open: Option<bool>,
}

#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// As it is written in the file.
    source: Vec<String>,
    pub(crate) sent: Vec<u8>,
    pub(crate) received: Vec<u8>,
}

impl Case {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.fields.iter();
        let field = fields.find(|(key, _)| key == name);
        field.map(|(_, value)| value.as_str())
    }

    /// Sets a field, or removes it.
    pub(crate) fn set(&mut self, name: &str, value: Option<String>) {
        let at = self.fields.iter().position(|(key, _)| key == name);
        match (at, value) {
            (Some(at), Some(value)) => self.fields[at].1 = value,
            (Some(at), None) => drop(self.fields.remove(at)),
            (None, Some(value)) => self.fields.push((name.to_owned(), value)),
            (None, None) => {}
        }
    }

    /// What is sent, as one.
    pub(crate) fn sent(&self) -> Vec<u8> {
        let sent = self.exchanges.iter().map(|exchange| &*exchange.sent);
        sent.collect::<Vec<_>>().concat()
    }
}

impl File {
    /// Reads a file of `cases/`.
    ///
    /// # Panics
    /// It is not well formed.
    pub(crate) fn read(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/conformance/cases")
            .join(name);
        let source =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut file = Self {
            path,
            cases: Vec::new(),
            rest: String::new(),
        };
        for (number, line) in source.lines().enumerate() {
            if let Err(problem) = file.line(line) {
                panic!("{}:{}: {problem}", file.path.display(), number + 1);
            }
        }
        let mut names: Vec<&str> = file.cases.iter().map(|case| &*case.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(
            names.len(),
            count,
            "{}: each case has a name of its own",
            file.path.display()
        );
        file
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            self.rest.push_str(line);
            self.rest.push('\n');
            return Ok(());
        }
        if let Some(name) = line.strip_prefix("== ") {
            self.cases.push(Case {
                above: std::mem::take(&mut self.rest),
                name: name.to_owned(),
                ..Case::default()
            });
            return Ok(());
        }
        let case = self.cases.last_mut().ok_or("this belongs to no case")?;
        if let Some(sent) = text::line('>', line) {
            let fresh = case
                .exchanges
                .last()
                .is_none_or(|last| !last.received.is_empty());
            if fresh {
                case.exchanges.push(Exchange::default());
            }
            let exchange = case.exchanges.last_mut().expect("it was added");
            exchange.source.push(line.to_owned());
            exchange.sent.extend(sent?);
        } else if let Some(received) = text::line('<', line) {
            let exchange = case.exchanges.last_mut().ok_or("nothing was sent")?;
            exchange.received.extend(received?);
        } else if let Some(end) = line.strip_prefix("= ") {
            case.open = Some(match end {
                "open" => true,
                "closed" => false,
                _ => return Err("a connection is `open` or `closed`".to_owned()),
            });
        } else if let Some((name, value)) = line.split_once(": ") {
            case.fields.push((name.to_owned(), value.to_owned()));
        } else {
            return Err(format!("what is {line:?}?"));
        }
        Ok(())
    }

    /// Writes what has become of it.
    pub(crate) fn write(&self) {
        let mut lines = Vec::new();
        for case in &self.cases {
            lines.extend(case.above.lines().map(str::to_owned));
            lines.push(format!("== {}", case.name));
            lines.extend(
                case.fields
                    .iter()
                    .map(|(key, value)| format!("{key}: {value}")),
            );
            for exchange in &case.exchanges {
                lines.extend_from_slice(&exchange.source);
                lines.extend(text::lines('<', &exchange.received));
            }
            match case.open {
                Some(true) => lines.push("= open".to_owned()),
                Some(false) => lines.push("= closed".to_owned()),
                None => {}
            }
        }
        lines.extend(self.rest.lines().map(str::to_owned));
        fs::write(&self.path, lines.join("\n") + "\n").expect("it can be written");
    }
}

/// Whether files are to be written.
pub(crate) fn updating() -> bool {
    std::env::var_os("UPDATE").is_some()
}
