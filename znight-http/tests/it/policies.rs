//! Security headers, trusted proxies, request ids.

use std::sync::Mutex;

use bytes::Bytes;
use http::{HeaderValue, Request};
use znight_core::{HttpRequestEvent, capability::PeerAddress};
use znight_http::{
    HttpContext, HttpError, HttpOptions, HttpResponse, Protocol, SecurityHeaders, TrustedProxies,
};

use crate::support::{App, Reply, glue::*};

pub(crate) struct Page;

impl Page {
    async fn plain(&self) -> &'static str {
        "plain"
    }

    async fn page(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("<p>").with_header("content-security-policy", "default-src 'self'")
    }

    async fn fails(&self) -> Result<(), HttpError> {
        Err(HttpError::conflict("no").header("x-frame-options", "SAMEORIGIN"))
    }

    async fn client(&self, ctx: Arc<HttpContext>) -> String {
        let ip = ctx.ip().map_or("?".to_owned(), |ip| ip.to_string());
        format!("{ip} {}", ctx.protocol())
    }
}

injectable!(Page, Singleton, {});

controller!(
    Page,
    "",
    [
        route(h::Verb::Get, "/plain", "plain", plain!(Page, plain)),
        route(h::Verb::Get, "/page", "page", plain!(Page, page)),
        route(h::Verb::Get, "/fails", "fails", plain!(Page, fails)),
        route(
            h::Verb::Get,
            "/client",
            "client",
            with_context!(Page, client)
        ),
    ]
);

const NAMES: [&str; 4] = [
    "content-security-policy",
    "x-frame-options",
    "x-content-type-options",
    "referrer-policy",
];

fn security(reply: &Reply) -> [Option<&str>; 4] {
    NAMES.map(|name| reply.header(name))
}

#[tokio::test]
async fn security_headers_are_on_every_reply_that_does_not_set_them() {
    let app = App::of::<Page>(HttpOptions::new()).await;
    let defaults = [
        Some("default-src 'none'; frame-ancestors 'none'"),
        Some("DENY"),
        Some("nosniff"),
        Some("no-referrer"),
    ];
    for target in ["/plain", "/nowhere"] {
        assert_eq!(security(&app.get(target).await), defaults, "{target}");
    }
    let mut own = defaults;
    own[0] = Some("default-src 'self'");
    assert_eq!(security(&app.get("/page").await), own);
    let mut own = defaults;
    own[1] = Some("SAMEORIGIN");
    assert_eq!(security(&app.get("/fails").await), own);
}

#[tokio::test]
async fn security_headers_lose_to_a_hook() {
    let app = App::of::<Page>(HttpOptions::new()).await;
    let hooks = app.application.hooks();
    let _wrapping = hooks.wrap(|event: &HttpRequestEvent, next| {
        event
            .response_headers()
            .insert("referrer-policy", HeaderValue::from_static("origin"));
        Box::pin(next.run())
    });
    let reply = app.get("/plain").await;
    assert_eq!(reply.header("referrer-policy"), Some("origin"));
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
}

#[tokio::test]
async fn security_headers_are_chosen_and_left_out() {
    let headers = SecurityHeaders::new()
        .content_security_policy(None)
        .cache_control("no-store");
    let app = App::of::<Page>(HttpOptions::new().security_headers(headers)).await;
    let reply = app.get("/plain").await;
    assert_eq!(reply.header("content-security-policy"), None);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    let app = App::of::<Page>(HttpOptions::new().security_headers(false)).await;
    assert_eq!(security(&app.get("/plain").await), [None; 4]);
}

async fn client(options: HttpOptions, peer: Option<&str>, headers: &[(&str, &str)]) -> String {
    let app = App::of::<Page>(options).await;
    let mut request = Request::get("/client");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if let Some(peer) = peer {
        request = request.extension(PeerAddress(peer.parse().unwrap()));
    }
    let reply = app.send(request.body(Bytes::new()).unwrap()).await;
    reply.text().to_owned()
}

const FORWARDED: [(&str, &str); 2] = [
    ("x-forwarded-for", "1.1.1.1, 10.0.0.7"),
    ("x-forwarded-proto", "https"),
];

#[tokio::test]
async fn nobody_is_believed_unless_said() {
    let options = HttpOptions::new;
    assert_eq!(client(options(), None, &FORWARDED).await, "? http");
    let peer = Some("10.0.0.1:9000");
    assert_eq!(client(options(), peer, &FORWARDED).await, "10.0.0.1 http");
    let mapped = Some("[::ffff:10.0.0.1]:9000");
    assert_eq!(client(options(), mapped, &[]).await, "10.0.0.1 http");
}

#[tokio::test]
async fn a_trusted_proxy_tells_the_address_and_the_protocol() {
    let peer = Some("10.0.0.1:9000");
    let of = |trusted: TrustedProxies| HttpOptions::new().trust_proxy(trusted);
    let hops = client(of(TrustedProxies::hops(1)), peer, &FORWARDED).await;
    assert_eq!(hops, "10.0.0.7 https");
    let listed = of(TrustedProxies::addresses(["private"]));
    assert_eq!(client(listed, peer, &FORWARDED).await, "1.1.1.1 https");
    let others = of(TrustedProxies::addresses(["loopback"]));
    assert_eq!(client(others, peer, &FORWARDED).await, "10.0.0.1 http");
    // The header of the standard is not read.
    let forwarded = [("forwarded", "for=1.1.1.1;proto=https")];
    let read = client(of(1.into()), peer, &forwarded).await;
    assert_eq!(read, "10.0.0.1 http");
}

#[tokio::test]
async fn a_request_in_memory_comes_from_this_machine_for_a_proxy() {
    let options = HttpOptions::new().trust_proxy(["loopback"]);
    assert_eq!(client(options, None, &FORWARDED).await, "10.0.0.7 https");
}

#[test]
fn protocols_have_names() {
    assert_eq!(Protocol::Https.to_string(), "https");
}

#[tokio::test]
async fn request_ids_are_made_in_the_way_of_the_application() {
    let made = Arc::new(Mutex::new(0));
    let count = Arc::clone(&made);
    let options = HttpOptions::new().request_id_generator(move || {
        *count.lock().unwrap() += 1;
        format!("id-{}", count.lock().unwrap())
    });
    let app = App::of::<Page>(options).await;
    assert_eq!(app.get("/plain").await.header("x-request-id"), Some("id-1"));
    assert_eq!(
        app.get("/nowhere").await.header("x-request-id"),
        Some("id-2")
    );
    let request = Request::get("/plain").header("x-request-id", "mine");
    let reply = app.send(request.body(Bytes::new()).unwrap()).await;
    assert_eq!(reply.header("x-request-id"), Some("mine"));
    assert_eq!(*made.lock().unwrap(), 2);
}

#[tokio::test]
async fn an_id_that_is_none_is_replaced() {
    for id in ["", "a b", "a\nb", "\u{e9}"] {
        let options = HttpOptions::new().request_id_generator(|| id.to_owned());
        let app = App::of::<Page>(options).await;
        let reply = app.get("/plain").await;
        assert_eq!(
            reply.header("x-request-id").map(str::len),
            Some(36),
            "{id:?}"
        );
    }
}
