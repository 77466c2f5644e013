//! The build of an application: 500 providers, 100 controllers, 500 routes, for Znight and wired by
//! hand on axum.
//!
//! Both are generated into packages outside of the workspace, below the target directory, and are
//! checked and built by the real Cargo, offline, with the lock file of the checkout. What they depend
//! on is compiled beforehand and in no figure.
#![forbid(unsafe_code)]

use std::{
    env, fs,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

use znight_benches::{
    generate::{Flavor, Shape, lines},
    measure::{Samples, once},
    print::{Unit, constant, figure, note},
};

/// How often each build after an edit is repeated.
const ROUNDS: usize = 3;

/// The provider that is edited: one in the middle, with dependencies and dependents.
const EDITED: usize = 250;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            note(&format!("application: {problem}"));
            ExitCode::FAILURE
        }
    }
}

/// Targets, beside axum: 1.6 x for `cargo check` after an edit in one file (goal 1.2 x), 1.6 x for a
/// cold `cargo check` (1.3 x), 0.8 x for a cold `cargo build` (0.6 x). The build after an edit and the
/// size of the binary have no target.
///
/// An edit changes a number in the body of a method, as much as a file on disk can change without
/// changing what the graph says.
fn measure() -> Result<(), String> {
    let znight = Package::generate("znight", Flavor::Znight)?;
    let axum = Package::generate("axum", Flavor::Axum)?;
    for package in [&znight, &axum] {
        note(&format!(
            "{}: {} lines; compiling its dependencies",
            package.name, package.lines
        ));
        package.prepare("check")?;
        package.prepare("build")?;
    }

    for (command, target) in [("check", "cold check"), ("build", "cold build")] {
        let mut samples = [Samples::default(), Samples::default()];
        for (package, samples) in [&znight, &axum].into_iter().zip(&mut samples) {
            package.clean()?;
            samples.push(package.timed(command)?);
        }
        let [ours, theirs] = &samples;
        figure(
            &format!("application/{target}"),
            ours,
            Unit::S,
            Some(("axum", theirs)),
        );
    }

    let mut edit = 0;
    for command in ["check", "build"] {
        let mut samples = [Samples::default(), Samples::default()];
        // What Cargo left behind of the commands above is not the state an edit starts from.
        for package in [&znight, &axum] {
            package.cargo(command)?;
        }
        for _ in 0..ROUNDS {
            for (package, samples) in [&znight, &axum].into_iter().zip(&mut samples) {
                edit += 1;
                package.edit(edit)?;
                samples.push(package.timed(command)?);
            }
        }
        let [ours, theirs] = &samples;
        figure(
            &format!("application/{command} after an edit"),
            ours,
            Unit::S,
            Some(("axum", theirs)),
        );
    }

    constant(
        "application/debug binary",
        znight.binary_megabytes()?,
        "MB",
        Some(("axum", axum.binary_megabytes()?)),
    );
    for package in [&znight, &axum] {
        package.serves()?;
    }
    note("both applications answer");
    Ok(())
}

/// A generated package.
struct Package {
    name: &'static str,
    flavor: Flavor,
    directory: PathBuf,
    target: PathBuf,
    lines: usize,
}

impl Package {
    fn generate(name: &'static str, flavor: Flavor) -> Result<Self, String> {
        let around = target().join("bench-application");
        let directory = around.join(name);
        let sources = Shape::APPLICATION.sources(flavor);
        let package = Self {
            name,
            flavor,
            target: around.join(format!("{name}-target")),
            lines: lines(&sources),
            directory,
        };
        // What an earlier version of the generator wrote goes; the dependencies stay compiled.
        let _ = fs::remove_dir_all(package.directory.join("src"));
        for (path, text) in &sources {
            package.write(path, text)?;
        }
        package.write("Cargo.toml", &package.manifest())?;
        if flavor == Flavor::Znight {
            package.write("build.rs", "fn main() {\n    znight_build::compile();\n}\n")?;
        }
        let lock = fs::read_to_string(checkout().join("Cargo.lock"))
            .map_err(|error| format!("no Cargo.lock: {error}"))?;
        package.write("Cargo.lock", &lock)?;
        Ok(package)
    }

    fn manifest(&self) -> String {
        let checkout = checkout().display().to_string();
        let framework = match self.flavor {
            Flavor::Znight => format!(
                "znight = {{ path = \"{checkout}/znight\" }}\n\n\
                 [build-dependencies]\n\
                 znight-build = {{ path = \"{checkout}/znight-build\" }}\n\n\
                 [package.metadata.znight]\nallow = [\"ZNIGHT017\"]\n"
            ),
            Flavor::Axum => "axum = \"0.8\"\n".to_owned(),
        };
        format!(
            "[workspace]\n\n\
             [package]\nname = \"warehouse\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n\
             serde = {{ version = \"1\", features = [\"derive\"] }}\n\
             tokio = {{ version = \"1\", features = [\"macros\", \"net\", \"rt-multi-thread\"] }}\n\
             {framework}"
        )
    }

    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.directory.join(path);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    fn edit(&self, edit: usize) -> Result<(), String> {
        let (path, text) = Shape::APPLICATION.edited(self.flavor, EDITED, edit);
        self.write(&path, &text)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(arguments)
            .arg("--offline")
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_TERM_COLOR", "never")
            .env_remove("RUSTFLAGS")
            .stdin(Stdio::null());
        // What the outer Cargo says of this package is not meant for the inner one: dependencies that
        // look at it would be compiled anew.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command
    }

    /// Runs a command of Cargo, and fails when it fails or says anything about the code.
    fn cargo(&self, command: &str) -> Result<(), String> {
        let output = self
            .command(&[command])
            .output()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() && !said.contains("warning") {
            Ok(())
        } else {
            let last: Vec<&str> = said.lines().rev().take(20).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            let last = last.join("\n");
            Err(format!("{}: cargo {command} says:\n{last}", self.name))
        }
    }

    /// Compiles what it depends on, and itself.
    fn prepare(&self, command: &str) -> Result<(), String> {
        self.cargo(command)
    }

    /// Forgets what was compiled of the package, and only that.
    fn clean(&self) -> Result<(), String> {
        let output = self
            .command(&["clean", "--package", "warehouse"])
            .output()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    fn timed(&self, command: &str) -> Result<f64, String> {
        let (seconds, result) = once(|| self.cargo(command));
        result.map(|()| seconds)
    }

    fn binary(&self) -> PathBuf {
        self.target
            .join("debug")
            .join(format!("warehouse{}", env::consts::EXE_SUFFIX))
    }

    fn binary_megabytes(&self) -> Result<f64, String> {
        let length = fs::metadata(self.binary())
            .map_err(|error| format!("no binary: {error}"))?
            .len();
        let kilobytes = u32::try_from(length / 1000).unwrap_or(u32::MAX);
        Ok(f64::from(kilobytes) / 1000.0)
    }

    /// Starts the binary and asks for one item.
    fn serves(&self) -> Result<(), String> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .map_err(|error| format!("no free port: {error}"))?
            .port();
        let child = Command::new(self.binary())
            .arg(port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", self.name))?;
        let _running = Running(child);
        let reply = (0..100).find_map(|_| {
            thread::sleep(Duration::from_millis(50));
            ask(port).ok()
        });
        match reply {
            Some(reply) if reply.starts_with("HTTP/1.1 200") && reply.contains("\"item 7\"") => {
                Ok(())
            }
            Some(reply) => Err(format!("{} answers {reply}", self.name)),
            None => Err(format!("{} does not answer", self.name)),
        }
    }
}

/// A process that ends with the value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ask(port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream
        .write_all(b"GET /items042/7 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    Ok(reply)
}

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map(Path::to_owned)
        .unwrap_or_default()
}

/// The target directory of the workspace.
fn target() -> PathBuf {
    let given = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    checkout().join(given)
}
