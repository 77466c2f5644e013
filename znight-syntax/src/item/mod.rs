//! A whole item under one of our attributes.

pub mod controller;
mod decide;
pub mod injection;
mod inner;
pub mod method;
pub mod provider;

pub use controller::{Controller, Param, ParamSource, Route};
pub use decide::Decide;
pub use injection::{Injection, Wrapper};
pub use method::{Interception, Method, Parameter};
pub use provider::{Construct, Factory, Fields, Provider, Provides};
