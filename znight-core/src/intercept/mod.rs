//! Interceptors: code around the methods of a provider.

mod args;
mod asynchronous;
mod call;
mod interceptors;
mod kinds;
mod options;
mod synchronous;

pub use self::{
    args::{Arg, Argument},
    asynchronous::{Invocation, MethodInterceptor, call_async, link, taking},
    call::{Method, Rejected, Returned},
    interceptors::Interceptors,
    kinds::{No, Of, Otherwise, OtherwiseFails, ResultFails, Yes},
    options::{Assign, Made, made, made_once},
    synchronous::{SyncInvocation, SyncMethodInterceptor, call_sync, sync_link},
};

/// The inner end of a chain: the method itself.
#[derive(Debug, Clone, Copy)]
pub struct End;
