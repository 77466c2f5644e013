//! ZNIGHT007: two routes that match the same requests.

use std::collections::BTreeMap;

use znight_contract::ErrorCode;
use znight_syntax::problem::ends;

use crate::{
    analyse::Application,
    model::{At, Parsed, Sink},
};

/// Checks the routes of all controllers against each other.
pub fn routes(app: &Application<'_>, sink: &mut Sink) {
    let mut taken: BTreeMap<(String, String), (String, At)> = BTreeMap::new();
    for controller in &app.controllers {
        let occurrence = &app.occurrences[controller.occurrence];
        let Parsed::Controller(parsed) = &occurrence.parsed else {
            continue;
        };
        for route in &parsed.routes {
            // A route that cannot be joined has been reported where it stands.
            let Ok(path) = parsed.path.join(&route.path) else {
                continue;
            };
            let method = route.verb.method();
            let (first, last) = ends(&route.place());
            let place = At {
                occurrence: controller.occurrence,
                first,
                last,
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
