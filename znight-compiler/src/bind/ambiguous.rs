//! Several providers where one is asked for: one mistake, however many ask.

use znight_contract::ErrorCode;

use super::missing::also;
use crate::{
    analyse::Application,
    diagnostic::join,
    model::{Injection, Origin, Sink, Want},
};

/// A choice nobody can make.
#[derive(Debug)]
pub(super) struct Ambiguous<'a> {
    /// ZNIGHT004 where all are of one type, ZNIGHT008 otherwise.
    pub(super) code: ErrorCode,
    /// The candidates.
    pub(super) several: Vec<usize>,
    /// Who asks, by number, and where.
    pub(super) asked: Vec<(usize, &'a Injection)>,
}

impl Ambiguous<'_> {
    /// Reports it at the first place that asks.
    pub(super) fn report(mut self, app: &Application<'_>, sink: &mut Sink) {
        let program = app.program();
        self.asked.sort_by_key(|(_, injection)| {
            !program.is_own(app.occurrences[injection.at.occurrence].file)
        });
        let Some(((by, injection), others)) = self.asked.split_first() else {
            return;
        };
        let display = injection
            .want
            .target()
            .map(|ty| ty.display(program))
            .unwrap_or_default();
        let named = injection
            .qualifier
            .as_ref()
            .map(|name| format!(" named \"{name}\""))
            .unwrap_or_default();
        let many = self.several.len();
        let asks = match others.len() {
            0 => format!("{} asks for one", app.providers[*by].display),
            1 => format!(
                "{} and 1 other place ask for one",
                app.providers[*by].display
            ),
            count => format!(
                "{} and {count} other places ask for one",
                app.providers[*by].display
            ),
        };
        let message = match self.code {
            ErrorCode::DuplicateProvider => {
                format!("{many} providers of `{display}`{named}, and {asks}")
            }
            _ => format!("{many} providers fit `{display}`{named}, and {asks}"),
        };
        let mut hints = self.hints(app, injection, &display);
        let places = others.iter().map(|(by, other)| (*by, other.at));
        hints.extend(also(app, "one is asked for", places));
        let report = sink.error(self.code, injection.at, message, hints);
        for index in &self.several {
            let found = &app.providers[*index];
            report.also(format!("{} is one of them", found.display), found.at);
        }
        for (by, other) in others {
            report.also(
                format!("{} asks for one as well", app.providers[*by].display),
                other.at,
            );
        }
    }

    fn hints(&self, app: &Application<'_>, injection: &Injection, display: &str) -> Vec<String> {
        let candidates: Vec<String> = self
            .several
            .iter()
            .map(|index| {
                let found = &app.providers[*index];
                let name = found
                    .name
                    .as_ref()
                    .map(|name| format!(" \"{name}\""))
                    .unwrap_or_default();
                format!("{}{name} ({})", found.display, app.show(found.at))
            })
            .collect();
        let mut hints = vec![format!("candidates are {}", join(&candidates))];
        let names: Vec<&str> = self
            .several
            .iter()
            .filter_map(|index| app.providers[*index].name.as_deref())
            .collect();
        let primary = |index: &usize| app.providers[*index].primary;
        let usual = &app.providers[self.several[0]];
        let attribute = match usual.origin {
            Origin::Method(..) => "provides",
            _ => "injectable",
        };
        if self.several.iter().any(primary) {
            hints.push("more than one of them is `primary`: keep one".to_owned());
        } else {
            hints.push(format!("mark the usual one: `#[{attribute}(primary)]`"));
            hints.push(match names.first() {
                Some(name) if injection.qualifier.is_none() => {
                    format!("or ask for one by its name: `#[inject(\"{name}\")]`")
                }
                Some(_) => "or give each a name of its own".to_owned(),
                None => {
                    let name = suggested(&usual.display);
                    format!(
                        "or name them, `#[{attribute}(name = \"{name}\")]`, and ask for one: `#[inject(\"{name}\")]`"
                    )
                }
            });
        }
        if matches!(injection.want, Want::One(_)) {
            hints.push(format!("or take all of them: `Vec<Arc<{display}>>`"));
        }
        hints
    }
}

/// A name for a provider, made of its display name: `main` for `Db::main`, `stripe` for `Stripe`.
fn suggested(display: &str) -> String {
    let path = display.split('<').next().unwrap_or(display);
    let last = path.rsplit("::").next().unwrap_or(path);
    let mut name = String::new();
    for c in last.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
    name
}
