//! Test applications, the clock of a test, requests and replies.

mod clock;
mod whole;
