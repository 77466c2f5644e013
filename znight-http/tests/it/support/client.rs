//! A server on a free port, and a client that speaks in bytes.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use znight_core::Provided;
use znight_http::{ControllerOn, HttpOptions};

use super::App;

/// An application that listens.
pub(crate) struct Server {
    pub(crate) app: App,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) async fn of<C: ControllerOn + Provided>(options: HttpOptions) -> Self {
        Self::start(App::of::<C>(options.host("127.0.0.1").port(0)).await).await
    }

    /// Starts an application that was built to listen on a free port.
    pub(crate) async fn start(app: App) -> Self {
        app.application.start().await.expect("it starts");
        let address = app.plugin.address().expect("it listens");
        Self { app, address }
    }

    /// A client of HTTP/2.
    pub(crate) async fn connect_h2(&self) -> SendRequest<Full<Bytes>> {
        let stream = TcpStream::connect(self.address).await.expect("it accepts");
        let (client, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                .await
                .expect("a handshake");
        tokio::spawn(connection);
        client
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection {
            stream: TcpStream::connect(self.address).await.expect("it accepts"),
            buffer: Vec::new(),
        }
    }
}

/// A connection of HTTP/1.1.
pub(crate) struct Connection {
    stream: TcpStream,
    /// Received, and not part of a response read so far.
    buffer: Vec<u8>,
}

/// One response.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    /// The lines of the head, names in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key == name).then(|| value.trim())
        })
    }
}

impl Connection {
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("open");
    }

    /// Sends a request without a body.
    pub(crate) async fn get(&mut self, target: &str) -> Received {
        self.write(format!("GET {target} HTTP/1.1\r\nhost: test\r\n\r\n"))
            .await;
        self.read().await.expect("a response")
    }

    /// The next response; `None` when the server closed the connection instead.
    pub(crate) async fn read(&mut self) -> Option<Received> {
        self.read_to("GET").await
    }

    /// The next response, to a request of this method.
    pub(crate) async fn read_to(&mut self, method: &str) -> Option<Received> {
        let end = loop {
            let end = self.buffer.windows(4).position(|w| w == b"\r\n\r\n");
            match end {
                Some(end) => break end + 4,
                None => self.more().await?,
            }
        };
        let head = String::from_utf8(self.buffer.drain(..end).collect()).expect("text");
        let (first, rest) = head.split_once("\r\n").expect("a status line");
        let status = first[9..12].parse().expect("a status");
        let lines: Vec<String> = rest
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| format!("{}:{value}", name.to_lowercase()))
            .collect();
        let mut received = Received {
            status,
            head: format!("{first}\n{}", lines.join("\n")),
            body: String::new(),
        };
        let length = match received.header("content-length") {
            Some(length) if method != "HEAD" => length.parse().expect("a length"),
            _ => 0,
        };
        while self.buffer.len() < length {
            self.more().await?;
        }
        received.body = String::from_utf8(self.buffer.drain(..length).collect()).expect("text");
        Some(received)
    }

    /// The next chunk of a body that is sent in chunks, the last one empty; `None` when the
    /// connection ends instead.
    pub(crate) async fn chunk(&mut self) -> Option<String> {
        let (start, end) = loop {
            let line = self.buffer.windows(2).position(|w| w == b"\r\n");
            if let Some(line) = line {
                let size = str::from_utf8(&self.buffer[..line]).expect("text");
                let size = usize::from_str_radix(size, 16).expect("the size of a chunk");
                let end = line + 2 + size;
                if self.buffer.len() >= end + 2 {
                    break (line + 2, end);
                }
            }
            self.more().await?;
        };
        let chunk = String::from_utf8(self.buffer[start..end].to_vec()).expect("text");
        self.buffer.drain(..end + 2);
        Some(chunk)
    }

    /// Whether the server closes the connection without another byte.
    pub(crate) async fn closed(&mut self) -> bool {
        self.buffer.is_empty() && self.more().await.is_none()
    }

    async fn more(&mut self) -> Option<()> {
        let mut bytes = [0; 4096];
        // A reset is a close as well.
        let count = self.stream.read(&mut bytes).await.unwrap_or(0);
        self.buffer.extend_from_slice(&bytes[..count]);
        (count > 0).then_some(())
    }
}
