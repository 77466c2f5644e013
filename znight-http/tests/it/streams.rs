//! Replies whose bodies are streams, in memory and over sockets.

use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http::{HeaderMap, HeaderValue, Method, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody};
use tokio::sync::{Semaphore, mpsc};
use znight_core::{
    Application, Graph, Lazy, Scope,
    capability::{BodyError, BodyStream, InMemoryRequests, Panic},
};
use znight_http::{HttpError, HttpOptions, HttpPlugin, HttpResponse, Reply, ReplyBody};

use crate::support::{App, Log, Server, glue::*, request};

/// What a stream of the test is told to do next.
enum Piece {
    Text(&'static str),
    /// The number of the session, from the scope.
    Session,
    /// An error.
    Fail,
    Panic,
}

/// What the tests and the handlers share.
pub(crate) struct Stage {
    feed: Mutex<Option<mpsc::UnboundedReceiver<Piece>>>,
    tell: Mutex<Option<mpsc::UnboundedSender<Piece>>>,
    sessions: AtomicU32,
    disposed: Semaphore,
    /// Whether each stream that was dropped was in its scope.
    dropped: Mutex<Vec<bool>>,
}

impl Stage {
    fn tell(&self, piece: Piece) {
        let tell = self.tell.lock().unwrap();
        let sent = tell.as_ref().expect("the stream goes on").send(piece);
        assert!(sent.is_ok(), "the stream is there");
    }

    /// Ends the stream.
    fn end(&self) {
        self.tell.lock().unwrap().take();
    }

    fn is_disposed(&self) -> bool {
        self.disposed.available_permits() > 0
    }

    fn dropped(&self) -> Vec<bool> {
        self.dropped.lock().unwrap().clone()
    }
}

injectable!(Stage, Singleton, [], |_| {
    let (tell, feed) = mpsc::unbounded_channel();
    Stage {
        feed: Mutex::new(Some(feed)),
        tell: Mutex::new(Some(tell)),
        sessions: AtomicU32::new(0),
        disposed: Semaphore::new(0),
        dropped: Mutex::default(),
    }
});

/// One for each request, to be disposed.
pub(crate) struct Session {
    number: u32,
    stage: Arc<Stage>,
}

impl znight_core::Dispose for Session {
    async fn dispose(&self) -> znight_core::Result {
        self.stage.disposed.add_permits(1);
        Ok(())
    }
}

injectable!(Session, Request, [Arc<Stage>], |d| {
    let stage: Arc<Stage> = d.next();
    Session {
        number: stage.sessions.fetch_add(1, Ordering::Relaxed) + 1,
        stage,
    }
});

pub(crate) struct Streams {
    stage: Arc<Stage>,
    session: Lazy<Session>,
}

injectable!(Streams, Singleton, { stage: Arc<Stage>, session: Lazy<Session> });

/// Notes where it is dropped.
struct Noted(Arc<Stage>);

impl Drop for Noted {
    fn drop(&mut self) {
        let in_scope = Scope::current().is_ok();
        self.0.dropped.lock().unwrap().push(in_scope);
    }
}

fn pieces(texts: &'static [&'static str]) -> impl Stream<Item = io::Result<&'static str>> {
    stream::iter(texts).map(|text| Ok(*text))
}

impl Streams {
    fn fed(&self) -> ReplyBody {
        let feed = self.stage.feed.lock().unwrap().take().expect("one stream");
        let state = (feed, self.session.clone(), Noted(Arc::clone(&self.stage)));
        ReplyBody::stream(stream::unfold(state, async |mut state| {
            let piece = match state.0.recv().await? {
                Piece::Text(text) => Ok(text.to_owned()),
                Piece::Session => state
                    .1
                    .get()
                    .map(|session| format!("session {}", session.number))
                    .map_err(io::Error::other),
                Piece::Fail => Err(io::Error::other("out of paper")),
                Piece::Panic => panic!("at the disco"),
            };
            Some((piece, state))
        }))
    }

    async fn feed(&self) -> HttpResponse<ReplyBody> {
        HttpResponse::ok(self.fed()).with_header("content-type", "text/plain")
    }

    async fn nothing(&self) -> HttpResponse<ReplyBody> {
        HttpResponse::ok(self.fed()).with_status(204)
    }

    async fn sized(&self) -> Response<ReplyBody> {
        Response::builder()
            .status(203)
            .header("x-own", "1")
            .body(ReplyBody::sized_stream(6, pieces(&["one", "two"])))
            .unwrap()
    }

    async fn short(&self) -> ReplyBody {
        ReplyBody::sized_stream(9, pieces(&["one", "two"]))
    }

    async fn long(&self) -> ReplyBody {
        ReplyBody::sized_stream(4, pieces(&["one", "two"]))
    }

    async fn plain(&self) -> ReplyBody {
        ReplyBody::stream(pieces(&["one", "", "two"]))
    }

    async fn trailers(&self) -> ReplyBody {
        let mut trailers = HeaderMap::new();
        trailers.insert("x-sum", HeaderValue::from_static("3"));
        let frames = [
            Ok::<_, io::Error>(Frame::data(Bytes::from_static(b"abc"))),
            Ok(Frame::trailers(trailers)),
        ];
        ReplyBody::wrap(StreamBody::new(stream::iter(frames)))
    }

    async fn wrapped(&self) -> ReplyBody {
        ReplyBody::wrap(Full::new(Bytes::from_static(b"whole")))
    }

    async fn tried(&self) -> Result<HttpResponse<ReplyBody>, HttpError> {
        Ok(HttpResponse::accepted(ReplyBody::stream(pieces(&[
            "tried",
        ]))))
    }

    async fn endless(&self) -> ReplyBody {
        static LARGE: [u8; 64 * 1024] = [b'x'; 64 * 1024];
        let noted = Noted(Arc::clone(&self.stage));
        ReplyBody::stream(stream::repeat_with(move || {
            let _ = &noted;
            Ok::<_, io::Error>(Bytes::from_static(&LARGE))
        }))
    }
}

controller!(
    Streams,
    "",
    [
        route(h::Verb::Get, "/feed", "feed", plain!(Streams, feed)),
        route(
            h::Verb::Get,
            "/nothing",
            "nothing",
            plain!(Streams, nothing)
        ),
        route(h::Verb::Get, "/sized", "sized", plain!(Streams, sized)),
        route(h::Verb::Get, "/short", "short", plain!(Streams, short)),
        route(h::Verb::Get, "/long", "long", plain!(Streams, long)),
        route(h::Verb::Get, "/plain", "plain", plain!(Streams, plain)),
        route(
            h::Verb::Get,
            "/trailers",
            "trailers",
            plain!(Streams, trailers)
        ),
        route(
            h::Verb::Get,
            "/wrapped",
            "wrapped",
            plain!(Streams, wrapped)
        ),
        route(h::Verb::Get, "/tried", "tried", plain!(Streams, tried)),
        route(
            h::Verb::Get,
            "/endless",
            "endless",
            plain!(Streams, endless)
        ),
    ]
);

async fn app(options: HttpOptions) -> (App, Arc<Stage>) {
    let builder = Application::builder(Graph::empty())
        .provide::<Stage>()
        .provide::<Session>()
        .provide::<Streams>();
    let plugin = HttpPlugin::new(options).controller::<Streams>();
    let app = App::boot(builder, plugin).await.expect("it boots");
    let stage = app.application.container().get::<Stage>().unwrap();
    (app, stage)
}

async fn server(options: HttpOptions) -> (Server, Arc<Stage>) {
    let (app, stage) = app(options.host("127.0.0.1").port(0)).await;
    (Server::start(app).await, stage)
}

/// The head of a response, and its body to be read.
async fn open(app: &App, target: &str) -> Response<BodyStream> {
    let memory = app.application.capability::<dyn InMemoryRequests>();
    let memory = memory.expect("the plugin offers it");
    memory.stream(request(Method::GET, target)).await
}

async fn text(body: &mut BodyStream) -> String {
    let piece = body.next().await.expect("a piece").expect("no error");
    String::from_utf8(piece.to_vec()).expect("text")
}

const fn shareable<T: Send + Sync>() {}
const _: () = shareable::<Reply>();
const _: () = shareable::<ReplyBody>();

#[tokio::test]
async fn a_stream_arrives_as_it_is_made_in_the_scope_of_its_request() {
    let (app, stage) = app(HttpOptions::new()).await;
    let mut response = open(&app, "/feed").await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/plain");
    assert!(response.headers().contains_key("x-request-id"));
    assert_eq!(app.plugin.inflight(), 1);
    let body = response.body_mut();
    stage.tell(Piece::Text("one"));
    assert_eq!(text(body).await, "one");
    stage.tell(Piece::Session);
    assert_eq!(text(body).await, "session 1");
    stage.tell(Piece::Session);
    assert_eq!(text(body).await, "session 1", "it is one request");
    assert!(!stage.is_disposed());
    stage.end();
    assert!(body.next().await.is_none());
    assert!(stage.is_disposed(), "the end waits for the disposal");
    assert_eq!(stage.dropped(), [true], "the stream ends inside the scope");
    assert_eq!(app.plugin.inflight(), 1, "the body is still held");
    drop(response);
    assert_eq!(app.plugin.inflight(), 0);
}

#[tokio::test]
async fn a_client_that_goes_away_ends_the_scope() {
    let (app, stage) = app(HttpOptions::new()).await;
    let mut response = open(&app, "/feed").await;
    stage.tell(Piece::Session);
    assert_eq!(text(response.body_mut()).await, "session 1");
    drop(response);
    assert_eq!(stage.dropped(), [true]);
    stage.disposed.acquire().await.unwrap().forget();
    assert_eq!(app.plugin.inflight(), 0);
}

#[tokio::test]
async fn a_head_alone_ends_the_scope_without_a_poll() {
    let (app, stage) = app(HttpOptions::new()).await;
    drop(open(&app, "/feed").await);
    assert_eq!(stage.dropped(), [true]);
    assert_eq!(app.plugin.inflight(), 0);
}

#[tokio::test]
async fn replies_without_a_body_drop_their_stream() {
    let (app, stage) = app(HttpOptions::new()).await;
    let reply = app.get("/nothing").await;
    assert_eq!((reply.status(), reply.text()), (204, ""));
    assert_eq!(stage.dropped(), [true]);
    let reply = app.call(Method::HEAD, "/sized").await;
    assert_eq!((reply.status(), reply.text()), (203, ""));
    assert_eq!(reply.header("content-length"), Some("6"));
    let reply = app.call(Method::HEAD, "/plain").await;
    assert_eq!((reply.status(), reply.text()), (200, ""));
    assert_eq!(reply.header("content-length"), None);
    assert_eq!(
        reply.header("content-type"),
        Some("application/octet-stream")
    );
    assert_eq!(app.plugin.inflight(), 0);
}

#[tokio::test]
async fn a_request_in_memory_reads_a_stream_to_its_end() {
    let (app, _) = app(HttpOptions::new()).await;
    for (target, status, content_type, body) in [
        ("/sized", 203, None, "onetwo"),
        ("/plain", 200, Some("application/octet-stream"), "onetwo"),
        ("/wrapped", 200, Some("application/octet-stream"), "whole"),
        ("/trailers", 200, Some("application/octet-stream"), "abc"),
        ("/tried", 202, Some("application/octet-stream"), "tried"),
    ] {
        let reply = app.get(target).await;
        assert_eq!((reply.status(), reply.text()), (status, body), "{target}");
        assert_eq!(reply.header("content-type"), content_type, "{target}");
        assert!(reply.0.extensions().get::<BodyError>().is_none());
    }
    // What is in memory is one piece, and nothing is none.
    let mut response = open(&app, "/nowhere").await;
    assert_eq!(response.status(), 404);
    assert!(text(response.body_mut()).await.contains("Not Found"));
    assert!(response.body_mut().next().await.is_none());
}

#[tokio::test]
async fn a_stream_that_fails_is_logged_and_ends_with_its_error() {
    let log = Log::capture();
    let (app, stage) = app(HttpOptions::new()).await;
    let mut response = open(&app, "/feed").await;
    let body = response.body_mut();
    stage.tell(Piece::Session);
    stage.tell(Piece::Fail);
    assert_eq!(text(body).await, "session 1");
    let error = body.next().await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "out of paper");
    assert!(stage.is_disposed());
    assert!(body.next().await.is_none());
    let errors = log.errors();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].contains("the body of a reply failed") && errors[0].contains("out of paper"),
        "{errors:?}"
    );
}

#[tokio::test]
async fn what_cut_a_body_short_is_told_to_who_read_it_in_memory() {
    let _log = Log::capture();
    for (piece, panics) in [(Piece::Fail, false), (Piece::Panic, true)] {
        let (app, stage) = app(HttpOptions::new()).await;
        stage.tell(Piece::Text("one"));
        stage.tell(piece);
        let reply = app.get("/feed").await;
        assert_eq!((reply.status(), reply.text()), (200, "one"));
        let extensions = reply.0.extensions();
        if panics {
            let payload = extensions.get::<Panic>().unwrap().take().unwrap();
            assert_eq!(payload.downcast_ref(), Some(&"at the disco"));
            assert!(extensions.get::<BodyError>().is_some());
        } else {
            let error = extensions.get::<BodyError>().unwrap();
            let source = std::error::Error::source(error).unwrap();
            assert_eq!(source.to_string(), "out of paper");
        }
    }
    let (app, _) = app(HttpOptions::new()).await;
    for (target, read, message) in [
        (
            "/short",
            "onetwo",
            "the body ended 3 bytes before the length it was announced with",
        ),
        ("/long", "one", "the body is longer than announced"),
    ] {
        let reply = app.get(target).await;
        assert_eq!(reply.text(), read);
        let error = reply.0.extensions().get::<BodyError>().unwrap();
        let source = std::error::Error::source(error).unwrap();
        assert_eq!(source.to_string(), message);
    }
}

#[tokio::test]
async fn a_panic_of_a_stream_is_logged_and_its_error() {
    let log = Log::capture();
    let (app, stage) = app(HttpOptions::new()).await;
    let mut response = open(&app, "/feed").await;
    stage.tell(Piece::Session);
    stage.tell(Piece::Panic);
    assert_eq!(text(response.body_mut()).await, "session 1");
    let error = response.body_mut().next().await.unwrap().unwrap_err();
    let panic = error.downcast::<Panic>().expect("a panic");
    assert_eq!(panic.take().unwrap().downcast_ref(), Some(&"at the disco"));
    assert!(panic.take().is_none(), "it is taken once");
    assert!(stage.is_disposed());
    assert!(
        log.errors()[0].contains("a panic: at the disco"),
        "{:?}",
        log.errors()
    );
}

#[tokio::test]
async fn a_stream_without_a_length_is_sent_in_chunks() {
    let (server, stage) = server(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    let head = connection.get("/feed").await;
    assert_eq!(head.status, 200);
    assert_eq!(head.header("transfer-encoding"), Some("chunked"));
    assert_eq!(head.header("content-length"), None);
    stage.tell(Piece::Text("one"));
    assert_eq!(connection.chunk().await.as_deref(), Some("one"));
    stage.tell(Piece::Session);
    assert_eq!(connection.chunk().await.as_deref(), Some("session 1"));
    assert_eq!(server.app.plugin.inflight(), 1);
    stage.end();
    assert_eq!(connection.chunk().await.as_deref(), Some(""));
    assert!(stage.is_disposed());
    // The connection goes on.
    let response = connection.get("/sized").await;
    assert_eq!((response.status, &*response.body), (203, "onetwo"));
    assert_eq!(response.header("content-length"), Some("6"));
    assert_eq!(response.header("transfer-encoding"), None);
    assert_eq!(server.app.plugin.inflight(), 0);
}

#[tokio::test]
async fn a_connection_that_is_closed_early_ends_the_scope() {
    let (server, stage) = server(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    assert_eq!(connection.get("/feed").await.status, 200);
    stage.tell(Piece::Session);
    assert_eq!(connection.chunk().await.as_deref(), Some("session 1"));
    drop(connection);
    stage.disposed.acquire().await.unwrap().forget();
    assert_eq!(stage.dropped(), [true]);
    assert_eq!(server.app.plugin.inflight(), 0);
}

#[tokio::test]
async fn a_failure_after_the_head_cuts_the_connection_off() {
    let _log = Log::capture();
    for piece in [Piece::Fail, Piece::Panic] {
        let (server, stage) = server(HttpOptions::new()).await;
        let mut connection = server.connect().await;
        assert_eq!(connection.get("/feed").await.status, 200);
        stage.tell(Piece::Session);
        assert_eq!(connection.chunk().await.as_deref(), Some("session 1"));
        stage.tell(piece);
        assert_eq!(connection.chunk().await, None, "no last chunk");
        stage.disposed.acquire().await.unwrap().forget();
    }
    let (server, _) = server(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    connection
        .write("GET /short HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    assert!(connection.read().await.is_none(), "9 bytes never come");
}

#[tokio::test]
async fn streams_and_their_trailers_go_over_http_2() {
    let (server, stage) = server(HttpOptions::new()).await;
    let mut client = server.connect_h2().await;
    let get = |target: &str| {
        Request::get(format!("http://{}{target}", server.address))
            .body(Full::<Bytes>::default())
            .unwrap()
    };
    let response = client.send_request(get("/trailers")).await.unwrap();
    let whole = response.into_body().collect().await.unwrap();
    assert_eq!(whole.trailers().unwrap()["x-sum"], "3");
    assert_eq!(whole.to_bytes(), "abc");

    let mut body = client.send_request(get("/feed")).await.unwrap().into_body();
    stage.tell(Piece::Session);
    let frame = body.frame().await.unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "session 1");
    drop(body);
    // A stream is found to have been reset when the next piece is made.
    stage.disposed.acquire().await.unwrap().forget();
    assert_eq!(stage.dropped(), [true]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_silent_for_long_is_no_idle_connection() {
    let (server, stage) = server(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    assert_eq!(connection.get("/feed").await.status, 200);
    // Before its first piece, and after one.
    for text in ["late", "later"] {
        let silent = tokio::time::timeout(Duration::from_secs(120), connection.chunk()).await;
        assert!(silent.is_err(), "it is still open");
        stage.tell(Piece::Text(text));
        assert_eq!(connection.chunk().await.as_deref(), Some(text));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_nobody_reads_ends_its_connection() {
    let (server, stage) = server(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    connection
        .write("GET /endless HTTP/1.1\r\nhost: test\r\n\r\n")
        .await;
    for _ in 0..12 {
        tokio::time::advance(Duration::from_secs(5)).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(stage.dropped(), [true]);
    assert_eq!(server.app.plugin.inflight(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_streams_and_then_cuts_them_off() {
    let _log = Log::capture();
    let (server, stage) = server(HttpOptions::new()).await;
    let mut connection = server.connect().await;
    assert_eq!(connection.get("/feed").await.status, 200);
    let stop = tokio::spawn(server.app.application.stop());
    stage.tell(Piece::Session);
    assert_eq!(connection.chunk().await.as_deref(), Some("session 1"));
    assert!(!stop.is_finished());
    assert_eq!(connection.chunk().await, None);
    stop.await.unwrap().unwrap();
    assert_eq!(stage.dropped(), [true]);
    assert_eq!(server.app.plugin.inflight(), 0);
}
