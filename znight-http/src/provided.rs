//! What the plugin supplies to request-scoped providers.

use std::sync::Arc;

use znight_core::{
    __private::{
        DynDep, Handle, InjectKind, Lifecycle, Make, Provider, ProviderMeta, ScopeKind, provider,
        type_id_of,
    },
    Provided,
};

use crate::{HttpContext, RequestId};

const NO_HOOKS: Lifecycle = Lifecycle {
    on_start: None,
    on_ready: None,
    on_stop: None,
    dispose: None,
};

const fn meta(token: &'static str, display: &'static str, deps: &'static [DynDep]) -> ProviderMeta {
    ProviderMeta {
        token,
        display,
        scope: ScopeKind::Request,
        name: None,
        primary: false,
        deps,
        source: None,
    }
}

/// The pipeline seeds it into the scope of a request: it is never made.
impl Provided for HttpContext {
    const P: Provider = provider::<Self>(
        Make::Plain(|_| Err("there is a context only while a request is handled".into())),
        &[],
        NO_HOOKS,
    );
    const META: ProviderMeta = meta("znight_http::HttpContext", "HttpContext", &[]);
}

/// Taken from the context: most requests have nobody who asks for it.
impl Provided for RequestId {
    const P: Provider = provider::<Self>(
        Make::Plain(|deps| {
            let context = deps.next::<Arc<HttpContext>>();
            Ok(Some(Handle::new(Arc::new(context.request_id().clone()))))
        }),
        &[],
        NO_HOOKS,
    );
    const META: ProviderMeta = meta(
        "znight_http::RequestId",
        "RequestId",
        &[DynDep {
            kind: InjectKind::One,
            type_id: type_id_of::<HttpContext>,
            type_name: std::any::type_name::<HttpContext>,
            name: None,
        }],
    );
}
