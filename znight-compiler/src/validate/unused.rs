//! ZNIGHT019: providers that nothing needs.

use std::collections::BTreeSet;

use znight_contract::ErrorCode;

use super::reach::needed;
use crate::{analyse::Application, bind::Bindings, model::Sink};

/// Warns of every provider of the crate being built that nothing needs. What a library has to offer is
/// not for its users to use up.
pub fn unused(
    app: &Application<'_>,
    bindings: &Bindings,
    mentioned: &BTreeSet<String>,
    sink: &mut Sink,
) {
    for (provider, needed) in app.providers.iter().zip(needed(app, bindings, mentioned)) {
        let file = app.occurrences[provider.at.occurrence].file;
        if needed || !app.program().is_own(file) {
            continue;
        }
        sink.warning(
            ErrorCode::UnusedProvider,
            provider.at,
            format!("nothing needs {}", provider.display),
            vec![
                "remove it, or inject it where it is meant to be used: no controller, hook or function body leads to it".to_owned(),
                "or allow it, if something looks it up by its token: `allow = [\"ZNIGHT019\"]` under `[package.metadata.znight]` in Cargo.toml".to_owned(),
            ],
        );
    }
}
