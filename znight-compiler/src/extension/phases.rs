//! The phases of extensions that come after the analysis.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use znight_contract::{ErrorCode, codes::Severity};

use super::{
    CompilerExtension, ConditionalReport, Extensions, Generated, Generation, Printer, Validation,
    attempt,
};
use crate::{
    analyse::{Application, FAILURE_HINT, failed, failure},
    bind::Bindings,
    diagnostic::{Diagnostic, Location, Place, Worlds},
    model::{At, Sink},
    shared::Libraries,
    source::Span,
};

/// ZNIGHT018: extensions that cannot be told apart.
pub(crate) fn conflicts(extensions: &Extensions) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for extension in extensions.iter() {
        let Ok(name) = attempt(|| extension.name()) else {
            continue;
        };
        if !names.insert(name) {
            found.push(loose(format!("two compiler extensions are named `{name}`")));
        }
        for spec in attempt(|| extension.attributes()).unwrap_or_default() {
            match owners.get(&spec.path) {
                Some(owner) if *owner != name => found.push(loose(format!(
                    "the attribute `{}` belongs to two compiler extensions: `{owner}` and `{name}`",
                    spec.path
                ))),
                _ => {
                    owners.insert(spec.path, name);
                }
            }
        }
    }
    found
}

/// A problem of an extension that has no item: the build script is where it was added.
fn loose(message: String) -> Diagnostic {
    let location = Location::new("build.rs".to_owned(), Span::new((1, 1), (1, 1)));
    Diagnostic {
        code: ErrorCode::VersionMismatch,
        severity: Severity::Error,
        message,
        hints: Vec::new(),
        place: Place::elsewhere(location),
        related: Vec::new(),
        worlds: Worlds::Both,
    }
}

/// Where the phases put what they find.
pub(crate) struct Found<'f> {
    /// Problems on tokens.
    pub(crate) sink: &'f mut Sink,
    /// Problems without any.
    pub(crate) loose: &'f mut Vec<Diagnostic>,
    /// Problems that rustc decides whether they are there.
    pub(crate) conditional: &'f mut Vec<ConditionalReport>,
    /// Files that were read.
    pub(crate) watch: &'f mut BTreeSet<PathBuf>,
}

/// Lets every extension check the whole.
pub(crate) fn validate(
    app: &Application<'_>,
    bindings: &Bindings,
    extensions: &Extensions,
    found: &mut Found<'_>,
) {
    for (number, extension) in extensions.iter().enumerate() {
        let mut cx = Validation {
            app,
            bindings,
            number,
            sink: &mut *found.sink,
            loose: &mut *found.loose,
            conditional: &mut *found.conditional,
            watch: &mut *found.watch,
        };
        if let Err(message) = attempt(|| extension.validate(&mut cx)) {
            report(app, number, extension, &message, found);
        }
    }
}

/// What the extensions add to the graph, and the files they write.
pub(crate) fn generate(
    app: &Application<'_>,
    bindings: &Bindings,
    shared: &Libraries,
    extensions: &Extensions,
    found: &mut Found<'_>,
) -> (Vec<Generated>, BTreeMap<String, String>) {
    let printer = Printer {
        externs: &app.program().crates[0].externs,
    };
    let (mut sections, mut files) = (Vec::new(), BTreeMap::new());
    for (number, extension) in extensions.iter().enumerate() {
        let cx = Generation {
            app,
            bindings,
            shared,
            number,
            files: RefCell::default(),
        };
        let printed = attempt(|| extension.generate(&cx)).and_then(|section| {
            let Some(section) = section else {
                return Ok(None);
            };
            Ok(Some(Generated {
                name: name(extension.name()),
                ty: printer.path(&section.ty)?,
                value: printer.print(&section.value)?,
            }))
        });
        match printed {
            Ok(section) => sections.extend(section),
            Err(message) => report(app, number, extension, &message, found),
        }
        for (name, content) in cx.files.into_inner() {
            if name.contains(['/', '\\']) || name.starts_with('.') {
                let message = format!("`{name}` is not the name of a file");
                report(app, number, extension, &message, found);
            } else {
                files.insert(format!("{}-{name}", extension.name()), content);
            }
        }
    }
    (sections, files)
}

/// The name of the `static` of a section.
fn name(extension: &str) -> String {
    extension
        .chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => c.to_ascii_uppercase(),
            _ => '_',
        })
        .collect()
}

/// ZNIGHT018, at the first item of the extension; where it has none, at the first provider.
fn report(
    app: &Application<'_>,
    number: usize,
    extension: &dyn CompilerExtension,
    message: &str,
    found: &mut Found<'_>,
) {
    let items = app.extensions[number].items.iter();
    let of_item = items.map(|(number, _)| At {
        occurrence: *number,
        place: app.occurrences[*number].marked.name,
    });
    let of_provider = app.providers.iter().map(|provider| provider.at);
    let own = |at: &At| app.program().is_own(app.occurrences[at.occurrence].file);
    let at = of_item.chain(of_provider).find(own);
    if let Some(at) = at {
        found.sink.0.push(failed(extension, message, at));
    } else {
        let mut problem = loose(failure(extension, message));
        problem.hints.push(FAILURE_HINT.to_owned());
        found.loose.push(problem);
    }
}
