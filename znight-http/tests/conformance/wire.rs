//! A client that hides nothing of what it receives.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::check;

/// One end of a connection, or bytes that came over one.
pub(crate) struct Wire<S = TcpStream> {
    stream: S,
    buffer: Vec<u8>,
}

/// A reply as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    /// The method of the request.
    pub(crate) method: String,
    pub(crate) status_line: String,
    pub(crate) status: u16,
    /// In order, as they were written.
    pub(crate) headers: Vec<(String, String)>,
    /// The body as it was framed.
    pub(crate) framed: Vec<u8>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Raw {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let header = headers.find(|(key, _)| key.eq_ignore_ascii_case(name));
        header.map(|(_, value)| value.as_str())
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter();
        let named = headers.filter(move |(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// Whether nothing follows on the connection.
    pub(crate) fn is_last(&self) -> bool {
        let mut tokens = self.all("connection").flat_map(|value| value.split(','));
        let keep = self.status_line.starts_with("HTTP/1.1");
        let closes = tokens.any(|token| token.trim().eq_ignore_ascii_case("close"));
        let mut tokens = self.all("connection").flat_map(|value| value.split(','));
        let keeps = tokens.any(|token| token.trim().eq_ignore_ascii_case("keep-alive"));
        closes || (!keep && !keeps)
    }

    /// What was received.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}\r\n", self.status_line).into_bytes();
        for (name, value) in &self.headers {
            let value = value.chars().map(|c| u8::try_from(c).expect("it was one"));
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend(value);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.framed);
        bytes
    }
}

impl Wire {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self {
            stream: TcpStream::connect(address).await.expect("it accepts"),
            buffer: Vec::new(),
        }
    }

    /// Sends bytes, as far as the server takes them.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Says that nothing more will be sent.
    pub(crate) async fn end(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// Whether the connection serves another request.
    pub(crate) async fn is_open(&mut self) -> bool {
        let next = "GET /-next- HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n";
        self.write(next).await && self.reply("GET").await.is_some()
    }
}

impl<'a> Wire<&'a [u8]> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self {
            stream: bytes,
            buffer: Vec::new(),
        }
    }
}

impl<S: AsyncRead + Unpin> Wire<S> {
    async fn more(&mut self) -> bool {
        self.buffer.reserve(16 * 1024);
        // A reset is a close as well.
        self.stream
            .read_buf(&mut self.buffer)
            .await
            .is_ok_and(|count| count > 0)
    }

    /// Whether the server closes the connection without another byte.
    pub(crate) async fn closed(&mut self) -> bool {
        self.buffer.is_empty() && !self.more().await
    }

    /// Receives whatever comes until the server closes the connection.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        while self.more().await {}
        std::mem::take(&mut self.buffer)
    }

    /// The next reply; `None` when the server closed the connection instead.
    ///
    /// # Panics
    /// It is not a well-formed one.
    pub(crate) async fn reply(&mut self, method: &str) -> Option<Raw> {
        let reply = self.unchecked(method).await?;
        let problems = check::problems(&reply);
        assert!(problems.is_empty(), "{problems:#?}\n{reply:#?}");
        Some(reply)
    }

    /// The next reply, whatever it says.
    ///
    /// # Panics
    /// What is received is no reply, or half of one.
    pub(crate) async fn unchecked(&mut self, method: &str) -> Option<Raw> {
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if !self.more().await {
                let left = String::from_utf8_lossy(&self.buffer);
                assert!(left.is_empty(), "half of a reply: {left}");
                return None;
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end).collect();
        let head: String = head[..end - 4].iter().copied().map(char::from).collect();
        let mut lines = head.split("\r\n");
        let status_line = lines.next().expect("there is one").to_owned();
        let status = status_line
            .get(9..12)
            .and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status line: {status_line:?}"));
        let headers = lines.map(|line| {
            let (name, value) = line
                .split_once(": ")
                .unwrap_or_else(|| panic!("no header: {line:?}"));
            (name.to_owned(), value.to_owned())
        });
        let mut raw = Raw {
            method: method.to_owned(),
            status,
            headers: headers.collect(),
            status_line,
            framed: Vec::new(),
            body: Vec::new(),
        };
        let bodiless = method == "HEAD" || status < 200 || matches!(status, 204 | 304);
        if bodiless {
            return Some(raw);
        }
        if raw.header("transfer-encoding").is_some() {
            self.chunks(&mut raw).await;
        } else if let Some(length) = raw.header("content-length") {
            let length: usize = length.parse().expect("a length");
            while self.buffer.len() < length {
                assert!(self.more().await, "the body ends early: {raw:?}");
            }
            raw.body = self.buffer.drain(..length).collect();
            raw.framed.clone_from(&raw.body);
        } else {
            while self.more().await {}
            raw.body = std::mem::take(&mut self.buffer);
            raw.framed.clone_from(&raw.body);
        }
        Some(raw)
    }

    async fn chunks(&mut self, raw: &mut Raw) {
        loop {
            let line = loop {
                if let Some(end) = self.buffer.windows(2).position(|two| two == b"\r\n") {
                    break end;
                }
                assert!(self.more().await, "the body ends early: {raw:?}");
            };
            let size = str::from_utf8(&self.buffer[..line]).expect("text");
            let size = usize::from_str_radix(size, 16).expect("the size of a chunk");
            let end = line + 2 + size + 2;
            while self.buffer.len() < end {
                assert!(self.more().await, "the body ends early: {raw:?}");
            }
            raw.body.extend_from_slice(&self.buffer[line + 2..end - 2]);
            raw.framed.extend(self.buffer.drain(..end));
            if size == 0 {
                return;
            }
        }
    }
}

/// A request in what is sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) method: String,
    /// How many bytes it has, as far as they are there.
    pub(crate) length: usize,
    /// It is a request, with all of its body.
    pub(crate) whole: bool,
    /// Its client waits for `100 Continue` before the body.
    pub(crate) waits: bool,
}

/// The requests in what is sent, to know how many replies there will be. What cannot be read counts for one,
/// and nothing counts behind it.
pub(crate) fn requests(bytes: &[u8]) -> Vec<Sent> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let sent = request(rest);
        rest = &rest[sent.length..];
        let whole = sent.whole;
        found.push(sent);
        if !whole {
            break;
        }
    }
    found
}

fn request(bytes: &[u8]) -> Sent {
    let word = bytes.split(|byte| *byte == b' ').next().unwrap_or(bytes);
    let mut sent = Sent {
        method: String::from_utf8_lossy(word).into_owned(),
        length: bytes.len(),
        whole: false,
        waits: false,
    };
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let mut request = httparse::Request::new(&mut headers);
    let Ok(httparse::Status::Complete(head)) = request.parse(bytes) else {
        return sent;
    };
    request.method.unwrap_or("GET").clone_into(&mut sent.method);
    let header = |name: &str| {
        let mut headers = request.headers.iter();
        let header = headers.find(|header| header.name.eq_ignore_ascii_case(name))?;
        str::from_utf8(header.value).ok()
    };
    let end = if header("transfer-encoding").is_some() {
        let end = bytes[head..]
            .windows(5)
            .position(|five| five == b"0\r\n\r\n");
        end.map(|end| head + end + 5)
    } else {
        let length = header("content-length").map_or(Ok(0), str::parse::<usize>);
        let end = length.ok().and_then(|length| head.checked_add(length));
        end.filter(|end| *end <= bytes.len())
    };
    sent.waits = header("expect").is_some() && head == bytes.len() && end.is_none();
    if let Some(end) = end {
        sent.length = end;
        sent.whole = true;
    }
    sent
}

#[test]
fn requests_are_told_apart() {
    let sent = requests(b"GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\ncontent-length: 2\r\n\r\nabHEAD / HTTP/1.1\r\n\r\n");
    let methods: Vec<_> = sent
        .iter()
        .map(|sent| (&*sent.method, sent.whole))
        .collect();
    assert_eq!(methods, [("GET", true), ("POST", true), ("HEAD", true)]);
    let sent = requests(b"GET / HTTP/1.1\r\n\r\nno request\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    let methods: Vec<_> = sent
        .iter()
        .map(|sent| (&*sent.method, sent.whole))
        .collect();
    assert_eq!(methods, [("GET", true), ("no", false)]);
}
