//! Pages that hold a package and what is said of it.

use std::{env, fmt::Write as _, fs, path::Path};

/// A page: files in blocks headed `rust src/lib.rs` or `toml Cargo.toml`, and the golden answer in
/// a block `text`.
#[derive(Debug, Default)]
pub struct Page {
    /// The files, in order.
    pub files: Vec<(String, String)>,
    /// The golden answer.
    pub golden: String,
    text: String,
}

impl Page {
    /// Reads a page. A head that ends in `crlf` gives the file those line ends.
    pub fn read(text: &str) -> Self {
        let mut page = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        let mut block: Option<(&str, String)> = None;
        for line in text.lines() {
            match (&mut block, line.strip_prefix("```")) {
                (None, Some(head)) => block = Some((head, String::new())),
                (Some(_), Some(_)) => {
                    let Some((head, text)) = block.take() else {
                        continue;
                    };
                    let mut words = head.split_whitespace();
                    match (words.next(), words.next()) {
                        (Some("text"), _) => page.golden = text,
                        (_, Some(file)) => {
                            let text = if words.next() == Some("crlf") {
                                text.replace('\n', "\r\n")
                            } else {
                                text
                            };
                            page.files.push((file.to_owned(), text));
                        }
                        _ => {}
                    }
                }
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => {}
            }
        }
        page
    }

    /// Splits a page into its cases: each begins with a heading of the second level. What stands before the
    /// first of them comes first, under no name; a page without headings is one case.
    pub fn cases(text: &str) -> Vec<(String, String)> {
        let mut cases = vec![(String::new(), String::new())];
        let mut in_block = false;
        for line in text.lines() {
            in_block ^= line.starts_with("```");
            if let Some(title) = line.strip_prefix("## ").filter(|_| !in_block) {
                cases.push((title.to_owned(), String::new()));
            }
            if let Some((_, text)) = cases.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        }
        cases
    }

    /// Compares an answer with the golden one and says in `failures` how they differ. With `UPDATE`
    /// set the page at `path` is written instead.
    ///
    /// # Panics
    /// When the page cannot be written.
    pub fn compare(&self, path: &Path, rendered: &str, failures: &mut String) {
        if rendered == self.golden {
            return;
        }
        if env::var_os("UPDATE").is_some() {
            fs::write(path, self.answered(rendered)).expect("the page is written");
        } else {
            let _ = writeln!(
                failures,
                "{}: expected\n{}\nfound\n{rendered}",
                path.display(),
                self.golden
            );
        }
    }

    /// The text of the page with this answer.
    pub fn answered(&self, golden: &str) -> String {
        let source = self
            .text
            .split("```text\n")
            .next()
            .unwrap_or(&self.text)
            .trim_end();
        format!("{source}\n\n```text\n{golden}```\n")
    }
}
