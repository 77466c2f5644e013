//! What generated code touches. Not public API: it changes with every release.

pub use crate::{
    container::{assembly, catalogue::Catalogue},
    error::{BoxError, Result},
    graph::{Binding, Dep, Entry, External, Graph, GraphData, Section, Source},
    inject::{Deps, DynDep, InjectKind, Injected},
    lifecycle::{HookFn, HookOutput, Lifecycle, NoLifecycle, Probe, hook_output},
    mock::{Asked, Injection, Mockable, NoMock, Watch, Watched},
    names::short as short_name,
    provider::{
        Coerce, Handle, IntoMade, Made, Make, Provide, Provided, Provider, ProviderMeta,
        clone_value, coercion, made, provider, type_id_of,
    },
};
pub use std::option::Option::{None, Some};
pub use znight_contract::{METADATA_VERSION, RELEASE_LINE, ScopeKind};

/// What an intercepted method is made of.
pub mod intercept {
    pub use crate::intercept::{
        Arg, Assign, End, Made, Method, MethodInterceptor, No, Of, Otherwise, OtherwiseFails,
        ResultFails, SyncMethodInterceptor, Yes, call_async, call_sync, link, made, made_once,
        sync_link, taking,
    };
}

/// A boxed future that may cross threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Compares a constant with the value the build pass has told of it.
///
/// # Panics
///
/// They differ, which shows when the application is compiled.
pub const fn agree(constant: &str, told: &str) {
    let (constant, told) = (constant.as_bytes(), told.as_bytes());
    let mut same = constant.len() == told.len();
    let mut at = 0;
    while same && at < told.len() {
        same = constant[at] == told[at];
        at += 1;
    }
    assert!(
        same,
        "ZNIGHT005: the build has taken this constant for another one: write the text here"
    );
}

/// Refuses a constant the build pass has taken for one that does not exist.
///
/// # Panics
///
/// Always, when the application is compiled, unless rustc does not find the constant either.
pub const fn not_found<T: ?Sized>(_: &T) {
    panic!("ZNIGHT005: the build has not found this constant: write the text here")
}

/// Where an item is written.
pub const fn place(file: &'static str, line: u32) -> Option<Source> {
    Some(Source { file, line })
}
