//! The generated graph, printed readably without a formatter.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::PathBuf,
};

use znight_contract::{ErrorCode, METADATA_VERSION, ScopeKind, fingerprint};

use super::literal;
use crate::{
    Options,
    analyse::Application,
    bind::{self, Bindings},
    coerce::{Coercions, Object, type_text},
    diagnostic::{Diagnostic, docs_url},
    extension::{ConditionalReport, Generated},
    model::{Binding, Origin, Provider, Want},
    resolve::Program,
    shared::Libraries,
};

/// Everything the graph of one world is printed from.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The application.
    pub app: Application<'a>,
    /// Its bindings.
    pub bindings: Bindings,
    /// Its creation order.
    pub order: Vec<usize>,
    /// The trait objects each provider is handed out as.
    pub coercions: Coercions,
    /// What extensions add.
    pub(crate) sections: Vec<Generated>,
    /// Files that extensions write, by their names.
    pub(crate) files: BTreeMap<String, String>,
    /// What is wrong without a place of its own.
    pub(crate) loose: Vec<Diagnostic>,
    /// What may be wrong, which rustc decides.
    pub(crate) conditional: Vec<ConditionalReport>,
    /// Files that extensions read.
    pub(crate) watch: BTreeSet<PathBuf>,
    /// What the own builds of its libraries have written.
    pub(crate) shared: &'a Libraries,
    /// Whether something is wrong, so that there is no graph.
    pub failed: bool,
}

/// The id of a provider's glue, by the token its own crate knows it by.
pub(crate) fn provider_id(token: &str) -> u64 {
    fingerprint::id(&format!("provider {token}"))
}

/// The token of a provider as its own crate knows it.
pub(crate) fn token<'a>(shared: &'a Libraries, provider: &'a Provider) -> &'a str {
    let written = shared.get(&provider.origin);
    written.map_or(&provider.token, |written| &written.token)
}

/// The path of the marker a provider's glue hangs on.
pub(crate) fn marker<'a>(app: &'a Application<'_>, provider: &Provider) -> &'a str {
    &app.program().crate_of(provider.module).marker
}

/// What a library hands on to those who use it: the crates its sources name, among them the libraries
/// it uses itself.
///
/// Which of them are libraries only the application can tell: a package that Cargo keeps has no way to
/// ask.
pub fn library(program: &Program) -> String {
    let mut out = String::from(
        "/// The crates this one uses, for the graphs of applications.\n#[doc(hidden)]\npub mod __znight_libraries {\n",
    );
    for name in program.named_crates(0) {
        let _ = writeln!(out, "    pub use ::{name};");
    }
    out.push_str("}\n");
    out
}

/// The block that makes the graph of one world; `positions` gives the place of a coercion in the list
/// the provider's glue has.
pub fn graph(
    plan: &Plan<'_>,
    options: &Options,
    positions: &dyn Fn(usize, &Object) -> usize,
) -> String {
    let app = &plan.app;
    let facade = app.resolver.facade();
    let mut out = format!("{{\n        use ::{facade}::__private as z;\n\n");
    let w = &mut out;
    for section in &plan.sections {
        let _ = writeln!(
            w,
            "        static {}: {} = {};",
            section.name, section.ty, section.value
        );
    }
    let _ = writeln!(w, "        static GRAPH: z::GraphData = z::GraphData {{");
    let _ = writeln!(w, "            version: {METADATA_VERSION},");
    let _ = writeln!(
        w,
        "            compiler: {},",
        literal::string(&options.compiler)
    );
    let _ = writeln!(
        w,
        "            package: {},",
        literal::string(&app.program().crates[0].name)
    );
    list(
        w,
        12,
        "providers",
        (0..app.providers.len()).map(|index| entry(plan, index, options.source_locations)),
    );
    list(
        w,
        12,
        "order",
        plan.order.iter().map(|index| literal::number(*index)),
    );
    list(w, 12, "bindings", bindings(plan, positions).into_iter());
    list(
        w,
        12,
        "externals",
        plan.bindings
            .externals
            .iter()
            .filter_map(|external| external_entry(plan, *external)),
    );
    let sections = plan.sections.iter();
    list(
        w,
        12,
        "sections",
        sections.map(|section| format!("&{}", section.name)),
    );
    let _ = writeln!(w, "        }};");
    let _ = write!(w, "        ::{facade}::Graph::new(&GRAPH)\n    }}");
    out
}

/// What stands in for the graph while something is wrong that is said elsewhere.
pub fn stand_in(facade: &str) -> String {
    format!("::{facade}::Graph::empty()")
}

/// What stands in for the graph while rustc is expected to say what is wrong at these places. When rustc finds
/// nothing it comes to this: an application without its providers never runs.
pub fn left_to_rustc(places: &BTreeSet<String>) -> String {
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let what = match &places[..] {
        [] => "something that an attribute of Znight names".to_owned(),
        places => format!("what is asked for at {}", places.join(", ")),
    };
    let code = ErrorCode::UnresolvableInjection;
    let message = format!(
        "{code}: {what} cannot be followed\n  = hint: name a type that stands in the source instead of one that a macro makes\n  = docs: {}",
        docs_url(code),
    );
    format!("panic!(\"{{}}\", {})", literal::string(&message))
}

fn entry(plan: &Plan<'_>, index: usize, located: bool) -> String {
    let app = &plan.app;
    let provider = &app.providers[index];
    let mut out = String::from("z::Entry {\n");
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(out, "                    {name}: {value},");
    };
    field("token", &literal::string(&provider.token));
    field("display", &literal::string(&provider.display));
    let glue = format!(
        "<{} as z::Provide<{}>>::P",
        marker(app, provider),
        literal::id(provider_id(token(plan.shared, provider)))
    );
    field("provider", &with_objects(plan, index, glue));
    let scope = match provider.scope {
        ScopeKind::Singleton => "Singleton",
        ScopeKind::Request => "Request",
        ScopeKind::Transient => "Transient",
    };
    field("scope", &format!("z::ScopeKind::{scope}"));
    let name = provider.name.as_ref().map_or_else(
        || "None".to_owned(),
        |name| format!("Some({})", literal::string(name)),
    );
    field("name", &name);
    field("primary", if provider.primary { "true" } else { "false" });
    let deps: Vec<String> = provider
        .injections
        .iter()
        .zip(&plan.bindings.injections[index])
        .filter_map(|(injection, binding)| dependency(plan, index, &injection.want, binding))
        .collect();
    field("deps", &format!("&[{}]", deps.join(", ")));
    for (name, wanted) in [("uses", false), ("asks", true)] {
        let used: Vec<String> = plan.bindings.uses[index]
            .iter()
            .filter(|(_, lazy)| *lazy == wanted)
            .map(|(used, _)| literal::number(*used))
            .collect();
        field(name, &format!("&[{}]", used.join(", ")));
    }
    let file = app.occurrences[provider.at.occurrence].file;
    let source = format!(
        "Some(z::Source {{ file: {}, line: {} }})",
        literal::string(&app.program().file_name(file)),
        literal::number(provider.at.place.span.line as usize)
    );
    field("source", if located { &source } else { "None" });
    out.push_str("                }");
    out
}

/// The glue of a provider, with the trait objects that only this application knows of.
fn with_objects(plan: &Plan<'_>, index: usize, glue: String) -> String {
    let added = &plan.coercions.graph[index];
    let Some(ty) =
        type_text(&plan.app, &plan.app.providers[index].ty, 0).filter(|_| !added.is_empty())
    else {
        return glue;
    };
    let mut out = format!(
        "{{\n                        const P: z::Provider = {glue};\n                        z::Provider {{\n                            coerce: &[\n"
    );
    for position in 0..plan.coercions.glue[index].len() {
        let _ = writeln!(out, "                                P.coerce[{position}],");
    }
    for (_, object) in added {
        let _ = writeln!(
            out,
            "                                z::coercion::<{object}>(|h| z::Handle::new::<{object}>(h.arc::<{ty}>())),"
        );
    }
    out.push_str("                            ],\n                            ..P\n                        }\n                    }");
    out
}

fn dependency(plan: &Plan<'_>, index: usize, want: &Want, binding: &Binding) -> Option<String> {
    let externals = &plan.bindings.externals;
    let lazy = matches!(want, Want::Lazy(_) | Want::OptionalLazy(_));
    let optional = matches!(want, Want::Optional(_) | Want::OptionalLazy(_));
    Some(match binding {
        Binding::Provider(target) => {
            let variant = match (lazy, optional) {
                (true, true) => "OptionalLazy",
                (true, false) => "Lazy",
                (false, true) => "Optional",
                (false, false) => "One",
            };
            format!("z::Dep::{variant}({})", literal::number(*target))
        }
        Binding::Many(targets) => {
            let targets: Vec<String> = targets
                .iter()
                .map(|target| literal::number(*target))
                .collect();
            format!("z::Dep::Many(&[{}])", targets.join(", "))
        }
        Binding::External(external) => {
            let position = externals.iter().position(|known| known == external)?;
            let variant = if lazy { "LazyExternal" } else { "External" };
            format!("z::Dep::{variant}({})", literal::number(position))
        }
        Binding::Unbound => "z::Dep::Unbound".to_owned(),
        Binding::Interceptors => {
            let interceptors: Vec<String> = plan.app.providers[index]
                .intercepted
                .iter()
                .zip(&plan.bindings.intercepted[index])
                .filter_map(|(one, binding)| dependency(plan, index, &one.want, binding))
                .collect();
            format!("z::Dep::Interceptors(&[{}])", interceptors.join(", "))
        }
        Binding::Failed => return None,
    })
}

/// Which provider answers for a trait, and by which of its coercions.
fn bindings(plan: &Plan<'_>, positions: &dyn Fn(usize, &Object) -> usize) -> Vec<String> {
    let mut found = Vec::new();
    for index in 0..plan.app.providers.len() {
        for object in plan.coercions.of(index) {
            if bind::unqualified(&plan.app, &object.0) == Some(index) {
                found.push(format!(
                    "z::Binding {{ provider: {}, coercion: {} }}",
                    literal::number(index),
                    literal::number(positions(index, object)),
                ));
            }
        }
    }
    found
}

fn external_entry(plan: &Plan<'_>, external: usize) -> Option<String> {
    let external = &plan.app.externals[external];
    let ty = type_text(&plan.app, &external.ty, 0)?;
    let scope = if external.scope == ScopeKind::Request {
        "Request"
    } else {
        "Singleton"
    };
    Some(format!(
        "z::External {{ type_id: z::type_id_of::<{ty}>, display: {}, provided_by: {}, scope: z::ScopeKind::{scope} }}",
        literal::string(&external.ty.display(plan.app.program())),
        literal::string(&external.provided_by),
    ))
}

/// A field with a list, one element a line; short lists of numbers on one line.
fn list(out: &mut String, indent: usize, name: &str, elements: impl Iterator<Item = String>) {
    let elements: Vec<String> = elements.collect();
    let pad = " ".repeat(indent);
    let width: usize = elements.iter().map(|element| element.len() + 2).sum();
    if width <= 80 && elements.iter().all(|element| !element.contains('\n')) {
        let _ = writeln!(out, "{pad}{name}: &[{}],", elements.join(", "));
        return;
    }
    let _ = writeln!(out, "{pad}{name}: &[");
    for element in elements {
        let _ = writeln!(out, "{pad}    {element},");
    }
    let _ = writeln!(out, "{pad}],");
}

/// The occurrence and method of a provider's glue, for its record.
pub(super) fn glue(origin: Origin) -> (usize, Option<usize>) {
    match origin {
        Origin::Injectable(occurrence) | Origin::Host(occurrence) => (occurrence, None),
        Origin::Method(occurrence, method) => (occurrence, Some(method)),
    }
}
