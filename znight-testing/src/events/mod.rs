//! Event streams.

use std::{collections::VecDeque, time::Duration};

use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};
use serde::de::DeserializeOwned;
use znight_core::{Error, ErrorCode};

use crate::TestStream;

mod parser;

use parser::Parser;

/// The events of a reply of type `text/event-stream`; see
/// [`TestRequest::events`](crate::TestRequest::events).
///
/// They are read as the WHATWG's HTML standard says, as by the `EventSource` of a browser, except that it does
/// not connect again: send another request with [`last_event_id`](crate::TestRequest::last_event_id) for
/// that. Dropping it closes the connection.
#[derive(Debug)]
pub struct TestEvents {
    stream: TestStream,
    parser: Parser,
    /// Read, and not yet asked for.
    ready: VecDeque<TestEvent>,
    /// The id of the event that was asked for last.
    received: String,
    /// What is wrong behind the events that are ready.
    problem: Option<&'static str>,
    ended: bool,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestEvent {
    id: String,
    name: String,
    data: String,
}

/// The events of a stream that comes in these pieces, for the fuzz target; none when one is too long.
#[doc(hidden)]
pub fn read_events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Option<Vec<TestEvent>> {
    let (mut parser, mut events) = (Parser::default(), VecDeque::new());
    for piece in pieces {
        parser.feed(piece, &mut events).ok()?;
    }
    Some(events.into())
}

impl TestEvents {
    /// # Errors
    /// When the reply is no event stream.
    pub(crate) fn open(mut stream: TestStream) -> Result<Self, Error> {
        let content_type = stream.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let problem = if !essence.eq_ignore_ascii_case("text/event-stream") {
            Some(match stream.headers().get(CONTENT_TYPE) {
                Some(other) => format!("its type is {other:?}"),
                None => "it has no type".to_owned(),
            })
        } else if stream.status() == StatusCode::OK {
            None
        } else {
            Some(format!("its status is {}", stream.status().as_u16()))
        };
        if let Some(problem) = problem {
            let body = stream.peek();
            return Err(Error::new(
                ErrorCode::InvalidAttribute,
                format!(
                    "the reply is no event stream: {problem}\n{}",
                    stream.exchange(&body)
                ),
            )
            .with_hint("an event stream has status 200 and the type text/event-stream"));
        }
        Ok(Self {
            stream,
            parser: Parser::default(),
            ready: VecDeque::new(),
            received: String::new(),
            problem: None,
            ended: false,
        })
    }

    /// The headers of the reply.
    pub fn headers(&self) -> &HeaderMap {
        self.stream.headers()
    }

    /// The first header of a name, when it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.stream.header(name)
    }

    /// The next event; `None` when the stream ends. What comes after the last empty line is no event.
    ///
    /// # Errors
    /// As [`TestStream::next`]. ZNIGHT005 when a line is longer than 1 MiB or the data of an event than 16
    /// MiB, which a test takes for a mistake. Nothing follows an error.
    pub async fn next(&mut self) -> Option<Result<TestEvent, Error>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                event.id.clone_into(&mut self.received);
                return Some(Ok(event));
            }
            if let Some(problem) = self.problem.take() {
                self.ended = true;
                return Some(Err(Error::new(
                    ErrorCode::InvalidAttribute,
                    format!("{problem}\n{}", self.stream),
                )));
            }
            if self.ended {
                return None;
            }
            match self.stream.next().await {
                Some(Ok(piece)) => self.problem = self.parser.feed(&piece, &mut self.ready).err(),
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                None => self.ended = true,
            }
        }
    }

    /// The id a browser would send when it connected again: that of the last event that had one, or an
    /// empty text.
    pub fn last_event_id(&self) -> &str {
        if self.ready.is_empty() {
            // Lines with an id and without data are no event, and count.
            self.parser.last_event_id()
        } else {
            &self.received
        }
    }

    /// How long a browser would wait before it connected again, when the stream has said so.
    pub fn retry(&self) -> Option<Duration> {
        self.parser.retry()
    }
}

impl TestEvent {
    /// Its id, or that of the last event before it that had one; empty when none had.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its name: `message` unless it has another one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its data, lines separated by `\n`.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// Its data read as JSON.
    ///
    /// # Errors
    /// When it is no JSON, or no `T`. The message shows the event.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(&self.data).map_err(|error| {
            Error::new(
                ErrorCode::InvalidAttribute,
                format!(
                    "the data of the event is no {}: {self:?}",
                    std::any::type_name::<T>()
                ),
            )
            .with_source(error)
        })
    }
}
