//! What rust-analyzer shows: the recorded errors, and nothing else.
//!
//! Skipped, with a line that says so, where it is not installed (`rustup component add rust-analyzer`).

use std::{
    collections::BTreeSet,
    process::{Command, Stdio},
};

use znight_tests::{Packages, messages, printed};

const WRONG: &str = "use std::sync::Arc;
use znight::prelude::*;

struct Mailer;

#[injectable(scope = \"singelton\", primari)]
struct Weird;

#[injectable]
struct Notifier {
    mailer: Arc<Mailer>,
    boxed: Box<Mailer>,
}

struct Hello;

#[controller(\"/hello\")]
impl Hello {
    #[get(\"/{id}.json\")]
    async fn path(&self) {}
}

znight::graph!();
";

const SOUND: &str = "use std::sync::Arc;
use znight::prelude::*;

#[async_trait]
trait Repo: Send + Sync {
    async fn count(&self) -> u64;
}

#[injectable]
struct Memory;

#[async_trait]
impl Repo for Memory {
    async fn count(&self) -> u64 {
        1
    }
}

#[injectable]
struct Counts {
    repo: Arc<dyn Repo>,
}

#[controller(\"/counts\")]
impl Counts {
    #[get(\"/{id}\")]
    async fn count(&self, #[param] id: u64, #[query(default = 1)] page: u64) -> Result<String, HttpError> {
        Ok((self.repo.count().await + id + page).to_string())
    }
}

znight::graph!();
";

#[test]
fn rust_analyzer_shows_the_recorded_errors_and_nothing_else() {
    let installed = Command::new("rust-analyzer")
        .arg("--version")
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .status();
    if !installed.is_ok_and(|status| status.success()) {
        println!("skipped: rust-analyzer is not installed");
        return;
    }
    let packages = Packages::workspace(&["editor-wrong", "editor-sound"]);
    packages.package("editor-wrong", &[("src/lib.rs", WRONG)]);
    packages.package("editor-sound", &[("src/lib.rs", SOUND)]);
    let output = packages.cargo(
        "",
        &[
            "check",
            "--workspace",
            "--keep-going",
            "--message-format=json",
        ],
    );
    let recorded: BTreeSet<(String, u64, u64)> = messages(&output)
        .into_iter()
        .filter(|message| message.level == "error")
        .map(|message| {
            assert!(message.is_ours(), "{}", message.render());
            (
                message.text.lines().next().unwrap_or_default().to_owned(),
                message.line,
                message.column,
            )
        })
        .collect();
    assert_eq!(recorded.len(), 5, "{}", printed(&output));
    let output = Command::new("rust-analyzer")
        .arg("diagnostics")
        .arg(packages.path())
        .env("CARGO_TARGET_DIR", packages.target())
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .expect("rust-analyzer starts");
    let text = printed(&output);
    let shown: BTreeSet<(String, u64, u64)> = text
        .split(['\n', '\r'])
        .filter_map(|line| line.split_once("at crate editor_"))
        .filter(|(_, line)| line.contains(": Error "))
        .filter_map(|(_, line)| shown(line))
        .collect();
    assert_eq!(shown, recorded, "{text}");
}

/// Message, line and column of `..: Error .. from LineCol { line: 1, col: 2 } to ..: message`.
fn shown(line: &str) -> Option<(String, u64, u64)> {
    let (_, place) = line.split_once("from LineCol { line: ")?;
    let (row, rest) = place.split_once(", col: ")?;
    let (column, rest) = rest.split_once(" } to ")?;
    let (_, message) = rest.split_once("}: ")?;
    // Counted from 0 there.
    Some((
        message.to_owned(),
        row.parse::<u64>().ok()? + 1,
        column.parse::<u64>().ok()? + 1,
    ))
}
