//! Rounds, medians and spreads.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Instant,
};

/// The durations of one candidate, in seconds.
#[derive(Debug, Clone, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Adds one.
    pub fn push(&mut self, seconds: f64) {
        self.0.push(seconds);
    }

    /// How many there are.
    pub fn rounds(&self) -> usize {
        self.0.len()
    }

    /// The one in the middle.
    ///
    /// # Panics
    /// When there is none.
    pub fn median(&self) -> f64 {
        self.quantile(1, 2)
    }

    /// The first and the third quartile.
    ///
    /// # Panics
    /// When there is no sample.
    pub fn quartiles(&self) -> (f64, f64) {
        (self.quantile(1, 4), self.quantile(3, 4))
    }

    /// What is left of each when another candidate, measured in the same round, is taken away.
    #[must_use]
    pub fn minus(&self, part: &Self) -> Self {
        Self(self.0.iter().zip(&part.0).map(|(a, b)| a - b).collect())
    }

    fn quantile(&self, numerator: usize, denominator: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[(sorted.len() - 1) * numerator / denominator]
    }
}

/// Measures candidates in turns: one sample of each in every round, so that whatever else the
/// machine does falls on all of them alike. A first round is not counted.
///
/// # Panics
/// When a candidate does.
pub fn in_turns<const N: usize>(
    rounds: usize,
    mut candidates: [&mut dyn FnMut() -> f64; N],
) -> [Samples; N] {
    let mut samples = [const { Samples(Vec::new()) }; N];
    for round in 0..=rounds {
        for (candidate, samples) in candidates.iter_mut().zip(&mut samples) {
            let sample = candidate();
            if round > 0 {
                samples.push(sample);
            }
        }
    }
    samples
}

/// How long it takes once, in seconds.
pub fn once<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// How long one of many repetitions takes, in seconds.
pub fn each(repetitions: u32, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..repetitions {
        work();
    }
    start.elapsed().as_secs_f64() / f64::from(repetitions)
}

/// The output of a future that never waits.
///
/// # Panics
/// When it does.
pub fn ready<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing waits here"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Samples, in_turns};

    #[test]
    fn the_median_is_in_the_middle_and_the_quartiles_around_it() {
        let mut samples = Samples::default();
        for seconds in [5.0, 1.0, 3.0, 2.0, 4.0] {
            samples.push(seconds);
        }
        assert!((samples.median() - 3.0).abs() < 1e-9);
        let (low, high) = samples.quartiles();
        assert!((low - 2.0).abs() < 1e-9 && (high - 4.0).abs() < 1e-9);
    }

    #[test]
    fn candidates_take_turns_and_the_first_round_is_dropped() {
        let log = std::cell::RefCell::new(String::new());
        let [a, b] = in_turns(
            2,
            [
                &mut || {
                    log.borrow_mut().push('a');
                    1.0
                },
                &mut || {
                    log.borrow_mut().push('b');
                    1.0
                },
            ],
        );
        assert_eq!(*log.borrow(), "ababab");
        assert_eq!((a.rounds(), b.rounds()), (2, 2));
    }
}
