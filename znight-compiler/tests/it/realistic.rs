//! An application as people write them, in files of items that can be moved about.

use znight_compiler::source::Memory;

/// Its files: paths and items.
pub(crate) const FILES: &[(&str, &[&str])] = &[
    (
        "src/lib.rs",
        &[
            "mod users;",
            "pub mod orders;",
            "mod web;",
            "mod config;",
            "pub(crate) mod kit;",
            "#[cfg(test)]\nmod tests {\n    use super::users::*;\n    use std::sync::Arc;\n    use znight::prelude::*;\n\n    #[injectable]\n    struct Fake {\n        users: Arc<dyn Users>,\n    }\n}",
            "pub use users::{UserService as Service, *};",
            "znight::graph!();",
        ],
    ),
    (
        "src/users/mod.rs",
        &[
            "mod repo;",
            "use std::sync::Arc;",
            "use znight::prelude::*;",
            "use crate::kit::{self, Clock};",
            "pub use self::repo::Repo;",
            "/// Those who buy.\npub trait Users: Send + Sync {\n    fn name(&self, id: u64) -> Option<String>;\n}",
            "#[injectable(name = kit::MAIN)]\n#[derive(Debug)]\npub struct UserService {\n    repo: Arc<dyn Repo>,\n    clock: Arc<Clock>,\n    #[inject(\"url\")]\n    url: String,\n}",
            "impl Users for UserService {\n    fn name(&self, id: u64) -> Option<String> {\n        let found = self.repo.find(id)?;\n        Some(format!(\"{found} {{}}\"))\n    }\n}",
        ],
    ),
    (
        "src/users/repo.rs",
        &[
            "use std::{sync::Arc, fmt::Debug};",
            "use znight::injectable;",
            "use crate::config::Pool;",
            "pub trait Repo: Send + Sync {\n    fn find(&self, id: u64) -> Option<String>;\n}",
            "#[injectable(primary)]\npub struct Sql {\n    pool: Arc<Pool>,\n}",
            "pub struct Cached<T: Debug + Default = u8>\nwhere\n    T: Send + Sync + 'static,\n{\n    value: std::marker::PhantomData<T>,\n}",
            "impl Repo for Sql {\n    fn find(&self, id: u64) -> Option<String> {\n        (id > 0).then(|| '}'.to_string())\n    }\n}",
        ],
    ),
    (
        "src/orders.rs",
        &[
            "use std::sync::Arc;",
            "use znight::prelude::*;",
            "use super::*;",
            "type Shared<T> = Arc<T>;",
            "#[injectable]\npub struct Orders {\n    #[inject(\"main\")]\n    users: Shared<Service>,\n    repos: Vec<Arc<dyn Repo>>,\n    again: Lazy<Invoices>,\n}",
            "#[injectable(scope = \"request\")]\npub struct Invoices {\n    orders: Arc<Orders>,\n}",
            "#[cfg(windows)]\n#[injectable]\nstruct Never {\n    nothing: Arc<Nothing>,\n}",
        ],
    ),
    (
        "src/web.rs",
        &[
            "use std::sync::Arc;",
            "use znight::prelude::*;",
            "use crate::orders::{Invoices, Orders};",
            "const BASE: &str = \"/orders\";",
            "#[injectable]\npub struct OrderController {\n    orders: Arc<Orders>,\n}",
            "#[controller(BASE)]\nimpl OrderController {\n    #[get(\"/{id}\")]\n    async fn one(&self, #[param] id: u64) -> Result<String, HttpError> {\n        Ok(format!(\"{id}\"))\n    }\n\n    #[post]\n    async fn add(&self) {}\n}",
            "#[injectable(scope = \"request\")]\nstruct Page {\n    invoices: Arc<Invoices>,\n}",
        ],
    ),
    (
        "src/config.rs",
        &[
            "use znight::prelude::*;",
            "pub struct Pool;",
            "#[derive(Default)]\npub struct Config;",
            "#[injectable]\nstruct Setup;",
            "#[factory]\nimpl Setup {\n    #[provides(clone, name = \"url\")]\n    fn url(&self) -> String {\n        String::new()\n    }\n\n    #[provides]\n    async fn pool(&self, #[inject(\"url\")] url: String) -> Pool {\n        Pool\n    }\n}",
        ],
    ),
    (
        "src/kit/mod.rs",
        &[
            "mod clock;",
            "pub use clock::*;",
            "pub const MAIN: &str = concat!(\"ma\", \"in\");",
        ],
    ),
    (
        "src/kit/clock.rs",
        &[
            "use znight::injectable;",
            "#[injectable]\n#[derive(Debug, Clone)]\npub struct Clock;",
        ],
    ),
];

/// Texts by their paths.
pub(crate) type Texts = Vec<(&'static str, String)>;

/// Its texts, as written.
pub(crate) fn texts() -> Texts {
    FILES
        .iter()
        .map(|(path, items)| (*path, items.join("\n\n") + "\n"))
        .collect()
}

/// Files with these texts.
pub(crate) fn sources(texts: &Texts) -> Memory {
    texts.iter().fold(Memory::new(), |sources, (path, text)| {
        sources.file(*path, text.clone())
    })
}

#[test]
fn the_application_is_sound() {
    let output = znight_compiler::compile(&crate::support::options(), &sources(&texts()));
    crate::support::sound(&output);
    assert_eq!(output.providers, 10);
}
