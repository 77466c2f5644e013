//! The time everything in an application goes by.

use std::{
    fmt,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant, SystemTime},
};

use pin_project_lite::pin_project;

use crate::__private::BoxFuture;

/// What time it is, and how to wait: everything in Znight that waits goes by the clock of its
/// application.
///
/// That is the clock of the system unless [`ApplicationBuilder::clock`] sets another one. A test
/// sets one that it moves itself (`TestClock` of `znight-testing`), so that what would take an hour
/// is over at once, and code of the application that waits by the same clock takes part in that:
/// inject `Arc<Clock>`.
///
/// Cheap to clone: a handle. The clock of the system is that of tokio: it needs a runtime with its
/// timer, and a runtime whose clock is paused is seen as such. [`Duration::MAX`] means *never*
/// everywhere, and costs no timer.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::time::Duration;
/// use znight_core::Clock;
///
/// let clock = Clock::system();
/// let before = clock.now();
/// clock.sleep(Duration::from_millis(2)).await;
/// assert!(clock.now() - before >= Duration::from_millis(2));
///
/// let late = clock.timeout(Duration::from_millis(2), std::future::pending::<()>()).await;
/// assert!(late.is_err());
/// # }
/// ```
///
/// [`ApplicationBuilder::clock`]: crate::ApplicationBuilder::clock
#[derive(Clone, Default)]
pub struct Clock(Kind);

#[derive(Clone, Default)]
enum Kind {
    #[default]
    System,
    Driven(Arc<dyn TimeSource>),
}

/// Another time than that of the system: see [`Clock::driven`].
///
/// The three must agree: a sleep until `t` is over when, and only when, `now` has reached `t`.
pub trait TimeSource: Send + Sync + 'static {
    /// A time that never goes backwards.
    fn now(&self) -> Instant;

    /// The time of the day.
    fn system_time(&self) -> SystemTime;

    /// Waits until `now` has reached the deadline. Dropping the future gives the wait up.
    fn sleep_until(&self, deadline: Instant) -> BoxFuture<'static, ()>;
}

impl Clock {
    /// The clock of the system, by the timer of tokio.
    pub const fn system() -> Self {
        Self(Kind::System)
    }

    /// A clock that goes by `source`, such as one a test moves.
    pub fn driven(source: Arc<dyn TimeSource>) -> Self {
        Self(Kind::Driven(source))
    }

    /// A time that never goes backwards, to measure how long something took.
    pub fn now(&self) -> Instant {
        match &self.0 {
            Kind::System => tokio::time::Instant::now().into_std(),
            Kind::Driven(source) => source.now(),
        }
    }

    /// The time of the day, which may jump when the system is set to another one.
    pub fn system_time(&self) -> SystemTime {
        match &self.0 {
            Kind::System => SystemTime::now(),
            Kind::Driven(source) => source.system_time(),
        }
    }

    /// Waits this long from now on, for ever if it is longer than a clock can tell.
    ///
    /// # Panics
    /// The clock of the system: outside of a tokio runtime with a timer.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        if duration == Duration::MAX {
            return Sleep::of(Waiting::Never);
        }
        match self.now().checked_add(duration) {
            Some(deadline) => self.sleep_until(deadline),
            None => Sleep::of(Waiting::Never),
        }
    }

    /// Waits until [`now`](Self::now) has reached the deadline.
    ///
    /// # Panics
    /// As [`sleep`](Self::sleep).
    pub fn sleep_until(&self, deadline: Instant) -> Sleep {
        Sleep::of(match &self.0 {
            Kind::System => Waiting::System {
                sleep: tokio::time::sleep_until(deadline.into()),
            },
            Kind::Driven(source) => Waiting::Driven {
                sleep: source.sleep_until(deadline),
            },
        })
    }

    /// Runs a future for no longer than this, counted from the call. It is polled at least once.
    ///
    /// # Errors
    /// [`Elapsed`] when the time is over first; the future is dropped then.
    ///
    /// # Panics
    /// As [`sleep`](Self::sleep).
    pub fn timeout<F: Future>(
        &self,
        duration: Duration,
        future: F,
    ) -> impl Future<Output = Result<F::Output, Elapsed>> + use<F> {
        let limit = match &self.0 {
            _ if duration == Duration::MAX => Limit::None { future },
            // As tokio does it: a future that is always ready to go on does not outrun its limit.
            Kind::System => Limit::System {
                timeout: tokio::time::timeout(duration, future),
            },
            Kind::Driven(_) => Limit::Driven {
                future,
                sleep: self.sleep(duration),
            },
        };
        async move {
            match limit {
                Limit::None { future } => Ok(future.await),
                Limit::System { timeout } => timeout.await.map_err(|_| Elapsed(())),
                Limit::Driven { future, sleep } => {
                    let (mut future, mut sleep) = (pin!(future), pin!(sleep));
                    poll_fn(|cx| match future.as_mut().poll(cx) {
                        Poll::Ready(output) => Poll::Ready(Ok(output)),
                        Poll::Pending => sleep.as_mut().poll(cx).map(|()| Err(Elapsed(()))),
                    })
                    .await
                }
            }
        }
    }
}

enum Limit<F> {
    None { future: F },
    System { timeout: tokio::time::Timeout<F> },
    Driven { future: F, sleep: Sleep },
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::System => "Clock(system)",
            Kind::Driven(_) => "Clock(driven)",
        })
    }
}

pin_project! {
    /// A wait: see [`Clock::sleep`].
    #[must_use = "a sleep waits when it is awaited"]
    pub struct Sleep {
        #[pin]
        waiting: Waiting,
    }
}

pin_project! {
    #[project = WaitingProjection]
    enum Waiting {
        Never,
        System { #[pin] sleep: tokio::time::Sleep },
        Driven { sleep: BoxFuture<'static, ()> },
    }
}

impl Sleep {
    fn of(waiting: Waiting) -> Self {
        Self { waiting }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.project().waiting.project() {
            WaitingProjection::Never => Poll::Pending,
            WaitingProjection::System { sleep } => sleep.poll(cx),
            WaitingProjection::Driven { sleep } => sleep.as_mut().poll(cx),
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sleep(..)")
    }
}

/// The time of a [`Clock::timeout`] is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed(());

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time is over")
    }
}

impl std::error::Error for Elapsed {}
