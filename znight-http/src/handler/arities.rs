//! One trait and two functions for each number of arguments.
// Written by `cargo xtask codegen`; do not edit.

use std::marker::PhantomData;

use super::{Answer, Called, Finish, Finishing, OutTag};

/// A method of a controller with 0 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler0<'a, C: 'a>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    fn call(self, c: &'a C) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, F, Fut> Handler0<'a, C> for F
where
    F: FnOnce(&'a C) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C) -> Fut {
        self(c)
    }
}

/// The return type of a method.
pub fn out0<C, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler0<'a, C, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
pub fn call0<'a, C, F, K, M>(c: &'a C, method: F, _: K) -> Called<'a>
where
    F: Handler0<'a, C>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c),
        kind: PhantomData,
    })))
}

/// A method of a controller with 1 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler1<'a, C: 'a, A0>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    fn call(self, c: &'a C, a0: A0) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, F, Fut> Handler1<'a, C, A0> for F
where
    F: FnOnce(&'a C, A0) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0) -> Fut {
        self(c, a0)
    }
}

/// The return type of a method.
pub fn out1<C, A0, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler1<'a, C, A0, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
pub fn call1<'a, C, A0, F, K, M>(c: &'a C, method: F, a0: A0, _: K) -> Called<'a>
where
    F: Handler1<'a, C, A0>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0),
        kind: PhantomData,
    })))
}

/// A method of a controller with 2 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler2<'a, C: 'a, A0, A1>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    fn call(self, c: &'a C, a0: A0, a1: A1) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, F, Fut> Handler2<'a, C, A0, A1> for F
where
    F: FnOnce(&'a C, A0, A1) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1) -> Fut {
        self(c, a0, a1)
    }
}

/// The return type of a method.
pub fn out2<C, A0, A1, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler2<'a, C, A0, A1, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
pub fn call2<'a, C, A0, A1, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, _: K) -> Called<'a>
where
    F: Handler2<'a, C, A0, A1>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1),
        kind: PhantomData,
    })))
}

/// A method of a controller with 3 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler3<'a, C: 'a, A0, A1, A2>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, F, Fut> Handler3<'a, C, A0, A1, A2> for F
where
    F: FnOnce(&'a C, A0, A1, A2) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2) -> Fut {
        self(c, a0, a1, a2)
    }
}

/// The return type of a method.
pub fn out3<C, A0, A1, A2, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler3<'a, C, A0, A1, A2, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
pub fn call3<'a, C, A0, A1, A2, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, _: K) -> Called<'a>
where
    F: Handler3<'a, C, A0, A1, A2>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2),
        kind: PhantomData,
    })))
}

/// A method of a controller with 4 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler4<'a, C: 'a, A0, A1, A2, A3>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, F, Fut> Handler4<'a, C, A0, A1, A2, A3> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3) -> Fut {
        self(c, a0, a1, a2, a3)
    }
}

/// The return type of a method.
pub fn out4<C, A0, A1, A2, A3, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler4<'a, C, A0, A1, A2, A3, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
pub fn call4<'a, C, A0, A1, A2, A3, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, _: K) -> Called<'a>
where
    F: Handler4<'a, C, A0, A1, A2, A3>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3),
        kind: PhantomData,
    })))
}

/// A method of a controller with 5 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler5<'a, C: 'a, A0, A1, A2, A3, A4>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, F, Fut> Handler5<'a, C, A0, A1, A2, A3, A4> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4) -> Fut {
        self(c, a0, a1, a2, a3, a4)
    }
}

/// The return type of a method.
pub fn out5<C, A0, A1, A2, A3, A4, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler5<'a, C, A0, A1, A2, A3, A4, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call5<'a, C, A0, A1, A2, A3, A4, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, _: K) -> Called<'a>
where
    F: Handler5<'a, C, A0, A1, A2, A3, A4>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4),
        kind: PhantomData,
    })))
}

/// A method of a controller with 6 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler6<'a, C: 'a, A0, A1, A2, A3, A4, A5>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    #[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, A5, F, Fut> Handler6<'a, C, A0, A1, A2, A3, A4, A5> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4, A5) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5) -> Fut {
        self(c, a0, a1, a2, a3, a4, a5)
    }
}

/// The return type of a method.
pub fn out6<C, A0, A1, A2, A3, A4, A5, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler6<'a, C, A0, A1, A2, A3, A4, A5, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call6<'a, C, A0, A1, A2, A3, A4, A5, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, _: K) -> Called<'a>
where
    F: Handler6<'a, C, A0, A1, A2, A3, A4, A5>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4, a5),
        kind: PhantomData,
    })))
}

/// A method of a controller with 7 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler7<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    #[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, F, Fut> Handler7<'a, C, A0, A1, A2, A3, A4, A5, A6> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4, A5, A6) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6) -> Fut {
        self(c, a0, a1, a2, a3, a4, a5, a6)
    }
}

/// The return type of a method.
pub fn out7<C, A0, A1, A2, A3, A4, A5, A6, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler7<'a, C, A0, A1, A2, A3, A4, A5, A6, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call7<'a, C, A0, A1, A2, A3, A4, A5, A6, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, _: K) -> Called<'a>
where
    F: Handler7<'a, C, A0, A1, A2, A3, A4, A5, A6>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4, a5, a6),
        kind: PhantomData,
    })))
}

/// A method of a controller with 8 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler8<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    #[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, F, Fut> Handler8<'a, C, A0, A1, A2, A3, A4, A5, A6, A7> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4, A5, A6, A7) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7) -> Fut {
        self(c, a0, a1, a2, a3, a4, a5, a6, a7)
    }
}

/// The return type of a method.
pub fn out8<C, A0, A1, A2, A3, A4, A5, A6, A7, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler8<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call8<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, _: K) -> Called<'a>
where
    F: Handler8<'a, C, A0, A1, A2, A3, A4, A5, A6, A7>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4, a5, a6, a7),
        kind: PhantomData,
    })))
}

/// A method of a controller with 9 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler9<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    #[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8, F, Fut> Handler9<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4, A5, A6, A7, A8) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8) -> Fut {
        self(c, a0, a1, a2, a3, a4, a5, a6, a7, a8)
    }
}

/// The return type of a method.
pub fn out9<C, A0, A1, A2, A3, A4, A5, A6, A7, A8, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler9<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call9<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, _: K) -> Called<'a>
where
    F: Handler9<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4, a5, a6, a7, a8),
        kind: PhantomData,
    })))
}

/// A method of a controller with 10 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler10<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    #[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, F, Fut> Handler10<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9) -> Fut {
        self(c, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9)
    }
}

/// The return type of a method.
pub fn out10<C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler10<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call10<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, _: K) -> Called<'a>
where
    F: Handler10<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9),
        kind: PhantomData,
    })))
}

/// A method of a controller with 11 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler11<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    #[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, F, Fut> Handler11<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10) -> Fut {
        self(c, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
    }
}

/// The return type of a method.
pub fn out11<C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler11<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call11<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, _: K) -> Called<'a>
where
    F: Handler11<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10),
        kind: PhantomData,
    })))
}

/// A method of a controller with 12 arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler12<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11>: Send + 'static {
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
    #[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11) -> Self::Fut;
}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, F, Fut> Handler12<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11> for F
where
    F: FnOnce(&'a C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11) -> Fut + Send + 'static,
    Fut: Future + 'a,
{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11) -> Fut {
        self(c, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
    }
}

/// The return type of a method.
pub fn out12<C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler12<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, Out = Out>,
{
    OutTag(PhantomData)
}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
#[expect(clippy::too_many_arguments, reason = "one for each of the handler")]
pub fn call12<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, F, K, M>(c: &'a C, method: F, a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, _: K) -> Called<'a>
where
    F: Handler12<'a, C, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {
        future: method.call(c, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11),
        kind: PhantomData,
    })))
}
