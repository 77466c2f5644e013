//! The application as its own parts see it.

use std::{fmt, sync::Weak};

use super::{Application, ApplicationState, Shared};
use crate::error::Error;

/// The application, for its providers and plugins: it does not keep it alive.
///
/// Inject `Arc<ApplicationHandle>` to end the application from within, as a job does that has
/// finished its work.
#[derive(Clone)]
pub struct ApplicationHandle(Weak<Shared>);

impl ApplicationHandle {
    pub(super) fn new(shared: Weak<Shared>) -> Self {
        Self(shared)
    }

    /// The application, while somebody owns it.
    pub fn upgrade(&self) -> Option<Application> {
        self.0.upgrade().map(Application)
    }

    /// Stops the application: see [`Application::stop`]. The stop begins with this call.
    ///
    /// # Errors
    /// As [`Application::stop`].
    pub fn stop(&self) -> impl Future<Output = Result<(), Error>> + Send + use<> {
        let stop = self.upgrade().map(|application| application.stop());
        async move {
            match stop {
                Some(stop) => stop.await,
                None => Ok(()),
            }
        }
    }

    /// How far the application has come. Without an owner it counts as stopped.
    pub fn state(&self) -> ApplicationState {
        self.upgrade()
            .map_or(ApplicationState::Stopped, |application| application.state())
    }
}

impl fmt::Debug for ApplicationHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ApplicationHandle")
            .field(&self.state())
            .finish()
    }
}
