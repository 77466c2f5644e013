//! The packages of a build, asked of Cargo once and kept as long as no manifest changes.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use znight_compiler::{
    facts::flat::{Flat, Input},
    packages::{FACADE, Package, Packages},
    settings::Settings,
};

use crate::settings;

/// What is asked.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The directory of the package that is built.
    pub(crate) package: &'a Path,
    /// The manifest of its workspace, where it is another one.
    pub(crate) workspace: Option<&'a Path>,
    /// Where the answer is kept.
    pub(crate) kept: &'a Path,
    /// The features of the package that are switched on.
    pub(crate) features: &'a str,
    /// The platform that is built for.
    pub(crate) target: &'a str,
}

impl Question<'_> {
    /// The packages; an explanation when Cargo cannot tell.
    pub(crate) fn ask(&self) -> Result<Packages, String> {
        if let Some(packages) = self.remembered() {
            return Ok(packages);
        }
        let packages = self.metadata()?;
        let mut files = vec![self.lock(), self.package.join("Cargo.toml")];
        files.extend(self.workspace.map(Path::to_owned));
        files.extend(
            packages
                .list
                .iter()
                .filter(|package| package.is_path)
                .map(|package| package.directory.join("Cargo.toml")),
        );
        files.sort();
        files.dedup();
        let files: Vec<(PathBuf, String)> = files
            .into_iter()
            .filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?)))
            .collect();
        let mut bytes = self.key().to_bytes();
        files.write(&mut bytes);
        packages.write(&mut bytes);
        // Without it the next build asks again.
        let _ = self.kept.parent().map(fs::create_dir_all);
        let _ = fs::write(self.kept, bytes);
        Ok(packages)
    }

    /// The lock file beside the manifest of the workspace.
    pub(crate) fn lock(&self) -> PathBuf {
        let manifest = self.workspace.and_then(Path::parent);
        manifest.unwrap_or(self.package).join("Cargo.lock")
    }

    /// Whether some package of the build uses the facade besides this one, as far as the lock file
    /// tells: only then can there be a provider library.
    pub(crate) fn may_have_libraries(&self) -> bool {
        fs::read_to_string(self.lock()).is_ok_and(|lock| {
            let own = fs::read_to_string(self.package.join("Cargo.toml")).unwrap_or_default();
            users_of_the_facade(&lock)
                .iter()
                .any(|name| !own.contains(&format!("name = \"{name}\"")))
        })
    }

    fn key(&self) -> String {
        format!(
            "znight packages {} {} {}",
            env!("CARGO_PKG_VERSION"),
            self.features,
            self.target
        )
    }

    fn remembered(&self) -> Option<Packages> {
        let bytes = fs::read(self.kept).ok()?;
        let mut input = Input::new(&bytes);
        if String::read(&mut input)? != self.key() {
            return None;
        }
        let files = <Vec<(PathBuf, String)>>::read(&mut input)?;
        let same =
            |(path, text): &(PathBuf, String)| fs::read_to_string(path).ok().as_ref() == Some(text);
        if !files.iter().all(same) {
            return None;
        }
        let packages = Packages::read(&mut input)?;
        // A registry that was cleaned, a checkout that was moved.
        let there = packages
            .list
            .iter()
            .filter_map(|package| package.library.as_ref())
            .all(|(_, root)| root.is_file());
        there.then_some(packages)
    }

    fn metadata(&self) -> Result<Packages, String> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--offline", "--locked"])
            .args(["--no-default-features", "--features", self.features])
            .args(["--filter-platform", self.target])
            .arg("--manifest-path")
            .arg(self.package.join("Cargo.toml"))
            .output()
            .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(format!("cargo metadata failed: {}", text.trim()));
        }
        let value: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("cannot read what cargo metadata says: {error}"))?;
        read(&value, self.package)
            .ok_or_else(|| "cargo metadata does not know this package".to_owned())
    }
}

/// The names of the packages in a lock file that depend on the facade.
fn users_of_the_facade(lock: &str) -> Vec<String> {
    let quoted = format!("\"{FACADE}\"");
    let versioned = format!("\"{FACADE} ");
    lock.split("[[package]]")
        .filter(|entry| {
            let dependencies = entry.split_once("dependencies = [");
            dependencies
                .is_some_and(|(_, list)| list.contains(&quoted) || list.contains(&versioned))
        })
        .filter_map(|entry| {
            let (_, rest) = entry.split_once("name = \"")?;
            Some(rest.split_once('"')?.0.to_owned())
        })
        .filter(|name| !name.starts_with("znight-"))
        .collect()
}

/// Picks out what the analysis needs.
fn read(value: &Value, package: &Path) -> Option<Packages> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let list = |value: &Value, key: &str| -> Vec<Value> {
        value
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let nodes = list(value.get("resolve")?, "nodes");
    let described = list(value, "packages");
    let ids: Vec<String> = nodes.iter().filter_map(|node| text(node, "id")).collect();
    let number = |id: &str| ids.iter().position(|known| known == id);
    let mut found = Packages::default();
    let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let own = canonical(&package.join("Cargo.toml"));
    let mut own_number = None;
    for (index, node) in nodes.iter().enumerate() {
        let id = text(node, "id")?;
        let package = described
            .iter()
            .find(|package| text(package, "id").as_ref() == Some(&id))?;
        let manifest = PathBuf::from(text(package, "manifest_path")?);
        if canonical(&manifest) == own {
            own_number = Some(index);
        }
        let library = list(package, "targets").iter().find_map(|target| {
            let is_library = list(target, "kind").iter().any(|kind| {
                matches!(
                    kind.as_str(),
                    Some("lib" | "rlib" | "dylib" | "cdylib" | "staticlib")
                )
            });
            let name = text(target, "name")?.replace('-', "_");
            is_library.then(|| Some((name, PathBuf::from(text(target, "src_path")?))))?
        });
        let at_run_time = |dependency: &&Value| {
            list(dependency, "dep_kinds")
                .iter()
                .any(|kind| kind.get("kind").is_none_or(Value::is_null))
        };
        let dependencies = list(node, "deps")
            .iter()
            .filter(at_run_time)
            .filter_map(|dependency| {
                let name = text(dependency, "name")?;
                Some((name, number(&text(dependency, "pkg")?)?))
            })
            .collect();
        let told = match package.get("metadata").and_then(|all| all.get("znight")) {
            Some(_) => settings(&manifest),
            None => Settings::default(),
        };
        found.list.push(Package {
            name: text(package, "name")?,
            version: text(package, "version")?,
            directory: manifest.parent()?.to_owned(),
            is_path: package.get("source").is_none_or(Value::is_null),
            library,
            rooted_uses: text(package, "edition").as_deref() == Some("2015"),
            provides: told.provides,
            interceptors: told.interceptors,
            features: list(node, "features")
                .iter()
                .filter_map(|feature| feature.as_str().map(str::to_owned))
                .collect(),
            dependencies,
        });
    }
    found.own = own_number?;
    Some(found)
}

/// What a package says of its plugins. What is wrong there is for its own build to say.
fn settings(manifest: &Path) -> Settings {
    let text = fs::read_to_string(manifest).unwrap_or_default();
    settings::read(&text).0
}

#[cfg(test)]
mod tests {
    use super::users_of_the_facade;

    #[test]
    fn packages_that_use_the_facade_are_found_in_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"auth\"\nversion = \"0.1.0\"\ndependencies = [\n \"serde\",\n \"znight\",\n]\n\n[[package]]\nname = \"old\"\ndependencies = [\n \"znight 0.1.0\",\n]\n\n[[package]]\nname = \"znight-testing\"\ndependencies = [\n \"znight\",\n]\n\n[[package]]\nname = \"other\"\ndependencies = [\n \"znight-build\",\n]\n";
        assert_eq!(users_of_the_facade(lock), ["auth", "old"]);
    }
}
