//! Output to a descriptor: written at once as far as that does not block, the rest is queued.
//!
//! The watermarks decide when the port is busy (see [`super::busy`]). Used by drivers, under the port's lock.

use std::io::IoSlice;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use smallvec::SmallVec;
use sys::errno::Errno;
use sys::poll::{Interest, Token};

use super::busy::Watermarks;
use super::driver::{Access, Output, Ready};
use super::framing::Framing;
use term::byte_queue::ByteQueue;

/// How writes are kept from blocking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocking {
    /// The descriptor is not shared, and non-blocking.
    Never,
    /// The descriptor is shared with others, who rely on its blocking: the system is asked before each write, and
    /// little is written at a time. This does not help for descriptors that always count as ready.
    PollFirst,
}

/// A pipe or terminal that is writable takes this many bytes without blocking.
const MAX_POLLED_BYTES: usize = 4096;
/// Maximum number of parts of one gathered write.
const PARTS: usize = 64;
/// Number of writes in a row before others have their turn.
const MAX_WRITES: usize = 64;

/// See the module.
pub struct DescriptorWriter {
    fd: OwnedFd,
    blocking: Blocking,
    framing: Framing,
    queue: ByteQueue,
    /// When the port is busy; None when turned off.
    watermarks: Option<Watermarks>,
    /// Set while the descriptor is watched: as long as something is queued ([`Blocking::PollFirst`]), or ever since
    /// something was first queued ([`Blocking::Never`]).
    token: Option<Token>,
}

impl DescriptorWriter {
    #[must_use]
    pub fn new(
        fd: OwnedFd,
        blocking: Blocking,
        framing: Framing,
        watermarks: Option<Watermarks>,
    ) -> DescriptorWriter {
        DescriptorWriter {
            fd,
            blocking,
            framing,
            queue: ByteQueue::default(),
            watermarks,
            token: None,
        }
    }

    /// The descriptor.
    #[must_use]
    pub fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    #[must_use]
    pub fn queued_bytes(&self) -> usize {
        self.queue.size()
    }

    /// Writes or queues a command's data, preceded by its length if the framing says so.
    ///
    /// # Errors
    /// `einval` if the data is too long for its length; the system's error if nobody reads any more.
    pub fn send(&mut self, port: &mut Access<'_>, data: &Output) -> sys::Result<()> {
        let (header, skip) = self.framing.header(data.size()).ok_or(Errno::EINVAL)?;
        let header = &header[skip..];
        let size = header.len() + data.size();
        let mut written = 0;
        if self.queue.size() == 0 {
            if self.blocking == Blocking::Never && size > 0 {
                let mut parts: SmallVec<[IoSlice<'_>; 8]> = SmallVec::new();
                if !header.is_empty() {
                    parts.push(IoSlice::new(header));
                }
                parts.extend(data.parts().map(IoSlice::new));
                written = match sys::fd::writev(self.fd.as_fd(), &parts) {
                    Ok(written) => written,
                    Err(Errno::EAGAIN) => 0,
                    Err(error) => return Err(error),
                };
            }
            if written == size {
                return Ok(());
            }
        }
        match header.get(written..) {
            Some(rest) => {
                self.queue.push_bytes(rest);
                data.queue_rest(&mut self.queue, 0);
            }
            None => data.queue_rest(&mut self.queue, written - header.len()),
        }
        // A call may write less than it was given though there is room: when it was given too many parts.
        let may_go_on = match self.blocking {
            Blocking::Never => written > 0,
            Blocking::PollFirst => self.token.is_none(),
        };
        if may_go_on {
            self.write_queue(port)?;
        }
        if self.queue.size() > 0 {
            if self.token.is_none() {
                self.token = Some(port.watch(self.fd.as_fd(), Interest::WRITE)?);
            }
            if self
                .watermarks
                .is_some_and(|marks| self.queue.size() >= marks.high)
            {
                port.set_busy(true);
            }
        }
        Ok(())
    }

    /// The descriptor takes more output.
    ///
    /// # Errors
    /// The system's error if nobody reads any more.
    pub fn ready(&mut self, port: &mut Access<'_>) -> sys::Result<()> {
        self.write_queue(port)?;
        if self.queue.size() == 0
            && self.blocking == Blocking::PollFirst
            && let Some(token) = self.token.take()
        {
            // While the descriptor is not watched, output is written at once.
            port.unwatch(self.fd.as_fd(), token);
        }
        let low = self.watermarks.map_or(0, |marks| marks.low);
        if port.is_busy() && (self.queue.size() < low || self.queue.size() == 0) {
            port.set_busy(false);
        }
        Ok(())
    }

    /// Writes as much of the queue as the descriptor takes, but lets others have their turn in between. A file that
    /// cannot be polled has no such turns.
    fn write_queue(&mut self, port: &mut Access<'_>) -> sys::Result<()> {
        let mut left = MAX_WRITES;
        while self.queue.size() > 0 {
            let mut parts: SmallVec<[IoSlice<'_>; 8]> =
                self.queue.pieces().take(PARTS).map(IoSlice::new).collect();
            if self.blocking == Blocking::PollFirst {
                if !sys::fd::wait_writable(self.fd.as_fd(), Some(0)).unwrap_or(true) {
                    return Ok(());
                }
                let first = self.queue.pieces().next().unwrap_or_default();
                parts.truncate(1);
                parts[0] = IoSlice::new(&first[..first.len().min(MAX_POLLED_BYTES)]);
            } else if left == 0 {
                port.call_again(Ready {
                    fd: self.fd.as_raw_fd(),
                    readable: false,
                    writable: true,
                    hangup: false,
                });
                return Ok(());
            }
            match sys::fd::writev(self.fd.as_fd(), &parts) {
                Ok(written) => {
                    drop(parts);
                    self.queue.skip(written);
                }
                Err(Errno::EAGAIN | Errno::EINTR) => return Ok(()),
                Err(error) => return Err(error),
            }
            left = left.saturating_sub(1);
        }
        Ok(())
    }

    /// Ends the output: the descriptor is closed.
    pub fn stop(mut self, port: &mut Access<'_>) {
        if let Some(token) = self.token.take() {
            port.unwatch(self.fd.as_fd(), token);
        }
    }
}
