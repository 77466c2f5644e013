//! The built-in server: HTTP/1.1 and HTTP/2 on one port, on hyper.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Weak},
    time::Duration,
};

use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
};
use znight_core::{Clock, Error};

use crate::{body::RequestBody, context::Transport, options::Settings, service::Front};

mod connection;
mod io_watch;
mod listen;
mod refusal;
mod registry;
#[cfg(feature = "tls")]
mod tls;

use connection::Connection;
use io_watch::Watched;
use listen::{bind_error, listen};
use registry::{Registry, Watch};

/// What hyper allocates on the stack for; another number costs an allocation for each request.
const USUAL_MAX_HEADERS: usize = 100;

/// How long the stop waits for connections it has told to close.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(250);

/// A server that listens.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    registry: Arc<Registry>,
    stop: Arc<Notify>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Binds the address and serves it.
    ///
    /// # Errors
    /// ZNIGHT021 naming the address when it cannot be bound.
    pub(crate) async fn start(front: Front) -> Result<Self, Error> {
        let settings = &front.pipeline.settings;
        let listener = listen(settings).await?;
        let address = listener
            .local_addr()
            .map_err(|error| bind_error(settings, error))?;
        #[cfg(feature = "tls")]
        let front_encrypts = front.pipeline.tls().is_some();
        let registry = Arc::new(Registry::default());
        tokio::spawn(close_idle(
            Arc::downgrade(&registry),
            settings.idle_timeout / registry::TICKS,
        ));
        let stop = Arc::new(Notify::new());
        let accepting = tokio::spawn(accept(
            listener,
            front,
            Arc::clone(&registry),
            Arc::clone(&stop),
        ));
        #[cfg(feature = "tls")]
        let scheme = if front_encrypts { "https" } else { "http" };
        #[cfg(not(feature = "tls"))]
        let scheme = "http";
        tracing::info!(target: "znight::http", "listening on {scheme}://{address}");
        Ok(Self {
            address,
            registry,
            stop,
            accepting,
        })
    }

    /// The address it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no more connections, lets the requests in flight end, and closes what is left when
    /// the time is over.
    pub(crate) async fn stop(self, clock: &Clock, drain: Duration) {
        self.stop.notify_one();
        if let Err(error) = self.accepting.await {
            tracing::error!(target: "znight::http", %error, "the task that accepts connections failed");
        }
        self.registry.drain();
        if clock.timeout(drain, self.registry.empty()).await.is_ok() {
            return;
        }
        let left = self.registry.close();
        tracing::warn!(
            target: "znight::http",
            connections = left,
            "{left} connections were closed while they were in use, {drain:?} after the stop"
        );
        // A handler that blocks its thread cannot be stopped; the process need not wait for it.
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, self.registry.empty()).await;
    }
}

/// Closes the connections that stand still, until the server is gone.
async fn close_idle(registry: Weak<Registry>, period: Duration) {
    let mut ticks = tokio::time::interval(period.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match registry.upgrade() {
            Some(registry) => registry.tick(),
            None => return,
        }
    }
}

async fn accept(listener: TcpListener, front: Front, registry: Arc<Registry>, stop: Arc<Notify>) {
    let builder = Arc::new(builder(&front.pipeline.settings));
    let mut full = false;
    let most = front.pipeline.settings.max_connections;
    let places = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.notified() => return,
            accepted = accept_one(&listener, &places, &mut full) => accepted,
        };
        match accepted {
            Ok((stream, peer, place)) => {
                serve(stream, peer, place, &builder, &front, &registry);
            }
            // The client went away before it was accepted.
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                // No file descriptors are left, most likely: some will be.
                tracing::error!(target: "znight::http", %error, "connections cannot be accepted");
                tokio::select! {
                    () = stop.notified() => return,
                    () = tokio::time::sleep(Duration::from_millis(500)) => {}
                }
            }
        }
    }
}

/// The next connection, once there is a place for it.
async fn accept_one(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
    full: &mut bool,
) -> io::Result<(TcpStream, SocketAddr, Place)> {
    let place = if let Ok(place) = Arc::clone(places).try_acquire_owned() {
        *full = false;
        place
    } else {
        // Said once, however long it lasts.
        if !std::mem::replace(full, true) {
            tracing::warn!(
                target: "znight::http",
                "as many connections are open as there may be: others wait until some close"
            );
        }
        let place = Arc::clone(places).acquire_owned().await;
        place.map_err(io::Error::other)?
    };
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, place))
}

/// What a connection occupies while it is open.
type Place = OwnedSemaphorePermit;

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

fn builder(settings: &Settings) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    let mut http1 = builder.http1();
    // Times are kept by the registry: hyper's own timer costs every request an allocation.
    http1
        .keep_alive(settings.keep_alive)
        .max_buf_size(settings.max_buffer);
    if settings.max_headers != USUAL_MAX_HEADERS {
        http1.max_headers(settings.max_headers);
    }
    let head = u32::try_from(settings.max_buffer).unwrap_or(u32::MAX);
    builder.http2().max_header_list_size(head);
    builder
}

fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    builder: &Arc<auto::Builder<TokioExecutor>>,
    front: &Front,
    registry: &Arc<Registry>,
) {
    // Without it a small reply may wait for the acknowledgement of an earlier one.
    let _ = stream.set_nodelay(true);
    let watch = Arc::new(Watch::default());
    let registered = registry.add(&watch);
    let builder = Arc::clone(builder);
    let front = front.clone();
    let transport = Transport {
        peer: Some(peer),
        ..Transport::default()
    };
    tokio::spawn(async move {
        let _open = (registered, place);
        #[cfg(feature = "tls")]
        if let Some(config) = front.pipeline.tls() {
            let idle = front.pipeline.settings.idle_timeout;
            match tls::handshake(stream, config, &watch, idle).await {
                Ok(Some(stream)) => {
                    let transport = Transport {
                        encrypted: true,
                        ..transport
                    };
                    speak(stream, transport, &builder, front, watch).await;
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(target: "znight::http", %peer, %error, "a connection was not encrypted");
                }
            }
            return;
        }
        speak(stream, transport, &builder, front, watch).await;
    });
}

/// Serves what comes over a connection.
async fn speak<S>(
    stream: S,
    transport: Transport,
    builder: &auto::Builder<TokioExecutor>,
    front: Front,
    watch: Arc<Watch>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let watched = Watched::new(stream, Arc::clone(&watch), Arc::clone(&front.pipeline));
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        let (parts, body) = request.into_parts();
        let body = RequestBody::incoming(body);
        front.handle(parts, body, transport, watch.request())
    });
    let serving = builder.serve_connection(TokioIo::new(watched), service);
    if let Err(error) = Connection::new(serving, &watch).await {
        // The client's doing: malformed requests, connections cut off.
        let peer = transport.peer.map(tracing::field::display);
        tracing::debug!(target: "znight::http", peer, error = &*error, "a connection ended");
    }
}
