//! HTTP/2 without encryption, asked for with prior knowledge.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::BoxBody};
use hyper::{body::Incoming, client::conn::http2::SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use znight_http::HttpOptions;

use crate::{app, support::Server};

type Client = SendRequest<BoxBody<Bytes, Infallible>>;

async fn connect(server: &Server) -> Client {
    let stream = TcpStream::connect(server.address)
        .await
        .expect("it accepts");
    let (client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .expect("a handshake");
    tokio::spawn(connection);
    client
}

fn request(server: &Server, method: &str, target: &str) -> http::request::Builder {
    Request::builder()
        .method(method)
        .uri(format!("http://{}{target}", server.address))
}

async fn send(
    client: &mut Client,
    request: http::request::Builder,
    body: &'static str,
) -> Response<Bytes> {
    let request = request.body(Full::from(body).boxed()).unwrap();
    read(client.send_request(request).await.expect("a response")).await
}

async fn read(response: Response<Incoming>) -> Response<Bytes> {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    Response::from_parts(parts, bytes)
}

#[tokio::test]
async fn requests_share_a_connection() {
    let server = app::serve(HttpOptions::new()).await;
    let mut client = connect(&server).await;
    let mut second = client.clone();
    let (one, other) = tokio::join!(
        send(&mut client, request(&server, "GET", "/users/1"), ""),
        send(&mut second, request(&server, "POST", "/bytes"), "abc"),
    );
    assert_eq!(one.body(), "user 1");
    assert_eq!(other.body(), "3 bytes");
    for response in [one, other] {
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["x-frame-options"], "DENY");
        assert!(response.headers().contains_key("x-request-id"));
        assert!(response.headers().contains_key("date"));
    }
}

#[tokio::test]
async fn replies_have_no_headers_of_connections() {
    let server = app::serve(HttpOptions::new()).await;
    let mut client = connect(&server).await;
    for (method, target) in [
        ("GET", "/reply/copied"),
        ("GET", "/reply/pieces"),
        ("GET", "/nowhere"),
        ("HEAD", "/reply/copied"),
        ("OPTIONS", "/plain"),
    ] {
        let response = send(&mut client, request(&server, method, target), "").await;
        for name in ["connection", "keep-alive", "transfer-encoding", "upgrade"] {
            assert!(!response.headers().contains_key(name), "{target}: {name}");
        }
    }
}

#[tokio::test]
async fn a_body_may_end_in_trailers() {
    let server = app::serve(HttpOptions::new()).await;
    let mut client = connect(&server).await;
    let mut trailers = HeaderMap::new();
    trailers.insert("x-sum", "1".parse().unwrap());
    let frames = [
        Ok(Frame::data(Bytes::from_static(b"abc"))),
        Ok(Frame::trailers(trailers)),
    ];
    let request = request(&server, "POST", "/bytes")
        .body(BoxBody::new(StreamBody::new(stream::iter(frames))))
        .unwrap();
    let response = read(client.send_request(request).await.unwrap()).await;
    assert_eq!(
        (response.status(), &response.body()[..]),
        (StatusCode::OK, &b"3 bytes"[..])
    );
}

#[tokio::test]
async fn a_head_out_of_bounds_is_refused_and_the_connection_goes_on() {
    let server = app::serve(app::options("small heads")).await;
    let mut client = connect(&server).await;
    let long = request(&server, "GET", "/plain").header("x-long", "a".repeat(10_000));
    let body = Full::default().boxed();
    match client.send_request(long.body(body).unwrap()).await {
        Ok(response) => assert_eq!(
            response.status(),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
        ),
        Err(error) => panic!("the connection ended: {error}"),
    }
    let response = send(&mut client, request(&server, "GET", "/plain"), "").await;
    assert_eq!(response.body(), "plain");
}

#[tokio::test]
async fn more_headers_than_may_be_are_refused() {
    let server = app::serve(app::options("small heads")).await;
    let mut client = connect(&server).await;
    for (count, status) in [(8, 200), (9, 431)] {
        let mut many = request(&server, "GET", "/plain");
        for at in 0..count {
            many = many.header(format!("x-{at}"), "a");
        }
        let response = send(&mut client, many, "").await;
        assert_eq!(response.status(), status, "{count} headers");
    }
}

#[tokio::test]
async fn a_body_too_large_ends_its_request_only() {
    let server = app::serve(HttpOptions::new()).await;
    let mut client = connect(&server).await;
    let response = send(&mut client, request(&server, "POST", "/small"), "123456789").await;
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(!response.headers().contains_key("connection"));
    let response = send(&mut client, request(&server, "GET", "/plain"), "").await;
    assert_eq!(response.body(), "plain");
}
