//! Processes that take over from each other on one socket.
#![cfg(unix)]

use std::{
    collections::BTreeMap,
    net::{SocketAddr, TcpListener},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::watch,
};

use crate::Tested;

/// How long anything may take before the test gives up on it.
const PATIENCE: Duration = Duration::from_mins(1);

/// Starts the application on a socket that is kept here, as systemd would.
fn start(listener: &TcpListener) -> std::io::Result<Child> {
    let socket: OwnedFd = listener.try_clone()?.into();
    Command::new("sh")
        .args([
            "-c",
            "exec 3<&0 </dev/null; export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$0\"",
        ])
        .arg(env!("CARGO_BIN_EXE_whole"))
        .stdin(Stdio::from(socket))
        .stderr(Stdio::null())
        .spawn()
}

/// Ends a process as a supervisor does, and waits until it has gone.
async fn end(mut process: Child) -> std::io::Result<bool> {
    let id = process.id().to_string();
    Command::new("kill").args(["-TERM", &id]).status()?;
    let exited = tokio::task::spawn_blocking(move || process.wait());
    let status = tokio::time::timeout(PATIENCE, exited).await;
    Ok(status
        .map_err(std::io::Error::other)?
        .map_err(std::io::Error::other)??
        .success())
}

/// How many requests each process has answered.
type Answered = BTreeMap<u32, usize>;

/// One client: asks again and again, on one connection for as long as the server keeps it.
struct Client {
    address: SocketAddr,
    connection: Option<TcpStream>,
}

impl Client {
    /// Which process answers. A connection that was used and is closed before a byte of the answer is no
    /// failure: HTTP has clients ask again on another one.
    async fn ask(&mut self) -> std::io::Result<u32> {
        if let Some(mut connection) = self.connection.take()
            && let Some((id, keeps)) = answer(&mut connection).await?
        {
            self.connection = keeps.then_some(connection);
            return Ok(id);
        }
        let mut connection = TcpStream::connect(self.address).await?;
        let (id, keeps) = answer(&mut connection).await?.ok_or_else(|| {
            std::io::Error::other("a new connection was closed without an answer")
        })?;
        self.connection = keeps.then_some(connection);
        Ok(id)
    }
}

/// The answer on a connection, and whether it can be used again; `None` when it was closed before.
async fn answer(connection: &mut TcpStream) -> std::io::Result<Option<(u32, bool)>> {
    let request = b"GET /process HTTP/1.1\r\nhost: test\r\n\r\n";
    if connection.write_all(request).await.is_err() {
        return Ok(None);
    }
    let mut received = Vec::new();
    loop {
        let mut bytes = [0; 1024];
        match connection.read(&mut bytes).await {
            Ok(0) | Err(_) if received.is_empty() => return Ok(None),
            Ok(0) => return Err(std::io::Error::other("an answer was cut off")),
            Ok(count) => received.extend_from_slice(&bytes[..count]),
            Err(error) => return Err(error),
        }
        let text = String::from_utf8_lossy(&received);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .and_then(|length| length.parse::<usize>().ok());
        if length != Some(body.len()) {
            continue;
        }
        let id = head
            .starts_with("HTTP/1.1 200 ")
            .then(|| body.parse().ok())
            .flatten()
            .ok_or_else(|| std::io::Error::other(text.clone().into_owned()))?;
        return Ok(Some((id, !head.contains("connection: close"))));
    }
}

/// Waits until a process has answered so many requests.
async fn answered(seen: &mut watch::Receiver<Answered>, process: u32, count: usize) -> Tested {
    let enough = seen.wait_for(|seen| seen.get(&process).is_some_and(|seen| *seen >= count));
    tokio::time::timeout(PATIENCE, enough).await??;
    Ok(())
}

#[tokio::test]
async fn a_process_takes_over_without_a_failed_request() -> Tested {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (tell, mut seen) = watch::channel(Answered::new());
    let tell = Arc::new(tell);
    let over = Arc::new(AtomicBool::new(false));
    let mut first = start(&listener)?;
    let clients: Vec<_> = (0..8)
        .map(|number| {
            let (tell, over) = (Arc::clone(&tell), Arc::clone(&over));
            tokio::spawn(async move {
                let mut client = Client {
                    address,
                    connection: None,
                };
                while !over.load(Ordering::Relaxed) {
                    let id = client.ask().await?;
                    tell.send_modify(|seen| *seen.entry(id).or_default() += 1);
                    if number % 2 == 0 {
                        // Half of them take a new connection for each request.
                        client.connection = None;
                    }
                }
                Ok::<_, std::io::Error>(())
            })
        })
        .collect();
    for _ in 0..2 {
        answered(&mut seen, first.id(), 200).await?;
        let second = start(&listener)?;
        answered(&mut seen, second.id(), 20).await?;
        assert!(end(first).await?, "it stops well");
        let so_far = seen.borrow().get(&second.id()).copied().unwrap_or(0);
        answered(&mut seen, second.id(), so_far + 200).await?;
        first = second;
    }
    over.store(true, Ordering::Relaxed);
    for client in clients {
        tokio::time::timeout(PATIENCE, client).await???;
    }
    assert!(end(first).await?);
    Ok(())
}
