//! Mocks of a package in its own `tests/` and in other packages.

use znight_tests::{Packages, manifest, printed};

/// A library of providers with a trait to mock.
const STOCK: &str = r"//! What there is in stock.
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![forbid(unsafe_code)]
use std::sync::Arc;
use znight::prelude::*;

/// How many there are of a thing.
#[mockable]
#[async_trait]
pub trait Stock: Send + Sync {
    /// How many.
    async fn count(&self, thing: &str) -> u64;
}

#[injectable]
struct Empty;

#[async_trait]
impl Stock for Empty {
    async fn count(&self, _: &str) -> u64 {
        0
    }
}

/// Says whether things can be sold.
#[injectable]
pub struct Counter {
    stock: Arc<dyn Stock>,
}

impl Counter {
    /// Whether there are two.
    pub async fn enough(&self, thing: &str) -> bool {
        self.stock.count(thing).await >= 2
    }
}

znight::library!();
";

const STORE: &str = r"//! A store.
use std::sync::Arc;
use znight::prelude::*;

/// What things cost.
#[mockable]
pub trait Prices: Send + Sync {
    /// In cents.
    fn of(&self, thing: &str) -> u64;
}

#[injectable]
struct Free;

impl Prices for Free {
    fn of(&self, _: &str) -> u64 {
        0
    }
}

/// Sells things.
#[injectable]
pub struct Till {
    stock: Arc<dyn bedstock::Stock>,
    counter: Arc<bedstock::Counter>,
    prices: Arc<dyn Prices>,
}

impl Till {
    /// What a thing costs, if it can be sold.
    pub async fn price(&self, thing: &str) -> Option<u64> {
        let there = self.counter.enough(thing).await && self.stock.count(thing).await > 0;
        there.then(|| self.prices.of(thing))
    }
}

znight::graph!();
";

/// Uses the mocks of both packages.
const TEST: &str = r#"
use bedstock::{Counter, Stock};
use bedstore::{Prices, Till};
use znight_testing::TestBed;

#[tokio::test]
async fn mocks_of_both_packages() -> znight::Result {
    let bed = TestBed::of::<Till>(bedstore::graph())
        .real::<Counter>()
        .mock::<dyn Stock>(|stock| {
            stock.expect_count().times(2).returning(|_| 2);
        })
        .mock::<dyn Prices>(|prices| {
            prices.expect_of().times(1).return_const(40_u64);
        })
        .build()
        .await?;
    assert_eq!(bed.get().price("pen").await, Some(40));
    bed.verify();
    let bed = TestBed::of::<Counter>(bedstore::graph())
        .mock::<dyn Stock>(|stock| {
            stock.expect_count().returning(|_| 1);
        })
        .build()
        .await?;
    assert!(!bed.get().enough("pen").await);
    Ok(())
}
"#;

const FEATURE: &str = "\n[features]\ntesting = [\"dep:mockall\"]\n";
const MOCKALL: &str = "version = \"0.15\", optional = true";

fn packages() -> Packages {
    let packages = Packages::workspace(&["bedstock", "bedstore"]);
    packages.package("bedstock", &[("src/lib.rs", STOCK)]);
    packages.package("bedstore", &[("src/lib.rs", STORE), ("tests/bed.rs", TEST)]);
    let edit = |name: &str, dev: &str| {
        let text = manifest(name).replace(
            "[dev-dependencies]\n",
            &format!("[dev-dependencies]\n{dev}"),
        );
        packages.write(&format!("{name}/Cargo.toml"), &format!("{text}{FEATURE}"));
    };
    edit("bedstock", "");
    edit(
        "bedstore",
        "bedstore = { path = \".\", features = [\"testing\"] }\n\
         bedstock = { path = \"../bedstock\", features = [\"testing\"] }\n",
    );
    packages.depend("bedstock", &[("mockall", MOCKALL)]);
    packages.depend(
        "bedstore",
        &[("mockall", MOCKALL), ("bedstock", "path = \"../bedstock\"")],
    );
    packages
}

#[test]
fn tests_and_other_packages_see_mocks_through_the_feature_and_users_do_not() {
    let packages = packages();
    let output = packages.cargo("bedstore", &["test"]);
    let text = printed(&output);
    assert!(
        output.status.success() && text.contains("test mocks_of_both_packages ... ok"),
        "{text}"
    );
    let output = packages.cargo("bedstore", &["check", "-v"]);
    let text = printed(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("bedstock"), "{text}");
    assert!(!text.contains("mockall"), "{text}");
}

#[test]
fn without_the_feature_rustc_says_how_the_mock_comes_into_sight() {
    let packages = packages();
    let text = packages.read("bedstore/Cargo.toml");
    packages.write(
        "bedstore/Cargo.toml",
        &text.replace(
            "bedstock = { path = \"../bedstock\", features = [\"testing\"] }\n",
            "",
        ),
    );
    let output = packages.cargo("bedstore", &["test", "--no-run"]);
    let text = printed(&output);
    assert!(!output.status.success(), "{text}");
    for expected in [
        "`dyn Stock` has no mock",
        "mark the trait: `#[mockable]`, above `#[async_trait]` where it has that",
        "turn on its feature `testing`: `shop = { path = \".\", features = [\"testing\"] }` in `[dev-dependencies]`",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}
