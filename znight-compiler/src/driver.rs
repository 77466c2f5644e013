//! From options and sources to an output: the phases, one after another.

use std::{
    cell::LazyCell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use znight_contract::{ErrorCode, RELEASE_LINE, codes::Severity};
use znight_syntax::record;

use crate::{
    Options, Output, Role, analyse, bind,
    cfg::{Cfg, World},
    coerce, diagnostic,
    diagnostic::{Conditional, Diagnostic, Location, Place, Worlds},
    emit,
    emit::Plan,
    extension,
    extension::ConditionalReport,
    facts::{Files, ItemKind, MemberFact, Whole},
    libraries,
    model::{Occurrence, Report, Sink},
    resolve,
    resolve::{Follower, Following, Program, Resolver},
    shared,
    shared::Libraries,
    source::{self, Span},
    validate,
};

pub(crate) fn analyse(options: &Options, files: &Files<'_>) -> Output {
    let mut program = resolve::load(
        &options.crate_name,
        &options.root,
        &options.cfg,
        &options.externs,
        files,
    );
    let mut loose = options.problems.clone();
    loose.extend(extension::conflicts(&options.extensions));
    if options.check {
        loose.extend(syntax_errors(&program));
    }
    let kinds = program.items.iter().map(|item| &item.fact.kind);
    let role = Role::of(kinds, &options.externs.facade);
    if options.libraries
        && role == Some(Role::Application)
        && let Some(packages) = files.sources().packages()
    {
        libraries::load(&mut program, &packages, options, files, &mut loose);
    }
    let whole = Whole::new(files.sources());
    let resolver = |world| Resolver::new(&program, world).reading(&whole);
    let production = resolver(World::Production);
    // Most applications have one world: what its names mean is not worked out twice.
    let tests = LazyCell::new(|| resolver(World::Test));
    loose.extend(no_libraries(&program, options));
    let occurrences = analyse::occurrences(&production, || &tests, files);
    let following = follow(&production, &occurrences, files, &options.cfg);
    let mut resolvers = vec![production.following(following.as_ref())];
    if differs(&program, &occurrences) {
        resolvers.push(tests.following(following.as_ref()));
    }
    let shared = shared::libraries(
        &program,
        role,
        files.sources(),
        &whole,
        &options.extensions,
        &occurrences,
    );
    let mut plans = Vec::new();
    let mut reported = Vec::new();
    let mut conditional: BTreeMap<&'static str, Vec<Vec<Diagnostic>>> = BTreeMap::new();
    for resolver in &resolvers {
        let (mut plan, mut diagnostics) =
            plan(resolver, files, options, &occurrences, role, &shared);
        let mut in_world: BTreeMap<&'static str, Vec<Diagnostic>> = BTreeMap::new();
        for ConditionalReport { report, only } in plan.conditional.drain(..) {
            let of_macro = in_world.entry(only).or_default();
            of_macro.push(report.locate(&program, &occurrences));
        }
        if resolvers.len() > 1 {
            for diagnostic in diagnostics
                .iter_mut()
                .chain(in_world.values_mut().flatten())
            {
                diagnostic.worlds = Worlds::Only(resolver.world);
            }
        }
        for (only, found) in in_world {
            conditional.entry(only).or_default().push(found);
        }
        // Both programs fail alike where no place tells them apart.
        for found in plan.loose.drain(..) {
            if !loose.contains(&found) {
                loose.push(found);
            }
        }
        plans.push((resolver.world, plan));
        reported.push(diagnostics);
    }
    let mut reported = reported.into_iter();
    let diagnostics = diagnostic::merge(
        reported.next().unwrap_or_default(),
        reported.next().unwrap_or_default(),
    );
    // What stands in another crate has no tokens here: it is said at `graph!()`.
    let (mut diagnostics, elsewhere): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|diagnostic| {
            diagnostic
                .place
                .tokens
                .is_none_or(|tokens| program.is_own(occurrences[tokens.occurrence].file))
        });
    loose.extend(elsewhere);
    diagnostic::sort(&mut loose);
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let failed = loose.iter().any(is_error);
    let said = failed || diagnostics.iter().any(is_error);
    let lists = emit::coercions(&plans);
    let graph = match role {
        Some(Role::Library) => emit::library(&program),
        _ => emit::file(options, &plans, &lists, failed, said),
    };
    let conditional = merged(conditional, &options.externs.facade);
    let items = emit::records(
        &program,
        &occurrences,
        &plans,
        &lists,
        &diagnostics,
        &conditional,
    );
    let read = |shown: &str| {
        let file = (0..program.files.len()).find(|file| program.file_name(*file) == shown);
        let path = file.map_or(Path::new(shown), |file| program.files[file].path.as_path());
        files.sources().read(path)
    };
    let messages = |severity: Severity| -> Vec<String> {
        loose
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .map(|diagnostic| diagnostic::message_with_frame(diagnostic, &read))
            .collect()
    };
    let (problems, warnings) = (messages(Severity::Error), messages(Severity::Warning));
    diagnostics.extend(loose);
    diagnostic::sort(&mut diagnostics);
    let target = record::Target {
        release: RELEASE_LINE.to_owned(),
        facade: format!("::{}", options.externs.facade),
        crate_name: options.crate_name.clone(),
        binary: options.binary.clone(),
        mocks: options.mocks,
        problems,
    };
    let mut records: BTreeMap<String, String> = items
        .iter()
        .map(|(file, items)| (record::file_name(file), record::Item::write_all(items)))
        .collect();
    records.insert(record::TARGET_FILE.to_owned(), target.write());
    let mut watch = program.watch.clone();
    for (_, plan) in &plans {
        watch.extend(plan.watch.iter().cloned());
        records.extend(plan.files.clone());
    }
    Output {
        graph,
        records,
        diagnostics,
        conditional,
        role,
        warnings,
        providers: plans[0].1.app.providers.len(),
        parsed: files.parsed(),
        watch,
    }
}

/// The problems that rustc decides about, those that both worlds share once, with the macros that do.
fn merged(found: BTreeMap<&'static str, Vec<Vec<Diagnostic>>>, facade: &str) -> Vec<Conditional> {
    let mut merged: Vec<Conditional> = Vec::new();
    for (only, in_worlds) in found {
        let only = format!("::{facade}::__private::{only}");
        let mut in_worlds = in_worlds.into_iter();
        let diagnostics = diagnostic::merge(
            in_worlds.next().unwrap_or_default(),
            in_worlds.next().unwrap_or_default(),
        );
        merged.extend(diagnostics.into_iter().map(|diagnostic| Conditional {
            diagnostic,
            only: only.clone(),
        }));
    }
    merged.sort_by(|a, b| diagnostic::order(&a.diagnostic, &b.diagnostic));
    merged
}

/// What follows names into other crates; none where no type of another crate is provided or asked for.
fn follow<'a>(
    resolver: &Resolver<'_>,
    occurrences: &[Occurrence],
    files: &'a Files<'a>,
    cfg: &'a Cfg,
) -> Option<Following<'a>> {
    let program = resolver.program;
    let mut paths = BTreeSet::new();
    for occurrence in occurrences {
        let module = program.items[occurrence.item].module;
        occurrence.marked.parsed.each_type(&mut |ty| {
            ty.each_path(&mut |path| {
                if let Some(found) = resolver.foreign(module, path) {
                    paths.insert((program.modules[module].krate, found));
                }
            });
        });
    }
    if paths.is_empty() {
        return None;
    }
    let packages = files.sources().packages()?;
    Some(Following::new(
        Follower::new(files, packages, cfg),
        program,
        &paths,
    ))
}

fn plan<'a>(
    resolver: &'a Resolver<'a>,
    files: &Files<'a>,
    options: &Options,
    occurrences: &'a [Occurrence],
    role: Option<Role>,
    shared: &'a Libraries,
) -> (Plan<'a>, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    for (number, occurrence) in occurrences.iter().enumerate() {
        // A library's own build says what is wrong with its items.
        if occurrence.live.within(resolver.world) && resolver.program.is_own(occurrence.file) {
            let problems = occurrence.marked.problems.iter();
            sink.0
                .extend(problems.map(|problem| Report::local(number, problem)));
        }
    }
    let mut app = analyse::build(
        resolver,
        files.sources(),
        &options.extensions,
        occurrences,
        role,
        &mut sink,
    );
    let interceptors = || {
        let mut interceptors = options.settings.interceptors.clone();
        if let Some(packages) = files.sources().packages() {
            interceptors.extend(packages.interceptors());
        }
        interceptors
    };
    analyse::intercepted(&mut app, interceptors, &mut sink);
    let mut supplied = options.settings.externals.clone();
    if let Some(following) = resolver.followed() {
        supplied.extend(following.packages().provides());
    } else if app.is_intercepted_from_elsewhere() {
        let packages = files.sources().packages();
        supplied.extend(packages.iter().flat_map(|packages| packages.provides()));
    }
    app.externals = bind::externals(resolver, &supplied);
    let mut bindings = bind::bind(&app, &mut sink);
    let settings = &options.settings;
    if role == Some(Role::Application) && (settings.report_unused || settings.prune) {
        let mentioned = mentioned(resolver.program, files, options);
        if settings.report_unused {
            validate::unused(&app, &bindings, &mentioned, &mut sink);
        }
        if settings.prune && !bindings.failed {
            app.keep(&validate::needed(&app, &bindings, &mentioned));
            bindings = bind::bind(&app, &mut sink);
        }
    }
    let order = validate::order(&app, &bindings, &mut sink);
    validate::scopes(&app, &bindings, &mut sink);
    validate::lifecycle(&app, &mut sink);
    let coercions = coerce::coercions(&app, &bindings, shared, &mut sink);
    let (mut loose, mut watch) = (Vec::new(), BTreeSet::new());
    let mut conditional = Vec::new();
    let mut found = extension::Found {
        sink: &mut sink,
        loose: &mut loose,
        conditional: &mut conditional,
        watch: &mut watch,
    };
    extension::validate(&app, &bindings, &options.extensions, &mut found);
    settings.apply(&mut found.sink.0);
    found
        .conditional
        .retain_mut(|conditional| settings.admits(&mut conditional.report));
    let wrong = |sink: &Sink| {
        let mut reports = sink.0.iter();
        reports.any(|report| report.severity == Severity::Error)
    };
    let mut failed =
        app.incomplete || app.broken || bindings.failed || !loose.is_empty() || wrong(&sink);
    let (mut sections, mut files) = (Vec::new(), BTreeMap::new());
    if !failed && role == Some(Role::Application) {
        let mut found = extension::Found {
            sink: &mut sink,
            loose: &mut loose,
            conditional: &mut conditional,
            watch: &mut watch,
        };
        (sections, files) =
            extension::generate(&app, &bindings, shared, &options.extensions, &mut found);
        failed = !loose.is_empty() || wrong(&sink);
    }
    let diagnostics = sink
        .0
        .into_iter()
        .map(|report| report.locate(resolver.program, occurrences))
        .collect();
    (
        Plan {
            app,
            bindings,
            order,
            coercions,
            sections,
            files,
            loose,
            conditional,
            watch,
            shared,
            failed,
        },
        diagnostics,
    )
}

/// ZNIGHT010: dependencies that the settings call libraries and that are none.
fn no_libraries(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let loaded = &program.crates[0].externs.loaded;
    let missing = options
        .settings
        .libraries
        .iter()
        .filter(|name| !loaded.contains_key(*name));
    missing
        .map(|name| Diagnostic {
            code: ErrorCode::UnresolvableInjection,
            severity: Severity::Warning,
            message: format!("`{name}` is listed under `libraries` and is no provider library"),
            hints: vec![format!(
                "put `znight::library!();` at the root of {name}, or take it off the list in Cargo.toml"
            )],
            place: Place::elsewhere(Location::new(
                "Cargo.toml".to_owned(),
                Span::new((1, 1), (1, 1)),
            )),
            related: Vec::new(),
            worlds: Worlds::Both,
        })
        .collect()
}

/// ZNIGHT022: files that could not be parsed.
fn syntax_errors(program: &Program) -> impl Iterator<Item = Diagnostic> {
    program
        .files
        .iter()
        .enumerate()
        .filter_map(|(file, found)| {
            let broken = found.broken.as_ref()?;
            Some(Diagnostic {
                code: ErrorCode::SyntaxError,
                severity: Severity::Error,
                message: format!("syntax error: {}", broken.message),
                hints: vec!["what the file holds is unknown until it can be read".to_owned()],
                place: Place::elsewhere(Location::new(program.file_name(file), broken.span)),
                related: Vec::new(),
                worlds: Worlds::Both,
            })
        })
}

/// The names of types in the bodies of the target's functions, and in those of the package's other
/// targets.
fn mentioned(program: &Program, files: &Files<'_>, options: &Options) -> BTreeSet<String> {
    let own = program.files.iter().filter(|file| file.krate == 0);
    let mut paths: BTreeSet<PathBuf> = own.map(|file| file.path.clone()).collect();
    for root in &options.others {
        let other = resolve::load("", root, &options.cfg, &options.externs, files);
        paths.extend(other.files.into_iter().map(|file| file.path));
    }
    paths
        .iter()
        .filter_map(|path| files.sources().read(path))
        .flat_map(|text| source::blank::mentioned(&text))
        .collect()
}

/// Whether unit tests may see another graph than users do.
fn differs(program: &Program, occurrences: &[Occurrence]) -> bool {
    let names_consts = occurrences.iter().any(|occurrence| {
        let arguments = occurrence.marked.parsed.arguments();
        arguments.iter().any(|argument| argument.key.is_some())
    });
    occurrences
        .iter()
        .any(|occurrence| occurrence.live.differs() || occurrence.marked.names_test)
        || program.items.iter().any(|item| {
            // A module of tests with helpers of its own changes nothing outside.
            let inside_tests = program.modules[item.module].live.differs();
            match &item.fact.kind {
                ItemKind::Impl(fact) if item.live.differs() => {
                    let name = fact.self_ty.last();
                    occurrences.iter().any(|occurrence| {
                        let found = &program.items[occurrence.item].fact;
                        name == Some(emit::about(found).as_str())
                    })
                }
                ItemKind::Module(_)
                | ItemKind::Static
                | ItemKind::Function
                | ItemKind::MacroRules => false,
                ItemKind::Const(_) => names_consts && item.live.differs() && !inside_tests,
                ItemKind::Inherent(fact) if names_consts && !inside_tests => {
                    let cfg = &program.crate_of(item.module).cfg;
                    let differs = |member: &MemberFact| {
                        cfg.allows(&member.conditions, World::Production)
                            != cfg.allows(&member.conditions, World::Test)
                    };
                    item.live.differs() || fact.consts.iter().any(differs)
                }
                _ => item.live.differs() && !inside_tests,
            }
        })
}
