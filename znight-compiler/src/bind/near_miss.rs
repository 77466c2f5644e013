//! What came close to a missing provider.

use znight_contract::suggest;

use super::{
    candidates::{provides, trait_item},
    hidden, orphans,
};
use crate::{
    analyse::{Application, Implementation, factory_of},
    cfg::Condition,
    diagnostic::join,
    facts::{FactoryFact, ItemKind, Parsed, ProviderFact},
    model::{At, Injection, Occurrence, Provider},
    resolve::{Item, ItemId, Scope, Substitution, TraitRef, Ty, unify},
};

/// At most this many near misses of one kind are listed.
const MOST: usize = 3;

/// The hints for an injection nothing fits: candidates that were turned down and why, then what to
/// do. `all` are the providers of the type, whatever their names.
pub(crate) fn hints(
    app: &Application<'_>,
    injection: &Injection,
    target: &Ty,
    all: &[usize],
) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(name) = &injection.qualifier
        && !all.is_empty()
    {
        hints.extend(other_names(app, name, all));
        return hints;
    }
    match target {
        Ty::Dyn(object, _) => trait_hints(app, object, &mut hints),
        _ => type_hints(app, target, &mut hints),
    }
    wrapped_otherwise(app, target, &mut hints);
    same_name_elsewhere(app, target, &mut hints);
    written_otherwise(app, target, &mut hints);
    switched_off(app, target, &mut hints);
    if hints.is_empty() {
        hints = hidden::providing(app, target);
        hints.truncate(MOST);
    }
    if hints.is_empty() {
        hints.extend(fallback(app, injection, target));
        hints.extend(their_own(app, target).into_iter().take(MOST));
    }
    hints
}

fn other_names(app: &Application<'_>, wanted: &str, all: &[usize]) -> Vec<String> {
    let names: Vec<&str> = all
        .iter()
        .filter_map(|index| app.providers[*index].name.as_deref())
        .collect();
    let unnamed: Vec<String> = all
        .iter()
        .filter(|index| app.providers[**index].name.is_none())
        .map(|index| describe(app, *index))
        .take(MOST)
        .collect();
    let mut hints = Vec::new();
    if let Some(close) = suggest::closest(wanted, names.iter().copied()) {
        hints.push(format!("did you mean \"{close}\"?"));
    } else if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        hints.push(match &names[..] {
            [only] => format!("the only name is {only}"),
            names => format!("the names that exist are {}", join(names)),
        });
    }
    if !unnamed.is_empty() {
        hints.push(format!(
            "{} has no name: add `name = \"{wanted}\"` to its attribute",
            join(&unnamed)
        ));
    }
    hints
}

fn type_hints(app: &Application<'_>, target: &Ty, hints: &mut Vec<String>) {
    let Ty::Local(item, args) = target else {
        return;
    };
    let program = app.program();
    let same_type: Vec<String> = app
        .providers
        .iter()
        .filter(|provider| matches!(&provider.ty, Ty::Local(other, others) if other == item && others != args))
        .map(|provider| provider.ty.display(program))
        .take(MOST)
        .collect();
    if !same_type.is_empty() {
        hints.push(format!(
            "the type arguments differ: {} is provided",
            join(&same_type)
        ));
    } else if program.is_own(program.items[*item].file) && !is_marked(app, *item) {
        hints.push(format!(
            "{} ({}) is not a provider: {}",
            program.item_name(*item),
            program.place(*item),
            way_to_provide(app, target)
        ));
    }
}

/// Whether an item has an attribute that is switched off: another one is not what it lacks.
fn is_marked(app: &Application<'_>, item: ItemId) -> bool {
    app.occurrences.iter().any(|occurrence| {
        occurrence.item == item
            && matches!(occurrence.marked.parsed, Parsed::Injectable(_))
            && off(app, occurrence).is_some()
    })
}

/// How a type of the crate becomes a provider: only a struct without parameters can be marked itself.
pub(super) fn way_to_provide(app: &Application<'_>, ty: &Ty) -> String {
    let program = app.program();
    let display = ty.display(program);
    match ty {
        Ty::Local(item, args) => match &program.items[*item].fact.kind {
            ItemKind::Struct(_) if args.is_empty() => "add `#[injectable]`".to_owned(),
            ItemKind::Struct(_) => format!(
                "write `#[injectable] impl {display} {{ fn new() -> Self {{ .. }} }}`, or provide it from a factory"
            ),
            _ => format!(
                "provide a value from a factory: {}",
                factory_of("", "value", &display)
            ),
        },
        _ => format!(
            "provide it from a factory: {}",
            factory_of("", "value", &written(app, ty))
        ),
    }
}

fn trait_hints(app: &Application<'_>, object: &TraitRef, hints: &mut Vec<String>) {
    let program = app.program();
    let implementors = app.traits.implementors(object);
    for found in implementors.iter().take(MOST) {
        if let Some(provider) = provider_of(app, found) {
            hints.push(format!(
                "{} implements {} under bounds that are not seen to hold: if they do, declare `as(dyn {})` in its attribute",
                describe(app, provider),
                object.display(program),
                object.display(program),
            ));
            continue;
        }
        // What a library could provide comes after what this crate can do.
        if let Ty::Local(item, _) = found.self_ty
            && program.is_own(program.items[item].file)
        {
            hints.push(format!(
                "{} ({}) implements {} but is not a provider: {}",
                found.self_ty.display(program),
                program.place(item),
                object.display(program),
                way_to_provide(app, &found.self_ty),
            ));
        }
    }
    if implementors.is_empty()
        && let Some(item) = trait_item(object)
    {
        let undeclared = orphans::implementing(program, app.sources, program.item_name(item));
        hints.extend(undeclared.into_iter().take(MOST));
    }
    if implementors.is_empty() {
        let others: Vec<String> = app
            .traits
            .other_arguments(object)
            .iter()
            .map(|found| {
                format!(
                    "{} implements {}",
                    found.self_ty.display(program),
                    found.implemented.display(program)
                )
            })
            .take(MOST)
            .collect();
        if others.is_empty() {
            deriving(app, object, hints);
            resembling(app, object, hints);
        } else {
            hints.push(format!("the type arguments differ: {}", join(&others)));
        }
    }
}

/// The provider whose type an impl is about.
fn provider_of(app: &Application<'_>, found: &Implementation) -> Option<usize> {
    app.providers
        .iter()
        .position(|provider| unify(&found.self_ty, &provider.ty, &mut Substitution::new()))
}

/// Providers with a derive of that name, whose output is out of sight.
fn deriving(app: &Application<'_>, object: &TraitRef, hints: &mut Vec<String>) {
    let program = app.program();
    let path = object.token(program);
    let name = path.split('<').next().unwrap_or_default();
    let name = name.rsplit("::").next().unwrap_or(name);
    let derives = |provider: &&Provider| match &provider.ty {
        Ty::Local(item, _) => match &program.items[*item].fact.kind {
            ItemKind::Struct(fact) => fact.derives.iter().any(|derive| derive == name),
            _ => false,
        },
        _ => false,
    };
    for provider in app.providers.iter().filter(derives).take(MOST) {
        hints.push(format!(
            "{} derives {name}, and what a derive writes is not seen: declare it, `#[injectable(as(dyn {}))]`",
            describe_provider(app, provider),
            object.display(program),
        ));
    }
}

/// Providers whose names say that they are meant to implement a trait.
fn resembling(app: &Application<'_>, object: &TraitRef, hints: &mut Vec<String>) {
    let program = app.program();
    let Some(item) = trait_item(object) else {
        return;
    };
    let name = program.item_name(item);
    let resembles = |provider: &&Provider| matches!(&provider.ty, Ty::Local(item, _) if program.item_name(*item).contains(name));
    for provider in app.providers.iter().filter(resembles).take(MOST) {
        hints.push(format!(
            "{} is a provider, but does not implement {name}: write `impl {} for {}`",
            describe_provider(app, provider),
            object.display(program),
            provider.ty.display(program),
        ));
    }
}

/// Providers of the same thing in another wrapper: `Box<dyn Repo>`.
fn wrapped_otherwise(app: &Application<'_>, target: &Ty, hints: &mut Vec<String>) {
    let program = app.program();
    for provider in &app.providers {
        if let Ty::Foreign(path, args) = &provider.ty
            && let [inner] = &args[..]
            && matches!(path.as_str(), "std::boxed::Box" | "std::rc::Rc")
            && inner == target
        {
            hints.push(format!(
                "{} provides `{}`: let it return `Arc<{}>`",
                describe_provider(app, provider),
                provider.ty.display(program),
                target.display(program),
            ));
        }
    }
}

fn same_name_elsewhere(app: &Application<'_>, target: &Ty, hints: &mut Vec<String>) {
    let program = app.program();
    match target {
        Ty::Local(item, _) => {
            let name = program.item_name(*item);
            for provider in &app.providers {
                if let Ty::Local(other, _) = &provider.ty
                    && other != item
                    && program.item_name(*other) == name
                {
                    hints.push(format!(
                        "another {name} is a provider: this is `{}`, the other `{}`: check the import",
                        program.item_path(*item),
                        program.item_path(*other),
                    ));
                }
            }
        }
        Ty::Dyn(object, _) => {
            let Some(item) = trait_item(object) else {
                return;
            };
            let name = program.item_name(item);
            for other in 0..program.items.len() {
                let is_trait = matches!(program.items[other].fact.kind, ItemKind::Trait(_));
                if other == item || !is_trait || program.item_name(other) != name {
                    continue;
                }
                let twin = TraitRef {
                    path: crate::resolve::Found::Item(other),
                    ..(**object).clone()
                };
                if let Some(provider) = app
                    .providers
                    .iter()
                    .find(|provider| provides(app, provider, &twin))
                {
                    hints.push(format!(
                        "{} implements another {name}: this is `{}`, the other `{}`: check the import",
                        provider.display,
                        program.item_path(item),
                        program.item_path(other),
                    ));
                }
            }
        }
        _ => {}
    }
}

/// Providers of a type of another crate that has the same name and another path.
fn written_otherwise(app: &Application<'_>, target: &Ty, hints: &mut Vec<String>) {
    let Ty::Foreign(path, _) = target else {
        return;
    };
    let last = path.rsplit("::").next();
    for provider in &app.providers {
        if let Ty::Foreign(other, _) = &provider.ty
            && other != path
            && other.rsplit("::").next() == last
        {
            hints.push(format!(
                "{} provides `{other}`, and this is `{path}`: if they are one type that could not be followed to its source, write both the same way",
                describe_provider(app, provider)
            ));
        }
    }
}

/// Providers that a `cfg` switches off.
fn switched_off(app: &Application<'_>, target: &Ty, hints: &mut Vec<String>) {
    for occurrence in app.occurrences {
        match &occurrence.marked.parsed {
            Parsed::Injectable(parsed) => injectable_off(app, occurrence, parsed, target, hints),
            Parsed::Factory(parsed) => methods_off(app, occurrence, parsed, target, hints),
            _ => {}
        }
    }
    if let Ty::Dyn(object, _) = target {
        implementation_off(app, object, hints);
    }
}

/// What switches an annotated item off, if something does: a condition around it, or one of its attribute.
fn off<'a>(app: &'a Application<'_>, occurrence: &'a Occurrence) -> Option<&'a Condition> {
    let program = app.program();
    let item = &program.items[occurrence.item];
    if occurrence.live.within(app.resolver.world) {
        return None;
    }
    let cfg = &program.crate_of(item.module).cfg;
    let attributes = item.fact.attributes.get(occurrence.marked.attribute);
    item_off(app, item)
        .or_else(|| attributes.and_then(|found| cfg.culprit(&found.conditions, app.resolver.world)))
}

/// What switches an item off in this world.
fn item_off<'a>(app: &'a Application<'_>, item: &'a Item) -> Option<&'a Condition> {
    if item.live.within(app.resolver.world) {
        return None;
    }
    let cfg = &app.program().crate_of(item.module).cfg;
    cfg.culprit(&item.fact.conditions, app.resolver.world)
        .or(item.off.as_ref())
}

fn injectable_off(
    app: &Application<'_>,
    occurrence: &Occurrence,
    parsed: &ProviderFact,
    target: &Ty,
    hints: &mut Vec<String>,
) {
    let program = app.program();
    let (Some(condition), Some(name)) = (off(app, occurrence), parsed.self_ty.last()) else {
        return;
    };
    let fits = match target {
        Ty::Local(wanted, _) => program.item_name(*wanted) == name,
        Ty::Dyn(object, _) => off_implementation(app, object, name),
        _ => false,
    };
    if fits {
        hints.push(format!(
            "{name} ({}) would fit, but is switched off by `cfg({condition})`",
            program.place(occurrence.item)
        ));
    }
}

/// Methods of factories that a `cfg` switches off.
fn methods_off(
    app: &Application<'_>,
    occurrence: &Occurrence,
    parsed: &FactoryFact,
    target: &Ty,
    hints: &mut Vec<String>,
) {
    let program = app.program();
    let module = program.items[occurrence.item].module;
    let cfg = &program.crate_of(module).cfg;
    for method in &parsed.methods {
        let condition =
            off(app, occurrence).or_else(|| cfg.culprit(&method.conditions, app.resolver.world));
        let Some(condition) = condition else { continue };
        let provided = app.resolver.ty(&method.provided, &Scope::module(module));
        let fits = match (target, &provided) {
            (Ty::Dyn(wanted, _), Ty::Dyn(found, _)) => wanted == found,
            (Ty::Dyn(wanted, _), found) => app.traits.implementation(found, wanted).is_some(),
            (wanted, found) => wanted == found,
        };
        if fits {
            let at = At {
                occurrence: index_of(app, occurrence),
                place: method.name.place,
            };
            hints.push(format!(
                "{}::{} ({}) would fit, but is switched off by `cfg({condition})`",
                parsed.self_ty.last().unwrap_or_default(),
                method.name.text,
                app.show(at)
            ));
        }
    }
}

/// The number of an annotated item.
fn index_of(app: &Application<'_>, occurrence: &Occurrence) -> usize {
    app.occurrences
        .iter()
        .position(|other| std::ptr::eq(other, occurrence))
        .expect("invariant: one of them")
}

/// Impls that a `cfg` switches off, of types that are providers.
fn implementation_off(app: &Application<'_>, object: &TraitRef, hints: &mut Vec<String>) {
    let program = app.program();
    for item in &program.items {
        let ItemKind::Impl(fact) = &item.fact.kind else {
            continue;
        };
        let Some(condition) = item_off(app, item) else {
            continue;
        };
        let scope = Scope::module(item.module).with_params(&fact.generics);
        let of = |provider: &&Provider| {
            let ty = app.resolver.ty(&fact.self_ty, &scope);
            unify(&ty, &provider.ty, &mut Substitution::new())
        };
        if app
            .resolver
            .trait_ref(&fact.path, &scope)
            .is_some_and(|found| found.path == object.path)
            && let Some(provider) = app.providers.iter().find(of)
        {
            hints.push(format!(
                "{} implements {} only under `cfg({condition})`, which is off ({}:{})",
                provider.display,
                object.display(program),
                program.file_name(item.file),
                item.fact.name_at.line,
            ));
        }
    }
}

/// Whether a switched-off impl gives the trait to a type of that name.
fn off_implementation(app: &Application<'_>, object: &TraitRef, name: &str) -> bool {
    let program = app.program();
    let Some(wanted) = trait_item(object) else {
        return false;
    };
    program.items.iter().any(|item| {
        let ItemKind::Impl(fact) = &item.fact.kind else {
            return false;
        };
        fact.path.last() == program.item_name(wanted) && fact.self_ty.last() == Some(name)
    })
}

fn fallback(app: &Application<'_>, injection: &Injection, target: &Ty) -> Vec<String> {
    let here = is_here(app, injection.at);
    if let Ty::Dyn(object, _) = target {
        let name = target.display(app.program());
        let name = name.trim_start_matches("dyn ");
        if here {
            let ty = format!("Arc<dyn {name}>");
            let options = name_option(injection);
            return vec![
                format!(
                    "no impl of {name} is seen in this crate: write one for an `#[injectable]` type, or declare one that a macro writes: `#[injectable(as(dyn {name}))]`"
                ),
                format!(
                    "or provide it from a factory: {}",
                    factory_of(&options, snake(&injection.label), &ty)
                ),
            ];
        }
        // A library asks: it leaves the implementation to whoever uses it.
        return vec![match trait_item(object).map(|item| nameable(app, item)) {
            Some(None) => format!(
                "this crate cannot name {name}, so it is for the library to implement or to make public"
            ),
            path => format!(
                "implement {} on a type of this crate and mark it `#[injectable]`",
                path.flatten().unwrap_or_else(|| name.to_owned())
            ),
        }];
    }
    let display = match target {
        Ty::Local(item, args) if args.is_empty() => nameable(app, *item),
        _ => None,
    };
    let display = display.unwrap_or_else(|| written(app, target));
    let place = if here { "" } else { " of this crate" };
    vec![format!(
        "provide it from a factory{place}: {}",
        factory_of(&name_option(injection), snake(&injection.label), &display)
    )]
}

/// The option that gives a provider the name an injection asks for.
fn name_option(injection: &Injection) -> String {
    injection
        .qualifier
        .as_ref()
        .map(|name| format!("(name = \"{name}\")"))
        .unwrap_or_default()
}

/// A type as it can be pasted: those of other crates by their paths, which always work.
fn written(app: &Application<'_>, ty: &Ty) -> String {
    let program = app.program();
    match ty {
        Ty::Foreign(path, args) if args.is_empty() => program_path(app, path),
        _ => ty.display(program),
    }
}

/// The path of a type of another crate, by the name this crate has for it.
fn program_path(app: &Application<'_>, path: &str) -> String {
    app.resolver
        .foreign_path(0, path)
        .unwrap_or_else(|| path.to_owned())
}

/// Types of libraries that their own crates could provide.
fn their_own(app: &Application<'_>, target: &Ty) -> Vec<String> {
    let program = app.program();
    let items: Vec<ItemId> = match target {
        Ty::Local(item, _) => vec![*item],
        Ty::Dyn(object, _) => {
            let implementors = app.traits.implementors(object).into_iter();
            let of_type = |found: &Implementation| match found.self_ty {
                Ty::Local(item, _) => Some(item),
                _ => None,
            };
            implementors.filter_map(of_type).collect()
        }
        _ => Vec::new(),
    };
    items
        .into_iter()
        .map(|item| (item, &program.items[item]))
        .filter(|(_, found)| !program.is_own(found.file))
        .map(|(item, found)| {
            format!(
                "or let the library {} provide {}, which has no `#[injectable]` ({})",
                program.crate_of(found.module).name,
                program.item_name(item),
                program.place(item)
            )
        })
        .collect()
}

/// Whether an item stands in the crate that is built.
fn is_here(app: &Application<'_>, at: At) -> bool {
    app.program().is_own(app.occurrences[at.occurrence].file)
}

/// How the crate that is built names an item of another: its own have no need of a path.
fn nameable(app: &Application<'_>, item: ItemId) -> Option<String> {
    let program = app.program();
    if program.is_own(program.items[item].file) {
        return Some(program.item_name(item).to_owned());
    }
    let path = app.resolver.nameable(item, 0)?;
    Some(path.trim_start_matches("::").to_owned())
}

fn snake(label: &str) -> &str {
    if label.starts_with(|c: char| c.is_ascii_digit()) {
        "value"
    } else {
        label
    }
}

fn describe(app: &Application<'_>, index: usize) -> String {
    describe_provider(app, &app.providers[index])
}

fn describe_provider(app: &Application<'_>, provider: &Provider) -> String {
    format!("{} ({})", provider.display, app.show(provider.at))
}
