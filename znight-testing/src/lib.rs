//! Tests of Znight applications and of their providers, in memory.
//!
//! A [`TestBed`] makes one provider, in front of mocks. A [`TestApp`] is the application with some of its parts replaced, answering requests without a
//! socket:
//!
//! ```
//! # use std::sync::Arc;
//! # use bytes::Bytes;
//! # use znight_core::{Graph, Plugin, PluginContext, Result, __private::BoxFuture, capability::InMemoryRequests};
//! # struct HttpPlugin;
//! # impl InMemoryRequests for HttpPlugin {
//! #     fn handle(&self, _: http::Request<Bytes>) -> BoxFuture<'_, http::Response<Bytes>> {
//! #         Box::pin(async { http::Response::builder().status(404).body(Bytes::new()).unwrap() })
//! #     }
//! # }
//! # impl Plugin for HttpPlugin {
//! #     fn name(&self) -> &'static str { "http" }
//! #     async fn register(&self, context: &PluginContext) -> Result {
//! #         context.offer::<dyn InMemoryRequests>(Arc::new(HttpPlugin));
//! #         Ok(())
//! #     }
//! # }
//! # trait UserRepository: Send + Sync {}
//! # struct EmptyUsers;
//! # impl UserRepository for EmptyUsers {}
//! # mod shop { pub fn graph() -> znight_core::Graph { znight_core::Graph::empty() } }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result {
//! use znight_testing::TestApp;
//!
//! let app = TestApp::builder(shop::graph())
//!     .plugin(HttpPlugin)
//!     .override_value::<dyn UserRepository>(Arc::new(EmptyUsers))
//!     .start()
//!     .await?;
//! let res = app.get("/users/7").await?;
//! assert_eq!(res.status(), 404);
//! app.close().await?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod app;
mod bed;
mod builder;
mod clock;
mod cookie;
mod events;
mod exchange;
mod multipart;
mod recorded;
mod request;
mod response;
mod stream;

pub use app::TestApp;
pub use bed::{Aop, TestBed, TestBedBuilder};
pub use builder::TestAppBuilder;
pub use clock::TestClock;
pub use cookie::TestCookie;
#[doc(hidden)]
pub use events::read_events;
pub use events::{TestEvent, TestEvents};
pub use multipart::Form;
pub use recorded::assert_recorded_graph;
pub use request::TestRequest;
pub use response::TestResponse;
pub use stream::TestStream;
pub use znight_core::__private::Mockable;
