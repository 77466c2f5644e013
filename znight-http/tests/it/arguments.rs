use std::{collections::HashMap, net::IpAddr};

use bytes::Bytes;
use http::Request;
use serde::Deserialize;
use znight_http::{
    FromContext, FromParam, HttpContext, HttpError, HttpOptions, ParamError, RequestId,
};

use crate::support::{App, Reply, error, glue::*};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sort {
    Asc,
    Desc,
}

#[derive(Debug, Deserialize)]
struct Page(u32);

/// Implements serde's trait as well: its own reading wins.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "shown with `Debug`")]
struct Colour(u32);

impl FromParam for Colour {
    fn from_param(text: &str) -> Result<Self, ParamError> {
        u32::from_str_radix(text, 16)
            .map(Self)
            .map_err(|_| ParamError::expected("a hexadecimal colour"))
    }
}

#[derive(Debug, Deserialize)]
struct Filter {
    page: u32,
    #[serde(default)]
    tag: Vec<String>,
    sort: Option<Sort>,
}

#[derive(Deserialize)]
struct Place {
    user: String,
    post: u8,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Agent {
    user_agent: String,
    x_level: Option<u8>,
}

/// What a handler of the user's own makes of the context.
struct Tenant(String);

impl FromContext for Tenant {
    fn from_context(ctx: &HttpContext) -> Result<Self, HttpError> {
        ctx.header("x-tenant")
            .map(|name| Self(name.to_owned()))
            .ok_or_else(|| HttpError::forbidden("which tenant?"))
    }
}

pub(crate) struct Args;

impl Args {
    async fn typed(&self, id: u64, ratio: f32, on: bool, mark: char, ip: IpAddr) -> String {
        format!("{id} {ratio} {on} {mark} {ip}")
    }

    async fn wide(&self, a: i8, b: u128, c: i128) -> String {
        format!("{a} {b} {c}")
    }

    async fn search(
        &self,
        q: String,
        page: u32,
        tags: Vec<String>,
        exact: Option<bool>,
        sort: Option<Sort>,
        size: Page,
    ) -> String {
        let size = size.0;
        format!("{q:?} {page} {tags:?} {exact:?} {sort:?} {size}")
    }

    async fn own(&self, colour: Colour, more: Vec<Colour>, other: Option<Colour>) -> String {
        format!("{colour:?} {more:?} {other:?}")
    }

    async fn headers(&self, count: u8, key: Option<String>, forwarded: Vec<String>) -> String {
        format!("{count} {key:?} {forwarded:?}")
    }

    async fn flat(&self, filter: Filter, all: HashMap<String, Vec<String>>) -> String {
        let Filter { page, tag, sort } = filter;
        format!("{page} {tag:?} {sort:?} {}", all.len())
    }

    async fn place(&self, place: Place) -> String {
        format!("{} {}", place.user, place.post)
    }

    async fn agent(&self, agent: Agent) -> String {
        format!("{} {:?}", agent.user_agent, agent.x_level)
    }

    async fn tenant(&self, tenant: Tenant, id: RequestId, ctx: Arc<HttpContext>) -> String {
        format!("{} {id} {}", tenant.0, ctx.path())
    }

    async fn by_reference(&self, ctx: &HttpContext, id: u64) -> String {
        format!("{} {id}", ctx.param("id").unwrap_or("none"))
    }
}

fn typed<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<u64>::NEW).param(rq, "id")?;
    let a1 = (&&h::Tag::<f32>::NEW).param(rq, "ratio")?;
    let a2 = (&&h::Tag::<bool>::NEW).param(rq, "on")?;
    let a3 = (&&h::Tag::<char>::NEW).param(rq, "mark")?;
    let a4 = (&&h::Tag::<IpAddr>::NEW).param(rq, "ip")?;
    h::call5(
        c,
        <Args>::typed,
        a0,
        a1,
        a2,
        a3,
        a4,
        (&&&&&&h::out5(&<Args>::typed)).kind(),
    )
}

fn wide<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<i8>::NEW).query(rq, "a", None)?;
    let a1 = (&&h::Tag::<u128>::NEW).query(rq, "b", None)?;
    let a2 = (&&h::Tag::<i128>::NEW).query(rq, "c", None)?;
    h::call3(
        c,
        <Args>::wide,
        a0,
        a1,
        a2,
        (&&&&&&h::out3(&<Args>::wide)).kind(),
    )
}

fn search<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<String>::NEW).query(rq, "q", None)?;
    let a1 = (&&h::Tag::<u32>::NEW).query(rq, "page", Some(|| 1))?;
    let a2 = (&&h::Tag::<Vec<String>>::NEW).query(rq, "tag", None)?;
    let a3 = (&&h::Tag::<Option<bool>>::NEW).query(rq, "exact", None)?;
    let a4 = (&&h::Tag::<Option<Sort>>::NEW).query(rq, "sort", None)?;
    let a5 = (&&h::Tag::<Page>::NEW).query(rq, "size", Some(|| Page(20)))?;
    h::call6(
        c,
        <Args>::search,
        a0,
        a1,
        a2,
        a3,
        a4,
        a5,
        (&&&&&&h::out6(&<Args>::search)).kind(),
    )
}

fn own<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<Colour>::NEW).param(rq, "colour")?;
    let a1 = (&&h::Tag::<Vec<Colour>>::NEW).query(rq, "more", None)?;
    let a2 = (&&h::Tag::<Option<Colour>>::NEW).header(rq, "x-colour")?;
    h::call3(
        c,
        <Args>::own,
        a0,
        a1,
        a2,
        (&&&&&&h::out3(&<Args>::own)).kind(),
    )
}

fn headers<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<u8>::NEW).header(rq, "x-count")?;
    let a1 = (&&h::Tag::<Option<String>>::NEW).header(rq, "X-Api-Key")?;
    let a2 = (&&h::Tag::<Vec<String>>::NEW).header(rq, "forwarded")?;
    h::call3(
        c,
        <Args>::headers,
        a0,
        a1,
        a2,
        (&&&&&&h::out3(&<Args>::headers)).kind(),
    )
}

fn flat<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<Filter>::NEW).query_all(rq)?;
    let a1 = (&&h::Tag::<HashMap<String, Vec<String>>>::NEW).query_all(rq)?;
    h::call2(
        c,
        <Args>::flat,
        a0,
        a1,
        (&&&&&&h::out2(&<Args>::flat)).kind(),
    )
}

fn place<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<Place>::NEW).param_all(rq)?;
    h::call1(c, <Args>::place, a0, (&&&&&&h::out1(&<Args>::place)).kind())
}

fn agent<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<Agent>::NEW).header_all(rq)?;
    h::call1(c, <Args>::agent, a0, (&&&&&&h::out1(&<Args>::agent)).kind())
}

fn tenant<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a0 = (&&h::Tag::<Tenant>::NEW).context(rq)?;
    let a1 = (&&h::Tag::<RequestId>::NEW).context(rq)?;
    let a2 = (&&h::Tag::<Arc<HttpContext>>::NEW).context(rq)?;
    h::call3(
        c,
        <Args>::tenant,
        a0,
        a1,
        a2,
        (&&&&&&h::out3(&<Args>::tenant)).kind(),
    )
}

fn by_reference<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Args>(this);
    let a1 = (&&h::Tag::<u64>::NEW).param(rq, "id")?;
    h::boxed(async move {
        let out = c.by_reference(rq.context(), a1).await;
        let kind = (&&&&&&h::out_of(&out)).kind();
        h::finish(out, kind)
    })
}

injectable!(Args, Singleton, {});
controller!(
    Args,
    "",
    [
        route(
            h::Verb::Get,
            "/typed/{id}/{ratio}/{on}/{mark}/{ip}",
            "typed",
            typed
        ),
        route(h::Verb::Get, "/wide", "wide", wide),
        route(h::Verb::Get, "/search", "search", search),
        route(h::Verb::Get, "/own/{colour}", "own", own),
        route(h::Verb::Get, "/headers", "headers", headers),
        route(h::Verb::Get, "/flat", "flat", flat),
        route(h::Verb::Get, "/place/{user}/{post}", "place", place),
        route(h::Verb::Get, "/agent", "agent", agent),
        route(h::Verb::Get, "/tenant", "tenant", tenant),
        route(
            h::Verb::Get,
            "/by-reference/{id}",
            "by_reference",
            by_reference
        ),
    ]
);

async fn get(target: &str) -> Reply {
    App::of::<Args>(HttpOptions::new()).await.get(target).await
}

async fn with(target: &str, headers: &[(&str, &[u8])]) -> Reply {
    let mut request = Request::get(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let app = App::of::<Args>(HttpOptions::new()).await;
    app.send(request.body(Bytes::new()).unwrap()).await
}

#[tokio::test]
async fn path_parameters_are_read_as_their_types() {
    let reply = get("/typed/18446744073709551615/0.5/true/%C3%A9/::1").await;
    assert_eq!(reply.text(), "18446744073709551615 0.5 true \u{e9} ::1");
}

#[tokio::test]
async fn a_wrong_path_parameter_is_named_with_what_was_expected() {
    for (target, message) in [
        (
            "/typed/x/1/true/a/::1",
            "param \"id\": expected a number from 0 to 18446744073709551615",
        ),
        (
            "/typed/-1/1/true/a/::1",
            "param \"id\": expected a number from 0 to 18446744073709551615",
        ),
        (
            "/typed/1/inf/true/a/::1",
            "param \"ratio\": expected a number",
        ),
        (
            "/typed/1/1/yes/a/::1",
            "param \"on\": expected true or false",
        ),
        (
            "/typed/1/1/true/ab/::1",
            "param \"mark\": expected one character",
        ),
        (
            "/typed/1/1/true/a/secret",
            "param \"ip\": expected an IP address",
        ),
        (
            "/own/red",
            "param \"colour\": expected a hexadecimal colour",
        ),
    ] {
        assert_eq!(get(target).await.error(), error(400, message), "{target}");
    }
}

#[tokio::test]
async fn numbers_of_every_width_are_read_and_bounded() {
    let widest = "/wide?a=-128&b=340282366920938463463374607431768211455&c=-170141183460469231731687303715884105728";
    assert_eq!(
        get(widest).await.text(),
        "-128 340282366920938463463374607431768211455 -170141183460469231731687303715884105728"
    );
    assert_eq!(
        get("/wide?a=128&b=1&c=1").await.message(),
        "query \"a\": expected a number from -128 to 127"
    );
}

#[tokio::test]
async fn query_parameters_have_defaults_options_and_lists() {
    for (target, expected) in [
        ("/search?q=a", "\"a\" 1 [] None None 20"),
        (
            "/search?q=a+b%26c&page=2&tag=x&tag=y&exact=true&sort=desc&size=5",
            "\"a b&c\" 2 [\"x\", \"y\"] Some(true) Some(Desc) 5",
        ),
        (
            "/search?q=&tag=one&sort=asc",
            "\"\" 1 [\"one\"] None Some(Asc) 20",
        ),
        ("/search?q=%C3%A9&unknown=1", "\"\u{e9}\" 1 [] None None 20"),
    ] {
        assert_eq!(get(target).await.text(), expected, "{target}");
    }
}

#[tokio::test]
async fn a_wrong_query_parameter_is_named_with_what_was_expected() {
    for (target, message) in [
        ("/search", "missing query parameter \"q\""),
        (
            "/search?q=a&page=abc",
            "query \"page\": expected a number from 0 to 4294967295",
        ),
        (
            "/search?q=a&page=",
            "query \"page\": expected a number from 0 to 4294967295",
        ),
        (
            "/search?q=a&page=1&page=2",
            "query \"page\": expected a single value",
        ),
        (
            "/search?q=a&exact=1",
            "query \"exact\": expected true or false",
        ),
        (
            "/search?q=a&sort=up",
            "query \"sort\": expected asc or desc",
        ),
        ("/search?q=%zz", "the query is not well percent-encoded"),
        ("/search?q=%ff", "the query is not well percent-encoded"),
        (
            "/search?q=a&other=%",
            "the query is not well percent-encoded",
        ),
    ] {
        assert_eq!(get(target).await.error(), error(400, message), "{target}");
    }
}

#[tokio::test]
async fn a_type_of_the_users_own_is_read_in_its_way_rather_than_by_serde() {
    let reply = with("/own/ff?more=a&more=b", &[("x-colour", b"10")]).await;
    assert_eq!(
        reply.text(),
        "Colour(255) [Colour(10), Colour(11)] Some(Colour(16))"
    );
    assert_eq!(
        get("/own/ff?more=x").await.message(),
        "query \"more\": expected a hexadecimal colour"
    );
}

#[tokio::test]
async fn headers_are_read_by_any_case_of_their_name() {
    let reply = with(
        "/headers",
        &[
            ("X-COUNT", b"7"),
            ("x-api-key", "\u{e9}".as_bytes()),
            ("forwarded", b"a"),
            ("forwarded", b"b"),
        ],
    )
    .await;
    assert_eq!(reply.text(), "7 Some(\"\u{e9}\") [\"a\", \"b\"]");
}

#[tokio::test]
async fn a_wrong_header_is_named_with_what_was_expected() {
    assert_eq!(
        get("/headers").await.error(),
        error(400, "missing header \"x-count\"")
    );
    for (headers, message) in [
        (
            &[("x-count", &b"300"[..])][..],
            "header \"x-count\": expected a number from 0 to 255",
        ),
        (
            &[("x-count", b"1"), ("x-count", b"2")],
            "header \"x-count\": expected a single value",
        ),
        (
            &[("x-count", b"1"), ("x-api-key", b"\xff")],
            "header \"X-Api-Key\": expected text in UTF-8",
        ),
    ] {
        assert_eq!(with("/headers", headers).await.error(), error(400, message));
    }
}

#[tokio::test]
async fn a_whole_record_fills_a_struct_or_a_map() {
    assert_eq!(
        get("/flat?tag=b&page=2&tag=a&sort=asc").await.text(),
        "2 [\"b\", \"a\"] Some(Asc) 3"
    );
    assert_eq!(get("/place/ann/7").await.text(), "ann 7");
    let reply = with("/agent", &[("user-agent", b"curl"), ("x-level", b"3")]).await;
    assert_eq!(reply.text(), "curl Some(3)");
}

#[tokio::test]
async fn a_wrong_value_of_a_record_is_named() {
    for (target, message) in [
        ("/flat", "missing query parameter \"page\""),
        (
            "/flat?page=x",
            "query \"page\": expected a number from 0 to 4294967295",
        ),
        (
            "/flat?page=1&page=2",
            "query \"page\": expected a single value",
        ),
        (
            "/flat?page=1&sort=up",
            "query \"sort\": expected asc or desc",
        ),
        (
            "/place/ann/256",
            "param \"post\": expected a number from 0 to 255",
        ),
        ("/agent", "missing header \"user-agent\""),
    ] {
        assert_eq!(get(target).await.error(), error(400, message), "{target}");
    }
}

#[tokio::test]
async fn parameters_without_an_attribute_come_from_the_context() {
    let headers = [("x-tenant", &b"acme"[..]), ("x-request-id", b"r-1")];
    assert_eq!(with("/tenant", &headers).await.text(), "acme r-1 /tenant");
    assert_eq!(get("/tenant").await.error(), error(403, "which tenant?"));
    assert_eq!(get("/by-reference/%37").await.text(), "7 7");
}
