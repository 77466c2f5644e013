//! The attribute macros of Znight.
//!
//! Use them through the facade crate, whose documentation shows them at work: `znight::injectable`,
//! `znight::factory`, `znight::controller`, `znight::graph!`, `znight::library!` and the derive `znight::ErrorReply`.
//!
//! Each macro does what only the marked place can: it removes our attributes, writes the glue that
//! needs no visibility from anywhere else, and reports what the build pass recorded of the item on
//! exactly the tokens that are wrong.
#![forbid(unsafe_code)]

mod expand;
mod plain;

use proc_macro::TokenStream;
use znight_syntax::symbol::Outer;

/// Marks a provider: a struct whose fields are injected, or an `impl` with a constructor.
///
/// On a struct, every field is injected by its type except those with `#[init]`:
///
/// ```
/// use std::sync::{Arc, atomic::AtomicU64};
/// use znight::prelude::*;
/// # trait OrderRepository: Send + Sync {}
/// # trait Sink: Send + Sync {}
/// # struct Cache;
/// # struct Mailer;
///
/// #[injectable]
/// pub struct Orders {
///     repository: Arc<dyn OrderRepository>, // the provider that implements the trait
///     #[inject("audit")]
///     audit: Arc<dyn Sink>,                 // the one of that name
///     sinks: Vec<Arc<dyn Sink>>,            // all of them, ordered by token
///     cache: Option<Arc<Cache>>,            // none when nothing provides it
///     mailer: Lazy<Mailer>,                 // resolved when asked for
///     #[init]
///     served: AtomicU64,                    // Default::default()
///     #[init(3)]
///     retries: u32,                         // an expression
/// }
/// ```
///
/// On an `impl`, the parameters of `fn new`, or of the function marked `#[constructor]`, are injected.
/// It may be `async` and return `Result<Self, E>`:
///
/// ```
/// # use std::sync::Arc;
/// # use znight::prelude::*;
/// # #[injectable] struct Settings;
/// struct Client;
///
/// #[injectable]
/// impl Client {
///     async fn new(settings: Arc<Settings>) -> Result<Self, std::io::Error> {
///         let _ = settings;
///         Ok(Self)
///     }
/// }
/// ```
///
/// Options: `scope = "singleton"` (the default), `"request"` or `"transient"`; `name = ".."`;
/// `primary`; `as(dyn Trait)` for a trait whose implementation cannot be seen in the source.
///
/// Errors are `ZNIGHTxxx` errors on the token that is wrong.
#[proc_macro_attribute]
pub fn injectable(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(Outer::Injectable, args, item)
}

/// Marks an `impl` whose `#[provides]` methods make providers.
///
/// The return type is what a method provides, with `Result`, `Option` (nothing when `None`), `Arc` and
/// `async` peeled off. Parameters are injected; with `&self`, so is the factory itself.
///
/// ```
/// use znight::prelude::*;
///
/// struct Pool;
///
/// impl Pool {
///     async fn close(&self) {}
/// }
///
/// struct Database;
///
/// #[factory]
/// impl Database {
///     #[provides(dispose = Pool::close)]
///     async fn pool(#[inject("url")] url: String) -> Result<Pool, std::io::Error> {
///         let _ = url;
///         Ok(Pool)
///     }
///
///     #[provides(name = "url", clone)]
///     fn url() -> String {
///         "sqlite::memory:".to_owned()
///     }
/// }
/// ```
///
/// Options: those of [`macro@injectable`], `clone` (may be injected by value, as a clone), `dispose = path`
/// and `on_start = path` (async functions called with a reference to the value).
#[proc_macro_attribute]
pub fn factory(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(Outer::Factory, args, item)
}

/// Marks an `impl` whose methods answer HTTP requests.
///
/// ```
/// use znight::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize)] struct User { id: u64 }
/// # #[injectable] struct ApiKey;
/// # impl Guard for ApiKey {
/// #     async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> { Ok(()) }
/// # }
///
/// #[injectable]
/// struct Users;
///
/// #[controller("/users")]
/// impl Users {
///     #[get("/{id}")]
///     async fn get(&self, #[param] id: u64) -> Option<User> {
///         (id == 1).then_some(User { id })
///     }
///
///     #[get]
///     async fn list(&self, #[query(default = 1)] page: u32, #[headers] accept: Option<String>) -> Vec<User> {
///         let _ = (page, accept);
///         Vec::new()
///     }
///
///     #[post]
///     #[guard(ApiKey)]
///     async fn create(&self, #[body] user: User) -> HttpResponse<User> {
///         HttpResponse::created(format!("/users/{}", user.id), user)
///     }
/// }
/// ```
///
/// Verbs: `get post put patch delete head options all`. Parameters: `#[param]`, `#[query]`,
/// `#[headers]`, `#[body]`, each with `schema = value` for what checks it; without an attribute, a parameter of the path by its name or anything
/// `FromContext`. On a method or on the `impl`: `#[guard(..)]`, `#[interceptor(..)]`,
/// `#[body_limit(bytes)]`, `#[decide(PUBLIC)]`; on a method: `#[status(202)]`, `#[header("name", "value")]`. A unit struct
/// needs no `#[injectable]`: `#[controller("/users", scope = "request")]` may give its scope.
#[proc_macro_attribute]
pub fn controller(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(Outer::Controller, args, item)
}

/// Gives a trait a mock, by which `znight_testing::TestBed` stands in for its provider.
///
/// ```
/// use znight::prelude::*;
/// # pub struct User;
///
/// #[mockable]
/// #[async_trait]
/// pub trait UserRepository: Send + Sync {
///     async fn find(&self, id: u64) -> Option<User>;
/// }
/// ```
///
/// The mock is that of [`mockall`](https://docs.rs/mockall): `MockUserRepository`, written by its `automock`,
/// which the package has in its `[dev-dependencies]`. Nothing of it is compiled outside of tests. Unit tests
/// see it as it is; tests in `tests/` and other packages see it when the package's feature `testing` is on:
///
/// ```toml
/// [features]
/// testing = ["dep:mockall"]
///
/// [dependencies]
/// mockall = { version = "0.15", optional = true }
///
/// [dev-dependencies]
/// mockall = "0.15"
/// shop = { path = ".", features = ["testing"] } # the package itself, for its `tests/`
/// ```
///
/// The trait has `Send + Sync` as super-traits, as everything that is injected. `#[async_trait]` stands below
/// `#[mockable]`. Associated types are given as they are injected: `#[mockable(type Key = u64;)]` is the mock of
/// `dyn Store<Key = u64>`. What a mock cannot be made of is said by mockall: type parameters of methods that
/// are not `'static`, and references in results that do not come from `&self`, among others.
#[proc_macro_attribute]
pub fn mockable(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::mockable(args, item)
}

/// Defines `pub const fn graph() -> Graph` at the root of a crate: the dependency graph the build computed.
///
/// It stands in `lib.rs`, or in `main.rs` of a package without a library, once:
///
/// ```text
/// mod users;
/// znight::graph!();
/// ```
///
/// Without a build script that calls `znight_build::compile()` it is an error that says which lines to add.
#[proc_macro]
pub fn graph(input: TokenStream) -> TokenStream {
    expand::graph(input)
}

/// Makes the crate a library of providers: stands at its root, once, where an application has `graph!()`.
///
/// Applications that depend on the crate, directly or through another such library, have its providers
/// in their graphs. Types, traits and modules may be private.
///
/// ```text
/// pub mod tokens;
/// znight::library!();
/// ```
///
/// What the library's own build can tell it tells: wrong attributes, cycles, scopes, two providers of one
/// type. What nobody provides, or several do, is for the application to decide, and is reported at its
/// `graph!()`: a library may inject an `Arc<dyn Transport>` that each application implements.
///
/// A provider is handed out as every trait of the library that it implements. For the trait of another
/// crate, one with associated types, or one with a super-trait of another crate, say so:
/// `#[injectable(as(dyn Users))]`.
///
/// Like `graph!()` it needs a build script that calls `znight_build::compile()`, and takes no arguments.
#[proc_macro]
pub fn library(input: TokenStream) -> TokenStream {
    expand::library(input)
}

/// Puts an interceptor around a method of a provider.
///
/// The interceptor is a provider that implements `MethodInterceptor`, for async methods, or
/// `SyncMethodInterceptor`, for others. The instance whose method it is has a field
/// `interceptors: Interceptors`, which the container fills.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
/// use znight::prelude::*;
/// use znight::{Invocation, MethodInterceptor, Returned};
///
/// #[injectable]
/// struct Counting {
///     #[init]
///     calls: AtomicU32,
/// }
///
/// #[derive(Default)]
/// struct CountingOptions {
///     pub step: u32,
/// }
///
/// impl MethodInterceptor for Counting {
///     type Options = CountingOptions;
///
///     async fn intercept(&self, call: &mut Invocation<'_>, options: &CountingOptions) -> Returned {
///         self.calls.fetch_add(options.step, Ordering::Relaxed);
///         call.proceed().await
///     }
/// }
///
/// #[injectable]
/// struct Users {
///     interceptors: Interceptors,
/// }
///
/// impl Users {
///     #[intercept(Counting, step = 2)]
///     async fn find(&self, id: u64) -> Option<String> {
///         (id == 1).then(|| "ada".to_owned())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// // Built by hand, it is not intercepted.
/// let users = Users { interceptors: Interceptors::default() };
/// assert_eq!(users.find(1).await.as_deref(), Some("ada"));
/// // With the interceptor, as the container builds it.
/// let counting = Arc::new(Counting { calls: AtomicU32::new(0) });
/// let users = Users { interceptors: Interceptors::default().with(Arc::clone(&counting)) };
/// users.find(1).await;
/// assert_eq!(counting.calls.load(Ordering::Relaxed), 2);
/// # }
/// ```
///
/// Of several such attributes on a method the top-most is the outermost interceptor. What stands behind the
/// name of the interceptor sets fields of its `Options`: texts also where the field is a `String` or an
/// `Option`, a name alone means `true`. It works on methods of a type and of a trait (below `#[async_trait]` as
/// well), and calls of the instance's own methods are intercepted like others.
///
/// An interceptor sees and replaces arguments and results by their types when they own what they hold; what
/// borrows is passed on, and shown where it has `Debug`. Write lifetimes out (`Cow<'_, str>`), so that the
/// attribute sees them. Futures are `Send`: so are the arguments and what the body holds across an `.await`.
#[proc_macro_attribute]
pub fn intercept(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::intercept(args, item)
}

/// Gives the variants of an error enum their HTTP statuses.
///
/// ```
/// use znight::ErrorReply;
///
/// #[derive(Debug, thiserror::Error, ErrorReply)]
/// pub enum UserError {
///     #[error("user {0} not found")]
///     #[reply(404)]
///     NotFound(u64),
///     #[error(transparent)]
///     #[reply(500)]
///     Store(#[from] std::io::Error),
/// }
///
/// assert_eq!(UserError::NotFound(7).status(), 404);
/// ```
///
/// Every variant has a status from 400 to 599, or is `#[reply(transparent)]`: answered as its one field
/// is, details and headers included. On a struct, the attribute stands on the struct. The message is
/// the error's `Display`; that of a 5xx status is logged, not sent.
#[proc_macro_derive(ErrorReply, attributes(reply))]
pub fn error_reply(item: TokenStream) -> TokenStream {
    expand::error_reply(item)
}
