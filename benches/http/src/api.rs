//! The controller, with its glue as the macros print it: this crate has no build script, so that
//! the benchmark measures the run time alone.

use validator::Validate as _;
use znight_core::__private as p;
use znight_http::{__private as h, HttpError, ResultExt as _};

use crate::contract::{CreateUser, Created, HELLO, Message, UserView};

pub(crate) struct Api;

impl Api {
    async fn plaintext(&self) -> &'static str {
        HELLO
    }

    async fn json(&self) -> Message {
        Message { message: HELLO }
    }

    async fn user(&self, id: u64, page: u32, tag: Vec<String>) -> UserView {
        UserView { id, page, tag }
    }

    async fn create(&self, user: CreateUser) -> Result<Created, HttpError> {
        user.validate().status(422)?;
        let CreateUser { email, name, role } = user;
        Ok(Created {
            id: 1,
            email,
            name,
            role,
        })
    }
}

fn plaintext<'a>(this: &'a p::Handle, _: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Api>(this);
    h::call0(
        c,
        <Api>::plaintext,
        (&&&&&&h::out0(&<Api>::plaintext)).kind(),
    )
}

fn json<'a>(this: &'a p::Handle, _: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Api>(this);
    h::call0(c, <Api>::json, (&&&&&&h::out0(&<Api>::json)).kind())
}

fn user<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Api>(this);
    let a0 = (&&h::Tag::<u64>::NEW).param(rq, "id")?;
    let a1 = (&&h::Tag::<u32>::NEW).query(rq, "page", Some(|| 1))?;
    let a2 = (&&h::Tag::<Vec<String>>::NEW).query(rq, "tag", None)?;
    h::call3(
        c,
        <Api>::user,
        a0,
        a1,
        a2,
        (&&&&&&h::out3(&<Api>::user)).kind(),
    )
}

fn create<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Api>(this);
    let a0 = (&&h::Tag::<CreateUser>::NEW).body(rq)?;
    h::call1(c, <Api>::create, a0, (&&&&&&h::out1(&<Api>::create)).kind())
}

const fn route(
    method: h::Verb,
    path: &'static str,
    handler: &'static str,
    body: bool,
    call: h::Call,
) -> h::RouteDef {
    h::RouteDef {
        method,
        path,
        handler,
        status: None,
        headers: &[],
        body,
        body_limit: None,
        guards: &[],
        interceptors: &[],
        params: &[],
        call,
        source: None,
    }
}

impl h::ControllerOn for Api {
    const C: h::ControllerDef = h::ControllerDef {
        type_id: p::type_id_of::<Self>,
        get: h::controller::<Self>,
        display: "Api",
        path: "/",
        guards: &[],
        interceptors: &[],
        routes: &[
            route(h::Verb::Get, "/plaintext", "plaintext", false, plaintext),
            route(h::Verb::Get, "/json", "json", false, json),
            route(h::Verb::Get, "/users/{id}", "user", false, user),
            route(h::Verb::Post, "/users", "create", true, create),
        ],
        source: None,
    };
}

impl p::Provided for Api {
    const P: p::Provider = p::provider::<Self>(
        p::Make::Plain(|_| p::made::<Self, _>(Self)),
        &[],
        p::Lifecycle {
            on_start: None,
            on_ready: None,
            on_stop: None,
            dispose: None,
        },
    );
    const META: p::ProviderMeta = p::ProviderMeta {
        token: "bench_http::Api",
        display: "Api",
        scope: p::ScopeKind::Singleton,
        name: None,
        primary: false,
        deps: &[],
        source: None,
    };
}
