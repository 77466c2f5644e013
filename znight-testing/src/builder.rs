//! Putting the application of a test together.

use std::{sync::Arc, time::Duration};

use znight_core::{
    Application, ApplicationBuilder, BoxError, Clock, Container, Definition, Error, Graph, Plugin,
    Provided, Root,
};

use crate::{TestApp, exchange::Panics};

/// What the application of a test consists of; see [`TestApp::builder`].
///
/// Unless told otherwise, only what the entry points of the graph (controllers, consumers, jobs),
/// the overrides and the plugins need is created.
#[must_use = "a builder does nothing until `.start()`"]
#[derive(Debug)]
pub struct TestAppBuilder {
    application: ApplicationBuilder,
    panics: Panics,
}

impl TestAppBuilder {
    pub(crate) fn new(graph: Graph) -> Self {
        Self {
            application: Application::builder(graph)
                .signals(false)
                .in_memory(true)
                .only_entry_points(),
            panics: Panics::GoOn,
        }
    }

    fn map(self, change: impl FnOnce(ApplicationBuilder) -> ApplicationBuilder) -> Self {
        Self {
            application: change(self.application),
            ..self
        }
    }

    /// Lets plugins open sockets and subscribe to brokers, as in production: for a test that needs a
    /// real connection. Give the HTTP plugin port 0 then.
    pub fn listen(self) -> Self {
        self.map(|application| application.in_memory(false))
    }

    /// Adds a plugin.
    pub fn plugin(self, plugin: impl Plugin) -> Self {
        self.map(|application| application.plugin(plugin))
    }

    /// The time the application goes by, usually that of a [`TestClock`](crate::TestClock).
    pub fn clock(self, clock: Clock) -> Self {
        self.map(|application| application.clock(clock))
    }

    /// Adds a provider of the test itself: an `#[injectable]` fake.
    pub fn provide<T: Provided>(self) -> Self {
        self.map(ApplicationBuilder::provide::<T>)
    }

    /// Supplies a value: for an external, or in place of what the graph provides.
    pub fn provide_value<T: ?Sized + Send + Sync + 'static>(self, value: Arc<T>) -> Self {
        self.map(|application| application.provide_value(value))
    }

    /// Hands out a value for `T`, usually a `dyn Trait`, whoever provides it. What only the
    /// replaced provider needed is not created.
    pub fn override_value<T: ?Sized + Send + Sync + 'static>(self, value: Arc<T>) -> Self {
        self.map(|application| application.override_value(value))
    }

    /// Hands out a value for `T` where the provider of this name was meant.
    pub fn override_named<T: ?Sized + Send + Sync + 'static>(
        self,
        name: impl Into<String>,
        value: Arc<T>,
    ) -> Self {
        self.map(|application| application.override_named(name, value))
    }

    /// Hands out what a function makes for `T`, for as long as what it stands for would live.
    pub fn override_factory<T, F>(self, factory: F) -> Self
    where
        T: ?Sized + Send + Sync + 'static,
        F: Fn(&Container) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    {
        self.map(|application| application.override_factory(factory))
    }

    /// Supplies what a definition makes, for what no attribute reaches.
    pub fn provide_definition<T: ?Sized + Send + Sync + 'static>(
        self,
        definition: Definition<T>,
    ) -> Self {
        self.map(|application| application.provide_definition(definition))
    }

    /// Hands out a value for the provider with a token: `shop::users::UserService`.
    pub fn override_token<T: ?Sized + Send + Sync + 'static>(
        self,
        token: impl Into<String>,
        value: Arc<T>,
    ) -> Self {
        self.map(|application| application.override_token(token, value))
    }

    /// Hands out what a definition makes for `T`: a fake with a scope, dependencies or hooks of its
    /// own.
    pub fn override_definition<T, D>(self, definition: Definition<D>) -> Self
    where
        T: ?Sized + Send + Sync + 'static,
        D: ?Sized + Send + Sync + 'static,
    {
        self.map(|application| application.override_definition::<T, D>(definition))
    }

    /// Hands out a provider of the test, an `#[injectable(as(..))]` fake, for `T`.
    pub fn override_provider<T, P>(self) -> Self
    where
        T: ?Sized + Send + Sync + 'static,
        P: Provided,
    {
        self.map(ApplicationBuilder::override_provider::<T, P>)
    }

    /// How long the stop may take altogether: 10 s unless set. [`Duration::MAX`] is no limit.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.map(|application| application.timeout(timeout))
    }

    /// How long each hook of the stop may take: 5 s unless set. [`Duration::MAX`] is no limit.
    pub fn hook_timeout(self, timeout: Duration) -> Self {
        self.map(|application| application.hook_timeout(timeout))
    }

    /// Creates what these lead to instead of the entry points of the graph, besides the overrides
    /// and what plugins need.
    pub fn only(self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.map(|application| application.only(roots))
    }

    /// Creates everything, as the application itself does.
    pub fn everything(self) -> Self {
        self.map(ApplicationBuilder::everything)
    }

    /// Answers panics of handlers with a 500, as in production: for a test of just that. Otherwise a
    /// panic goes on in the test that sent the request.
    pub fn answer_panics(self) -> Self {
        Self {
            panics: Panics::Answered,
            ..self
        }
    }

    /// Creates the application and does not start it: its providers exist and it answers in memory, but
    /// no start hook has run. [`TestApp::start`] goes on.
    ///
    /// # Errors
    /// Those of [`ApplicationBuilder::build`].
    pub async fn build(self) -> Result<TestApp, Error> {
        let application = self.application.build().await?;
        Ok(TestApp::new(application, self.panics))
    }

    /// Creates the application and starts it. Signals do not stop it.
    ///
    /// # Errors
    /// Those of [`ApplicationBuilder::build`] and [`Application::start`].
    pub async fn start(self) -> Result<TestApp, Error> {
        let application = self.application.build().await?;
        application.start().await?;
        Ok(TestApp::new(application, self.panics))
    }
}
