//! The HTTP plugin, driven in memory and over sockets, with glue as the macros print it.

mod arguments;
mod bodies;
mod boot;
mod errors;
mod guards;
mod pipeline;
mod replies;
mod routing;
mod server;
mod support;
