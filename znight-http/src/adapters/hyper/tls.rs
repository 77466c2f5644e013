//! The beginning of an encrypted connection.

use std::{io, sync::Arc, task::Poll, time::Duration};

use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig, server::TlsStream};

use super::registry::Watch;

/// Agrees with the client on how to encrypt; `None` when the server stops before that.
///
/// # Errors
/// The client speaks no TLS, or takes longer than an idle connection may.
pub(super) async fn handshake(
    stream: TcpStream,
    config: &Arc<ServerConfig>,
    watch: &Watch,
    limit: Duration,
) -> io::Result<Option<TlsStream<TcpStream>>> {
    let accept = TlsAcceptor::from(Arc::clone(config)).accept(stream);
    let mut accept = std::pin::pin!(tokio::time::timeout(limit, accept));
    std::future::poll_fn(|cx| {
        watch.woken_by(cx.waker());
        if watch.closes() || watch.drains() {
            return Poll::Ready(Ok(None));
        }
        accept.as_mut().poll(cx).map(|accepted| match accepted {
            Ok(accepted) => accepted.map(Some),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        })
    })
    .await
}
