//! ZNIGHT007: two routes that match the same requests.

use std::collections::BTreeMap;

use znight_contract::{ErrorCode, path::RoutePath};

use crate::{
    analyse::Application,
    facts::Parsed,
    model::{At, Sink},
};

/// Checks the routes of all controllers against each other.
pub fn routes(app: &Application<'_>, sink: &mut Sink) {
    let mut taken: BTreeMap<(String, String), (String, At)> = BTreeMap::new();
    for controller in &app.controllers {
        let occurrence = &app.occurrences[controller.occurrence];
        let Parsed::Controller(parsed) = &occurrence.marked.parsed else {
            continue;
        };
        for route in &parsed.routes {
            let Some(path) = route
                .path
                .as_deref()
                .and_then(|path| RoutePath::parse(path).ok())
            else {
                continue;
            };
            let method = route.method.clone();
            let place = At {
                occurrence: controller.occurrence,
                place: route.place,
            };
            let handler = format!(
                "{}::{}",
                znight_contract::display::short(&controller.token),
                route.handler
            );
            if let Some((earlier, at)) = taken.get(&(method.clone(), path.shape())) {
                sink.error(
                    ErrorCode::InvalidRoute,
                    place,
                    format!("`{method} {path}` is served twice: by {earlier} and by {handler}"),
                    vec![format!(
                        "the other route is at {}: change one of the paths",
                        app.show(*at)
                    )],
                );
            } else {
                taken.insert((method, path.shape()), (handler, place));
            }
        }
    }
}
