use std::{error::Error as StdError, fmt};

use http::{Method, StatusCode};
use serde_json::{Value, json};
use znight_core::BoxError;
use znight_http::{ErrorReply, HttpError, HttpOptions, Reply, ResultExt};

use crate::support::{App, Log, error, glue::*};

macro_rules! errors {
    ($($name:ident $text:literal;)*) => {
        $(
            #[derive(Debug)]
            pub(crate) struct $name;

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str($text)
                }
            }

            impl StdError for $name {}
        )*
    };
}

errors! {
    Taken "email taken";
    Secret "the password is 1234";
    Foreign "foreign";
}

/// An error with a cause.
#[derive(Debug)]
pub(crate) struct Store(Secret);

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the store is down")
    }
}

impl StdError for Store {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}

impl ErrorReply for Taken {
    fn status(&self) -> StatusCode {
        StatusCode::CONFLICT
    }

    fn details(&self) -> Option<Value> {
        Some(json!({ "field": "email" }))
    }
}

impl ErrorReply for Store {
    fn status(&self) -> StatusCode {
        StatusCode::SERVICE_UNAVAILABLE
    }
}

pub(crate) struct Errors;

impl Errors {
    async fn known(&self) -> Result<String, Taken> {
        Err(Taken)
    }

    async fn known_option(&self) -> Result<Option<String>, Taken> {
        Err(Taken)
    }

    async fn server(&self) -> Result<String, Store> {
        Err(Store(Secret))
    }

    async fn unexpected(&self) -> Result<String, Secret> {
        Err(Secret)
    }

    async fn unexpected_option(&self) -> Result<Option<String>, Secret> {
        Err(Secret)
    }

    async fn boxed(&self) -> Result<String, BoxError> {
        Err(Secret)?
    }

    async fn question_mark(&self) -> Result<String, HttpError> {
        Err(Secret)?
    }

    async fn chosen(&self) -> Result<String, HttpError> {
        Err(HttpError::new(418, "short and stout")
            .details([1, 2])
            .header("x-tea", "earl grey"))
    }

    async fn travelling(&self) -> Result<String, BoxError> {
        Err(HttpError::gone("gone"))?
    }

    async fn with_status(&self) -> Result<String, HttpError> {
        Err(Foreign).status(422).context("not now")
    }

    async fn own_500(&self) -> Result<String, HttpError> {
        Err(HttpError::internal("we are sorry"))
    }

    async fn foreign(&self) -> Result<String, Foreign> {
        Err(Foreign)
    }

    async fn foreign_boxed(&self) -> Result<String, BoxError> {
        Err(Foreign)?
    }

    async fn panics(&self) -> String {
        panic!("at the disco")
    }

    fn panics_at_once(&self) -> String {
        panic!("{}", "formatted")
    }
}

fn panics_at_once<'a>(this: &'a p::Handle, _: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Errors>(this);
    let out = c.panics_at_once();
    let kind = (&&&&&&h::out_of(&out)).kind();
    h::sync(out, kind)
}

const fn get(path: &'static str, call: h::Call) -> h::RouteDef {
    route(h::Verb::Get, path, "handler", call)
}

injectable!(Errors, Singleton, {});
controller!(
    Errors,
    "",
    [
        get("/known", plain!(Errors, known)),
        get("/known-option", plain!(Errors, known_option)),
        get("/server", plain!(Errors, server)),
        get("/unexpected", plain!(Errors, unexpected)),
        get("/unexpected-option", plain!(Errors, unexpected_option)),
        get("/boxed", plain!(Errors, boxed)),
        get("/question-mark", plain!(Errors, question_mark)),
        get("/chosen", plain!(Errors, chosen)),
        get("/travelling", plain!(Errors, travelling)),
        get("/with-status", plain!(Errors, with_status)),
        get("/own-500", plain!(Errors, own_500)),
        get("/foreign", plain!(Errors, foreign)),
        get("/foreign-boxed", plain!(Errors, foreign_boxed)),
        get("/panics", plain!(Errors, panics)),
        get("/panics-at-once", panics_at_once),
    ]
);

async fn app() -> App {
    App::of::<Errors>(HttpOptions::new()).await
}

#[tokio::test]
async fn an_error_that_knows_its_reply_is_answered_with_it() {
    let app = app().await;
    for path in ["/known", "/known-option"] {
        assert_eq!(
            app.get(path).await.json(),
            json!({
                "statusCode": 409,
                "error": "Conflict",
                "message": "email taken",
                "details": { "field": "email" },
            })
        );
    }
}

#[tokio::test]
async fn an_http_error_is_answered_as_it_says() {
    let app = app().await;
    let chosen = app.get("/chosen").await;
    assert_eq!(chosen.error(), error(418, "short and stout"));
    assert_eq!(chosen.json()["details"], json!([1, 2]));
    assert_eq!(chosen.header("x-tea"), Some("earl grey"));
    assert_eq!(app.get("/travelling").await.error(), error(410, "gone"));
    assert_eq!(app.get("/with-status").await.error(), error(422, "not now"));
    assert_eq!(
        app.get("/own-500").await.error(),
        error(500, "we are sorry")
    );
}

#[tokio::test]
async fn an_unexpected_error_is_a_500_that_says_nothing() {
    let app = app().await;
    for path in [
        "/unexpected",
        "/unexpected-option",
        "/boxed",
        "/question-mark",
    ] {
        assert_eq!(
            app.get(path).await.json(),
            json!({ "statusCode": 500, "error": "Internal Server Error" }),
            "{path}"
        );
    }
    assert_eq!(
        app.get("/server").await.json(),
        json!({ "statusCode": 503, "error": "Service Unavailable" })
    );
}

#[tokio::test]
async fn the_text_of_unexpected_errors_is_shown_when_errors_are_exposed() {
    let app = App::of::<Errors>(HttpOptions::new().expose_errors(true)).await;
    for path in ["/unexpected", "/boxed", "/question-mark"] {
        assert_eq!(
            app.get(path).await.error(),
            error(500, "the password is 1234"),
            "{path}"
        );
    }
    assert_eq!(
        app.get("/server").await.error(),
        error(503, "the store is down")
    );
}

#[tokio::test]
async fn a_server_error_is_logged_once_with_its_causes_and_the_id_of_the_request() {
    let log = Log::capture();
    let app = app().await;
    let reply = app.get("/server").await;
    app.get("/known").await;
    let errors = log.errors();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].contains("error=the store is down: the password is 1234"),
        "{errors:?}"
    );
    assert!(errors[0].contains(reply.header("x-request-id").unwrap()));
    assert!(errors[0].contains("path=\"/server\""), "{errors:?}");
}

#[tokio::test]
async fn a_mapper_answers_errors_of_its_type() {
    let options = HttpOptions::new()
        .error_mapper(|_: &Secret| HttpError::forbidden("secret"))
        .error_mapper(|error: &Foreign| HttpError::bad_gateway(error.to_string()));
    let app = App::of::<Errors>(options).await;
    for (path, expected) in [
        ("/foreign", error(502, "foreign")),
        ("/foreign-boxed", error(502, "foreign")),
        ("/unexpected", error(403, "secret")),
        ("/question-mark", error(403, "secret")),
        // These chose their reply.
        ("/with-status", error(422, "not now")),
        ("/known", error(409, "email taken")),
    ] {
        assert_eq!(app.get(path).await.error(), expected, "{path}");
    }
}

#[tokio::test]
async fn a_panic_is_a_logged_500() {
    let log = Log::capture();
    let app = app().await;
    for path in ["/panics", "/panics-at-once"] {
        let reply = app.get(path).await;
        assert_eq!(
            reply.json(),
            json!({ "statusCode": 500, "error": "Internal Server Error" })
        );
        assert!(reply.header("x-request-id").is_some());
        assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    }
    let errors = log.errors();
    assert!(errors[0].contains("a panic: at the disco"), "{errors:?}");
    assert!(errors[1].contains("a panic: formatted"), "{errors:?}");
    assert_eq!(app.plugin.inflight(), 0);
}

fn problem(error: &HttpError) -> Reply {
    let problem = serde_json::json!({
        "status": error.status().as_u16(),
        "detail": error.shown_message(),
        "more": error.shown_details(),
    });
    Reply::json(problem.to_string()).with_header("content-type", "application/problem+json")
}

#[tokio::test]
async fn every_error_is_answered_in_the_form_of_the_application() {
    let options = HttpOptions::new().error_reply(|_, error| Some(problem(error)));
    let app = App::of::<Odd>(options).await;
    let reply = app.get("/nowhere").await;
    assert_eq!(reply.status(), 404);
    assert_eq!(
        reply.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(reply.json()["detail"], "no such path");
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    // The headers of the error stay, and a text that is hidden stays hidden.
    let reply = app.call(Method::POST, "/secret").await;
    assert_eq!(
        (reply.status(), reply.header("allow")),
        (405, Some("GET, HEAD, OPTIONS"))
    );
    let reply = app.get("/secret").await;
    assert_eq!((reply.status(), &reply.json()["detail"]), (500, &"".into()));
    let exposing = HttpOptions::new().expose_errors(true);
    let exposing = exposing.error_reply(|_, error| Some(problem(error)));
    let reply = App::of::<Odd>(exposing).await.get("/secret").await;
    assert_eq!(reply.json()["detail"], "the password is 123");
}

#[tokio::test]
async fn a_status_of_the_reply_wins_and_none_is_the_usual_one() {
    let options = HttpOptions::new().error_reply(|ctx, error| match ctx.path() {
        "/gone" => Some(problem(error).with_status(StatusCode::GONE)),
        "/panics" => panic!("in the form"),
        _ => None,
    });
    let log = Log::capture();
    let app = App::of::<Odd>(options).await;
    assert_eq!(app.get("/gone").await.status(), 410);
    assert_eq!(app.get("/other").await.error(), error(404, "no such path"));
    assert_eq!(app.get("/panics").await.error(), error(404, "no such path"));
    assert!(
        log.errors()[0].contains("in the form"),
        "{:?}",
        log.errors()
    );
}

#[tokio::test]
async fn a_mapper_that_panics_is_a_plain_500() {
    let options = HttpOptions::new().error_mapper(|_: &std::io::Error| panic!("in the mapper"));
    let log = Log::capture();
    let app = App::of::<Odd>(options).await;
    assert_eq!(app.get("/secret").await.error(), error(500, ""));
    assert!(
        log.errors()[0].contains("in the mapper"),
        "{:?}",
        log.errors()
    );
}

pub(crate) struct Odd;

impl Odd {
    async fn secret(&self) -> Result<(), std::io::Error> {
        Err(std::io::Error::other("the password is 123"))
    }
}

injectable!(Odd, Singleton, {});
controller!(
    Odd,
    "",
    [route(
        h::Verb::Get,
        "/secret",
        "secret",
        plain!(Odd, secret)
    )]
);
