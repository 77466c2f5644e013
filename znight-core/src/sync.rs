//! Locks and what belongs to a thread: those of std, or those of `shuttle`, which runs threads in every
//! order it can think of. `cargo xtask test shuttle` builds the crate with the latter.

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{Mutex, MutexGuard, RwLock, atomic},
    thread_local,
};

#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{Mutex, MutexGuard, RwLock, atomic},
    thread_local,
};
