//! One call of an intercepted method, whichever way it is made.

use std::{any::Any, fmt, marker::PhantomData};

use super::{
    args::{ArgList, Args},
    kinds::{AsAny, AsDebug, AsFailure, Failure},
};
use crate::names;

/// An intercepted method.
#[derive(Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// The names of its parameters.
    pub arguments: &'static [&'static str],
}

/// The proof that a call has a result: `proceed` and `answer` give it, every interceptor returns it.
#[must_use = "an interceptor returns it"]
#[derive(Debug)]
pub struct Returned(());

impl Returned {
    pub(super) const fn new() -> Self {
        Self(())
    }
}

/// A value that is not of the type a method returns; see
/// [`Invocation::answer`](crate::Invocation::answer).
pub struct Rejected<T> {
    /// The value.
    pub value: T,
    expected: &'static str,
}

impl<T> fmt::Display for Rejected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the method returns {}, which {} is not",
            names::short(self.expected),
            names::of::<T>()
        )
    }
}

impl<T> fmt::Debug for Rejected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T> std::error::Error for Rejected<T> {}

/// Arguments and result of one call, their types forgotten.
pub(super) trait Call {
    /// The arguments, until the method has them.
    fn arguments(&self) -> Option<&dyn ArgList>;
    fn arguments_mut(&mut self) -> Option<&mut dyn ArgList>;
    /// The `Option<R>` the result goes into, where it may be looked at.
    fn result(&self) -> Option<&dyn Any>;
    fn result_mut(&mut self) -> Option<&mut dyn Any>;
    fn result_type(&self) -> &'static str;
    fn shown(&self) -> Option<&dyn fmt::Debug>;
    fn failure(&self) -> Option<Failure<'_>>;
    /// Puts clones of the arguments aside; `false` when one of them cannot be cloned.
    fn keep_clones(&mut self) -> bool;
    /// Gives the method the arguments that were put aside.
    fn bring_back(&mut self);
}

impl dyn Call + '_ {
    /// The result, when there is one and it is a `T`.
    pub(super) fn returned<T: 'static>(&self) -> Option<&T> {
        self.result()?.downcast_ref::<Option<T>>()?.as_ref()
    }
}

/// Arguments before the call, its result after it, and what leads from one to the other.
///
/// `F` is what the body gives: the future of an async method, which lives as long as the frame.
pub(super) struct Frame<A, R, K, B, F> {
    pub(super) arguments: Option<A>,
    pub(super) result: Option<R>,
    pub(super) kind: K,
    pub(super) body: B,
    /// Clones of the arguments, for who calls the method several times.
    kept: Vec<A>,
    running: PhantomData<fn() -> F>,
}

impl<A: Args, R, K, B, F> Frame<A, R, K, B, F> {
    pub(super) fn new(arguments: A, kind: K, body: B) -> Self {
        Self {
            arguments: Some(arguments),
            result: None,
            kind,
            body,
            kept: Vec::new(),
            running: PhantomData,
        }
    }

    /// The arguments, for the method.
    pub(super) fn take(&mut self, method: &Method) -> A {
        match self.arguments.take() {
            Some(arguments) => arguments,
            None => panic!(
                "an interceptor called `proceed` twice for `{}`: `proceed_with_clones` keeps the arguments",
                method.name
            ),
        }
    }

    /// What the method returns.
    pub(super) fn finish(self, method: &Method) -> R {
        match self.result {
            Some(result) => result,
            None => panic!(
                "an interceptor of `{}` returned the proof of another call",
                method.name
            ),
        }
    }
}

impl<A, R, S, D, E, B, F> Call for Frame<A, R, (S, D, E), B, F>
where
    A: Args,
    S: AsAny<Option<R>>,
    D: AsDebug<R>,
    E: AsFailure<R>,
{
    fn arguments(&self) -> Option<&dyn ArgList> {
        let arguments = self.arguments.as_ref()?;
        Some(arguments)
    }

    fn arguments_mut(&mut self) -> Option<&mut dyn ArgList> {
        let arguments = self.arguments.as_mut()?;
        Some(arguments)
    }

    fn result(&self) -> Option<&dyn Any> {
        self.kind.0.any(&self.result)
    }

    fn result_mut(&mut self) -> Option<&mut dyn Any> {
        self.kind.0.any_mut(&mut self.result)
    }

    fn result_type(&self) -> &'static str {
        std::any::type_name::<R>()
    }

    fn shown(&self) -> Option<&dyn fmt::Debug> {
        self.kind.1.debug(self.result.as_ref()?)
    }

    fn failure(&self) -> Option<Failure<'_>> {
        self.kind.2.failure(self.result.as_ref()?)
    }

    fn keep_clones(&mut self) -> bool {
        let clones = self.arguments.as_ref().and_then(Args::another);
        let kept = clones.is_some();
        self.kept.extend(clones);
        kept
    }

    fn bring_back(&mut self) {
        self.arguments = self.kept.pop();
    }
}

/// Sets the result; the value back when it is of another type.
pub(super) fn answer<T: 'static>(call: &mut dyn Call, value: T) -> Result<Returned, Rejected<T>> {
    let expected = call.result_type();
    match call
        .result_mut()
        .and_then(|result| result.downcast_mut::<Option<T>>())
    {
        Some(result) => {
            *result = Some(value);
            Ok(Returned::new())
        }
        None => Err(Rejected { value, expected }),
    }
}

/// What interceptors of both kinds may ask of a call.
macro_rules! accessors {
    () => {
        /// The name of the method: `find`.
        pub fn method(&self) -> &'static str {
            self.method.name
        }

        /// The path of the type whose method it is: `shop::users::UserService`.
        pub fn type_name(&self) -> &'static str {
            self.type_name
        }

        /// The short name of the type whose method it is: `UserService`.
        pub fn display_name(&self) -> String {
            $crate::names::short(self.type_name)
        }

        /// The instance whose method it is, when it is a `T`.
        pub fn target<T: 'static>(&self) -> Option<&'a T> {
            self.target.downcast_ref()
        }

        /// The arguments, in order. None once the method has been called: it has them.
        pub fn arguments(&self) -> impl Iterator<Item = Argument<'_>> {
            let list = self.frame.arguments();
            let names = list.map_or(&[][..], |_| self.method.arguments);
            names
                .iter()
                .enumerate()
                .map(move |(position, name)| Argument {
                    name,
                    any: list.and_then(|list| list.any(position)),
                    debug: list.and_then(|list| list.debug(position)),
                })
        }

        /// The argument with a name, when it is a `T`. `None` as well for arguments that borrow, and
        /// once the method has been called.
        pub fn argument<T: 'static>(&self, name: &str) -> Option<&T> {
            self.arguments()
                .find(|argument| argument.name == name)?
                .get()
        }

        /// The argument with a name, to be changed before `proceed`: as
        /// [`argument`](Self::argument).
        pub fn argument_mut<T: 'static>(&mut self, name: &str) -> Option<&mut T> {
            let names = self.method.arguments;
            let position = names.iter().position(|known| *known == name)?;
            self.frame
                .arguments_mut()?
                .any_mut(position)?
                .downcast_mut()
        }

        /// The result, once there is one, when it is a `T`: the whole return type, such as
        /// `Result<User, StoreError>`. `None` as well for results that borrow.
        pub fn result<T: 'static>(&self) -> Option<&T> {
            let call: &dyn Call = &*self.frame;
            call.returned()
        }

        /// The result, to be changed: as [`result`](Self::result).
        pub fn result_mut<T: 'static>(&mut self) -> Option<&mut T> {
            self.frame
                .result_mut()?
                .downcast_mut::<Option<T>>()?
                .as_mut()
        }

        /// The result as `Debug` shows it, once there is one; `None` when its type has no `Debug`.
        pub fn shown_result(&self) -> Option<&dyn std::fmt::Debug> {
            self.frame.shown()
        }

        /// Whether there is a result, and it is an `Err`.
        pub fn has_failed(&self) -> bool {
            self.frame.failure().is_some()
        }

        /// The error of a result that is an `Err`, where it can be shown.
        pub fn error(&self) -> Option<&dyn std::fmt::Display> {
            self.frame.failure()?.0
        }

        /// Sets the result: instead of `proceed`, or after it.
        ///
        /// # Errors
        /// The value, when the method returns another type, or one that borrows.
        pub fn answer<T: 'static>(&mut self, value: T) -> Result<Returned, Rejected<T>> {
            answer(&mut *self.frame, value)
        }
    };
}

pub(super) use accessors;
