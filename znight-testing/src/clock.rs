//! The time of a test, which moves when the test says so.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant, SystemTime},
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::watch,
    task::yield_now,
};
use znight_core::{__private::BoxFuture, Clock, TimeSource};

/// 2024-01-01, midnight UTC.
const DEFAULT_START: Duration = Duration::from_secs(1_704_067_200);

/// How often other tasks are let run before the time goes on without those that do not care.
const ROUNDS: usize = 64;

/// A clock that stands still until the test moves it.
///
/// ```
/// # use std::time::Duration;
/// # use znight_core::{Graph, Result};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result {
/// use znight_testing::{TestApp, TestClock};
///
/// let clock = TestClock::new();
/// let app = TestApp::builder(Graph::empty()).clock(clock.clock()).start().await?;
///
/// let reminder = tokio::spawn(app.application().clock().sleep(Duration::from_secs(3600)));
/// clock.wait_for_sleepers(1).await;
/// clock.advance(Duration::from_secs(3600)).await;
/// reminder.await?;
/// app.close().await?;
/// # Ok(())
/// # }
/// ```
///
/// Only what waits by a [`Clock`] takes part: Znight itself does, the application where it injects
/// `Arc<Clock>`. The timers of sockets and `tokio::time` are not moved.
///
/// Cheap to clone: a handle. It works with every flavour of runtime.
#[derive(Clone)]
pub struct TestClock(Arc<Time>);

struct Time {
    /// Where time was when the clock was made.
    began: Instant,
    began_on: SystemTime,
    state: Mutex<State>,
    /// How many sleep.
    sleeping: watch::Sender<usize>,
}

#[derive(Default)]
struct State {
    elapsed: Duration,
    next: u64,
    /// Who sleeps, by the time they wake and then in the order they fell asleep.
    sleepers: BTreeMap<Key, Waker>,
    /// Who was woken and has not noticed yet.
    woken: BTreeSet<Key>,
}

type Key = (Duration, u64);

impl TestClock {
    /// A clock at midnight UTC of the first of January 2024.
    pub fn new() -> Self {
        Self::at(SystemTime::UNIX_EPOCH + DEFAULT_START)
    }

    /// A clock at this time of the day.
    pub fn at(time: SystemTime) -> Self {
        Self(Arc::new(Time {
            began: Instant::now(),
            began_on: time,
            state: Mutex::default(),
            sleeping: watch::Sender::new(0),
        }))
    }

    /// The clock as an application takes it: [`TestAppBuilder::clock`](crate::TestAppBuilder::clock).
    pub fn clock(&self) -> Clock {
        Clock::driven(Arc::new(self.clone()))
    }

    /// How far it has been moved since it was made.
    pub fn elapsed(&self) -> Duration {
        self.0.state().elapsed
    }

    /// How many sleeps are under way: those that were awaited at least once, and are neither over
    /// nor dropped.
    pub fn sleepers(&self) -> usize {
        *self.0.sleeping.borrow()
    }

    /// Waits until at least this many sleep. It costs no time, but it does not end if they never do.
    ///
    /// Work of the application needs a moment until it sleeps, above all in a runtime with several
    /// threads: wait for it before the time is moved.
    pub async fn wait_for_sleepers(&self, count: usize) {
        // The sender is `self`: it is not dropped while this waits.
        let _ = self
            .0
            .sleeping
            .subscribe()
            .wait_for(|sleeping| *sleeping >= count)
            .await;
    }

    /// Moves the time. Who is due wakes on the way, in the order of the deadlines, each at its own
    /// time, and can do its work and fall asleep again before the time goes on.
    ///
    /// In a runtime with one thread everything has run that can when this returns. In one with
    /// several, who was woken is let run before the time goes on, but may still be at it when this
    /// returns: wait for what should come of it, by awaiting it or with
    /// [`wait_for_sleepers`](Self::wait_for_sleepers).
    ///
    /// # Panics
    /// When a time so far away cannot be told.
    pub async fn advance(&self, by: Duration) {
        // What was spawned just now may want to sleep from now on, not from afterwards.
        round().await;
        let target = self.0.after(by);
        while let Some(due) = self.0.first_due(target) {
            self.move_to(due).await;
        }
        self.0.state().move_to(target);
        round().await;
    }

    /// Moves the time to the deadline that comes first, and wakes everybody whose it is; by how much
    /// it was moved. `None`, and the time stays, when nobody sleeps.
    pub async fn advance_to_next(&self) -> Option<Duration> {
        round().await;
        let before = self.elapsed();
        let due = self.0.first_due(Duration::MAX)?;
        self.move_to(due).await;
        round().await;
        Some(due.saturating_sub(before))
    }

    /// Moves to a deadline, wakes who waits for it, and lets them run.
    async fn move_to(&self, due: Duration) {
        let woken = self.0.wake(due);
        for _ in 0..ROUNDS {
            round().await;
            // A sleep nobody looks at any more, such as one the test itself holds, never notices.
            let state = self.0.state();
            if !woken.iter().any(|key| state.woken.contains(key)) {
                break;
            }
        }
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TestClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClock")
            .field("elapsed", &self.elapsed())
            .field("sleepers", &self.sleepers())
            .finish_non_exhaustive()
    }
}

/// Lets the other tasks run that can.
async fn round() {
    match Handle::try_current() {
        // A task of its own queues behind those just woken; this one may not be a task at all.
        Ok(runtime) if runtime.runtime_flavor() != RuntimeFlavor::CurrentThread => {
            let _ = runtime.spawn(yield_now()).await;
        }
        _ => yield_now().await,
    }
}

impl State {
    fn move_to(&mut self, elapsed: Duration) {
        self.elapsed = self.elapsed.max(elapsed);
    }
}

impl Time {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time a while from now.
    fn after(&self, by: Duration) -> Duration {
        let elapsed = self.state().elapsed.checked_add(by);
        elapsed
            .filter(|elapsed| {
                let instant = self.began.checked_add(*elapsed);
                instant.is_some() && self.began_on.checked_add(*elapsed).is_some()
            })
            .expect("the time `advance` moves to is one the system can tell")
    }

    /// The deadline that comes first, if it is not after this.
    fn first_due(&self, until: Duration) -> Option<Duration> {
        let state = self.state();
        let ((due, _), _) = state.sleepers.first_key_value()?;
        (*due <= until).then_some(*due)
    }

    /// Moves the time, and wakes who is due by then; who that was.
    fn wake(&self, elapsed: Duration) -> Vec<Key> {
        let due = {
            let mut state = self.state();
            state.move_to(elapsed);
            let later = state.sleepers.split_off(&(elapsed, u64::MAX));
            let due = std::mem::replace(&mut state.sleepers, later);
            state.woken.extend(due.keys());
            due
        };
        self.count();
        due.into_iter()
            .map(|(key, waker)| {
                waker.wake();
                key
            })
            .collect()
    }

    /// Tells how many sleep now. Without the lock on the state: what is woken or dropped by this may
    /// want it.
    fn count(&self) {
        self.sleeping.send_if_modified(|count| {
            let now = self.state().sleepers.len();
            std::mem::replace(count, now) != now
        });
    }
}

impl TimeSource for TestClock {
    fn now(&self) -> Instant {
        self.0.began + self.elapsed()
    }

    fn system_time(&self) -> SystemTime {
        self.0.began_on + self.elapsed()
    }

    fn sleep_until(&self, deadline: Instant) -> BoxFuture<'static, ()> {
        Box::pin(Sleeping {
            time: Arc::clone(&self.0),
            deadline: deadline.saturating_duration_since(self.0.began),
            key: None,
        })
    }
}

/// One sleep. It counts from its first poll on.
struct Sleeping {
    time: Arc<Time>,
    deadline: Duration,
    key: Option<Key>,
}

impl Future for Sleeping {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let before = {
            let mut state = this.time.state();
            if state.elapsed >= this.deadline {
                drop(state);
                this.leave();
                return Poll::Ready(());
            }
            let key = *this.key.get_or_insert_with(|| {
                state.next += 1;
                (this.deadline, state.next)
            });
            state.sleepers.insert(key, cx.waker().clone())
        };
        if before.is_none() {
            this.time.count();
        }
        Poll::Pending
    }
}

impl Sleeping {
    /// It is over, or nobody waits for it any more.
    fn leave(&mut self) {
        let Some(key) = self.key.take() else {
            return;
        };
        let waker = {
            let mut state = self.time.state();
            state.woken.remove(&key);
            state.sleepers.remove(&key)
        };
        if waker.is_some() {
            self.time.count();
        }
    }
}

impl Drop for Sleeping {
    fn drop(&mut self) {
        self.leave();
    }
}
