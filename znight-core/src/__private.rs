//! What generated code touches. Not public API: it changes with every release.

pub use crate::{
    error::{BoxError, Result},
    graph::{Binding, Dep, Entry, External, Graph, GraphData, Section, Source},
    inject::{Deps, DynDep, InjectKind, Injected},
    lifecycle::{HookFn, HookOutput, Lifecycle, NoLifecycle, Probe, hook_output},
    provider::{
        Coerce, Handle, IntoMade, Made, Make, Provide, Provided, Provider, ProviderMeta,
        clone_value, coercion, made, provider, type_id_of,
    },
};
pub use std::option::Option::{None, Some};
pub use znight_contract::{METADATA_VERSION, RELEASE_LINE, ScopeKind};

/// A boxed future that may cross threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where an item is written.
pub const fn place(file: &'static str, line: u32) -> Option<Source> {
    Some(Source { file, line })
}
