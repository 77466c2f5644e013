//! ZNIGHT007: two routes that match the same requests.

use std::collections::BTreeMap;

use znight_contract::ErrorCode;

use crate::{
    analyse::Application,
    model::{At, RouteEntry, Sink},
};

/// Checks the routes of all controllers against each other.
pub fn routes(app: &Application<'_>, sink: &mut Sink) {
    let mut taken: BTreeMap<(String, String), (String, At)> = BTreeMap::new();
    for controller in &app.controllers {
        for route in &controller.routes {
            let RouteEntry {
                method, path, at, ..
            } = route;
            let handler = format!(
                "{}::{}",
                znight_contract::display::short(&controller.token),
                route.handler
            );
            if let Some((earlier, other)) = taken.get(&(method.clone(), path.shape())) {
                sink.error(
                    ErrorCode::InvalidRoute,
                    *at,
                    format!("`{method} {path}` is served twice: by {earlier} and by {handler}"),
                    vec![format!(
                        "the other route is at {}: change one of the paths",
                        app.show(*other)
                    )],
                );
            } else {
                taken.insert((method.clone(), path.shape()), (handler, *at));
            }
        }
    }
}
