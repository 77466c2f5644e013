//! What is written below `OUT_DIR`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use znight_syntax::record;

/// What this build script is to be known by: one that was built again may find other things in the same text,
/// whatever version it has. None where the system does not say.
fn script() -> Option<String> {
    let meta = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH);
    Some(format!("{} {}\n", meta.len(), built.ok()?.as_nanos()))
}

/// What an earlier run of the same script kept; nothing when there is none.
pub(crate) fn kept(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap_or_default();
    let own = script().and_then(|script| bytes.strip_prefix(script.as_bytes()).map(<[u8]>::to_vec));
    own.unwrap_or_default()
}

/// Writes what the next run of this script may use; bytes that are there already are left alone.
pub(crate) fn keep(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let Some(script) = script() else {
        return Ok(());
    };
    let bytes = [script.as_bytes(), bytes].concat();
    if fs::read(path).ok().as_deref() == Some(&bytes[..]) {
        return Ok(());
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|error| describe(directory, &error))?;
    }
    fs::write(path, bytes).map_err(|error| describe(path, &error))
}

/// Brings a target's directory to the given content; files that are right already are left alone.
pub(crate) fn sync(
    directory: &Path,
    records: &BTreeMap<String, String>,
    graph: &str,
) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|error| describe(directory, &error))?;
    for (name, text) in records
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .chain([(record::GRAPH_FILE, graph)])
    {
        let path = directory.join(name);
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            fs::write(&path, text).map_err(|error| describe(&path, &error))?;
        }
    }
    for entry in fs::read_dir(directory)
        .map_err(|error| describe(directory, &error))?
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != record::GRAPH_FILE && !records.contains_key(&name) {
            fs::remove_file(entry.path()).map_err(|error| describe(&entry.path(), &error))?;
        }
    }
    Ok(())
}

/// Removes what belongs to targets that are no longer analysed, and prepares the rerun file.
pub(crate) fn finish(root: &Path, kept: &BTreeSet<String>) -> Result<(), String> {
    fs::create_dir_all(root).map_err(|error| describe(root, &error))?;
    for entry in fs::read_dir(root)
        .map_err(|error| describe(root, &error))?
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() && !kept.contains(&entry.file_name().to_string_lossy().into_owned()) {
            fs::remove_dir_all(&path).map_err(|error| describe(&path, &error))?;
        }
    }
    // Cargo reruns the script when this file is newer than its last run: an old date keeps it quiet
    // until a macro that finds the records stale gives it a new one.
    let path = root.join(record::RERUN_FILE);
    let file = fs::File::create(&path).map_err(|error| describe(&path, &error))?;
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(86_400))
        .map_err(|error| describe(&path, &error))
}

fn describe(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use super::sync;

    #[test]
    fn unchanged_files_are_left_alone_and_stale_ones_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let one = BTreeMap::from([
            ("a.idx".to_owned(), "a".to_owned()),
            ("b.idx".to_owned(), "b".to_owned()),
        ]);
        sync(directory.path(), &one, "graph").expect("written");
        let before = fs::metadata(directory.path().join("a.idx"))
            .and_then(|data| data.modified())
            .expect("a date");
        let two = BTreeMap::from([("a.idx".to_owned(), "a".to_owned())]);
        sync(directory.path(), &two, "other").expect("written");
        let after = fs::metadata(directory.path().join("a.idx"))
            .and_then(|data| data.modified())
            .expect("a date");
        assert_eq!(before, after);
        assert!(!directory.path().join("b.idx").exists());
        assert_eq!(
            fs::read_to_string(directory.path().join("graph.rs")).expect("text"),
            "other"
        );
    }
}
