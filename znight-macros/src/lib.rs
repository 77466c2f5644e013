//! The attribute macros of Znight.
//!
//! Use them through the facade crate, whose documentation shows them at work: `znight::injectable`,
//! `znight::factory`, `znight::controller`, `znight::graph!` and the derive `znight::ErrorReply`.
//!
//! Each macro does what only the marked place can: it removes our attributes, writes the glue that
//! needs no visibility from anywhere else, and reports what the build pass recorded of the item on
//! exactly the tokens that are wrong.
#![forbid(unsafe_code)]

mod expand;
mod host;
mod plain;
mod report;

use proc_macro::TokenStream;
use znight_syntax::symbol::Outer;

/// Marks a provider: a struct whose fields are injected, or an `impl` with a constructor.
///
/// On a struct, every field is injected by its type except those with `#[init]`:
///
/// ```ignore
/// #[injectable]
/// pub struct Orders {
///     repository: Arc<dyn OrderRepository>,  // the provider that implements the trait
///     #[inject("audit")] sink: Arc<dyn Sink>, // the one of that name
///     plugins: Vec<Arc<dyn Plugin>>,          // all of them, ordered by token
///     cache: Option<Arc<Cache>>,              // none when nothing provides it
///     mailer: Lazy<Mailer>,                   // resolved when asked for
///     #[init] served: AtomicU64,              // Default::default(), or #[init(expr)]
/// }
/// ```
///
/// On an `impl`, the parameters of `fn new`, or of the function marked `#[constructor]`, are injected.
/// It may be `async` and return `Result<Self, E>`.
///
/// Options: `scope = "singleton"` (the default), `"request"` or `"transient"`; `name = ".."`;
/// `primary`; `as(dyn Trait)` for a trait whose implementation cannot be seen in the source.
///
/// Errors are `ZNIGHTxxx` errors on the token that is wrong; see `znight::errors`.
#[proc_macro_attribute]
pub fn injectable(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(Outer::Injectable, args, item)
}

/// Marks an `impl` whose `#[provides]` methods make providers.
///
/// The return type is what a method provides, with `Result`, `Option` (nothing when `None`), `Arc` and
/// `async` peeled off. Parameters are injected.
///
/// ```ignore
/// #[factory]
/// impl Database {
///     #[provides(clone, dispose = Pool::close)]
///     async fn pool(&self, config: Arc<Config>) -> Result<Pool, sqlx::Error> { .. }
///
///     #[provides(name = "region", clone)]
///     fn region(&self) -> String { "eu".into() }
/// }
/// ```
///
/// Options: those of `#[injectable]`, `clone` (may be injected by value, as a clone), `dispose = path`
/// and `on_start = path` (functions called with a reference to the value).
#[proc_macro_attribute]
pub fn factory(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(Outer::Factory, args, item)
}

/// Marks an `impl` whose methods answer HTTP requests.
///
/// ```ignore
/// #[controller("/users")]
/// impl Users {
///     #[get("/{id}")]
///     async fn get(&self, #[param] id: u64) -> Result<User, UserError> { .. }
///
///     #[post]
///     #[guard(ApiKey)]
///     async fn create(&self, #[body] user: CreateUser) -> HttpResponse<User> { .. }
/// }
/// ```
///
/// Verbs: `get post put patch delete head options all`. Parameters: `#[param]`, `#[query]`,
/// `#[headers]`, `#[body]`; without an attribute, a parameter of the path by its name or anything
/// `FromContext`. On a method or on the `impl`: `#[guard(..)]`, `#[interceptor(..)]`,
/// `#[body_limit(bytes)]`; on a method: `#[status(202)]`, `#[header("name", "value")]`.
#[proc_macro_attribute]
pub fn controller(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(Outer::Controller, args, item)
}

/// Defines `pub fn graph() -> Graph` at the root of a crate: the dependency graph the build computed.
///
/// It stands in `lib.rs`, or in `main.rs` of a package without a library, once.
///
/// ```ignore
/// mod users;
/// znight::graph!();
/// ```
#[proc_macro]
pub fn graph(input: TokenStream) -> TokenStream {
    expand::graph(input)
}

/// Gives the variants of an error enum their HTTP statuses.
///
/// ```ignore
/// #[derive(Debug, thiserror::Error, ErrorReply)]
/// pub enum UserError {
///     #[error("user {0} not found")] #[reply(404)] NotFound(u64),
///     #[error(transparent)] #[reply(500)] Store(#[from] StoreError),
/// }
/// ```
///
/// Every variant has a status from 400 to 599, or is `#[reply(transparent)]`: answered as its one field
/// is, details and headers included. On a struct, the attribute stands on the struct. The message is
/// the error's `Display`; that of a 5xx status is logged, not sent.
#[proc_macro_derive(ErrorReply, attributes(reply))]
pub fn error_reply(item: TokenStream) -> TokenStream {
    expand::error_reply(item)
}
