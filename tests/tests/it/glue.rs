//! The glue of libraries, compiled as strictly as rustc and clippy can.

use znight_tests::{Packages, printed};

/// A crate that is no library of providers, with traits and types for others.
const BASE: &str = r"//! Traits and types.
/// Shared words.
pub trait Words: Send + Sync { /// One.
    fn word(&self) -> String; }
mod inner {
    /// Something happened.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Event;
    /// Not to be sent.
    pub trait Local { /// Nothing.
        fn local(&self) {} }
}
pub use inner::{Event, Local};
";

const LIBRARY: &str = r#"//! A library with everything a trait object can be, and with what cannot be one.
#![deny(warnings, clippy::all, clippy::pedantic, missing_docs, missing_debug_implementations, unreachable_pub)]
use std::{marker::PhantomData, sync::Arc};

use strict_base::{Event as Happened, Local, Words};
use znight::prelude::*;

/// Generic.
pub trait Handles<E>: Send + Sync {
    /// Handles it.
    fn handle(&self, event: &E) -> String;
}

/// With a type.
pub trait Typed: Send + Sync {
    /// The type.
    type Id;
    /// An id.
    fn id(&self) -> Self::Id;
}

/// Of one thread, by way of another crate.
pub trait Alone: Local {}

/// No trait object at all.
pub trait Copied: Clone + Send + Sync {}

/// With a lifetime.
pub trait Borrows<'a>: Send + Sync {
    /// Borrows.
    fn borrow(&'a self) -> &'a str;
}

mod hidden {
    use super::{Alone, Borrows, Copied, Handles, Happened, Local, Typed, Words, injectable};

    trait Secret: Send + Sync + std::fmt::Debug {}

    #[derive(Debug, Clone)]
    #[injectable(as(dyn Words, dyn Typed<Id = u8>))]
    pub(super) struct One {
        #[init(String::from("one"))]
        name: String,
    }

    impl Secret for One {}
    impl Local for One {}
    impl Alone for One {}
    impl Copied for One {}
    impl Words for One { fn word(&self) -> String { self.name.clone() } }
    impl Handles<Happened> for One { fn handle(&self, event: &Happened) -> String { format!("{event:?}") } }
    impl Handles<u8> for One { fn handle(&self, event: &u8) -> String { event.to_string() } }
    impl Typed for One { type Id = u8; fn id(&self) -> u8 { 7 } }
    impl<'a> Borrows<'a> for One { fn borrow(&'a self) -> &'a str { &self.name } }
}

/// Of a type of another crate.
#[derive(Debug)]
pub struct Keeps<T>(PhantomData<T>);

// Whether a type of a crate that is no library of providers is `Debug` nobody can see.
#[injectable(as(dyn Handles<Vec<Happened>>))]
impl Keeps<Happened> {
    #[inject]
    fn new() -> Self { Self(PhantomData) }
}

impl<T: Send + Sync + std::fmt::Debug> Handles<Vec<T>> for Keeps<T> {
    fn handle(&self, event: &Vec<T>) -> String { format!("{event:?}") }
}

/// Asks for all of it.
#[injectable]
pub struct Asks {
    events: Arc<dyn Handles<Happened>>,
    lists: Arc<dyn Handles<Vec<Happened>>>,
    numbers: Arc<dyn Handles<u8>>,
    typed: Arc<dyn Typed<Id = u8>>,
    words: Arc<dyn Words>,
}

impl std::fmt::Debug for Asks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("Asks") }
}

impl Asks {
    /// What it hears.
    #[must_use]
    pub fn all(&self) -> String {
        [
            self.events.handle(&Happened),
            self.lists.handle(&vec![Happened]),
            self.numbers.handle(&3),
            self.typed.id().to_string(),
            self.words.word(),
        ]
        .join(" ")
    }
}

znight::library!();
"#;

const APPLICATION: &str = r#"#![deny(warnings, clippy::all, clippy::pedantic)]
use std::sync::Arc;
use strict_library::{Asks, Handles};
use znight::prelude::*;

/// A trait of the application for a type of the library.
trait Loud: Send + Sync {
    fn loud(&self) -> String;
}

impl Loud for Asks {
    fn loud(&self) -> String { self.all().to_uppercase() }
}

#[injectable]
struct Main {
    loud: Arc<dyn Loud>,
    numbers: Arc<dyn Handles<u8>>,
    words: Vec<Arc<dyn strict_base::Words>>,
}

znight::graph!();

#[tokio::main]
async fn main() -> znight::Result {
    let app = Application::builder(graph()).build().await?;
    let main = app.container().get::<Main>()?;
    println!("{} {} {}", main.loud.loud(), main.numbers.handle(&9), main.words.len());
    println!("{}", app.container().get::<dyn Handles<u8>>()?.handle(&4));
    Ok(())
}
"#;

#[test]
fn trait_objects_of_a_library_reach_whoever_asks() {
    let packages = Packages::workspace(&["strict-base", "strict-library", "strict-application"]);
    packages.package("strict-base", &[("src/lib.rs", BASE)]);
    packages.remove("strict-base/build.rs");
    let base = ("strict-base", "path = \"../strict-base\"");
    let library = ("strict-library", "path = \"../strict-library\"");
    packages.package("strict-library", &[("src/lib.rs", LIBRARY)]);
    packages.depend("strict-library", &[base]);
    packages.package("strict-application", &[("src/main.rs", APPLICATION)]);
    packages.depend("strict-application", &[base, library]);
    let output = packages.cargo("strict-application", &["run"]);
    let text = printed(&output);
    assert!(output.status.success(), "{text}");
    let expected = "EVENT [EVENT] 3 7 ONE 9 1\n4\n";
    assert!(text.contains(expected), "{text}");
    let output = packages.cargo("strict-application", &["clippy", "--workspace"]);
    assert!(output.status.success(), "{}", printed(&output));
}
