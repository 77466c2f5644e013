//! A plugin that answers with what it was sent, and an application of controllers.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures_util::stream;
use http::{Request, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};
use znight::{ReplyBody, prelude::*};
use znight_core::{__private::BoxFuture, Error, Graph, Result, capability::InMemoryRequests};
use znight_testing::{TestApp, TestAppBuilder};

/// Answers with the request, as JSON.
struct Echo;

impl InMemoryRequests for Echo {
    fn handle(&self, request: Request<Bytes>) -> BoxFuture<'_, Response<Bytes>> {
        let headers: BTreeMap<&str, &str> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().expect("text")))
            .collect();
        let echo = json!({
            "method": request.method().as_str(),
            "target": request.uri().to_string(),
            "headers": headers,
            "body": String::from_utf8_lossy(request.body()),
        });
        let response = Response::builder()
            .status(if request.uri().path() == "/missing" {
                404
            } else {
                200
            })
            .header("content-type", "application/json")
            .body(echo.to_string().into())
            .expect("a response");
        Box::pin(async { response })
    }
}

#[derive(Default)]
pub(crate) struct EchoPlugin {
    pub(crate) stopped: Arc<Mutex<bool>>,
    pub(crate) fails: bool,
}

impl Plugin for EchoPlugin {
    fn name(&self) -> &'static str {
        "echo"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        context.offer::<dyn InMemoryRequests>(Arc::new(Echo));
        Ok(())
    }

    async fn on_stop(&self, _context: &PluginContext) -> Result {
        *self.stopped.lock().expect("no panic") = true;
        if self.fails {
            Err("stuck".into())
        } else {
            Ok(())
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

pub(crate) async fn echo() -> Result<TestApp, Error> {
    TestApp::builder(Graph::empty())
        .plugin(EchoPlugin::default())
        .start()
        .await
}

/// What a stream does next.
pub(crate) enum Piece {
    Text(&'static str),
    Fail,
    Panic,
}

/// What tests tell the stream of `/feed` and of `/events`.
#[injectable]
pub(crate) struct Feed {
    #[init(mpsc::unbounded_channel().into())]
    channel: Channel,
    /// A permit when the stream is dropped.
    #[init(Arc::new(Semaphore::new(0)))]
    gone: Arc<Semaphore>,
}

/// Both ends, each taken once.
struct Channel {
    tell: Mutex<Option<mpsc::UnboundedSender<Piece>>>,
    hear: Mutex<Option<mpsc::UnboundedReceiver<Piece>>>,
}

impl From<(mpsc::UnboundedSender<Piece>, mpsc::UnboundedReceiver<Piece>)> for Channel {
    fn from((tell, hear): (mpsc::UnboundedSender<Piece>, mpsc::UnboundedReceiver<Piece>)) -> Self {
        Self {
            tell: Mutex::new(Some(tell)),
            hear: Mutex::new(Some(hear)),
        }
    }
}

impl Feed {
    pub(crate) fn of(app: &TestApp) -> Arc<Self> {
        app.container().get().expect("it was provided")
    }

    pub(crate) fn tell(&self, piece: Piece) {
        let tell = self.channel.tell.lock().expect("no panic");
        let sent = tell.as_ref().expect("it has not ended").send(piece);
        assert!(sent.is_ok(), "nobody hears");
    }

    pub(crate) fn end(&self) {
        self.channel.tell.lock().expect("no panic").take();
    }

    /// Waits until the stream has been dropped.
    pub(crate) async fn gone(&self) {
        self.gone.acquire().await.expect("open").forget();
    }

    fn body(&self) -> ReplyBody {
        struct Gone(Arc<Semaphore>);
        impl Drop for Gone {
            fn drop(&mut self) {
                self.0.add_permits(1);
            }
        }
        let hear = self.channel.hear.lock().expect("no panic").take();
        let state = (hear.expect("one stream"), Gone(Arc::clone(&self.gone)));
        ReplyBody::stream(stream::unfold(state, async |mut state| {
            let piece = match state.0.recv().await? {
                Piece::Text(text) => Ok(text),
                Piece::Fail => Err("out of paper"),
                Piece::Panic => panic!("at the disco"),
            };
            Some((piece, state))
        }))
    }
}

/// Handlers of every kind the test kit has something for.
#[injectable]
pub(crate) struct Shop {
    feed: Arc<Feed>,
}

#[controller("/")]
impl Shop {
    #[get("/people")]
    async fn people(&self) -> HttpResponse<Value> {
        HttpResponse::ok(json!([{ "name": "ada", "a/b": 1 }, { "name": "bob" }]))
    }

    #[get("/cookies")]
    async fn cookies(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("baked")
            .with_appended_header("set-cookie", "sid=1; Path=/; HttpOnly")
            .with_appended_header("set-cookie", "theme=dark; Max-Age=60")
            .with_appended_header("set-cookie", "sid=2; Path=/")
    }

    #[get("/moved")]
    async fn moved(&self) -> HttpResponse {
        HttpResponse::with_status_only(302).with_header("location", "/people")
    }

    #[get("/taken")]
    async fn taken(&self) -> Result<String, HttpError> {
        Err(HttpError::conflict("taken"))
    }

    #[get("/down")]
    async fn down(&self) -> Result<String, HttpError> {
        Err(HttpError::service_unavailable("down"))
    }

    #[get("/binary")]
    async fn binary(&self) -> HttpResponse<Vec<u8>> {
        HttpResponse::ok(vec![0x89, b'P', b'N', b'G']).with_header("content-type", "image/png")
    }

    #[get("/long")]
    async fn long(&self) -> String {
        "\u{e9}".repeat(5000)
    }

    #[get("/panics")]
    async fn panics(&self) -> String {
        panic!("out of ink")
    }

    #[get("/feed")]
    async fn fed(&self) -> ReplyBody {
        self.feed.body()
    }

    #[get("/events")]
    async fn events(&self) -> HttpResponse<ReplyBody> {
        HttpResponse::ok(self.feed.body())
            .with_header("content-type", "Text/Event-Stream; charset=utf-8")
    }

    #[get("/refused")]
    async fn refused(&self) -> HttpResponse<&'static str> {
        HttpResponse::ok("data: no\n\n")
            .with_status(403)
            .with_header("content-type", "text/event-stream")
    }

    /// Answers with the headers that were sent.
    #[get("/headers")]
    async fn headers(&self, context: &HttpContext) -> HttpResponse<ReplyBody> {
        let mut text = String::new();
        for (name, value) in context.headers() {
            let value = String::from_utf8_lossy(value.as_bytes());
            text.extend(["data: ", name.as_str(), "=", &*value, "\n"]);
        }
        HttpResponse::ok(ReplyBody::full(text + "\n"))
            .with_header("content-type", "text/event-stream")
    }

    #[post("/upload")]
    async fn upload(&self, #[body] body: Bytes) -> String {
        format!("{} bytes", body.len())
    }
}

/// The application of [`Shop`].
pub(crate) fn shop() -> TestAppBuilder {
    let options = HttpOptions::new().host("127.0.0.1").port(0);
    TestApp::builder(Graph::empty())
        .provide::<Feed>()
        .provide::<Shop>()
        .plugin(HttpPlugin::new(options).controller::<Shop>())
}
