//! Interceptors of methods that are not async.

use std::{
    any::{Any, type_name},
    fmt,
};

use super::{
    End, Interceptors,
    args::{Args, Argument},
    call::{Call, Frame, Method, Rejected, Returned, accessors, answer},
    kinds::{AsAny, AsDebug, AsFailure},
    options::Made,
};

/// Wraps calls of methods that are not async: what [`MethodInterceptor`](crate::MethodInterceptor) is for
/// async ones. A type may be both.
///
/// ```
/// use znight_core::{Returned, SyncInvocation, SyncMethodInterceptor};
///
/// struct Doubled;
///
/// impl SyncMethodInterceptor for Doubled {
///     type Options = ();
///
///     fn intercept(&self, call: &mut SyncInvocation<'_>, _: &()) -> Returned {
///         if let Some(count) = call.argument_mut::<u32>("count") {
///             *count *= 2;
///         }
///         call.proceed()
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not intercept methods that are not async",
    label = "not a `SyncMethodInterceptor`",
    note = "implement `SyncMethodInterceptor` for it: `fn intercept(&self, call: &mut SyncInvocation<'_>, options: &Self::Options) -> Returned`"
)]
pub trait SyncMethodInterceptor: Send + Sync + 'static {
    /// What may be set where it is used: a struct with public fields, `()` for nothing.
    type Options: Default + Send + Sync + 'static;

    /// Calls [`proceed`](SyncInvocation::proceed), or [`answer`](SyncInvocation::answer)s, and returns
    /// the proof of it.
    fn intercept(&self, call: &mut SyncInvocation<'_>, options: &Self::Options) -> Returned;
}

/// One call of an intercepted method that is not async, as one of its interceptors sees it.
pub struct SyncInvocation<'a> {
    method: &'static Method,
    type_name: &'static str,
    target: &'a (dyn Any + Send + Sync),
    rest: &'a dyn Links,
    frame: &'a mut (dyn SyncCall + 'a),
}

impl<'a> SyncInvocation<'a> {
    accessors!();

    /// Whether the method is async: it is not. What is written for both kinds asks.
    pub fn is_async(&self) -> bool {
        false
    }

    /// Runs the inner interceptors and the method, which takes the arguments.
    ///
    /// # Panics
    /// The second time: the arguments are gone. See [`proceed_with_clones`](Self::proceed_with_clones).
    pub fn proceed(&mut self) -> Returned {
        self.rest.run(SyncInvocation {
            method: self.method,
            type_name: self.type_name,
            target: self.target,
            rest: self.rest,
            frame: &mut *self.frame,
        })
    }

    /// The same with clones of the arguments, so that it may be repeated. `None`, and nothing is run, when
    /// one of the arguments cannot be cloned.
    pub fn proceed_with_clones(&mut self) -> Option<Returned> {
        if !self.frame.keep_clones() {
            return None;
        }
        let returned = self.proceed();
        self.frame.bring_back();
        Some(returned)
    }
}

impl fmt::Debug for SyncInvocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncInvocation")
            .field("method", &self.method.name)
            .finish_non_exhaustive()
    }
}

/// A call of a method that is not async.
trait SyncCall: Call {
    /// Runs the method.
    fn run(&mut self, method: &'static Method);
}

impl<A, R, S, D, E, B> SyncCall for Frame<A, R, (S, D, E), B, R>
where
    A: Args,
    S: AsAny<Option<R>>,
    D: AsDebug<R>,
    E: AsFailure<R>,
    B: FnMut(A) -> R,
{
    fn run(&mut self, method: &'static Method) {
        let arguments = self.take(method);
        self.result = Some((self.body)(arguments));
    }
}

/// What is left of a chain from the point of view of one interceptor.
trait Links {
    fn run<'s>(&'s self, call: SyncInvocation<'s>) -> Returned;
}

impl Links for End {
    fn run<'s>(&'s self, call: SyncInvocation<'s>) -> Returned {
        call.frame.run(call.method);
        Returned::new()
    }
}

/// An interceptor of a method that is not async, and those inside it.
pub struct SyncChain<'a, I: SyncMethodInterceptor, Rest> {
    /// `None` in an instance that was built without it.
    interceptor: Option<&'a I>,
    options: Made<'a, I::Options>,
    rest: Rest,
}

/// An interceptor of an instance, with the options its attribute sets.
pub fn sync_link<'a, I: SyncMethodInterceptor, Rest>(
    interceptors: &'a Interceptors,
    options: Made<'a, I::Options>,
    rest: Rest,
) -> SyncChain<'a, I, Rest> {
    SyncChain {
        interceptor: interceptors.find(),
        options,
        rest,
    }
}

impl<I: SyncMethodInterceptor, Rest: Links> Links for SyncChain<'_, I, Rest> {
    fn run<'s>(&'s self, call: SyncInvocation<'s>) -> Returned {
        let Some(interceptor) = self.interceptor else {
            return self.rest.run(call);
        };
        let mut call = SyncInvocation {
            rest: &self.rest,
            ..call
        };
        interceptor.intercept(&mut call, self.options.get())
    }
}

impl<I: SyncMethodInterceptor, Rest> fmt::Debug for SyncChain<'_, I, Rest> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SyncChain(..)")
    }
}

/// Calls a method that is not async through its interceptors.
#[allow(private_bounds, reason = "generated code gives what has them")]
pub fn call_sync<'a, T, A, R, S, D, E, B, L>(
    interceptors: &'a Interceptors,
    target: &'a T,
    method: &'static Method,
    kind: (S, D, E),
    arguments: A,
    body: B,
    links: impl FnOnce(&'a Interceptors) -> L,
) -> R
where
    T: Any + Send + Sync,
    A: Args,
    S: AsAny<Option<R>>,
    D: AsDebug<R>,
    E: AsFailure<R>,
    B: FnMut(A) -> R,
    L: Links,
{
    let links = links(interceptors);
    let mut frame = Frame::<_, _, _, _, R>::new(arguments, kind, body);
    let call = SyncInvocation {
        method,
        type_name: type_name::<T>(),
        target,
        rest: &links,
        frame: &mut frame,
    };
    let _ = links.run(call);
    frame.finish(method)
}
