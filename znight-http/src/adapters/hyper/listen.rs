//! The socket connections come in by: bound here, or handed over by who started the process.

use std::{
    io, net,
    sync::{LazyLock, Mutex, PoisonError},
};

use listenfd::ListenFd;
use tokio::net::TcpListener;
use znight_contract::ErrorCode;
use znight_core::Error;

use crate::options::Settings;

/// The sockets the process was started with. Each is taken once.
static INHERITED: LazyLock<Mutex<ListenFd>> = LazyLock::new(|| Mutex::new(ListenFd::from_env()));

/// The socket to accept connections from.
///
/// # Errors
/// ZNIGHT021 naming the address when it cannot be bound.
pub(super) async fn listen(settings: &Settings) -> Result<TcpListener, Error> {
    if settings.inherit_listener
        && let Some(listener) = inherited()?
    {
        return Ok(listener);
    }
    TcpListener::bind((&*settings.host, settings.port))
        .await
        .map_err(|error| bind_error(settings, error))
}

/// The first socket of `LISTEN_FDS` that nobody has taken.
fn inherited() -> Result<Option<TcpListener>, Error> {
    let taken = {
        let mut sockets = INHERITED.lock().unwrap_or_else(PoisonError::into_inner);
        (0..sockets.len())
            .map(|index| sockets.take_tcp_listener(index))
            .find(|taken| !matches!(taken, Ok(None)))
    };
    let listener = taken
        .unwrap_or(Ok(None))
        .and_then(|listener| listener.map(ready).transpose());
    listener.map_err(|error| {
        Error::new(
            ErrorCode::LifecycleFailed,
            format!("cannot listen on the socket the process was started with: {error}"),
        )
        .with_hint("LISTEN_FDS says that there is one: hand over a TCP socket that listens, or set `inherit_listener(false)`")
        .with_source(error)
    })
}

fn ready(listener: net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

pub(super) fn bind_error(settings: &Settings, error: io::Error) -> Error {
    let (host, port) = (&settings.host, settings.port);
    let (why, hint) = match error.kind() {
        io::ErrorKind::AddrInUse => (
            "address already in use".to_owned(),
            "another process listens there: stop it, or choose another port (0 takes a free one)",
        ),
        io::ErrorKind::PermissionDenied => (
            "permission denied".to_owned(),
            "ports below 1024 are for privileged processes: choose another one",
        ),
        io::ErrorKind::AddrNotAvailable => (
            "address not available".to_owned(),
            "no interface of this machine has this address",
        ),
        _ => (
            error.to_string(),
            "the host is a name or an address of this machine, such as 127.0.0.1",
        ),
    };
    Error::new(
        ErrorCode::LifecycleFailed,
        format!("cannot listen on {host}:{port}: {why}"),
    )
    .with_hint(hint)
    .with_source(error)
}
