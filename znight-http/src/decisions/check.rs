//! The check of decisions at start: every route has those it needs, and a guard that enforces them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use znight_contract::{ErrorCode, decision::DecisionDef};
use znight_core::{Error, Source};

use super::{Decided, Enforcement, def_of_any};
use crate::definition::GuardDef;

/// A route as the check sees it.
pub(crate) struct Checked {
    /// `GET /users/{id} (Users::get)`
    pub(crate) name: String,
    /// What decides it: its controller and itself, each by name with what it decides.
    pub(crate) takes: Vec<(String, Cow<'static, [Decided]>)>,
    /// Its decisions.
    pub(crate) decisions: Vec<DecisionDef<'static>>,
    /// The guards in front of it.
    pub(crate) guards: Vec<GuardDef>,
    /// The plugin that serves it.
    pub(crate) plugin: Option<&'static str>,
    /// Where it is declared.
    pub(crate) source: Option<Source>,
}

/// What is known besides the routes.
pub(crate) struct Application<'a> {
    /// The decisions its sources define.
    pub(crate) defined: &'a [DecisionDef<'static>],
    /// Its guards, in front of a route or not.
    pub(crate) guards: Vec<GuardDef>,
    pub(crate) enforcement: Enforcement,
}

/// Routes in a message beyond this are counted.
const MOST_ROUTES: usize = 20;

/// Checks the decisions of all routes.
///
/// # Errors
/// ZNIGHT005 for decisions that contradict one another, else one ZNIGHT023 with everything that is missing.
pub(crate) fn check(routes: &[Checked], application: &Application<'_>) -> Result<(), Error> {
    let mut chain: BTreeMap<&'static str, GuardDef> = BTreeMap::new();
    for guard in routes.iter().flat_map(|route| &route.guards) {
        chain.entry((guard.name)()).or_insert(*guard);
    }
    let mut known = Known::default();
    for def in application.defined {
        known.add(*def, || "the application".to_owned(), None);
    }
    for route in routes {
        for (name, takes) in &route.takes {
            known.take(name, takes, route.source);
        }
    }
    for guard in chain.values() {
        for decision in guard.enforces {
            let who = || format!("the guard {} (`ENFORCES`)", guard.display());
            known.add(def_of_any(*decision), who, None);
        }
    }
    if let Some(error) = Error::all("the route decisions", known.errors) {
        return Err(error);
    }
    let of_guards: BTreeSet<&str> = chain
        .values()
        .chain(&application.guards)
        .flat_map(groups)
        .collect();
    let required: BTreeSet<&str> = known
        .defs
        .iter()
        .filter(|(def, _)| def.required)
        .map(|(def, _)| def.group)
        .collect();
    let mut problems: BTreeMap<&str, Problem<'_>> = BTreeMap::new();
    for route in routes {
        let decided: BTreeSet<&str> = route.decisions.iter().map(|def| def.group).collect();
        let enforced: BTreeSet<&str> = route.guards.iter().flat_map(groups).collect();
        for group in required.difference(&decided) {
            problems.entry(group).or_default().undecided.push(route);
        }
        for group in decided.difference(&enforced) {
            if required.contains(group) || of_guards.contains(group) {
                problems.entry(group).or_default().unenforced.push(route);
            }
        }
    }
    let tell = |(group, problem): (&str, Problem<'_>)| {
        let hints = problem.hints(group, &known.defs, &chain, application);
        (problem.message(group, required.contains(group)), hints)
    };
    let told = problems.into_iter().map(tell);
    match application.enforcement {
        Enforcement::Error => {
            let errors = told.map(|(message, hints)| {
                let error = Error::new(ErrorCode::MissingDecision, message);
                hints.into_iter().fold(error, Error::with_hint)
            });
            match Error::all("the check of route decisions", errors.collect()) {
                None => Ok(()),
                Some(error) => Err(error.with_hint(
                    "a test that goes without guards on purpose sets `HttpOptions::enforcement(Enforcement::Warn)`",
                )),
            }
        }
        Enforcement::Warn => {
            for (message, _) in told {
                tracing::warn!(target: "znight::http", "{}: {message}", ErrorCode::MissingDecision);
            }
            Ok(())
        }
    }
}

/// The groups a guard enforces.
fn groups(guard: &GuardDef) -> impl Iterator<Item = &'static str> + use<> {
    guard.enforces.iter().map(|decision| decision.group())
}

/// The decisions that are known, each with who has it, and what is wrong with them.
#[derive(Default)]
struct Known {
    defs: Vec<(DecisionDef<'static>, String)>,
    errors: Vec<Error>,
}

impl Known {
    fn add(
        &mut self,
        def: DecisionDef<'static>,
        who: impl FnOnce() -> String,
        place: Option<Source>,
    ) {
        if self.defs.iter().any(|(known, _)| *known == def) {
            return;
        }
        let who = who();
        let clash = self
            .defs
            .iter()
            .find_map(|(known, other)| Some((def.clash(*known)?, known, other)));
        if let Some((clash, known, other)) = clash {
            let message = format!("{who} has the decision {def}, and {other} has {known}");
            let error = Error::new(ErrorCode::InvalidAttribute, message).with_hint(clash.hint());
            self.errors.push(error.with_place(place));
        } else {
            self.defs.push((def, who));
        }
    }

    /// What a controller or a route decides: one decision of a group.
    fn take(&mut self, name: &str, takes: &[Decided], place: Option<Source>) {
        for (at, decided) in takes.iter().enumerate() {
            let def = decided.decision;
            self.add(def, || name.to_owned(), place);
            let earlier = &takes[..at];
            if let Some(other) = earlier
                .iter()
                .find(|other| other.decision.group == def.group)
            {
                let message = format!(
                    "{name} has two decisions of the group {:?}: {:?} and {:?}",
                    def.group, other.decision.key, def.key
                );
                // A controller is met once for each of its routes.
                if !self.errors.iter().any(|error| error.message() == message) {
                    let error = Error::new(ErrorCode::InvalidAttribute, message).with_hint(
                        "they are alternatives: keep one, or give one of them a group of its own",
                    );
                    self.errors.push(error.with_place(place));
                }
            }
        }
    }
}

/// What is wrong with one group.
#[derive(Default)]
struct Problem<'a> {
    /// Routes without a decision of it.
    undecided: Vec<&'a Checked>,
    /// Routes with one that no guard enforces.
    unenforced: Vec<&'a Checked>,
}

impl Problem<'_> {
    fn message(&self, group: &str, required: bool) -> String {
        let group = if required {
            format!("the required group {group:?}")
        } else {
            format!("the group {group:?}")
        };
        let mut parts = Vec::new();
        if !self.undecided.is_empty() {
            let (count, names) = list(&self.undecided);
            let have = if self.undecided.len() == 1 {
                "has"
            } else {
                "have"
            };
            parts.push(format!("{count} {have} no decision of {group}: {names}"));
        }
        if !self.unenforced.is_empty() {
            let (count, names) = list(&self.unenforced);
            parts.push(format!("no guard enforces {group} on {count}: {names}"));
        }
        parts.join("; ")
    }

    fn hints(
        &self,
        group: &str,
        defs: &[(DecisionDef<'static>, String)],
        chain: &BTreeMap<&'static str, GuardDef>,
        application: &Application<'_>,
    ) -> Vec<String> {
        let of_group = defs.iter().filter(|(def, _)| def.group == group);
        let keys: BTreeSet<&str> = of_group.map(|(def, _)| def.key).collect();
        let keys = keys.into_iter().collect::<Vec<_>>().join(", ");
        let mut hints = Vec::new();
        let of_plugins: BTreeSet<&str> = self
            .undecided
            .iter()
            .chain(&self.unenforced)
            .filter_map(|route| route.plugin)
            .collect();
        for plugin in of_plugins {
            hints.push(format!(
                "routes of the plugin {plugin} are decided and guarded where it makes them: \
                 `PluginRoute::decide`, `PluginRoute::guard`, or its options"
            ));
        }
        if !self.undecided.is_empty() {
            hints.push(format!(
                "take one of the decisions of {group:?} ({keys}) with `#[decide(..)]` on the route or its controller"
            ));
        }
        if self.unenforced.is_empty() {
            return hints;
        }
        let guards: BTreeSet<String> = chain
            .values()
            .chain(&application.guards)
            .filter(|guard| groups(guard).any(|enforced| enforced == group))
            .map(GuardDef::display)
            .collect();
        let guards: Vec<String> = guards.into_iter().collect();
        if let Some(first) = guards.first() {
            hints.push(format!(
                "guards of the application that enforce {group:?}: {}; put one in front of the routes, as `HttpOptions::guard::<{first}>()` does for all",
                guards.join(", ")
            ));
        } else {
            hints.push(format!(
                "put a guard in front of the routes whose `ENFORCES` has the decisions of {group:?} ({keys}), as `HttpOptions::guard` does for all"
            ));
        }
        hints
    }
}

/// How many routes, and which.
fn list(routes: &[&Checked]) -> (String, String) {
    let count = match routes.len() {
        1 => "1 route".to_owned(),
        count => format!("{count} routes"),
    };
    let shown = routes.iter().take(MOST_ROUTES);
    let mut names = shown
        .map(|route| route.name.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    if routes.len() > MOST_ROUTES {
        names = format!("{names} and {} more", routes.len() - MOST_ROUTES);
    }
    (count, names)
}
