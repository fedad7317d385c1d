//! Read-ahead: bytes that a read has brought beyond what was asked for.
//!
//! A socket reads no more at a time than its options say, and data beyond that costs another call, or one that finds
//! nothing. So each call takes more if there is more, and the surplus waits here as if it were still in the system:
//! no decision that depends on what has been read considers it. What others could notice is compensated for: a
//! connection that is closed with bytes unread is reset, as the system does it. Nothing is read ahead from sockets
//! whose descriptor others may read from, nor from local ones, which cannot be reset.
//!
//! Belongs to one socket, under its port's lock.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use sys::socket;

/// Maximum number of bytes that a call takes beyond what was asked for.
const AHEAD_BYTES: usize = 64 << 10;

type Room = [MaybeUninit<u8>; AHEAD_BYTES];

thread_local! {
    /// Where read-ahead data is first received; usually there is none.
    static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
}

/// See the module.
#[derive(Default)]
pub(super) struct ReadAhead {
    bytes: Vec<u8>,
    /// Bytes before this index have been taken.
    start: usize,
}

/// The result of a read.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub count: usize,
    /// Whether the system had less than there was room for.
    pub found_end: bool,
}

impl ReadAhead {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes bytes that are here already: as many as there are, or as fit into the room.
    fn take(&mut self, room: &mut [MaybeUninit<u8>]) -> usize {
        let here = &self.bytes[self.start..];
        let count = here.len().min(room.len());
        room[..count].write_copy_of_slice(&here[..count]);
        self.start += count;
        if self.start == self.bytes.len() {
            *self = ReadAhead::default();
        }
        count
    }

    /// Reads: first from here, then from the system, and with `may_go_on` more than the room takes.
    ///
    /// # Errors
    /// As [`socket::receive`].
    pub(super) fn read(
        &mut self,
        fd: BorrowedFd<'_>,
        room: &mut [MaybeUninit<u8>],
        may_go_on: bool,
    ) -> sys::Result<Read> {
        if self.is_empty() {
            return self.read_system(fd, room, may_go_on);
        }
        let count = self.take(room);
        // If all of it were still in the system, data that has arrived since then would be read as well, and would
        // not be unread when the connection is closed. An error is left for the next read.
        if count == room.len() || socket::unread_bytes(fd) == 0 {
            return Ok(Read {
                count,
                found_end: false,
            });
        }
        let more = self.read_system(fd, &mut room[count..], may_go_on);
        Ok(more.map_or(
            Read {
                count,
                found_end: false,
            },
            |more| Read {
                count: count + more.count,
                ..more
            },
        ))
    }

    fn read_system(
        &mut self,
        fd: BorrowedFd<'_>,
        room: &mut [MaybeUninit<u8>],
        may_go_on: bool,
    ) -> sys::Result<Read> {
        // A caller that has so much room itself saves no call by reading ahead, and the surplus would have to be
        // copied again.
        if !may_go_on || room.len() >= AHEAD_BYTES {
            let count = socket::receive(fd, room)?;
            return Ok(Read {
                count,
                found_end: count < room.len(),
            });
        }
        let mut ahead = ROOM.take().unwrap_or_else(|| {
            // SAFETY: an array of `MaybeUninit` need not be initialised.
            unsafe { Box::<Room>::new_uninit().assume_init() }
        });
        let result = socket::receive_into(fd, room, &mut ahead[..]);
        if let Ok(count) = result
            && count > room.len()
        {
            // SAFETY: the system has filled the room, and this many bytes of `ahead`.
            let more = unsafe { ahead[..count - room.len()].assume_init_ref() };
            self.bytes = more.to_vec();
        }
        ROOM.set(Some(ahead));
        let count = result?;
        Ok(Read {
            count: count.min(room.len()),
            found_end: count < room.len() + AHEAD_BYTES,
        })
    }

    /// Makes closing look as if the system still had what is here.
    pub(super) fn end(&mut self, fd: sys::Result<BorrowedFd<'_>>) {
        if !self.is_empty()
            && let Ok(fd) = fd
        {
            socket::reset_when_closed(fd);
        }
        *self = ReadAhead::default();
    }
}
