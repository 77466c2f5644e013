use http::{Method, Request};
use znight_http::{HttpOptions, TrailingSlash};

use crate::support::{App, error, glue::*};

/// A path parameter and the name of who answered.
pub(crate) struct Paths;

macro_rules! answers {
    ($($method:ident $text:literal;)*) => {
        impl Paths {
            $(async fn $method(&self) -> &'static str {
                $text
            })*
        }
    };
}

answers! {
    root "root";
    me "me";
    files "files";
    create "create";
    any "any";
    explicit_head "";
    deep "deep";
}

impl Paths {
    async fn user(&self, id: String) -> String {
        format!("user {id}")
    }

    async fn post(&self, user: String, post: u8) -> String {
        format!("user {user}, post {post}")
    }

    async fn rest(&self, rest: String) -> String {
        format!("rest {rest}")
    }

    async fn star(&self, rest: String) -> String {
        format!("star {rest}")
    }
}

fn user<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Paths>(this);
    let a0 = (&&h::Tag::<String>::NEW).param(rq, "id")?;
    h::call1(c, <Paths>::user, a0, (&&&&&&h::out1(&<Paths>::user)).kind())
}

fn post<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Paths>(this);
    let a0 = (&&h::Tag::<String>::NEW).param(rq, "user")?;
    let a1 = (&&h::Tag::<u8>::NEW).param(rq, "post")?;
    h::call2(
        c,
        <Paths>::post,
        a0,
        a1,
        (&&&&&&h::out2(&<Paths>::post)).kind(),
    )
}

fn rest<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Paths>(this);
    let a0 = (&&h::Tag::<String>::NEW).param(rq, "rest")?;
    h::call1(c, <Paths>::rest, a0, (&&&&&&h::out1(&<Paths>::rest)).kind())
}

fn star<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Paths>(this);
    let a0 = (&&h::Tag::<String>::NEW).param(rq, "*")?;
    h::call1(c, <Paths>::star, a0, (&&&&&&h::out1(&<Paths>::star)).kind())
}

injectable!(Paths, Singleton, {});
controller!(
    Paths,
    "/",
    [
        route(h::Verb::Get, "/", "root", plain!(Paths, root)),
        route(h::Verb::Get, "/users/{id}", "user", user),
        route(h::Verb::Get, "/users/me", "me", plain!(Paths, me)),
        route(
            h::Verb::Post,
            "/users/:name",
            "create",
            plain!(Paths, create)
        ),
        route(h::Verb::Get, "/users/{user}/posts/{post}", "post", post),
        route(
            h::Verb::Get,
            "/users/me/posts/deep",
            "deep",
            plain!(Paths, deep)
        ),
        route(h::Verb::Get, "/files", "files", plain!(Paths, files)),
        route(h::Verb::Get, "/files/{*rest}", "rest", rest),
        route(h::Verb::Get, "/static/*", "star", star),
        route(h::Verb::Get, "/mixed/{id}", "user", user),
        route(h::Verb::Get, "/mixed/{*rest}", "rest", rest),
        route(h::Verb::All, "/any", "any", plain!(Paths, any)),
        route(h::Verb::Get, "/any", "files", plain!(Paths, files)),
        route(h::Verb::Get, "/own-head", "files", plain!(Paths, files)),
        h::RouteDef {
            headers: &[("x-own", "yes")],
            ..route(
                h::Verb::Head,
                "/own-head",
                "explicit_head",
                plain!(Paths, explicit_head)
            )
        },
        route(h::Verb::Get, "/a%20b", "files", plain!(Paths, files)),
    ]
);

async fn app() -> App {
    App::of::<Paths>(HttpOptions::new()).await
}

#[tokio::test]
async fn the_most_specific_path_wins() {
    let app = app().await;
    for (path, expected) in [
        ("/", "root"),
        ("/users/7", "user 7"),
        ("/users/me", "me"),
        ("/users/meg", "user meg"),
        ("/users/me/posts/1", "user me, post 1"),
        ("/users/me/posts/deep", "deep"),
        ("/files", "files"),
        ("/files/a/b.txt", "rest a/b.txt"),
        ("/static/x/", "star x/"),
        ("/mixed/a", "user a"),
        ("/mixed/a/b", "rest a/b"),
        ("/mixed/a/", "rest a/"),
        ("/a%20b", "files"),
    ] {
        assert_eq!(app.get(path).await.text(), expected, "{path}");
    }
}

#[tokio::test]
async fn the_path_is_matched_as_it_was_sent() {
    let app = app().await;
    for (path, expected) in [
        ("/users/a%2Fb", "user a/b"),
        ("/users/%C3%A9", "user \u{e9}"),
        ("/users/a+b", "user a+b"),
        ("/files/a/../b", "rest a/../b"),
        ("/files/%2e%2e/b", "rest ../b"),
        ("/files//b", "rest /b"),
    ] {
        assert_eq!(app.get(path).await.text(), expected, "{path}");
    }
    assert_eq!(app.get("/users/./me").await.status(), 404);
}

#[tokio::test]
async fn a_badly_encoded_path_is_a_400() {
    let app = app().await;
    for path in ["/users/%", "/users/%zz", "/users/%ff", "/files/a/%f"] {
        let expected = error(400, "the path is not well percent-encoded");
        assert_eq!(app.get(path).await.error(), expected, "{path}");
    }
}

#[tokio::test]
async fn an_unknown_path_is_a_404() {
    let app = app().await;
    for path in [
        "/nowhere",
        "/users",
        "/users/",
        "/users/7/",
        "//",
        "/files/",
    ] {
        let reply = app.get(path).await;
        assert_eq!(reply.error(), error(404, "no such path"), "{path}");
    }
}

#[tokio::test]
async fn another_method_is_a_405_that_lists_the_ones_there_are() {
    let app = app().await;
    let reply = app.call(Method::DELETE, "/users/7").await;
    assert_eq!(reply.error(), error(405, "the method is not allowed here"));
    assert_eq!(reply.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    let reply = app.call(Method::TRACE, "/files").await;
    assert_eq!(reply.status(), 405);
    assert_eq!(reply.header("allow"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(app.call(Method::DELETE, "/nowhere").await.status(), 404);
}

#[tokio::test]
async fn options_lists_the_same_methods() {
    let app = app().await;
    let reply = app.call(Method::OPTIONS, "/users/7").await;
    assert_eq!(reply.status(), 204);
    assert_eq!(reply.text(), "");
    assert_eq!(reply.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    assert_eq!(app.call(Method::OPTIONS, "/nowhere").await.status(), 404);
    let server = app.call(Method::OPTIONS, "*").await;
    assert_eq!(server.status(), 204);
}

#[tokio::test]
async fn head_is_get_without_a_body_unless_a_route_answers_it() {
    let app = app().await;
    let get = app.get("/users/me").await;
    let head = app.call(Method::HEAD, "/users/me").await;
    assert_eq!((head.status(), head.text()), (200, ""));
    assert_eq!(head.header("content-type"), get.header("content-type"));
    assert_eq!(head.header("content-length"), Some("2"));
    let own = app.call(Method::HEAD, "/own-head").await;
    assert_eq!(own.header("x-own"), Some("yes"));
    assert_eq!(app.get("/own-head").await.header("x-own"), None);
    let missing = app.call(Method::HEAD, "/nowhere").await;
    assert_eq!((missing.status(), missing.text()), (404, ""));
}

#[tokio::test]
async fn all_serves_the_methods_without_a_route_of_their_own() {
    let app = app().await;
    assert_eq!(app.get("/any").await.text(), "files");
    for method in [
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ] {
        assert_eq!(
            app.call(method.clone(), "/any").await.text(),
            "any",
            "{method}"
        );
    }
    // The GET route is more specific than `All` for HEAD too.
    let head = app.call(Method::HEAD, "/any").await;
    assert_eq!(head.header("content-length"), Some("5"));
    let reply = app.call(Method::TRACE, "/any").await;
    assert_eq!(reply.status(), 405);
    assert_eq!(
        reply.header("allow"),
        Some("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
    );
}

#[tokio::test]
async fn the_prefix_is_in_front_of_every_path() {
    let app = App::of::<Paths>(HttpOptions::new().prefix("/api/v1/")).await;
    assert_eq!(app.get("/api/v1/users/7").await.text(), "user 7");
    assert_eq!(app.get("/api/v1").await.text(), "root");
    assert_eq!(app.get("/users/7").await.status(), 404);
    let routes = app.plugin.routes();
    assert_eq!(&*routes[1].info.path, "/api/v1/users/{id}");
    assert_eq!(routes[1].info.controller, "Paths");
    assert_eq!(routes[1].info.handler, "user");
}

#[tokio::test]
async fn a_trailing_slash_is_another_path_unless_it_is_ignored_or_redirected() {
    let ignore = App::of::<Paths>(HttpOptions::new().trailing_slash(TrailingSlash::Ignore)).await;
    assert_eq!(ignore.get("/users/7/").await.text(), "user 7");
    assert_eq!(ignore.get("/users/%41/").await.text(), "user A");
    assert_eq!(ignore.get("/static/x/").await.text(), "star x/");

    let options = HttpOptions::new().trailing_slash(TrailingSlash::Redirect);
    let redirect = App::of::<Paths>(options).await;
    let reply = redirect.get("/users/7/?a=b").await;
    assert_eq!(reply.status(), 308);
    assert_eq!(reply.header("location"), Some("/users/7?a=b"));
    assert_eq!(redirect.get("/nowhere/").await.status(), 404);
}

#[tokio::test]
async fn an_absolute_target_is_routed_by_its_path() {
    let app = app().await;
    let request = Request::get("http://example.com/users/7").body(bytes::Bytes::new());
    assert_eq!(app.send(request.unwrap()).await.text(), "user 7");
}
