//! A reply that is read while it comes.

use std::fmt;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Response, StatusCode};
use znight_core::{Error, capability::BodyStream};

use crate::exchange::{Head, Panics, Sent};

/// A reply whose head has come and whose body is read piece by piece; see
/// [`TestRequest::stream`](crate::TestRequest::stream).
///
/// The body goes on when it is asked for its next piece, and no sooner. Dropping it is what a client does
/// that goes away: the request ends.
#[derive(Debug)]
pub struct TestStream {
    head: Head,
    body: BodyStream,
    panics: Panics,
}

impl TestStream {
    pub(crate) fn new(sent: Sent, response: Response<BodyStream>, panics: Panics) -> Self {
        let (parts, body) = response.into_parts();
        let stream = Self {
            head: Head::new(sent, parts.status, parts.headers),
            body,
            panics,
        };
        // A body that is still to be read cannot have been cut short, but a panic goes on.
        let _ = panics.check(&parts.extensions, &stream);
        stream
    }

    /// The status, comparable with a number.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The first header of a name, when it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    /// Asserts the status.
    ///
    /// # Panics
    /// When it is another one.
    #[track_caller]
    pub fn assert_status(&self, expected: u16) -> &Self {
        self.head.assert_status(expected, self);
        self
    }

    /// The next piece, as the application made it; `None` at the end.
    ///
    /// # Errors
    /// ZNIGHT021 when the body ends with an error, after which nothing follows. Over a socket the
    /// connection would be cut off.
    pub async fn next(&mut self) -> Option<Result<Bytes, Error>> {
        let piece = self.body.next().await?;
        Some(piece.map_err(|error| self.panics.error(error, &*self)))
    }

    /// The next piece as text; what is no UTF-8 in it, such as a character that goes on in the next
    /// piece, is replaced.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn next_text(&mut self) -> Option<Result<String, Error>> {
        let piece = self.next().await?;
        Some(piece.map(|piece| String::from_utf8_lossy(&piece).into_owned()))
    }

    /// Everything from here to the end.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn rest(&mut self) -> Result<Bytes, Error> {
        let mut rest = BytesMut::new();
        while let Some(piece) = self.next().await {
            rest.extend_from_slice(&piece?);
        }
        Ok(rest.freeze())
    }

    /// Takes what is there without waiting, for messages.
    pub(crate) fn peek(&mut self) -> Bytes {
        use std::{
            pin::pin,
            task::{Context, Poll, Waker},
        };
        let mut there = BytesMut::new();
        let mut cx = Context::from_waker(Waker::noop());
        while there.len() < 64 * 1024
            && let Poll::Ready(Some(Ok(piece))) = pin!(self.body.next()).poll(&mut cx)
        {
            there.extend_from_slice(&piece);
        }
        there.freeze()
    }

    /// The exchange, with as much of the body as is given.
    pub(crate) fn exchange<'a>(&'a self, body: &'a [u8]) -> impl fmt::Display + 'a {
        Exchange { stream: self, body }
    }
}

impl fmt::Display for TestStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head.exchange(f, &[])
    }
}

struct Exchange<'a> {
    stream: &'a TestStream,
    body: &'a [u8],
}

impl fmt::Display for Exchange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stream.head.exchange(f, self.body)
    }
}
