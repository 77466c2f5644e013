//! The records the macros read.

use std::collections::BTreeMap;

use znight_contract::codes::Severity;
use znight_syntax::record::{self, Coercion, Item, Note, ProviderGlue, Value};

use super::graph::{Plan, glue, provider_id, token};
use crate::{
    analyse,
    cfg::World,
    coerce::Object,
    diagnostic::{self, Conditional, Diagnostic, Worlds},
    extension::{decisions, extension_item, host_id},
    facts::{ItemFact, ItemKind, Region},
    model::{Occurrence, Provider, Want},
    resolve::Program,
    source,
};

/// The coercions each provider's glue has, by its token: those of what users run first.
pub(crate) type Glue = BTreeMap<(String, u64), Vec<(Object, String, bool)>>;

/// Joins the coercions of both worlds into the lists the glue will have.
pub(crate) fn coercions(plans: &[(World, Plan<'_>)]) -> Glue {
    let mut lists = Glue::new();
    for (world, plan) in plans {
        for (provider, coercions) in plan.app.providers.iter().zip(&plan.coercions.glue) {
            let list = lists.entry(key(provider)).or_default();
            for (object, text) in coercions {
                if !list.iter().any(|(known, ..)| known == object) {
                    list.push((
                        object.clone(),
                        text.clone(),
                        *world == World::Test && plans.len() > 1,
                    ));
                }
            }
        }
    }
    lists
}

/// What tells providers apart in both worlds.
pub(crate) fn key(provider: &crate::model::Provider) -> (String, u64) {
    let (occurrence, method) = glue(provider.origin);
    (
        provider.token.clone(),
        (occurrence as u64) << 16 | method.map_or(0, |method| method as u64 + 1),
    )
}

/// The record of each analysed file, by its path.
pub(crate) fn records(
    program: &Program,
    occurrences: &[Occurrence],
    plans: &[(World, Plan<'_>)],
    lists: &Glue,
    diagnostics: &[Diagnostic],
    conditional: &[Conditional],
) -> BTreeMap<String, Vec<Item>> {
    let mut files: BTreeMap<String, Vec<Item>> = program
        .files
        .iter()
        .filter(|file| file.krate == 0)
        .map(|file| (source::display(&file.path), Vec::new()))
        .collect();
    // Each provider once: which occurrence writes its glue.
    let mut owned: Vec<Vec<(&Plan<'_>, &Provider)>> = vec![Vec::new(); occurrences.len()];
    for (_, plan) in plans {
        for provider in &plan.app.providers {
            owned[provider.origin.occurrence()].push((plan, provider));
        }
    }
    for (number, occurrence) in occurrences.iter().enumerate() {
        let file = &program.files[occurrence.file];
        if file.krate != 0 {
            continue;
        }
        let item = &program.items[occurrence.item];
        let mut record = Item {
            attribute: occurrence.attribute.clone(),
            body: occurrence.marked.body,
            args: occurrence.marked.args,
            lines: (
                occurrence.marked.line as usize,
                item.fact.name_at.line as usize,
            ),
            name: about(&item.fact),
            providers: Vec::new(),
            host: None,
            values: values(plans, occurrence),
            broken: None,
            notes: Vec::new(),
        };
        for (plan, provider) in &owned[number] {
            let (_, method) = glue(provider.origin);
            let guard = decisions::has_glue(&plan.app, plan.shared, provider);
            if let Some(known) = record
                .providers
                .iter_mut()
                .find(|known| known.method == method)
            {
                known.guard |= guard;
                continue;
            }
            record.providers.push(ProviderGlue {
                id: provider_id(token(plan.shared, provider)),
                method,
                by_value: provider
                    .injections
                    .iter()
                    .map(|injection| matches!(injection.want, Want::Value(_)))
                    .collect(),
                coercions: lists
                    .get(&key(provider))
                    .into_iter()
                    .flatten()
                    .map(|(_, ty, test_only)| Coercion {
                        ty: ty.clone(),
                        test_only: *test_only,
                    })
                    .collect(),
                guard,
            });
        }
        record.host = plans.iter().find_map(|(_, plan)| {
            let item = extension_item(plan.app.resolver, occurrences, number)?;
            host_id(&plan.app, plan.shared, &item)
        });
        let conditional = conditional
            .iter()
            .map(|found| (&found.diagnostic, Some(&found.only)));
        let certain = diagnostics.iter().map(|found| (found, None));
        for (diagnostic, only) in certain.chain(conditional) {
            let Some(tokens) = diagnostic
                .place
                .tokens
                .filter(|tokens| tokens.occurrence == number)
            else {
                continue;
            };
            let worlds = worlds(diagnostic.worlds);
            // Where what rustc decides is no error, the glue is needed.
            if diagnostic.severity == Severity::Error && only.is_none() {
                record.broken = Some(record.broken.map_or(worlds, |broken| broken.union(worlds)));
            }
            record.notes.push(Note {
                code: diagnostic.code,
                severity: diagnostic.severity,
                worlds,
                in_args: tokens.place.region == Region::Args,
                first: tokens.place.first as usize,
                last: tokens.place.last as usize,
                message: diagnostic::message(diagnostic),
                only: only.cloned(),
            });
        }
        files
            .entry(source::display(&file.path))
            .or_default()
            .push(record);
    }
    files
}

/// The values of an item's arguments, those that both worlds share once.
fn values(plans: &[(World, Plan<'_>)], occurrence: &Occurrence) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let live: Vec<&(World, Plan<'_>)> = plans
        .iter()
        .filter(|(world, _)| occurrence.live.within(*world))
        .collect();
    for (world, plan) in &live {
        let worlds = if live.len() > 1 {
            self::worlds(Worlds::Only(*world))
        } else {
            record::Worlds::Both
        };
        for (key, text) in analyse::texts(plan.app.resolver, occurrence) {
            match found
                .iter_mut()
                .find(|known| known.key == key && known.text == text)
            {
                Some(known) => known.worlds = known.worlds.union(worlds),
                None => found.push(Value { key, worlds, text }),
            }
        }
    }
    found
}

fn worlds(worlds: Worlds) -> record::Worlds {
    match worlds {
        Worlds::Both => record::Worlds::Both,
        Worlds::Only(World::Production) => record::Worlds::Production,
        Worlds::Only(World::Test) => record::Worlds::Test,
    }
}

/// The name of the type an item is about.
pub(crate) fn about(fact: &ItemFact) -> String {
    let ty = match &fact.kind {
        ItemKind::Inherent(fact) => &fact.self_ty,
        ItemKind::Impl(fact) => &fact.self_ty,
        _ => return fact.name.clone().unwrap_or_default(),
    };
    ty.last().unwrap_or_default().to_owned()
}
