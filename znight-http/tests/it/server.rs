use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use tokio::{net::TcpListener, sync::Semaphore};
use znight_core::{Application, ErrorCode, Graph};
use znight_http::{HttpOptions, HttpPlugin};

use crate::support::{App, Log, Server, glue::*};

/// Lets handlers wait for the test.
#[derive(Debug)]
struct Gate {
    entered: Semaphore,
    leave: Semaphore,
}

pub(crate) struct Slow {
    gate: Gate,
}

impl Slow {
    async fn quick(&self) -> &'static str {
        "quick"
    }

    async fn slow(&self) -> &'static str {
        self.gate.entered.add_permits(1);
        self.gate.leave.acquire().await.unwrap().forget();
        "slow"
    }

    async fn panics(&self) -> String {
        panic!("at the disco")
    }

    async fn large(&self) -> String {
        "x".repeat(8 * 1024 * 1024)
    }
}

injectable!(Slow, Singleton, [], |_| {
    Slow {
        gate: Gate {
            entered: Semaphore::new(0),
            leave: Semaphore::new(0),
        },
    }
});

controller!(
    Slow,
    "",
    [
        route(h::Verb::Get, "/quick", "quick", plain!(Slow, quick)),
        route(h::Verb::Get, "/slow", "slow", plain!(Slow, slow)),
        route(h::Verb::Get, "/panics", "panics", plain!(Slow, panics)),
        route(h::Verb::Get, "/large", "large", plain!(Slow, large)),
    ]
);

async fn server() -> Server {
    Server::of::<Slow>(HttpOptions::new()).await
}

fn gate(server: &Server) -> Arc<Slow> {
    server.app.application.container().get::<Slow>().unwrap()
}

#[tokio::test]
async fn a_connection_serves_one_request_after_another() {
    let server = server().await;
    let mut connection = server.connect().await;
    for _ in 0..3 {
        let response = connection.get("/quick").await;
        assert_eq!((response.status, &*response.body), (200, "quick"));
        assert_eq!(response.header("content-length"), Some("5"));
        assert!(response.header("date").is_some());
    }
    assert_eq!(connection.get("/nowhere").await.status, 404);
    assert_eq!(connection.get("/quick").await.status, 200);
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = server().await;
    let mut connection = server.connect().await;
    let request = |target: &str| format!("GET {target} HTTP/1.1\r\nhost: test\r\n\r\n");
    let all = ["/quick", "/nowhere", "/quick"].map(request).concat();
    connection.write(all).await;
    for status in [200, 404, 200] {
        assert_eq!(connection.read().await.unwrap().status, status);
    }
}

#[tokio::test]
async fn head_has_the_length_of_the_body_it_does_not_send() {
    let server = server().await;
    let mut connection = server.connect().await;
    connection
        .write("HEAD /quick HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    let response = connection.read_to("HEAD").await.unwrap();
    assert_eq!(response.header("content-length"), Some("5"));
    assert_eq!(connection.get("/quick").await.body, "quick");
}

#[tokio::test]
async fn a_panic_leaves_the_connection_alone() {
    let server = server().await;
    let mut connection = server.connect().await;
    assert_eq!(connection.get("/panics").await.status, 500);
    assert_eq!(connection.get("/quick").await.status, 200);
}

#[tokio::test]
async fn a_connection_is_kept_for_one_request_when_keep_alive_is_off() {
    let server = Server::of::<Slow>(HttpOptions::new().keep_alive(false)).await;
    let mut connection = server.connect().await;
    let response = connection.get("/quick").await;
    assert_eq!(response.header("connection"), Some("close"));
    assert!(connection.closed().await);
}

#[tokio::test]
async fn heads_out_of_bounds_are_refused() {
    let server = server().await;
    let headers = "x-many: a\r\n".repeat(150);
    let mut connection = server.connect().await;
    connection
        .write(format!(
            "GET /quick HTTP/1.1\r\nhost: test\r\n{headers}\r\n"
        ))
        .await;
    assert_eq!(connection.read().await.unwrap().status, 431);
    let mut connection = server.connect().await;
    let long = "a".repeat(100 * 1024);
    connection
        .write(format!(
            "GET /quick HTTP/1.1\r\nhost: test\r\nx-long: {long}\r\n\r\n"
        ))
        .await;
    assert_eq!(connection.read().await.unwrap().status, 431);
    let mut connection = server.connect().await;
    connection.write("nonsense\r\n\r\n").await;
    assert_eq!(connection.read().await.unwrap().status, 400);
}

#[tokio::test]
async fn what_is_no_request_is_answered_like_every_error() {
    let server = server().await;
    let target = "/".repeat(66_000);
    for (sent, status, error, message) in [
        (
            "nonsense\r\n\r\n".to_owned(),
            400,
            "Bad Request",
            "the request is malformed",
        ),
        (
            format!(
                "GET /quick HTTP/1.1\r\nhost: test\r\n{}\r\n",
                "x: a\r\n".repeat(150)
            ),
            431,
            "Request Header Fields Too Large",
            "the head of the request is too large",
        ),
        (
            format!("GET {target} HTTP/1.1\r\nhost: test\r\n\r\n"),
            414,
            "URI Too Long",
            "the target of the request is too long",
        ),
    ] {
        let mut connection = server.connect().await;
        // It is so whether or not the connection has been used.
        assert_eq!(connection.get("/quick").await.status, 200);
        connection.write(sent).await;
        let reply = connection.read().await.unwrap();
        assert_eq!(reply.status, status);
        let body: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
        let expected =
            serde_json::json!({ "statusCode": status, "error": error, "message": message });
        assert_eq!(body, expected);
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.header("connection"), Some("close"));
        assert_eq!(reply.header("x-request-id").map(str::len), Some(36));
        assert_eq!(reply.header("x-frame-options"), Some("DENY"));
        assert!(reply.header("date").is_some());
        assert!(connection.closed().await);
    }
}

#[tokio::test]
async fn what_is_no_request_behind_one_that_is_gets_its_reply_after_it() {
    let server = server().await;
    let mut connection = server.connect().await;
    connection
        .write("GET /quick HTTP/1.1\r\nhost: test\r\n\r\nnonsense\r\n\r\n")
        .await;
    assert_eq!(connection.read().await.unwrap().body, "quick");
    let reply = connection.read().await.unwrap();
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("the request is malformed"), "{reply:?}");
    assert!(connection.closed().await);
}

#[tokio::test]
async fn the_number_of_headers_can_be_raised() {
    let server = Server::of::<Slow>(HttpOptions::new().max_headers(200)).await;
    let headers = "x-many: a\r\n".repeat(150);
    let mut connection = server.connect().await;
    connection
        .write(format!(
            "GET /quick HTTP/1.1\r\nhost: test\r\n{headers}\r\n"
        ))
        .await;
    assert_eq!(connection.read().await.unwrap().status, 200);
}

#[tokio::test]
async fn a_request_of_http_1_1_names_its_host_once() {
    let server = server().await;
    for (hosts, status) in [
        ("host: test\r\n", 200),
        ("host: [::1]:80\r\n", 200),
        ("host:\r\n", 200),
        ("", 400),
        ("host: a\r\nhost: b\r\n", 400),
        ("host: a/b\r\n", 400),
        ("host: a b\r\n", 400),
        ("host: user@a\r\n", 400),
    ] {
        let mut connection = server.connect().await;
        connection
            .write(format!("GET /quick HTTP/1.1\r\n{hosts}\r\n"))
            .await;
        assert_eq!(connection.read().await.unwrap().status, status, "{hosts}");
    }
    let mut old = server.connect().await;
    old.write("GET /quick HTTP/1.0\r\n\r\n").await;
    assert_eq!(old.read().await.unwrap().status, 200);
}

#[tokio::test]
async fn it_does_not_listen_when_told_not_to() {
    let app = App::of::<Slow>(HttpOptions::new().listen(false)).await;
    app.application.start().await.unwrap();
    assert_eq!(app.plugin.address(), None);
    assert_eq!(app.get("/quick").await.text(), "quick");
    app.application.stop().await.unwrap();
}

#[tokio::test]
async fn an_application_kept_off_the_network_does_not_listen() {
    let application = Application::builder(Graph::empty())
        .in_memory(true)
        .signals(false)
        .plugin(HttpPlugin::default())
        .build()
        .await
        .unwrap();
    application.start().await.unwrap();
    let plugin = application.plugin::<HttpPlugin>().unwrap();
    assert_eq!(plugin.address(), None);
    application.stop().await.unwrap();
}

#[tokio::test]
async fn http_2_is_served_on_the_same_port() {
    let server = server().await;
    let mut client = server.connect_h2().await;
    for (method, target, status, body) in [
        ("GET", "/quick", 200, "quick"),
        ("HEAD", "/quick", 200, ""),
        (
            "GET",
            "/panics",
            500,
            r#"{"statusCode":500,"error":"Internal Server Error"}"#,
        ),
        ("GET", "/quick", 200, "quick"),
    ] {
        let request = http::Request::builder()
            .method(method)
            .uri(format!("http://{}{target}", server.address))
            .body(Full::<Bytes>::default())
            .unwrap();
        let response = client.send_request(request).await.unwrap();
        assert_eq!(response.status(), status);
        assert!(response.headers().contains_key("x-request-id"));
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(bytes, body);
    }
}

#[tokio::test]
async fn where_it_listens_is_told_and_logged() {
    let log = Log::capture();
    let server = server().await;
    assert_ne!(server.address.port(), 0);
    let listening = format!("listening on http://{}", server.address);
    assert!(
        log.lines().iter().any(|line| line.contains(&listening)),
        "{:?}",
        log.lines()
    );
}

#[tokio::test]
async fn a_port_in_use_fails_the_start_and_names_the_address() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let options = HttpOptions::new().host("127.0.0.1").port(port);
    let app = App::boot(
        Application::builder(Graph::empty()),
        HttpPlugin::new(options),
    )
    .await
    .unwrap();
    let error = app.application.start().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::LifecycleFailed);
    assert_eq!(
        error.message(),
        format!("cannot listen on 127.0.0.1:{port}: address already in use")
    );
    assert!(
        error.hints()[0].contains("choose another port"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_stop_lets_the_requests_in_flight_end_and_closes_the_rest() {
    let server = server().await;
    let slow = gate(&server);
    let mut busy = server.connect().await;
    let mut idle = server.connect().await;
    assert_eq!(idle.get("/quick").await.status, 200);
    busy.write("GET /slow HTTP/1.1\r\nhost: test\r\n\r\n").await;
    slow.gate.entered.acquire().await.unwrap().forget();
    assert_eq!(server.app.plugin.inflight(), 1);

    let stopping = tokio::spawn(server.app.application.stop());
    assert!(idle.closed().await, "nothing is in flight on it");
    let refused = tokio::net::TcpStream::connect(server.address).await;
    assert!(refused.is_err(), "it accepts no more");
    slow.gate.leave.add_permits(1);
    let response = busy.read().await.unwrap();
    assert_eq!((response.status, &*response.body), (200, "slow"));
    assert_eq!(response.header("connection"), Some("close"));
    assert!(busy.closed().await);
    stopping.await.unwrap().unwrap();
    assert_eq!(server.app.plugin.inflight(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stop_closes_what_does_not_end_in_time() {
    let log = Log::capture();
    let server = Server::of::<Slow>(HttpOptions::new().drain_timeout(Duration::from_secs(1))).await;
    let slow = gate(&server);
    let mut busy = server.connect().await;
    busy.write("GET /slow HTTP/1.1\r\nhost: test\r\n\r\n").await;
    slow.gate.entered.acquire().await.unwrap().forget();
    server.app.application.stop().await.unwrap();
    assert!(busy.closed().await);
    assert_eq!(server.app.plugin.inflight(), 0);
    assert!(
        log.lines()
            .iter()
            .any(|line| line.contains("1 connections were closed")),
        "{:?}",
        log.lines()
    );
}

#[tokio::test(start_paused = true)]
async fn connections_that_stand_still_are_closed() {
    let server = server().await;
    let mut silent = server.connect().await;
    let mut unfinished = server.connect().await;
    unfinished.write("GET /quick HTTP/1.1\r\nhost: ").await;
    let mut unused = server.connect().await;
    assert_eq!(unused.get("/quick").await.status, 200);
    assert!(silent.closed().await);
    assert!(unfinished.closed().await);
    assert!(unused.closed().await);
}

#[tokio::test(start_paused = true)]
async fn a_reply_nobody_reads_ends_its_connection() {
    let server = server().await;
    let mut connection = server.connect().await;
    connection
        .write("GET /large HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    for _ in 0..12 {
        tokio::time::advance(Duration::from_secs(5)).await;
    }
    // What the kernel held is read, and then the connection ends before the length announced.
    assert!(connection.read().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_take_longer_than_the_idle_timeout() {
    let server = server().await;
    let slow = gate(&server);
    let mut connection = server.connect().await;
    connection
        .write("GET /slow HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    slow.gate.entered.acquire().await.unwrap().forget();
    let idle = tokio::time::timeout(Duration::from_secs(120), connection.closed()).await;
    assert!(idle.is_err(), "it is still open");
    slow.gate.leave.add_permits(1);
    assert_eq!(connection.read().await.unwrap().body, "slow");
}

#[tokio::test(start_paused = true)]
async fn connections_beyond_the_most_wait_until_others_close() {
    let log = Log::capture();
    let server = Server::of::<Slow>(HttpOptions::new().max_connections(2)).await;
    let mut first = server.connect().await;
    let mut second = server.connect().await;
    assert_eq!(first.get("/quick").await.status, 200);
    assert_eq!(second.get("/quick").await.status, 200);
    let mut third = server.connect().await;
    third
        .write("GET /quick HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    assert_eq!(first.get("/quick").await.status, 200);
    assert!(
        log.lines()
            .iter()
            .any(|line| line.contains("wait until some close"))
    );
    drop(second);
    assert_eq!(third.read().await.unwrap().status, 200);
    // Those that stand still make room as well.
    let mut fourth = server.connect().await;
    fourth
        .write("GET /quick HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    assert_eq!(fourth.read().await.unwrap().status, 200);
}
