//! What Cargo and rustc say of a package: its root file, features, dependencies and target.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use znight_compiler::{cfg::Cfg, resolve::Externs};

/// A package to look at.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The name of its library.
    pub library: String,
    /// The root file of its library.
    pub root: PathBuf,
    /// What is switched on.
    pub cfg: Cfg,
    /// The names of other crates.
    pub externs: Externs,
}

/// The packages that the one of these benchmarks is built from, and may be, out of the registry and by name.
///
/// # Errors
/// When Cargo or rustc cannot be asked, with what they say.
pub fn from_registry() -> Result<Vec<Package>, String> {
    let verbose = output(Command::new(rustc()).arg("-vV"))?;
    let host = verbose
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("rustc does not say its host")?;
    let target = target(&output(Command::new(rustc()).args(["--print", "cfg"]))?);
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let metadata = output(
        Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["metadata", "--format-version", "1", "--offline"])
            .args([
                "--all-features",
                "--filter-platform",
                host,
                "--manifest-path",
            ])
            .arg(manifest),
    )?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut found: Vec<Package> = list(&metadata["packages"])
        .iter()
        .filter(|package| package["source"].is_string())
        .filter_map(|package| read(package, &metadata, &target))
        .collect();
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(found)
}

fn rustc() -> std::ffi::OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot run {}: {error}", command.get_program().display()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The target, in the lines of `rustc --print cfg`.
fn target(lines: &str) -> Cfg {
    lines
        .lines()
        .fold(Cfg::new(), |cfg, line| match line.split_once('=') {
            Some((name, value)) => cfg.pair(name, value.trim_matches('"')),
            None => cfg.name(line),
        })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn read(package: &Value, metadata: &Value, target: &Cfg) -> Option<Package> {
    let library = list(&package["targets"]).iter().find(|target| {
        list(&target["kind"])
            .iter()
            .any(|kind| matches!(kind.as_str(), Some("lib" | "rlib" | "proc-macro")))
    })?;
    let name = library["name"].as_str()?.replace('-', "_");
    let node = list(&metadata["resolve"]["nodes"])
        .iter()
        .find(|node| node["id"] == package["id"])?;
    let features = list(&node["features"]).iter().filter_map(Value::as_str);
    // What is declared, not what is resolved: tests have dependencies of their own, which Cargo resolves for
    // members of the workspace only.
    let declared = list(&package["dependencies"])
        .iter()
        .filter_map(|dependency| {
            let name = dependency["rename"]
                .as_str()
                .or_else(|| dependency["name"].as_str())?;
            Some(name.replace('-', "_"))
        });
    // The names of libraries may differ from those of their packages.
    let resolved = list(&node["deps"])
        .iter()
        .filter_map(|dependency| dependency["name"].as_str().map(str::to_owned));
    let mut crates: std::collections::BTreeSet<String> = declared.chain(resolved).collect();
    if list(&library["kind"])
        .iter()
        .any(|kind| kind == "proc-macro")
    {
        crates.insert("proc_macro".to_owned());
    }
    Some(Package {
        name: package["name"].as_str()?.to_owned(),
        version: package["version"].as_str()?.to_owned(),
        library: name,
        root: PathBuf::from(library["src_path"].as_str()?),
        cfg: features.fold(target.clone(), Cfg::feature),
        externs: Externs {
            facade: "znight".to_owned(),
            crates,
            rooted_uses: package["edition"] == "2015",
            ..Externs::default()
        },
    })
}
