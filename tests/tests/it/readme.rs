//! The first hour of the README, step by step, as it is printed.
//!
//! With `UPDATE=1` the picture of the error is written, into its golden file and into the README.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use znight_tests::{Packages, checkout, printed};

/// The marked line that is taken away.
const BROKEN: (&str, &str) = ("#[injectable]\nstruct Phrasebook;", "struct Phrasebook;");

/// A fenced block: what stands above it, its language, its text.
struct Block {
    heading: String,
    language: String,
    text: String,
}

impl Block {
    /// The file it is, when the line above it is nothing but a name in backticks.
    fn file(&self) -> Option<&str> {
        let name = self.heading.strip_prefix('`')?.strip_suffix('`')?;
        (!name.contains('`')).then_some(name)
    }
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut heading = "";
    let mut open: Option<Block> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                open = Some(Block {
                    heading: heading.to_owned(),
                    language: language.to_owned(),
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) if line.is_empty() => {}
            (None, None) => heading = line,
        }
    }
    blocks
}

/// The commands of the `console` blocks, each with the answer printed below it.
fn exchanges(blocks: &[Block]) -> Vec<(&str, &str)> {
    let consoles = blocks.iter().filter(|block| block.language == "console");
    consoles
        .flat_map(|block| block.text.split("$ ").filter(|text| !text.is_empty()))
        .filter_map(|text| text.split_once('\n'))
        .collect()
}

/// The manifest as printed, with the crates of this checkout in place of released ones.
fn manifest(text: &str) -> String {
    let checkout = checkout();
    let lines = text
        .lines()
        .map(|line| match line.split_once(" = \"0.1\"") {
            Some((name, "")) if name.starts_with("znight") => {
                let path = checkout.join(name);
                format!("{name} = {{ path = '{}' }}\n", path.display())
            }
            _ => format!("{line}\n"),
        });
    lines.collect()
}

/// What rustc said, from the first error to Cargo's last words.
fn picture(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).replace('\\', "/");
    let start = text.find("warning").into_iter().chain(text.find("error"));
    let start = start.min().unwrap_or_default();
    let end = text.find("error: could not compile").unwrap_or(text.len());
    format!("{}\n", text[start..end].trim_end())
}

/// The service, running.
struct Service {
    process: Child,
    address: String,
}

impl Service {
    /// Starts it and waits for the line that tells where it listens.
    fn start(program: &Path) -> Self {
        let mut process = Command::new(program)
            .env("NO_COLOR", "1")
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stderr = BufReader::new(process.stderr.as_mut().expect("a pipe"));
        let address = stderr
            .lines()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("listening on http://")?.1.trim().to_owned()));
        let address = address.expect("the program listens before it ends");
        Self { process, address }
    }

    /// The body of the answer to a GET.
    fn get(&self, target: &str) -> String {
        let mut connection = TcpStream::connect(&self.address).expect("a connection");
        let request =
            format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        connection.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        body.to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_first_hour_goes_as_printed() {
    let path = checkout().join("README.md");
    let readme = fs::read_to_string(&path).expect("the README");
    let blocks = blocks(&readme);
    let packages = Packages::alone();
    let cargo = |arguments: &[&str]| {
        let output = packages.cargo("hello", arguments);
        assert!(
            output.status.success(),
            "{arguments:?}\n{}",
            printed(&output)
        );
    };

    // A new package.
    let exchanges = exchanges(&blocks);
    assert!(exchanges.contains(&("cargo init hello", "")));
    let output = packages.cargo("", &["init", "hello"]);
    assert!(output.status.success(), "{}", printed(&output));
    let mut files = Vec::new();
    for block in &blocks {
        if let Some(file) = block.file() {
            let text = match file {
                "Cargo.toml" => manifest(&block.text),
                // On a free port.
                "src/main.rs" => block.text.replace(".port(3000)", ".port(0)"),
                _ => block.text.clone(),
            };
            packages.write(&format!("hello/{file}"), &text);
            files.push(file);
        }
    }
    assert_eq!(
        files,
        [
            "Cargo.toml",
            "build.rs",
            "src/greetings.rs",
            "src/hello.rs",
            "src/lib.rs",
            "src/main.rs",
            "tests/hello.rs"
        ]
    );
    let lock = fs::read_to_string(packages.path().join("Cargo.lock")).expect("the lock file");
    packages.write("hello/Cargo.lock", &lock);
    packages.remove("Cargo.lock");

    // Run it.
    cargo(&["build"]);
    let program = format!("debug/hello{}", std::env::consts::EXE_SUFFIX);
    let service = Service::start(&packages.target().join(program));
    let mut requests = 0;
    for (command, expected) in &exchanges {
        if let Some(target) = command.strip_prefix("curl -s localhost:3000") {
            assert_eq!(service.get(target), expected.trim_end(), "{command}");
            requests += 1;
        }
    }
    assert_eq!(requests, 3);
    drop(service);

    // Break it.
    let greetings = packages.path().join("hello/src/greetings.rs");
    let sound = fs::read_to_string(greetings).expect("the file");
    let broken = sound.replace(BROKEN.0, BROKEN.1);
    assert_ne!(broken, sound);
    packages.write("hello/src/greetings.rs", &broken);
    let output = packages.cargo("hello", &["build"]);
    assert!(!output.status.success());
    let found = picture(&output);
    let shown = blocks
        .iter()
        .find(|block| block.language == "text")
        .expect("a picture");
    let golden_file = checkout().join("tests/readme/missing-provider.txt");
    if std::env::var_os("UPDATE").is_some() {
        let (old, new) = (&shown.text, &found);
        let updated = readme.replacen(
            &format!("```text\n{old}```\n"),
            &format!("```text\n{new}```\n"),
            1,
        );
        fs::write(&path, updated).expect("the README is written");
        fs::write(&golden_file, &found).expect("the golden file is written");
    } else {
        let golden = fs::read_to_string(&golden_file).expect("the golden file");
        assert_eq!(found, golden, "{}", printed(&output));
        assert_eq!(
            shown.text, golden,
            "the picture in the README is another one"
        );
    }

    // Put it back, and test it.
    packages.write("hello/src/greetings.rs", &sound);
    cargo(&["test"]);
}
