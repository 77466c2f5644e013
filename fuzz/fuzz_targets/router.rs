//! Whatever routes there are and whatever is asked for, the router answers as a slow matcher does: the
//! route whose segments are the most specific ones, from left to right, or 404.
#![no_main]
#![forbid(unsafe_code)]

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};
use znight_contract::path::{RoutePath, Segment};
use znight_core::{Application, Graph, Plugin, PluginContext};
use znight_http::{HttpOptions, HttpPlugin, PluginRoute, PluginRoutes, RouteMount, Verb};

/// More says nothing further.
const MOST_ROUTES: usize = 12;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
});

/// A plugin that answers each path with its number.
struct Numbered(Vec<String>);

impl PluginRoutes for Numbered {
    fn routes(&self, _: &RouteMount<'_>) -> Vec<PluginRoute> {
        let numbered = self.0.iter().enumerate();
        let route = |(number, path): (usize, &String)| {
            PluginRoute::new(Verb::Get, path, number.to_string(), move |_| async move {
                Ok(number.to_string())
            })
        };
        numbered.map(route).collect()
    }
}

struct Routes(Vec<String>);

impl Plugin for Routes {
    fn name(&self) -> &'static str {
        "numbered"
    }

    async fn register(&self, context: &PluginContext) -> znight_core::Result {
        context.contribute::<dyn PluginRoutes>(Arc::new(Numbered(self.0.clone())));
        Ok(())
    }
}

/// How specific each segment of a match is: text before a parameter before the rest.
fn matches(route: &RoutePath, path: &str) -> Option<Vec<u8>> {
    let mut rest = path.strip_prefix('/')?;
    let segments = route.segments();
    if segments.is_empty() {
        return rest.is_empty().then(Vec::new);
    }
    let mut rank = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        let (part, after) = match rest.split_once('/') {
            Some((part, after)) => (part, Some(after)),
            None => (rest, None),
        };
        match segment {
            Segment::Text(text) if text == part => rank.push(0),
            Segment::Param(_) if !part.is_empty() => rank.push(1),
            Segment::Rest(_) if !rest.is_empty() => {
                rank.push(2);
                return Some(rank);
            }
            _ => return None,
        }
        match (at + 1 == segments.len(), after) {
            (true, None) => return Some(rank),
            (false, Some(after)) => rest = after,
            _ => return None,
        }
    }
    None
}

fuzz_target!(|input: (Vec<String>, Vec<String>)| {
    let (routes, requests) = input;
    let mut shapes: BTreeMap<String, (RoutePath, String)> = BTreeMap::new();
    for text in routes.into_iter().take(MOST_ROUTES) {
        if let Ok(path) = RoutePath::parse(&text) {
            shapes.entry(path.shape()).or_insert((path, text));
        }
    }
    let (paths, texts): (Vec<RoutePath>, Vec<String>) = shapes.into_values().unzip();
    RUNTIME.block_on(async {
        let application = Application::builder(Graph::empty())
            .signals(false)
            .plugin(HttpPlugin::new(HttpOptions::new().listen(false)))
            .plugin(Routes(texts))
            .build()
            .await
            .expect("paths of different shapes are routes");
        let http = application.plugin::<HttpPlugin>().expect("it was added");
        for target in &requests {
            let Ok(request) = http::Request::get(target).body(Vec::new()) else {
                continue;
            };
            let path = request.uri().path().to_owned();
            let expected = paths
                .iter()
                .enumerate()
                .filter_map(|(number, route)| Some((matches(route, &path)?, number)))
                .min()
                .map(|(_, number)| number.to_string());
            let reply = http.inject(request).await.expect("it has booted");
            match expected {
                // What is not well encoded is refused once it is matched, and what is not ASCII before.
                Some(_) if reply.status() == 400 => {
                    assert!(path.contains('%') || !path.is_ascii(), "{path}");
                }
                Some(number) => assert_eq!(reply.body(), number.as_bytes(), "{path}"),
                None => assert!(matches!(reply.status().as_u16(), 400 | 404), "{path}"),
            }
        }
    });
});
