//! The glue of the controllers under test, as the macros print it. `h` is the hidden module of this
//! crate, `p` that of the core.

pub(crate) use std::sync::Arc;

pub(crate) use znight_core::__private as p;
pub(crate) use znight_http::__private as h;

/// The provider of a controller or a guard: `#[injectable]` on a type outside of the analysed
/// crate. Its dependencies come in the order of its fields, or as a constructor asks for them.
macro_rules! injectable {
    ($ty:ident, $scope:ident, { $($field:ident: $dep:ty),* }) => {
        injectable!($ty, $scope, [$($dep),*], |d| {
            let _ = &d;
            $ty { $($field: d.next()),* }
        });
    };
    ($ty:ident, $scope:ident, [$($dep:ty),*], |$d:pat_param| $value:expr) => {
        const _: () = {
            fn __make($d: &mut p::Deps<'_>) -> p::Made {
                p::made::<$ty, _>($value)
            }
            impl p::Provided for $ty {
                const P: p::Provider = p::provider::<$ty>(
                    p::Make::Plain(__make),
                    &[],
                    {
                        use p::NoLifecycle as _;
                        p::Lifecycle {
                            on_start: p::Probe::<$ty>::ON_START,
                            on_ready: p::Probe::<$ty>::ON_READY,
                            on_stop: p::Probe::<$ty>::ON_STOP,
                            dispose: p::Probe::<$ty>::DISPOSE,
                        }
                    },
                );
                const META: p::ProviderMeta = p::ProviderMeta {
                    token: concat!("it::", stringify!($ty)),
                    display: stringify!($ty),
                    scope: p::ScopeKind::$scope,
                    name: None,
                    primary: false,
                    deps: &[$(p::DynDep::of::<$dep>(None)),*],
                    source: None,
                };
            }
        };
    };
}
pub(crate) use injectable;

/// `#[controller]` on a type outside of the analysed crate.
macro_rules! controller {
    ($ty:ident, $path:literal, [$($routes:expr),* $(,)?]) => {
        controller!($ty, $path, guards: [], interceptors: [], [$($routes),*]);
    };
    ($ty:ident, $path:literal, guards: [$($guard:ty),*], interceptors: [$($interceptor:ty),*], [$($routes:expr),* $(,)?]) => {
        impl h::ControllerOn for $ty {
            const C: h::ControllerDef = h::ControllerDef {
                guards: &[$(h::guard::<$guard>()),*],
                interceptors: &[$(h::interceptor::<$interceptor>()),*],
                routes: &[$($routes),*],
                ..h::ControllerDef::new::<$ty>(stringify!($ty), $path, None)
            };
        }
    };
}
pub(crate) use controller;

/// A route without anything special; the tests change what they need.
pub(crate) const fn route(
    method: h::Verb,
    path: &'static str,
    handler: &'static str,
    call: h::Call,
) -> h::RouteDef {
    h::RouteDef::new(method, path, handler, call, None)
}

/// A handler without arguments: `async fn method(&self) -> ..`.
macro_rules! plain {
    ($c:ty, $method:ident) => {{
        fn glue<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
            use h::select::*;
            let _ = rq;
            let c = h::this::<$c>(this);
            h::call0(c, <$c>::$method, (&&&&&&h::out0(&<$c>::$method)).kind())
        }
        glue as h::Call
    }};
}
pub(crate) use plain;

/// A handler of the context: `async fn method(&self, ctx: Arc<HttpContext>) -> ..`.
macro_rules! with_context {
    ($c:ty, $method:ident) => {{
        fn glue<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
            use h::select::*;
            let c = h::this::<$c>(this);
            let a0 = (&&h::Tag::<Arc<znight_http::HttpContext>>::NEW).context(rq)?;
            h::call1(c, <$c>::$method, a0, (&&&&&&h::out1(&<$c>::$method)).kind())
        }
        glue as h::Call
    }};
}
pub(crate) use with_context;
