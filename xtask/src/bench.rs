//! `cargo xtask bench`: runs every benchmark and prints one table.
//!
//! A package takes part with `[package.metadata.xtask] bench = true`. Each of its binaries prints one
//! line for each figure: name, value, unit, the peer it was measured beside, and the ratio to that
//! peer, separated by tabs; the last two may be empty. Other lines are shown as they are.

use std::process::Stdio;

use crate::{
    output::{say, table},
    workspace::{Workspace, cargo},
};

/// One measured figure.
type Figure = Vec<String>;

/// `cargo xtask bench [NAME..]`
pub(crate) fn command(names: &[&str]) -> Result<(), String> {
    let workspace = Workspace::load()?;
    let mut rows = vec![
        ["name", "value", "unit", "peer", "ratio"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut failed = Vec::new();
    let mut found = false;
    for package in workspace.packages.iter().filter(|package| package.bench) {
        for binary in &package.binaries {
            let label = format!("{}/{binary}", package.name);
            let by_name = package.bench_by_name.contains(binary);
            if !wanted(&label, names) || by_name && names.is_empty() {
                continue;
            }
            found = true;
            say(&format!("==> {label}"));
            match measure(&package.name, binary) {
                Ok(figures) => rows.extend(figures),
                Err(problem) => failed.push(format!("{label}: {problem}")),
            }
        }
    }
    if !found {
        return Err("bench: no benchmark of that name".to_owned());
    }
    say("");
    say(table(&rows).trim_end());
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("bench: failed:\n  {}", failed.join("\n  ")))
    }
}

fn wanted(label: &str, names: &[&str]) -> bool {
    names.is_empty() || names.iter().any(|name| label.contains(name))
}

fn measure(package: &str, binary: &str) -> Result<Vec<Figure>, String> {
    let output = cargo()
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            package,
            "--bin",
            binary,
        ])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut figures = Vec::new();
    for line in text.lines() {
        match figure(line) {
            Some(figure) => figures.push(figure),
            None => say(line),
        }
    }
    if output.status.success() {
        Ok(figures)
    } else {
        Err(output.status.to_string())
    }
}

fn figure(line: &str) -> Option<Figure> {
    let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
    (fields.len() == 5 && fields[1].parse::<f64>().is_ok()).then_some(fields)
}

#[cfg(test)]
mod tests {
    use super::{figure, wanted};

    #[test]
    fn a_figure_has_five_fields_and_a_number() {
        assert!(figure("boot\t1.5\tms\t\t").is_some());
        assert!(figure("http/json\t21000\tinstructions\thyper\t1.04").is_some());
        assert!(figure("warming up").is_none());
        assert!(figure("boot\tsoon\tms\t\t").is_none());
    }

    #[test]
    fn a_name_selects_what_contains_it() {
        assert!(wanted("benches/boot", &[]));
        assert!(wanted("benches/boot", &["http", "boot"]));
        assert!(!wanted("benches/boot", &["http"]));
    }
}
