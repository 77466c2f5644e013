//! Interceptors of async methods.

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
use crate::__private::BoxFuture;

/// Wraps calls of async methods: sees and changes the arguments before the call and the result after it,
/// and may answer without it.
///
/// An interceptor is a provider; `#[intercept(Timing)]` on a method of another provider puts it around that
/// method. What stands behind its name there goes into its options: `#[intercept(Timing, label = "users.find")]`.
/// For methods that are not async there is [`SyncMethodInterceptor`](crate::SyncMethodInterceptor).
///
/// ```
/// use std::time::Instant;
/// use znight_core::{Invocation, MethodInterceptor, Returned};
///
/// struct Timing;
///
/// #[derive(Default)]
/// struct TimingOptions {
///     pub label: Option<String>,
/// }
///
/// impl MethodInterceptor for Timing {
///     type Options = TimingOptions;
///
///     async fn intercept(&self, call: &mut Invocation<'_>, options: &TimingOptions) -> Returned {
///         let start = Instant::now();
///         let returned = call.proceed().await;
///         let label = options.label.as_deref().unwrap_or(call.method());
///         println!("{label} took {:?}, failed: {}", start.elapsed(), call.has_failed());
///         returned
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not intercept async methods",
    label = "not a `MethodInterceptor`",
    note = "implement `MethodInterceptor` for it: `async fn intercept(&self, call: &mut Invocation<'_>, options: &Self::Options) -> Returned`"
)]
pub trait MethodInterceptor: Send + Sync + 'static {
    /// What may be set where it is used: a struct with public fields, `()` for nothing.
    type Options: Default + Send + Sync + 'static;

    /// Calls [`proceed`](Invocation::proceed), or [`answer`](Invocation::answer)s, and returns the proof
    /// of it.
    fn intercept(
        &self,
        call: &mut Invocation<'_>,
        options: &Self::Options,
    ) -> impl Future<Output = Returned> + Send;
}

/// One call of an intercepted async method, as one of its interceptors sees it.
pub struct Invocation<'a> {
    method: &'static Method,
    type_name: &'static str,
    target: &'a (dyn Any + Send + Sync),
    rest: &'a dyn Links,
    frame: &'a mut (dyn AsyncCall + 'a),
}

impl<'a> Invocation<'a> {
    accessors!();

    /// Whether the method is async: it is. What is written for both kinds asks.
    pub fn is_async(&self) -> bool {
        true
    }

    /// Runs the inner interceptors and the method, which takes the arguments.
    ///
    /// # Panics
    /// The second time: the arguments are gone. See [`proceed_with_clones`](Self::proceed_with_clones).
    pub async fn proceed(&mut self) -> Returned {
        self.rest.run(self.inner()).await
    }

    /// The same with clones of the arguments, so that it may be repeated. `None`, and nothing is run, when
    /// one of the arguments cannot be cloned.
    ///
    /// ```
    /// use znight_core::{Invocation, MethodInterceptor, Returned};
    ///
    /// struct Retry;
    ///
    /// #[derive(Default)]
    /// struct RetryOptions { pub times: u32 }
    ///
    /// impl MethodInterceptor for Retry {
    ///     type Options = RetryOptions;
    ///
    ///     async fn intercept(&self, call: &mut Invocation<'_>, options: &RetryOptions) -> Returned {
    ///         for _ in 0..options.times {
    ///             match call.proceed_with_clones().await {
    ///                 Some(returned) if !call.has_failed() => return returned,
    ///                 Some(_) => {}
    ///                 None => break,
    ///             }
    ///         }
    ///         call.proceed().await
    ///     }
    /// }
    /// ```
    pub async fn proceed_with_clones(&mut self) -> Option<Returned> {
        if !self.frame.keep_clones() {
            return None;
        }
        let returned = self.proceed().await;
        self.frame.bring_back();
        Some(returned)
    }

    fn inner(&mut self) -> Invocation<'_> {
        Invocation {
            method: self.method,
            type_name: self.type_name,
            target: self.target,
            rest: self.rest,
            frame: &mut *self.frame,
        }
    }
}

impl fmt::Debug for Invocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("method", &self.method.name)
            .finish_non_exhaustive()
    }
}

/// A call of an async method.
trait AsyncCall: Call + Send {
    /// Runs the method.
    fn run<'s>(&'s mut self, method: &'static Method) -> BoxFuture<'s, Returned>;
}

impl<A, R, S, D, E, B, F> AsyncCall for Frame<A, R, (S, D, E), B, F>
where
    A: Args + Send,
    R: Send,
    S: AsAny<Option<R>> + Send,
    D: AsDebug<R> + Send,
    E: AsFailure<R> + Send,
    B: FnMut(A) -> F + Send,
    F: Future<Output = R> + Send,
{
    fn run<'s>(&'s mut self, method: &'static Method) -> BoxFuture<'s, Returned> {
        let arguments = self.take(method);
        let running = (self.body)(arguments);
        let result = &mut self.result;
        Box::pin(async move {
            *result = Some(running.await);
            Returned::new()
        })
    }
}

/// Says what a body takes, which its parameters have to be known by.
pub fn taking<A, O, B: FnMut(A) -> O>(_: &A, body: B) -> B {
    body
}

/// What is left of a chain from the point of view of one interceptor.
trait Links: Sync {
    fn run<'s>(&'s self, call: Invocation<'s>) -> BoxFuture<'s, Returned>;
}

impl Links for End {
    fn run<'s>(&'s self, call: Invocation<'s>) -> BoxFuture<'s, Returned> {
        call.frame.run(call.method)
    }
}

/// An interceptor of an async method, and those inside it.
pub struct Chain<'a, I: MethodInterceptor, Rest> {
    /// `None` in an instance that was built without it.
    interceptor: Option<&'a I>,
    options: Made<'a, I::Options>,
    rest: Rest,
}

/// An interceptor of an instance, with the options its attribute sets.
pub fn link<'a, I: MethodInterceptor, Rest>(
    interceptors: &'a Interceptors,
    options: Made<'a, I::Options>,
    rest: Rest,
) -> Chain<'a, I, Rest> {
    Chain {
        interceptor: interceptors.find(),
        options,
        rest,
    }
}

impl<I: MethodInterceptor, Rest: Links> Links for Chain<'_, I, Rest> {
    fn run<'s>(&'s self, call: Invocation<'s>) -> BoxFuture<'s, Returned> {
        let Some(interceptor) = self.interceptor else {
            return self.rest.run(call);
        };
        Box::pin(async move {
            let mut call = Invocation {
                rest: &self.rest,
                ..call
            };
            interceptor.intercept(&mut call, self.options.get()).await
        })
    }
}

impl<I: MethodInterceptor, Rest> fmt::Debug for Chain<'_, I, Rest> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chain(..)")
    }
}

/// Calls an async method through its interceptors.
#[allow(private_bounds, reason = "generated code gives what has them")]
pub async fn call_async<'a, T, A, R, S, D, E, B, F, L>(
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
    A: Args + Send,
    R: Send,
    S: AsAny<Option<R>> + Send,
    D: AsDebug<R> + Send,
    E: AsFailure<R> + Send,
    B: FnMut(A) -> F + Send,
    F: Future<Output = R> + Send,
    L: Links,
{
    let links = links(interceptors);
    let mut frame = Frame::<_, _, _, _, F>::new(arguments, kind, body);
    let call = Invocation {
        method,
        type_name: type_name::<T>(),
        target,
        rest: &links,
        frame: &mut frame,
    };
    let _ = links.run(call).await;
    frame.finish(method)
}
