//! A stream that tells when something is written to it.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Buf as _, Bytes};
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{refusal, registry::Watch};
use crate::pipeline::Pipeline;

pin_project! {
    /// A stream, watched.
    #[derive(Debug)]
    pub(super) struct Watched<S> {
        #[pin]
        stream: S,
        watch: Arc<Watch>,
        pipeline: Arc<Pipeline>,
        refusing: Refusing,
    }
}

/// What has become of a reply to no request.
#[derive(Debug)]
enum Refusing {
    No,
    /// This is left to be written instead.
    Writing(Bytes),
    /// Nothing may follow.
    Done,
}

/// The longest reply that is looked at: a status line, the framing and a date.
const LONGEST: usize = 160;

impl<S> Watched<S> {
    pub(super) fn new(stream: S, watch: Arc<Watch>, pipeline: Arc<Pipeline>) -> Self {
        Self {
            stream,
            watch,
            pipeline,
            refusing: Refusing::No,
        }
    }
}

impl<S: AsyncWrite> Watched<S> {
    /// Writes another reply in the place of one to no request, and takes that for written; `None` for
    /// anything else.
    #[inline]
    fn poll_refuse(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Option<io::Result<usize>>> {
        // What follows a reply of a handler until it is on its way is that reply.
        if bytes.len() > LONGEST || !self.watch.is_quiet() || !bytes.starts_with(b"HTTP/1.1 4") {
            return Poll::Ready(None);
        }
        self.poll_refuse_quiet(cx, bytes)
    }

    #[cold]
    fn poll_refuse_quiet(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Option<io::Result<usize>>> {
        let mut this = self.project();
        if matches!(this.refusing, Refusing::No) {
            match refusal::instead_of(bytes, this.pipeline) {
                Some(reply) => *this.refusing = Refusing::Writing(reply),
                None => return Poll::Ready(None),
            }
        }
        if let Refusing::Writing(reply) = this.refusing {
            while !reply.is_empty() {
                match ready!(this.stream.as_mut().poll_write(cx, reply)) {
                    Ok(0) => return Poll::Ready(Some(Err(io::ErrorKind::WriteZero.into()))),
                    Ok(count) => reply.advance(count),
                    Err(error) => return Poll::Ready(Some(Err(error))),
                }
            }
            *this.refusing = Refusing::Done;
            return Poll::Ready(Some(Ok(bytes.len())));
        }
        Poll::Ready(Some(Err(io::ErrorKind::BrokenPipe.into())))
    }
}

fn note(watch: &Watch, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
    if let Poll::Ready(Ok(1..)) = written {
        watch.moved();
    }
    written
}

impl<S: AsyncRead> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.project().stream.poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Some(written) = ready!(self.as_mut().poll_refuse(cx, bytes)) {
            return Poll::Ready(written);
        }
        let this = self.project();
        note(this.watch, this.stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [bytes] = slices
            && let Some(written) = ready!(self.as_mut().poll_refuse(cx, bytes))
        {
            return Poll::Ready(written);
        }
        let this = self.project();
        note(this.watch, this.stream.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.project();
        let flushed = this.stream.poll_flush(cx);
        if flushed.is_ready() {
            this.watch.flushed();
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().stream.poll_shutdown(cx)
    }
}
