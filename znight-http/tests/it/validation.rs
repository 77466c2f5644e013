use std::sync::LazyLock;

use garde::Validate as Garde;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;
use validator::{Validate as Validator, ValidationError};
use znight_core::{Application, Graph};
use znight_http::{HttpError, HttpOptions, HttpPlugin, Issue, Issues, Schema};

use crate::support::{App, Reply, error, glue::*};

/// Checked by garde.
#[derive(Debug, Deserialize, Garde)]
#[serde(rename_all = "camelCase")]
#[garde(allow_unvalidated)]
struct SignUp {
    #[garde(length(min = 3))]
    user_name: String,
    #[garde(range(min = 18))]
    age: u8,
    #[garde(dive)]
    #[serde(default)]
    home_addresses: Vec<Address>,
    #[garde(dive)]
    #[serde(default)]
    work: Option<Address>,
    #[garde(dive)]
    #[serde(flatten)]
    agreement: Agreement,
}

#[derive(Debug, Deserialize, Garde)]
struct Address {
    #[serde(rename = "zip")]
    #[garde(length(equal = 5))]
    post_code: String,
}

#[derive(Debug, Deserialize, Garde)]
struct Agreement {
    #[serde(rename(deserialize = "acceptsTerms"))]
    #[garde(custom(accepted))]
    terms: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "garde hands over references"
)]
fn accepted(terms: &bool, (): &()) -> garde::Result {
    match terms {
        true => Ok(()),
        false => Err(garde::Error::new("the terms have to be accepted")),
    }
}

/// Checked by garde as well, in a context that has a default. One that has none is rustc's error.
#[derive(Debug, Deserialize, Garde)]
#[garde(context(Words))]
struct Worded {
    #[garde(length(min = 3))]
    text: String,
}

#[derive(Default)]
struct Words;

/// Checked by `validator`.
#[derive(Debug, Deserialize, Validator)]
#[validate(schema(function = "is_order", skip_on_field_errors = false))]
struct Order {
    #[validate(length(min = 1), nested)]
    #[serde(default)]
    lines: Vec<Line>,
    #[validate(email, length(max = 12, message = "too long for our labels"))]
    email: String,
}

#[derive(Debug, Deserialize, Serialize, Validator)]
struct Line {
    #[validate(range(min = 1, max = 9))]
    #[serde(rename = "n")]
    count: u32,
}

fn is_order(order: &Order) -> Result<(), ValidationError> {
    match order.email.as_str() {
        "nobody" => Err(ValidationError::new("nobody orders")),
        _ => Ok(()),
    }
}

/// Checked by nothing.
#[derive(Debug, Deserialize)]
struct Note {
    text: String,
}

/// What a schema makes of a text: in lower case, and known.
#[derive(Debug, Clone, Serialize)]
struct Slug(String);

struct IsSlug;

impl Schema<Slug> for IsSlug {
    type Input = String;

    async fn validate(&self, input: String) -> Result<Slug, Issues> {
        match input.as_str() {
            "" => Err(Issue::of_all("at least one letter").into()),
            "down" => Err(HttpError::service_unavailable("ask later").into()),
            _ => Ok(Slug(input.to_lowercase())),
        }
    }
}

/// A schema of any JSON, made once.
struct Keys(Vec<&'static str>);

static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys(vec!["a", "b"]));

impl Schema<Vec<Value>> for Keys {
    type Input = Value;

    async fn validate(&self, input: Value) -> Result<Vec<Value>, Issues> {
        let mut issues = Issues::new();
        for key in &self.0 {
            if input.get(key).is_none() {
                issues.add(*key, "missing");
            }
        }
        issues.or(self.0.iter().map(|key| input[key].clone()).collect())
    }
}

/// A schema that waits for somebody.
struct Waits {
    asked: Notify,
    told: Notify,
}

static WAITS: Waits = Waits {
    asked: Notify::const_new(),
    told: Notify::const_new(),
};

struct Waiting;

impl Schema<u32> for Waiting {
    type Input = u32;

    async fn validate(&self, input: u32) -> Result<u32, Issues> {
        WAITS.asked.notify_one();
        WAITS.told.notified().await;
        match input {
            0 => Err(Issue::of_all("taken").into()),
            input => Ok(input + 1),
        }
    }
}

pub(crate) struct Inputs;

impl Inputs {
    async fn sign_up(&self, input: SignUp) -> String {
        let SignUp {
            user_name,
            age,
            home_addresses,
            work,
            agreement,
        } = input;
        let homes: Vec<String> = home_addresses.into_iter().map(|a| a.post_code).collect();
        format!(
            "{user_name} {age} {homes:?} {} {}",
            work.is_some(),
            agreement.terms
        )
    }

    async fn addresses(&self, input: Vec<Address>) -> String {
        input.len().to_string()
    }

    async fn perhaps(&self, input: Option<Address>) -> String {
        input.is_some().to_string()
    }

    async fn worded(&self, input: Worded) -> String {
        input.text
    }

    async fn order(&self, input: Order) -> String {
        let counts: Vec<u32> = input.lines.iter().map(|line| line.count).collect();
        format!("{} {counts:?}", input.email)
    }

    async fn lines(&self, input: Vec<Line>) -> String {
        input.len().to_string()
    }

    async fn perhaps_lines(&self, input: Option<Vec<Line>>) -> String {
        input.is_some().to_string()
    }

    async fn note(&self, input: Note) -> String {
        input.text
    }

    async fn search(&self, query: Line, path: Address, headers: Address) -> String {
        format!("{} {} {}", query.count, path.post_code, headers.post_code)
    }

    async fn slugs(&self, path: Slug, query: Slug, header: Slug) -> String {
        format!("{} {} {}", path.0, query.0, header.0)
    }

    async fn keys(&self, input: Vec<Value>) -> String {
        format!("{input:?}")
    }

    async fn wait(&self, id: u32, number: u32, input: Order) -> String {
        format!("{id} {number} {}", input.email)
    }
}

/// A handler whose only argument is a body.
macro_rules! body {
    ($method:ident, $ty:ty) => {{
        fn glue<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
            use h::select::*;
            let c = h::this::<Inputs>(this);
            let a0 = (&&h::Tag::<$ty>::NEW).body(rq)?;
            (&&&h::Tag::<$ty>::NEW).check(&a0, rq, h::ParamSource::Body, 0)?;
            let out = h::out1(&<Inputs>::$method);
            h::call1(c, <Inputs>::$method, a0, (&&&&&&out).kind())
        }
        h::RouteDef {
            body: true,
            ..route(
                h::Verb::Post,
                concat!("/", stringify!($method)),
                stringify!($method),
                glue,
            )
        }
    }};
}

fn search<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Inputs>(this);
    let a0 = (&&h::Tag::<Line>::NEW).query_all(rq)?;
    (&&&h::Tag::<Line>::NEW).check(&a0, rq, h::ParamSource::Query, 0)?;
    let a1 = (&&h::Tag::<Address>::NEW).param_all(rq)?;
    (&&&h::Tag::<Address>::NEW).check(&a1, rq, h::ParamSource::Param, 1)?;
    let a2 = (&&h::Tag::<Address>::NEW).header_all(rq)?;
    (&&&h::Tag::<Address>::NEW).check(&a2, rq, h::ParamSource::Header, 2)?;
    let kind = (&&&&&&h::out3(&<Inputs>::search)).kind();
    h::call3(c, <Inputs>::search, a0, a1, a2, kind)
}

fn slugs<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Inputs>(this);
    h::boxed(async move {
        let part = h::ParamSource::Param;
        let a0 = h::by_schema::<Slug, _>(&IsSlug, part, "slug", |input| {
            let a0 = (&&input).param(rq, "slug")?;
            Ok(a0)
        })
        .await?;
        let part = h::ParamSource::Query;
        let a1 = h::by_schema::<Slug, _>(&Arc::new(IsSlug), part, "q", |input| {
            let a1 = (&&input).query(rq, "q", Some(|| "DEFAULT".to_owned()))?;
            Ok(a1)
        })
        .await?;
        let part = h::ParamSource::Header;
        let a2 = h::by_schema::<Slug, _>(&&IsSlug, part, "x-slug", |input| {
            let a2 = (&&input).header(rq, "x-slug")?;
            Ok(a2)
        })
        .await?;
        let out = <Inputs>::slugs(c, a0, a1, a2).await;
        let kind = (&&&&&&h::out_of(&out)).kind();
        h::finish(out, kind)
    })
}

fn keys<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Inputs>(this);
    h::boxed(async move {
        let part = h::ParamSource::Body;
        let a0 = h::by_schema::<Vec<Value>, _>(&KEYS, part, "", |input| {
            let a0 = (&&input).body(rq)?;
            Ok(a0)
        })
        .await?;
        let out = <Inputs>::keys(c, a0).await;
        let kind = (&&&&&&h::out_of(&out)).kind();
        h::finish(out, kind)
    })
}

fn wait<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Inputs>(this);
    let a0 = (&&h::Tag::<u32>::NEW).param(rq, "id")?;
    h::boxed(async move {
        let part = h::ParamSource::Query;
        let a1 = h::by_schema::<u32, _>(&Waiting, part, "number", |input| {
            let a1 = (&&input).query(rq, "number", None)?;
            Ok(a1)
        })
        .await?;
        let a2 = (&&h::Tag::<Order>::NEW).body(rq)?;
        (&&&h::Tag::<Order>::NEW).check(&a2, rq, h::ParamSource::Body, 2)?;
        let out = <Inputs>::wait(c, a0, a1, a2).await;
        let kind = (&&&&&&h::out_of(&out)).kind();
        h::finish(out, kind)
    })
}

injectable!(Inputs, Singleton, {});
controller!(
    Inputs,
    "",
    [
        body!(sign_up, SignUp),
        body!(addresses, Vec<Address>),
        body!(perhaps, Option<Address>),
        body!(worded, Worded),
        body!(order, Order),
        body!(lines, Vec<Line>),
        body!(perhaps_lines, Option<Vec<Line>>),
        body!(note, Note),
        route(h::Verb::Get, "/search/{post_code}", "search", search),
        route(h::Verb::Get, "/search/zip/{zip}", "search", search),
        route(h::Verb::Get, "/slugs/{slug}", "slugs", slugs),
        h::RouteDef {
            body: true,
            ..route(h::Verb::Post, "/keys", "keys", keys)
        },
        h::RouteDef {
            body: true,
            ..route(h::Verb::Post, "/wait/{id}", "wait", wait)
        },
    ]
);

async fn app() -> App {
    App::of::<Inputs>(HttpOptions::new()).await
}

/// The message of a 400, and what is wrong as `path: message`.
fn refused(reply: &Reply) -> (String, Vec<String>) {
    assert_eq!(reply.status(), 400, "{reply:?}");
    let issues = reply.json()["details"].as_array().cloned();
    let text = |issue: &Value, key: &str| issue[key].as_str().unwrap().to_owned();
    let issues = issues.unwrap_or_default();
    let issues = issues.iter();
    (
        reply.message(),
        issues
            .map(|issue| format!("{}: {}", text(issue, "path"), text(issue, "message")))
            .collect(),
    )
}

const WRONG: &str = r#"{
    "userName": "x", "age": 1, "homeAddresses": [{"zip": "12345"}, {"zip": "1"}],
    "work": {"zip": "123456"}, "acceptsTerms": false
}"#;

#[tokio::test]
async fn garde_tells_all_that_is_wrong_in_the_order_of_the_paths() {
    let app = app().await;
    let reply = app.post_json("/sign_up", WRONG).await;
    let (message, issues) = refused(&reply);
    assert_eq!(message, "the body is not valid");
    // The names of the source: no graph tells others.
    assert_eq!(
        issues,
        [
            "age: lower than 18",
            "agreement.terms: the terms have to be accepted",
            "home_addresses[1].post_code: length is lower than 5",
            "user_name: length is lower than 3",
            "work.post_code: length is greater than 5",
        ]
    );
    let fine = r#"{"userName": "ada", "age": 36, "acceptsTerms": true}"#;
    let reply = app.post_json("/sign_up", fine).await;
    assert_eq!(reply.text(), "ada 36 [] false true");
}

#[tokio::test]
async fn what_serde_refuses_is_told_before_and_in_the_same_shape() {
    let reply = app()
        .await
        .post_json("/sign_up", r#"{"userName": 1}"#)
        .await;
    assert_eq!(
        refused(&reply),
        (
            "the body is not valid".to_owned(),
            vec!["userName: expected a string".to_owned()]
        )
    );
}

#[tokio::test]
async fn lists_and_optional_values_are_checked_as_well() {
    let app = app().await;
    let one = r#"[{"zip": "12345"}, {"zip": "x"}]"#;
    let reply = app.post_json("/addresses", one).await;
    assert_eq!(refused(&reply).1, ["[1].post_code: length is lower than 5"]);
    let reply = app.post_json("/perhaps", r#"{"zip": "x"}"#).await;
    assert_eq!(refused(&reply).1, ["post_code: length is lower than 5"]);
    assert_eq!(app.post_json("/perhaps", "").await.text(), "false");
    let reply = app.post_json("/lines", r#"[{"n": 1}, {"n": 10}]"#).await;
    assert_eq!(
        refused(&reply).1,
        ["[1].count: expected a number of at least 1 and of at most 9"]
    );
    let reply = app.post_json("/perhaps_lines", r#"[{"n": 10}]"#).await;
    assert_eq!(refused(&reply).1.len(), 1);
    assert_eq!(app.post_json("/perhaps_lines", "").await.text(), "false");
}

#[tokio::test]
async fn validator_tells_all_that_is_wrong_in_the_order_of_the_paths() {
    let app = app().await;
    for _ in 0..8 {
        let lines =
            r#"{"lines": [{"n": 10}, {"n": 1}, {"n": 0}], "email": "secret@secret.secret@"}"#;
        let reply = app.post_json("/order", lines).await;
        assert!(!reply.text().contains("secret"), "{reply:?}");
        assert_eq!(
            refused(&reply).1,
            [
                "email: too long for our labels",
                "email: expected an e-mail address",
                "lines[0].count: expected a number of at least 1 and of at most 9",
                "lines[2].count: expected a number of at least 1 and of at most 9",
            ]
        );
    }
    let reply = app.post_json("/order", r#"{"email": "nobody"}"#).await;
    assert_eq!(
        refused(&reply).1,
        [
            ": the value is not valid: nobody orders",
            "email: expected an e-mail address",
            "lines: expected a length of at least 1",
        ]
    );
    let fine = r#"{"lines": [{"n": 9}], "email": "a@b.example"}"#;
    assert_eq!(
        app.post_json("/order", fine).await.text(),
        "a@b.example [9]"
    );
}

#[tokio::test]
async fn a_type_without_a_validator_is_taken_as_it_is_and_a_context_is_its_default() {
    let app = app().await;
    let reply = app.post_json("/note", r#"{"text": ""}"#).await;
    assert_eq!((reply.status(), reply.text()), (201, ""));
    let reply = app.post_json("/worded", r#"{"text": "x"}"#).await;
    assert_eq!(reply.status(), 400);
    let reply = app.post_json("/worded", r#"{"text": "xyz"}"#).await;
    assert_eq!((reply.status(), reply.text()), (201, "xyz"));
}

#[tokio::test]
async fn records_are_checked_in_the_order_of_the_parameters() {
    let app = app().await;
    let target = |path: &str, query: &str| format!("/search/zip/{path}?n={query}");
    let reply = app.get(&target("1", "10")).await;
    assert_eq!(
        refused(&reply),
        (
            "the query is not valid".to_owned(),
            vec!["count: expected a number of at least 1 and of at most 9".to_owned()]
        )
    );
    let reply = app.get(&target("1", "9")).await;
    assert_eq!(
        refused(&reply),
        (
            "the path is not valid".to_owned(),
            vec!["post_code: length is lower than 5".to_owned()]
        )
    );
    let mut request = crate::support::request(http::Method::GET, &target("12345", "9"));
    let headers = request.headers_mut();
    headers.insert("zip", http::HeaderValue::from_static("1"));
    let reply = app.send(request.clone()).await;
    assert_eq!(refused(&reply).0, "the headers are not valid");
    let headers = request.headers_mut();
    headers.insert("zip", http::HeaderValue::from_static("54321"));
    assert_eq!(app.send(request).await.text(), "9 12345 54321");
}

#[tokio::test]
async fn what_serde_refuses_of_a_record_has_its_place() {
    let app = app().await;
    for (target, message, issue) in [
        (
            "/search/zip/1?n=x",
            "query \"n\": expected a number from 0 to 4294967295",
            "n: expected a number from 0 to 4294967295",
        ),
        (
            "/search/zip/1",
            "missing query parameter \"n\"",
            "n: missing",
        ),
        (
            "/search/1?n=1",
            "missing path parameter \"zip\"",
            "zip: missing",
        ),
    ] {
        let (told, issues) = refused(&app.get(target).await);
        assert_eq!(
            (told.as_str(), &*issues),
            (message, &[issue.to_owned()][..])
        );
    }
}

#[tokio::test]
async fn a_schema_makes_what_the_handler_receives() {
    let app = app().await;
    let get = async |target: &str, header: &'static str| {
        let mut request = crate::support::request(http::Method::GET, target);
        let value = http::HeaderValue::from_static(header);
        request.headers_mut().insert("x-slug", value);
        app.send(request).await
    };
    assert_eq!(get("/slugs/A?q=B", "C").await.text(), "a b c");
    // A default is checked like what is sent.
    assert_eq!(get("/slugs/A", "C").await.text(), "a default c");
    for (target, header, message) in [
        ("/slugs/A?q=", "C", "the query parameter \"q\" is not valid"),
        ("/slugs/A?q=B", "", "the header \"x-slug\" is not valid"),
        // The first one is told.
        ("/slugs/A?q=", "", "the query parameter \"q\" is not valid"),
    ] {
        let expected = (message.to_owned(), vec![": at least one letter".to_owned()]);
        assert_eq!(refused(&get(target, header).await), expected);
    }
    let reply = get("/slugs/down?q=", "").await;
    assert_eq!(reply.error(), error(503, "ask later"));
}

#[tokio::test]
async fn a_schema_of_any_json_is_made_once_and_tells_all() {
    let app = app().await;
    let reply = app.post_json("/keys", r#"{"a": 1, "b": 2}"#).await;
    assert_eq!(reply.text(), "[Number(1), Number(2)]");
    let reply = app.post_json("/keys", "{}").await;
    assert_eq!(refused(&reply).1, ["a: missing", "b: missing"]);
}

#[tokio::test]
async fn a_schema_may_wait_and_what_comes_after_it_waits_too() {
    let app = app().await;
    // The path is wrong: nobody is asked.
    let reply = app.post_json("/wait/x?number=0", "{}").await;
    assert_eq!(
        reply.error(),
        error(400, "param \"id\": expected a number from 0 to 4294967295")
    );
    // The schema and the body are wrong: the schema comes first.
    let answer = async || {
        WAITS.asked.notified().await;
        WAITS.told.notify_one();
    };
    let (reply, ()) = tokio::join!(app.post_json("/wait/7?number=0", "{}"), answer());
    assert_eq!(
        refused(&reply),
        (
            "the query parameter \"number\" is not valid".to_owned(),
            vec![": taken".to_owned()]
        )
    );
    let (reply, ()) = tokio::join!(app.post_json("/wait/7?number=1", "{}"), answer());
    assert_eq!(refused(&reply).0, "the body is not valid");
    let body = r#"{"lines": [{"n": 9}], "email": "a@b.example"}"#;
    let (reply, ()) = tokio::join!(app.post_json("/wait/7?number=1", body), answer());
    assert_eq!(reply.text(), "7 2 a@b.example");
}

/// The controllers of a graph that tells the names of the wire, as the generated file does.
struct Marker;

impl h::Controller<9> for Marker {
    const C: h::ControllerDef = <Inputs as h::ControllerOn>::C;
}

const fn holds(through: u32, of: u32) -> h::Names {
    h::Names {
        through,
        of: Some(of),
    }
}

const fn renamed(field: &'static str, wire: &'static str) -> h::FieldNames {
    named(
        field,
        Some(wire),
        h::Names {
            through: 0,
            of: None,
        },
    )
}

const fn named(field: &'static str, wire: Option<&'static str>, holds: h::Names) -> h::FieldNames {
    h::FieldNames { field, wire, holds }
}

const fn input(handler: &'static str, param: u32, holds: h::Names) -> h::InputNames {
    h::InputNames {
        handler,
        param,
        holds,
    }
}

static HTTP: h::HttpSection = h::HttpSection {
    guards: &[],
    decisions: &[],
    controllers: &[h::ControllerEntry {
        provider: 0,
        def: <Marker as h::Controller<9>>::C,
        inputs: &[
            input("sign_up", 0, holds(0, 2)),
            input("addresses", 0, holds(1, 0)),
            input("order", 0, holds(0, 4)),
            input("lines", 0, holds(1, 3)),
            input("search", 0, holds(0, 3)),
            input("search", 1, holds(0, 0)),
            input("search", 2, holds(0, 0)),
        ],
    }],
    types: &[
        h::TypeNames {
            fields: &[renamed("post_code", "zip")],
        },
        h::TypeNames {
            fields: &[renamed("terms", "acceptsTerms")],
        },
        h::TypeNames {
            fields: &[
                renamed("user_name", "userName"),
                named("home_addresses", Some("homeAddresses"), holds(1, 0)),
                named("work", Some("work"), holds(0, 0)),
                named("agreement", None, holds(0, 1)),
            ],
        },
        h::TypeNames {
            fields: &[renamed("count", "n")],
        },
        h::TypeNames {
            fields: &[named("lines", Some("lines"), holds(1, 3))],
        },
    ],
};

static GRAPH: p::GraphData = p::GraphData {
    version: p::METADATA_VERSION,
    compiler: "0.1.0",
    package: "it",
    providers: &[p::Entry {
        token: "it::Inputs",
        display: "Inputs",
        provider: <Inputs as p::Provided>::P,
        scope: p::ScopeKind::Singleton,
        name: None,
        primary: false,
        deps: &[],
        uses: &[],
        asks: &[],
        source: None,
    }],
    order: &[0],
    bindings: &[],
    externals: &[],
    sections: &[&HTTP],
};

#[tokio::test]
async fn paths_are_those_of_the_wire_where_the_graph_tells_the_names() {
    let app = Application::builder(Graph::new(&GRAPH));
    let app = App::boot(app, HttpPlugin::default()).await.unwrap();
    let paths = |reply: &Reply| -> Vec<String> {
        let body = reply.json();
        let issues = body["details"].as_array().unwrap().iter();
        issues
            .map(|issue| issue["path"].as_str().unwrap().to_owned())
            .collect()
    };
    let reply = app.post_json("/sign_up", WRONG).await;
    assert_eq!(
        paths(&reply),
        [
            "acceptsTerms",
            "age",
            "homeAddresses[1].zip",
            "userName",
            "work.zip"
        ]
    );
    let reply = app.post_json("/addresses", r#"[{"zip": ""}]"#).await;
    assert_eq!(paths(&reply), ["[0].zip"]);
    // Not in the table: it keeps the names of the source.
    let reply = app.post_json("/perhaps", r#"{"zip": ""}"#).await;
    assert_eq!(paths(&reply), ["post_code"]);
    let order = json!({"lines": [{"n": 1}, {"n": 0}], "email": "x"}).to_string();
    let reply = app.post_json("/order", &order).await;
    assert_eq!(paths(&reply), ["email", "lines[1].n"]);
    let reply = app.post_json("/lines", r#"[{"n": 0}]"#).await;
    assert_eq!(paths(&reply), ["[0].n"]);
    assert_eq!(paths(&app.get("/search/zip/1?n=0").await), ["n"]);
    assert_eq!(paths(&app.get("/search/zip/1?n=1").await), ["zip"]);
}
