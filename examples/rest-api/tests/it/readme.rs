//! Every `curl` line of the README, against the program itself.

use std::{
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStderr, Command, Stdio},
};

use tempfile::TempDir;
use znight::HttpPlugin;

use crate::fakes;

const README: &str = include_str!("../../README.md");

/// The running program.
struct Server {
    process: Child,
    /// What it printed before it was ready.
    log: String,
    address: String,
    /// Kept open: the program prints on.
    _stderr: Lines<BufReader<ChildStderr>>,
}

impl Server {
    /// Starts the program on a free port and waits for the line that tells where it listens.
    fn start(directory: &TempDir) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_rest-api"))
            .env("PORT", "0")
            .env("BOOKSHELF_DB", directory.path().join("bookshelf.db"))
            .env("NO_COLOR", "1")
            .env_remove("BOOKSHELF_API_KEY")
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stderr = BufReader::new(process.stderr.take().expect("a pipe")).lines();
        let mut log = String::new();
        let address = loop {
            let Some(line) = stderr.next() else {
                panic!("the program ended before it listened:\n{log}");
            };
            let line = line.expect("a line");
            log.push_str(&line);
            log.push('\n');
            if let Some((_, address)) = line.split_once("listening on http://") {
                break address.trim().to_owned();
            }
        };
        Self {
            process,
            log,
            address,
            _stderr: stderr,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The commands of the `console` blocks, each with the answer printed below it.
fn exchanges(page: &str) -> Vec<(String, String)> {
    let mut exchanges: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            match (line.strip_prefix("$ "), exchanges.last_mut()) {
                (Some(command), _) => exchanges.push((command.to_owned(), String::new())),
                (None, Some((command, _))) if command.ends_with('\\') => {
                    command.pop();
                    command.push_str(line.trim_start());
                }
                (None, Some((_, answer))) => answer.push_str(line),
                (None, None) => panic!("an answer without a command: {line}"),
            }
        }
    }
    exchanges
}

/// Whether there is a shell, and a curl that knows `--json`.
fn have_curl() -> bool {
    let help = Command::new("sh").args(["-c", "curl --help all"]).output();
    help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--json"))
}

#[test]
fn every_line_is_answered_as_printed() {
    if !have_curl() {
        println!("skipped: the lines of the README need a shell and curl 7.82 or later");
        return;
    }
    let directory = TempDir::new().expect("a directory");
    let server = Server::start(&directory);
    assert!(server.log.contains("`development-key`"), "{}", server.log);
    assert!(server.log.contains("bookshelf.db"), "{}", server.log);

    let exchanges = exchanges(README);
    assert!(exchanges.len() > 10, "{exchanges:?}");
    for (command, expected) in exchanges {
        assert!(command.contains("localhost:3000"), "{command}");
        let command = command.replace("localhost:3000", &server.address);
        let output = Command::new("sh")
            .args(["-c", &command])
            .output()
            .expect("a shell");
        assert!(output.status.success(), "{command}: {output:?}");
        let answer = String::from_utf8_lossy(&output.stdout);
        assert_eq!(answer, expected, "{command}");
    }
}

#[tokio::test]
async fn every_route_has_its_lines() -> znight::Result {
    let app = fakes::app(&[], &[]).await;
    let http = app.application().plugin::<HttpPlugin>();
    let routes = http.expect("the plugin").routes();
    assert!(!routes.is_empty());
    for route in routes {
        let heading = format!("### `{} {}`\n", route.info.method, route.info.path);
        assert!(README.contains(&heading), "{heading}");
    }
    app.close().await?;
    Ok(())
}
