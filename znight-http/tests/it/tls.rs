use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, RootCertStore, ServerConfig, pki_types::ServerName},
};
use znight_core::{Application, ErrorCode, Graph};
use znight_http::{HttpContext, HttpOptions, HttpPlugin, Tls};

use crate::support::{
    App, Server,
    glue::{self, *},
};

pub(crate) struct Page;

impl Page {
    async fn protocol(&self, ctx: glue::Arc<HttpContext>) -> String {
        format!("{} {:?}", ctx.protocol(), ctx.version())
    }
}

injectable!(Page, Singleton, {});
controller!(
    Page,
    "",
    [route(
        h::Verb::Get,
        "/",
        "protocol",
        with_context!(Page, protocol)
    )]
);

struct Certificate {
    chain: String,
    key: String,
    roots: RootCertStore,
}

fn certificate() -> Certificate {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("it is made");
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a certificate");
    Certificate {
        chain: made.cert.pem(),
        key: made.signing_key.serialize_pem(),
        roots,
    }
}

async fn connect(server: &Server, roots: &RootCertStore, protocol: &[u8]) -> TlsStream<TcpStream> {
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots.clone())
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(server.address)
        .await
        .expect("it accepts");
    let name = ServerName::try_from("localhost").expect("a name");
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await.expect("a handshake")
}

fn get() -> Request<Full<Bytes>> {
    let request = Request::get("https://localhost/").header("host", "localhost");
    request.body(Full::new(Bytes::new())).expect("a request")
}

#[tokio::test]
async fn http_1_and_2_are_served_encrypted_as_the_client_prefers() {
    let Certificate { chain, key, roots } = certificate();
    let server = Server::of::<Page>(HttpOptions::new().tls(Tls::pem(chain, key))).await;

    let stream = connect(&server, &roots, b"http/1.1").await;
    assert_eq!(
        stream.get_ref().1.alpn_protocol(),
        Some(b"http/1.1".as_slice())
    );
    let (mut client, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let reply = client.send_request(get()).await.unwrap();
    let body = reply.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "https HTTP/1.1");

    let stream = connect(&server, &roots, b"h2").await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
    let io = TokioIo::new(stream);
    let (mut client, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
        .await
        .unwrap();
    tokio::spawn(connection);
    let reply = client.send_request(get()).await.unwrap();
    let body = reply.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "https HTTP/2.0");
    server.app.application.stop().await.unwrap();
}

#[tokio::test]
async fn files_and_configurations_are_taken_as_well() {
    let Certificate { chain, key, roots } = certificate();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("chain.pem"), &chain).unwrap();
    std::fs::write(path("key.pem"), &key).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let mut own_roots = RootCertStore::empty();
    own_roots.add(own.cert.der().clone()).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![own.cert.der().clone()],
            own.signing_key.serialize_der().try_into().unwrap(),
        )
        .unwrap();
    for (tls, roots) in [
        (Tls::pem_files(path("chain.pem"), path("key.pem")), &roots),
        (Tls::config(config), &own_roots),
    ] {
        let server = Server::of::<Page>(HttpOptions::new().tls(tls)).await;
        let stream = connect(&server, roots, b"h2").await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
    }
}

#[tokio::test]
async fn who_speaks_no_tls_is_let_go() {
    let Certificate { chain, key, .. } = certificate();
    let server = Server::of::<Page>(HttpOptions::new().tls(Tls::pem(chain, key))).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: test\r\n\r\n")
        .await
        .unwrap();
    let mut received = Vec::new();
    // Closed, with an alert or without.
    let _ = stream.read_to_end(&mut received).await;
    assert!(!received.starts_with(b"HTTP"), "{received:?}");
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_let_go_like_any_idle_connection() {
    let Certificate { chain, key, .. } = certificate();
    let options = HttpOptions::new().tls(Tls::pem(chain, key));
    let server = Server::of::<Page>(options.idle_timeout(Duration::from_secs(3))).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let mut received = Vec::new();
    assert_eq!(stream.read_to_end(&mut received).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_who_says_nothing() {
    let Certificate { chain, key, .. } = certificate();
    let options = HttpOptions::new().tls(Tls::pem(chain, key));
    let server = Server::of::<Page>(options.drain_timeout(Duration::MAX)).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    server.app.application.stop().await.unwrap();
    let mut received = Vec::new();
    assert_eq!(stream.read_to_end(&mut received).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn what_cannot_be_read_is_told_at_boot() {
    let Certificate { chain, key, .. } = certificate();
    let other = certificate();
    for (tls, problems) in [
        (Tls::pem_files("/nowhere/chain.pem", "/nowhere/key.pem"), 2),
        (Tls::pem("", ""), 2),
        (Tls::pem(chain.clone(), "x"), 1),
        (Tls::pem(key, other.key.clone()), 1),
        (Tls::pem(chain, other.key), 1),
    ] {
        let shown = format!("{tls:?}");
        assert!(!shown.contains("PRIVATE"), "{shown}");
        let plugin = HttpPlugin::new(HttpOptions::new().tls(tls));
        let failed = App::boot(Application::builder(Graph::empty()), plugin).await;
        let error = failed.err().expect("it does not boot");
        assert_eq!(error.code(), ErrorCode::InvalidAttribute);
        assert_eq!(error.errors().len().max(1), problems, "{}", error.report());
    }
}
