//! Calling a handler: one trait and one function for each number of arguments, and the choice of
//! what its return type means.
//!
//! The glue the macros print has no coroutine of its own: the method's future is boxed with what
//! turns its output into a reply. The output's kind (a `Result`? of an `Option`? with an error that
//! knows its reply?) is chosen by method lookup on references: the most specific implementation is
//! the one found through the most of them.

use std::{
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use znight_core::__private::BoxFuture;

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

macro_rules! arities {
    ($($handler:ident $call:ident $out:ident ($($A:ident $a:ident),*);)*) => {
        $(
            #[doc = concat!("A method of a controller with ", stringify!($call), "'s number of arguments.")]
            #[diagnostic::on_unimplemented(
                message = "this method cannot be a handler",
                note = "a handler takes `&self` and owned arguments"
            )]
            pub trait $handler<'a, C: 'a, $($A),*>: Send + 'static {
                /// What it returns.
                type Out;
                /// Its future.
                type Fut: Future<Output = Self::Out> + 'a;
                /// Calls it.
                #[allow(clippy::too_many_arguments, reason = "one for each of the handler")]
                fn call(self, c: &'a C, $($a: $A),*) -> Self::Fut;
            }

            #[diagnostic::do_not_recommend]
            impl<'a, C: 'a, $($A,)* F, Fut> $handler<'a, C, $($A),*> for F
            where
                F: FnOnce(&'a C, $($A),*) -> Fut + Send + 'static,
                Fut: Future + 'a,
            {
                type Out = Fut::Output;
                type Fut = Fut;

                fn call(self, c: &'a C, $($a: $A),*) -> Fut {
                    self(c, $($a),*)
                }
            }

            /// The return type of a method.
            pub fn $out<C, $($A,)* Out, F>(_: &F) -> OutTag<Out>
            where
                C: 'static,
                F: for<'a> $handler<'a, C, $($A,)* Out = Out>,
            {
                OutTag(PhantomData)
            }

            /// Calls a method and answers what it returns.
            ///
            /// # Errors
            /// Never: the signature is that of every call.
            #[allow(clippy::too_many_arguments, reason = "one for each of the handler")]
            pub fn $call<'a, C, $($A,)* F, K, M>(c: &'a C, method: F, $($a: $A,)* _: K) -> Called<'a>
            where
                F: $handler<'a, C, $($A),*>,
                // Apart from the trait, so that rustc tells what keeps the future on its thread.
                F::Fut: Send,
                F::Out: 'static,
                K: Finish<F::Out, M> + 'static,
                M: 'static,
            {
                Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
                    future: method.call(c, $($a),*),
                    kind: PhantomData,
                })))
            }
        )*
    };
}

arities! {
    Handler0 call0 out0 ();
    Handler1 call1 out1 (A0 a0);
    Handler2 call2 out2 (A0 a0, A1 a1);
    Handler3 call3 out3 (A0 a0, A1 a1, A2 a2);
    Handler4 call4 out4 (A0 a0, A1 a1, A2 a2, A3 a3);
    Handler5 call5 out5 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4);
    Handler6 call6 out6 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5);
    Handler7 call7 out7 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6);
    Handler8 call8 out8 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6, A7 a7);
    Handler9 call9 out9 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6, A7 a7, A8 a8);
    Handler10 call10 out10 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6, A7 a7, A8 a8, A9 a9);
    Handler11 call11 out11 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6, A7 a7, A8 a8, A9 a9, A10 a10);
    Handler12 call12 out12 (A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6, A7 a7, A8 a8, A9 a9, A10 a10, A11 a11);
}
