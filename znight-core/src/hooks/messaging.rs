//! The events of messages: a delivery to a consumer, a publication.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Instant,
};

use super::once::{Context, Failure};
use crate::error::BoxError;

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeliveryOutcome {
    /// The message is done with.
    Ack,
    /// It is delivered again.
    Retry,
    /// It is put aside.
    DeadLetter,
}

impl fmt::Display for DeliveryOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ack => "ack",
            Self::Retry => "retry",
            Self::DeadLetter => "dead-letter",
        })
    }
}

/// One delivery of a message to a consumer. Produced by the messaging plugin.
///
/// Wrappers see it while the message is handled: outcome and error are set once the inner part has run.
/// Listeners see it complete.
///
/// ```
/// use znight_core::{DeliveryOutcome, Hooks, MessageDeliveryEvent};
///
/// let hooks = Hooks::new();
/// hooks
///     .on(|event: &MessageDeliveryEvent| {
///         if event.outcome() == Some(DeliveryOutcome::DeadLetter) {
///             eprintln!("{} of {} is given up", event.message_id(), event.queue());
///         }
///     })
///     .forget();
/// ```
#[derive(Debug)]
pub struct MessageDeliveryEvent {
    queue: Arc<str>,
    message_type: Option<Arc<str>>,
    message_id: Arc<str>,
    attempt: u32,
    headers: Arc<BTreeMap<String, String>>,
    consumer: &'static str,
    handler: &'static str,
    message: Context,
    start: Instant,
    outcome: OnceLock<DeliveryOutcome>,
    error: Failure,
}

impl MessageDeliveryEvent {
    /// The first delivery of a message to a handler: `consumer` is the display name of the consumer,
    /// `handler` the name of the method.
    pub fn new(
        queue: impl Into<Arc<str>>,
        message_id: impl Into<Arc<str>>,
        consumer: &'static str,
        handler: &'static str,
    ) -> Self {
        Self {
            queue: queue.into(),
            message_type: None,
            message_id: message_id.into(),
            attempt: 1,
            headers: Arc::default(),
            consumer,
            handler,
            message: Context::default(),
            start: Instant::now(),
            outcome: OnceLock::new(),
            error: Failure::default(),
        }
    }

    /// Sets the type of the message: `order.placed`.
    #[must_use]
    pub fn with_type(mut self, message_type: impl Into<Arc<str>>) -> Self {
        self.message_type = Some(message_type.into());
        self
    }

    /// Sets which delivery of the message it is, from 1.
    #[must_use]
    pub fn with_attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// Sets the headers of the message.
    #[must_use]
    pub fn with_headers(mut self, headers: Arc<BTreeMap<String, String>>) -> Self {
        self.headers = headers;
        self
    }

    /// Sets the message itself, as the messaging plugin knows it.
    #[must_use]
    pub fn with_message<M: Any + Send + Sync>(mut self, message: Arc<M>) -> Self {
        self.message = Context::of(message);
        self
    }

    /// The queue it came from.
    pub fn queue(&self) -> &str {
        &self.queue
    }

    /// The type of the message, when it has one.
    pub fn message_type(&self) -> Option<&str> {
        self.message_type.as_deref()
    }

    /// The id of the message.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Which delivery of the message it is, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The headers of the message.
    pub fn headers(&self) -> &BTreeMap<String, String> {
        &self.headers
    }

    /// The display name of the consumer.
    pub fn consumer(&self) -> &'static str {
        self.consumer
    }

    /// The name of the method that handles it.
    pub fn handler(&self) -> &'static str {
        self.handler
    }

    /// The message itself, when it is an `M`.
    pub fn message<M: Any>(&self) -> Option<&M> {
        self.message.get()
    }

    /// When the delivery began.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// What became of it, once that is known.
    pub fn outcome(&self) -> Option<DeliveryOutcome> {
        self.outcome.get().copied()
    }

    /// The error of the handler, when it failed.
    pub fn error(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.error.get()
    }

    /// Sets the outcome; the producer's business, the first one stays.
    pub fn set_outcome(&self, outcome: DeliveryOutcome) {
        let _ = self.outcome.set(outcome);
    }

    /// Sets the error; the producer's business, the first one stays.
    pub fn set_error(&self, error: Arc<BoxError>) {
        self.error.set(error);
    }
}

/// One publication of a message through the broker. Produced by the messaging plugin.
///
/// A wrapper may change the headers until it goes on, as one does that adds a trace context.
///
/// ```
/// use znight_core::{Hooks, MessagePublishEvent};
///
/// let hooks = Hooks::new();
/// hooks
///     .wrap(|event: &MessagePublishEvent, next| Box::pin(async move {
///         event.headers().insert("traceparent".to_owned(), "00-..".to_owned());
///         next.run().await;
///     }))
///     .forget();
/// ```
#[derive(Debug)]
pub struct MessagePublishEvent {
    queue: Arc<str>,
    message_type: Option<Arc<str>>,
    message_id: Arc<str>,
    headers: Mutex<BTreeMap<String, String>>,
    start: Instant,
    error: Failure,
}

impl MessagePublishEvent {
    /// The publication of a message.
    pub fn new(
        queue: impl Into<Arc<str>>,
        message_type: Option<Arc<str>>,
        message_id: impl Into<Arc<str>>,
        headers: BTreeMap<String, String>,
    ) -> Self {
        Self {
            queue: queue.into(),
            message_type,
            message_id: message_id.into(),
            headers: Mutex::new(headers),
            start: Instant::now(),
            error: Failure::default(),
        }
    }

    /// The queue or topic it goes to.
    pub fn queue(&self) -> &str {
        &self.queue
    }

    /// The type of the message, when it has one.
    pub fn message_type(&self) -> Option<&str> {
        self.message_type.as_deref()
    }

    /// The id of the message.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// The headers it is sent with. Holds a lock: do not keep the guard across an `.await`.
    pub fn headers(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.headers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When it began.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Why it failed, when it did.
    pub fn error(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.error.get()
    }

    /// Sets the error; the producer's business, the first one stays.
    pub fn set_error(&self, error: Arc<BoxError>) {
        self.error.set(error);
    }
}
