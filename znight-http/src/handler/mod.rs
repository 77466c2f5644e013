//! Calling a handler: one trait and one function for each number of arguments, and the choice of
//! what its return type means.
//!
//! The glue the macros print has no coroutine of its own: the method's future is boxed with what
//! turns its output into a reply. The output's kind (a `Result`? of an `Option`? with an error that
//! knows its reply?) is chosen by method lookup on references: the most specific implementation is
//! the one found through the most of them.

#[rustfmt::skip]
mod arities;

use std::{
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use znight_core::__private::BoxFuture;

pub use arities::{
    Handler0, Handler1, Handler2, Handler3, Handler4, Handler5, Handler6, Handler7, Handler8,
    Handler9, Handler10, Handler11, Handler12, call0, call1, call2, call3, call4, call5, call6,
    call7, call8, call9, call10, call11, call12, out0, out1, out2, out3, out4, out5, out6, out7,
    out8, out9, out10, out11, out12,
};

use crate::{
    HttpError,
    error::{HandlerError, KnownError},
    reply::{IntoReply, Outcome},
};

/// What the glue of a handler gives: the reply or its future, or the argument that was wrong.
pub type Called<'a> = Result<Answer<'a>, HttpError>;

/// The reply of a handler, now or later.
pub enum Answer<'a> {
    /// The handler is not async.
    Ready(Outcome),
    /// The handler's future.
    Later(BoxFuture<'a, Outcome>),
}

impl std::fmt::Debug for Answer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Ready(..)",
            Self::Later(_) => "Later(..)",
        })
    }
}

/// The return type of a handler, as a value.
#[derive(Debug)]
pub struct OutTag<Out>(PhantomData<fn() -> Out>);

/// The return type of a value at hand.
pub fn out_of<Out>(_: &Out) -> OutTag<Out> {
    OutTag(PhantomData)
}

/// What a return type of some kind becomes.
pub trait Finish<Out, M> {
    /// The reply.
    fn finish(out: Out) -> Outcome;

    /// The reply of a value that borrows nothing.
    fn finish_owned(out: Out) -> Outcome
    where
        Out: 'static;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $by:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub struct $kind;

            $(#[$doc])*
            pub trait $by {
                /// The kind of the return type.
                fn kind(&self) -> $kind {
                    $kind
                }
            }
        )*
    };
}

kinds! {
    /// `Result<Option<T>, E>` whose error knows its reply.
    MaybeKnown ByMaybeKnown;
    /// `Result<Option<T>, E>`.
    Maybe ByMaybe;
    /// `Result<T, E>` whose error knows its reply.
    TriedKnown ByTriedKnown;
    /// `Result<T, E>`.
    Tried ByTried;
    /// `Option<T>`.
    Optional ByOptional;
    /// Any other value.
    Value ByValue;
}

impl<T, E: KnownError> ByMaybeKnown for &&&&&OutTag<Result<Option<T>, E>> {}
impl<T, E> ByMaybe for &&&&OutTag<Result<Option<T>, E>> {}
impl<T, E: KnownError> ByTriedKnown for &&&OutTag<Result<T, E>> {}
impl<T, E> ByTried for &&OutTag<Result<T, E>> {}
impl<T> ByOptional for &OutTag<Option<T>> {}
impl<T> ByValue for OutTag<T> {}

/// `None` as a reply.
fn absent() -> HttpError {
    HttpError::not_found("not found")
}

macro_rules! finish {
    ($kind:ident [$($generics:tt)*] $out:ty, |$value:ident| $body:expr) => {
        impl<T: IntoReply<M>, M, $($generics)*> Finish<$out, M> for $kind {
            fn finish($value: $out) -> Outcome {
                let value: T = $body;
                value.into_reply()
            }

            fn finish_owned($value: $out) -> Outcome
            where
                $out: 'static,
            {
                let value: T = $body;
                value.into_reply_owned()
            }
        }
    };
}

finish!(MaybeKnown [E: KnownError] Result<Option<T>, E>, |out| {
    out.map_err(KnownError::into_http_error)?.ok_or_else(absent)?
});
finish!(Maybe [E: HandlerError] Result<Option<T>, E>, |out| {
    out.map_err(HandlerError::into_unexpected)?.ok_or_else(absent)?
});
finish!(TriedKnown [E: KnownError] Result<T, E>, |out| {
    out.map_err(KnownError::into_http_error)?
});
finish!(Tried [E: HandlerError] Result<T, E>, |out| {
    out.map_err(HandlerError::into_unexpected)?
});
finish!(Optional [] Option<T>, |out| out.ok_or_else(absent)?);
finish!(Value [] T, |out| out);

/// The reply of a value that may borrow.
pub fn finish<Out, K, M>(out: Out, _: K) -> Outcome
where
    K: Finish<Out, M>,
{
    K::finish(out)
}

/// The answer of a handler that is not async.
///
/// # Errors
/// Never: the signature is that of every call.
pub fn sync<'a, Out, K, M>(out: Out, _: K) -> Called<'a>
where
    K: Finish<Out, M>,
{
    Ok(Answer::Ready(K::finish(out)))
}

/// The answer of a future the glue wrote itself.
///
/// # Errors
/// Never: the signature is that of every call.
pub fn boxed<'a>(future: impl Future<Output = Outcome> + Send + 'a) -> Called<'a> {
    Ok(Answer::Later(Box::pin(future)))
}

pin_project! {
    /// A handler's future, whose output becomes a reply.
    struct Finishing<F, K, M> {
        #[pin]
        future: F,
        kind: PhantomData<fn() -> (K, M)>,
    }
}

impl<F, K, M> Future for Finishing<F, K, M>
where
    F: Future<Output: 'static>,
    K: Finish<F::Output, M>,
{
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        Poll::Ready(K::finish_owned(ready!(self.project().future.poll(cx))))
    }
}
