//! Where the parts of the application note what happens to them.

use std::sync::{Mutex, PoisonError};

use znight::injectable;

/// What happened, in order.
#[derive(Debug, Default)]
#[injectable]
pub struct Journal {
    #[init]
    lines: Mutex<Vec<String>>,
}

impl Journal {
    /// Notes a line.
    pub fn note(&self, line: impl Into<String>) {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line.into());
    }

    /// Takes what was noted so far.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
