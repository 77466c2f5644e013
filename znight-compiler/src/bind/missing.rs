//! What several injections lack is one mistake, and said once.

use std::collections::BTreeMap;

use znight_contract::ErrorCode;

use super::{Bindings, near_miss};
use crate::{
    analyse::Application,
    diagnostic::join,
    model::{At, Injection, Sink},
    resolve::Ty,
    validate,
};

/// At most this many of the others are named.
const NAMED: usize = 3;

/// Injections that nothing fits, by what they ask for.
#[derive(Debug, Default)]
pub(super) struct Missing<'a>(BTreeMap<(Ty, Option<String>), Vec<Need<'a>>>);

/// One injection that nothing fits.
#[derive(Debug)]
struct Need<'a> {
    /// Who asks, by number.
    by: usize,
    injection: &'a Injection,
    /// The providers of the type, whatever their names.
    all: Vec<usize>,
}

impl<'a> Missing<'a> {
    pub(super) fn add(
        &mut self,
        by: usize,
        injection: &'a Injection,
        target: &Ty,
        all: Vec<usize>,
    ) {
        let key = (target.clone(), injection.qualifier.clone());
        self.0
            .entry(key)
            .or_default()
            .push(Need { by, injection, all });
    }

    /// Reports each lack at the first place that has it, those of the crate being built before those of
    /// libraries.
    pub(super) fn report(self, app: &Application<'_>, bindings: &Bindings, sink: &mut Sink) {
        for ((target, qualifier), mut needs) in self.0 {
            let is_own = |need: &Need<'_>| {
                let occurrence = need.injection.at.occurrence;
                app.program().is_own(app.occurrences[occurrence].file)
            };
            // Otherwise in the order of tokens: the same whatever the order of files.
            needs.sort_by_key(|need| !is_own(need));
            let Some((first, others)) = needs.split_first() else {
                continue;
            };
            let display = target.display(app.program());
            let named = qualifier
                .as_ref()
                .map(|name| format!(" named \"{name}\""))
                .unwrap_or_default();
            let provider = &app.providers[first.by];
            let more = match others.len() {
                0 => String::new(),
                1 => " and 1 other place".to_owned(),
                count => format!(" and {count} other places"),
            };
            let mut hints = near_miss::hints(app, first.injection, &target, &first.all);
            let mut intercepted = provider.intercepted.iter();
            if intercepted.any(|one| std::ptr::eq(one, first.injection)) {
                hints.push(format!("it intercepts `{}`", first.injection.label));
            }
            hints.extend(way(app, bindings, first.by));
            let places = others.iter().map(|need| (need.by, at(need)));
            hints.extend(also(app, "it is required", places));
            let report = sink.error(
                ErrorCode::MissingProvider,
                at(first),
                format!(
                    "no provider for `{display}`{named}, required by {}{more}",
                    provider.display
                ),
                hints,
            );
            for other in others {
                let by = &app.providers[other.by].display;
                report.also(format!("required by {by} as well"), at(other));
            }
        }
    }
}

/// Where to point: at the name, when the type is provided and nobody has the name.
fn at(need: &Need<'_>) -> At {
    match need.injection.qualifier_at {
        Some(at) if !need.all.is_empty() => at,
        _ => need.injection.at,
    }
}

/// The other places that have the same mistake, a few of them named.
pub(super) fn also(
    app: &Application<'_>,
    what: &str,
    others: impl ExactSizeIterator<Item = (usize, At)>,
) -> Option<String> {
    let count = others.len();
    let mut places: Vec<String> = others
        .take(NAMED)
        .map(|(by, at)| format!("{} ({})", app.providers[by].display, app.show(at)))
        .collect();
    let rest = count - places.len();
    if rest > 0 {
        places.push(format!("{rest} more"));
    }
    (!places.is_empty()).then(|| format!("{what} by {} as well", join(&places)))
}

/// How the application comes to need a provider: the shortest way from something that starts by itself.
fn way(app: &Application<'_>, bindings: &Bindings, to: usize) -> Option<String> {
    let path = validate::path_from_root(app, bindings, to)?;
    (path.len() > 1).then(|| {
        let names: Vec<&str> = path
            .iter()
            .map(|node| app.providers[*node].display.as_str())
            .collect();
        format!("needed by way of {}", names.join(" -> "))
    })
}
