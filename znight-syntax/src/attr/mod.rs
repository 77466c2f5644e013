//! The arguments of one attribute.

mod argument;
mod options;
mod provider;
mod route;

pub use argument::{Argument, Values};
pub use options::{Opt, OptValue, options};
pub use provider::{Declared, ProviderArgs, ProvidesArgs, injectable_args, provides_args};
pub use route::{ControllerArgs, PathArg, Verb, controller_args, route_path};
