//! Applications to test: built from controllers whose glue is written out.

mod client;
pub(crate) mod glue;
mod log;

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response};
use serde_json::Value;
use znight_core::{Application, ApplicationBuilder, Graph, Provided};
use znight_http::{ControllerOn, HttpOptions, HttpPlugin};

pub(crate) use client::Server;
pub(crate) use log::Log;

/// An application that has booted, and answers in memory.
pub(crate) struct App {
    pub(crate) plugin: Arc<HttpPlugin>,
    /// Kept: the plugin's container is the application's.
    pub(crate) application: Application,
}

impl App {
    /// One controller, with these options.
    pub(crate) async fn of<C: ControllerOn + Provided>(options: HttpOptions) -> Self {
        let plugin = HttpPlugin::new(options).controller::<C>();
        Self::boot(Application::builder(Graph::empty()).provide::<C>(), plugin)
            .await
            .expect("the application boots")
    }

    pub(crate) async fn boot(
        builder: ApplicationBuilder,
        plugin: HttpPlugin,
    ) -> Result<Self, znight_core::Error> {
        let application = builder.signals(false).plugin(plugin).build().await?;
        let plugin = application.plugin().expect("it was added");
        Ok(Self {
            plugin,
            application,
        })
    }

    pub(crate) async fn send(&self, request: Request<Bytes>) -> Reply {
        Reply(self.plugin.inject(request).await.expect("it has booted"))
    }

    pub(crate) async fn get(&self, target: &str) -> Reply {
        self.send(request(Method::GET, target)).await
    }

    pub(crate) async fn call(&self, method: Method, target: &str) -> Reply {
        self.send(request(method, target)).await
    }

    pub(crate) async fn post(&self, target: &str, content_type: &str, body: &str) -> Reply {
        let request = Request::post(target)
            .header("content-type", content_type)
            .body(Bytes::copy_from_slice(body.as_bytes()))
            .expect("a request");
        self.send(request).await
    }

    pub(crate) async fn post_json(&self, target: &str, body: &str) -> Reply {
        self.post(target, "application/json", body).await
    }
}

pub(crate) fn request(method: Method, target: &str) -> Request<Bytes> {
    Request::builder()
        .method(method)
        .uri(target)
        .body(Bytes::new())
        .expect("a request")
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply(pub(crate) Response<Bytes>);

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(self.0.body()).expect("text")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(self.0.body()).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.0
            .headers()
            .get(name)
            .map(|value| value.to_str().expect("text"))
    }

    /// The message of an error body, whose other parts are checked.
    pub(crate) fn message(&self) -> String {
        let body = self.json();
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(body["statusCode"], self.status());
        assert_eq!(
            body["error"],
            self.0.status().canonical_reason().expect("a known status")
        );
        body["message"].as_str().unwrap_or("").to_owned()
    }

    /// The status and the message of an error.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status(), self.message())
    }
}

/// What [`Reply::error`] is compared with.
pub(crate) fn error(status: u16, message: &str) -> (u16, String) {
    (status, message.to_owned())
}
