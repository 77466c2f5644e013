//! The application of the targets, for Znight and wired by hand on axum.
//!
//! It is meant to look like one: providers in areas of 25 files that re-export what others use, a
//! trait in front of each, two to four injected fields that are trait objects and concrete types by
//! turns, comments, methods with bodies; controllers with five routes that read paths, queries and
//! bodies. The two applications differ in what wires them and in nothing else.

mod controller;
mod provider;
mod wiring;

use std::collections::BTreeMap;

/// Files by their paths relative to the package.
pub type Files = BTreeMap<String, String>;

/// How large an application is.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// How many providers, each in a file of its own.
    pub providers: usize,
    /// How many controllers with five routes each.
    pub controllers: usize,
    /// How many methods each provider has beyond the two it always has. The first comes with a method
    /// in its trait.
    pub more_methods: usize,
}

/// The framework an application is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    /// Attributes, and a graph computed by the build.
    Znight,
    /// Constructors, one long function that calls them, and axum's routers.
    Axum,
}

impl Shape {
    /// What the analysis is measured on: 500 providers in 500 files of about 57 lines.
    pub const ANALYSIS: Self = Self {
        providers: 500,
        controllers: 0,
        more_methods: 1,
    };

    /// What builds are measured on: 500 providers, 100 controllers, 500 routes, about 30 000 lines.
    pub const APPLICATION: Self = Self {
        providers: 500,
        controllers: 100,
        more_methods: 0,
    };

    /// The sources of the application: `src/lib.rs`, `src/main.rs` and what they lead to.
    pub fn sources(self, flavor: Flavor) -> Files {
        let mut files = Files::new();
        for number in 0..self.providers {
            let text = provider::text(flavor, number, self.more_methods, FACTOR);
            files.insert(provider::path(number), text);
        }
        for area in 0..self.providers.div_ceil(provider::AREA) {
            files.insert(
                format!("src/area{area:02}/mod.rs"),
                provider::area(area, self.providers),
            );
        }
        for number in 0..self.controllers {
            let text = controller::text(flavor, number, self.providers);
            files.insert(format!("src/web/items{number:03}.rs"), text);
        }
        if self.controllers > 0 {
            files.insert(
                "src/web/mod.rs".to_owned(),
                controller::module(self.controllers),
            );
        }
        wiring::add(self, flavor, &mut files);
        files
    }

    /// The path of a provider's file and its text after an edit in a body: the same lines, another
    /// number in one of them.
    pub fn edited(self, flavor: Flavor, number: usize, edit: usize) -> (String, String) {
        let text = provider::text(flavor, number, self.more_methods, FACTOR + 1 + edit);
        (provider::path(number), text)
    }
}

/// A number in the body of each provider, there to be edited.
const FACTOR: usize = 100;

/// How many lines there are.
pub fn lines(files: &Files) -> usize {
    files.values().map(|text| text.lines().count()).sum()
}

#[cfg(test)]
mod tests {
    use znight_compiler::{Options, compile, resolve::Externs, settings::Settings, source::Memory};

    use super::{Flavor, Shape, lines};

    #[test]
    fn both_applications_have_the_size_of_the_targets() {
        let providers = Shape::ANALYSIS.sources(Flavor::Znight);
        let average = lines(&providers) / Shape::ANALYSIS.providers;
        assert!((55..=60).contains(&average), "{average}");
        for flavor in [Flavor::Znight, Flavor::Axum] {
            let all = lines(&Shape::APPLICATION.sources(flavor));
            assert!((26_000..=36_000).contains(&all), "{flavor:?}: {all}");
        }
    }

    #[test]
    fn the_build_finds_nothing_wrong_with_it() {
        let shape = Shape {
            providers: 60,
            controllers: 10,
            more_methods: 1,
        };
        let sources = shape
            .sources(Flavor::Znight)
            .into_iter()
            .fold(Memory::new(), |sources, (path, text)| {
                sources.file(path, text)
            });
        let options = Options {
            externs: Externs {
                facade: "znight".to_owned(),
                crates: ["serde", "tokio"].map(str::to_owned).into(),
                ..Externs::default()
            },
            // As its Cargo.toml has it.
            settings: Settings {
                allow: [znight_core::ErrorCode::UnvalidatedInput].into(),
                ..Settings::default()
            },
            ..Options::new("shop", "src/lib.rs")
        };
        let output = compile(&options, &sources);
        assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
        assert_eq!(output.providers, 70);
    }
}
