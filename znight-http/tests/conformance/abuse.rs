//! Clients that are slow, large or rude, in bounds: others are served meanwhile, and what they hold is let go.

use std::time::Duration;

use znight_http::HttpOptions;

use crate::{
    app,
    support::Server,
    wire::{Raw, Wire},
};

const GET: &str = "GET /plain HTTP/1.1\r\nhost: test\r\n\r\n";

async fn server() -> Server {
    app::serve(HttpOptions::new()).await
}

/// Another client is served.
async fn serves(server: &Server) {
    let mut wire = Wire::connect(server.address).await;
    wire.write(GET).await;
    let reply = wire.reply("GET").await.expect("it is served");
    assert_eq!((reply.status, &*reply.body), (200, &b"plain"[..]));
}

/// The message of a well-formed error that closes the connection.
async fn refused(wire: &mut Wire, method: &str, status: u16) -> String {
    let reply = wire.reply(method).await.expect("a reply");
    assert_eq!(reply.status, status, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert!(reply.is_last(), "{reply:?}");
    message(&reply)
}

fn message(reply: &Raw) -> String {
    let body: serde_json::Value = serde_json::from_slice(&reply.body).expect("JSON");
    assert_eq!(body["statusCode"], reply.status);
    body["message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_head_that_comes_a_byte_at_a_time_is_cut_off() {
    let server = server().await;
    let mut slow = Wire::connect(server.address).await;
    let head =
        "GET /plain HTTP/1.1\r\nhost: test\r\nx-padding: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    let mut taken = 0;
    for byte in head.as_bytes() {
        if !slow.write([*byte]).await {
            break;
        }
        taken += 1;
        serves(&server).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(taken < 30, "{taken} bytes in as many seconds");
    assert!(slow.closed().await);
    serves(&server).await;
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_never_finished_is_cut_off() {
    let server = server().await;
    let mut begun = Vec::new();
    for head in [
        "",
        "G",
        "GET /plain HTTP/1.1\r\n",
        "GET /plain HTTP/1.1\r\nhost: test\r\n",
    ] {
        let mut wire = Wire::connect(server.address).await;
        wire.write(head).await;
        begun.push(wire);
    }
    serves(&server).await;
    for wire in &mut begun {
        assert!(wire.closed().await);
    }
    serves(&server).await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_comes_too_slowly_is_answered_with_408() {
    let server = app::serve(HttpOptions::new().body_timeout(Duration::from_secs(10))).await;
    for framing in ["content-length: 100", "transfer-encoding: chunked"] {
        let mut wire = Wire::connect(server.address).await;
        wire.write(format!(
            "POST /bytes HTTP/1.1\r\nhost: test\r\n{framing}\r\n\r\n1"
        ))
        .await;
        let message = refused(&mut wire, "POST", 408).await;
        assert_eq!(message, "the body took too long to arrive");
        assert!(wire.closed().await);
        serves(&server).await;
    }
}

#[tokio::test]
async fn a_thousand_idle_connections_leave_room_for_one_that_is_used() {
    let server = server().await;
    // Both ends of each are open in this process.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits
        .lines()
        .find_map(|line| {
            line.strip_prefix("Max open files")?
                .split_whitespace()
                .next()
        })
        .and_then(|files| files.parse().ok())
        .unwrap_or(256_usize);
    let count = 1000.min(files.saturating_sub(100) / 2);
    let mut idle = Vec::new();
    for at in 0..count {
        let mut wire = Wire::connect(server.address).await;
        if at % 2 == 0 {
            wire.write("GET /pl").await;
        }
        idle.push(wire);
    }
    for _ in 0..10 {
        serves(&server).await;
    }
    // They are not forgotten.
    for wire in &mut idle[..10] {
        wire.end().await;
        wire.rest().await;
    }
    let last = idle.last_mut().unwrap();
    last.write(if count % 2 == 0 {
        GET
    } else {
        "ain HTTP/1.1\r\nhost: test\r\n\r\n"
    })
    .await;
    assert_eq!(last.reply("GET").await.unwrap().status, 200);
}

#[tokio::test]
async fn a_thousand_requests_in_one_write_are_answered_in_order() {
    let server = server().await;
    let mut wire = Wire::connect(server.address).await;
    let request = |at| format!("GET /users/{at} HTTP/1.1\r\nhost: test\r\n\r\n");
    let requests: Vec<String> = (0..1000).map(request).collect();
    wire.write(requests.concat()).await;
    for at in 0..1000 {
        let reply = wire.reply("GET").await.expect("a reply");
        assert_eq!(reply.body, format!("user {at}").as_bytes());
    }
    assert!(wire.is_open().await);
}

#[tokio::test]
async fn heads_without_bounds_are_refused() {
    let server = server().await;
    let too_large = "the head of the request is too large";
    for head in [
        format!("x-long: {}\r\n", "a".repeat(1024 * 1024)),
        format!("{}: a\r\n", "x".repeat(100 * 1024)),
        "x-many: a\r\n".repeat(101),
        "x-many: a\r\n".repeat(100_000),
        format!("cookie: {}\r\n", "a=b; ".repeat(20_000)),
    ] {
        let mut wire = Wire::connect(server.address).await;
        wire.write(format!("GET /plain HTTP/1.1\r\nhost: test\r\n{head}\r\n"))
            .await;
        assert_eq!(refused(&mut wire, "GET", 431).await, too_large);
        assert!(wire.closed().await);
    }
    serves(&server).await;
}

#[tokio::test]
async fn framing_that_contradicts_itself_is_refused_or_ends_the_connection() {
    let server = server().await;
    let smuggled = "GET /users/smuggled HTTP/1.1\r\nhost: test\r\n\r\n";
    for (framing, status) in [
        ("content-length: 3\r\ncontent-length: 4", 400),
        ("content-length: 3, 4", 400),
        (
            "content-length: 3\r\ntransfer-encoding: gzip, chunked, gzip",
            400,
        ),
        // The chunks say where it ends, and nothing behind it is believed.
        ("content-length: 3\r\ntransfer-encoding: chunked", 200),
        ("transfer-encoding: chunked\r\ncontent-length: 3", 200),
    ] {
        let mut wire = Wire::connect(server.address).await;
        wire.write(format!(
            "POST /bytes HTTP/1.1\r\nhost: test\r\n{framing}\r\n\r\n1\r\na\r\n0\r\n\r\n{smuggled}"
        ))
        .await;
        let reply = wire.reply("POST").await.expect("a reply");
        assert_eq!((reply.status, reply.is_last()), (status, true), "{framing}");
        assert!(wire.closed().await, "{framing}");
    }
}

#[tokio::test]
async fn chunks_may_be_small_and_must_be_chunks() {
    let server = server().await;
    let post = "POST /bytes HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut wire = Wire::connect(server.address).await;
    wire.write(format!("{post}{}0\r\n\r\n", "1\r\na\r\n".repeat(50_000)))
        .await;
    assert_eq!(wire.reply("POST").await.unwrap().body, b"50000 bytes");
    assert!(wire.is_open().await);
    for (chunks, what) in [
        ("x\r\na\r\n0\r\n\r\n".to_owned(), "no size"),
        ("1\r\nab\r\n0\r\n\r\n".to_owned(), "a size too small"),
        (
            "fffffffffffffffff\r\na\r\n0\r\n\r\n".to_owned(),
            "a size out of bounds",
        ),
        ("1\na\n0\n\n".to_owned(), "other line ends"),
        (
            format!("1;{}\r\na\r\n0\r\n\r\n", "a".repeat(20_000)),
            "a long extension",
        ),
        ("1;a\r\na\r\n".repeat(20_000), "many extensions"),
        (
            format!("0\r\n{}\r\n", "x-a: b\r\n".repeat(200)),
            "many trailers",
        ),
        (
            format!("0\r\nx-a: {}\r\n\r\n", "a".repeat(20_000)),
            "a long trailer",
        ),
    ] {
        let mut wire = Wire::connect(server.address).await;
        wire.write(format!("{post}{chunks}")).await;
        let message = refused(&mut wire, "POST", 400).await;
        assert_eq!(message, "the body could not be read", "{what}");
        assert!(wire.closed().await, "{what}");
    }
    serves(&server).await;
}

#[tokio::test(start_paused = true)]
async fn replies_nobody_reads_are_given_up() {
    let server = server().await;
    let mut rude = Vec::new();
    for _ in 0..20 {
        let mut wire = Wire::connect(server.address).await;
        wire.write("GET /large HTTP/1.1\r\nhost: test\r\n\r\n")
            .await;
        rude.push(wire);
    }
    for _ in 0..12 {
        tokio::time::sleep(Duration::from_secs(5)).await;
        serves(&server).await;
    }
    assert_eq!(server.app.plugin.inflight(), 0);
    for wire in &mut rude {
        let received = wire.rest().await;
        assert!(received.len() < 8 * 1024 * 1024, "it was cut off");
    }
}

#[tokio::test]
async fn connections_closed_by_half_end() {
    let server = server().await;
    // Nothing was asked.
    let mut wire = Wire::connect(server.address).await;
    wire.end().await;
    assert!(wire.closed().await);
    // The client may be gone, which looks the same: what was asked is answered at once or not at all.
    let mut wire = Wire::connect(server.address).await;
    wire.write(GET).await;
    wire.end().await;
    if let Some(reply) = wire.reply("GET").await {
        assert_eq!(reply.body, b"plain");
        assert!(wire.closed().await);
    }
    // A body that ends early is not taken for a whole one.
    for (framing, body) in [
        ("content-length: 10", "12345"),
        ("transfer-encoding: chunked", "5\r\n12345\r\n"),
    ] {
        let mut wire = Wire::connect(server.address).await;
        wire.write(format!(
            "POST /bytes HTTP/1.1\r\nhost: test\r\n{framing}\r\n\r\n{body}"
        ))
        .await;
        wire.end().await;
        if let Some(reply) = wire.reply("POST").await {
            assert_eq!(reply.status, 400, "{reply:?}");
            assert!(wire.closed().await);
        }
    }
    serves(&server).await;
}

#[tokio::test]
async fn clients_that_go_away_are_forgotten() {
    let server = server().await;
    for sent in [
        "",
        "GET",
        GET,
        "POST /bytes HTTP/1.1\r\nhost: test\r\ncontent-length: 9\r\n\r\n1",
    ] {
        for _ in 0..20 {
            let mut wire = Wire::connect(server.address).await;
            wire.write(sent).await;
        }
    }
    serves(&server).await;
    // It would wait for requests that are never over.
    server.app.application.stop().await.expect("it stops");
    assert_eq!(server.app.plugin.inflight(), 0);
}
