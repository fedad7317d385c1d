//! A connection as the HTTP library reads and writes it: with a limit for how long nothing may be taken of an answer,
//! and without lines that end in other ways than HTTP has it.
//!
//! The library takes a line feed alone for the end of a line, as some proxies do and others do not: by such differences
//! requests are smuggled past a proxy. No request that is served here has such a byte, so it becomes one that is
//! refused with status 400.

use std::cell::Cell;
use std::future::Future;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// How long the other side may take nothing of an answer.
const STALLED: Duration = Duration::from_secs(10);
/// Bytes that are read at once.
const READ_BYTES: usize = 4096;

/// What a connection does, for whoever has to choose one to be closed.
pub(super) struct Activity {
    /// Whether an answer is being made: such a connection is not idle, though nothing comes or goes.
    pub(super) is_working: Cell<bool>,
    /// Whether it has ever had a whole request.
    pub(super) has_asked: Cell<bool>,
    /// When a byte has come or gone last.
    pub(super) moved: Cell<Instant>,
}

impl Activity {
    pub(super) fn new() -> Activity {
        Activity {
            is_working: Cell::new(false),
            has_asked: Cell::new(false),
            moved: Cell::new(Instant::now()),
        }
    }
}

/// See the module's documentation.
pub(super) struct Stream {
    stream: TcpStream,
    activity: Rc<Activity>,
    /// Runs while the other side takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    lines: Lines,
}

impl Stream {
    pub(super) fn new(stream: TcpStream, activity: Rc<Activity>) -> Stream {
        Stream {
            stream,
            activity,
            stalled: None,
            lines: Lines::default(),
        }
    }

    /// The outcome of a write, or of a wait that has lasted too long.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if outcome.is_ready() {
            self.stalled = None;
            self.activity.moved.set(Instant::now());
            return outcome;
        }
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(STALLED)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [MaybeUninit::uninit(); READ_BYTES];
        let room = cursor.remaining().min(READ_BYTES);
        let mut read = ReadBuf::uninit(&mut bytes[..room]);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
        self.activity.moved.set(Instant::now());
        self.lines.refuse_bare(read.filled_mut());
        cursor.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    /// So that an answer is written from where it is, and not copied.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.written(context, outcome)
    }
}

/// Looks for line feeds that no carriage return precedes.
#[derive(Default)]
pub(super) struct Lines {
    after_return: bool,
}

impl Lines {
    /// Makes each of them a byte that no request may have.
    pub(super) fn refuse_bare(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            let is_return = *byte == b'\r';
            if *byte == b'\n' && !self.after_return {
                *byte = 0;
            }
            self.after_return = is_return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_feeds_alone_are_refused_wherever_reads_end() {
        let text = b"GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n\n";
        let expected = b"GET / HTTP/1.1\r\nA: b\0C: d\r\n\r\n\0";
        for cut in 0..text.len() {
            let mut bytes = *text;
            let mut lines = Lines::default();
            let (first, second) = bytes.split_at_mut(cut);
            lines.refuse_bare(first);
            lines.refuse_bare(second);
            assert_eq!(&bytes, expected, "{cut}");
        }
    }
}
