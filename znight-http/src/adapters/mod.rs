//! Servers: how requests arrive.

pub(crate) mod hyper;
