//! One provider in its file, and the areas they are in.

use std::fmt::Write as _;

use super::Flavor;

/// How many providers an area has.
pub(super) const AREA: usize = 25;

/// The file of a provider.
pub(super) fn path(number: usize) -> String {
    format!("src/area{:02}/part{number:03}.rs", number / AREA)
}

/// The `mod.rs` of an area.
pub(super) fn area(area: usize, providers: usize) -> String {
    let numbers = area * AREA..((area + 1) * AREA).min(providers);
    let mut out = format!("//! Area {area} of the warehouse.\n\n");
    for number in numbers.clone() {
        let _ = writeln!(out, "mod part{number:03};");
    }
    out.push('\n');
    for number in numbers {
        let _ = writeln!(
            out,
            "pub use part{number:03}::{{Part{number:03}, Part{number:03}Service}};"
        );
    }
    out
}

/// What provider `number` is injected with: others with smaller numbers, each once.
pub(super) fn dependencies(number: usize) -> Vec<Dependency> {
    let mut found: Vec<usize> = Vec::new();
    for candidate in [number * 2 / 3, number / 2, number / 3, number / 5] {
        if candidate < number && !found.contains(&candidate) && found.len() < 2 + number % 3 {
            found.push(candidate);
        }
    }
    (0..)
        .zip(found)
        .map(|(index, number)| Dependency {
            number,
            object: index % 2 == 0,
        })
        .collect()
}

/// A provider another one is injected with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dependency {
    pub(super) number: usize,
    /// As the trait object, or as itself.
    object: bool,
}

impl Dependency {
    /// A trait object of a provider, or the provider.
    pub(super) fn new(number: usize, object: bool) -> Self {
        Self { number, object }
    }

    pub(super) fn field(self) -> String {
        format!("part{:03}: {}", self.number, self.ty())
    }

    fn ty(self) -> String {
        if self.object {
            format!("Arc<dyn {}>", self.name())
        } else {
            format!("Arc<{}>", self.name())
        }
    }

    fn name(self) -> String {
        format!(
            "Part{:03}{}",
            self.number,
            if self.object { "" } else { "Service" }
        )
    }

    pub(super) fn import(self) -> String {
        format!(
            "use crate::area{:02}::{};\n",
            self.number / AREA,
            self.name()
        )
    }
}

const DESCRIBE: &str = "    /// Its name, for people.\n    fn describe(&self) -> String;\n";

const DESCRIBED: &str = r#"
    fn describe(&self) -> String {
        let asked = self.asked();
        format!("a part that was asked for {asked} times")
    }
"#;

/// The text of a provider; `factor` is a number in a body.
pub(super) fn text(flavor: Flavor, number: usize, more: usize, factor: usize) -> String {
    let dependencies = dependencies(number);
    let mut out = format!(
        "//! Part {number} of the warehouse: how much there is, and what it costs.\n\n\
         use std::sync::{{Arc, atomic::{{AtomicU64, Ordering}}}};\n\n"
    );
    if flavor == Flavor::Znight {
        out.push_str("use znight::prelude::*;\n\n");
    }
    if dependencies.is_empty() {
        // Somewhere the graph ends.
        out = out.replace(
            "{Arc, atomic::{AtomicU64, Ordering}}",
            "atomic::{AtomicU64, Ordering}",
        );
    }
    out.extend(dependencies.iter().map(|dependency| dependency.import()));
    let _ = write!(
        out,
        "\n/// What others ask of part {number}.\n\
         pub trait Part{number:03}: Send + Sync {{\n    \
             /// The price of an amount, in cents.\n    \
             fn price(&self, amount: u64) -> u64;\n{}\
         }}\n\n\
         /// Part {number}, priced by the parts it is made of.\n",
        if more > 0 { DESCRIBE } else { "" }
    );
    if flavor == Flavor::Znight {
        out.push_str("#[injectable]\n");
    }
    let _ = writeln!(out, "pub struct Part{number:03}Service {{");
    for dependency in &dependencies {
        let _ = writeln!(out, "    {},", dependency.field());
    }
    if flavor == Flavor::Znight {
        out.push_str("    #[init]\n");
    }
    out.push_str("    asked: AtomicU64,\n}\n\n");
    let _ = writeln!(out, "impl Part{number:03}Service {{");
    if flavor == Flavor::Axum {
        constructor(&dependencies, &mut out);
    }
    out.push_str(
        "    /// How often the price was asked for.\n    \
             pub fn asked(&self) -> u64 {\n        \
                 self.asked.load(Ordering::Relaxed)\n    }\n",
    );
    for extra in 0..more {
        let _ = write!(
            out,
            "\n    /// The amounts that cost less than a limit, by step {extra}.\n    \
                 pub fn below{extra}(&self, limit: u64, amounts: &[u64]) -> Vec<u64> {{\n        \
                     let price = |amount: &&u64| self.price(**amount + {extra}) < limit;\n        \
                     amounts.iter().filter(price).copied().collect()\n    }}\n"
        );
    }
    let _ = write!(
        out,
        "}}\n\n\
         impl Part{number:03} for Part{number:03}Service {{\n    \
             fn price(&self, amount: u64) -> u64 {{\n        \
                 self.asked.fetch_add(1, Ordering::Relaxed);\n        \
                 let {}price = amount * {factor};\n",
        if dependencies.is_empty() { "" } else { "mut " }
    );
    for dependency in &dependencies {
        let _ = writeln!(
            out,
            "        price += {}.min(self.part{:03}.price(amount / 2) / 2);",
            dependency.number, dependency.number
        );
    }
    let _ = write!(
        out,
        "        price\n    }}\n{}}}\n",
        if more > 0 { DESCRIBED } else { "" }
    );
    // Traits are in scope where their methods are called.
    for dependency in &dependencies {
        if !dependency.object {
            let service = dependency.import();
            let both = service.replace(
                &dependency.name(),
                &format!("{{Part{0:03}, Part{0:03}Service}}", dependency.number),
            );
            out = out.replace(&service, &both);
        }
    }
    out
}

fn constructor(dependencies: &[Dependency], out: &mut String) {
    let parameters: Vec<String> = dependencies.iter().map(|d| d.field()).collect();
    let mut names: Vec<String> = dependencies
        .iter()
        .map(|d| format!("part{:03}", d.number))
        .collect();
    names.push("asked: AtomicU64::new(0)".to_owned());
    let _ = write!(
        out,
        "    /// Made of its parts.\n    \
             pub fn new({}) -> Self {{\n        \
                 Self {{ {} }}\n    }}\n\n",
        parameters.join(", "),
        names.join(", ")
    );
}
