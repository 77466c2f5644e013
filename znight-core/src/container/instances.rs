//! The singletons there are, one by one.

use std::{
    fmt,
    sync::{Arc, PoisonError},
};

use super::{Container, Inner, dispose::run_hook, slot::SlotId};
use crate::{error::Error, graph::Source};

/// A singleton the container has made; see [`Container::instances`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), znight_core::Error> {
/// use znight_core::{Container, Definition, Graph};
///
/// struct Pool;
///
/// let container = Container::new(Graph::empty())?;
/// container.provide_definition(Definition::<Pool>::new(|| Pool))?;
/// container.init().await?;
/// let instances = container.instances();
/// assert_eq!(instances[0].display_name(), "Pool");
/// assert!(instances[0].get::<Pool>().is_some());
/// # Ok(())
/// # }
/// ```
pub struct ManagedInstance {
    container: Arc<Inner>,
    slot: SlotId,
}

impl ManagedInstance {
    /// The token of its provider: `shop::users::UserService`.
    pub fn token(&self) -> &str {
        self.container
            .plan()
            .map_or("", |plan| &plan.slot(self.slot).token)
    }

    /// The short name of its provider: `UserService`.
    pub fn display_name(&self) -> &str {
        self.container
            .plan()
            .map_or("", |plan| &plan.slot(self.slot).display)
    }

    /// Where its provider is declared, when the build kept the places.
    pub fn place(&self) -> Option<Source> {
        self.container.plan().ok()?.slot(self.slot).source
    }

    /// The instance, as its own type or as a trait it is handed out as; `None` for any other.
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let plan = self.container.plan().ok()?;
        let instance = plan.cells[self.slot as usize].get()?.as_ref()?;
        instance.handed_out_as()
    }

    /// Disposes it, unless that has been done; the application does not do it once more.
    ///
    /// # Errors
    /// ZNIGHT021 when its disposal fails.
    pub async fn dispose(&self) -> Result<(), Error> {
        if !self.container.release(self.slot) {
            return Ok(());
        }
        let plan = self.container.plan()?;
        let slot = plan.slot(self.slot);
        match (&slot.hooks.dispose, plan.cells[self.slot as usize].get()) {
            (Some(dispose), Some(Some(instance))) => {
                run_hook(slot, "dispose", dispose, instance).await
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for ManagedInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManagedInstance")
            .field(&self.token())
            .finish()
    }
}

impl Container {
    /// The singletons the container has made, in resolution order: dependencies first. Without values
    /// that were supplied ready-made, and without those that have been disposed.
    pub fn instances(&self) -> Vec<ManagedInstance> {
        let Ok(container) = self.shared() else {
            return Vec::new();
        };
        let created = container
            .created
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .unwrap_or_default();
        let instances = container.instances();
        let created = instances.iter().filter(|(id, ..)| created.contains(id));
        created
            .map(|(slot, ..)| ManagedInstance {
                container: Arc::clone(&container),
                slot: *slot,
            })
            .collect()
    }
}

impl Inner {
    /// Takes an instance out of what is to be disposed; `false` when it is not there.
    fn release(&self, slot: SlotId) -> bool {
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(created) = created.as_mut() else {
            return false;
        };
        let before = created.len();
        created.retain(|id| *id != slot);
        created.len() < before
    }
}
