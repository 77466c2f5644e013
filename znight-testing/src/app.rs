//! The application of a test.

use std::sync::Arc;

use http::Method;
use znight_core::{
    Application, ApplicationState, Container, Error, ErrorCode, Graph, Hooks,
    capability::InMemoryRequests,
};

use crate::{TestAppBuilder, TestRequest, exchange::Panics};

/// An application that runs for one test.
///
/// Requests go through the whole pipeline of the HTTP plugin, without a socket. End the test with
/// [`close`](Self::close): dropping the application begins its stop as well, but waits for nothing
/// and reports nothing.
#[derive(Debug)]
pub struct TestApp {
    application: Application,
    pub(crate) panics: Panics,
}

impl TestApp {
    /// Begins the application of a test.
    pub fn builder(graph: Graph) -> TestAppBuilder {
        TestAppBuilder::new(graph)
    }

    pub(crate) fn new(application: Application, panics: Panics) -> Self {
        Self {
            application,
            panics,
        }
    }

    /// A request with method GET. The target is a path with or without a query.
    pub fn get(&self, target: &str) -> TestRequest<'_> {
        self.request(Method::GET, target)
    }

    /// A request with method POST.
    pub fn post(&self, target: &str) -> TestRequest<'_> {
        self.request(Method::POST, target)
    }

    /// A request with method PUT.
    pub fn put(&self, target: &str) -> TestRequest<'_> {
        self.request(Method::PUT, target)
    }

    /// A request with method PATCH.
    pub fn patch(&self, target: &str) -> TestRequest<'_> {
        self.request(Method::PATCH, target)
    }

    /// A request with method DELETE.
    pub fn delete(&self, target: &str) -> TestRequest<'_> {
        self.request(Method::DELETE, target)
    }

    /// A request with method HEAD.
    pub fn head(&self, target: &str) -> TestRequest<'_> {
        self.request(Method::HEAD, target)
    }

    /// A request with method OPTIONS.
    pub fn options(&self, target: &str) -> TestRequest<'_> {
        self.request(Method::OPTIONS, target)
    }

    /// A request with any method.
    pub fn request(&self, method: Method, target: &str) -> TestRequest<'_> {
        TestRequest::new(self, method, target)
    }

    /// Starts an application that was only [built](TestAppBuilder::build).
    ///
    /// # Errors
    /// Those of [`Application::start`]: ZNIGHT021 when it has been started already.
    pub async fn start(&self) -> Result<(), Error> {
        self.application.start().await
    }

    /// Why there is what the container gives for `T`, or why there is nothing: see
    /// [`Container::why`]. Print it in a test that creates more than it should, or less.
    pub fn why<T: ?Sized + Send + Sync + 'static>(&self) -> String {
        self.container().why::<T>()
    }

    /// The container.
    pub fn container(&self) -> &Container {
        self.application.container()
    }

    /// The event bus.
    pub fn hooks(&self) -> &Arc<Hooks> {
        self.application.hooks()
    }

    /// The application itself.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// Stops the application. A second call gives the outcome of the first.
    ///
    /// # Errors
    /// Those of [`Application::stop`].
    pub async fn close(&self) -> Result<(), Error> {
        self.application.stop().await
    }

    /// What answers requests.
    pub(crate) fn pipeline(&self) -> Result<Arc<dyn InMemoryRequests>, Error> {
        let state = self.application.state();
        if matches!(state, ApplicationState::Stopped | ApplicationState::Failed) {
            return Err(Error::new(
                ErrorCode::LifecycleFailed,
                format!("the application answers no requests: it is {state}"),
            )
            .with_hint("close it at the end of the test"));
        }
        self.application
            .capability::<dyn InMemoryRequests>()
            .ok_or_else(|| {
                Error::new(
                    ErrorCode::MissingProvider,
                    "no plugin of this application answers requests",
                )
                .with_hint("add `HttpPlugin::default()` to the test application")
            })
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if matches!(
            self.application.state(),
            ApplicationState::Created | ApplicationState::Starting | ApplicationState::Ready
        ) {
            tracing::warn!(
                target: "znight::testing",
                "a test application was dropped without `close().await`: failures of its stop are lost"
            );
            drop(self.application.stop());
        }
    }
}
